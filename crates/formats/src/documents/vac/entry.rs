//! Entries: each event with its children becomes one entry, its fields in their places.

use std::collections::HashSet;

use meaning::account::Account;
use session::Sorting as _;
use session::{EventIx, EventRef, Injected, Kind, NO_EVENT, Scan, Session, Slot, Standing};

use super::keys::{KEYS, Key, is_reserved, type_word};
use super::layout::{Bind, LayoutIx, Layouts, PLAIN, Shape, Stand, write_made};
use super::plan::{Plan, Text};
use super::position::{NOTHING, Telling};
use crate::documents::shared::clean;
use crate::documents::shared::facts::Facts;
use crate::documents::shared::out::Out;
use crate::documents::shared::paths::{PathIx, Paths, ROOT};
use crate::documents::shared::places::{Place, places};

/// Writes the entries of a session.
pub(super) struct Entries<'s> {
    pub(super) session: &'s Session,
    facts: &'s Facts<'s>,
    pub(super) paths: Paths<'s>,
    layouts: Layouts<'s>,
    pub(super) places: Vec<Place>,
    within: Vec<Vec<EventIx>>,
    /// For each event its first child, and its next sibling.
    first: Vec<EventIx>,
    next: Vec<EventIx>,
    /// For each record: whether only its bytes represent it, and whether an entry has these
    /// already.
    unfit: Vec<bool>,
    sent: Vec<bool>,
    scan: Scan,
    pub(super) account: Account<'s>,
}

impl<'s> Entries<'s> {
    pub(super) fn new(session: &'s Session, facts: &'s Facts<'s>, account: Account<'s>) -> Self {
        let mut paths = Paths::new();
        let (places, within) = places(session, &mut paths);
        let mut first = vec![NO_EVENT; session.len()];
        let mut next = vec![NO_EVENT; session.len()];
        for event in nested(session).into_iter().rev() {
            let parent = session.event(event).parent as usize;
            next[event as usize] = std::mem::replace(&mut first[parent], event);
        }
        let mut scan = Scan::counting(session.counts);
        let mut unfit: Vec<bool> = Vec::with_capacity(session.records.len());
        for record in &session.records {
            unfit.push(clean::is_unfit(session.record_bytes(record), &mut scan));
        }
        let sent = vec![false; unfit.len()];
        let layouts = Layouts::default();
        Self {
            session,
            facts,
            paths,
            layouts,
            places,
            within,
            first,
            next,
            unfit,
            sent,
            scan,
            account,
        }
    }

    /// Writes all entries as an array.
    pub(super) fn write(&mut self, out: &mut Out<'_>) {
        out.open_array_of(self.session.top().count());
        let mut last = NOTHING;
        for event in self.session.top() {
            let telling = self.tell_top(event, &mut last);
            self.entry(event, telling, out);
        }
        out.close_array();
    }

    /// Writes the layouts that the entries refer to.
    pub(super) fn write_layouts(&self, out: &mut Out<'_>) {
        self.layouts.write(&self.paths, out);
    }

    fn entry(&mut self, event: EventRef<'s>, telling: Telling, out: &mut Out<'_>) {
        let within = self.within.get(event.index as usize).map_or(&[][..], Vec::as_slice);
        let plan = Plan::of(event, within, self.facts, &mut self.paths, &mut self.account);
        let shape = Shape {
            kind: event.kind,
            event_type: &plan.event_type,
            bind: plan.bind,
            words: &plan.words,
            facts: &plan.facts,
            stand: telling.stand,
            also: telling.also,
            injected: injected(event),
        };
        let found = self.layouts.find(&shape);
        let layout = found.map(|(layout, _)| layout);
        out.open();
        out.member("type", type_word(event.kind));
        let telling = match layout {
            Some(_) => telling,
            None => self.tell_all(event, telling),
        };
        let mut native = Vec::new();
        self.canonical(event, &plan, layout, out);
        self.flat(event, &plan, layout, &mut native, out);
        self.children(event, out);
        let ours = Ours { event, telling, found, native, bind: &plan.bind };
        self.ours(ours, out);
        out.close();
    }

