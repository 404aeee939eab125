//! The heading of a turn: the first line of its prompt, its facts, and the ways to its neighbours.

use maud::{Markup, html as make};

use super::bare::is_without;
use super::named::first;
use super::parsed::words;
use super::safe::Words;
use super::summed::turn_in_words;
use crate::human;
use crate::transcript::TurnSum;

/// The heading of a turn: the line of its prompt that is only there, else its first words; its
/// facts, and the ways to its neighbours.
pub(super) fn heading(facts: &TurnSum, line: Option<&str>, less: bool, more: bool) -> Markup {
    let number = facts.turn;
    let said = turn_in_words(facts);
    make! {
        h2 {
            a href={ "#turn-" (number) } { (number) } " "
            @match line {
                Some(line) => (Words(line)),
                None => (Words(&named(facts))),
            }
        }
        p class="when" {
            @if let Some((from, _)) = facts.time {
                time datetime=(from.rfc3339()) { (human::moment(from)) }
                @if !said.is_empty() { " \u{b7} " }
            }
            (Words(&said))
            span class="ways" {
                @if less {
                    a href={ "#turn-" (number - 1) } aria-label="Turn before" { "\u{2191}" }
                }
                @if more {
                    " " a href={ "#turn-" (number + 1) } aria-label="Next turn" { "\u{2193}" }
                }
            }
        }
    }
}

/// The first line of a prompt and the rest, if a heading can show the line as it is: it is short,
/// and nothing in it is typeset.
pub(super) fn split(prompt: &str) -> Option<(&str, &str)> {
    let prompt = prompt.trim();
    let (line, rest) = prompt.split_once('\n').unwrap_or((prompt, ""));
    let line = line.trim();
    let is_plain = !line.is_empty() && line.len() <= HEADING && words(line) == line;
    // The next line may continue a paragraph, or make the first one a heading.
    let ends = rest.is_empty() || rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    (is_plain && ends && is_without(line)).then(|| (line, rest.trim_start_matches('\n')))
}

/// The longest line of a heading, in bytes.
const HEADING: usize = 240;

/// The first words of a turn; never empty.
#[must_use]
pub fn named(facts: &TurnSum) -> String {
    let words = first(&words(&facts.prompt));
    match (words.is_empty(), facts.pictures) {
        (false, _) => words,
        (true, 1..) => "\u{25a3} picture".to_owned(),
        (true, 0) => "(no text)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_heading_has_a_first_line_that_is_plain() {
        assert_eq!(split("Count the hens"), Some(("Count the hens", "")));
        assert_eq!(
            split(" Count\n\nFirst the old ones.\n"),
            Some(("Count", "First the old ones."))
        );
        let long = "hens ".repeat(60);
        for prompt in
            ["Count\n=====", "a\nb", "# Hens", "`hens` here", "see https://h.example/", &long, " "]
        {
            assert_eq!(split(prompt), None, "{prompt}");
        }
    }
}
