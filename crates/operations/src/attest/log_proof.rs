//! Heads and proofs of the local log, and what a head that was carried out shows about it now.

use session::UtcTime;
use sign::{
    Checkpoint, Claims, EntryProof, Hash, LogProof, LogReceipt, Note, NoteFault, NoteKey, NoteKind,
    NoteSignature, PublicKey, inclusion_root, leaf_hash, signature_input,
};

use crate::attest::error::{Error, refused};
use crate::attest::local_log::LogState;
use crate::attest::signer::Signer;
use crate::attest::trust::KnownKey;

/// A head of the log that a key signed.
#[derive(Clone, Debug)]
pub struct SignedHead {
    /// The head.
    pub head: Checkpoint,
    /// The head as a C2SP checkpoint.
    pub note: String,
    /// The same in one line.
    pub line: String,
}

/// A proof that the log has an entry.
#[derive(Clone, Debug)]
pub struct EntryReceipt {
    /// The place of the entry, from 0.
    pub index: u64,
    /// The head that it is of.
    pub head: SignedHead,
    /// The receipt in the form of RFC 9942.
    pub receipt: Vec<u8>,
    /// The proof in the form of C2SP.
    pub proof: String,
}

/// The verdict of a carried head on the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadVerdict {
    /// The log only grew.
    Consistent,
    /// It is a head of a log of another name.
    OtherLog,
    /// The log has fewer entries than it had.
    Rollback,
    /// The log has as many entries, and others among them.
    Fork,
    /// The log has more entries, and those that it had were others.
    Rewritten,
}

/// A carried head beside the log.
#[derive(Clone, Debug)]
pub struct CheckedHead {
    /// The head.
    pub head: Checkpoint,
    /// The verdict.
    pub verdict: HeadVerdict,
    /// The name of the known key that signed it.
    pub signer: Option<String>,
    /// The witnesses that signed it, with the time at which they saw it.
    pub witnesses: Vec<(String, u64)>,
}

impl Signer<'_> {
    /// Signs the head of a log.
    ///
    /// # Errors
    /// The key is not of Ed25519, or does not sign.
    pub fn head(&self, log: &LogState) -> Result<SignedHead, Error> {
        let head = log.head();
        let Some(key) = NoteKey::new(&head.origin, NoteKind::Ed25519, &self.known.key) else {
            let what = "a head of a log is signed by a key of Ed25519";
            return refused(what, "make one: `verbatim key new NAME`");
        };
        let bytes = self.sign(head.text().as_bytes())?;
        let signature = NoteSignature { name: key.name.clone(), id: key.id(), bytes };
        let line = head.line(&signature).unwrap_or_default();
        let note = Note { text: head.text(), signatures: vec![signature] }.written();
        Ok(SignedHead { head, note, line })
    }

    /// The proof that a log has the entry at a place.
    ///
    /// # Errors
    /// There is no such entry, or the key does not sign.
    pub fn prove(&self, log: &LogState, index: u64, now: UtcTime) -> Result<EntryReceipt, Error> {
        let size = log.size();
        let Some(path) = log.tree.inclusion(index, size) else {
            return refused(format!("the log has no entry {index}"), "`verbatim log head`");
        };
        let head = self.head(log)?;
        let proof = LogProof::Inclusion { size, index, path: path.clone() };
        let receipt = self.log_receipt(&head.head, &proof, now)?;
        let proof = EntryProof { index, path, extra: None, checkpoint: head.note.clone() };
        Ok(EntryReceipt { index, head, receipt, proof: proof.text() })
    }

    /// The proof that a log only grew since it had `old` entries.
    ///
    /// # Errors
    /// It never had so many, or has no more now, or the key does not sign.
    pub fn prove_growth(&self, log: &LogState, old: u64, now: UtcTime) -> Result<Vec<u8>, Error> {
        let new = log.size();
        let Some(path) = log.tree.consistency(old, new) else {
            return refused(format!("the log never had {old} entries"), "`verbatim log head`");
        };
        if old == new {
            let what = format!("the log has the {old} entries of the head, and no more");
            return refused(
                what,
                "there is a proof of growth once `verbatim log append` has added",
            );
        }
        self.log_receipt(&log.head(), &LogProof::Consistency { old, new, path }, now)
    }

    fn log_receipt(
        &self,
        head: &Checkpoint,
        proof: &LogProof,
        now: UtcTime,
    ) -> Result<Vec<u8>, Error> {
        let claims = Claims {
            issuer: Some(self.known.issuer.clone()),
            subject: Some(format!("urn:{}", head.origin.replace('/', ":"))),
            issued_at: Some(now.0.div_euclid(1_000_000).max(0)),
            ..Claims::default()
        };
        let broken = |fault: sign::EnvelopeFault| Error::Refused {
            what: format!("no receipt can be made: {fault}"),
            hint: "please report it".into(),
        };
        let protected = LogReceipt::protected(&self.known.key, &claims).map_err(broken)?;
        let signature = self.sign(&signature_input(&protected, &[], &head.root))?;
        LogReceipt::write(&protected, &signature, proof).map_err(broken)
    }
}

