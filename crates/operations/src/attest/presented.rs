//! Presentations that are verified: what is shown is what was signed, or the presentation failed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use catalog::Catalog;
use sha2::{Digest as _, Sha256};
use sign::{Hash, TreePart, commitment, hash_of_hex, leaf_hash, root_of_parts};

use crate::attest::presentation::{
    PresentationProof, Proven, Unit, WithheldRange, shown_frame, visible,
};
use crate::attest::record_parts::{CutEntry, RecordParts, is_placeholder};
use crate::attest::report::{Check, VerifyReport, VerifyVerdict};
use crate::attest::skeleton::{AGENT, NAMED, Skeleton, frame_commitment};
use crate::attest::verify::{GivenSignature, VerifyTask};

/// Greatest number of withheld parts that are named one by one.
const TOLD: usize = 40;

/// The parts that a presentation shows and withholds, once they lead to the root of the skeleton.
#[derive(Debug)]
pub(crate) struct Judged {
    /// The number of entries of the record.
    entries: u64,
    /// The number of those that are shown.
    shown: u64,
    /// The withheld parts, in words.
    withheld: Vec<String>,
}

/// The verdict on a presentation; `None` if the bytes are none.
#[must_use]
pub fn verify_presentation(
    file: &str,
    bytes: &[u8],
    task: VerifyTask<'_>,
    catalog: &Catalog<'_>,
) -> Option<VerifyReport> {
    let text = std::str::from_utf8(bytes).ok()?;
    verify_text(file, text, Sha256::digest(bytes).into(), task, catalog)
}

/// The verdict on a presentation in a file of this digest; `None` if the text is no presentation.
pub(crate) fn verify_text(
    file: &str,
    text: &str,
    digest: Hash,
    task: VerifyTask<'_>,
    catalog: &Catalog<'_>,
) -> Option<VerifyReport> {
    let proof = match PresentationProof::in_text(text)? {
        Ok(proof) => proof,
        Err(why) => return Some(failed(file, &why)),
    };
    let envelope = match proof.envelope() {
        Ok(envelope) => envelope,
        Err(why) => return Some(failed(file, &why)),
    };
    let judged = judged(text, &proof);
    let given = GivenSignature {
        file: file.to_owned(),
        signature: file.to_owned(),
        content: Some(proof.skeleton.clone().into_bytes()),
        presentation: Some(digest),
        envelope,
    };
    let mut report = given.verify(task, catalog);
    report.of_skeleton();
    match judged {
        Ok(judged) => report.present(&judged),
        Err(why) => report.put("entries", VerifyVerdict::Failed, why),
    }
    Some(report.close())
}

fn failed(file: &str, why: &str) -> VerifyReport {
    let mut report = VerifyReport::new(file, file);
    report.put("entries", VerifyVerdict::Failed, format!("its proof can't be read: {why}"));
    report.close()
}

impl VerifyReport {
    /// Says that the signed bytes are those of the skeleton, and not of what is shown.
    fn of_skeleton(&mut self) {
        for check in &mut self.checks {
            if check.what == "bytes" && check.verdict == VerifyVerdict::Shown {
                check.why = format!("{}: the skeleton of the record", check.why);
            }
        }
    }

    /// Says what a presentation shows.
    fn present(&mut self, judged: &Judged) {
        let Judged { entries, shown, withheld } = judged;
        let is_signed = self.verdict("bytes") == VerifyVerdict::Shown;
        if !is_signed {
            let why = "they lead to the skeleton, of which no key that you know shows anything";
            self.put("entries", VerifyVerdict::NotShown, why);
            return;
        }
        let why = match shown == entries {
            true => format!("all {entries} entries are there, each as it was signed"),
            false => format!("{shown} of {entries} entries are there, each as it was signed"),
        };
        let at = self.checks.iter().position(|check| check.what == "time");
        let check = Check { what: "entries", verdict: VerifyVerdict::Shown, why };
        self.checks.insert(at.unwrap_or(self.checks.len()), check);
        let said = [
            (
                "completeness",
                "each entry of the signed record is there or is listed as withheld; nothing \
                 shows that none was left out before it was signed: no head was signed while the \
                 session ran"
                    .to_owned(),
            ),
            ("redactions", told(withheld)),
        ];
        for (what, why) in said {
            if let Some(check) = self.checks.iter_mut().find(|check| check.what == what) {
                check.why = why;
            }
        }
    }
}

/// The withheld parts, in a line.
fn told(withheld: &[String]) -> String {
    if withheld.is_empty() {
        return "nothing is withheld".into();
    }
    let some: Vec<&str> = withheld.iter().take(TOLD).map(String::as_str).collect();
    let more = match withheld.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("withheld: {}{more}; nobody signed who withheld them, or why", some.join(", "))
}

