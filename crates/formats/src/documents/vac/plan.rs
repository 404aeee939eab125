//! Plan of an entry: every field of an event gets its place in the entry before anything is
//! written.

use std::borrow::Cow;

use meaning::account::{Account, Cause, Draft};
use session::{Event, EventIx, EventRef, Field, Hold, Kind, Slot, Span, UtcTime, value};

use super::keys::{KEYS, Key};
use super::layout::Bind;
use super::usage;
use crate::documents::shared::facts::{Fact, Facts};
use crate::documents::shared::paths::{PathIx, Paths, ROOT};
use crate::documents::shared::places::{self, is_whole};

/// A value of an entry.
#[derive(Clone, Debug)]
pub(super) enum Text<'s> {
    /// The source's bytes, unchanged.
    Raw(&'s [u8]),
    /// A string made from the source.
    Made(Cow<'s, str>),
}

/// A native value without a canonical key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest<'s> {
    /// Its path, or the path of its array if `index` is given.
    pub(super) path: PathIx,
    pub(super) index: Option<u32>,
    pub(super) slot: Slot,
    pub(super) raw: &'s [u8],
    /// Whether it may not be flattened, because its name is canonical there.
    pub(super) skipped: bool,
}

/// The plan of one entry. It is reused, so that its memory is allocated once.
pub(super) struct Plan<'s> {
    pub(super) canon: [Option<Text<'s>>; KEYS],
    pub(super) bind: [Bind; KEYS],
    pub(super) words: Vec<(PathIx, &'s [u8])>,
    pub(super) facts: Vec<(PathIx, Fact)>,
    /// The values at the paths of `facts`.
    pub(super) stated: Vec<&'s [u8]>,
    pub(super) rest: Vec<Rest<'s>>,
    /// Members of the native counters that have no canonical name.
    pub(super) counts: Vec<Rest<'s>>,
    pub(super) event_type: Cow<'s, str>,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self {
            canon: [const { None }; KEYS],
            bind: [Bind::Unset; KEYS],
            words: Vec::new(),
            facts: Vec::new(),
            stated: Vec::new(),
            rest: Vec::new(),
            counts: Vec::new(),
            event_type: Cow::Borrowed(""),
        }
    }
}

/// A native word longer than this counts as text.
const WORD: usize = 80;

impl<'s> Plan<'s> {
    /// Plans the entry of an event. `within` has the events that its value encloses.
    pub(super) fn of(
        event: EventRef<'s>,
        within: &[EventIx],
        facts: &Facts<'_>,
        paths: &mut Paths<'s>,
        account: &mut Account<'s>,
    ) -> Self {
        let mut plan = Self::default();
        let map = usage::map(event, paths);
        let moved = map.filter(|_| usage::moves(event)).map(|(field, _)| field);
        plan.walk(event, within, moved, facts, paths, account);
        usage::plan(event, map, &mut plan, paths);
        plan.complete(event, account);
        plan
    }

    /// Gives each field its place, except those in `moved`: the counters have their own place.
    fn walk(
        &mut self,
        event: EventRef<'s>,
        within: &[EventIx],
        moved: Option<Field>,
        facts: &Facts<'_>,
        paths: &mut Paths<'s>,
        account: &mut Account<'s>,
    ) {
        let mut fields = account.draft(event.index);
        let mut open: Vec<PathIx> = Vec::new();
        let mut elements: Option<Vec<(usize, u32)>> = None;
        // Up to here an enclosing value is copied whole, and its contents are only read.
        let mut whole = 0;
        let list = places::is_list(event);
        if list && within.is_empty() {
            let (path, slot, raw) = (ROOT, Slot::Native, fields.carry_all(event.span));
            return self.rest.push(Rest { path, index: None, slot, raw, skipped: false });
        }
        for (number, &field) in event.fields().iter().enumerate() {
            if field.value.start < whole {
                self.view(&event, field, event.value(field));
                continue;
            }
            open.truncate(usize::from(field.depth));
            let parent = open.last().copied().unwrap_or(ROOT);
            if field.key == Span::NONE {
                let index = (list || !open.is_empty()).then(|| {
                    let elements =
                        elements.get_or_insert_with(|| places::elements(event, within, paths));
                    let found = elements.binary_search_by_key(&number, |(at, _)| *at);
                    found.map_or(0, |at| elements[at].1)
                });
                let (slot, raw) = (field.slot, fields.carry(number));
                self.rest.push(Rest { path: parent, index, slot, raw, skipped: false });
                continue;
            }
            let path = paths.member(parent, event.name(field));
            match field.hold {
                Hold::Open if moved == Some(field) => {
                    whole = field.value.end;
                    fields.carry_all(field.value);
                }
                Hold::Open if !is_whole(&field) && holds_more(event, field, within) => {
                    open.push(path);
                }
                Hold::View => self.view(&event, field, event.value(field)),
                Hold::Open => {
                    whole = field.value.end;
                    fields.carry_all(field.value);
                    self.own(event, number, path, facts, &mut fields);
                }
                Hold::Own => self.own(event, number, path, facts, &mut fields),
            }
        }
    }

