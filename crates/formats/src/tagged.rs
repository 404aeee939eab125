//! Texts within a tag: how a writer puts a tag around a text, and how a reader takes it off. A text
//! may have the tag in it, to end its own. There each tag of that name gets a backslash behind its
//! `<`, which the reader takes away again; so a text ends where its own tag ends.

use std::borrow::Cow;

/// A text within the tag, on lines of its own.
pub(crate) fn within_tag(name: &str, text: &str) -> String {
    format!("<{name}>\n{}\n</{name}>", escaped(name, text))
}

/// The text in the tag, if nothing is around it; of several neighboring tags the texts, each on
/// lines of its own. `None` for a text with something else, or with a tag in a tag.
pub(crate) fn without_tag<'t>(name: &str, text: &'t str) -> Option<Cow<'t, str>> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut found: Option<Cow<'t, str>> = None;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (inside, behind) = rest.strip_prefix(&*open)?.split_once(&*close)?;
        if inside.contains(&*open) {
            return None;
        }
        let inside = inside.strip_prefix('\n').unwrap_or(inside);
        let inside = unescaped(name, inside.strip_suffix('\n').unwrap_or(inside));
        found = Some(match found {
            Some(before) => Cow::Owned(format!("{before}\n{inside}")),
            None => inside,
        });
        rest = behind.trim_start();
    }
    found
}

/// A text with an element: what is before it, within it and behind it. Its tag may have attributes.
pub(crate) fn element<'t>(text: &'t str, tag: &str) -> Option<[&'t str; 3]> {
    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
    let places = text.match_indices(&open).map(|(at, _)| at);
    let (before, begin) = places
        .filter_map(|at| {
            let behind = &text[at + open.len()..];
            let end = behind.find('>').filter(|_| behind.starts_with(['>', ' ']))?;
            Some((at, at + open.len() + end + 1))
        })
        .next()?;
    let end = text.rfind(&close).filter(|end| *end >= begin)?;
    Some([&text[..before], &text[begin..end], &text[end + close.len()..]])
}

/// A text whose tags of this name can't be taken for that around it.
fn escaped<'t>(name: &str, text: &'t str) -> Cow<'t, str> {
    let (mut out, mut from) = (String::new(), 0);
    for at in tags(name, text) {
        out.push_str(&text[from..=at]);
        out.push('\\');
        from = at + 1;
    }
    joined(out, text, from)
}

/// The text that was escaped so.
pub(crate) fn unescaped<'t>(name: &str, text: &'t str) -> Cow<'t, str> {
    let (mut out, mut from) = (String::new(), 0);
    for at in tags(name, text).filter(|at| text[at + 1..].starts_with('\\')) {
        out.push_str(&text[from..=at]);
        from = at + 2;
    }
    joined(out, text, from)
}

fn joined(mut out: String, text: &str, from: usize) -> Cow<'_, str> {
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// The places of the tags of a name in a text, opening and closing, with any backslashes. A model
/// may take a tag in other letters, or with spaces, for the same one.
fn tags<'t>(name: &'t str, text: &'t str) -> impl Iterator<Item = usize> + 't {
    memchr::memchr_iter(b'<', text.as_bytes()).filter(move |at| {
        let rest = text[at + 1..].trim_start_matches('\\').trim_start();
        let rest = rest.strip_prefix('/').unwrap_or(rest).trim_start();
        rest.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_whatever_tags_it_has() {
        for text in [
            "the ferry is late",
            "",
            " \n two lines\n\n",
            "end </note> and go on",
            "<note>",
            "</note>",
            "</note>\n<note>",
            r"<\/note> <\\/note> <\note>",
            "< / NOTE >",
            r"<\\",
            "a < b",
            "<é",
            "</notes>",
        ] {
            let whole = within_tag("note", text);
            assert_eq!(without_tag("note", &whole).as_deref(), Some(text), "{whole}");
            let inside = &whole["<note>".len()..whole.len() - "</note>".len()];
            for tag in ["<note>", "</note>", "< / NOTE >"] {
                assert!(!inside.contains(tag), "{whole}");
            }
        }
    }

    #[test]
    fn neighbors_are_one_text_and_what_is_beside_a_tag_is_none() {
        let of = |text: &'static str| without_tag("note", text);
        assert_eq!(of("<note>a</note>\n<note>\nb\n</note> ").as_deref(), Some("a\nb"));
        for text in ["", "a", "<note>a", "<note>a</note> b</note>", "<note><note>a</note></note>"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
