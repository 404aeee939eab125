//! Transcript of a session, as items in source order: prompts, answers, thoughts, tool calls with
//! their results, notices. It is data, and its caller (a terminal, a page, a program) lays it out.
//!
//! Items are made on demand, so the transcript of a long session needs little memory. It contains
//! credentials, unless they were withheld from the session ([`meaning::secret::withheld`]).

use std::collections::{BTreeMap, HashMap, HashSet};

use formats::{calls, effects};
use meaning::conversation::{self, TalkPart};
use meaning::{Calls, Timing, facts, turn};
use replay::Change;
use session::{EventIx, EventRef, Kind, Session, Slot};

mod agents;
mod answered;
mod call;
mod change;
mod groups;
mod item;
mod kinds;
mod lines;
mod media;
mod picture;
mod spending;
mod texts;
mod turns;

pub use agents::AgentSum;
use agents::SubAgents;
pub use answered::Answered;
pub use change::{DiffLine, FileDiff, FileFate, counts, counts_of};
pub use groups::{CallGroup, groups};
pub use item::{Body, Call, Detail, Hidden, Item, Notice, Said, Thought};
pub use kinds::{CallKind, did};
pub use media::Media;
pub use picture::Picture;
pub use spending::{ListPrice, Spending, Spendings};
pub use texts::{ItemText, SessionText, TalkSection, texts, texts_with_title};
pub use turns::{ByTurn, FileSum, TurnItems, TurnSum};

/// Iterator over a session's items, in source order.
pub struct Transcript<'s> {
    session: &'s Session,
    detail: Detail,
    calls: Calls,
    top: Box<dyn Iterator<Item = EventRef<'s>> + 's>,
    /// Children of visited events that are still to come, the next one last.
    waiting: Vec<EventRef<'s>>,
    /// Whether each event is already shown: a call, or a result with its call.
    shown: Vec<bool>,
    hidden: BTreeMap<Hidden, u64>,
    agents: SubAgents<'s>,
    /// The sub-agents whose items are being drawn, the innermost last.
    within: Vec<Within<'s>>,
    /// The session's folder, to which targets are relative.
    folder: Option<String>,
    /// The changes of files by calls; `None` if nobody asked.
    changes: Option<Changes>,
    /// The use of the answers; empty without [`Transcript::with_spending`].
    spendings: Spendings<'s>,
    /// The sums of the sub-agents by the calls that started them, if they were given.
    sums: Option<HashMap<EventIx, AgentSum>>,
    /// The first turn and the last one that are drawn.
    from: u64,
    to: u64,
    /// The number of prompts so far.
    turn: u64,
}

/// The changes of files by the calls that made them.
type Changes = BTreeMap<EventIx, Vec<(String, Change)>>;

/// A sub-agent whose items are being drawn.
struct Within<'s> {
    events: std::vec::IntoIter<EventIx>,
    /// The events that wait until it is drawn.
    waiting: Vec<EventRef<'s>>,
    /// Whether the call that started it is known.
    called: bool,
}

impl std::fmt::Debug for Transcript<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transcript").finish_non_exhaustive()
    }
}

impl<'s> Transcript<'s> {
    /// The transcript of a session.
    #[must_use]
    pub fn of(session: &'s Session, detail: Detail) -> Self {
        Self {
            session,
            detail,
            calls: Calls::of(session),
            top: Box::new(session.top()),
            waiting: Vec::new(),
            shown: vec![false; session.len()],
            hidden: BTreeMap::new(),
            agents: SubAgents::of(session),
            within: Vec::new(),
            folder: facts::folder(session).map(|folder| folder.into_owned()),
            changes: None,
            spendings: Spendings::default(),
            sums: None,
            from: 0,
            to: u64::MAX,
            turn: 0,
        }
    }

    /// The same, with what calls changed in files.
    #[must_use]
    pub fn with_changes(mut self) -> Self {
        self.changes = Some(effects::shown(self.session));
        self
    }

    /// The same for these calls, and results without a call, alone.
    #[must_use]
    pub fn with_changes_of(mut self, events: &HashSet<EventIx>) -> Self {
        self.changes = Some(effects::shown_of(self.session, &|event| events.contains(&event)));
        self
    }

    /// The same, with the use of its answers. `price` gives list prices.
    #[must_use]
    pub fn with_spending(mut self, price: &ListPrice<'_>) -> Self {
        self.spendings = Spendings::of(self.session, price, &self.agents.calls());
        self
    }