    /// A value that is elsewhere in the record: its meaning is read here too.
    fn view(&mut self, event: &Event, field: Field, raw: &'s [u8]) {
        if let Some(key) = Key::of(field.slot, event.kind) {
            self.derive(key, raw, event.kind);
        }
    }

    fn derive(&mut self, key: Key, raw: &'s [u8], kind: Kind) {
        if self.canon[key as usize].is_none()
            && key != Key::EventType
            && let Some(text) = derived(key, raw, kind)
        {
            self.canon[key as usize] = Some(text);
            self.bind[key as usize] = Bind::Derived;
        }
    }

    fn own(
        &mut self,
        event: EventRef<'s>,
        number: usize,
        path: PathIx,
        facts: &Facts<'_>,
        fields: &mut Draft<'_, 's>,
    ) {
        let Some(value) = fields.take(number) else { return };
        let (slot, raw) = (event.fields()[number].slot, value.peek());
        let is_word = matches!(slot, Slot::Type | Slot::Role) && raw.first() == Some(&b'"');
        if is_word && raw.len() <= WORD {
            // Of two members with one name the first counts; the record's bytes have both.
            if self.words.iter().all(|(known, _)| *known != path) {
                self.words.push((path, fields.map(value, Cause::StatedOnce)));
            }
            return;
        }
        if let Some(fact) = Fact::of(slot)
            && facts.leaves_out(fact, raw)
        {
            if self.facts.iter().all(|(known, _)| *known != path) {
                self.facts.push((path, fact));
                self.stated.push(fields.map(value, Cause::StatedOnce));
            }
            return;
        }
        let raw = fields.put(value);
        if let Some(key) = Key::of(slot, event.kind)
            && !matches!(self.bind[key as usize], Bind::At(_))
        {
            if key.takes(raw) && stands(key, raw, event.kind) {
                self.canon[key as usize] = Some(Text::Raw(raw));
                self.bind[key as usize] = Bind::At(path);
                return;
            }
            self.derive(key, raw, event.kind);
        }
        self.rest.push(Rest { path, index: None, slot, raw, skipped: false });
    }

    /// Adds the canonical keys that the schema requires, and those that follow from others.
    fn complete(&mut self, event: EventRef<'s>, account: &mut Account<'s>) {
        if let Some(time) = event.said_at {
            self.otherwise(Key::Timestamp, Text::Made(Cow::Owned(time.rfc3339())));
        }
        match event.kind {
            Kind::ToolCall => {
                if let Some(name) = event.constant(Slot::Name) {
                    self.otherwise(Key::Name, Text::Made(Cow::Borrowed(name)));
                }
                self.make(Key::Name, Text::Made(Cow::Borrowed("unknown")), account);
                self.make(Key::Input, Text::Raw(b"{}"), account);
            }
            Kind::ToolResult => {
                self.make(Key::Output, Text::Raw(b"\"\""), account);
                match status(event) {
                    Some((status, true)) => self.otherwise(Key::Status, Text::Made(status)),
                    Some((status, false)) => self.make(Key::Status, Text::Made(status), account),
                    None => {}
                }
            }
            Kind::Reasoning => self.make(Key::Content, Text::Raw(b"\"\""), account),
            Kind::Notice => {
                self.event_type = match &self.canon[Key::EventType as usize] {
                    Some(Text::Raw(raw)) => value::text(raw).unwrap_or_default(),
                    Some(Text::Made(text)) => text.clone(),
                    None => event_type(event),
                };
                self.otherwise(Key::EventType, Text::Made(self.event_type.clone()));
            }
            Kind::Opaque => {
                self.event_type = Cow::Borrowed("opaque");
                self.otherwise(Key::EventType, Text::Raw(b"\"opaque\""));
            }
            Kind::User | Kind::Assistant => {}
        }
    }

