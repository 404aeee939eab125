//! The rows of the picker: a session each, by day, or by how well they match what was typed.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use catalog::Entry;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};
use operations::filter::Filter;
use session::Sorting as _;
use session::UtcTime;

use super::marks::Marks;
use crate::terminal::Plain;
use crate::title::title;
use crate::zone::Zone;

/// A session of the list.
pub(super) struct Row {
    pub uid: String,
    /// Its entry in the list.
    pub entry: Entry,
    /// Its title, safe for a terminal, and whether an agent or a person gave it.
    pub title: String,
    pub is_named: bool,
    /// The last part of its folder's path.
    pub project: String,
    /// The uid of the session that it was forked from, or whose sub-agent it is.
    parent: Option<String>,
    /// The text whose letters may match with others between them: the title comes first.
    text: Utf32String,
    /// The text that has to contain each word whole: the folder, the prompt, the id.
    whole: Utf32String,
}

impl Row {
    /// The uid of an entry.
    pub(super) fn uid_of(entry: &Entry) -> String {
        format!("{}:{}", entry.format, entry.id)
    }

    fn of(entry: Entry) -> Self {
        let (title, derived) = title(&entry);
        let title = Plain::line(title.strip_prefix("› ").unwrap_or(&title)).as_str().to_owned();
        let folder = entry.folder.as_deref().unwrap_or_default();
        let project = folder.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next();
        let project = Plain::line(project.unwrap_or_default()).as_str().to_owned();
        let prompt = entry.prompt.as_deref().unwrap_or_default();
        let text = format!("{title} {project} {}", entry.format);
        let whole = format!("{text} {folder} {} {prompt}", entry.id);
        let uid = Self::uid_of(&entry);
        let parent = entry.spawned_by.as_ref().or(entry.forked_from.as_ref());
        let parent = parent.map(|id| format!("{}:{id}", entry.format));
        let [text, whole] = [text, whole].map(|text| Utf32String::from(text.as_str()));
        Self { uid, title, is_named: !derived, project, parent, text, whole, entry }
    }
}

/// The order of the rows while nothing is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Updated,
    Started,
    Size,
    Project,
}

impl Sort {
    pub(super) const fn next(self) -> Self {
        match self {
            Self::Updated => Self::Started,
            Self::Started => Self::Size,
            Self::Size => Self::Project,
            Self::Project => Self::Updated,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Updated => "newest first",
            Self::Started => "last begun first",
            Self::Size => "largest first",
            Self::Project => "by project",
        }
    }
}

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The heading of a group.
    Group(String),
    /// A row, with the number of hits of a search of texts, and its place in a family.
    Row { row: usize, hits: Option<usize>, family: Family },
}

/// The place of a row among the session that it belongs to, its forks and sub-agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// It has none that are listed.
    Alone,
    /// This many others are folded under it.
    Folded(usize),
    /// The others follow it.
    Open,
    /// It is one of the others.
    Member,
}

/// The choice of what the list shows.
pub(super) struct Wanted<'w> {
    /// The words that were typed.
    pub typed: &'w str,
    /// The sessions that a search of texts found.
    pub found: Option<&'w HashMap<String, usize>>,
    /// The sessions of the folder.
    pub scope: Option<&'w Filter>,
    pub sort: Sort,
    pub marks: &'w Marks,
    /// Whether hidden sessions are shown.
    pub with_hidden: bool,
    /// The sessions whose forks and sub-agents are shown.
    pub unfolded: &'w HashSet<String>,
    pub now: UtcTime,
    pub zone: &'w Zone,
}

/// The rows of all sessions.
#[derive(Default)]
pub(super) struct Rows {
    pub all: Vec<Row>,
    /// Sessions without a word, which are not listed.
    pub empty: usize,
}

impl Rows {
    /// The rows of a list.
    pub(super) fn of(entries: Vec<Entry>) -> Self {
        let (mut all, mut empty) = (Vec::with_capacity(entries.len()), 0);
        for entry in entries {
            let row = Row::of(entry);
            match row.title.trim().is_empty() {
                true => empty += 1,
                false => all.push(row),
            }
        }
        Self { all, empty }
    }

    /// Puts sessions that are new or have grown in the places of those that were there, the newest
    /// first.
    pub(super) fn merge(&mut self, entries: Vec<Entry>) {
        let changed: HashSet<String> = entries.iter().map(Row::uid_of).collect();
        self.all.retain(|row| !changed.contains(&row.uid));
        let added = Self::of(entries);
        self.all.extend(added.all);
        self.all.in_order_by_key(|row| Reverse(row.entry.updated));
    }

    /// The lines of the list.
    pub(super) fn items(&self, wanted: &Wanted<'_>, matcher: &mut Matcher) -> Vec<Item> {
        let is_wanted = |row: &&Row| {
            wanted.scope.is_none_or(|scope| scope.takes(&row.entry))
                && (wanted.with_hidden || !wanted.marks.hidden.contains(&row.uid))
                && wanted.found.is_none_or(|found| found.contains_key(&row.uid))
        };
        let rows = self.all.iter().enumerate().filter(|(_, row)| is_wanted(row));
        match wanted.typed.trim().is_empty() {
            true => grouped(rows.collect(), wanted),
            false => matched(rows, wanted, matcher),
        }
    }
}

