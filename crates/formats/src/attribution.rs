//! Attribution: the lines of files that a session wrote, and their models. The format reports the
//! changes; they are replayed, with normalized paths and contributors. No file is opened: the
//! result holds for the files as the session left them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use meaning::facts;
use replay::{Change, Replay, UnclearChange};
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

/// The attribution of a session whose facts are known.
pub(crate) fn with(session: &Session, facts: &Facts<'_>) -> Attribution {
    let written = facts.get(Fact::WorkingDir).map(str::to_owned);
    let folder = written.as_deref().map(|folder| path::absolute(folder, None));
    let format = agent(session.format);
    let changes = format.and_then(|format| format.data().changes).map(|of| of(session));
    // The tools of a format that derives no changes are as good as unknown.
    let known =
        format.filter(|_| changes.is_some()).map_or(&tools::NONE, |format| format.data().tools);
    let changes = changes.unwrap_or_default();
    let changes = unknown::with(session, known, changes);
    if changes.is_empty() {
        return Attribution { folder: written, ..Attribution::default() };
    }
    let settings = settings(session, changes.iter().map(|(event, ..)| *event));
    let mut replay = Replay::default();
    for (event, path, change) in changes {
        let from = settings.get(&event).and_then(|setting| setting.folder.as_deref());
        let from = from.or(folder.as_deref());
        let name = |path: &str| path::absolute(path, from);
        let change = match change {
            Change::Move { to } => Change::Move { to: name(&to) },
            change => change,
        };
        replay.change(event, &name(&path), change);
    }
    let left = replay.finish();
    let shown = |path: &str| path::relative(path, folder.as_deref()).to_owned();
    let only = if let [only] = facts.models.as_slice() { Some(&**only) } else { None };
    let range = |range: replay::WrittenRange| {
        let setting = settings.get(&range.event);
        let model = setting.and_then(|setting| setting.model.as_deref()).or(only);
        let provider = setting.and_then(|setting| setting.provider.as_deref());
        let known = |provider: &str| provider != provider::UNKNOWN;
        let provider = provider.or_else(|| Some(provider::of_model(model?))).filter(|p| known(p));
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
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let unknown = left.unknown.into_iter();
    let unknown = unknown.map(|unknown| UnclearChange { path: shown(&unknown.path), ..unknown });
    Attribution { unknown: unknown.collect(), folder: written, files }
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
