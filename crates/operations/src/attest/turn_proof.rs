//! The proof that a turn belongs to a signed record: hashes that lead from the turn's entries to
//! the root that the record's skeleton has. It has no entry and no salt, so that a receipt with it
//! still has no text of the conversation. It shows that the entries are of the record. Which of
//! them are the turn, and the numbers of the receipt, are the word of whoever made the receipt.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use receipt::Receipt;
use serde::{Deserialize, Serialize};
use sign::{Envelope, Hash, TreePart, hash_of_hex, hex, root_of_parts};

use crate::attest::content::session_of_id;
use crate::attest::error::{Error, refused};
use crate::attest::presenting::SignedRecord;
use crate::attest::report::{Check, VerifyVerdict};
use crate::attest::skeleton::{NAMED, Skeleton};
use crate::attest::trust::KnownKey;

/// The version of the form.
const VERSION: u8 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnProof {
    version: u8,
    /// The signed skeleton, as text.
    skeleton: String,
    /// Its signature, in base64url.
    signature: String,
    /// All that the record has, in its order: its frame, which is number 0, and its entries.
    parts: Vec<ProofPart>,
}

/// Some entries: those of the turn, or others.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofPart {
    first: u64,
    last: u64,
    of_turn: bool,
    nodes: Vec<String>,
}

impl SignedRecord {
    /// Puts the proof of a turn into its receipt.
    ///
    /// # Errors
    /// The receipt is of no turn of this record.
    pub fn prove_turn(&self, receipt: &mut Receipt) -> Result<(), Error> {
        let ranges = receipt.evidence.iter().flat_map(|evidence| &evidence.ranges);
        let own = ranges.filter(|range| range.source == 0).map(|range| range.start..range.end);
        let own: Vec<Range<u64>> = own.collect();
        let spans = self.spans();
        let is_own = |span: &Range<u64>| {
            own.iter().any(|range| range.start < span.end && span.start < range.end)
        };
        // The frame belongs to no turn.
        let marks: Vec<bool> = std::iter::once(false).chain(spans.iter().map(is_own)).collect();
        if !marks.contains(&true) {
            return refused(
                "the turn has no entry in the record",
                "name the record itself: `verbatim receipt RECORD --signed`",
            );
        }
        let mut parts: Vec<ProofPart> = Vec::new();
        for (at, of_turn) in (0..).zip(marks) {
            match parts.last_mut() {
                Some(part) if part.of_turn == of_turn => part.last = at,
                _ => parts.push(ProofPart { first: at, last: at, of_turn, nodes: Vec::new() }),
            }
        }
        for part in &mut parts {
            let nodes = self.cover(part.first, part.last + 1);
            part.nodes = nodes.iter().map(|node| hex(node)).collect();
        }
        let (skeleton, envelope) = self.signed();
        let signature = URL_SAFE_NO_PAD.encode(envelope);
        let proof = TurnProof { version: VERSION, skeleton: skeleton.into(), signature, parts };
        receipt.inclusion_proof =
            serde_json::to_value(proof).ok().and_then(|proof| proof.as_object().cloned());
        Ok(())
    }
}

/// The verdict on the proof in a receipt; `None` if it has no proof.
#[must_use]
pub fn check_turn_proof(receipt: &Receipt, keys: &[KnownKey]) -> Option<Check> {
    let proof = receipt.inclusion_proof.clone()?;
    let judged = judged(serde_json::Value::Object(proof), receipt, keys);
    let (verdict, why) = match judged {
        Ok(shown) => shown,
        Err(why) => (VerifyVerdict::Failed, why),
    };
    Some(Check { what: "proof", verdict, why })
}

fn judged(
    proof: serde_json::Value,
    receipt: &Receipt,
    keys: &[KnownKey],
) -> Result<(VerifyVerdict, String), String> {
    let proof: TurnProof = serde_json::from_value(proof).map_err(|error| error.to_string())?;
    if proof.version != VERSION {
        return Err(format!("its version is {}, which is not known", proof.version));
    }
    let skeleton = Skeleton::read(&proof.skeleton).map_err(|why| format!("its skeleton: {why}"))?;
    let parts = proof.parts.iter();
    let own: Vec<String> = parts.filter(|part| part.of_turn).map(named).collect();
    let leaves = leaves(&proof.parts).ok_or("its parts do not follow each other")?;
    let count = leaves.iter().map(TreePart::leaves).fold(0, u64::saturating_add);
    if count != skeleton.size || root_of_parts(&leaves) != Ok(skeleton.root) {
        return Err("it does not lead to the root of the skeleton".into());
    }
    if own.is_empty() || proof.parts.first().is_some_and(|part| part.of_turn) {
        return Err("it names no entry as one of the turn".into());
    }
    let session = skeleton.member(NAMED[2]).unwrap_or_default();
    let session: String = serde_json::from_str(&session).unwrap_or_default();
    if session_of_id(&receipt.thread.id) != session {
        return Err("the skeleton is of another session than the receipt".into());
    }
    let envelope = URL_SAFE_NO_PAD.decode(&proof.signature);
    let envelope = envelope.map_err(|_| "its signature is not base64url")?;
    let envelope = Envelope::read(&envelope).map_err(|fault| fault.to_string())?;
    let text = skeleton.text.as_bytes();
    let signer = keys.iter().find(|known| envelope.verify(Some(text), &[], &known.key).is_some());
    let entries = own.join(", ");
    if let Some(known) = signer {
        let name = &known.name;
        let why = format!(
            "{entries}, which it names as its turn, are of the record that the key `{name}` signed"
        );
        return Ok((VerifyVerdict::Shown, why));
    }
    let id = envelope.header.key_id.as_ref();
    match keys.iter().find(|known| id.is_some_and(|id| *id == known.key.id())) {
        Some(known) => Err(format!("the key `{}` did not sign the skeleton", known.name)),
        None => {
            let why = format!("it leads from {entries} to a record that no key you know signed");
            Ok((VerifyVerdict::NotShown, why))
        }
    }
}

fn named(part: &ProofPart) -> String {
    match part.first == part.last {
        true => format!("entry {}", part.first),
        false => format!("entries {} to {}", part.first, part.last),
    }
}

/// The parts as leaves, if they follow each other from the first one on.
fn leaves(parts: &[ProofPart]) -> Option<Vec<TreePart>> {
    let mut next = 0;
    let mut leaves = Vec::new();
    for part in parts {
        let nodes: Option<Vec<Hash>> = part.nodes.iter().map(|node| hash_of_hex(node)).collect();
        if part.first != next || part.last < part.first {
            return None;
        }
        next = part.last.checked_add(1)?;
        leaves.push(TreePart::Covered { leaves: next - part.first, nodes: nodes? });
    }
    Some(leaves)
}
