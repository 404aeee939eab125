//! Sums as bars.

use operations::usage::money::Money;
use operations::usage::{By, Sum};

use crate::exit::Failure;
use crate::human;
use crate::screen::{Line, Screen, Style};

/// Width of a chart that goes into a pipe, in columns.
const PIPE: usize = 80;

/// Number of spans that are shown by default.
const SHOWN: usize = 31;

/// Eighths of a column.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Prints a bar for each span of time, by its cost at list prices, or by its tokens if no span has
/// a price.
pub(super) fn print(
    groups: &[(String, Sum)],
    by: By,
    most: Option<usize>,
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    let mut spans: Vec<(String, Option<&Sum>)> = match by {
        By::Day => days(groups),
        _ => groups.iter().map(|(name, sum)| (name.clone(), Some(sum))).collect(),
    };
    let hidden = spans.len().saturating_sub(most.unwrap_or(SHOWN));
    spans.drain(..hidden);
    let priced = spans.iter().any(|(_, sum)| sum.is_some_and(|sum| sum.listed.is_some()));
    let amount = |sum: &Sum| match priced {
        true => sum.listed.unwrap_or_default().0.max(0).unsigned_abs(),
        false => sum.tokens.total().into(),
    };
    let top = spans.iter().filter_map(|(_, sum)| sum.map(amount)).max().unwrap_or(0).max(1);
    let labels: Vec<String> = spans.iter().map(|(_, sum)| label(*sum, priced)).collect();
    let names = spans.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let room = screen.width.unwrap_or(PIPE).saturating_sub(names + longest + 4).max(8);
    for ((name, sum), label) in spans.iter().zip(&labels) {
        let eighths = sum.map_or(0, amount).saturating_mul(8 * room as u128).div_ceil(top);
        let eighths = usize::try_from(eighths).unwrap_or(0);
        let bar = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
        let line = Line::new()
            .tell(Style::Name, &format!("{name:names$}"))
            .tell(Style::Normal, &format!("  {label:>longest$}  "))
            .tell(Style::Good, &bar);
        screen.line(&line)?;
    }
    if hidden > 0 {
        let text = format!("{hidden} earlier: `-n {}` shows them", hidden + spans.len());
        screen.line(&Line::new().tell(Style::Faint, &text))?;
    }
    Ok(())
}

/// The amount in words.
fn label(sum: Option<&Sum>, priced: bool) -> String {
    match sum {
        None => String::new(),
        Some(sum) if priced => {
            let more = if sum.without_listed > 0 { " + ?" } else { "" };
            format!("{}{more}", sum.listed.unwrap_or(Money(0)))
        }
        Some(sum) => human::count(sum.tokens.total()),
    }
}

/// The groups of days, with the days between them on which nothing was spent.
fn days(groups: &[(String, Sum)]) -> Vec<(String, Option<&Sum>)> {
    let mut all: Vec<(String, Option<&Sum>)> = Vec::new();
    for (name, sum) in groups {
        while let Some(next) = all.last().and_then(|(last, _)| after(last)) {
            if next >= *name || all.len() > 4000 {
                break;
            }
            all.push((next, None));
        }
        all.push((name.clone(), Some(sum)));
    }
    all
}

/// The day after one.
fn after(day: &str) -> Option<String> {
    let noon = session::UtcTime::of_text(&format!("{day}T12:00:00Z"))?;
    let next = session::UtcTime(noon.0 + 24 * 3600 * 1_000_000).millis();
    next.get(..10).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_without_usage_is_in_its_place() {
        assert_eq!(after("2024-02-28").as_deref(), Some("2024-02-29"));
        assert_eq!(after("2025-12-31").as_deref(), Some("2026-01-01"));
        assert_eq!(after("unknown"), None);
        let group = |day: &str| (day.to_owned(), Sum::default());
        let groups = [group("2026-02-27"), group("2026-03-02"), group("unknown")];
        let all = days(&groups);
        let names: Vec<&str> = all.iter().map(|(day, _)| &**day).collect();
        let wanted = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"];
        assert_eq!(names[..4], wanted);
        assert_eq!(all.iter().filter(|(_, sum)| sum.is_some()).count(), 3);
    }
}
