//! Events, one by one. The first event made of a record contains the whole record. The others refer
//! to their position in it, so that a record is not repeated for each of its parts.

use meaning::account::{Account, Cause};
use meaning::{Calls, facts};
use session::{EventIx, EventRef, Injected, Kind, NO_EVENT, Scan, Session, Slot, Standing};

use super::timeline::Timeline;
use super::words;
use super::write::write_made;
use crate::documents::shared::clean;
use crate::documents::shared::out::Out;
use crate::documents::shared::paths::{Paths, ROOT};
use crate::documents::shared::places::{Place, WHOLE, places};

/// Form of a record's values in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    AsTheyAre,
    /// Without repeated keys and lone surrogates.
    Cleaned,
    /// As text, because they are nested too deep.
    Text,
}

/// Largest depth of a value. Most JSON readers stop at 128 levels, and the document has a few of
/// its own.
const DEPTH: usize = 96;

impl Fit {
    fn of(record: &[u8], scan: &mut Scan) -> Self {
        match clean::is_deeper(record, DEPTH) {
            true => Self::Text,
            false if clean::is_unfit(record, scan) => Self::Cleaned,
            false => Self::AsTheyAre,
        }
    }
}

/// Writes the events of a session.
pub(super) struct Events<'s> {
    pub(super) session: &'s Session,
    pub(super) timeline: Timeline<'s>,
    pub(super) calls: Calls,
    paths: Paths<'s>,
    places: Vec<Place>,
    within: Vec<Vec<EventIx>>,
    /// Form of each record's values.
    fits: Vec<Fit>,
    scan: Scan,
    pub(super) account: Account<'s>,
    /// The members of the event being written that the session does not tell.
    pub(super) made: Vec<&'static str>,
}

impl<'s> Events<'s> {
    pub(super) fn new(session: &'s Session, uid: String, account: Account<'s>) -> Self {
        let mut paths = Paths::new();
        let (places, within) = places(session, &mut paths);
        let mut scan = Scan::counting(session.counts);
        let records = session.records.iter();
        let fits = records.map(|record| Fit::of(session.record_bytes(record), &mut scan)).collect();
        let timeline = Timeline::of(session, uid);
        let calls = Calls::of(session);
        Self {
            session,
            timeline,
            calls,
            paths,
            places,
            within,
            fits,
            scan,
            account,
            made: Vec::new(),
        }
    }

    /// Writes all events as an array.
    pub(super) fn write(&mut self, out: &mut Out<'_>) {
        out.open_array();
        for at in 0..self.timeline.order().len() {
            let event = self.session.event(self.timeline.order()[at]);
            self.event(event, out);
        }
        out.close_array();
    }

    fn event(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        let (timestamp, own) = self.timeline.timestamp(event);
        if !own {
            self.account.make("events[].timestamp", Cause::Neighbor, ());
        }
        self.made.clear();
        out.open();
        out.member("event_uid", &self.timeline.event_uid(event));
        out.member("stream_id", &event.stream().to_string());
        out.key("line_number");
        out.number(u64::from(event.origin.line));
        out.key("sequence");
        out.number(u64::from(self.timeline.sequence(event.index)));
        out.member("timestamp", &timestamp);
        out.member("kind", words::event_kind(event));
        actor(event, out);
        self.payload(event, out);
        self.raw(event, out);
        self.extensions(event, own, out);
        out.close();
    }

    /// Writes a value of an event in a form that any JSON reader accepts.
    pub(super) fn value(&mut self, event: EventRef<'s>, raw: &[u8], out: &mut Out<'_>) {
        match self.fits[event.origin.record as usize] {
            Fit::AsTheyAre => out.raw(raw),
            Fit::Cleaned => clean::write_fit(raw, out, &mut self.scan),
            Fit::Text if clean::is_deeper(raw, DEPTH) => out.string(&String::from_utf8_lossy(raw)),
            Fit::Text => clean::write_fit(raw, out, &mut self.scan),
        }
    }

    /// Whether other events were made of parts of this one's value.
    pub(super) fn encloses(&self, event: EventRef<'_>) -> bool {
        self.within.get(event.index as usize).is_some_and(|within| !within.is_empty())
    }

    fn raw(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        out.key("raw_vendor_payload");
        let record = self.session.record_bytes(&self.session.records[event.origin.record as usize]);
        let head = self.timeline.head(event);
        if head != event.index {
            let pointer = fragment(&self.pointer(event.index));
            out.open();
            let sequence = self.timeline.sequence(head);
            out.member("$ref", &format!("#/events/{sequence}/raw_vendor_payload{pointer}"));
            out.close();
        } else if event.kind == Kind::Opaque {
            out.string(&String::from_utf8_lossy(record));
        } else {
            self.value(event, record, out);
        }
    }

    /// The position of an event's value in its record: a JSON Pointer (RFC 6901).
    fn pointer(&self, event: EventIx) -> String {
        let mut steps = Vec::new();
        let mut at = event;
        while at != NO_EVENT {
            let Place { enclosing, container, index, .. } = self.places[at as usize];
            if index != WHOLE {
                steps.push(format!("/{index}"));
            }
            if container != ROOT {
                steps.push(self.paths.pointer(container));
            }
            at = enclosing;
        }
        steps.into_iter().rev().collect()
    }

    /// Writes the facts without a place in the document's schema.
    fn extensions(&self, event: EventRef<'s>, own_time: bool, out: &mut Out<'_>) {
        out.key("extensions");
        out.open();
        out.key("verbatim");
        out.open();
        out.member("kind", event.kind.word());
        if event.kind == Kind::Notice {
            out.member("event", &words::type_word(event));
        }
        out.key("part");
        out.number(u64::from(self.timeline.part(event)));
        if event.standing() != Standing::Live {
            out.member("standing", event.standing().word());
        }
        let is_text = matches!(event.kind, Kind::User | Kind::Assistant);
        match event.injected.filter(|reason| is_text || *reason == Injected::Summary) {
            Some(Injected::Context) => out.flag("injected"),
            Some(reason) => out.member("injected", reason.word()),
            None => {}
        }
        if !own_time {
            out.flag("inferred_time");
        }
        for (key, slot) in [("id", Slot::Id), ("parent", Slot::Parent), ("answer", Slot::Message)] {
            if let Some(id) = event.text(slot).filter(|id| !id.is_empty()) {
                out.member(key, &id);
            }
        }
        write_made(&self.made, out);
        if let Some(first) = self.timeline.repeats(event) {
            out.member("repeats", &self.timeline.event_uid(first));
        }
        out.close();
        out.close();
    }
}

/// The actor, with its model.
fn actor(event: EventRef<'_>, out: &mut Out<'_>) {
    let role = words::role(event.kind);
    out.key("actor");
    out.open();
    out.member("role", role);
    let model = || {
        let mut at = event;
        loop {
            match at.text(Slot::Model) {
                None if at.parent != NO_EVENT => at = event.session().event(at.parent),
                model => return model.filter(|model| facts::is_model(model)),
            }
        }
    };
    if role == "assistant"
        && let Some(model) = model()
    {
        out.member("model", &model);
    }
    out.close();
}

/// A JSON Pointer as the fragment of a URI (RFC 6901, section 6; RFC 3986, section 3.5).
fn fragment(pointer: &str) -> String {
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => fragment.push(char::from(byte)),
            b'/' | b'-' | b'.' | b'_' | b'~' | b'$' | b'@' | b':' => {
                fragment.push(char::from(byte))
            }
            _ => fragment.push_str(&format!("%{byte:02X}")),
        }
    }
    fragment
}