    /// Gives a key a value that the session does not tell, and says so.
    fn make(&mut self, key: Key, text: Text<'s>, account: &mut Account<'s>) {
        if self.canon[key as usize].is_none() {
            let (place, cause) = made(key);
            self.canon[key as usize] = Some(account.make(place, cause, text));
            self.bind[key as usize] = Bind::Made;
        }
    }

    fn otherwise(&mut self, key: Key, text: Text<'s>) {
        let at = key as usize;
        if self.canon[at].is_none() {
            self.canon[at] = Some(text);
            self.bind[at] = Bind::Derived;
        }
    }
}

/// Whether a container is split in the record: an object's members become separate values, and so
/// do an array's elements if one of them is an event.
fn holds_more(event: EventRef<'_>, field: Field, within: &[EventIx]) -> bool {
    let start = |at: &EventIx| event.session().event(*at).span.start;
    let next = within.partition_point(|at| start(at) < field.value.start);
    event.value(field).first() == Some(&b'{')
        || within.get(next).is_some_and(|at| start(at) < field.value.end)
}

/// Whether the parts of a thought are joined to one text in the record.
fn is_joined(key: Key, raw: &[u8], kind: Kind) -> bool {
    key == Key::Content && kind == Kind::Reasoning && raw.first() == Some(&b'[')
}

/// Whether a value that its key allows also has the key's meaning there.
fn stands(key: Key, raw: &[u8], kind: Kind) -> bool {
    let odd = |byte: &u8| matches!(byte, b'_' | b'\\');
    match key {
        Key::EventType => raw.len() <= WORD && !raw.iter().any(odd),
        _ => !is_joined(key, raw, kind),
    }
}

/// The canonical form of a value that its key does not allow, if the value has one.
fn derived<'s>(key: Key, raw: &'s [u8], kind: Kind) -> Option<Text<'s>> {
    if is_joined(key, raw, kind) {
        return Some(Text::Made(value::said(raw)));
    }
    if key.takes(raw) {
        return Some(Text::Raw(raw));
    }
    match key {
        Key::Timestamp => UtcTime::read(raw).map(|time| Text::Made(Cow::Owned(time.rfc3339()))),
        Key::IsError => None,
        _ => value::text(raw).map(Text::Made),
    }
}

/// The place and the cause of a value that no session tells.
const fn made(key: Key) -> (&'static str, Cause) {
    match key {
        Key::Name => ("session.entries[].name", Cause::Required),
        Key::Input => ("session.entries[].input", Cause::Required),
        Key::Output => ("session.entries[].output", Cause::Required),
        Key::Status => ("session.entries[].status", Cause::NotSaid),
        _ => ("session.entries[].content", Cause::Required),
    }
}

/// Outcome of a tool's call: the format's word, or that of the result; and whether it is stated.
fn status<'s>(event: EventRef<'s>) -> Option<(Cow<'s, str>, bool)> {
    if let Some(constant) = event.constant(Slot::Status) {
        return Some((Cow::Borrowed(constant), true));
    }
    let word = if event.outcome()?.is_bad() { "error" } else { "success" };
    Some((Cow::Borrowed(word), event.states_outcome()))
}

/// Type of a notice: in the agent's words, with hyphens as in all canonical names. The innermost
/// word is the most specific.
fn event_type<'s>(event: EventRef<'s>) -> Cow<'s, str> {
    let short = |text: &Cow<'_, str>| !text.is_empty() && text.len() <= WORD;
    let words = event.fields().iter().rev().filter(|field| field.slot == Slot::Type);
    let name = event.text(Slot::Name).filter(short);
    let word = name.or_else(|| {
        let mut words = words.filter_map(|field| value::text(event.value(*field)));
        words.find(short)
    });
    match word {
        Some(word) if word.contains('_') => Cow::Owned(word.replace('_', "-")),
        Some(word) => word,
        None => Cow::Borrowed(event.case.name),
    }
}
