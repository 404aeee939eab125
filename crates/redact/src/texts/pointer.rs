//! JSON pointers (RFC 6901) to values of a bundle.

use std::borrow::Cow;

use session::edit::EditPlace;
use session::{Bundle, Span, value};

use super::path::PathStep;

/// The most characters of a name that a pointer has.
const NAME: usize = 256;

/// A name, without the end of a very long one.
fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}\u{2026}", &name[..end]).into(),
        None => name.into(),
    }
}

/// The way to a value as a JSON pointer; a name that an edit has is `*`, and what is
/// left out of a long name or way is `…`.
pub(crate) fn pointer(
    bundle: &Bundle,
    edits: &[EditPlace],
    member: u32,
    path: &[PathStep],
) -> String {
    let mut pointer = String::new();
    for step in path {
        pointer.push('/');
        match step {
            PathStep::Index(index) => pointer.push_str(&index.to_string()),
            PathStep::Beneath => pointer.push('\u{2026}'),
            PathStep::Key(span) => {
                let is_edited = |edit: &EditPlace| {
                    let Span { start, end } = edit.span;
                    edit.member == member && start < span.end && end > span.start
                };
                let is_before =
                    |edit: &EditPlace| (edit.member, edit.span.end) <= (member, span.start);
                let near = edits.partition_point(is_before);
                if edits[near..].first().is_some_and(is_edited) {
                    pointer.push('*');
                    continue;
                }
                let name = value::text(bundle.slice(member, *span)).unwrap_or_default();
                pointer.push_str(&shortened(&name).replace('~', "~0").replace('/', "~1"));
            }
        }
    }
    pointer
}
