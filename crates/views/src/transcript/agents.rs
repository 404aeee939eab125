//! Sub-agents within a session: which of its calls started which of its streams.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use formats::turns::{Spawned, ToldAgent};
use meaning::Calls;
use meaning::usage::Tokens;
use session::{EventIx, EventRef, Kind, Outcome, Session, Slot, Standing, Stream, UtcTime};

use super::spending::{Spending, Spendings};
use crate::human::{counted, span};

/// The sums of a sub-agent, with the sub-agents that it started itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSum {
    /// The number of its calls; `None` if neither its history nor its result says it.
    pub calls: Option<u64>,
    /// The number of those that failed; `None` if its history is not in the session.
    pub failed: Option<u64>,
    /// The number of sub-agents that its call started.
    pub started: u64,
    /// The number of those whose history is not in the session.
    pub apart: u64,
    /// The number of sub-agents that it started itself.
    pub agents: u64,
    /// Its first time and its last one.
    pub time: Option<(UtcTime, UtcTime)>,
    /// The time that it worked, in microseconds.
    pub took: Option<i64>,
    /// The use of its answers.
    pub spending: Spending,
}

impl AgentSum {
    /// The sums that the result of a call has of a sub-agent whose history is not in the session.
    /// Its answers may be there nevertheless, in lines that report them.
    pub(super) fn told(told: ToldAgent, is_reported: bool) -> Self {
        let took = told.milliseconds.and_then(|took| i64::try_from(took).ok()?.checked_mul(1000));
        let tokens = Tokens { unsplit: told.tokens, ..Tokens::default() };
        let spending = Spending { tokens, ..Spending::default() };
        let apart = u64::from(!is_reported);
        Self { started: 1, apart, calls: told.calls, took, spending, ..Self::default() }
    }

    /// It in words: `12 calls, 1 failed · 3 min · 40k in, 9k out · $0.12`.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.calls.map(|calls| {
            let calls = counted(calls, "call", "calls");
            match self.failed {
                None | Some(0) => calls,
                Some(failed) => format!("{calls}, {failed} failed"),
            }
        }));
        if self.agents > 0 {
            words.push(counted(self.agents, "sub-agent", "sub-agents"));
        }
        words.extend(self.took.map(span));
        words.extend(self.spending.tokens_in_words());
        words.extend(self.spending.money_in_words());
        if words.is_empty() && self.apart > 0 {
            words.push(match self.apart {
                1 => "in a session of its own".to_owned(),
                apart => format!("in {apart} sessions of their own"),
            });
        }
        words.join(" \u{b7} ")
    }

    fn add(&mut self, event: EventRef<'_>, calls: &Calls) {
        if let Some(at) = event.when() {
            let (from, to) = self.time.unwrap_or((at, at));
            self.time = Some((from.min(at), to.max(at)));
        }
        if event.kind == Kind::ToolCall {
            let result = calls.result(event.index).map(|at| event.session().event(at));
            let outcome = result.and_then(EventRef::outcome);
            let bad = u64::from(outcome.is_some_and(Outcome::is_bad));
            self.calls = Some(self.calls.unwrap_or(0) + 1);
            self.failed = Some(self.failed.unwrap_or(0) + bad);
        }
    }
}

/// The streams of sub-agents, with their events, by the call that started each.
#[derive(Debug, Default)]
pub(super) struct SubAgents<'s> {
    /// The streams that each call started.
    started: BTreeMap<EventIx, Vec<&'s Stream>>,
    /// The number of sub-agents with sessions of their own that each call started.
    apart: BTreeMap<EventIx, u64>,
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
        Self { started, apart: apart(session), events }
    }

    /// The calls that started the streams.
    pub(super) fn calls(&self) -> HashMap<&'s Stream, EventIx> {
        let streams = self.started.iter().flat_map(|(call, all)| all.iter().map(|of| (*of, *call)));
        streams.collect()
    }

    /// The number of sub-agents with sessions of their own that a call started.
    fn apart(&self, call: EventIx) -> u64 {
        self.apart.get(&call).copied().unwrap_or_default()
    }

    /// Whether a call tells the events of this stream.
    pub(super) fn holds(&self, event: EventRef<'_>) -> bool {
        match event.stream() {
            Stream::Sub(stem) => self.events.contains_key(stem.as_str()),
            Stream::Main => false,
        }
    }

    /// The sums of the sub-agents that a call started; `None` if there are no such.
    pub(super) fn sum(
        &self,
        call: EventRef<'s>,
        calls: &Calls,
        spendings: &Spendings<'s>,
    ) -> Option<AgentSum> {
        let apart = self.apart(call.index);
        let started = self.started.get(&call.index);
        let mut sum = AgentSum { started: apart, apart, ..AgentSum::default() };
        let Some(mut streams) = started.cloned() else { return (apart > 0).then_some(sum) };
        sum.started += streams.len() as u64;
        (sum.calls, sum.failed) = (Some(0), Some(0));
        sum.spending.apart = apart;
        while let Some(stream) = streams.pop() {
            if let Some(spent) = spendings.of_stream(stream) {
                sum.spending.add(spent);
            }
            let Stream::Sub(stem) = stream else { continue };
            let tops = self.events.get(stem.as_str()).into_iter().flatten();
            let mut events: Vec<EventRef<'_>> =
                tops.map(|top| call.session().event(*top)).collect();
            while let Some(event) = events.pop() {
                if !event.held_standing().is_conversation() {
                    continue;
                }
                events.extend(event.children());
                sum.add(event, calls);
                let inner = self.started.get(&event.index).into_iter().flatten();
                let apart = self.apart(event.index);
                sum.agents += apart;
                sum.spending.apart += apart;
                for stream in inner {
                    sum.agents += 1;
                    streams.push(stream);
                }
            }
        }
        sum.took = sum.time.and_then(|(from, to)| to.0.checked_sub(from.0));
        Some(sum)
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

/// The number of sub-agents with sessions of their own that each call started, as the records of
/// the session name them. The call that names a sub-agent first started it.
fn apart(session: &Session) -> BTreeMap<EventIx, u64> {
    let mut apart = BTreeMap::new();
    let Some(format) = formats::by_name(session.format) else { return apart };
    let mut seen = HashSet::new();
    let named = session.events().filter_map(format.data().turns.spawned);
    let named: Vec<Spawned> = named.filter(|named| seen.insert(named.session.clone())).collect();
    if named.is_empty() {
        return apart;
    }
    let mut calls: HashMap<Cow<'_, str>, EventIx> = HashMap::new();
    for event in session.events().filter(|event| event.kind == Kind::ToolCall) {
        if let Some(id) = event.text(Slot::Call)
            && event.standing != Standing::Echo
        {
            calls.entry(id).or_insert(event.index);
        }
    }
    for call in named.iter().filter_map(|named| calls.get(&*named.call)) {
        *apart.entry(*call).or_default() += 1;
    }
    apart
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
