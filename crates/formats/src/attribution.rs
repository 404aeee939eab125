//! Attribution: the lines of files that a session wrote, and their models. The format reports the
//! changes; they are replayed, with normalized paths and contributors. No file is opened: the
//! result holds for the files as the session left them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use meaning::facts;
use replay::{Change, Replay, UnclearChange};
use session::Sorting as _;
use session::{EventIx, EventRef, NO_EVENT, Session, Slot, Stream};

use crate::digest::digest;
use crate::documents::shared::facts::{Fact, Facts};
use crate::documents::shared::provider;
use crate::registry::agent;
use crate::tools;

mod path;
#[cfg(test)]
mod tests;
mod unknown;

/// The lines that a session left in files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// The folder that paths are relative to: the session's first working directory.
    pub folder: Option<String>,
    /// The files, sorted by path, without those of which no line is left.
    pub files: Vec<AttributedFile>,
    /// Changes whose lines can't be derived, in source order; paths as in `files`.
    pub unknown: Vec<UnclearChange>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributedFile {
    /// Its path with `/` between its parts: relative to [`Attribution::folder`] if it is in there,
    /// else absolute.
    pub path: String,
    /// The lines that the session left, from the first to the last.
    pub ranges: Vec<AttributedRange>,
}

/// Lines that one event wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributedRange {
    /// The first line, from 1.
    pub start: usize,
    /// The last line, inclusive.
    pub end: usize,
    /// SHA-256 of their text in hexadecimal: the lines joined by line feeds, without a trailing
    /// one.
    pub hash: String,
    /// The event that wrote them: a tool's call.
    pub event: EventIx,
    /// The model that called the tool; `None` if unknown.
    pub model: Option<String>,
    /// Its provider, as the agent wrote it, else by the model's name; `None` if unknown.
    pub provider: Option<String>,
}

/// The attribution of a session. It is empty for an agent whose calls name no files.
#[must_use]
pub fn attribution(session: &Session) -> Attribution {
    with(session, &Facts::of(session))
}

/// The changes of a session, with what holds at each of them.
struct Located<'s> {
    /// The first working directory, as the session has it, and in normal form.
    folder: Option<String>,
    root: Option<String>,
    /// The changes in source order, with normal paths.
    changes: Vec<(EventIx, String, Change)>,
    settings: HashMap<EventIx, Setting<'s>>,
}

fn located<'s>(session: &'s Session, facts: &Facts<'_>) -> Located<'s> {
    let written = facts.get(Fact::WorkingDir).map(str::to_owned);
    let folder = written.as_deref().map(|folder| path::absolute(folder, None));
    let format = agent(session.format);
    let changes = format.and_then(|format| format.data().changes).map(|of| of(session, &|_| true));
    // The tools of a format that derives no changes are as good as unknown.
    let known =
        format.filter(|_| changes.is_some()).map_or(&tools::NONE, |format| format.data().tools);
    let changes = changes.unwrap_or_default();
    let changes = unknown::with(session, known, changes);
    let settings = settings(session, changes.iter().map(|(event, ..)| *event));
    let changes = changes.into_iter().map(|(event, path, change)| {
        let from = settings.get(&event).and_then(|setting| setting.folder.as_deref());
        let from = from.or(folder.as_deref());
        let name = |path: &str| path::absolute(path, from);
        let change = match change {
            Change::Move { to } => Change::Move { to: name(&to) },
            change => change,
        };
        (event, name(&path), change)
    });
    let changes = changes.collect();
    Located { folder: written, root: folder, changes, settings }
}

/// The attribution of a session whose facts are known.
pub(crate) fn with(session: &Session, facts: &Facts<'_>) -> Attribution {
    let Located { folder: written, root: folder, changes, settings } = located(session, facts);
    let mut replay = Replay::default();
    for (event, path, change) in changes {
        replay.change(event, &path, change);
    }
    let left = replay.finish();
    let shown = |path: &str| path::relative(path, folder.as_deref()).to_owned();
    let range = |range: replay::WrittenRange| {
        let (model, provider) = contributor(settings.get(&range.event), facts);
        AttributedRange {
            start: range.start,
            end: range.end,
            hash: digest(range.text.as_bytes()),
            event: range.event,
            model: model.map(str::to_owned),
            provider: provider.map(str::to_owned),
        }
    };
    let files = left.files.into_iter().map(|(path, ranges)| AttributedFile {
        path: shown(&path),
        ranges: ranges.into_iter().map(range).collect(),
    });
    let mut files: Vec<AttributedFile> = files.collect();
    files.in_order_by(|a, b| a.path.cmp(&b.path));
    let unknown = left.unknown.into_iter();
    let unknown = unknown.map(|unknown| UnclearChange { path: shown(&unknown.path), ..unknown });
    Attribution { unknown: unknown.collect(), folder: written, files }
}

