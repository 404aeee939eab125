//! Values that must not be shared, each once, with all of its places: several rules find one value
//! at one place, and the names of it and of what is around it are no more values.

use std::collections::BTreeMap;

use session::Sorting as _;

use super::placeholder::Tag;
use super::report::ReportEntry;
use crate::rules::Class;

/// A value, at one place.
#[derive(Clone, Copy, Debug)]
pub struct ValuePlace<'r> {
    /// The finding that says most of it.
    pub entry: &'r ReportEntry,
    /// The rule that knows the value, here or at another place.
    pub rule: &'r str,
}

/// The rule of a value that was found elsewhere.
const KNOWN: &str = "known-value";
/// The least number of bytes beside other values that are a value too.
const REST: u32 = 8;

/// The values of a report at their places, in the order of the bytes. A finding whose bytes
/// another one already has is left out.
#[must_use]
pub fn places(entries: &[ReportEntry]) -> Vec<ValuePlace<'_>> {
    let mut order: Vec<_> = (0u32..).zip(entries).map(|(at, entry)| (rank(entry), at)).collect();
    order.in_order();
    let mut taken: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut kept = Vec::new();
    for (_, at) in order {
        let ReportEntry { member, bytes: (start, end), .. } = entries[at as usize];
        let before = taken.range(..(member, start)).next_back();
        let before = before.filter(|((other, _), _)| *other == member);
        let within = taken.range((member, start)..(member, end));
        let overlap =
            |(&(_, from), &to): (&(u32, u32), &u32)| to.min(end).saturating_sub(from.max(start));
        let covered: u32 = before.into_iter().chain(within).map(overlap).sum();
        if covered > 0 && end - start < covered.saturating_add(REST) {
            continue;
        }
        let last = taken.entry((member, start)).or_insert(end);
        *last = end.max(*last);
        kept.push(at);
    }
    drop(taken);
    kept.in_order();
    // The first rule that found each value.
    let first = (0u32..).zip(entries).filter(|(_, entry)| &*entry.rule != KNOWN);
    let mut rules: Vec<(Class, Tag, u32)> =
        first.map(|(at, entry)| (entry.class, entry.tag, at)).collect();
    rules.in_order();
    rules.dedup_by_key(|(class, tag, _)| (*class, *tag));
    let place = |at: u32| {
        let entry = &entries[at as usize];
        let value = (entry.class, entry.tag);
        let known = rules.binary_search_by_key(&value, |(class, tag, _)| (*class, *tag));
        let rule = known.map_or(at, |known| rules[known].2);
        ValuePlace { entry, rule: &entries[rule as usize].rule }
    };
    kept.into_iter().map(place).collect()
}

/// The rank of a finding among those at one place: keys are long and have others in them by chance,
/// and a shape says more than a name.
fn rank(entry: &ReportEntry) -> (bool, Class, bool, u8) {
    let wrappings = entry.wrappings.len().min(usize::from(u8::MAX)) as u8;
    (entry.class != Class::PrivateKey, entry.class, &*entry.rule == KNOWN, wrappings)
}

/// The number of a report's values.
#[must_use]
pub fn count(entries: &[ReportEntry]) -> usize {
    let places = places(entries);
    distinct(places.iter().map(|place| place.entry))
}

/// The number of different values among findings.
#[must_use]
pub fn distinct<'r>(entries: impl Iterator<Item = &'r ReportEntry>) -> usize {
    let mut values: Vec<(Class, Tag)> = entries.map(|entry| (entry.class, entry.tag)).collect();
    values.in_order();
    values.dedup();
    values.len()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::edit::placeholder::TagKey;

    fn entry(class: Class, tag: &str, bytes: (u32, u32)) -> ReportEntry {
        ReportEntry {
            member: 0,
            text: Arc::default(),
            line: 1,
            bytes,
            wrappings: Box::new([]),
            class,
            rule: format!("rule-{tag}").into(),
            tag: TagKey::new([7; 32]).tag(Class::Generic, tag.as_bytes()),
            is_dropped: false,
        }
    }

    #[test]
    fn a_value_is_at_each_place_once() {
        let entries = [
            entry(Class::Generic, "wide", (4, 50)),
            entry(Class::ProviderToken, "one", (10, 50)),
            entry(Class::Password, "same", (10, 50)),
            entry(Class::Header, "list", (100, 200)),
            entry(Class::ProviderToken, "two", (120, 160)),
            entry(Class::ProviderToken, "three", (210, 250)),
        ];
        let places = places(&entries);
        let rules: Vec<&str> = places.iter().map(|place| place.rule).collect();
        // A header with more than the token in it is a value too.
        assert_eq!(rules, ["one", "list", "two", "three"].map(|tag| format!("rule-{tag}")));
        assert_eq!(count(&entries), 4);
    }

    #[test]
    fn a_value_that_was_known_has_its_rule() {
        let first = entry(Class::Password, "one", (10, 20));
        let again = ReportEntry { rule: KNOWN.into(), bytes: (40, 50), ..first.clone() };
        let other = ReportEntry { rule: "other".into(), bytes: (60, 70), ..first.clone() };
        let entries = [first, again, other];
        assert!(places(&entries).iter().all(|place| place.rule == "rule-one"));
    }
}
