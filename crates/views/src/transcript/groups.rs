//! Groups of calls: a run of calls of one kind, or of calls that ran at the same time, which a form
//! may fold. A form never folds a failure.

use std::borrow::Cow;
use std::collections::BTreeMap;

use session::Outcome;

use super::kinds::named;
use super::{Body, Call, CallKind, Item};
use crate::human::span;

/// The smallest number of calls of a group.
const LEAST: usize = 3;

/// A run of calls that follow each other in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallGroup {
    /// The place of the first one among the items.
    pub from: usize,
    /// The number of items.
    pub len: usize,
    /// The number of calls by kind.
    pub kinds: BTreeMap<CallKind, u64>,
    /// The number of those that ran at the same time as another one.
    pub parallel: u64,
    /// The number of those that failed.
    pub failed: u64,
    /// From the begin of the first one to the last end, in microseconds; `None` if a time is not
    /// known.
    pub took: Option<i64>,
}

impl CallGroup {
    /// Its name: `Read 5 files · 3 in parallel · 2 s`.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = vec![named(&self.kinds)];
        if self.parallel > 0 {
            words.push(format!("{} in parallel", self.parallel));
        }
        words.extend(self.took.map(span));
        if self.failed > 0 {
            words.push(format!("{} failed", self.failed));
        }
        words.join(" \u{b7} ")
    }
}

/// The groups of the items of a turn, in order.
#[must_use]
pub fn groups(items: &[Item<'_>]) -> Vec<CallGroup> {
    let mut groups = Vec::new();
    let mut from = 0;
    while from < items.len() {
        let mut to = from + 1;
        if groupable(&items[from]).is_some() {
            while to < items.len() && joins(&items[to - 1], &items[to]) {
                to += 1;
            }
            if to - from >= LEAST {
                groups.push(group(from, &items[from..to]));
            }
        }
        from = to;
    }
    groups
}

/// The call of an item that a group may have: changes of files, sub-agents and reports are in no
/// group.
fn groupable<'i, 's>(item: &'i Item<'s>) -> Option<&'i Call<'s>> {
    let Body::Call(call) = &item.body else { return None };
    let alone = matches!(call.kind, CallKind::Edit | CallKind::Agent) || call.agent.is_some();
    let alone = alone || call.report.is_some();
    (!alone && call.files.is_empty()).then_some(call)
}

/// Whether an item continues the group of the one before it.
fn joins(before: &Item<'_>, item: &Item<'_>) -> bool {
    let (Some(one), Some(next)) = (groupable(before), groupable(item)) else { return false };
    let together = before.depth == item.depth
        && before.event.stream() == item.event.stream()
        && before.event.standing == item.event.standing;
    let kind = |call: &Call<'_>| match call.kind {
        CallKind::Other => (call.kind, call.name.clone().map(Cow::into_owned)),
        kind => (kind, None),
    };
    together && (kind(one) == kind(next) || is_parallel(one, next))
}

/// Whether a call was made before the call before it had its result.
fn is_parallel(before: &Call<'_>, call: &Call<'_>) -> bool {
    let Some(result) = before.answered.as_ref().map(|answered| answered.event) else {
        return false;
    };
    if result.origin.record != before.event.origin.record {
        return result.index > call.event.index;
    }
    let both = call.timing.began.zip(before.timing.ended);
    both.is_some_and(|(began, ended)| began < ended)
}

fn group(from: usize, items: &[Item<'_>]) -> CallGroup {
    let calls: Vec<&Call<'_>> = items.iter().filter_map(groupable).collect();
    let mut kinds = BTreeMap::new();
    calls.iter().for_each(|call| *kinds.entry(call.kind).or_default() += 1);
    let beside = |at: usize| {
        at > 0 && is_parallel(calls[at - 1], calls[at])
            || at + 1 < calls.len() && is_parallel(calls[at], calls[at + 1])
    };
    let parallel = (0..calls.len()).filter(|at| beside(*at)).count() as u64;
    let bad = |call: &&&Call<'_>| {
        call.answered.as_ref().and_then(|one| one.outcome).is_some_and(Outcome::is_bad)
    };
    let failed = calls.iter().filter(bad).count() as u64;
    let began = calls.iter().map(|call| call.timing.began).min().flatten();
    let ended: Option<Vec<_>> = calls.iter().map(|call| call.timing.ended).collect();
    let ended = ended.and_then(|ended| ended.into_iter().max());
    let took = began.zip(ended).and_then(|(from, to)| to.0.checked_sub(from.0));
    CallGroup { from, len: items.len(), kinds, parallel, failed, took }
}
