//! Verifying: a file, its envelope and the known keys give the lines of a result.
//!
//! The result says of the content what the verified bytes are, and of the signer what the signed
//! header says. It says nothing of either if no known key signed.

use std::path::Path;

use catalog::Catalog;
use session::UtcTime;
use sha2::{Digest as _, Sha256};
use sign::{Envelope, Hash, canonical};

use crate::attest::beside::{companion, receipt_file, signed_by};
use crate::attest::error::{Error, at, refused};
use crate::attest::report::{VerifyReport, VerifyVerdict};
use crate::attest::schema::Judgement;
use crate::attest::trust::{KeyStanding, KnownKey};
use crate::attest::{presented, presented_page};

mod beyond;
mod signer;

/// Greatest length of a receipt of a log.
const RECEIPT: u64 = 1 << 20;

/// Greatest length of an envelope, its content included.
const ENVELOPE: u64 = 1 << 30;

/// Options of a verification.
#[derive(Clone, Copy, Debug)]
pub struct VerifyTask<'t> {
    /// The file of the signature, if it is not beside the file.
    pub signature: Option<&'t Path>,
    /// The keys that are known.
    pub keys: &'t [KnownKey],
    /// Whether the draft's form of the bytes is what was signed.
    pub as_draft: bool,
    /// The time, for signatures that end.
    pub now: UtcTime,
}

/// A signature and what it is of, in memory.
#[derive(Clone, Debug)]
pub struct GivenSignature {
    /// Name of the file.
    pub file: String,
    /// Name of the file of the signature.
    pub signature: String,
    /// The bytes; `None` if they are to be in the envelope.
    pub content: Option<Vec<u8>>,
    /// The digest of the file, if it is a presentation: then the signed bytes are only a part of
    /// it.
    pub presentation: Option<Hash>,
    /// The envelope.
    pub envelope: Vec<u8>,
}

impl GivenSignature {
    /// Reads a file and its signature. The file may be that of the signature, or an envelope that
    /// has its content inside.
    ///
    /// # Errors
    /// A file is missing or can't be read.
    pub fn open(file: &Path, signature: Option<&Path>) -> Result<Self, Error> {
        let name = |path: &Path| path.display().to_string();
        if let Some(signature) = signature {
            let (content, envelope) = (Some(read(file)?), envelope(signature)?);
            return Ok(Self {
                file: name(file),
                signature: name(signature),
                content,
                envelope,
                presentation: None,
            });
        }
        if let Some(content) = signed_by(file) {
            let bytes = match content.is_file() {
                true => Some(read(&content)?),
                false => None,
            };
            let shown = if bytes.is_some() { name(&content) } else { name(file) };
            let envelope = envelope(file)?;
            return Ok(Self {
                file: shown,
                signature: name(file),
                content: bytes,
                envelope,
                presentation: None,
            });
        }
        let beside = companion(file);
        let bytes = read(file)?;
        if beside.is_file() {
            let (file, signature, envelope) = (name(file), name(&beside), envelope(&beside)?);
            return Ok(Self {
                file,
                signature,
                content: Some(bytes),
                envelope,
                presentation: None,
            });
        }
        // An envelope with its content inside has any name.
        if Envelope::is_likely(&bytes) {
            let name = name(file);
            return Ok(Self {
                file: name.clone(),
                signature: name,
                content: None,
                presentation: None,
                envelope: bytes,
            });
        }
        let what = format!("{} has no signature: there is no {}", name(file), name(&beside));
        refused(what, "name the signature: `--signature FILE`; `verbatim sign FILE` makes one")
    }

