//! The place of a hunk in a text, and the splices that it makes.

use super::change::{Hunk, Line};
use super::diff::{Splice, seek};

/// Position of a hunk without a line number, at or after a line. If there is no match and the
/// hunk's last old line is empty, that line is removed: patches often have such a line at the end
/// of a file.
pub(super) fn place(content: &[String], hunk: &mut Hunk, from: usize) -> Option<usize> {
    let old = |hunk: &Hunk| -> Vec<String> {
        let old = hunk.lines.iter().filter_map(|line| match line {
            Line::New(_) => None,
            Line::Same(text) | Line::Gone(text) => Some(text.clone()),
        });
        old.collect()
    };
    let lines = old(hunk);
    if lines.is_empty() {
        return Some(content.len());
    }
    seek(content, &lines, from, hunk.end).or_else(|| {
        lines.last().filter(|last| last.is_empty())?;
        let at = hunk.lines.iter().rposition(|line| !matches!(line, Line::New(_)))?;
        hunk.lines.remove(at);
        let lines = old(hunk);
        (!lines.is_empty()).then(|| seek(content, &lines, from, hunk.end)).flatten()
    })
}

/// Whether a line equals a line of a patch. Some agents show each leading tab as two spaces.
pub(super) fn alike(line: &str, told: &str) -> bool {
    let rest = line.trim_start_matches('\t');
    let tabs = line.len() - rest.len();
    let shown = || told.get(..2 * tabs).is_some_and(|head| head.bytes().all(|byte| byte == b' '));
    line == told || (tabs > 0 && shown() && told.get(2 * tabs..) == Some(rest))
}

/// The splices of a hunk that begins at `at`.
pub(super) fn splices(mut at: usize, lines: Vec<Line>) -> Vec<Splice> {
    let mut splices = Vec::new();
    let mut open: Option<Splice> = None;
    for line in lines {
        if let Line::Same(_) = line {
            splices.extend(open.take());
            at += 1;
            continue;
        }
        let splice = open.get_or_insert_with(|| Splice { at, gone: 0, new: Vec::new() });
        match line {
            Line::Gone(_) => {
                splice.gone += 1;
                at += 1;
            }
            Line::New(text) => splice.new.push(text),
            Line::Same(_) => {}
        }
    }
    splices.extend(open);
    splices
}
