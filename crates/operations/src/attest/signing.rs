//! Signing: the bytes of a record or of receipts get an envelope, which is written beside them.

use std::path::{Path, PathBuf};

use catalog::Catalog;
use session::UtcTime;
use sign::{Claims, Envelope, RecordSecret, canonical, signature_head};
use store::Writer;

use crate::attest::beside::companion;
use crate::attest::content::Signable;
use crate::attest::error::{Error, refused};
use crate::attest::record_secret::{record_digest, secret, secret_file, skeleton_file, written};
use crate::attest::signer::Signer;
use crate::attest::skeleton::{self, Skeleton};

/// Options of a signature.
#[derive(Clone, Copy, Debug)]
pub struct SignTask<'t> {
    /// The file to write; `None` means the file that has the bytes already, or one of that name.
    pub output: Option<&'t Path>,
    /// Whether existing files may be replaced.
    pub replace: bool,
    /// Whether the draft's canonical form is signed.
    pub as_draft: bool,
    /// The time that the envelope tells.
    pub now: UtcTime,
    /// Random bytes: the secret of a record that has none yet.
    pub random: [u8; 32],
}

/// The files of a signature that was written.
#[derive(Clone, Debug)]
pub struct WrittenSignature {
    /// The signed file.
    pub file: PathBuf,
    /// The file of the envelope.
    pub signature: PathBuf,
    /// The length of the signed file.
    pub bytes: usize,
    /// The subject that the envelope names.
    pub subject: String,
    /// Of a record in JSON that is signed as it is: the signed file by which parts of it can be
    /// shown, and the private one that is needed for that.
    pub skeleton: Option<WrittenSkeleton>,
}

/// The files beside a signed record by which parts of it can be shown.
#[derive(Clone, Debug)]
pub struct WrittenSkeleton {
    /// The signed skeleton.
    pub file: PathBuf,
    /// The secret.
    pub secret: PathBuf,
}

/// Signs content, and writes it, unless it is stored already, and its envelope.
///
/// # Errors
/// The content can't be signed so, or a file must not be written. Then none is.
pub fn sign(
    content: Signable,
    signer: &Signer<'_>,
    task: SignTask<'_>,
    catalog: &Catalog<'_>,
) -> Result<WrittenSignature, Error> {
    if task.output == Some(Path::new("-")) {
        return refused(
            "a signature is a file beside the one that it signs, and standard output has no place \
             for two",
            "name a file: `-o FILE`",
        );
    }
    let stored = content.file.clone();
    let name = match stored.as_deref().and_then(Path::file_name) {
        Some(name) => PathBuf::from(name),
        None => PathBuf::from(&content.name),
    };
    let (subject, shows_parts) = (content.subject.clone(), content.is_record && !task.as_draft);
    let (content, changed) = content.in_form(task.as_draft)?;
    let (file, is_stored) = match (task.output, stored) {
        (Some(output), _) if is_folder(output) => (output.join(name), false),
        (Some(output), _) => (output.to_path_buf(), false),
        (None, Some(file)) if changed => {
            let what = format!("{} is not in the draft's canonical form", file.display());
            return refused(what, "name the file to write it to in that form: `-o FILE`");
        }
        (None, Some(file)) => (file, true),
        (None, None) => (name, false),
    };
    let signature = companion(&file);
    // Either reads all bytes, and needs nothing of the other.
    let sign = || signer.envelope(&content, task.now);
    let parts = || shows_parts.then(|| Parts::of(&file, &content, task.random)).transpose();
    let (envelope, parts) = catalog.machine.job.both(sign, parts)?;
    let (envelope, parts) = (envelope?, parts?.flatten());
    let mut files = Vec::new();
    let mut skeleton = None;
    if let Some(made) = parts {
        skeleton = Some(WrittenSkeleton { file: skeleton_file(&file), secret: secret_file(&file) });
        files.extend(made.files(&file, &subject, signer, task.now)?);
    }
    files.push((file.clone(), content.bytes));
    files.push((signature.clone(), envelope));
    // What is there already is not written again: the file itself, if it is signed as it is, and
    // what a run that was ended between two files has left.
    let of_skeleton = companion(&skeleton_file(&file));
    let is_there = |at: usize, (path, bytes): &(PathBuf, Vec<u8>)| {
        let is_last = at + 1 == files.len();
        // A signature tells the time: one of another time is as good.
        let signed = || at > 0 && *path == of_skeleton && signer.has_signed(path, &files[at - 1].1);
        !is_last && ((is_stored && *path == file) || has(path, bytes) || signed())
    };
    let missing = files.iter().enumerate().filter(|(at, pair)| !is_there(*at, pair));
    let missing: Vec<(&PathBuf, &Vec<u8>)> =
        missing.map(|(_, (path, bytes))| (path, bytes)).collect();
    write(&missing, task.replace, catalog)?;
    let bytes = files.iter().rev().nth(1).map_or(0, |(_, content)| content.len());
    Ok(WrittenSignature { file, signature, bytes, subject, skeleton })
}

/// Files beside a record, so that parts of it can be shown: the secret and the skeleton.
struct Parts {
    secret: String,
    skeleton: String,
}

