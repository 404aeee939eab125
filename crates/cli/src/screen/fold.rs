//! Lines that are wider than the terminal, folded between words. A command is folded as a shell
//! continues it: behind a backslash, and never within quotes.

use std::ops::Range;

use crate::terminal::columns;

/// The ranges of a text that fit into lines of `width` columns, of which all but the first begin
/// behind `indent` columns.
pub(super) fn ranges(
    text: &str,
    (width, indent): (usize, usize),
    is_command: bool,
) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::new(), 0);
    let later = width.saturating_sub(indent).max(8);
    while from < text.len() {
        let room = if found.is_empty() { width.max(8) } else { later };
        let (end, next) = match is_command {
            true => command(&text[from..], room),
            false => words(&text[from..], room, later),
        };
        found.push(from..from + end);
        from += next;
    }
    found
}

/// The columns in front of a line that its continuations have too: spaces and the marks of a
/// margin.
pub(super) fn margin(text: &str) -> &str {
    let rest = text.trim_start_matches([' ', '│', '▌', '┃']);
    &text[..text.len() - rest.len()]
}

/// The end of the first line, and the beginning of the next one. A word that no line has room for
/// is folded behind a `/`.
fn words(text: &str, room: usize, later: usize) -> (usize, usize) {
    let (mut used, mut space, mut slash) = (0, None, None);
    let mut is_begun = false;
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > room && is_begun {
            let here = if c == ' ' { Some(at) } else { space };
            let is_long = here.is_some_and(|space| width_to_space(&text[space..], later) > later);
            return match (here, slash) {
                (Some(space), slash) if !is_long || slash.is_none() => behind(text, space),
                (_, Some(slash)) => (slash, slash),
                (None, None) | (Some(_), None) => (at, at),
            };
        }
        match c {
            ' ' if is_begun => (space, slash) = (Some(at), None),
            '/' if is_begun => slash = Some(at + 1),
            _ => {}
        }
        is_begun |= c != ' ' && columns(c) > 0;
    }
    (text.len(), text.len())
}

/// The width of the word behind the spaces at the beginning, counted up to `most`.
fn width_to_space(text: &str, most: usize) -> usize {
    let word = text.trim_start_matches(' ').chars().take_while(|c| *c != ' ');
    let mut used = 0;
    for c in word {
        used += columns(c);
        if used > most {
            break;
        }
    }
    used
}

/// The same for a command, with room for the backslash.
fn command(text: &str, room: usize) -> (usize, usize) {
    let (mut used, mut space, mut is_quoted, mut is_begun) = (0, None, false, false);
    for (at, c) in text.char_indices() {
        used += columns(c);
        is_quoted ^= c == '\'';
        // A backslash behind this space still fits.
        if c == ' ' && !is_quoted && is_begun && used < room {
            space = Some(at);
        }
        if used > room.saturating_sub(2)
            && let Some(space) = space
            && used + width_to_end(&text[at + c.len_utf8()..], room) > room
        {
            return behind(text, space);
        }
        if c == ' ' && !is_quoted && is_begun {
            space = Some(at);
        }
        is_begun |= c != ' ';
    }
    (text.len(), text.len())
}

/// The width of a text, counted up to `most`.
fn width_to_end(text: &str, most: usize) -> usize {
    let mut used = 0;
    for c in text.chars() {
        used += columns(c);
        if used > most {
            break;
        }
    }
    used
}

/// A line that ends at a space, and the next one behind the spaces.
fn behind(text: &str, space: usize) -> (usize, usize) {
    let end = text[..space].trim_end_matches(' ').len();
    (end, text.len() - text[space..].trim_start_matches(' ').len())
}

#[cfg(test)]
mod tests {
    use super::ranges;

    fn folded(text: &str, width: usize, is_command: bool) -> Vec<&str> {
        ranges(text, (width, 2), is_command).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_line_is_folded_between_words() {
        assert_eq!(folded("one two three", 13, false), ["one two three"]);
        assert_eq!(folded("one two three", 12, false), ["one two", "three"]);
        assert_eq!(folded("  one two three", 9, false), ["  one two", "three"]);
        assert_eq!(folded("one  two", 8, false), ["one  two"]);
        assert_eq!(folded("漢字漢字漢字", 9, false), ["漢字漢字", "漢字"]);
        assert_eq!(folded("", 9, false), [""; 0]);
    }

    /// Only a word that no line has room for is folded: a path behind a `/`, another at the end.
    #[test]
    fn a_long_word_is_folded_where_it_must() {
        let path = "read /a/folder/of/files";
        assert_eq!(folded(path, 20, false), ["read", "/a/folder/of/files"]);
        assert_eq!(folded(path, 14, false), ["read /a/", "folder/of/", "files"]);
        assert_eq!(folded("abcdefghijkl", 8, false), ["abcdefgh", "ijkl"]);
    }

    #[test]
    fn a_command_is_folded_between_its_words() {
        let command = "  verbatim show 5f1e -C 'my own folder' --from 1";
        assert_eq!(folded(command, 48, true), [command]);
        let parts = ["  verbatim show 5f1e -C", "'my own folder'", "--from 1"];
        assert_eq!(folded(command, 25, true), parts);
        assert_eq!(folded("'abc def ghi jkl mno'", 8, true), ["'abc def ghi jkl mno'"]);
    }

    /// The text of each range, and white space between them: nothing is lost, and it is linear.
    #[test]
    fn nothing_is_lost() {
        let text = format!("{} {}", "/long".repeat(20_000), "word ".repeat(20_000));
        for is_command in [false, true] {
            let all: String = folded(&text, 20, is_command).concat();
            assert_eq!(all.replace(' ', ""), text.replace(' ', ""));
        }
    }
}
