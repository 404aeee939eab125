//! Tables: a name is the head of a column, and its values are below.

use std::ops::Range;

use super::naming;
use super::rows::{BEHIND, LINE, Name, word};

/// The most rows of a table that are read, and the most columns.
const ROWS: usize = 500;
const COLUMNS: usize = 64;

/// Adds the values in the column of a name.
pub(super) fn values(name: &Name<'_>, found: &mut Vec<Range<usize>>) {
    if statement(name, found) {
        return;
    }
    let line = &name.text[name.line.clone()];
    if line.len() >= LINE {
        return;
    }
    if memchr::memmem::find(line, "\u{2502}".as_bytes()).is_some() {
        return split(name, "\u{2502}".as_bytes(), found);
    }
    match [b'|', b'\t', b',', b';'].into_iter().find(|mark| line.contains(mark)) {
        Some(mark) => split(name, &[mark], found),
        None => wide(name, found),
    }
}

/// Columns with a mark between them. Heads are words; a row that has a name of a value is another
/// head.
fn split(name: &Name<'_>, mark: &[u8], found: &mut Vec<Range<usize>>) {
    let heads = cells(name.text, &name.line, mark);
    let column =
        heads.iter().position(|cell| cell.start <= name.name.start && name.name.end <= cell.end);
    let Some(column) = column else { return };
    let is_head = |cell: &Range<usize>| {
        let text = trimmed(name.text, cell.clone());
        let text = &name.text[text];
        text.len() <= 60
            && text.iter().all(|b| b.is_ascii_alphanumeric() || b"_ .-/#".contains(b) || *b >= 0x80)
    };
    // Arguments of a function have spaces behind the commas, and heads of a file have none.
    let is_listed = matches!(mark, [b',' | b';'])
        && heads.iter().any(|cell| name.text[cell.clone()].starts_with(b" "));
    let is_whole = trimmed(name.text, heads[column].clone()) == name.name;
    if !(2..=COLUMNS).contains(&heads.len()) || is_listed || !is_whole || !heads.iter().all(is_head)
    {
        return;
    }
    for row in name.lines().take(ROWS) {
        if is_rule(&name.text[row.clone()]) {
            continue;
        }
        let cells = cells(name.text, &row, mark);
        let is_other = |cell: &Range<usize>| {
            let cell = trimmed(name.text, cell.clone());
            naming::is_secret(&name.text[cell])
        };
        if cells.len() != heads.len() || cells.iter().any(is_other) {
            return;
        }
        let cell = trimmed(name.text, cells[column].clone());
        if !name.text[cell.clone()].iter().any(u8::is_ascii_whitespace) {
            found.push(cell);
        }
    }
}

/// The cells of a row. A mark between double quotes separates nothing.
fn cells(text: &[u8], row: &Range<usize>, mark: &[u8]) -> Vec<Range<usize>> {
    let (mut cells, mut start, mut is_quoted) = (Vec::new(), row.start, false);
    let mut at = row.start;
    while at < row.end && cells.len() <= COLUMNS {
        if text[at] == b'"' {
            is_quoted = !is_quoted;
        } else if !is_quoted && text[at..row.end].starts_with(mark) {
            cells.push(start..at);
            start = at + mark.len();
            at = start;
            continue;
        }
        at += 1;
    }
    cells.push(start..row.end);
    cells
}

/// A cell without the spaces and quotes around it.
fn trimmed(text: &[u8], cell: Range<usize>) -> Range<usize> {
    let part = &text[cell.clone()];
    let is_edge = |byte: &&u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    let head = part.iter().take_while(is_edge).count();
    let tail = part[head..].iter().rev().take_while(is_edge).count();
    cell.start + head..cell.end - tail
}

/// Whether a line is a rule between rows.
fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.len() >= 3
        && line.iter().all(|byte| b"-+|=: ".contains(byte) || (0x80..0xf0).contains(byte))
}