/// The rows that match what was typed, the best first.
fn matched<'r>(
    rows: impl Iterator<Item = (usize, &'r Row)>,
    wanted: &Wanted<'_>,
    matcher: &mut Matcher,
) -> Vec<Item> {
    let (case, letters) = (CaseMatching::Smart, Normalization::Smart);
    let fuzzy = Pattern::parse(wanted.typed, case, letters);
    let whole = Pattern::new(wanted.typed, case, letters, AtomKind::Substring);
    // Every title that matches comes before every prompt that does.
    let score = |row: &Row, matcher: &mut Matcher| {
        let title = fuzzy.score(row.text.slice(..), matcher).map(|score| score + u32::MAX / 2);
        title.or_else(|| whole.score(row.whole.slice(..), matcher))
    };
    let mut scored: Vec<(u32, usize)> =
        rows.filter_map(|(at, row)| Some((score(row, matcher)?, at))).collect();
    // Of equal ones the newest comes first, as in the list.
    scored.in_order_by_key(|(score, at)| (Reverse(*score), *at));
    let item = |(_, row)| Item::Row { row, hits: None, family: Family::Alone };
    scored.into_iter().map(item).collect()
}

/// The places of the characters of a title that match what was typed.
pub(super) fn places(row: &Row, typed: &str, matcher: &mut Matcher) -> Vec<u32> {
    let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
    let mut places = Vec::new();
    pattern.indices(row.text.slice(..), matcher, &mut places);
    let title = row.title.chars().count() as u32;
    places.retain(|place| *place < title);
    places.in_order();
    places
}

/// The first session of the family of each of these rows, as far as it is among them: forks and
/// sub-agents belong to the session that they came from.
fn families<'r>(rows: &[(usize, &'r Row)]) -> HashMap<&'r str, &'r str> {
    let by_uid: HashMap<&str, &Row> = rows.iter().map(|(_, row)| (&*row.uid, *row)).collect();
    let first = |row: &'r Row| {
        let mut seen = HashSet::from([&*row.uid]);
        let mut at = row;
        while let Some(parent) = at.parent.as_deref().and_then(|uid| by_uid.get(uid)) {
            // Files may name each other in a circle.
            if !seen.insert(&*parent.uid) {
                return None;
            }
            at = parent;
        }
        (at.uid != row.uid).then_some((&*row.uid, &*at.uid))
    };
    rows.iter().filter_map(|(_, row)| first(row)).collect()
}

/// The first row of a family, in the place of the member that comes first.
struct Lead<'r> {
    at: usize,
    row: &'r Row,
    /// The member by which the family has its place.
    by: &'r Row,
}

/// The first rows of the families, each in the place of its first member: new work in a
/// fork of an old session is not hidden far below.
fn in_families<'r>(rows: Vec<(usize, &'r Row)>, families: &HashMap<&str, &str>) -> Vec<Lead<'r>> {
    let by_uid: HashMap<&str, (usize, &'r Row)> =
        rows.iter().map(|(at, row)| (&*row.uid, (*at, *row))).collect();
    let mut seen = HashSet::new();
    let lead = |(at, by): &(usize, &'r Row)| {
        let (at, row) = match families.get(&*by.uid) {
            Some(first) => *by_uid.get(first)?,
            None => (*at, *by),
        };
        seen.insert(at).then_some(Lead { at, row, by })
    };
    rows.iter().filter_map(lead).collect()
}

/// The rows in their order, by groups.
fn grouped(mut rows: Vec<(usize, &Row)>, wanted: &Wanted<'_>) -> Vec<Item> {
    match wanted.sort {
        Sort::Updated => {}
        Sort::Started => rows.in_order_by_key(|(_, row)| Reverse(row.entry.started)),
        Sort::Size => rows.in_order_by_key(|(_, row)| Reverse(row.entry.length)),
        Sort::Project => rows.in_order_by(|(_, a), (_, b)| a.entry.folder.cmp(&b.entry.folder)),
    }
    // Each session that a search found is a row of its own.
    let families = if wanted.found.is_some() { HashMap::new() } else { families(&rows) };
    let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, row) in &rows {
        if let Some(first) = families.get(&*row.uid) {
            members.entry(first).or_default().push(*at);
        }
    }
    let is_pinned = |row: &Row| wanted.marks.pinned.contains(&row.uid);
    let (pinned, others): (Vec<_>, Vec<_>) =
        in_families(rows, &families).into_iter().partition(|lead| is_pinned(lead.row));
    let mut items = Vec::new();
    let mut group = String::new();
    for Lead { at, row, by } in pinned.into_iter().chain(others) {
        let own = match (is_pinned(row), wanted.sort) {
            (true, _) => "PINNED".to_owned(),
            (_, Sort::Updated) => wanted.zone.group(by.entry.updated, wanted.now),
            (_, Sort::Started) => wanted.zone.group(by.entry.started, wanted.now),
            (_, Sort::Project) => row.project.clone(),
            (_, Sort::Size) => String::new(),
        };
        if own != group {
            if !own.is_empty() {
                items.push(Item::Group(own.clone()));
            }
            group = own;
        }
        let hits = wanted.found.and_then(|found| found.get(&row.uid).copied());
        let members = members.remove(&*row.uid).unwrap_or_default();
        let is_open = wanted.unfolded.contains(&row.uid);
        let family = match members.len() {
            0 => Family::Alone,
            _ if is_open => Family::Open,
            count => Family::Folded(count),
        };
        items.push(Item::Row { row: at, hits, family });
        let shown = members.into_iter().filter(|_| is_open);
        items.extend(shown.map(|row| Item::Row { row, hits: None, family: Family::Member }));
    }
    items
}

/// A matcher of what was typed.
pub(super) fn matcher() -> Matcher {
    Matcher::new(Config::DEFAULT)
}
