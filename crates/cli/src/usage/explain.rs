//! Every number of the sums, with its price and its place in the files.

use std::path::Path;

use meaning::usage::Part;
use operations::usage::{Counted, Spent};

use crate::exit::Failure;
use crate::human;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// Prints each number with its price, its place and whether it counts.
pub(super) fn print<'u>(
    numbers: impl Iterator<Item = Spent<'u>>,
    home: Option<&Path>,
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    let mut rows = vec![
        ["TOTAL", "INPUT", "OUTPUT", "LIST PRICE", "AT", "COUNTS"]
            .map(|name| Line::new().say(Style::Faint, name))
            .to_vec(),
    ];
    for spent in numbers {
        let file = |path: &Path| human::folder(&path.to_string_lossy(), home);
        let at = format!("{}:{} (byte {})", file(spent.path).as_str(), spent.line, spent.byte);
        let why = match spent.counted {
            Counted::Repeats(path, line) if path == spent.path => {
                format!("no: repeats line {line}")
            }
            Counted::Repeats(path, line) => {
                format!("no: repeats {}:{line}", file(path).as_str())
            }
            Counted::Yes => yes(spent.part).to_owned(),
            other => other.to_string(),
        };
        let number = |number: Option<u64>| number.map(human::count).unwrap_or_default();
        let terms = match spent.terms.is_usual() {
            true => String::new(),
            false => format!(", {}", Plain::line(&spent.terms.to_string()).as_str()),
        };
        let price = spent.listed.map(|(money, name)| format!("${} ({name}{terms})", money.exact()));
        let style = if spent.counted == Counted::Yes { Style::Good } else { Style::Faint };
        rows.push(vec![
            Line::new().tell(Style::Normal, &human::count(spent.tokens.total())),
            Line::new().tell(Style::Normal, &number(spent.tokens.input)),
            Line::new().tell(Style::Normal, &number(spent.tokens.output)),
            Line::new().tell(Style::Normal, price.as_deref().unwrap_or("-")),
            Line::new().put(Style::Normal, Plain::line(&at)),
            Line::new().put(style, Plain::line(&why)),
        ]);
    }
    screen.table(&rows, &[0, 1, 2, 3])?;
    Ok(())
}

const fn yes(part: Part) -> &'static str {
    match part {
        Part::Main => "yes",
        Part::Copied => "yes: copied from a session that is not here",
        Part::SubAgent => "yes: a sub-agent's",
        Part::Advisor => "yes: an advisor's",
        Part::Whole => "yes: the session's sum; it lists no answers",
    }
}
