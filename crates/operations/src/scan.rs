//! Scan for sensitive values: sessions, the files that belong to them, and any other files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::find::found::Found;
use catalog::open::bundle::{Unread, bundle};
use catalog::open::content::whole;
use catalog::open::source::Source;
use catalog::{Catalog, Error, Job};
use redact::{Failure, RedactionReport, Redactor, plain};
use session::{Bundle, Session};

use crate::redact::{marked, place, text};

mod archive;
pub mod texts;

/// Result of a scan.
#[derive(Debug, Default)]
pub struct ScanResult {
    /// The sources and the texts, in the order in which they were found.
    pub sources: Vec<ScannedSource>,
    /// The files that were not looked through.
    pub skipped: Vec<SkippedFile>,
}

/// A file that was not looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Path of the file or folder.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
    /// Whether it could have values that nobody looked for: then a scan is not complete.
    pub open: bool,
}

/// Result of the scan of one source, or of a text.
#[derive(Debug)]
pub struct ScannedSource {
    /// The format's name; of a text that is no session, [`plain::NAME`].
    pub format: &'static str,
    /// The uids of its sessions.
    pub sessions: Vec<String>,
    /// The files, by the numbers that findings have.
    pub files: Vec<PathBuf>,
    /// The findings by their places; or the reason why nothing is known.
    pub report: Result<RedactionReport, Failure>,
    /// Files that could not be read.
    pub unread: Vec<Unread>,
    /// The number of bytes that were scanned.
    pub bytes: u64,
}

/// An item of a scan.
enum Item<'i> {
    Source(&'i Source),
    Text(PathBuf),
}

impl Item<'_> {
    fn length(&self) -> u64 {
        match self {
            Self::Source(source) => source.length(),
            Self::Text(path) => path.metadata().map_or(0, |meta| meta.len()),
        }
    }
}

/// Scans what a search found, with the threads of the catalog's job, and calls `done` for each
/// source and text.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn scan_secrets(
    catalog: &Catalog<'_>,
    found: &Found,
    redactor: &Redactor,
    done: &(dyn Fn(&ScannedSource) + Sync),
) -> Result<ScanResult, Error> {
    let texts::Beside { texts, mut skipped } = texts::beside(catalog, found);
    let mut items: Vec<Item<'_>> = found.sources.iter().map(Item::Source).collect();
    items.extend(texts.into_iter().map(Item::Text));
    let scanned = catalog.machine.job.parallel(&items, Item::length, |item| {
        let scanned = match item {
            Item::Source(source) => vec![Ok(scanned(source, redactor))],
            Item::Text(path) => text_file(catalog, path, redactor),
        };
        scanned.iter().flatten().for_each(done);
        scanned
    })?;
    let mut sources = Vec::new();
    for scanned in scanned.into_iter().flatten() {
        match scanned {
            Ok(scanned) => sources.push(scanned),
            Err(file) => skipped.push(file),
        }
    }
    Ok(ScanResult { sources, skipped })
}

/// Scans these sources alone, with the threads of a job, and calls `done` for each.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn scan_sources(
    job: &Job,
    sources: &[Source],
    redactor: &Redactor,
    done: &(dyn Fn(&ScannedSource) + Sync),
) -> Result<Vec<ScannedSource>, Error> {
    job.parallel(sources, Source::length, |source| {
        let scanned = scanned(source, redactor);
        done(&scanned);
        scanned
    })
}

/// Scans bytes that are no file here: a session, or else any text.
///
/// # Errors
/// The reason why they can't be looked through.
pub fn scan_bytes(
    catalog: &Catalog<'_>,
    name: &str,
    bytes: Vec<u8>,
    redactor: &Redactor,
) -> Result<ScannedSource, SkippedFile> {
    match catalog.open_bytes(name, bytes.clone()) {
        Ok(opened) => Ok(of(opened.sessions, vec![name.into()], redactor)),
        Err(_) => text_of(Path::new(name), bytes, redactor),
    }
}

fn scanned(source: &Source, redactor: &Redactor) -> ScannedSource {
    let (bundle, unread) = bundle(source);
    let files = source.paths(&bundle);
    let sessions = source.format.read(Arc::new(bundle));
    let format = source.format.name();
    ScannedSource { format, unread, ..of(sessions, files, redactor) }
}

/// A source of a scan, or a file that was not looked through.
type Scanned = Result<ScannedSource, SkippedFile>;

/// A file that is no session: a text, or the entries that it packs.
fn text_file(catalog: &Catalog<'_>, path: &Path, redactor: &Redactor) -> Vec<Scanned> {
    let bytes = match whole(path) {
        Ok(bytes) => bytes,
        Err(error) => return vec![Err(skipped(path, format!("cannot be read: {error}")))],
    };
    let mut all = Vec::new();
    let closed = archive::each(&bytes, &mut |place, bytes| {
        // The words for an entry have no part of its name.
        let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
        let name = PathBuf::from(format!("{}{place}", path.display()));
        let scanned = scan_bytes(catalog, "entry.jsonl", bytes, redactor);
        all.push(match scanned {
            Ok(scanned) => Ok(ScannedSource { files: vec![name], ..scanned }),
            Err(file) => Err(SkippedFile { path: name, ..file }),
        });
    });
    match closed {
        None => vec![text_of(path, bytes, redactor)],
        Some(closed) => {
            let why = closed.into_iter().map(|why| format!("not looked into: {why}"));
            all.extend(why.map(|why| Err(skipped(path, why))));
            all
        }
    }
}

fn skipped(path: &Path, why: String) -> SkippedFile {
    SkippedFile { path: path.to_path_buf(), why, open: true }
}

fn text_of(path: &Path, bytes: Vec<u8>, redactor: &Redactor) -> Result<ScannedSource, SkippedFile> {
    if let Some(form) = texts::packed(&bytes) {
        return Err(skipped(path, format!("not looked into: packed ({form})")));
    }
    let text = text("text", texts::plain(bytes));
    let text = text.map_err(|error: Error| skipped(path, error.to_string()))?;
    let scanned = of(vec![text], vec![path.to_path_buf()], redactor);
    Ok(ScannedSource { sessions: Vec::new(), ..scanned })
}

/// The scan of the sessions of one bundle.
fn of(sessions: Vec<Session>, files: Vec<PathBuf>, redactor: &Redactor) -> ScannedSource {
    let refs: Vec<&Session> = sessions.iter().collect();
    let mut report = redactor.scan_report(&refs, &marked(&refs));
    let empty = Arc::new(Bundle { members: Vec::new() });
    let bundle = sessions.first().map_or(empty, |first| Arc::clone(&first.bundle));
    if let Ok(report) = &mut report {
        place(&mut report.entries, &bundle);
    }
    let named = sessions.iter().filter(|session| !session.remainder);
    ScannedSource {
        format: sessions.first().map_or(plain::NAME, |first| first.format),
        sessions: named.map(Session::uid).collect(),
        files,
        report,
        unread: Vec::new(),
        bytes: bundle.members.iter().map(|member| member.length() as u64).sum(),
    }
}
