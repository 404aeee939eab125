//! Places of findings, and of what the tables of a format name.

use std::cmp::Ordering;
use std::collections::HashSet;

use meaning::secret::Secret;
use session::Sorting as _;
use session::Span;

use super::finding::SecretFinding;
use crate::rules::Class;

/// The parts of the files that the tables of the format name, none within another.
pub(crate) fn areas(secrets: &[Secret]) -> Vec<(u32, Span)> {
    let mut areas: Vec<(u32, Span)> = Vec::new();
    for Secret { member, span, .. } in secrets {
        match areas.last_mut() {
            Some((of, area)) if of == member && area.end >= span.start => {
                area.end = area.end.max(span.end);
            }
            _ => areas.push((*member, *span)),
        }
    }
    areas
}

/// The places of findings. There can be millions of those that rules found.
pub(crate) struct Places {
    /// In their order.
    first: Vec<(u32, Span)>,
    more: HashSet<(u32, Span)>,
}

impl Places {
    /// The places of findings.
    pub(crate) fn of(found: &[SecretFinding]) -> Self {
        let mut first = Vec::with_capacity(found.len());
        for finding in found {
            first.extend(finding.spans().map(|span| (finding.member, span)));
        }
        first.in_order();
        Self { first, more: HashSet::new() }
    }

    /// Adds a place, unless it is one.
    pub(crate) fn add(&mut self, place: (u32, Span)) -> bool {
        self.first.binary_search(&place).is_err() && self.more.insert(place)
    }
}

/// The order of findings by their places and classes.
fn place(a: &SecretFinding, b: &SecretFinding) -> Ordering {
    a.member.cmp(&b.member).then_with(|| a.spans().cmp(b.spans())).then(a.class.cmp(&b.class))
}

/// Sorts findings by their places; of those at one place, the one that says most is the first.
fn sort(found: &mut [SecretFinding]) {
    // A rule says more than the sweep, and fewer wrappings say more than many.
    let rank =
        |finding: &SecretFinding| (&*finding.rule == "known-value", finding.wrappings().len());
    found.in_order_by(|a, b| {
        place(a, b).then_with(|| rank(a).cmp(&rank(b))).then_with(|| a.rule.cmp(&b.rule))
    });
}

/// Sorts the findings from a number on, and leaves out those that find the same value at the same
/// place again. Different values at one place stay, as of a run of Base64 that has two: each is yet
/// to be looked for elsewhere.
pub(crate) fn settle(found: &mut Vec<SecretFinding>, from: usize) {
    if found.len() < from + 2 {
        return;
    }
    let mut settled = if from > 0 { found.split_off(from) } else { std::mem::take(found) };
    sort(&mut settled);
    let mut is_new = Vec::with_capacity(settled.len());
    for same in settled.chunk_by(|a, b| place(a, b).is_eq()) {
        let mut values = HashSet::new();
        is_new.extend(same.iter().map(|finding| same.len() == 1 || values.insert(finding.own())));
    }
    let mut is_new = is_new.into_iter();
    settled.retain(|_| is_new.next().unwrap_or(true));
    match from {
        0 => *found = settled,
        _ => found.append(&mut settled),
    }
}

/// Findings without those that say the same of the same bytes.
pub(crate) fn distinct(mut found: Vec<SecretFinding>) -> Vec<SecretFinding> {
    sort(&mut found);
    found.dedup_by(|later, first| place(later, first).is_eq());
    // `user:password@host` ends like an address of mail.
    let logins = Logins::of(&found);
    found.retain(|finding| finding.class != Class::Email || !logins.touch(finding));
    found
}

/// Places of logins in addresses, in the order of their first bytes, each with the end of the one
/// that reaches furthest until there.
struct Logins(Vec<(u32, Span)>);

impl Logins {
    fn of(found: &[SecretFinding]) -> Self {
        let logins = found.iter().filter(|finding| finding.class == Class::UrlCredential);
        let places = |login: &SecretFinding| {
            let member = login.member;
            login.spans().map(move |span| (member, span)).collect::<Vec<_>>()
        };
        let mut places: Vec<(u32, Span)> = logins.flat_map(places).collect();
        places.in_order();
        for at in 1..places.len() {
            let (before, furthest) = places[at - 1];
            let (member, span) = &mut places[at];
            if before == *member {
                span.end = span.end.max(furthest.end);
            }
        }
        Self(places)
    }

    /// Whether one has bytes of a finding.
    fn touch(&self, finding: &SecretFinding) -> bool {
        let (start, end) = finding.bytes();
        let member = finding.member;
        let behind = self.0.partition_point(|(of, login)| (*of, login.start) < (member, end));
        let last = behind.checked_sub(1).map(|last| self.0[last]);
        last.is_some_and(|(of, login)| of == member && login.end > start)
    }
}
