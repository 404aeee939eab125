//! Claims about how another counter counts, and what each of them changes in a span of time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use meaning::usage::Part;

use super::compare::{Group, add, kinds};
use super::peer::Kinds;
use super::{Counted, Spent};

/// Tokens by model and kind. A model without any is not in it.
pub(super) type Change = BTreeMap<String, Kinds>;

/// A claim, with what the other counter has more or less if it is true.
#[derive(Debug)]
pub(super) struct Claim {
    pub why: String,
    pub change: Change,
}

/// The claims that change something, the most general first.
pub(super) fn claims(group: &Group<'_>, difference: &Change) -> Vec<Claim> {
    let mut all = Claims(Vec::new());
    let counted = || group.spent.iter().filter(|spent| spent.counted == Counted::Yes);
    all.add(last_round(group));
    let parts = [
        (Part::Advisor, "it does not count the answers of advisors"),
        (Part::SubAgent, "it does not count sub-agents"),
        (Part::Copied, "it does not count what was copied from sessions that are not here"),
        (Part::Whole, "it does not count sessions that record only a sum"),
    ];
    for (part, why) in parts {
        all.add(without(why, counted().filter(|spent| spent.part == part)));
    }
    let files: BTreeSet<&Path> = counted().map(|spent| spent.path).collect();
    let more: Vec<&String> =
        difference.iter().filter(|(_, of)| of[0] > 0).map(|(m, _)| m).collect();
    let named = [None].into_iter().chain(files.iter().copied().map(Some));
    for file in named {
        let here = |spent: &&Spent<'_>| file.is_none_or(|file| spent.path == file);
        let nameless = || counted().filter(here).filter(|spent| spent.model.is_none());
        let of = file.map(|file| format!(": {}", file.display())).unwrap_or_default();
        for model in &more {
            let why = format!("it names `{model}` where the agent recorded no model{of}");
            all.add(renamed(&why, model, nameless()));
        }
        let why = format!("it does not count answers without a model{of}");
        all.add(without(&why, nameless()));
    }
    for file in files {
        let why = format!("it counts nothing of {}", file.display());
        all.add(without(&why, counted().filter(|spent| spent.path == file)));
    }
    copies(group, &mut all);
    all.0
}

struct Claims(Vec<Claim>);

impl Claims {
    /// Adds a claim if it changes something, and nothing that an earlier one changes alike.
    fn add(&mut self, claim: Claim) {
        if !claim.change.is_empty() && self.0.iter().all(|known| known.change != claim.change) {
            self.0.push(claim);
        }
    }
}

fn without<'s>(why: &str, spent: impl Iterator<Item = &'s Spent<'s>>) -> Claim {
    let mut change = Change::new();
    spent.for_each(|spent| add(&mut change, spent.model.unwrap_or_default(), kinds(spent), -1));
    Claim { why: why.to_owned(), change }
}

fn renamed<'s>(why: &str, model: &str, spent: impl Iterator<Item = &'s Spent<'s>>) -> Claim {
    let mut claim = without(why, spent);
    let moved: Vec<Kinds> = claim.change.values().copied().collect();
    moved.into_iter().for_each(|kinds| add(&mut claim.change, model, kinds, -1));
    claim
}

/// An answer with an advisor has several rounds. Its cache writes are of all of them, and their
/// split into five minutes and an hour is of the last one.
fn last_round(group: &Group<'_>) -> Claim {
    let advised: BTreeSet<(&Path, u32)> = group
        .spent
        .iter()
        .filter(|spent| spent.part == Part::Advisor)
        .map(|spent| (spent.path, spent.line))
        .collect();
    let mut change = Change::new();
    for spent in group.spent.iter().filter(|spent| spent.counted == Counted::Yes) {
        let (all, hour) = (spent.tokens.cache_write, spent.tokens.cache_write_hour);
        if let (Some(all), Some(hour @ 1..)) = (all, hour)
            && spent.part != Part::Advisor
            && advised.contains(&(spent.path, spent.line))
        {
            let less = i64::try_from(all.saturating_sub(hour)).unwrap_or(0);
            add(&mut change, spent.model.unwrap_or_default(), [0, 0, -less, 0], 1);
        }
    }
    let why = "of the cache writes of an answer with an advisor it counts the last round's only";
    Claim { why: why.into(), change }
}

/// Claims about numbers that repeat others. A number is not counted again where the report may lack
/// the one that it repeats.
fn copies(group: &Group<'_>, all: &mut Claims) {
    let again = |spent: &&Spent<'_>| match spent.counted {
        Counted::Repeats(path, line) => !group.lacking.contains(&(path, line)),
        _ => false,
    };
    let repeats = || group.spent.iter().filter(again);
    let again = |why: &str, file: Option<&Path>| {
        let mut change = Change::new();
        for spent in repeats().filter(|spent| file.is_none_or(|file| spent.path == file)) {
            add(&mut change, spent.model.unwrap_or_default(), kinds(spent), 1);
        }
        Claim { why: why.to_owned(), change }
    };
    all.add(again("it counts answers again that repeat others", None));
    let files: BTreeSet<&Path> = repeats().map(|spent| spent.path).collect();
    for file in files {
        let why = format!("it counts answers of {} again that repeat others", file.display());
        all.add(again(&why, Some(file)));
    }
    let mut best: BTreeMap<(&Path, u32), &Spent<'_>> = BTreeMap::new();
    for spent in group.spent.iter().filter(|spent| spent.counted == Counted::Yes) {
        best.entry((spent.path, spent.line)).or_insert(spent);
    }
    let mut first: BTreeMap<(&Path, u32), &Spent<'_>> = BTreeMap::new();
    let mut last = first.clone();
    for spent in repeats() {
        if let Counted::Repeats(path, line) = spent.counted {
            first.entry((path, line)).or_insert(spent);
            last.insert((path, line), spent);
        }
    }
    let words = [(first, "the first"), (last, "the last")];
    for (taken, which) in words {
        let mut change = Change::new();
        for (place, copy) in taken {
            if let Some(best) = best.get(&place) {
                add(&mut change, best.model.unwrap_or_default(), kinds(best), -1);
                add(&mut change, copy.model.unwrap_or_default(), kinds(copy), 1);
            }
        }
        let why = format!("of the copies of an answer it counts {which}, not the most complete");
        all.add(Claim { why, change });
    }
}
