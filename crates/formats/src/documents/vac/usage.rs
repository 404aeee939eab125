//! `token-usage`: the canonical counters, followed by the agent's own counters as written.

use session::{EventRef, Field, Hold, Kind, Slot, Span};

use super::keys::Key;
use super::layout::Bind;
use super::plan::{Plan, Rest, Text};
use crate::documents::shared::paths::{PathIx, Paths, ROOT};

/// Plans the counters of an entry; `map` is the native map. If the entry has the map under its own
/// name (as a system event has), `token-usage` is a view of it.
pub(super) fn plan<'s>(
    event: EventRef<'s>,
    map: Option<(Field, PathIx)>,
    plan: &mut Plan<'s>,
    paths: &mut Paths<'s>,
) {
    if let Some((field, path)) = map {
        members(event, field, path, plan, paths);
    }
    counters(event, plan);
    let any = Key::COUNTERS.iter().any(|(key, _)| plan.canon[*key as usize].is_some());
    if !any && plan.counts.is_empty() {
        return;
    }
    plan.canon[Key::TokenUsage as usize] = Some(Text::Raw(b""));
    plan.bind[Key::TokenUsage as usize] = match map {
        Some((_, path)) if moves(event) => Bind::At(path),
        _ => Bind::Derived,
    };
    if plan.bind[Key::TokenUsage as usize] == Bind::Derived {
        for (key, _) in Key::COUNTERS {
            if plan.canon[key as usize].is_some() {
                plan.bind[key as usize] = Bind::Derived;
            }
        }
    }
}

/// Whether only `token-usage` has the native map.
pub(super) fn moves(event: EventRef<'_>) -> bool {
    matches!(event.kind, Kind::User | Kind::Assistant)
}

/// The native map of counters, if no other value of the entry contains it whole. It is the
/// outermost container of one answer's counters, or the container of these and the running totals.
pub(super) fn map<'s>(event: EventRef<'s>, paths: &mut Paths<'s>) -> Option<(Field, PathIx)> {
    let mut open: Vec<(Field, PathIx)> = Vec::new();
    let mut whole = 0;
    for &field in event.fields().iter().filter(|field| field.hold == Hold::Open) {
        if field.value.start < whole {
            continue;
        }
        open.truncate(usize::from(field.depth));
        let parent = open.last().map_or(ROOT, |(_, path)| *path);
        let path = paths.member(parent, event.name(field));
        match field.slot {
            Slot::Native => open.push((field, path)),
            Slot::Usage => {
                let wrapper = open.last().filter(|(wrapper, _)| has_totals(event, wrapper));
                return Some(wrapper.copied().unwrap_or((field, path)));
            }
            _ => whole = field.value.end,
        }
    }
    None
}

fn has_totals(event: EventRef<'_>, wrapper: &Field) -> bool {
    let mut fields = event.fields().iter();
    fields.any(|field| field.slot == Slot::UsageTotal && wrapper.value.holds(field.value))
}

/// The members of the native map. Those with a canonical name are counters if their values are
/// valid.
fn members<'s>(
    event: EventRef<'s>,
    container: Field,
    path: PathIx,
    plan: &mut Plan<'s>,
    paths: &mut Paths<'s>,
) {
    let inside = event
        .fields()
        .iter()
        .filter(|field| field.depth == container.depth + 1 && container.value.holds(field.value));
    for &field in inside.filter(|field| field.key != Span::NONE) {
        let member = paths.member(path, event.name(field));
        let raw = event.value(field);
        let counter = Key::COUNTERS.iter().find(|(key, _)| key.word() == paths.key(member));
        match counter {
            Some((key, _)) if key.takes(raw) => {
                plan.canon[*key as usize] = Some(Text::Raw(raw));
                plan.bind[*key as usize] = Bind::At(member);
            }
            Some(_) if moves(event) => {
                let slot = field.slot;
                plan.rest.push(Rest { path: member, index: None, slot, raw, skipped: true });
            }
            Some(_) => {}
            None => {
                let slot = field.slot;
                plan.counts.push(Rest { path: member, index: None, slot, raw, skipped: false });
            }
        }
    }
}

/// The counters by their slots. Running totals belong to no single answer.
fn counters<'s>(event: EventRef<'s>, plan: &mut Plan<'s>) {
    let mut totals = 0;
    for &field in event.fields() {
        if field.value.start < totals {
            continue;
        }
        if field.slot == Slot::UsageTotal {
            totals = field.value.end;
        }
        let counter = Key::COUNTERS.iter().find(|(_, slot)| *slot == field.slot);
        let Some(&(key, _)) = counter else { continue };
        let raw = event.value(field);
        if plan.canon[key as usize].is_none() && key.takes(raw) {
            plan.canon[key as usize] = Some(Text::Raw(raw));
            plan.bind[key as usize] = Bind::Derived;
        }
    }
}
