//! Which records with one id tell the usage of one answer. A model streams an answer, and agents
//! write a record for each of its blocks; relays and exports give many answers one id.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use session::{EventIx, EventRef, Kind, Slot, UtcTime};

use super::{Tokens, key};
use crate::identity::{Key, Sameness, Sighting};
use crate::turn;

/// The answers of a session so far.
#[derive(Default)]
pub(super) struct Runs<'s> {
    /// The last answer with each id in each member.
    last: HashMap<(u32, Key), Run<'s>, RandomState>,
    /// The first answer with each key.
    first: HashMap<Key, (Sighting<'s>, Tokens), RandomState>,
    /// The last answer with each id and counters: its member, its content and its key.
    said: HashMap<(Key, Tokens), Said<'s>, RandomState>,
}

/// An answer by its content.
type Said<'s> = (u32, &'s [u8], Key);

/// An answer: its first record, its counters so far, and its last record.
struct Run<'s> {
    begin: Sighting<'s>,
    key: Key,
    tokens: Tokens,
    end: EventIx,
}

impl<'s> Runs<'s> {
    /// The key of the answer whose usage a record with this id tells. Copies of it have the same:
    /// its id with that of its request, or with the message that holds it, else with the time at
    /// which it began.
    pub(super) fn key(
        &mut self,
        (event, id): (EventRef<'s>, Key),
        (time, message): (Option<UtcTime>, Option<Key>),
        tokens: Tokens,
    ) -> Key {
        let begin = Sighting {
            place: event.raw(Slot::Request).and_then(request).or(message),
            time,
            content: event.raw(Slot::Content).unwrap_or_default(),
        };
        let at = (event.origin.member, id);
        if let Some(run) = self.last.get_mut(&at) {
            let goes_on = || {
                let states = run.begin.time == time && tokens.since(run.tokens).is_some();
                match is_part(event) {
                    true => goes_on((run.end, run.tokens), (event, tokens), begin.place.is_some()),
                    false => states,
                }
            };
            if run.begin.to_later(&begin, goes_on) != Sameness::Differs {
                (run.tokens, run.end) = (tokens, event.index);
                return run.key;
            }
        }
        let key = self.replayed(event, (id, tokens), begin).unwrap_or_else(|| {
            let key = self.begun(id, begin, tokens);
            self.said.insert((id, tokens), (event.origin.member, begin.content, key));
            key
        });
        self.last.insert(at, Run { begin, key, tokens, end: event.index });
        key
    }

    /// The key of an answer that a sub-agent replays under a new request and time: another member
    /// has it with the same content and counters.
    fn replayed(
        &self,
        event: EventRef<'_>,
        said: (Key, Tokens),
        begin: Sighting<'_>,
    ) -> Option<Key> {
        let (member, content, key) = self.said.get(&said)?;
        let same = !content.is_empty() && *content == begin.content;
        (same && *member != event.origin.member).then_some(*key)
    }

    /// The key of an answer that begins. If another answer has it already, an export has replaced
    /// ids or times, and the content tells them apart.
    fn begun(&mut self, id: Key, begin: Sighting<'s>, tokens: Tokens) -> Key {
        let key = first_key(id, &begin);
        let (first, counted) = self.first.entry(key).or_insert((begin, tokens));
        let same = || alike(*counted, tokens);
        match first.to_later(&begin, same) {
            Sameness::Differs => Key::of((key, begin.time.map(|time| time.0), begin.content)),
            _ => key,
        }
    }
}

/// The key of an answer by its first record alone.
fn first_key(id: Key, begin: &Sighting<'_>) -> Key {
    match (begin.place, begin.time) {
        (Some(place), _) => Key::of((id, "request", place)),
        (None, Some(time)) => Key::of((id, "time", time.0)),
        (None, None) => Key::of((id, "content", begin.content)),
    }
}

/// The key of an answer that another record has whole: by its id, the JSON value of its request's
/// id, and its time.
#[must_use]
pub fn answer_key(id: &str, request_id: Option<&[u8]>, time: Option<UtcTime>) -> Key {
    let place = request_id.and_then(request);
    first_key(key::named(id), &Sighting { place, time, content: b"" })
}

/// The key of a request, if there is one.
fn request(raw: &[u8]) -> Option<Key> {
    (raw.len() > 2 && raw != b"null").then(|| Key::of(raw))
}

/// Whether a record has only a part of the answer that its id names, and a time of its own. Other
/// records are the answer, and all states of it have its time.
fn is_part(event: EventRef<'_>) -> bool {
    event.kind != Kind::Notice && event.field(Slot::Message).is_some()
}

/// Whether a record goes on with the answer of an earlier one by its counters: it has the input of
/// the same request, and its output has not fallen. Without the id of a request, no prompt may
/// be between the two.
fn goes_on(
    (end, before): (EventIx, Tokens),
    (event, now): (EventRef<'_>, Tokens),
    requested: bool,
) -> bool {
    // The first record of an answer may have been written before its input was counted.
    let unknown = before.total() == before.output.unwrap_or(0);
    if !alike(before, now) && !unknown {
        return false;
    }
    if requested {
        return true;
    }
    let session = event.session();
    let between = (end + 1..event.index).map(|at| session.event(at));
    let mut between = between.filter(|other| other.origin.member == event.origin.member);
    now.output >= before.output
        && !between.any(|other| other.kind == Kind::User && turn::opens(other))
}

/// Whether two records have the input of one request.
fn alike(one: Tokens, other: Tokens) -> bool {
    let same = |of: fn(&Tokens) -> Option<u64>| of(&one) == of(&other);
    same(|of| of.input) && same(|of| of.cache_read) && same(|of| of.cache_write)
}
