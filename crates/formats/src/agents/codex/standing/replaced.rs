//! The list with which a compaction replaced the history (`replacement_history`): the context from
//! there on. Mostly it begins with what was said before, so that an item has its place twice.
//!
//! An item that repeats an earlier event is an echo of it, and that event stays in the context: it
//! has a time, and its place is where it was said. In the newest list this holds for the items at
//! its beginning, as far as all of them are found in their order. The others are the context
//! themselves, and their repetitions before are compacted.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use session::{EventIx, EventRef, Injected, Kind, Node, Scan, Session, Slot, Standing, value};

use super::Survey;

/// A compaction with its list.
pub(super) struct Replaced {
    /// The compaction.
    pub(super) at: EventIx,
    /// The items of its list, in order.
    pub(super) items: Vec<EventIx>,
}

/// Sets the echoes of the lists of a history. Returns the events before the newest compaction that
/// stay in the context.
pub(super) fn settle(
    history: &[&Survey<'_>],
    newest: Option<EventIx>,
    standings: &mut [Standing],
) -> Vec<EventIx> {
    let mut kept = Vec::new();
    if history.iter().all(|survey| survey.replaced.is_empty()) {
        return kept;
    }
    let mut known = Known::default();
    for survey in history {
        let session = survey.session;
        let mut lists = survey.replaced.iter().peekable();
        for at in survey.range.clone() {
            if let Some(list) = lists.next_if(|list| list.at == at) {
                match (Some(at) == newest, session.event(at).injected) {
                    // Without a list, the prompts stay, and the text of the compaction follows.
                    (true, Some(_)) => kept = known.prompts(session),
                    (true, None) => kept = known.beginning(survey, list, standings),
                    (false, _) => known.repeated(survey, list, standings),
                }
            }
            known.add(session.event(at), standings);
        }
    }
    kept
}

/// Identity of what was said: its kind, and its content or its call.
type Identity<'s> = (Kind, Cow<'s, [u8]>);

fn identity<'s>(event: EventRef<'s>, scan: &mut Scan) -> Option<Identity<'s>> {
    let slot = match event.kind {
        Kind::User | Kind::Assistant | Kind::Reasoning => Slot::Content,
        Kind::ToolCall | Kind::ToolResult => Slot::Call,
        Kind::Notice | Kind::Opaque => return None,
    };
    Some((event.kind, content(event.raw(slot)?, scan)))
}

/// A content by its parts: the type and the text of each, whatever the order of their members. A
/// program that takes secrets out of a session may write the members of a list anew, in another
/// order than those of the lines.
fn content<'r>(raw: &'r [u8], scan: &mut Scan) -> Cow<'r, [u8]> {
    let parts = |root: Node<'_>| {
        let mut parts = Vec::with_capacity(raw.len());
        for part in root.elements() {
            match part.word(&["text"]) {
                Some(text) => {
                    parts.extend_from_slice(part.word(&["type"]).unwrap_or_default());
                    parts.push(b' ');
                    parts.extend_from_slice(value::unescape(text).as_bytes());
                }
                None => parts.extend_from_slice(part.raw()),
            }
            parts.push(0);
        }
        parts
    };
    match raw.first() {
        Some(b'[') => {
            let doc = scan.read(raw, 0);
            doc.map_or(Cow::Borrowed(raw), |doc| Cow::Owned(parts(doc.root())))
        }
        _ => Cow::Borrowed(raw),
    }
}

/// The events of a history so far that may be repeated, by their identity, in order.
#[derive(Default)]
struct Known<'s> {
    events: HashMap<Identity<'s>, Vec<EventIx>, RandomState>,
    /// The reader of contents, which keeps its buffers.
    scan: RefCell<Scan>,
}

impl<'s> Known<'s> {
    fn add(&mut self, event: EventRef<'s>, standings: &[Standing]) {
        if standings[event.index as usize].is_live()
            && let Some(identity) = identity(event, self.scan.get_mut())
        {
            self.events.entry(identity).or_default().push(event.index);
        }
    }

    /// The events that an item of a list repeats; `None` for an item that is no conversation.
    fn of(&self, item: EventRef<'s>) -> Option<&[EventIx]> {
        let identity = identity(item, &mut self.scan.borrow_mut())?;
        Some(self.events.get(&identity).map_or(&[], Vec::as_slice))
    }

    fn prompts(&self, session: &Session) -> Vec<EventIx> {
        let all = self.events.values().flatten().copied();
        let typed = |at: &EventIx| {
            let event = session.event(*at);
            event.kind == Kind::User && event.injected.is_none()
        };
        all.filter(typed).collect()
    }

    /// Sets the echoes of a list that a newer one replaced.
    fn repeated(&self, survey: &Survey<'s>, list: &Replaced, standings: &mut [Standing]) {
        for &item in &list.items {
            if self.of(survey.session.event(item)).is_some_and(|known| !known.is_empty()) {
                echo(item, standings);
            }
        }
    }

    /// Sets the echoes at the beginning of the newest list. Returns what they repeat.
    fn beginning(
        &self,
        survey: &Survey<'s>,
        list: &Replaced,
        standings: &mut [Standing],
    ) -> Vec<EventIx> {
        // The agent's own texts are no conversation: they stay in the list.
        let said = |item: &EventIx| {
            let event = survey.session.event(*item);
            let said = event.injected != Some(Injected::Context);
            said.then(|| self.of(event)).flatten().map(|known| (*item, known))
        };
        let items: Vec<(EventIx, &[EventIx])> = list.items.iter().filter_map(said).collect();
        // As many as are found in order, each as early as possible ...
        let mut count = 0;
        let mut from = 0;
        for (_, known) in &items {
            let Some(&at) = known.get(known.partition_point(|&at| at < from)) else { break };
            (from, count) = (at + 1, count + 1);
        }
        // ... and then each as late as possible: a list keeps the newest.
        let mut kept = Vec::new();
        let mut until = list.at;
        for (item, known) in items[..count].iter().rev() {
            let before = known.partition_point(|&at| at < until);
            let Some(&at) = before.checked_sub(1).and_then(|at| known.get(at)) else { break };
            echo(*item, standings);
            kept.push(at);
            until = at;
        }
        kept
    }
}

fn echo(item: EventIx, standings: &mut [Standing]) {
    if standings[item as usize].is_live() {
        standings[item as usize] = Standing::Echo;
    }
}
