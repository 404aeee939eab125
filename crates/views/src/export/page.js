(() => {
  const d = document, main = d.querySelector('main'), root = d.documentElement;
  const all = (s, of) => [...(of || d).querySelectorAll(s)];
  const make = (tag, text, label) => {
    const e = d.createElement(tag);
    if (text) e.textContent = text;
    if (label) e.setAttribute('aria-label', label);
    return e;
  };
  const bar = make('div', '', 'Search and filter'), box = make('input', '', 'Search this page');
  const told = make('output'), only = make('select', '', 'Show only');
  const fail = make('button', 'Next failure'), theme = make('button');
  bar.className = 'bar';
  bar.setAttribute('role', 'search');
  box.type = 'search';
  box.placeholder = 'Search  /';
  for (const [k, name] of [['', 'everything'], ['k-prompt', 'prompts'], ['k-answer', 'answers'],
    ['k-call', 'calls'], ['k-edit', 'edits'], ['k-bad', 'failures'], ['k-thought', 'thoughts']]) {
    const o = make('option', name);
    o.value = k;
    only.append(o);
  }
  bar.append(box, told, only, fail, theme);
  main.before(bar);
  const wide = matchMedia('(min-width:70rem)');
  if (wide.matches) all('.outline').forEach(e => e.open = true);

  // The theme: that of the system, light, or dark. A browser may keep nothing of a file.
  const kept = value => {
    try {
      if (value === undefined) return localStorage.getItem('theme') || '';
      localStorage.setItem('theme', value);
    } catch (e) { return ''; }
  };
  const dress = name => {
    root.className = name;
    theme.textContent = 'Theme: ' + (name || 'system');
  };
  const themes = ['', 'light', 'dark'], first = kept();
  dress(themes.includes(first) ? first : '');
  theme.addEventListener('click', () => {
    dress(themes[(themes.indexOf(root.className) + 1) % 3]);
    kept(root.className);
  });

  // The browser guesses the height of what is far, and corrects it when it is near: a jump is made
  // again until its place rests, or the reader does something else.
  let jump = 0;
  const land = (e, block) => {
    const own = ++jump;
    let left = 90, still = 0, last;
    const again = () => {
      if (own != jump) return;
      const top = () => Math.round(e.getBoundingClientRect().top);
      if (top() == last) still++;
      else {
        e.scrollIntoView({block});
        last = top();
        still = 0;
      }
      if (still < 5 && left--) requestAnimationFrame(again);
    };
    again();
  };
  for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    addEventListener(act, () => jump++, {capture: true, passive: true});
  const named = () => {
    const e = location.hash && d.getElementById(location.hash.slice(1));
    if (e) land(e, 'start');
  };
  // Who reloads or goes back is led to where he was by the browser.
  const come = performance.getEntriesByType('navigation')[0];
  if (!come || come.type == 'navigate') addEventListener('load', named);
  d.addEventListener('click', e => {
    if (e.target.closest && e.target.closest('a[href^="#"]')) setTimeout(named);
  });

  // Search: the items with the words, which are marked in them.
  let hits = [], at = -1;
  const marks = self.Highlight && CSS.highlights;
  const go = e => {
    for (let p = e.parentElement; p; p = p.parentElement) if (p.tagName == 'DETAILS') p.open = true;
    all('.hit').forEach(h => h.classList.remove('hit'));
    e.classList.add('hit');
    e.tabIndex = -1;
    e.focus({preventScroll: true});
    land(e, e.offsetHeight > innerHeight / 2 ? 'start' : 'center');
  };
  const after = (list, step) => {
    const here = d.activeElement.closest('main') ? d.activeElement : null;
    const y = here ? here.getBoundingClientRect().top : scrollY ? innerHeight / 2 - 1 : 0;
    const top = e => e.getBoundingClientRect().top;
    const far = list.filter(e => e != here && (step > 0 ? top(e) > y : top(e) < y));
    return step > 0 ? far[0] : far[far.length - 1];
  };
  const mark = word => {
    if (!marks) return;
    const ranges = [];
    for (const hit of word ? hits : []) {
      const texts = d.createTreeWalker(hit, NodeFilter.SHOW_TEXT);
      for (let t = texts.nextNode(); t && ranges.length < 2000; t = texts.nextNode()) {
        const text = t.data.toLowerCase();
        if (text.length != t.length) continue;
        for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + word.length)) {
          const r = new Range();
          r.setStart(t, i);
          r.setEnd(t, i + word.length);
          ranges.push(r);
        }
      }
    }
    marks.set('found', new Highlight(...ranges));
  };
  const find = () => {
    const word = box.value.trim().toLowerCase();
    hits = word ? all('.item').filter(e => e.textContent.toLowerCase().includes(word)
      && ![...e.querySelectorAll('.item')]
        .some(i => i.textContent.toLowerCase().includes(word))) : [];
    at = -1;
    told.textContent = word ? hits.length + ' found' : '';
    mark(word);
  };
  box.addEventListener('input', find);
  box.addEventListener('keydown', e => {
    if (e.key == 'Enter' && hits.length) {
      at = (at + (e.shiftKey ? hits.length - 1 : 1)) % hits.length;
      const back = d.activeElement;
      go(hits[at]);
      back.focus({preventScroll: true});
      told.textContent = at + 1 + ' of ' + hits.length;
    }
  });

  // The outline: the turn that is read is marked in it, and turns without an item are away.
  const turns = all('.turn'), runs = all('main>.run'), links = new Map();
  all('.outline a').forEach(a => links.set(a.hash.slice(1), a));
  let seen = turns, current;
  // The last of elements that begins above a third of the screen.
  const read = list => {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].getBoundingClientRect().top <= innerHeight / 3) low = middle + 1;
      else high = middle;
    }
    return list[low - 1] || list[0];
  };
  const follow = () => {
    // Only a run that is read is measured within: the others need no layout.
    const run = read(runs.filter(e => !e.hidden));
    const turn = read(run ? seen.filter(e => e.parentElement == run) : seen);
    const link = turn && links.get(turn.id);
    if (link == current) return;
    if (current) current.removeAttribute('aria-current');
    if (link) link.setAttribute('aria-current', 'true');
    current = link;
    const nav = link && wide.matches && link.closest('nav');
    if (nav) nav.scrollTop += link.getBoundingClientRect().top - nav.clientHeight / 2;
  };
  // Scrolling itself stays free of it.
  let rests;
  if (links.size) addEventListener('scroll', () => {
    clearTimeout(rests);
    rests = setTimeout(follow, 100);
  }, {passive: true});
  only.addEventListener('change', () => {
    all('.item').forEach(e => e.hidden = only.value && !e.classList.contains(only.value)
      && !e.querySelector('.' + only.value));
    all('.group').forEach(e => e.hidden = !e.querySelector('.item:not([hidden])'));
    seen = turns.filter(e => {
      e.hidden = only.value && !e.querySelector('.item:not([hidden])');
      const link = links.get(e.id);
      if (link) link.parentElement.hidden = e.hidden;
      return !e.hidden;
    });
    runs.forEach(e => e.hidden = !e.querySelector('.turn:not([hidden])'));
    main.classList.toggle('filtered', only.value);
    follow();
  });

  // One button copies: it is beside the item, or in the block, that is pointed at or has the focus.
  const copy = make('button', 'Copy');
  let source;
  copy.className = 'copy';
  copy.type = 'button';
  const place = e => {
    const block = e.type == 'pointerover' && e.target.closest('main pre');
    const item = block || e.target.closest && e.target.closest('.item');
    if (!item || e.target == copy || item == source) return;
    source = item;
    copy.textContent = 'Copy';
    if (block) block.append(copy);
    else item.querySelector('.rec').after(copy);
  };
  const words = () => {
    const copied = source.cloneNode(true);
    all('.copy,.rec,.native,.lang,.when,h2>a', copied).forEach(e => e.remove());
    return copied.textContent.trim() + '\n';
  };
  main.addEventListener('pointerover', place);
  main.addEventListener('focusin', place);
  copy.addEventListener('click', async e => {
    e.preventDefault();
    try {
      await navigator.clipboard.writeText(words());
      copy.textContent = 'Copied';
    } catch (e) { copy.textContent = 'Not copied'; }
  });

  const failure = () => {
    const e = after(all('.k-bad'), 1) || d.querySelector('.k-bad');
    if (e) go(e);
  };
  fail.addEventListener('click', failure);
  d.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName)) return;
    const turn = step => { const t = after(seen, step); if (t) go(t); };
    const open = () => {
      const t = d.activeElement.closest('.turn') || after(seen, 1);
      const f = t ? [...t.querySelectorAll('details:not(.native)')] : [];
      const o = f.some(x => !x.open);
      f.forEach(x => x.open = o);
    };
    const keys = {'/': () => box.focus(), n: () => turn(1), p: () => turn(-1), f: failure, e: open};
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  follow();
})();
