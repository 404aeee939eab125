//! Facts of a session as a whole, gathered in one pass over its fields.

use std::borrow::Cow;

use meaning::facts;
use session::{Beside, Field, Hold, Moment, Session, Slot, value};

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
    /// The fact of a slot.
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
pub(crate) struct Facts<'s> {
    values: [Option<Cow<'s, str>>; 8],
    /// Its models without duplicates, in the order of their first mention.
    pub(crate) models: Vec<Cow<'s, str>>,
    /// Its first and its last time.
    pub(crate) span: Option<(Moment<'s>, Moment<'s>)>,
    /// Whether the bundle has other sessions too, so that a record's session is not obvious.
    shared: bool,
    /// Places in a record of the facts from elsewhere.
    pub(crate) beside: Vec<&'static str>,
}

impl<'s> Facts<'s> {
    /// Gathers the facts. Events copied from another session are ignored, unless there are no
    /// others.
    pub(crate) fn of(session: &'s Session) -> Self {
        let lasted = facts::lasted(session);
        let span = lasted.start.map(|start| (start, lasted.end.unwrap_or(start)));
        let models = facts::recorded_models(session);
        let (values, beside) = (Default::default(), Vec::new());
        let mut facts = Self { values, models, span, shared: session.shared, beside };
        for copied in [false, true] {
            for event in session.events() {
                if event.standing().is_copied() == copied {
                    for field in event.fields() {
                        facts.take(*field, event.value(*field));
                    }
                }
            }
        }
        if !session.id.is_empty() {
            facts.values[Fact::SessionId as usize] = Some(Cow::Borrowed(&session.id));
        }
        facts.add_beside(session);
        facts
    }

    /// Adds the facts from elsewhere that the session does not record.
    fn add_beside(&mut self, session: &'s Session) {
        let Beside { folder, model, version, .. } = &session.beside;
        if self.models.is_empty() {
            self.models.extend(model.as_deref().map(Cow::Borrowed));
            self.beside.extend(model.as_ref().map(|_| "session.agent-meta.model-id"));
        }
        let facts = [
            (Fact::WorkingDir, folder, "session.environment.working-dir"),
            (Fact::CliVersion, version, "session.agent-meta.cli-version"),
        ];
        for (fact, value, place) in facts {
            let known = &mut self.values[fact as usize];
            if let (None, Some(value)) = (&known, value) {
                *known = Some(Cow::Borrowed(value));
                self.beside.push(place);
            }
        }
    }

    fn take(&mut self, field: Field, raw: &'s [u8]) {
        if field.slot == Slot::Native || field.hold == Hold::Open {
            return;
        }
        if let Some(fact) = Fact::of(field.slot) {
            let value = &mut self.values[fact as usize];
            if value.is_none() {
                *value = value::text(raw).filter(|text| !text.is_empty());
            }
        }
    }

    /// The value of a fact.
    pub(crate) fn get(&self, fact: Fact) -> Option<&str> {
        self.values[fact as usize].as_deref()
    }

    /// Whether a native value equals the record's, so that an entry may leave it out.
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