    fn value(&mut self, event: EventRef<'s>, raw: &[u8], out: &mut Out<'_>) {
        match self.unfit[event.origin.record as usize] {
            true => clean::write_fit(raw, out, &mut self.scan),
            false => out.raw(raw),
        }
    }

    fn canonical(
        &mut self,
        event: EventRef<'s>,
        plan: &Plan<'s>,
        layout: Option<LayoutIx>,
        out: &mut Out<'_>,
    ) {
        for key in Key::ENTRY {
            match &plan.canon[key as usize] {
                None => {}
                Some(_) if key == Key::TokenUsage => self.usage(event, plan, layout, out),
                Some(Text::Raw(raw)) => {
                    out.key(key.word());
                    self.value(event, raw, out);
                }
                Some(Text::Made(text)) => out.member(key.word(), text),
            }
        }
    }

    fn usage(
        &mut self,
        event: EventRef<'s>,
        plan: &Plan<'s>,
        layout: Option<LayoutIx>,
        out: &mut Out<'_>,
    ) {
        out.key(Key::TokenUsage.word());
        out.open();
        for (key, _) in Key::COUNTERS {
            if let Some(Text::Raw(raw)) = plan.canon[key as usize] {
                out.key(key.word());
                self.value(event, raw, out);
            }
        }
        let mut seen: HashSet<PathIx> = HashSet::new();
        for count in &plan.counts {
            if self.unfit[event.origin.record as usize] && !seen.insert(count.path) {
                continue;
            }
            if let (Some(layout), true) = (layout, count.slot != Slot::Native) {
                self.layouts.slot(layout, count.path, count.slot);
            }
            out.key(self.paths.key(count.path));
            self.value(event, count.raw, out);
        }
        out.close();
    }

    /// Writes the values that can be flattened, and passes the rest to `native`.
    fn flat(
        &mut self,
        event: EventRef<'s>,
        plan: &Plan<'s>,
        layout: Option<LayoutIx>,
        native: &mut Vec<(String, &'s [u8])>,
        out: &mut Out<'_>,
    ) {
        let unfit = self.unfit[event.origin.record as usize];
        let mut seen: HashSet<PathIx> = HashSet::new();
        // Of the values with one meaning the first counts. The native ones come last in an entry,
        // so that none of these may be flat behind a native one.
        let mut late: Vec<Slot> = Vec::new();
        let rows = event.case.map.rows;
        for rest in &plan.rest {
            if unfit && rest.index.is_none() && !seen.insert(rest.path) {
                continue;
            }
            let key = self.paths.key(rest.path);
            let meant = rest.slot != Slot::Native;
            // The name of a value at the top stays free for it.
            let taken = || !self.paths.is_top(rest.path) && rows.iter().any(|row| row.text == key);
            // Among equal keys, one that doesn't count must not be read as one that does.
            let may = !unfit
                && !(meant && (late.contains(&rest.slot) || taken()))
                && !rest.skipped
                && rest.index.is_none()
                && rest.path != ROOT
                && !is_reserved(key, rest.raw, event.kind);
            let Some(layout) = layout else {
                native.push((self.pointer(rest.path, rest.index), rest.raw));
                continue;
            };
            if rest.slot != Slot::Native {
                self.layouts.slot(layout, rest.path, rest.slot);
            }
            if may && self.layouts.flat(layout, rest.path, &self.paths) {
                out.key(self.paths.key(rest.path));
                self.value(event, rest.raw, out);
            } else {
                late.extend(Some(rest.slot).filter(|_| meant));
                native.push((self.pointer(rest.path, rest.index), rest.raw));
            }
        }
        if layout.is_none() {
            self.state_all(plan, native);
        }
    }

    /// Writes every native value at its path, for an entry without a layout.
    fn state_all(&self, plan: &Plan<'s>, native: &mut Vec<(String, &'s [u8])>) {
        let words = plan.words.iter().copied();
        let facts = plan.facts.iter().map(|(path, _)| *path).zip(plan.stated.iter().copied());
        let keys = Key::ENTRY.into_iter().chain(Key::COUNTERS.map(|(key, _)| key));
        let bound = keys.filter(|key| *key != Key::TokenUsage).filter_map(|key| {
            match (plan.bind[key as usize], &plan.canon[key as usize]) {
                (Bind::At(path), Some(Text::Raw(raw))) => Some((path, *raw)),
                _ => None,
            }
        });
        let moved = matches!(plan.bind[Key::TokenUsage as usize], Bind::At(_));
        let counts = plan.counts.iter().filter(|_| moved).map(|count| (count.path, count.raw));
        for (path, raw) in words.chain(facts).chain(bound).chain(counts) {
            native.push((self.paths.pointer(path), raw));
        }
    }

