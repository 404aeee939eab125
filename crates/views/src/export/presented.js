// Checks the presentation that the page carries, and draws the entries anew from what was checked.
// The same rules are in Rust: `presented.rs` draws, and `verify` judges.
(() => {
  const d = document, one = s => d.querySelector(s), form = one('form'), utf8 = new TextEncoder();
  const bare = it => it.cloneNode().outerHTML;
  const fixed = bare(d.documentElement)
    + d.head.innerHTML.replace(/(script-src 'sha256-)[^']*/, '$1')
    + bare(d.body) + one('header').outerHTML;
  const subtle = window.crypto && crypto.subtle;
  const need = (good, why = 'what it carries is damaged') => { if (!good) throw Error(why) };
  const say = (className, textContent) => Object.assign(one('#state'), { className, textContent });

  // Bytes: a text stands for its UTF-8.
  const join = parts => {
    parts = parts.map(part => typeof part === 'string' ? utf8.encode(part) : part);
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) all.set(part, (at += part.length) - part.length);
    return all;
  };
  const sha = async parts => new Uint8Array(await subtle.digest('SHA-256', join(parts)));
  const bytes = base64 => Uint8Array.from(atob(base64), c => c.charCodeAt());
  const base64 = bytes => btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  const open = text => {
    const other = text.replace(/-/g, '+').replace(/_/g, '/'), all = bytes(other);
    need(base64(all).replace(/=/g, '') === other);
    return all;
  };
  const hash = text => {
    need(/^[0-9a-f]{64}$/.test(text));
    return Uint8Array.from(text.match(/../g), digits => parseInt(digits, 16));
  };

  // JSON that the browser has read without a fault: the texts of values, as they are written.
  const split = text => {
    const found = [];
    let depth = 0, from = -1, end = 0, name;
    for (let at = 0; at < text.length; at++) {
      const c = text.charCodeAt(at), closes = c === 125 || c === 93;
      if (c <= 32) continue;
      if (depth === 1 && (c === 44 || closes)) {
        if (from >= 0) found.push({ name, at: from, value: text.slice(from, end) });
        from = -1;
        depth -= closes;
      } else if (depth === 1 && c === 58) {
        name = JSON.parse(text.slice(from, end));
        from = -1;
      } else {
        if (from < 0 && depth === 1) from = at;
        if (c === 34) while (text.charCodeAt(++at) !== 34) if (text[at] === '\\') at++;
        depth += (c === 123 || c === 91) - closes;
        end = at + 1;
      }
    }
    return found;
  };
  const members = text => {
    const found = split(text);
    need(text[0] === '{' && new Set(found.map(it => it.name)).size === found.length
      && !found.some(it => /\p{Cs}/u.test(it.name)));
    return found;
  };
  const value = (text, ...path) => path.reduce((text, name) => {
    const found = members(text).find(it => it.name === name);
    need(found);
    return found.value;
  }, text);
  const escaped = name => name.replace(/~/g, '~0').replace(/\//g, '~1');

  // CBOR in the strict form.
  const head = (major, count) => {
    const width = count < 24 ? 0 : count < 256 ? 1 : count < 65536 ? 2 : 4;
    const head = [major | (width ? 24 + Math.log2(width) : count)];
    for (let at = width; at--;) head.push(count >>> 8 * at);
    return head;
  };
  const cbor = bytes => {
    let at = 0;
    const strict = good => need(good, 'its signature has another form');
    const take = count => {
      strict(count <= bytes.length - at);
      return bytes.subarray(at, at += count);
    };
    const item = depth => {
      strict(depth < 17);
      const [first] = take(1), major = first >> 5;
      let number = first & 31;
      if (number > 23) {
        strict(number < 28 && major < 7);
        const width = 1 << number - 24;
        number = take(width).reduce((sum, byte) => sum * 256 + byte, 0);
        strict(number >= (width === 1 ? 24 : 256 ** (width / 2)) && number < 2 ** 53);
      }
      if (major === 0) return number;
      if (major === 1) return -1 - number;
      if (major === 2) return take(number);
      if (major === 3) return new TextDecoder('utf-8', { fatal: true }).decode(take(number));
      if (first === 0xf6) return null;
      strict(major === 4 || major === 5);
      const list = [], map = new Map();
      while (number--) {
        const it = item(depth + 1);
        list.push(it);
        if (major === 4) continue;
        strict(/string|number/.test(typeof it) && !map.has(it));
        map.set(it, item(depth + 1));
      }
      return major === 4 ? list : map;
    };
    const whole = item(0);
    strict(at === bytes.length);
    return whole;
  };

  // Commitments, and the tree of RFC 9162.
  const commit = (salt, texts, hashes) => {
    const list = [head(0x80, 1 + texts.length + hashes.length)];
    const put = part => list.push(head(0x40, join([part]).length), part);
    salt = open(salt);
    need(salt.length === 16);
    put(salt);
    texts.forEach((text, at) => (put(text), hashes[at] && put(hashes[at])));
    return sha(list);
  };
  // The hash of a field, of which `text` is shown, or nothing.
  const hashOf = ({ salt, withheld }, text) => {
    const shown = text !== undefined;
    need(typeof (shown ? salt : withheld) === 'string' && (shown ? withheld : salt) === undefined);
    return shown ? commit(salt, [text], []) : hash(withheld);
  };
  // The root of leaves, from the next nodes: each node has as many leaves of its part as it can.
  const rootOf = async (parts, first, count) => {
    const [{ end, nodes }] = parts;
    if (first + count <= end) {
      if (first + count === end) parts.shift();
      need(nodes.length && (first + count < end || nodes.length === 1));
      return nodes.shift();
    }
    let left = 1;
    while (left * 2 < count) left *= 2;
    return sha([[1], await rootOf(parts, first, left),
      await rootOf(parts, first + left, count - left)]);
  };

  // The presentation.
  const frameOf = async (frame, { salt, fields = [] }, agent, away) => {
    const left = new Map(frame), hashes = [];
    const rows = [...frame].flatMap(([path, text]) => leaves(path.slice(1), text));
    for (const field of fields) {
      const path = field.name;
      let text = left.get(path);
      left.delete(path);
      if (field.withheld !== undefined) {
        if (text === agent && path === '/session/agent-meta') text = undefined;
        rows.push({ path: path.slice(1), kind: 'away' });
        away.push(path);
      }
      hashes.push(await hashOf(field, text));
    }
    need(!left.size);
    return [rows, await commit(salt, [...fields.map(it => it.name), ''], hashes)];
  };
  const entryOf = async (text, { salt, fields = [] }, number, away) => {
    const all = members(text), rest = [...all], texts = [], hashes = [];
    let at = 0;
    for (const field of fields) {
      let it;
      do need(it = rest.shift());
      while (it.name !== field.name);
      texts.push(text.slice(at, it.at));
      at = it.at + it.value.length;
      if (field.withheld === undefined) hashes.push(await hashOf(field, it.value));
      else {
        need(it.value === '"[WITHHELD]"' || !/^(content|input|output)$/.test(it.name)
          && /^(\[]|{})$/.test(it.value));
        it.away = true;
        away.push(`${number}/${it.name}`);
        hashes.push(await hashOf(field));
      }
    }
    const rows = all.flatMap(({ name, value, away }) =>
      away ? { path: escaped(name), kind: 'away' } : leaves(escaped(name), value));
    return [rows, await commit(salt, [...texts, text.slice(at)], hashes)];
  };
  const judge = async text => {
    JSON.parse(text);
    const top = members(text), last = top.pop(), inner = members(value(text, 'session'));
    const proof = JSON.parse(value(last.value, 'presentation'));
    const frame = new Map(), away = [], put = (list, before, without) => list.map(it => {
      if (it.name === without) return '';
      frame.set(before + escaped(it.name), it.value);
      return `${JSON.stringify(it.name)}:${it.value},`;
    }).join('');
    const shown = split(value(text, 'session', 'entries')).map(it => it.value);
    need(last.name === 'verbatim' && proof.version === 1 && text === `{${
      put(top, '/', 'session')}"session":{${put(inner, '/session/', 'entries')}"entries":[${shown
    }]},"verbatim":{"presentation":${JSON.stringify(proof)}}}\n`);
    const own = proof.skeleton;
    JSON.parse(own);
    const tree = value(own, 'verbatim', 'entry-tree'), { size, root } = JSON.parse(tree);
    need(size > 0 && size < 2 ** 53 && value(own, 'session', 'entries') === '[]'
      && tree === `{"vds":1,"size":${size},"root":"${root
      }","commitment":"sha-256 of cbor [salt, text, commitment, text, ...]"}`);
    const agent = value(own, 'session', 'agent-meta');
    const [rows, first] = await frameOf(frame, proof.frame, agent, away);
    const drawn = [section('frame', '', 'The record', list(rows))];
    const parts = [{ end: 1, nodes: [await sha([[0], first])] }];
    need(shown.length === proof.entries.length);
    let next = 1, count = 0;
    for (const [at, it] of proof.entries.entries()) {
      if (it.nodes) {
        const { first, last, nodes } = it;
        need(first === next && first <= last && last < size && Number.isInteger(last) && shown[at]
          === '{"type":"system-event","event-type":"redacted","data":'
          + `{"first":${first},"last":${last}}}`);
        const some = first === last ? `${first}` : `${first} to ${last}`;
        drawn.push(section('e' + first, 'away', some,
          make('p', '', 'withheld: nobody signed who withheld it, or why')));
        away.push('entry ' + some);
        next = last + 1;
        parts.push({ end: next, nodes: nodes.map(hash) });
      } else {
        const [rows, leaf] = await entryOf(shown[at], it, next, away);
        const type = rows.find(row => row.path === 'type' && !row.kind);
        drawn.push(section('e' + next, '', next + (type ? ' ' + type.text : ''), list(rows)));
        parts.push({ end: ++next, nodes: [await sha([[0], leaf])] });
        count++;
      }
    }
    need(next === size && `${await rootOf(parts, 0, size)}` === `${hash(root)}`,
      'what it carries is not what was signed');
    return { drawn, away, count, total: size - 1, proof };
  };

  // The entries as they are drawn.
  const acts = RegExp('(?<![\u{590}-\u{10ffff}])[\u200c\u200d\ufe00-\ufe0f]|[\0-\x08\v-\x1f\x7f-'
    + '\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e'
    + '\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{13430}-\u{1343f}'
    + '\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]', 'gu');
  const plain = text => text.replace(/\p{Cs}/gu, '\ufffd').replace(/\r\n/g, '\n').replace(acts,
    c => `\u27e8U+${c.codePointAt().toString(16).toUpperCase().padStart(4, 0)}\u27e9`);
  const leaves = (path, text, depth = 0) => {
    const inner = depth < 32 && /^[{[]/.test(text) ? split(text) : [];
    if (inner.length) return inner.flatMap(({ name, value }, at) =>
      leaves(`${path}/${escaped(name ?? `${at}`)}`, value, depth + 1));
    const isText = text[0] === '"';
    return { path, kind: isText ? '' : 'raw', text: isText ? JSON.parse(text) : text };
  };
  const make = (tag, kind, ...inner) => {
    const it = d.createElement(tag);
    if (kind) it.className = kind;
    for (const part of inner.flat()) it.append(part);
    return it;
  };
  const section = (id, kind, title, inner) =>
    Object.assign(make('section', kind, make('h2', '', plain(title)), inner), { id });
  const list = rows => make('dl', '', rows.map(({ path, kind, text }) => make('div', '',
    make('dt', '', plain(path)), make('dd', kind, kind === 'away' ?
      'withheld: what the file has in its place is not signed' : plain(text)))));

  // The signature.
  const signedBy = async ({ skeleton, signature }, der, print) => {
    const isEd = der.length === 44, point = der.subarray(isEd ? 12 : 26);
    const blob = isEd ? ['ssh-ed25519', point] : ['ecdsa-sha2-nistp256', 'nistp256', point];
    const own = base64(await sha(blob.flatMap(it => [[0, 0, 0, it.length], it])));
    if (own !== print + '=') return false;
    const envelope = open(signature), whole = cbor(envelope.subarray(1));
    const [inside, outside, payload, sign] = whole, header = cbor(inside);
    const claims = header.get(15) || new Map(), now = Date.now() / 1000;
    need(envelope[0] === 0xd2 && outside instanceof Map && whole.length === 4 && sign.length === 64
      && payload === null && !header.has(2) && claims instanceof Map
      && ![...outside.keys()].some(it => it === 2 || header.has(it))
      && (isEd ? [-8, -19] : [-7, -9]).includes(header.get(1)), 'its signature has another form');
    need(!(now >= claims.get(4) || now < claims.get(5)), 'its signature has ended or not begun');
    const rule = { name: isEd ? 'Ed25519' : 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const key = await subtle.importKey('spki', der, rule, false, ['verify']);
    const input = join([[0x84, 0x6a], 'Signature1', head(0x40, inside.length), inside, [0x40],
      head(0x40, join([skeleton]).length), skeleton]);
    need(await subtle.verify(rule, key, sign, input) === true, 'its key did not sign it');
    return true;
  };

  // What the page shows is what it carries, and nothing else is around it.
  const replaced = async (main, shown) => {
    const names = [...d.body.childNodes].map(it => it.localName || it.data.trim()).join('');
    need(names === 'headermainscriptscript' && base64(await sha([fixed])) === '@FIXED@',
      'the page around the entries was changed');
    for (const it of [main, shown]) it.normalize();
    need(shown.isEqualNode(main), 'what the page shows is not what it carries');
    shown.replaceWith(main);
  };
  const check = async typed => {
    const carrier = one('#presentation'), main = Object.assign(make('main'), { id: 'record' });
    const text = carrier.textContent.replace(/%(..)?/g,
      (all, code) => ({ 25: '%', '3C': '<', '0D': '\r' })[code]);
    const { drawn, away, count, total, proof } = await judge(text);
    for (const it of drawn) main.append(it, '\n');
    await replaced(main, one('main'));
    if (!await signedBy(proof, bytes(carrier.dataset.key), typed))
      return say('warn', `UNKNOWN KEY. This page names another key than SHA256:${typed}.`);
    say('good', `CHECKED in this browser: the key SHA256:${typed} signed the record that these ${
      count} of ${total} entries are of, each as it was signed.\nWithheld: ${
      plain(away.slice(0, 40).join(', ')) || 'nothing'}${away[40] ? ' \u2026' : '.'
      }\nNot shown: that it is true, that nothing was left out before, when it was signed.`);
  };
  form.hidden = false;
  one('#state').className = '';
  form.addEventListener('submit', event => {
    event.preventDefault();
    const typed = /SHA256:([\w+/]{43})(?![\w+/])/.exec(one('#print').value);
    if (!typed) return say('warn', 'UNCHECKED. A fingerprint is SHA256: and 43 characters.');
    const other = 'UNCHECKED. This browser can\u2019t check it; verbatim verify PAGE.html can.';
    if (!subtle) return say('warn', other);
    say('', 'Checking \u2026');
    check(typed[1]).catch(({ name, message }) => name === 'NotSupportedError'
      ? say('warn', other) : say('bad', `FAILED: ${plain(message)}.`));
  });
})();