/// A change of a file, with the model that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The event that made it: a tool's call.
    pub event: EventIx,
    /// The file, with `/` between the parts of its path, absolute if the session says so much.
    pub path: String,
    /// The change.
    pub change: Change,
    /// The model that called the tool; `None` if unknown.
    pub model: Option<String>,
    /// Its provider; `None` if unknown.
    pub provider: Option<String>,
}

/// The changes that a session made to the files that `takes` takes by their normal paths, in source
/// order. A move is taken by either of its paths.
pub fn changes(session: &Session, takes: &dyn Fn(&str) -> bool) -> Vec<FileChange> {
    let facts = Facts::of(session);
    let Located { changes, settings, .. } = located(session, &facts);
    let is_taken = |(_, path, change): &(EventIx, String, Change)| {
        takes(path) || matches!(change, Change::Move { to } if takes(to))
    };
    let taken = changes.into_iter().filter(is_taken).map(|(event, path, change)| {
        let (model, provider) = contributor(settings.get(&event), &facts);
        let (model, provider) = (model.map(str::to_owned), provider.map(str::to_owned));
        FileChange { event, path, change, model, provider }
    });
    taken.collect()
}

/// A path in the normal form of [`FileChange::path`].
#[must_use]
pub fn normal_path(path: &str) -> String {
    path::absolute(path, None)
}

/// The model of a call and its provider, by what holds there, else by what holds in the session.
fn contributor<'s>(
    setting: Option<&'s Setting<'_>>,
    facts: &'s Facts<'_>,
) -> (Option<&'s str>, Option<&'s str>) {
    let only = if let [only] = facts.models.as_slice() { Some(&**only) } else { None };
    let model = setting.and_then(|setting| setting.model.as_deref()).or(only);
    let provider = setting.and_then(|setting| setting.provider.as_deref());
    let is_known = |provider: &&str| *provider != provider::UNKNOWN;
    let provider = provider.or_else(|| Some(provider::of_model(model?))).filter(is_known);
    (model, provider)
}

/// Settings in effect at a tool's call, by the stream so far.
#[derive(Clone, Default)]
struct Setting<'s> {
    model: Option<Cow<'s, str>>,
    provider: Option<Cow<'s, str>>,
    folder: Option<Cow<'s, str>>,
}

impl<'s> Setting<'s> {
    /// Adds the facts of an event, and of the events within it.
    fn take(&mut self, event: EventRef<'s>) {
        for field in event.fields() {
            let text = || session::value::text(event.value(*field)).filter(|text| !text.is_empty());
            match field.slot {
                Slot::Model => {
                    let model = text().filter(|model| facts::is_model(model));
                    self.model = model.or(self.model.take());
                }
                Slot::Provider => self.provider = text().or(self.provider.take()),
                Slot::WorkingDir => self.folder = text().or(self.folder.take()),
                _ => {}
            }
        }
        event.children().for_each(|child| self.take(child));
    }
}

/// The settings of the events.
fn settings(
    session: &Session,
    events: impl Iterator<Item = EventIx>,
) -> HashMap<EventIx, Setting<'_>> {
    let mut asked: BTreeMap<EventIx, BTreeSet<EventIx>> = BTreeMap::new();
    for event in events {
        asked.entry(top(session, event)).or_default().insert(event);
    }
    let mut streams: Vec<(&Stream, Setting<'_>)> = Vec::new();
    let mut settings = HashMap::new();
    for event in session.top() {
        let stream = event.stream();
        let at = streams.iter().position(|(known, _)| *known == stream).unwrap_or_else(|| {
            streams.push((stream, Setting::default()));
            streams.len() - 1
        });
        let setting = &mut streams[at].1;
        setting.take(event);
        for event in asked.get(&event.index).into_iter().flatten() {
            settings.insert(*event, setting.clone());
        }
    }
    settings
}

/// The top-level event that contains an event.
fn top(session: &Session, event: EventIx) -> EventIx {
    let mut event = session.event(event);
    while event.parent != NO_EVENT {
        event = session.event(event.parent);
    }
    event.index
}