    fn children(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        let mut child = self.first[event.index as usize];
        if child == NO_EVENT {
            return;
        }
        out.key("children");
        out.open_array();
        let mut last = NOTHING;
        while child != NO_EVENT {
            let within = self.session.event(child);
            let telling = self.tell_child(within, &mut last);
            self.entry(within, telling, out);
            child = self.next[child as usize];
        }
        out.close_array();
    }

    /// Writes the extension object, if it is not empty.
    fn ours(&mut self, ours: Ours<'_, 's>, out: &mut Out<'_>) {
        let Ours { event, telling, found, native, bind } = ours;
        let record = event.origin.record as usize;
        let bytes = (self.unfit[record] || event.kind == Kind::Opaque)
            && !std::mem::replace(&mut self.sent[record], true);
        // A layout has the mark for all its entries.
        let injected = injected(event).filter(|_| found.is_none());
        let first = found.is_some_and(|(_, first)| first);
        let live = event.standing() == Standing::Live;
        let told = telling.from.is_none() && telling.at.is_none();
        if live && injected.is_none() && first && told && native.is_empty() && !bytes {
            return;
        }
        out.key("verbatim");
        out.open();
        if !live {
            out.member("standing", event.standing().word());
        }
        if let Some(reason) = injected {
            write_injected(reason, out);
        }
        if !first {
            out.member("case", found.map_or(PLAIN, |(layout, _)| self.layouts.name(layout)));
        }
        if found.is_none() && telling.stand == Stand::Covered {
            out.flag("covered");
        }
        if found.is_none() {
            write_made(bind, out);
        }
        if let Some(from) = telling.from {
            out.key("from");
            out.number(u64::from(from));
        }
        if let Some(at) = telling.at {
            out.key("at");
            out.raw(&at);
        }
        if !native.is_empty() {
            out.key("native");
            out.open();
            let mut seen: HashSet<&str> = HashSet::new();
            for (pointer, raw) in &native {
                if !self.unfit[record] || seen.insert(pointer) {
                    out.key(pointer);
                    self.value(event, raw, out);
                }
            }
            out.close();
        }
        if bytes {
            out.key("bytes");
            out.base64(self.account.record(event.origin.record));
        }
        out.close();
    }
}

/// The events within others, in their positions.
pub(super) fn nested(session: &Session) -> Vec<EventIx> {
    let nested = session.events().filter(|event| event.parent != NO_EVENT);
    let mut nested: Vec<EventIx> = nested.map(|event| event.index).collect();
    nested.in_order_by_key(|event| session.event(*event).place);
    nested
}

/// The input of [`Entries::ours`] for an entry.
struct Ours<'p, 's> {
    bind: &'p [Bind; KEYS],
    event: EventRef<'s>,
    telling: Telling,
    /// The layout, and whether it is the first of its type.
    found: Option<(LayoutIx, bool)>,
    native: Vec<(String, &'s [u8])>,
}

/// The reason why a text is not a person's or the model's.
fn injected(event: EventRef<'_>) -> Option<Injected> {
    let is_text = matches!(event.kind, Kind::User | Kind::Assistant);
    event.injected.filter(|reason| is_text || *reason == Injected::Summary)
}

/// Writes the reason why a text is not a person's or the model's: mostly it is the agent's own.
pub(super) fn write_injected(reason: Injected, out: &mut Out<'_>) {
    match reason {
        Injected::Context => out.flag("injected"),
        reason => out.member("injected", reason.word()),
    }
}