/// Columns that are kept apart by spaces: each value begins below its head.
fn wide(name: &Name<'_>, found: &mut Vec<Range<usize>>) {
    let (before, behind) = name.sides();
    let column = before.len();
    let ends = behind.trim_ascii().is_empty() || behind.starts_with(b"  ");
    let has_others =
        before.ends_with(b"  ") || (!behind.trim_ascii().is_empty() && before.is_empty());
    if !ends || !(has_others || before.is_empty()) {
        return;
    }
    let mut lines = name.lines().take(ROWS).peekable();
    let is_ruled = lines.peek().is_some_and(|line| is_rule(&name.text[line.clone()]));
    let is_named = before.iter().all(|byte| !byte.is_ascii_lowercase()) && has_others;
    if !is_ruled && !is_named {
        return;
    }
    for row in lines.skip(usize::from(is_ruled)) {
        let line = &name.text[row.clone()];
        let begins = column == 0 || line.get(column - 1) == Some(&b' ');
        if line.trim_ascii().is_empty()
            || !begins
            || line.get(column).is_none_or(|byte| *byte == b' ')
        {
            return;
        }
        let Some(value) = word(name.text, row.start + column, row.end) else { return };
        if naming::is_secret(&name.text[value.clone()]) {
            return;
        }
        found.push(value);
    }
}

/// `INSERT INTO t (a, b) VALUES (1, 'x')` and `COPY t (a, b) FROM stdin`: whether a name is one of
/// the columns, and then their values.
fn statement(name: &Name<'_>, found: &mut Vec<Range<usize>>) -> bool {
    let text = name.text;
    let head = &text[name.name.start.saturating_sub(LINE)..name.name.start];
    let Some(open) = memchr::memrchr(b'(', head) else { return false };
    let before = head[open.saturating_sub(160)..open].to_ascii_lowercase();
    let has = |word: &[u8]| memchr::memmem::find(&before, word).is_some();
    let (is_insert, is_copy) = (has(b"insert into") || has(b"replace into"), has(b"copy "));
    if !is_insert && !is_copy {
        return false;
    }
    let open = name.name.start - head.len() + open;
    let tail = &text[name.name.end..text.len().min(name.name.end + LINE)];
    let Some(close) = memchr::memchr(b')', tail) else { return false };
    let close = name.name.end + close;
    let columns = cells(text, &(open + 1..close), b",");
    let has_name = |cell: &Range<usize>| {
        cell.start <= name.name.start
            && name.name.end <= cell.end
            && cell.len() <= name.name.len() + 4
    };
    let column = columns.iter().position(has_name);
    let Some(column) = column else { return false };
    match is_copy {
        true => copied(text, close, (column, columns.len()), found),
        false => inserted(text, close, (column, columns.len()), found),
    }
    true
}

/// The rows of `COPY`, with tabs between their values.
fn copied(
    text: &[u8],
    close: usize,
    (column, count): (usize, usize),
    found: &mut Vec<Range<usize>>,
) {
    let rest = &text[close..text.len().min(close + BEHIND)];
    let mut at = close;
    for (number, line) in rest.split_inclusive(|&byte| byte == b'\n').take(ROWS).enumerate() {
        let row = at..at + line.trim_ascii_end().len();
        at += line.len();
        if number == 0 {
            continue;
        }
        let cells = cells(text, &row, b"\t");
        if cells.len() != count {
            return;
        }
        found.push(cells[column].clone());
    }
}

/// The tuples of `VALUES`.
fn inserted(
    text: &[u8],
    close: usize,
    (column, count): (usize, usize),
    found: &mut Vec<Range<usize>>,
) {
    let end = text.len().min(close + BEHIND);
    let rest = &text[close + 1..end];
    let word = rest.trim_ascii_start();
    if word.len() < 6 || !word[..6].eq_ignore_ascii_case(b"values") {
        return;
    }
    let mut at = end - word.len() + 6;
    for _ in 0..ROWS {
        let skip =
            text[at..end].iter().take_while(|b| b.is_ascii_whitespace() || **b == b',').count();
        at += skip;
        if text.get(at) != Some(&b'(') {
            return;
        }
        let Some((cells, behind)) = tuple(text, at + 1..end) else { return };
        if cells.len() != count {
            return;
        }
        found.push(trimmed(text, cells[column].clone()));
        at = behind;
    }
}

/// The values of a tuple, and the place behind it.
fn tuple(text: &[u8], range: Range<usize>) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut cells, mut start, mut quote) = (Vec::new(), range.start, None);
    let (mut at, mut depth) = (range.start, 0usize);
    while at < range.end {
        match (text[at], quote) {
            (b'\\', Some(_)) => at += 1,
            (byte, Some(of)) if byte == of => quote = None,
            (_, Some(_)) => {}
            (byte @ (b'\'' | b'"'), None) => quote = Some(byte),
            (b'(', None) => depth += 1,
            (b')', None) if depth == 0 => {
                cells.push(start..at);
                return Some((cells, at + 1));
            }
            (b')', None) => depth -= 1,
            (b',', None) if depth == 0 => {
                cells.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}
