//! Sub-agents within a session: which of its calls started which of its streams.

use std::collections::{BTreeMap, HashMap};

use session::{EventIx, EventRef, Kind, Session, Slot, Standing, Stream};

/// The streams of sub-agents, with their events, by the call that started each.
#[derive(Debug, Default)]
pub(super) struct SubAgents<'s> {
    /// The streams that each call started.
    started: BTreeMap<EventIx, Vec<&'s Stream>>,
    /// The top-level events of each such stream that was not drawn yet.
    events: BTreeMap<&'s str, Vec<EventIx>>,
}

impl<'s> SubAgents<'s> {
    pub(super) fn of(session: &'s Session) -> Self {
        let started = started(session);
        let mut events: BTreeMap<&str, Vec<EventIx>> = BTreeMap::new();
        for stream in started.values().flatten() {
            if let Stream::Sub(stem) = stream {
                events.entry(stem).or_default();
            }
        }
        if !events.is_empty() {
            for event in session.top() {
                if let Stream::Sub(stem) = event.stream()
                    && let Some(own) = events.get_mut(stem.as_str())
                {
                    own.push(event.index);
                }
            }
        }
        Self { started, events }
    }

    /// Whether a call tells the events of this stream.
    pub(super) fn holds(&self, event: EventRef<'_>) -> bool {
        match event.stream() {
            Stream::Sub(stem) => self.events.contains_key(stem.as_str()),
            Stream::Main => false,
        }
    }

    /// The events of the sub-agents that a call started, which are drawn once.
    pub(super) fn take(&mut self, call: EventIx) -> Vec<EventIx> {
        let streams = self.started.get(&call).into_iter().flatten();
        let stems = streams.filter_map(|stream| match stream {
            Stream::Sub(stem) => Some(stem.as_str()),
            Stream::Main => None,
        });
        let told = stems.filter_map(|stem| self.events.get_mut(stem).map(std::mem::take));
        told.flatten().collect()
    }

    /// The events of a sub-agent whose call is not in the transcript.
    pub(super) fn rest(&mut self) -> Option<Vec<EventIx>> {
        let left = self.events.values_mut().find(|events| !events.is_empty())?;
        Some(std::mem::take(left))
    }
}

/// The streams that each call started: the first call or result that contains a stream's name, and
/// is not the sub-agent's own. If none does, the first result in whose record the name is.
fn started(session: &Session) -> BTreeMap<EventIx, Vec<&Stream>> {
    let mut left: HashMap<&[u8], &Stream> = HashMap::new();
    for member in &session.bundle.members {
        if let Stream::Sub(stem) = &member.stream {
            left.extend(names(stem).map(|name| (name.as_bytes(), &member.stream)));
        }
    }
    let mut started: BTreeMap<EventIx, Vec<&Stream>> = BTreeMap::new();
    for whole_record in [false, true] {
        let mut calls: HashMap<&[u8], EventIx> = HashMap::new();
        for event in session.events() {
            if left.is_empty() {
                break;
            }
            let Some(id) = event.raw(Slot::Call) else { continue };
            if event.standing.is_copied() {
                continue;
            }
            if event.kind == Kind::ToolCall && event.standing != Standing::Echo {
                calls.entry(id).or_insert(event.index);
            }
            let Some(call) = calls.get(id) else { continue };
            for word in bytes(event, whole_record).split(|byte| !is_of_name(*byte)) {
                let Some(stream) = left.get(word).copied() else { continue };
                if stream != event.stream() {
                    left.retain(|_, other| *other != stream);
                    started.entry(*call).or_default().push(stream);
                }
            }
        }
    }
    started
}

/// The names under which records refer to a stream: the name of its file, and the id in it.
fn names(stem: &str) -> impl Iterator<Item = &str> {
    let file = stem.rsplit('/').next().unwrap_or(stem);
    let id = file.split_once('-').map(|(_, id)| id).filter(|id| id.len() >= 6);
    [Some(file), id].into_iter().flatten().filter(|name| name.len() >= 6)
}

/// The bytes in which the name of a stream is looked for.
fn bytes(event: EventRef<'_>, whole_record: bool) -> &[u8] {
    let record = event.session().records.get(event.origin.record as usize);
    match record.filter(|_| whole_record && event.kind == Kind::ToolResult) {
        Some(record) => event.session().record_bytes(record),
        None => event.bytes(),
    }
}

/// Whether a byte may be part of a name.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