/// The parts of a presentation, if they are those of the skeleton in it, and nothing else is there.
pub(crate) fn judged(text: &str, proof: &PresentationProof) -> Result<Judged, String> {
    let skeleton = Skeleton::read(&proof.skeleton).map_err(|why| format!("its skeleton: {why}"))?;
    let parts = RecordParts::read(text)?;
    let frame = shown_frame(&parts);
    let mut withheld = Vec::new();
    let mut leaves =
        vec![TreePart::Leaf(leaf_hash(&frame_of(&frame, &proof.frame, &skeleton, &mut withheld)?))];
    if parts.entries.len() != proof.entries.len() {
        return Err("it has not as many entries as its proof".into());
    }
    let (mut next, mut shown) = (1, 0);
    for (entry, proven) in parts.entries.iter().zip(&proof.entries) {
        match proven {
            Proven::Range(range) => {
                leaves.push(covered(entry, range, next)?);
                withheld.push(match range.first == range.last {
                    true => format!("entry {}", range.first),
                    false => format!("entries {} to {}", range.first, range.last),
                });
                next = range.last.checked_add(1).ok_or("it has too many entries")?;
            }
            Proven::Entry(unit) => {
                let hash = entry_of(entry, unit, next, &mut withheld)
                    .map_err(|why| format!("entry {next}: {why}"))?;
                leaves.push(TreePart::Leaf(leaf_hash(&hash)));
                next += 1;
                shown += 1;
            }
        }
    }
    let count = leaves.iter().map(TreePart::leaves).fold(0, u64::saturating_add);
    if count != skeleton.size || root_of_parts(&leaves) != Ok(skeleton.root) {
        return Err("what it shows is not what the skeleton was made of".into());
    }
    let members: Vec<(&str, &str)> = frame.iter().map(|(path, value)| (&**path, *value)).collect();
    let again = visible(&members, parts.entries.iter().map(|entry| Cow::Borrowed(*entry)));
    if proof.with(&again) != text {
        return Err("it has something beside what its proof is of".into());
    }
    Ok(Judged { entries: skeleton.size - 1, shown, withheld })
}

/// The commitment to the frame, each member of which is shown, withheld, or the skeleton's.
fn frame_of(
    shown: &[(String, &str)],
    unit: &Unit,
    skeleton: &Skeleton,
    withheld: &mut Vec<String>,
) -> Result<Hash, String> {
    let mut left: BTreeMap<&str, &str> =
        shown.iter().map(|(path, value)| (&**path, *value)).collect();
    let mut members = Vec::new();
    for field in &unit.fields {
        let value = left.remove(&*field.name);
        let named = NAMED.contains(&&*field.name) || field.name == AGENT;
        let own = if named { skeleton.member(&field.name) } else { None };
        let value = match (field.withheld.is_some(), value) {
            (true, None) => None,
            (true, Some(value)) if own.as_deref() == Some(value) => None,
            (false, Some(value)) => Some(value),
            _ => return Err(format!("the member {} is not as its proof says", field.name)),
        };
        if value.is_none() {
            withheld.push(field.name.clone());
        }
        members.push((&*field.name, field.commitment(value)?));
    }
    if let Some((path, _)) = left.first_key_value() {
        return Err(format!("the member {path} has no proof"));
    }
    for path in NAMED {
        let value = shown.iter().find(|(other, _)| other == path).map(|(_, value)| *value);
        if value != skeleton.member(path).as_deref() {
            return Err(format!("the member {path} is not that of the skeleton"));
        }
    }
    Ok(frame_commitment(&unit.salt()?, members.into_iter()))
}

/// The leaves of a withheld range, in whose place nothing but a placeholder is.
fn covered(entry: &str, range: &WithheldRange, next: u64) -> Result<TreePart, String> {
    let leaves = range.last.checked_sub(range.first).and_then(|more| more.checked_add(1));
    let nodes: Option<Vec<Hash>> = range.nodes.iter().map(|node| hash_of_hex(node)).collect();
    match (leaves, nodes) {
        (Some(leaves), Some(nodes)) if range.first == next && entry == range.placeholder() => {
            Ok(TreePart::Covered { leaves, nodes })
        }
        _ => Err(format!("the withheld entries from {next} on are not as the proof says")),
    }
}

/// The commitment to an entry.
fn entry_of(
    entry: &str,
    unit: &Unit,
    number: u64,
    withheld: &mut Vec<String>,
) -> Result<Hash, String> {
    let cut = CutEntry::without(entry, unit.fields.iter().map(|field| &*field.name))?;
    let mut hashes = Vec::new();
    for (field, (name, value)) in unit.fields.iter().zip(&cut.fields) {
        let hidden = field.withheld.is_some();
        if hidden && !is_placeholder(name, value) {
            return Err(format!("the field {name:?} is withheld, and something is in its place"));
        }
        if hidden {
            withheld.push(format!("{number}/{name}"));
        }
        hashes.push(field.commitment((!hidden).then_some(value))?);
    }
    Ok(commitment(&unit.salt()?, &cut.texts, &hashes))
}
