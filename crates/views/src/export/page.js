(() => {
  const d = document, main = d.querySelector('main'), all = s => [...d.querySelectorAll(s)];
  const make = (tag, text, label) => {
    const e = d.createElement(tag);
    if (text) e.textContent = text;
    if (label) e.setAttribute('aria-label', label);
    return e;
  };
  const bar = make('div', '', 'Search and filter'), box = make('input', '', 'Search this page');
  const told = make('output'), only = make('select', '', 'Show only');
  const fail = make('button', 'Next failure');
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
  bar.append(box, told, only, fail);
  main.before(bar);
  if (matchMedia('(min-width:70rem)').matches) all('.outline').forEach(e => e.open = true);
  let hits = [], at = -1;
  const go = e => {
    for (let p = e.parentElement; p; p = p.parentElement) if (p.tagName == 'DETAILS') p.open = true;
    all('.hit').forEach(h => h.classList.remove('hit'));
    e.classList.add('hit');
    e.tabIndex = -1;
    e.focus({preventScroll: true});
    e.scrollIntoView({block: 'center'});
  };
  const after = (list, step) => {
    const here = d.activeElement.closest('main') ? d.activeElement : null;
    const y = here ? here.getBoundingClientRect().top : innerHeight / 2 - 1;
    const top = e => e.getBoundingClientRect().top;
    const far = list.filter(e => e != here && (step > 0 ? top(e) > y : top(e) < y));
    return step > 0 ? far[0] : far[far.length - 1];
  };
  const find = () => {
    const word = box.value.trim().toLowerCase();
    hits = word ? all('.item').filter(e => e.textContent.toLowerCase().includes(word)
      && ![...e.querySelectorAll('.item')]
        .some(i => i.textContent.toLowerCase().includes(word))) : [];
    at = -1;
    told.textContent = word ? hits.length + ' found' : '';
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
  only.addEventListener('change', () => {
    all('.item').forEach(e => e.hidden = only.value && !e.classList.contains(only.value)
      && !e.querySelector('.' + only.value));
    all('.group').forEach(e => e.hidden = !e.querySelector('.item:not([hidden])'));
  });
  const failure = () => {
    const e = after(all('.k-bad'), 1) || d.querySelector('.k-bad');
    if (e) go(e);
  };
  fail.addEventListener('click', failure);
  d.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName)) return;
    const turn = step => { const t = after(all('.turn'), step); if (t) go(t); };
    const open = () => {
      const t = d.activeElement.closest('.turn') || after(all('.turn'), 1);
      const f = t ? [...t.querySelectorAll('details:not(.native)')] : [];
      const o = f.some(x => !x.open);
      f.forEach(x => x.open = o);
    };
    const keys = {'/': () => box.focus(), n: () => turn(1), p: () => turn(-1), f: failure, e: open};
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
})();