/// The verdict of a carried head on the log as it is now.
///
/// # Errors
/// It is no head, or a key that is known did not make the signature that has its name.
pub fn check_head(
    text: &str,
    log: &LogState,
    keys: &[KnownKey],
    witnesses: &[NoteKey],
) -> Result<CheckedHead, NoteFault> {
    let (head, note) = Checkpoint::signed(text)?;
    let own = |known: &KnownKey| {
        let key = NoteKey::new(&head.origin, NoteKind::Ed25519, &known.key)?;
        Some((key, known.name.clone()))
    };
    let own: Vec<(NoteKey, String)> = keys.iter().filter_map(own).collect();
    let mut all: Vec<NoteKey> = own.iter().map(|(key, _)| key.clone()).collect();
    all.extend_from_slice(witnesses);
    let signers = note.signers(&all)?;
    let signed = |key: &NoteKey| {
        let mut own = note.signatures.iter().filter(|it| it.name == key.name);
        key.kind == NoteKind::Ed25519 && own.any(|signature| signature.id == key.id())
    };
    let signer = own.iter().find(|(key, _)| signed(key)).map(|(_, name)| name.clone());
    let seen = signers.iter().filter_map(|signer| Some((signer.name.clone(), signer.time?)));
    let verdict = match log.tree.root(head.size) {
        _ if head.origin != log.origin => HeadVerdict::OtherLog,
        None => HeadVerdict::Rollback,
        Some(root) if root == head.root => HeadVerdict::Consistent,
        Some(_) if head.size == log.size() => HeadVerdict::Fork,
        Some(_) => HeadVerdict::Rewritten,
    };
    Ok(CheckedHead { witnesses: seen.collect(), verdict, signer, head })
}

/// A head of a log beside a proof that the log only grew since.
#[derive(Clone, Debug)]
pub struct CheckedGrowth {
    /// The head.
    pub head: Checkpoint,
    /// The number of entries that the proof names: nothing shows it but that it leads to the root.
    pub size: u64,
    /// The name of the known key that signed what the proof leads to; `None` if no key that is
    /// known did, or if the proof is of another head.
    pub signer: Option<String>,
}

/// The verdict of a receipt of growth (RFC 9942) on a head, without the log.
///
/// # Errors
/// The head or the receipt can't be read.
pub fn check_growth(head: &str, receipt: &[u8], keys: &[KnownKey]) -> Result<CheckedGrowth, Error> {
    let hint = "`verbatim log check HEAD -o FILE` writes one, where the log is";
    let (head, _) = Checkpoint::signed(head)
        .or_else(|fault| refused(format!("the head can't be read: {fault}"), hint))?;
    let receipt = LogReceipt::read(receipt)
        .or_else(|fault| refused(format!("the proof can't be read: {fault}"), hint))?;
    let LogProof::Consistency { old, new, .. } = receipt.proof else {
        return refused("the proof is of an entry, and not of growth", hint);
    };
    let extends = |known: &&KnownKey| receipt.extends(&head.root, &known.key).is_ok();
    let signer = keys.iter().filter(|_| old == head.size).find(extends);
    Ok(CheckedGrowth { signer: signer.map(|known| known.name.clone()), size: new, head })
}

/// The root over which a known key signed that its log has the entry of a digest, and the key. The
/// proof has the form of RFC 9942 or of C2SP.
pub(crate) fn included<'k>(
    receipt: &[u8],
    digest: &Hash,
    keys: &'k [KnownKey],
) -> Result<Option<(&'k KnownKey, Hash)>, String> {
    if let Some(proof) = std::str::from_utf8(receipt).ok().filter(|text| EntryProof::is_one(text)) {
        return included_by_proof(proof, digest, keys).map_err(|fault| fault.to_string());
    }
    let receipt = LogReceipt::read(receipt).map_err(|fault| fault.to_string())?;
    let leaf = leaf_hash(digest);
    let good = |key: &PublicKey| receipt.includes(&leaf, key).ok();
    Ok(keys.iter().find_map(|known| Some((known, good(&known.key)?))))
}

/// The same, by a proof in the form of C2SP: the path leads to the root of its checkpoint.
fn included_by_proof<'k>(
    proof: &str,
    digest: &Hash,
    keys: &'k [KnownKey],
) -> Result<Option<(&'k KnownKey, Hash)>, NoteFault> {
    let proof = EntryProof::read(proof)?;
    let (head, note) = Checkpoint::signed(&proof.checkpoint)?;
    let root = inclusion_root(proof.index, head.size, &leaf_hash(digest), &proof.path);
    if root != Ok(head.root) {
        return Ok(None);
    }
    let signed = |known: &&KnownKey| {
        let key = NoteKey::new(&head.origin, NoteKind::Ed25519, &known.key);
        key.is_some_and(|key| note.signers(&[key]).is_ok_and(|signers| !signers.is_empty()))
    };
    Ok(keys.iter().find(signed).map(|known| (known, head.root)))
}
