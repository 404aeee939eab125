//! The second pass: each value that was found, and each name, wherever it is.

use std::sync::Arc;

use session::Sorting as _;
use session::{Bundle, Session};

use super::finding::SecretFinding;
use super::names::KnownName;
use super::places::Places;
use super::sweep::{self, Seen, Sought, Sweep};
use crate::edit::placeholder;
use crate::profile::RedactionOptions;
use crate::texts::clean::Trail;
use crate::texts::leaf::{Has, Leaf};
use crate::texts::leaves;
use crate::texts::marks::{Marks, Treatment};
use crate::unwrap::view::View;

/// Adds the places of known values where no rule found them.
pub(crate) fn all(
    (bundle, sessions): (&Bundle, &[&Session]),
    marks: &Marks,
    sweep: &Sweep,
    trail: &mut Trail<'_>,
    found: &mut Vec<SecretFinding>,
) {
    let (mut seen, rule) = (Vec::new(), Arc::from("known-value"));
    let mut places = Places::of(found);
    leaves::each(sessions, marks, &|_, _| false, trail, &mut |leaf, view| {
        sweep.find(view.text, &mut seen);
        let has = if seen.is_empty() { Has::Nothing } else { Has::Value };
        let again = |seen: Seen<'_>| again(bundle, (leaf, view), &seen, &rule);
        for finding in seen.drain(..).filter_map(again) {
            // What was found there once is replaced once.
            if finding.spans().any(|span| places.add((finding.member, span))) {
                found.push(finding);
            }
        }
        has
    });
}

/// Whether a view has a known value that is not replaced.
pub(crate) fn is_left<'s>(
    leaf: &Leaf<'_>,
    view: &View<'_>,
    sweep: &'s Sweep,
    seen: &mut Vec<Seen<'s>>,
) -> bool {
    sweep.find(view.text, seen);
    seen.drain(..).any(|seen| {
        is_swept(leaf, view, &seen)
            && !placeholder::is_replaced(view.text, seen.range.start, seen.range.end)
    })
}

/// The names of a bundle's members without the values that were found.
pub(crate) fn member_name(name: &str, sweep: &Sweep, options: &RedactionOptions) -> String {
    let (mut seen, mut out, mut at) = (Vec::new(), String::new(), 0);
    sweep.find(name.as_bytes(), &mut seen);
    seen.in_order_by_key(|seen| (seen.range.start, std::cmp::Reverse(seen.range.end)));
    for Seen { known, alias, value, range, .. } in seen {
        if range.start < at {
            continue;
        }
        out.push_str(name.get(at..range.start).unwrap_or_default());
        // A file's name has no colons and brackets on all systems.
        let tag = || format!("redacted-{}", options.key.tag(known.class, value));
        out.push_str(&alias.map_or_else(tag, |alias| alias.to_string()));
        at = range.end;
    }
    out += name.get(at..).unwrap_or_default();
    // By its ending a reader knows what the file is.
    let ending = ENDINGS.into_iter().find(|ending| name.ends_with(ending));
    match ending.filter(|ending| !out.ends_with(ending)) {
        Some(ending) => out + ending,
        None => out,
    }
}

/// The endings of the names of sessions' files.
const ENDINGS: [&str; 7] = [".jsonl.zst", ".json.zst", ".jsonl", ".json", ".db", ".vscdb", ".md"];

/// A finding in a value that a provider sealed covers all of the value.
pub(crate) fn whole(leaf: &Leaf<'_>, mut finding: SecretFinding, value: &[u8]) -> SecretFinding {
    if leaf.treatment == Treatment::Sealed {
        finding.seal(leaf.value, value);
    }
    finding
}

/// The values to look for everywhere: those that were found, and the names.
pub(crate) fn known<'f>(
    (bundle, found): (&'f Bundle, &'f [SecretFinding]),
    names: &'f [KnownName],
    options: &RedactionOptions,
) -> Vec<Sought<'f>> {
    let mut known = Vec::with_capacity(found.len());
    for finding in found.iter().filter(|finding| finding.is_value && options.takes(finding.class)) {
        let value = finding.value(bundle);
        if sweep::is_worth(value) {
            known.push(Sought::found(finding.class, value));
        }
    }
    let names = names.iter().filter(|name| options.takes(name.class));
    known.extend(names.map(KnownName::sought));
    known
}

/// Whether a value that was seen is replaced there: a word is not one of the format, a number is
/// the whole value.
fn is_swept(leaf: &Leaf<'_>, view: &View<'_>, seen: &Seen<'_>) -> bool {
    let is_structure = leaf.treatment == Treatment::Protected && seen.known.is_word;
    let is_part = leaf.is_number() && view.is_pair() && seen.range.len() != leaf.value.len();
    !is_structure && !is_part
}

/// A known value that was seen again.
fn again(
    bundle: &Bundle,
    (leaf, view): (&Leaf<'_>, &View<'_>),
    seen: &Seen<'_>,
    rule: &Arc<str>,
) -> Option<SecretFinding> {
    let range = seen.range.clone();
    if !is_swept(leaf, view, seen) {
        return None;
    }
    if placeholder::is_replaced(view.text, range.start, range.end) {
        return None;
    }
    let (class, rule) = (seen.known.class, Arc::clone(rule));
    let mut finding = SecretFinding::at(bundle, (leaf, view), range, class, rule)?;
    let coded = seen.encoded || finding.is_coded();
    if let Some(alias) = seen.alias.filter(|_| !coded) {
        finding.set_alias(Arc::clone(alias));
    }
    if finding.value(bundle) != seen.value {
        finding.set_value(seen.value);
    }
    Some(whole(leaf, finding, seen.value))
}
