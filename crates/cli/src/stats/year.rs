//! The days of a year as a map of weeks.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::exit::Failure;
use crate::screen::{Line, Screen, Style};

/// Weeks of a year, with the parts of weeks at both of its ends.
const WEEKS: usize = 53;

/// The signs of the levels, the least first.
const SIGNS: [&str; 5] = ["·", "░", "▒", "▓", "█"];

/// A week from Monday on; `None` for a day after the last one.
type Week = [Option<(Date, u64)>; 7];

/// The turns of each day of a year.
pub(super) struct Year {
    /// The weeks.
    pub(super) weeks: Vec<Week>,
    /// All turns.
    pub(super) turns: u64,
    /// The days with a turn.
    pub(super) active: u64,
    /// The turns of the liveliest day.
    most: u64,
}

impl Year {
    /// The year up to this day.
    pub(super) fn of(days: &BTreeMap<String, u64>, last: Option<Date>) -> Self {
        let mut year = Self { weeks: Vec::new(), turns: 0, active: 0, most: 0 };
        let Some(last) = last else { return year };
        let back = 7 * (WEEKS as i64 - 1) + i64::from(last.weekday().to_monday_zero_offset());
        let day = |at: i64| last.checked_sub(jiff::Span::new().days(back - at)).ok();
        for week in 0..WEEKS as i64 {
            let of = |at: usize| {
                let date = day(7 * week + at as i64).filter(|date| *date <= last)?;
                Some((date, days.get(&date.to_string()).copied().unwrap_or(0)))
            };
            year.weeks.push(std::array::from_fn(of));
        }
        for (_, turns) in year.weeks.iter().flatten().flatten() {
            year.turns += turns;
            year.active += u64::from(*turns > 0);
            year.most = year.most.max(*turns);
        }
        year
    }

    /// The level of a number of turns: 0 for none, 4 for the most.
    pub(super) fn level(&self, turns: u64) -> usize {
        (u128::from(turns) * 4).div_ceil(u128::from(self.most.max(1))).min(4) as usize
    }

    /// The names of months, each with the week in which it begins.
    pub(super) fn months(&self) -> Vec<(usize, String)> {
        let first =
            |week: &Week| week.iter().flatten().map(|(date, _)| *date).find(|date| date.day() == 1);
        let weeks = self.weeks.iter().enumerate();
        weeks.filter_map(|(at, week)| Some((at, first(week)?.strftime("%b").to_string()))).collect()
    }
}

/// Prints the map, as many of the last weeks as there is room for.
pub(super) fn print(year: &Year, width: usize, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let shown = year.weeks.len().min(width.saturating_sub(6));
    let from = year.weeks.len() - shown;
    let mut names = vec![' '; shown];
    let mut free = 0;
    for (week, name) in year.months().into_iter().filter(|(week, _)| *week >= from) {
        let at = week - from;
        if at >= free && at + name.len() <= shown {
            names.splice(at..at + name.len(), name.chars());
            free = at + name.len() + 1;
        }
    }
    let names: String = names.into_iter().collect();
    screen.line(&Line::new().tell(Style::Faint, &format!("     {}", names.trim_end())))?;
    for (at, day) in ["Mon", "", "Wed", "", "Fri", "", "Sun"].into_iter().enumerate() {
        let mut line = Line::new().tell(Style::Faint, &format!("{day:4} "));
        for week in &year.weeks[from..] {
            line = match week[at] {
                None => line,
                Some((_, 0)) => line.say(Style::Faint, SIGNS[0]),
                Some((_, turns)) => line.say(Style::Good, SIGNS[year.level(turns)]),
            };
        }
        screen.line(&line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_ends_with_its_last_day_and_has_whole_weeks() {
        let days = [("2026-11-27", 4), ("2026-11-23", 1), ("2025-11-24", 2), ("2025-11-23", 9)];
        let days = days.map(|(day, turns)| (day.to_owned(), turns)).into();
        let last: Date = "2026-11-27".parse().unwrap();
        let year = Year::of(&days, Some(last));
        assert_eq!((year.weeks.len(), year.turns, year.active), (53, 7, 3));
        let end = year.weeks[52];
        assert_eq!(end[4], Some((last, 4)));
        assert!(end[5].is_none() && end[6].is_none());
        assert_eq!(year.weeks[0][0].unwrap().0.to_string(), "2025-11-24");
        assert_eq!([0, 1, 2, 3, 4].map(|turns| year.level(turns)), [0, 1, 2, 3, 4]);
        assert!(year.months().iter().any(|(_, name)| name == "Mar"));
    }
}