    /// Verifies it, and says what it shows.
    #[must_use]
    pub fn verify(self, task: VerifyTask<'_>, catalog: &Catalog<'_>) -> VerifyReport {
        let mut report = VerifyReport::new(&self.file, &self.signature);
        let envelope = match Envelope::read(&self.envelope) {
            Ok(envelope) => envelope,
            Err(fault) => {
                report.put("envelope", VerifyVerdict::Failed, fault.to_string());
                report.put("bytes", VerifyVerdict::NotShown, "the envelope is not accepted");
                report.beyond(None);
                return report.close();
            }
        };
        report.put("envelope", VerifyVerdict::Shown, encoding(&envelope));
        report.unauthenticated.clone_from(&envelope.unprotected.labels);
        let canonical = self.content.as_deref().filter(|_| task.as_draft).map(canonical);
        let content = match &canonical {
            None => self.content.as_deref(),
            Some(Ok(bytes)) => Some(&**bytes),
            Some(Err(fault)) => {
                let why = format!("it has no canonical form: {fault}");
                report.put("bytes", VerifyVerdict::Failed, why);
                report.beyond(Some(&envelope));
                return report.close();
            }
        };
        match find(&envelope, content, task.keys) {
            None => report.unsigned(&envelope, content, task),
            Some((known, bytes)) => {
                let length = bytes.len();
                let name = &known.name;
                let why = format!("the key `{name}` signed these {length} bytes, and no other");
                report.put("bytes", VerifyVerdict::Shown, why);
                let stored = self.content.as_deref();
                report.form(stored.is_none_or(|stored| stored == bytes), task.as_draft);
                let judged = Judgement::of(&self.file, bytes, catalog);
                report.put("schema", judged.verdict, judged.why);
                report.signer(&envelope, known, judged.kind, task.now);
            }
        }
        report.beyond(Some(&envelope));
        report.logged(&self.receipts(&envelope), task.keys);
        report.close()
    }

    /// The receipts of logs: those that the envelope carries are of its statement, and one beside
    /// the file is of the file.
    fn receipts(&self, envelope: &Envelope) -> Vec<(Vec<u8>, Hash)> {
        let mut receipts = Vec::new();
        if let (Some(own), Ok(statement)) = (envelope.receipts(), envelope.statement()) {
            let digest: Hash = Sha256::digest(statement).into();
            receipts.extend(own.into_iter().map(|receipt| (receipt.to_vec(), digest)));
        }
        // A digest is made only for a receipt that is there: the file may be large.
        let read = |name: &str| catalog::bounded(&receipt_file(Path::new(name)), RECEIPT).ok();
        let digest = |bytes: &[u8]| Hash::from(Sha256::digest(bytes));
        let of_file = || self.presentation.or_else(|| self.content.as_deref().map(digest));
        if let Some((receipt, digest)) = read(&self.file).and_then(|it| Some((it, of_file()?))) {
            receipts.push((receipt, digest));
        }
        // The signature of a presentation is within the file.
        if self.presentation.is_none()
            && let Some(receipt) = read(&self.signature)
        {
            receipts.push((receipt, digest(&self.envelope)));
        }
        receipts
    }
}

/// Verifies the signature of a file, and says what it shows.
///
/// # Errors
/// A file is missing or can't be read.
pub fn verify(
    file: &Path,
    task: VerifyTask<'_>,
    catalog: &Catalog<'_>,
) -> Result<VerifyReport, Error> {
    // A presentation has its signature inside, and so has a page of one.
    let alone = task.signature.is_none() && signed_by(file).is_none();
    if alone && !companion(file).is_file() && file.is_file() {
        let (bytes, name) = (read(file)?, file.display().to_string());
        if let Some(report) = presented::verify_presentation(&name, &bytes, task, catalog) {
            return Ok(report);
        }
        if let Some(report) = presented_page::verify_page(&name, &bytes, task, catalog) {
            return Ok(report);
        }
    }
    Ok(GivenSignature::open(file, task.signature)?.verify(task, catalog))
}

/// The bytes of a file as they are stored.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    match catalog::stored(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let what = format!("there is no file `{}`", path.display());
            refused(what, "name a file that is signed, or its signature")
        }
        other => other.map_err(at(path)),
    }
}

/// The bytes of an envelope.
fn envelope(path: &Path) -> Result<Vec<u8>, Error> {
    if path.metadata().is_ok_and(|meta| meta.len() > ENVELOPE) {
        let what = format!("{} is too large for a signature", path.display());
        return refused(what, "name the signature: `--signature FILE`");
    }
    read(path)
}

