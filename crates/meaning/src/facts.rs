//! Facts of a session as a whole: its first and last time, its models, its folder, its version. One
//! rule for lists, records and documents.

use std::borrow::Cow;

pub use session::Moment;
use session::Stream;
use session::UtcTime;
use session::value;
use session::{EventRef, Session};
use session::{Slot, Standing};

/// First and last time of a session, as far as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lasted<'s> {
    /// Its start.
    pub start: Option<Moment<'s>>,
    /// Its last update.
    pub end: Option<Moment<'s>>,
}

/// The first and last time of a session. It starts at the time in its header, else at its first
/// event outside sub-agents. It ends at the latest time of its header or an event. The time of
/// saving the file counts only if there is no other. Events copied from another session are
/// ignored, unless there are no others.
#[must_use]
pub fn lasted(session: &Session) -> Lasted<'_> {
    let own = lasted_by(session, |standing| !is_again(standing));
    if own == Lasted::default() { lasted_by(session, is_again) } else { own }
}

/// Whether an event with this standing is also elsewhere.
const fn is_again(standing: Standing) -> bool {
    standing.is_copied() || matches!(standing, Standing::Echo)
}

fn lasted_by(session: &Session, counts: impl Fn(Standing) -> bool) -> Lasted<'_> {
    let (mut said, mut first, mut last, mut saved) = (None, None, None, None);
    let mut first_of_any = None;
    for event in session.events().filter(|event| counts(event.standing())) {
        let dated = event.moment();
        if let Some(at) = dated {
            if *event.stream() == Stream::Main {
                early(&mut first, at);
            }
            early(&mut first_of_any, at);
            late(&mut last, at);
        }
        for field in event.fields() {
            let (Slot::Started | Slot::Updated | Slot::Saved) = field.slot else { continue };
            let raw = event.value(*field);
            let Some(instant) = UtcTime::read(raw) else { continue };
            let at = Moment { instant, raw };
            match field.slot {
                Slot::Started => early(&mut said, at),
                Slot::Updated => late(&mut last, at),
                Slot::Saved => late(&mut saved, at),
                _ => {}
            }
        }
    }
    last = last.or(saved);
    // The end is not before the start.
    if let (Some(start), Some(end)) = (said, last)
        && end.instant < start.instant
    {
        last = Some(start);
    }
    let start = said.or(first).or(first_of_any).or(last);
    Lasted { start, end: last.or(start) }
}

fn early<'s>(known: &mut Option<Moment<'s>>, at: Moment<'s>) {
    if known.is_none_or(|known| at.instant < known.instant) {
        *known = Some(at);
    }
}

fn late<'s>(known: &mut Option<Moment<'s>>, at: Moment<'s>) {
    if known.is_none_or(|known| at.instant > known.instant) {
        *known = Some(at);
    }
}

/// The models of a session without duplicates, in the order of their first mention, those of
/// sub-agents last: the first represents all. Events copied from another session are ignored.
#[must_use]
pub fn models(session: &Session) -> Vec<Cow<'_, str>> {
    let mut models = recorded_models(session);
    if models.is_empty() {
        models.extend(session.beside.model.as_deref().map(Cow::Borrowed));
    }
    models
}

/// The same, without a model from elsewhere.
#[must_use]
pub fn recorded_models(session: &Session) -> Vec<Cow<'_, str>> {
    let mut models = Vec::new();
    for main in [true, false] {
        add_models(session, |stream| (*stream == Stream::Main) == main, &mut models);
    }
    models
}

fn add_models<'s>(
    session: &'s Session,
    counts: impl Fn(&Stream) -> bool,
    models: &mut Vec<Cow<'s, str>>,
) {
    if !session.bundle.members.iter().any(|member| counts(&member.stream)) {
        return;
    }
    // Nearly every answer has the model of the previous one.
    let mut last: &[u8] = b"";
    let own = |event: &EventRef<'_>| !event.standing().is_copied() && counts(event.stream());
    for event in session.events().filter(own) {
        for field in event.fields().iter().filter(|field| field.slot == Slot::Model) {
            let raw = event.value(*field);
            if raw == last {
                continue;
            }
            last = raw;
            let model = value::text(raw).filter(|model| is_model(model));
            if let Some(model) = model.filter(|model| !models.contains(model)) {
                models.push(model);
            }
        }
    }
}

/// The title of a session, with its slot: the last that a person gave, else the last that the agent
/// made. A title for an event that the session does not have is another session's.
#[must_use]
pub fn title(session: &Session) -> Option<(EventRef<'_>, Slot)> {
    [Slot::Title, Slot::AutoTitle].into_iter().find_map(|slot| {
        let own = |event: &EventRef<'_>| {
            event.text(slot).is_some_and(|text| !text.is_empty())
                && event.raw(Slot::Target).is_none_or(|id| has_event(session, id))
        };
        Some((session.events().rfind(own)?, slot))
    })
}

fn has_event(session: &Session, id: &[u8]) -> bool {
    session.events().any(|event| event.raw(Slot::Id) == Some(id))
}

/// The text of the title.
#[must_use]
pub fn title_text(session: &Session) -> Option<Cow<'_, str>> {
    title(session).and_then(|(event, slot)| event.text(slot))
}

/// The folder of a session: its first one, else that of its project.
#[must_use]
pub fn folder(session: &Session) -> Option<Cow<'_, str>> {
    first(session, Slot::WorkingDir).or_else(|| session.beside.folder.as_deref().map(Cow::Borrowed))
}

/// The agent's version: its first one.
#[must_use]
pub fn version(session: &Session) -> Option<Cow<'_, str>> {
    first(session, Slot::Version).or_else(|| session.beside.version.as_deref().map(Cow::Borrowed))
}

/// The first value of a slot. Events copied from another session count only if there are no others.
fn first(session: &Session, slot: Slot) -> Option<Cow<'_, str>> {
    let of = |copied: bool| {
        let events = session.events();
        let events = events.filter(|event| event.standing().is_copied() == copied);
        events.filter_map(|event| event.text(slot)).find(|text| !text.is_empty())
    };
    of(false).or_else(|| of(true))
}

/// The id of the session that started this one as its sub-agent. A header copied from another
/// session is ignored. A register of the sub-agents of several sessions has no such session.
#[must_use]
pub fn spawner(session: &Session) -> Option<Cow<'_, str>> {
    let own = session.events().filter(|event| !is_again(event.standing()));
    let ids = own.filter_map(|event| event.text(Slot::SpawnedBy));
    let mut ids = ids.filter(|id| !id.is_empty() && *id != session.id);
    let first = ids.next()?;
    ids.all(|id| id == first).then_some(first)
}

/// The id of the session that this one was forked from: the named one, or that of a copied header.
#[must_use]
pub fn forked_from(session: &Session) -> Option<Cow<'_, str>> {
    let named = session.events().filter_map(|event| event.text(Slot::ParentSession));
    let copied = session.events().filter(|event| event.standing().is_copied());
    let copied = copied.filter_map(|event| event.text(Slot::Session));
    named.chain(copied).find(|id| !id.is_empty() && *id != session.id)
}

/// The model that represents a session: its first one.
#[must_use]
pub fn model(session: &Session) -> Option<String> {
    models(session).into_iter().next().map(Cow::into_owned)
}

/// Whether a name is a model's. A name in angle brackets means that the agent answered by itself.
#[must_use]
pub fn is_model(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('<')
}
