// What the pages can do beyond links and forms: a palette, keys, find, further turns as they come
// near, growth as it happens, and the two actions. Text is only ever put into the page as text;
// fragments come from this server, whose policy lets no script in them run.
(() => {
  const d = document, one = s => d.querySelector(s), all = s => [...d.querySelectorAll(s)];
  const main = one('main'), uid = main && main.dataset.uid;
  const make = (tag, text, props) => {
    const e = d.createElement(tag);
    if (text) e.textContent = text;
    return Object.assign(e, props);
  };
  const fragment = async (address) => {
    const answer = await fetch(address, {headers: {accept: 'text/html'}});
    if (!answer.ok) throw new Error(answer.status);
    return new DOMParser().parseFromString(await answer.text(), 'text/html').body;
  };

  // The theme: that of the system, light, or dark.
  const root = d.documentElement;
  const themes = ['system', 'light', 'dark'];
  const store = (key, value) => {
    try {
      if (value === undefined) return localStorage.getItem(key);
      localStorage.setItem(key, value);
    } catch { /* Storage may be switched off. */ }
    return null;
  };
  const paint = name => {
    root.classList.remove('light', 'dark');
    if (name != 'system') root.classList.add(name);
  };
  let theme = store('theme') || 'system';
  paint(theme);
  const rail = one('.rail');
  if (rail) {
    const button = make('button', 'Theme: ' + theme, {type: 'button'});
    button.addEventListener('click', () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      store('theme', theme);
      paint(theme);
      button.textContent = 'Theme: ' + theme;
    });
    rail.append(button);
  }

  // Moving: rows of a list, items and turns of a session.
  const reveal = e => {
    for (let p = e.parentElement; p; p = p.parentElement) if (p.tagName == 'DETAILS') p.open = true;
  };
  const go = e => {
    if (!e) return;
    reveal(e);
    all('.chosen,.hit').forEach(h => h.classList.remove('chosen', 'hit'));
    e.classList.add(e.matches('.row') ? 'chosen' : 'hit');
    const link = e.matches('.row') ? e.querySelector('a') : e;
    if (link == e) e.tabIndex = -1;
    link.focus({preventScroll: true});
    e.scrollIntoView({block: 'center'});
  };
  const step = (selector, by) => {
    const list = all(selector).filter(e => e.offsetParent);
    const here = list.findIndex(e => e.matches('.chosen,.hit') || e.contains(d.activeElement));
    if (here >= 0) return go(list[Math.min(Math.max(here + by, 0), list.length - 1)]);
    const top = e => e.getBoundingClientRect().top;
    go(by > 0 ? list.find(e => top(e) > 0) : list.reverse().find(e => top(e) < 0));
  };

  // Find: the words themselves are marked.
  const bar = make('div', '', {className: 'bar'});
  const box = make('input', '', {type: 'search', placeholder: 'Find in this page  /'});
  const told = make('output'), only = make('select');
  box.setAttribute('aria-label', 'Find in this page');
  only.setAttribute('aria-label', 'Show only');
  const modes = [['', 'everything'], ['k-prompt,.k-answer', 'talk'], ['k-edit', 'edits'],
    ['k-bad', 'failures'], ['k-prompt', 'prompts']];
  let marks = [], at = -1;
  const unmark = () => {
    for (const m of marks) {
      const parent = m.parentNode;
      m.replaceWith(...m.childNodes);
      if (parent) parent.normalize();
    }
    marks = [];
    at = -1;
  };
  const find = () => {
    unmark();
    const word = box.value.trim().toLowerCase();
    told.textContent = '';
    if (!word) return;
    const found = [], texts = d.createTreeWalker(main, NodeFilter.SHOW_TEXT,
      node => bar.contains(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    while (texts.nextNode() && found.length < 2000) {
      const text = texts.currentNode;
      let from = text.data.toLowerCase().indexOf(word);
      for (let node = text; from >= 0 && found.length < 2000;) {
        if (node.data.slice(from, from + word.length).toLowerCase() != word) break;
        found.push([node, from]);
        from = node.data.toLowerCase().indexOf(word, from + word.length);
      }
    }
    // The last one of a text comes first, so that the places before it stay.
    for (const [node, from] of found.reverse()) {
      const rest = node.splitText(from);
      rest.splitText(word.length);
      const mark = make('mark');
      rest.replaceWith(mark);
      mark.append(rest);
      marks.unshift(mark);
    }
    told.textContent = marks.length + (marks.length == 2000 ? ' or more' : '') + ' found';
  };
  const next = by => {
    if (!marks.length) return;
    if (marks[at]) marks[at].classList.remove('at');
    at = (at + by + marks.length) % marks.length;
    reveal(marks[at]);
    marks[at].classList.add('at');
    marks[at].scrollIntoView({block: 'center'});
    told.textContent = at + 1 + ' of ' + marks.length;
  };
  const filter = () => {
    const wanted = only.value && '.' + only.value;
    all('.item').forEach(e => {
      e.hidden = wanted && !e.matches(wanted) && !e.querySelector(wanted);
    });
    all('section.turn').forEach(e => {
      e.hidden = wanted && !e.querySelector(wanted);
    });
  };
  if (uid) {
    modes.forEach(([value, name]) => {
      const count = value ? ' (' + all('.' + value).length + ')' : '';
      only.append(make('option', name + count, {value}));
    });
    bar.append(box, told, only);
    main.prepend(bar);
    box.addEventListener('input', find);
    box.addEventListener('keydown', e => {
      if (e.key == 'Enter') next(e.shiftKey ? -1 : 1);
    });
    only.addEventListener('change', filter);
  }

  // What is wider than its place is scrolled by keys too.
  const reach = () => all('table,pre').forEach(e => {
    if (e.scrollWidth > e.clientWidth && e.offsetParent) e.tabIndex = 0;
  });
  reach();
  addEventListener('resize', reach);
  d.addEventListener('toggle', reach, true);

  // Further turns come when their link comes near.
  const near = new IntersectionObserver(seen => {
    const link = seen.find(one => one.isIntersecting);
    if (link) more(link.target);
  }, {rootMargin: '800px'});
  let waits = false;
  const more = async link => {
    if (waits) return;
    waits = true;
    near.unobserve(link);
    try {
      const address = new URL(link.href);
      address.searchParams.set('part', '1');
      const body = await fragment(address);
      const ways = link.closest('.ways-of');
      ways.before(...body.querySelectorAll('section.turn'));
      const last = [...body.querySelectorAll('.ways-of a[rel=next]')].pop();
      if (last) {
        link.href = last.href;
        near.observe(link);
      } else link.remove();
      filter();
      reach();
    } catch { /* The link is still there to be followed. */ }
    waits = false;
  };
  if (uid) {
    const link = all('main .ways-of a[rel=next]').pop();
    if (link) near.observe(link);
  }

  // The beginning of a long session came first: its numbers and its outline follow.
  const rest = one('#so-far a');
  if (rest) {
    fragment(rest.href).then(body => {
      for (const part of ['.screen > header', '.columns > aside']) {
        const [old, whole] = [one(part), body.querySelector(part)];
        // What the reader has opened or typed in the head stays.
        const facts = part.endsWith('header') ? 'dl.facts' : 'details';
        old.querySelector(facts).replaceWith(whole.querySelector(facts));
      }
      const told = body.querySelector('main .ways-of').firstChild;
      all('main .ways-of').forEach(ways => {
        if (ways.firstChild) ways.firstChild.textContent = told.textContent;
      });
      one('#so-far').remove();
    }).catch(() => { /* The link is still there to be followed. */ });
  }

  // Growth: nothing moves under the reader; a list says what is new.
  const news = one('#news');
  let fresh = new Set();
  const grown = async () => {
    if (one('main a[rel=next]')) return;
    const turns = all('section.turn');
    const last = turns[turns.length - 1];
    const number = last ? last.id.slice(5) : '0';
    const address = new URL(location.pathname, location.href);
    address.searchParams.set('turns', number);
    address.searchParams.set('part', '1');
    try {
      const body = await fragment(address);
      const sections = [...body.querySelectorAll('section.turn')];
      const open = last ? new Set([...last.querySelectorAll('details[open]')]
        .map(e => e.closest('[id]').id)) : new Set();
      if (last) last.remove();
      const ways = all('main .ways-of').pop();
      sections.forEach(e => ways.before(e));
      open.forEach(id => {
        const e = id && d.getElementById(id);
        const fold = e && e.querySelector('details');
        if (fold) fold.open = true;
      });
      filter();
    } catch { /* The next growth tries again. */ }
  };
  if (main && window.EventSource && (uid || news)) {
    const live = new EventSource('/v1/live');
    const hear = e => {
      const name = JSON.parse(e.data);
      if (uid && name == uid) grown();
      if (news) {
        fresh.add(name);
        const link = make('a', fresh.size + ' newer: show', {href: location.href});
        news.replaceChildren(link);
      }
    };
    for (const name of ['grown', 'new']) live.addEventListener(name, hear);
    addEventListener('pagehide', () => live.close());
  }

  // The palette.
  const dialog = make('dialog'), words = make('input', '', {type: 'search'}), list = make('ul');
  dialog.setAttribute('aria-label', 'Go to');
  words.setAttribute('aria-label', 'Screen, session or words');
  dialog.append(words, list);
  d.body.append(dialog);
  let places = null;
  const offer = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ([name]) => wanted.every(word => name.toLowerCase().includes(word));
    const found = (places || []).filter(fits).slice(0, 50);
    if (words.value.trim()) {
      found.push(['Search all texts: ' + words.value,
        '/search?q=' + encodeURIComponent(words.value)]);
    }
    list.replaceChildren(...found.map(([name, href]) => {
      const row = make('li');
      row.append(make('a', name, {href}));
      return row;
    }));
  };
  const palette = async () => {
    dialog.showModal();
    words.focus();
    places = all('.rail a').map(a => [a.textContent, a.href]);
    offer();
    try {
      const answer = await fetch('/v1/sessions?limit=1000');
      const rows = (await answer.json()).sessions;
      places.push(...rows.map(row => [
        (row.title || row.prompt || row.uid).split('\n')[0].slice(0, 90) + ' \u00b7 ' + row.format,
        '/s/' + encodeURIComponent(row.uid)]));
      offer();
    } catch { /* The screens are there. */ }
  };
  words.addEventListener('input', offer);
  words.addEventListener('keydown', e => {
    const first = list.querySelector('a');
    if (e.key == 'Enter' && first) first.click();
    if (e.key == 'ArrowDown' && first) first.focus();
  });
  list.addEventListener('keydown', e => {
    const row = d.activeElement.closest('li');
    const other = e.key == 'ArrowDown' ? row.nextSibling
      : e.key == 'ArrowUp' && row.previousSibling;
    if (other) {
      e.preventDefault();
      other.firstChild.focus();
    }
  });

  // The actions: the user types a word, and the request repeats that of this page.
  const acts = one('#actions');
  const word = one('meta[name=verbatim-word]');
  const act = async (path, body) => fetch(path, {
    method: 'POST',
    headers: {'content-type': 'application/json', 'x-verbatim-word': word.content},
    body: JSON.stringify({session: acts.dataset.uid, ...body}),
  });
  if (acts && word) {
    const said = make('pre');
    said.setAttribute('aria-live', 'polite');
    const form = (label, choices, needed, send) => {
      const f = make('form'), select = make('select'), typed = make('input');
      const button = make('button', label);
      select.setAttribute('aria-label', label);
      choices.forEach(value => select.append(make('option', value, {value})));
      typed.placeholder = 'type ' + needed;
      typed.setAttribute('aria-label', 'Type ' + needed + ' to confirm');
      f.append(make('span', label + ' '), select, typed, button);
      f.addEventListener('submit', async e => {
        e.preventDefault();
        said.textContent = '\u2026';
        try {
          said.textContent = await send(select.value, typed.value.trim());
        } catch (error) {
          said.textContent = String(error.message || error);
        }
      });
      acts.append(f);
    };
    const failed = async answer => ((await answer.json()).error || {}).message || answer.status;
    form('Continue in', acts.dataset.agents.split(' '), acts.dataset.place,
      async (to, confirm) => {
        const answer = await act('/v1/resume', confirm ? {to, confirm} : {to});
        if (!answer.ok) return failed(answer);
        const r = await answer.json();
        const b = r.books ? '\nThe books: ' + JSON.stringify(r.books) : '';
        return r.state + ' as ' + r.id + '\nThe command: ' + (r.line || 'none') + b;
      });
    form('Export as', ['html', 'markdown', 'vac', 'stead'], acts.dataset.export,
      async (to, confirm) => {
        const answer = await act('/v1/export', {to, confirm});
        if (!answer.ok) return failed(answer);
        const a = make('a', '', {href: URL.createObjectURL(await answer.blob())});
        a.download = 'session.' + ({html: 'html', markdown: 'md'}[to] || to + '.json');
        a.click();
        return 'redacted and saved; read it before you share it';
      });
    acts.append(said);
  }

  // Keys.
  const search = () => (one('main .bar input') || one('#search') || words).focus();
  const fold = () => {
    const turn = d.activeElement.closest('section.turn') || one('section.turn');
    const folds = turn ? [...turn.querySelectorAll('details:not(.native)')] : [];
    const open = folds.some(e => !e.open);
    folds.forEach(e => { e.open = open; });
  };
  const mode = () => {
    only.selectedIndex = (only.selectedIndex + 1) % only.options.length;
    filter();
  };
  const copy = () => navigator.clipboard && navigator.clipboard.writeText(location.href);
  const rows = uid ? '.item' : '.row';
  const keys = {
    j: () => step(rows, 1), k: () => step(rows, -1),
    n: () => step('section.turn', 1), p: () => step('section.turn', -1),
    f: () => step('.k-bad', 1), F: () => step('.k-bad', -1),
    '/': search, e: fold, m: mode, y: copy,
    b: () => uid && one('a[href$="/bytes"]').click(),
    '?': () => alertKeys(),
  };
  const alertKeys = () => {
    const help = make('dialog', 'j k next and last · n p turns · f F failures · e fold · m mode · '
      + 'b bytes · / find · y copy the link · Ctrl-K go to');
    d.body.append(help);
    help.addEventListener('close', () => help.remove());
    help.showModal();
  };
  d.addEventListener('keydown', e => {
    if ((e.ctrlKey || e.metaKey) && e.key == 'k') {
      e.preventDefault();
      return palette();
    }
    if (e.ctrlKey || e.metaKey || e.altKey || one('dialog[open]')) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    if (Object.hasOwn(keys, e.key)) {
      e.preventDefault();
      keys[e.key]();
    }
  });
})();
