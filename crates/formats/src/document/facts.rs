//! What a record says of its session as a whole: gathered in one pass over the fields, from the
//! session alone.

use std::borrow::Cow;

use session::{Event, Field, Hold, Instant, Session, Slot, Standing, value};

use super::moment::Moment;

/// A value that the record has once and that the lines of a session repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Fact {
    SessionId,
    WorkingDir,
    Branch,
    Revision,
    Repository,
    VersionControl,
    CliVersion,
    ModelProvider,
}

impl Fact {
    /// The fact that a meaning tells.
    pub(crate) const fn of(slot: Slot) -> Option<Self> {
        match slot {
            Slot::Session => Some(Self::SessionId),
            Slot::WorkingDir => Some(Self::WorkingDir),
            Slot::Branch => Some(Self::Branch),
            Slot::Revision => Some(Self::Revision),
            Slot::Repository => Some(Self::Repository),
            Slot::VersionControl => Some(Self::VersionControl),
            Slot::Version => Some(Self::CliVersion),
            Slot::Provider => Some(Self::ModelProvider),
            _ => None,
        }
    }

    /// The record's key for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::SessionId => "session-id",
            Self::WorkingDir => "working-dir",
            Self::Branch => "branch",
            Self::Revision => "revision",
            Self::Repository => "repository",
            Self::VersionControl => "version-control",
            Self::CliVersion => "cli-version",
            Self::ModelProvider => "model-provider",
        }
    }
}

/// The facts of one session.
#[derive(Default)]
pub(crate) struct Facts<'s> {
    values: [Option<Cow<'s, str>>; 8],
    /// The models that answered, each once, in the order of their first answer.
    pub(crate) models: Vec<Cow<'s, str>>,
    /// The first and the last moment of which an event tells.
    pub(crate) span: Option<(Moment<'s>, Moment<'s>)>,
    /// True where the bundle holds other sessions too: which one a record belongs to is then no
    /// matter of course.
    shared: bool,
}

impl<'s> Facts<'s> {
    /// Gathers them. What was copied from another session tells nothing of this one, unless there
    /// is nothing else.
    pub(crate) fn of(session: &'s Session) -> Self {
        let mut facts = Self { shared: session.shared, ..Self::default() };
        for copied in [false, true] {
            for event in session.events() {
                if (event.standing() == Standing::Copied) == copied {
                    for field in event.fields() {
                        facts.take(&event, *field, event.value(*field), copied);
                    }
                }
            }
        }
        if facts.span.is_none() {
            facts.header_times(session);
        }
        if !session.id.is_empty() {
            facts.values[Fact::SessionId as usize] = Some(Cow::Borrowed(&session.id));
        }
        facts
    }

    fn take(&mut self, event: &Event, field: Field, raw: &'s [u8], late: bool) {
        if field.slot == Slot::Native || field.hold == Hold::Open {
            return;
        }
        if let Some(fact) = Fact::of(field.slot) {
            let value = &mut self.values[fact as usize];
            if value.is_none() {
                *value = value::text(raw).filter(|text| !text.is_empty());
            }
        }
        match field.slot {
            Slot::Time if !late && event.standing != Standing::Echo => self.at(raw),
            Slot::Model if !late => self.model(raw),
            _ => {}
        }
    }

    fn at(&mut self, raw: &'s [u8]) {
        let Some(instant) = Instant::read(raw) else { return };
        let Some((first, last)) = &mut self.span else {
            self.span = Some((Moment { instant, raw }, Moment { instant, raw }));
            return;
        };
        if instant < first.instant {
            *first = Moment { instant, raw };
        }
        if instant > last.instant {
            *last = Moment { instant, raw };
        }
    }

    /// Where no event has a time, a header may have.
    fn header_times(&mut self, session: &'s Session) {
        for event in session.events() {
            for field in event.fields() {
                if matches!(field.slot, Slot::Started | Slot::Updated) {
                    self.at(event.value(*field));
                }
            }
        }
    }

    /// A name in angle brackets stands for no model: the agent answered by itself.
    fn model(&mut self, raw: &'s [u8]) {
        if self.models.last().is_some_and(|last| last.as_bytes() == quoted(raw)) {
            return;
        }
        let Some(model) = value::text(raw) else { return };
        if !model.is_empty() && !model.starts_with('<') && !self.models.contains(&model) {
            self.models.push(model);
        }
    }

    /// The value of a fact.
    pub(crate) fn get(&self, fact: Fact) -> Option<&str> {
        self.values[fact as usize].as_deref()
    }

    /// True where a native value says what the record says, so that an entry may leave it out.
    pub(crate) fn leaves_out(&self, fact: Fact, raw: &[u8]) -> bool {
        (fact != Fact::SessionId || !self.shared) && self.says(fact, raw)
    }

    fn says(&self, fact: Fact, raw: &[u8]) -> bool {
        let Some(value) = self.get(fact) else { return false };
        if raw.first() != Some(&b'"') {
            return false;
        }
        match memchr::memchr(b'\\', raw) {
            None => quoted(raw) == value.as_bytes(),
            Some(_) => value::text(raw).is_some_and(|text| text == value),
        }
    }
}

/// The bytes between the quotes.
fn quoted(raw: &[u8]) -> &[u8] {
    raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()
}
