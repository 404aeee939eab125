//! A receipt beside its turn as the source has it now: unchanged, changed or gone. The program that
//! made the receipt, and the names of files, are never compared.

use serde_json::Value;
use session::Sorting as _;

use crate::available::Available;
use crate::compare::{TurnStanding, differences, value};
use crate::document::{FIRST_SCHEMA, Receipt};
use crate::first;
use crate::history::TurnIx;
use crate::place::Kept;
use crate::split::SessionTurns;

/// The part that the check of a document leaves out if it was written anew.
const ANEW: &str = "its document was written anew: the records have the same digests";

/// The part that the check of a receipt leaves out that was issued without the turn's end.
const UNTOLD: &str = "how it ended is not judged: the receipt does not say it";

/// The number of branches that one receipt is compared with: each costs as much as the turn.
const MOST_BRANCHES: usize = 8;

impl SessionTurns<'_> {
    /// The standing of the turn of a receipt. Of several turns with its id, on several branches, it
    /// is the one that it is the receipt of.
    #[must_use]
    pub fn standing(&self, receipt: &Receipt) -> TurnStanding {
        let mut found = TurnStanding::Gone;
        for turn in self.turns_of(receipt) {
            match (&found, self.standing_as(receipt, turn)) {
                (_, same @ TurnStanding::Unchanged { .. }) => return same,
                (TurnStanding::Gone, other) => found = other,
                _ => {}
            }
        }
        found
    }

    /// The standing of a receipt, as one of a turn.
    fn standing_as(&self, receipt: &Receipt, turn: TurnIx) -> TurnStanding {
        let rewound = self.is_left(turn);
        // One that was issued where no sub-agent's session was at hand is compared as such.
        let join = receipt.sub_agents().next().is_some();
        // A receipt without an end says nothing of it: the turn is compared without its end, which
        // the agent may have recorded later, or an earlier program may not have read.
        let end = self.end(turn);
        let untold = receipt.turn.status == Available::No && end.is_some();
        let (now, told) = self.made(turn, end.filter(|_| !untold), join);
        if receipt.schema_id == FIRST_SCHEMA {
            return first::standing(self, receipt, turn, (&now, &told));
        }
        let (mut one, mut other) = (value(receipt), value(&now));
        let anew = rewritten(receipt, &now);
        for document in [&mut one, &mut other] {
            forget_names(document);
            for source in &anew {
                forget_place(document, *source);
            }
        }
        match differences(&one, &other) {
            places if places.is_empty() => {
                let but = (!anew.is_empty()).then_some(ANEW);
                TurnStanding::Unchanged { but: but.or(untold.then_some(UNTOLD)), rewound }
            }
            places => TurnStanding::Changed(places),
        }
    }

    /// The turns that a receipt may be of: by its native id, else by its number. A live one comes
    /// before those that were taken back.
    fn turns_of(&self, receipt: &Receipt) -> Vec<TurnIx> {
        let number = receipt.evidence.as_ref().map_or(0, |evidence| evidence.turn_number);
        let Ok(number) = usize::try_from(number) else { return Vec::new() };
        let is_it = |turn: &TurnIx| self.number(*turn) == number;
        let (live, left): (Option<TurnIx>, Vec<TurnIx>) = match &receipt.turn.id {
            Available::Value(id) => {
                let with = self.with_id(id);
                let is_live = |turn: &&TurnIx| !self.is_left(**turn);
                let mut live = with.iter().take_while(is_live);
                let of_number = live.clone().find(|turn| is_it(turn));
                let left = with.iter().copied().filter(|turn| self.is_left(*turn)).collect();
                (of_number.or_else(|| live.next()).copied(), left)
            }
            Available::No => (self.live(number), self.left().filter(is_it).collect()),
        };
        let (same, others): (Vec<TurnIx>, Vec<TurnIx>) = left.into_iter().partition(is_it);
        live.into_iter().chain(same.into_iter().chain(others).take(MOST_BRANCHES)).collect()
    }
}

/// The sources that the agent writes anew, and has written anew since.
fn rewritten(receipt: &Receipt, now: &Receipt) -> Vec<u64> {
    let sources = |receipt: &Receipt| {
        receipt.evidence.as_ref().map(|evidence| evidence.sources.clone()).unwrap_or_default()
    };
    let (before, now) = (sources(receipt), sources(now));
    let pairs = before.iter().zip(&now).enumerate();
    let anew = pairs.filter(|(_, (before, now))| {
        let same = (&before.sha256, before.bytes) == (&now.sha256, now.bytes);
        !same && before.kept == Some(Kept::Rewritten) && now.kept == before.kept
    });
    anew.map(|(at, _)| at as u64).collect()
}

/// Takes out of a receipt what is never compared.
fn forget_names(receipt: &mut Value) {
    if let Some(receipt) = receipt.as_object_mut() {
        receipt.remove("inclusion_proof");
    }
    if let Some(evidence) = receipt["evidence"].as_object_mut() {
        evidence.remove("reader");
    }
    for source in receipt["evidence"]["sources"].as_array_mut().into_iter().flatten() {
        if let Some(source) = source.as_object_mut() {
            source.remove("name");
        }
    }
}

/// Takes out of a receipt where its records are in a source: only their digests remain.
fn forget_place(receipt: &mut Value, source: u64) {
    let index = usize::try_from(source).unwrap_or(usize::MAX);
    let of = |value: &Value| value["source"] == source;
    let forget = |value: &mut Value, names: &[&str]| {
        if let Some(members) = value.as_object_mut() {
            names.iter().for_each(|name| drop(members.remove(*name)));
        }
    };
    if let Some(own) = receipt["evidence"]["sources"].get_mut(index) {
        forget(own, &["sha256", "bytes"]);
    }
    for range in receipt["evidence"]["ranges"].as_array_mut().into_iter().flatten() {
        if of(range) {
            forget(range, &["start", "end"]);
        }
    }
    if let Some(ranges) = receipt["evidence"]["ranges"].as_array_mut() {
        ranges.in_order_by_key(|range| range.to_string());
    }
    for (_, counted) in receipt["account"].as_object_mut().into_iter().flatten() {
        for record in counted["records"].as_array_mut().into_iter().flatten() {
            if of(record) {
                forget(record, &["start", "end"]);
            }
            if let Some(result) = record.get_mut("result").filter(|result| of(result)) {
                forget(result, &["start", "end"]);
            }
        }
    }
}
