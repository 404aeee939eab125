//! Drift: what an agent writes and no table of its format names. Nothing of it is lost; it says
//! that the format has moved on since its tables were written.

use std::collections::BTreeMap;

use session::{EventRef, Field, Hold, STRANGE, Session, Slot, value};

/// What a reader met without a row for it, and how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// By what it is.
    pub strange: BTreeMap<Strange, u64>,
    /// How many more kinds there were than are listed.
    pub more: u64,
}

/// One thing without a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strange {
    /// The format.
    pub format: &'static str,
    /// The agent's version, where the session says it.
    pub version: Option<String>,
    /// True for a record whose kind is unknown, false for a member of a known one.
    pub record: bool,
    /// The record's own type word; or the event's kind, and the names that lead to the member.
    pub what: String,
}

/// More kinds than this are only counted: names come from files, and files may be hostile.
const KINDS: usize = 4096;

/// A name longer than this is cut, in bytes.
const NAME: usize = 120;

impl Drift {
    /// Adds what a session met.
    pub fn add(&mut self, session: &Session) {
        let mut version = None;
        for event in session.events() {
            let strange = std::ptr::eq(event.case, &raw const STRANGE);
            if !strange && event.fields().iter().all(|field| field.known) {
                continue;
            }
            let version = version
                .get_or_insert_with(|| session.first(Slot::Version).map(|version| cut(&version)));
            let mut note = |record, what| {
                let format = session.format;
                self.count(Strange { format, version: version.clone(), record, what }, 1);
            };
            if strange {
                note(true, kind(event));
                continue;
            }
            let mut path: Vec<Field> = Vec::new();
            for &field in event.fields() {
                path.truncate(usize::from(field.depth));
                if !field.known && field.hold == Hold::Own {
                    note(false, name(event, &path, field));
                }
                path.push(field);
            }
        }
    }

    /// Adds what another one has counted.
    pub fn join(&mut self, other: Self) {
        for (strange, count) in other.strange {
            self.count(strange, count);
        }
        self.more += other.more;
    }

    /// True where every name was known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.strange.is_empty()
    }

    fn count(&mut self, strange: Strange, count: u64) {
        if let Some(known) = self.strange.get_mut(&strange) {
            *known += count;
        } else if self.strange.len() < KINDS {
            self.strange.insert(strange, count);
        } else {
            self.more += 1;
        }
    }
}

/// The type word of a record that no case knows.
fn kind(event: EventRef<'_>) -> String {
    let word = |field: &&Field| matches!(event.name(**field), b"type" | b"record_type" | b"kind");
    let field = event.fields().iter().find(word);
    match field.and_then(|field| value::text(event.value(*field))) {
        Some(word) => cut(&word),
        None => "(without a type word)".into(),
    }
}

/// `user: message.content_kind`.
fn name(event: EventRef<'_>, path: &[Field], field: Field) -> String {
    let names = path.iter().chain([&field]).map(|field| value::unescape(event.name(*field)));
    let names: Vec<_> = names.collect();
    cut(&format!("{}: {}", event.case.name, names.join(".")))
}

fn cut(text: &str) -> String {
    match text.len() > NAME {
        true => format!("{}…", &text[..text.floor_char_boundary(NAME)]),
        false => text.to_owned(),
    }
}
