//! The view of a session that `show` prints: the turns, the parts, and the facts of each turn.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use meaning::{facts, turn};
use operations::search::hit::{TalkSection, matches};
use operations::search::pattern::Pattern;
use session::Session;
use views::transcript::Item;

use crate::exit::Failure;
use crate::human::counted;
use crate::screen::Link;
use crate::zone::Zone;

/// A view of a session.
pub(crate) struct View {
    /// Everything, and nothing folded.
    pub all: bool,
    /// The changes of files by calls, as line diffs.
    pub diff: bool,
    /// The first turn and the last one; from the end, if they are negative.
    pub turns: Option<(i64, Option<i64>)>,
    /// Only these parts of the conversation.
    pub only: Vec<TalkSection>,
    /// Only items with a match.
    pub grep: Option<Pattern>,
    /// The zone of the times.
    pub zone: Zone,
    /// Whether the terminal draws links.
    pub links: bool,
}

impl Default for View {
    fn default() -> Self {
        Self {
            all: false,
            diff: false,
            turns: None,
            only: Vec::new(),
            grep: None,
            zone: Zone::utc(),
            links: false,
        }
    }
}

impl View {
    /// Whether it shows a selection of the items only.
    pub(crate) fn is_narrow(&self) -> bool {
        self.turns.is_some() || !self.only.is_empty() || self.grep.is_some()
    }

    /// The numbers of the turns that are shown, of a session with so many.
    pub(crate) fn range(&self, count: u64) -> RangeInclusive<u64> {
        let number = |turn: i64| match turn {
            ..0 => count.saturating_sub(turn.unsigned_abs() - 1),
            _ => turn.unsigned_abs(),
        };
        match self.turns {
            None => 0..=u64::MAX,
            Some((from, None)) => number(from)..=u64::MAX,
            Some((from, Some(to))) => number(from)..=number(to),
        }
    }

    /// Refuses turns that a session with so many does not have.
    pub(crate) fn check(&self, count: u64) -> Result<(), Failure> {
        let range = self.range(count);
        let none = *range.start() > count || range.is_empty();
        if none { Err(missing(count)) } else { Ok(()) }
    }

    /// Whether an item is of the parts that are shown, and matches.
    pub(crate) fn takes(&self, item: &Item<'_>) -> bool {
        item.is_of(&self.only) && self.grep.as_ref().is_none_or(|grep| matches(item, grep))
    }
}

/// The failure of turns that a session does not have.
pub(crate) fn missing(count: u64) -> Failure {
    Failure::Usage(
        format!("the session has no such turn: it has {}", counted(count, "turn", "turns")),
        "`show` numbers them; 0 is what is before the first prompt".into(),
    )
}

/// Reads turns: `7`, `7..9`, `-1`.
pub(crate) fn turns(text: &str) -> Result<(i64, Option<i64>), String> {
    let number = |text: &str| text.trim().parse::<i64>();
    let parsed = match text.split_once("..") {
        Some((from, "")) => number(from).map(|from| (from, None)),
        Some((from, to)) => number(from).and_then(|from| Ok((from, Some(number(to)?)))),
        None => number(text).map(|from| (from, None)),
    };
    parsed.map_err(|_| "it is a turn (`7`), turns (`7..9`), or from the end (`-1`)".to_owned())
}

/// Reads one turn or several: `7`, `7..9`, `-1`, `last`.
pub(crate) fn turn(text: &str) -> Result<(i64, Option<i64>), String> {
    match text {
        "last" => Ok((-1, Some(-1))),
        _ => turns(text).map(|(from, to)| match text.contains("..") {
            true => (from, to),
            false => (from, Some(from)),
        }),
    }
}

/// Facts of the session for the printing of its turns.
pub(crate) struct Turns {
    /// The number of prompts.
    pub count: u64,
    /// The session's folder.
    folder: Option<PathBuf>,
}

impl Turns {
    pub(crate) fn of(session: &Session) -> Self {
        let count = turn::number_of_turns(session);
        let folder = facts::folder(session).map(|folder| PathBuf::from(&*folder));
        Self { count: count as u64, folder }
    }

    /// The link to a file that a call is about, if there is one.
    pub(crate) fn link(&self, target: &str) -> Option<Link> {
        let path = match &self.folder {
            Some(folder) => folder.join(target),
            None => PathBuf::from(target),
        };
        // A command is no path, even if a part of it is one.
        let is_path = target.contains(['/', '.']) && !target.contains(['\n', '\0']);
        if is_path && path.is_file() { Link::file(&path) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_count_from_either_end() {
        assert_eq!(turns("7"), Ok((7, None)));
        assert_eq!(turns("7..9"), Ok((7, Some(9))));
        assert_eq!(turns("-2.."), Ok((-2, None)));
        assert_eq!((turn("7"), turn("last")), (Ok((7, Some(7))), Ok((-1, Some(-1)))));
        assert_eq!((turn("-2.."), turn("2..3")), (Ok((-2, None)), Ok((2, Some(3)))));
        assert!(turns("x").is_err() && turns("1..x").is_err());
        let range = |text| View { turns: turns(text).ok(), ..View::default() }.range(12);
        assert_eq!(range("-1"), 12..=u64::MAX);
        assert_eq!(range("3..-2"), 3..=11);
        assert_eq!(range("-99"), 0..=u64::MAX);
        assert_eq!(View::default().range(12), 0..=u64::MAX);
    }
}
