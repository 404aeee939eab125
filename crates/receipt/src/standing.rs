//! A receipt beside its turn as the source has it now: unchanged, changed or gone. The program that
//! made the receipt, and the names of files, are never compared.

use serde_json::Value;

use crate::available::Available;
use crate::compare::{TurnStanding, differences, value};
use crate::document::{FIRST_SCHEMA, Receipt};
use crate::place::Kept;
use crate::split::SessionTurns;
use crate::{facts, first};

/// The part that the check of a document leaves out if it was written anew.
const ANEW: &str = "its document was written anew: the records have the same digests";

impl SessionTurns<'_> {
    /// The standing of the turn of a receipt.
    #[must_use]
    pub fn standing(&self, receipt: &Receipt) -> TurnStanding {
        let Some(number) = self.number_of(receipt) else { return TurnStanding::Gone };
        let (now, told) = self.made(number, facts::end(self, number));
        if receipt.schema_id == FIRST_SCHEMA {
            return first::standing(self, receipt, &now, &told);
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
                TurnStanding::Unchanged { but: (!anew.is_empty()).then_some(ANEW) }
            }
            places => TurnStanding::Changed(places),
        }
    }

    /// The turn of a receipt: by its native id, else by its number.
    fn number_of(&self, receipt: &Receipt) -> Option<usize> {
        let number = receipt.evidence.as_ref().map_or(0, |evidence| evidence.turn_number);
        let number = usize::try_from(number).ok()?;
        match &receipt.turn.id {
            Available::Value(id) => {
                let with = self.with_id(id);
                with.iter().find(|at| **at == number).or(with.first()).copied()
            }
            Available::No => (1..=self.len()).contains(&number).then_some(number),
        }
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
        ranges.sort_by_key(|range| range.to_string());
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
