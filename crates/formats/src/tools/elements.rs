//! Calls that a model without tools of its own writes into its text: an element named after the
//! tool, with an element for each argument.

use session::{EventRef, Slot, value};

/// The arguments of such a call as a JSON object; `None` if its input is no text with an element of
/// the tool's name.
pub(crate) fn of_elements(call: EventRef<'_>) -> Option<Vec<u8>> {
    let (raw, name) = (call.raw(Slot::Input)?, call.text(Slot::Name)?);
    if !matches!(raw.first(), Some(b'"' | b'[')) {
        return None;
    }
    let text = value::said(raw);
    let [_, inner, _] = parts(&text, &name)?;
    let (mut json, mut rest) = (vec![b'{'], inner.trim_start());
    while let Some((name, argument, behind)) = argument(rest) {
        if json.len() > 1 {
            json.push(b',');
        }
        value::quote(name, &mut json);
        json.push(b':');
        value::quote(argument, &mut json);
        rest = behind.trim_start();
    }
    json.push(b'}');
    Some(json)
}

/// The text before and behind the element of a call.
pub(crate) fn around_elements<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    parts(text, name).map(|[before, _, behind]| (before, behind))
}

/// The text before the element, within it and behind it. An argument may have the closing tag in
/// it, so the last one counts.
fn parts<'t>(text: &'t str, name: &str) -> Option<[&'t str; 3]> {
    let (before, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, behind) = rest.rsplit_once(&format!("</{name}>"))?;
    Some([before, inner, behind])
}

/// The first argument: its name, its value, and what is behind it. A value ends with the first
/// closing tag that another argument or nothing follows. It has no line breaks around it.
fn argument(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let close = format!("</{name}>");
    let mut ends = rest.match_indices(&close).map(|(at, _)| at);
    let ends_there = |at: &usize| {
        let behind = rest[at + close.len()..].trim_start();
        behind.is_empty()
            || behind.strip_prefix('<').is_some_and(|tag| {
                tag.split_once('>').is_some_and(|(name, _)| name.chars().all(is_name))
            })
    };
    let first = rest.find(&close)?;
    let end = ends.find(ends_there).unwrap_or(first);
    let value = &rest[..end];
    let value = value.strip_prefix("\r\n").or_else(|| value.strip_prefix('\n')).unwrap_or(value);
    let value = value.strip_suffix('\n').unwrap_or(value);
    Some((name, value.strip_suffix('\r').unwrap_or(value), &rest[end + close.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_ends_where_the_next_one_begins() {
        let text = "<path>src/tide.html</path>\n<content>\n<p>a</content> b</p>\n\n</content>\n";
        let (name, value, rest) = argument(text).unwrap();
        assert_eq!((name, value), ("path", "src/tide.html"));
        let (name, value, rest) = argument(rest.trim_start()).unwrap();
        assert_eq!((name, value, rest), ("content", "<p>a</content> b</p>\n", "\n"));
        assert_eq!(argument(rest.trim_start()), None);
        assert_eq!(argument("<two words>x</two words>"), None);
    }

    #[test]
    fn what_is_around_a_call_is_no_part_of_it() {
        let text = "I look.\n\n<read_file>\n<path>a</path>\n</read_file>";
        assert_eq!(around_elements(text, "read_file"), Some(("I look.\n\n", "")));
        assert_eq!(around_elements(text, "list_files"), None);
    }
}