/// The key that signed the content, and the signed bytes. The id in the envelope only says which
/// key is tried first: ids are made by many rules, and anybody can write one.
fn find<'e, 'k>(
    envelope: &'e Envelope,
    content: Option<&'e [u8]>,
    keys: &'k [KnownKey],
) -> Option<(&'k KnownKey, &'e [u8])> {
    let id = envelope.header.key_id.as_ref().or(envelope.unprotected.key_id.as_ref());
    let is_named = |known: &&KnownKey| id.is_some_and(|id| *id == known.key.id());
    let first = keys.iter().filter(is_named);
    let mut tried = first.chain(keys.iter().filter(|known| !is_named(known)));
    let (known, bytes) = tried.find_map(|known| {
        let verified = envelope.verify(content, &[], &known.key)?;
        Some((known, verified.content))
    })?;
    // One key may be known twice, as an own one and as a trusted one, with two issuers.
    let issuer = envelope.header.claims.as_ref().and_then(|claims| claims.issuer.as_ref());
    let same = |other: &&KnownKey| other.key == known.key && issuer == Some(&other.issuer);
    Some((keys.iter().find(same).unwrap_or(known), bytes))
}

impl VerifyReport {
    /// Why no known key has signed.
    fn unsigned(&mut self, envelope: &Envelope, content: Option<&[u8]>, task: VerifyTask<'_>) {
        let (verdict, why) = match (content, envelope.attached()) {
            (None, None) => {
                let why = "the signed bytes are neither in the envelope nor beside it";
                (VerifyVerdict::NotShown, why.to_owned())
            }
            (Some(content), Some(attached)) if content != attached => {
                (VerifyVerdict::Failed, "the file is not what the envelope has inside".to_owned())
            }
            _ => by_no_key(envelope, task.keys),
        };
        self.put("bytes", verdict, why);
    }

    /// Which form of the file was signed.
    fn form(&mut self, same: bool, as_draft: bool) {
        let (verdict, why) = match (as_draft, same) {
            (false, _) => (VerifyVerdict::Shown, "the bytes were signed as they are"),
            (true, true) => (VerifyVerdict::Shown, "the file is in the draft's canonical form"),
            (true, false) => {
                (VerifyVerdict::NotShown, "the file was made canonical first: its own bytes differ")
            }
        };
        self.put("form", verdict, why);
    }
}

/// The form of an envelope that is accepted.
fn encoding(envelope: &Envelope) -> String {
    let form = match envelope.ordered {
        true => "a COSE_Sign1 in strict form",
        false => "a COSE_Sign1; its names are in another order than that of the strict form",
    };
    match envelope.header.others.len() {
        0 if envelope.ordered => format!("{form}, its algorithm protected"),
        0 => form.to_owned(),
        1 => format!("{form}; 1 signed label is not understood"),
        more => format!("{form}; {more} signed labels are not understood"),
    }
}

/// The verdict on an envelope that no known key made.
fn by_no_key(envelope: &Envelope, keys: &[KnownKey]) -> (VerifyVerdict, String) {
    let fits = |known: &&KnownKey| known.key.key_type() == envelope.key_type();
    if let Some(given) = keys.iter().find(|known| known.standing == KeyStanding::Given) {
        let why = match fits(&given) {
            true => "the key that you named did not sign these bytes",
            false => "the key that you named is not of the type of the algorithm",
        };
        return (VerifyVerdict::Failed, why.into());
    }
    let id = envelope.header.key_id.as_ref();
    match keys.iter().find(|known| id.is_some_and(|id| *id == known.key.id())) {
        Some(known) => {
            let why = format!("the key `{}` that it names did not sign these bytes", known.name);
            (VerifyVerdict::Failed, why)
        }
        None => {
            let why = "no key that you know signed it; name the signer's: `--key FILE`";
            (VerifyVerdict::NotShown, why.into())
        }
    }
}
