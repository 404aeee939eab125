//! The same as a picture: SVG without a script or anything that is loaded.

use std::fmt::Write as _;

use api::stats::Counted;

use super::year::Year;
use crate::human::count;
use crate::terminal::Plain;

/// Colours of the levels, the least first.
const LEVELS: [&str; 5] = ["#ebedf0", "#9be9a8", "#40c463", "#30a14e", "#216e39"];

/// Names that are shown of each kind.
const SHOWN: usize = 6;

/// The picture of these numbers.
pub(super) fn svg(
    headline: &[(String, &'static str)],
    lists: &[(&'static str, Vec<Counted>)],
    year: &Year,
) -> String {
    let mut body = String::new();
    let mut text = |x: usize, y: usize, class: &str, words: &str| {
        let words = escaped(words);
        let _ = writeln!(body, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{words}</text>");
    };
    for (at, (number, name)) in headline.iter().enumerate() {
        text(24 + 142 * at, 44, "number", number);
        text(24 + 142 * at, 62, "faint", name);
    }
    for (week, name) in year.months() {
        text(52 + 15 * week, 96, "faint", &name);
    }
    for (at, day) in [(0, "Mon"), (2, "Wed"), (4, "Fri"), (6, "Sun")] {
        text(24, 115 + 15 * at, "faint", day);
    }
    for (at, (title, names)) in lists.iter().enumerate() {
        let x = 24 + 214 * at;
        text(x, 244, "faint", title);
        for (row, one) in names.iter().take(SHOWN).enumerate() {
            text(x, 266 + 20 * row, "name", Plain::line(&one.name).cut(20).as_str());
            text(x + 190, 266 + 20 * row, "amount", &count(one.count));
        }
    }
    for (week, days) in year.weeks.iter().enumerate() {
        for (at, day) in days.iter().enumerate() {
            let Some((date, turns)) = day else { continue };
            let (x, y, fill) = (52 + 15 * week, 104 + 15 * at, LEVELS[year.level(*turns)]);
            let _ = writeln!(
                body,
                "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{fill}\">\
                 <title>{date}: {turns}</title></rect>"
            );
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"880\" height=\"400\" \
         viewBox=\"0 0 880 400\" role=\"img\" aria-label=\"History of coding agents\">\n\
         <style>text{{font:12px system-ui,sans-serif;fill:#1f2328}}text.number{{font-size:20px;\
         font-weight:600}}text.faint{{fill:#59636e}}text.amount{{text-anchor:end}}</style>\n\
         <rect width=\"880\" height=\"400\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// A text as XML has it. It has no control characters.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_markup() {
        let hostile = Counted { name: "<script>&\"\u{1b}[31m".into(), count: 3 };
        let year = Year::of(&Default::default(), "2026-11-27".parse().ok());
        let text = svg(&[("1".into(), "session")], &[("A", vec![hostile])], &year);
        assert!(!text.contains("<script") && !text.contains('\u{1b}'), "{text}");
        assert_eq!(text.matches("<rect").count(), 1 + 52 * 7 + 5);
    }
}