    /// The same, with the sums of sub-agents that are in the facts of its turns: nothing is added
    /// up again.
    #[must_use]
    pub fn with_sums_of(mut self, turns: &[TurnSum]) -> Self {
        let all = turns.iter().flat_map(|turn| &turn.delegated);
        self.sums = Some(all.map(|(call, _, sum)| (*call, sum.clone())).collect());
        self
    }

    /// The same, turn by turn.
    #[must_use]
    pub fn by_turn(self) -> ByTurn<'s> {
        ByTurn::of(self)
    }

    /// Whether it has all turns.
    const fn is_whole(&self) -> bool {
        self.from == 0 && self.to == u64::MAX
    }

    /// Whether the items of a turn are drawn.
    fn draws(&self, turn: u64) -> bool {
        (self.from..=self.to).contains(&turn)
    }

    /// Whether an event is of a turn that is not drawn: then it is not made an item, and what the
    /// later ones depend on is noted.
    fn passes(&mut self, event: EventRef<'s>) -> bool {
        let opens = u64::from(event.kind == Kind::User && turn::opens(event));
        if self.draws(self.turn + opens) {
            return false;
        }
        self.turn += opens;
        if event.kind == Kind::ToolCall {
            self.show_call(event);
            self.enter(event.index);
        }
        true
    }

    /// The same, with the items of some turns only: from the first to the last.
    #[must_use]
    pub fn of_turns(mut self, turns: Option<(u64, u64)>) -> Self {
        (self.from, self.to) = turns.unwrap_or((0, u64::MAX));
        self
    }

    /// Numbers of items that a brief transcript has omitted so far from the turns that it has, by
    /// reason. Events within an omitted event are not counted.
    #[must_use]
    pub const fn hidden(&self) -> &BTreeMap<Hidden, u64> {
        &self.hidden
    }

    fn leaves_out(&mut self, hidden: Option<Hidden>) -> bool {
        let Some(hidden) = hidden.filter(|_| self.detail == Detail::Brief) else { return false };
        if self.draws(self.turn) {
            *self.hidden.entry(hidden).or_default() += 1;
        }
        true
    }

    /// The item of an event. `None` if it has no content, or is part of another item.
    fn item(&mut self, event: EventRef<'s>) -> Option<Item<'s>> {
        let part = conversation::of(event).part;
        let (body, hidden) = match event.kind {
            Kind::User if turn::opens(event) => {
                self.turn += 1;
                let said = match self.detail {
                    Detail::Brief => Said::prompt(event),
                    Detail::Whole => Said::of(event),
                };
                (Body::Prompt(said), None)
            }
            Kind::User | Kind::Assistant => {
                let said = Said::of(event).something()?;
                let outside = matches!(part, TalkPart::Nothing(_));
                let body = match event.kind {
                    Kind::Assistant if !outside => Body::Answer(said),
                    _ => Body::Injected(said),
                };
                (body, outside.then_some(Hidden::Injected))
            }
            Kind::Reasoning => (Body::Thought(Thought::of(event)?), None),
            Kind::ToolCall => (Body::Call(self.call(event)), None),
            Kind::ToolResult => self.result(event)?,
            Kind::Notice | Kind::Opaque => {
                let notice = Notice::of(event);
                let hidden = match event.kind {
                    _ if notice.summary => None,
                    Kind::Opaque => Some(Hidden::Unreadable),
                    _ => Some(Hidden::Notice),
                };
                (Body::Notice(notice), hidden)
            }
        };
        let hidden = Hidden::of(event.held_standing()).or(hidden);
        let depth = self.within.iter().filter(|within| within.called).count();
        Some(Item { event, part, turn: self.turn, depth, body, hidden })
    }

    /// Notes that a call is shown, and its result with it, which it returns.
    fn show_call(&mut self, event: EventRef<'s>) -> Option<EventRef<'s>> {
        self.shown[event.index as usize] = true;
        let result = self.calls.result(event.index).map(|result| self.session.event(result));
        // A brief transcript shows no result that it would omit, not even with its call.
        let whole = self.detail == Detail::Whole;
        let result = result.filter(|result| whole || result.held_standing().is_conversation());
        if let Some(result) = result {
            self.shown[result.index as usize] = true;
        }
        result
    }

    fn call(&mut self, event: EventRef<'s>) -> Call<'s> {
        let result = self.show_call(event);
        let name = event.text(Slot::Name);
        let report = calls::report(event).map(String::into_boxed_str);
        let target = || call::target(event).map(|target| self.within_folder(target));
        // The beginning of a report is no target: it is shown whole.
        let target = if report.is_none() { target() } else { None };
        let files =
            self.changes.as_mut().map(|changes| change::diffs(event, changes.remove(&event.index)));
        Call {
            event,
            name,
            served: calls::served(event),
            target,
            report,
            files: files.unwrap_or_default(),
            kind: CallKind::of(event),
            timing: Timing::of(event, result),
            agent: self.agent(event, result).map(Box::new),
            starts: false,
            answered: result.map(Answered::of),
        }
    }

    /// The sums of the sub-agents that a call started: by their histories, else by its result.
    fn agent(&self, call: EventRef<'s>, result: Option<EventRef<'s>>) -> Option<AgentSum> {
        if let Some(sums) = &self.sums {
            return sums.get(&call.index).cloned();
        }
        let told = || {
            let format = formats::ALL.iter().find(|format| format.name() == self.session.format)?;
            let told = (format.data().turns.told_agent)(result?)?;
            Some(AgentSum::told(told, self.spendings.is_reported(call)))
        };
        self.agents.sum(call, &self.calls, &self.spendings).or_else(told)
    }

    /// A target relative to the session's folder, if it is a path within it.
    fn within_folder(&self, target: String) -> String {
        let folder = self.folder.as_deref().map(|folder| folder.trim_end_matches(['/', '\\']));
        let within = folder.filter(|folder| !folder.is_empty());
        let within =
            within.and_then(|folder| target.strip_prefix(folder)?.strip_prefix(['/', '\\']));
        within.filter(|path| !path.is_empty()).map(str::to_owned).unwrap_or(target)
    }

    /// Whether a result comes before its call, which will show it.
    fn is_before(&self, result: EventRef<'s>, call: EventIx) -> bool {
        let shows = self.detail == Detail::Whole
            || Hidden::of(self.session.event(call).held_standing()).is_none()
                && result.held_standing().is_conversation();
        shows && !self.shown[call as usize] && self.calls.result(call) == Some(result.index)
    }

    /// Tells the items of the sub-agents that a call started next, if there are any.
    fn enter(&mut self, call: EventIx) -> bool {
        let events = self.agents.take(call);
        if events.is_empty() {
            return false;
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.within.push(Within { events: events.into_iter(), waiting, called: true });
        true
    }

    /// The next top-level event: of the innermost sub-agent, else of the session, else of a
    /// sub-agent whose call was not drawn.
    fn upcoming(&mut self) -> Option<EventRef<'s>> {
        loop {
            if let Some(within) = self.within.last_mut() {
                if let Some(event) = within.events.next() {
                    return Some(self.session.event(event));
                }
                self.waiting = std::mem::take(&mut within.waiting);
                self.within.pop();
                match self.waiting.pop() {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            match self.top.next() {
                Some(event) if self.agents.holds(event) => {}
                Some(event) => return Some(event),
                None => {
                    let events = self.agents.rest()?.into_iter();
                    self.within.push(Within { events, waiting: Vec::new(), called: false });
                }
            }
        }
    }

    /// The item of a result that is not shown with its call.
    fn result(&mut self, event: EventRef<'s>) -> Option<(Body<'s>, Option<Hidden>)> {
        if self.shown[event.index as usize] {
            return None;
        }
        let call = self.calls.call(event.index);
        if call.is_some_and(|call| self.is_before(event, call)) {
            return None;
        }
        let further = call.is_some_and(|call| self.shown[call as usize]);
        let target = call::target(event).map(|target| self.within_folder(target));
        let answered = Answered::of(event);
        let hidden = further.then_some(Hidden::FurtherResult);
        let changes = self.changes.as_mut().and_then(|changes| changes.remove(&event.index));
        let files = changes.map(|changes| change::diffs(event, Some(changes))).unwrap_or_default();
        Some((Body::Result { answered, further, target, files }, hidden))
    }
}

impl<'s> Iterator for Transcript<'s> {
    type Item = Item<'s>;

    fn next(&mut self) -> Option<Item<'s>> {
        // Turns come in order: behind the last one that is drawn, nothing is to be looked for.
        while self.turn <= self.to {
            let event = self.waiting.pop().or_else(|| self.upcoming())?;
            if self.leaves_out(Hidden::of(event.held_standing())) {
                continue;
            }
            let from = self.waiting.len();
            self.waiting.extend(event.children());
            self.waiting[from..].reverse();
            if self.passes(event) {
                continue;
            }
            let Some(mut item) = self.item(event) else { continue };
            if let Body::Call(call) = &mut item.body {
                call.starts = self.enter(event.index);
            }
            if !self.leaves_out(item.hidden) {
                return Some(item);
            }
        }
        None
    }
}