impl Parts {
    /// Those of a record; `None` if it has not the parts of one. The secret is the one that the
    /// record has already, or these random bytes.
    fn of(file: &Path, record: &Signable, random: [u8; 32]) -> Result<Option<Self>, Error> {
        let digest = record_digest(&record.bytes);
        let secret = match secret(file, &digest)? {
            Some(secret) => secret,
            None => RecordSecret::new(random),
        };
        let made = || {
            let text = std::str::from_utf8(&record.bytes).map_err(|error| error.to_string())?;
            let (parts, tree) = match &record.places {
                Some(places) => skeleton::tree_of(places, text, &secret)?,
                None => skeleton::tree(text, &secret)?,
            };
            Skeleton::of(&parts, &tree)
        };
        // A document of another shape than a record's is signed as a whole only.
        let Ok(skeleton) = made() else { return Ok(None) };
        Ok(Some(Self { secret: written(&secret, &digest), skeleton: skeleton.text }))
    }

    /// The files beside that of the record. The secret comes first: without it the others are of
    /// no use.
    fn files(
        self,
        record: &Path,
        subject: &str,
        signer: &Signer<'_>,
        now: UtcTime,
    ) -> Result<[(PathBuf, Vec<u8>); 3], Error> {
        let skeleton = Signable {
            bytes: self.skeleton.into_bytes(),
            media_type: "application/json",
            subject: subject.to_owned(),
            file: None,
            name: String::new(),
            is_record: false,
            places: None,
        };
        let envelope = signer.envelope(&skeleton, now)?;
        let file = skeleton_file(record);
        Ok([
            (secret_file(record), self.secret.into_bytes()),
            (file.clone(), skeleton.bytes),
            (companion(&file), envelope),
        ])
    }
}

impl Signable {
    /// The content as it is, or, `as_draft`, in the canonical form that the draft's verifier makes
    /// again; and whether that has other bytes.
    fn in_form(mut self, as_draft: bool) -> Result<(Self, bool), Error> {
        if !as_draft {
            return Ok((self, false));
        }
        if self.media_type != "application/json" {
            return refused(
                "the draft's form is one of JSON, and this is CBOR",
                "sign it as it is: leave `--as-draft` out",
            );
        }
        let canonical = canonical(&self.bytes).or_else(|fault| {
            refused(
                format!("the draft's form of it would change it: {fault}"),
                "sign it as it is: leave `--as-draft` out",
            )
        })?;
        let changed = canonical != self.bytes;
        (self.bytes, self.places) = (canonical, None);
        Ok((self, changed))
    }
}

impl Signer<'_> {
    /// The envelope of a content.
    fn envelope(&self, content: &Signable, now: UtcTime) -> Result<Vec<u8>, Error> {
        let claims = Claims {
            issuer: Some(self.known.issuer.clone()),
            subject: Some(content.subject.clone()),
            issued_at: Some(now.0.div_euclid(1_000_000).max(0)),
            ..Claims::default()
        };
        let broken = |fault: sign::EnvelopeFault| Error::Refused {
            what: format!("no envelope can be made: {fault}"),
            hint: "please report it".into(),
        };
        let protected =
            Envelope::protected(&self.known.key, content.media_type, &claims).map_err(broken)?;
        // The content may be as large as memory: it is not copied.
        let head = signature_head(&protected, &[], content.bytes.len());
        let signature = self.sign_parts(&[&head, &content.bytes])?;
        Envelope::write(&protected, &signature).map_err(broken)
    }

    /// Whether a file is a signature of these bytes that this key made.
    fn has_signed(&self, signature: &Path, bytes: &[u8]) -> bool {
        let read = catalog::bounded(signature, SIGNATURE).ok();
        let envelope = read.and_then(|read| Envelope::read(&read).ok());
        envelope.is_some_and(|it| it.verify(Some(bytes), &[], &self.known.key).is_some())
    }
}

/// Greatest length of a signature without its content.
const SIGNATURE: u64 = 1 << 16;

/// Whether a file has these bytes already.
fn has(file: &Path, content: &[u8]) -> bool {
    let is_file = |meta: std::fs::Metadata| meta.is_file();
    file.symlink_metadata().is_ok_and(is_file)
        && catalog::has_bytes(file, content).is_ok_and(|same| same)
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_str().is_some_and(|path| path.ends_with(std::path::is_separator))
}

/// Writes files, after it is known that each may be written.
fn write(
    files: &[(&PathBuf, &Vec<u8>)],
    replace: bool,
    catalog: &Catalog<'_>,
) -> Result<(), Error> {
    let folders = catalog.owned_folders();
    let owner = |path: &Path| catalog.owner_by(path, &folders);
    let mut writers = Vec::new();
    for (path, bytes) in files {
        if path.is_dir() {
            return refused(format!("{} is a folder", path.display()), "name another file");
        }
        let mut writer = Writer::new(path, replace, &owner).noting(catalog.machine.state());
        writer.begin(&["file"])?;
        writers.push((writer, bytes));
    }
    for (writer, bytes) in &mut writers {
        writer.file("file", &mut |sink| sink.write_all(bytes))?;
    }
    Ok(())
}
