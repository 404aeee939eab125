//! Patch text of several agents' models: `*** Begin Patch`, one section per file, hunks without
//! line numbers. The hunks are placed as the agents' tools place them: at the first match of their
//! old lines after the previous hunk, and after the line that `@@` names. A hunk without old lines
//! is placed at the end of the file.

use super::change::{Change, Hunk, Line};

/// First line of a patch text.
pub const PATCH_BEGIN: &str = "*** Begin Patch";
/// Last line of a patch text.
pub const PATCH_END: &str = "*** End Patch";

/// The changes in a patch, in order: path and change. `None` if the text is not a patch.
#[must_use]
pub fn patch(text: &str) -> Option<Vec<(String, Change)>> {
    let body = text.split_once(PATCH_BEGIN)?.1;
    let mut ends = body.match_indices(PATCH_END).map(|(end, _)| &body[..end]);
    let body = ends.find(|body| body.ends_with('\n')).unwrap_or(body);
    let mut changes = Vec::new();
    let mut lines = body.lines().skip(1).peekable();
    while let Some(head) = lines.next() {
        let mut section = Vec::new();
        while let Some(line) = lines.next_if(|line| !is_section(line)) {
            section.push(line);
        }
        if let Some(path) = head.strip_prefix("*** Add File: ") {
            let added = section.iter().filter_map(|line| line.strip_prefix('+'));
            let after: String = added.flat_map(|line| [line, "\n"]).collect();
            changes.push((path.to_owned(), Change::Write { before: Some(String::new()), after }));
        } else if let Some(path) = head.strip_prefix("*** Delete File: ") {
            changes.push((path.to_owned(), Change::Delete));
        } else if let Some(path) = head.strip_prefix("*** Update File: ") {
            let moved = section.iter().find_map(|line| line.strip_prefix("*** Move to: "));
            let hunks = hunks(&section);
            if !hunks.is_empty() {
                changes.push((path.to_owned(), Change::Patch { hunks }));
            }
            if let Some(to) = moved {
                changes.push((path.to_owned(), Change::Move { to: to.to_owned() }));
            }
        }
    }
    Some(changes)
}

fn is_section(line: &str) -> bool {
    ["*** Add File: ", "*** Delete File: ", "*** Update File: "]
        .iter()
        .any(|head| line.starts_with(head))
}

fn hunks(section: &[&str]) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in section {
        if let Some(anchor) = line.strip_prefix("@@") {
            let anchor = anchor.trim_start().to_owned();
            let anchor = (!anchor.is_empty()).then_some(anchor);
            hunks.push(Hunk { start: 0, anchor, end: false, lines: Vec::new() });
            continue;
        }
        if let Some(mark) = line.strip_prefix("*** ") {
            if let Some(hunk) = hunks.last_mut().filter(|_| mark.trim_end() == "End of File") {
                hunk.end = true;
            }
            continue;
        }
        if hunks.is_empty() {
            hunks.push(Hunk { start: 0, anchor: None, end: false, lines: Vec::new() });
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let rest = line.get(1..).unwrap_or_default().to_owned();
        hunk.lines.push(match line.as_bytes().first() {
            Some(b'+') => Line::New(rest),
            Some(b'-') => Line::Gone(rest),
            // An empty line means an empty line of context.
            _ => Line::Same(rest),
        });
    }
    hunks.retain(|hunk| hunk.lines.iter().any(|line| !matches!(line, Line::Same(_))));
    hunks
}
