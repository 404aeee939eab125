//! Sessions for tables of rows. Each source is read once and redacted once, whatever tables are
//! asked for, and what its rows say depends on its own files and on the options alone: not on the
//! machine, on the other sources, or on their order.

use std::path::Path;

use catalog::find::found::Found;
use catalog::open::source::Source;
use catalog::{Catalog, Error, Job, SourceLabels};
use redact::{Clean, RedactionReport, Redactor, Unredacted, UnredactedFlag};
use session::{Bundle, Session};
use sha2::{Digest as _, Sha256};

use crate::redact::{marked, place, redact_source, redact_text};
use crate::usage::outside;
use crate::usage::price::ListPrices;

/// The choices for rows.
#[derive(Debug)]
pub struct RowOptions<'r> {
    /// The redactor of the sessions, which also makes the table of findings.
    pub redactor: &'r Redactor,
    /// The flag with which the user asked for sessions as they are.
    pub unredacted: Option<UnredactedFlag>,
    /// Whether findings are wanted. Redaction finds them anyway.
    pub findings: bool,
}

/// The sessions of a source, as they may leave the program.
#[derive(Debug)]
enum Passed {
    Redacted(Clean<Vec<Session>>),
    AsTheyAre(Unredacted<Vec<Session>>),
}

/// A source that was read for rows, or the reason why it was not.
#[derive(Debug)]
pub struct RowSource {
    sessions: Passed,
    /// Whether the tags of placeholders were made by a key.
    pub has_tags: bool,
    /// Whether its values have numbers as tags, which its rows must not have.
    pub is_numbered: bool,
    /// The digest of its bytes, as they leave the program: 32 hexadecimal digits. Copies of a
    /// session have the same, and two states of a session have different ones.
    pub state: String,
    /// Whether it is a document, made from another source.
    pub is_document: bool,
    /// The labels of the machine and of the account, which their user chose when it was kept.
    pub labels: SourceLabels,
    /// The values that were found in it.
    pub report: Option<RedactionReport>,
    /// The files and rows of databases that could not be read.
    pub faults: Vec<RowFault>,
}

/// A file that could not be read, or that could not be redacted and so is in no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// Its kind.
    pub kind: RowFaultKind,
    /// Its path: without sensitive values, if sessions are redacted.
    pub file: String,
    /// The reason.
    pub why: String,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFaultKind {
    /// It could not be read, or not all of it.
    Unread,
    /// Its sessions could not be redacted, and are in no table.
    Unredacted,
}

impl RowFaultKind {
    /// Its name in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unread => "not-read",
            Self::Unredacted => "not-redacted",
        }
    }
}

impl RowSource {
    /// A source without sessions.
    fn of_faults(faults: Vec<RowFault>, flag: Option<UnredactedFlag>) -> Self {
        let sessions = match flag {
            Some(flag) => Passed::AsTheyAre(Unredacted::of(Vec::new(), flag)),
            None => Passed::Redacted(Clean::nothing()),
        };
        Self {
            sessions,
            has_tags: false,
            is_numbered: false,
            state: String::new(),
            is_document: false,
            labels: SourceLabels::default(),
            report: None,
            faults,
        }
    }

    /// Its sessions, and the remainder that belongs to none.
    #[must_use]
    pub fn sessions(&self) -> &[Session] {
        match &self.sessions {
            Passed::Redacted(sessions) => sessions,
            Passed::AsTheyAre(sessions) => sessions,
        }
    }

    /// Whether its sessions were redacted.
    #[must_use]
    pub const fn is_redacted(&self) -> bool {
        matches!(self.sessions, Passed::Redacted(_))
    }
}

/// The greatest size of the sources that are read before their rows are written: rows are written
/// in the order of the sources, and are never all in memory.
const AT_ONCE: u64 = 32 * 1024 * 1024;
/// The greatest number of them.
const SOURCES_AT_ONCE: usize = 256;

/// The sources of one part of several, from 1, which have about the same size. Each source is in
/// one part, and the order of the sources stays.
#[must_use]
pub fn part(sources: &[Source], part: u64, all: u64) -> &[Source] {
    let total: u128 = sources.iter().map(|source| u128::from(source.length())).sum();
    let mut before = 0u128;
    let part_of = |source: &Source| {
        let part = before * u128::from(all) / total.max(1);
        before += u128::from(source.length());
        part.min(u128::from(all) - 1)
    };
    let parts: Vec<u128> = sources.iter().map(part_of).collect();
    let wanted = u128::from(part).saturating_sub(1);
    let from = parts.partition_point(|part| *part < wanted);
    let to = parts.partition_point(|part| *part <= wanted);
    &sources[from..to]
}

/// The sources in batches, each of which is read at once.
pub fn batches(sources: &[Source]) -> impl Iterator<Item = &[Source]> {
    let mut rest = sources;
    std::iter::from_fn(move || {
        let mut size = 0u64;
        let fits = |source: &&Source| {
            size = size.saturating_add(source.length());
            size <= AT_ONCE
        };
        let count = rest.iter().take(SOURCES_AT_ONCE).take_while(fits).count();
        let (batch, others) = rest.split_at(count.max(1).min(rest.len()));
        rest = others;
        (!batch.is_empty()).then_some(batch)
    })
}

/// Reads sources with the threads of the catalog's job, and makes the rows of each. The results
/// have the order of the sources.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn read<R: Send>(
    catalog: &Catalog<'_>,
    sources: &[Source],
    options: &RowOptions<'_>,
    rows: &(dyn Fn(&RowSource, &ListPrices) -> R + Sync),
) -> Result<Vec<R>, Error> {
    let job = &catalog.machine.job;
    let read = |prices: &mut ListPrices, source: &Source| {
        let read = read_source(catalog, source, options);
        rows(&read, prices)
    };
    job.parallel_with(sources, Source::length, ListPrices::default, read)
}

/// The faults of a search: files that could not be read, and rows of databases that belong to no
/// session.
#[must_use]
pub fn unread(job: &Job, found: &Found, options: &RowOptions<'_>) -> RowSource {
    let failed = found.skipped.iter().filter(|skipped| skipped.why.is_failure());
    let mut faults: Vec<RowFault> = failed
        .map(|skipped| fault(job, &skipped.path, &skipped.why.to_string(), options))
        .collect();
    for unread in found.stores().flat_map(|(_, store)| outside(store)) {
        faults.push(fault(job, &unread.path, &unread.why, options));
    }
    RowSource::of_faults(faults, options.unredacted)
}

fn read_source(catalog: &Catalog<'_>, source: &Source, options: &RowOptions<'_>) -> RowSource {
    let job = &catalog.machine.job;
    let opened = match catalog.read(source) {
        Ok(opened) => opened,
        Err(error) => {
            let path = source.files.first().map(|file| file.path.to_path_buf());
            let (path, why) = match error {
                Error::NoSession { path, why } => (path, why),
                other => (path.unwrap_or_default(), other.to_string()),
            };
            let faults = vec![fault(job, &path, &why, options)];
            return RowSource::of_faults(faults, options.unredacted);
        }
    };
    let first = opened.paths.first().map_or(Path::new(""), |path| path.as_path());
    let unread = opened.unread.iter();
    let mut faults: Vec<RowFault> =
        unread.map(|file| fault(job, &file.path, &file.why, options)).collect();
    let has_tags = options.redactor.options().key.is_keyed();
    let mut is_numbered = false;
    let (sessions, report) = match options.unredacted {
        Some(flag) => as_they_are(opened.sessions, flag, options),
        None => match redact_source(job, source.format, opened.sessions, &mut [], options.redactor)
        {
            Ok((sessions, report, numbered)) => {
                is_numbered = numbered;
                (Passed::Redacted(sessions), Ok(Some(report)))
            }
            Err(error) => {
                let failed = fault(job, first, &error.to_string(), options);
                faults.push(RowFault { kind: RowFaultKind::Unredacted, ..failed });
                return RowSource::of_faults(faults, None);
            }
        },
    };
    let report = report.unwrap_or_else(|why| {
        faults.push(fault(job, first, &format!("not scanned: {why}"), options));
        None
    });
    let (is_document, state) = (source.format.is_document(), String::new());
    let labels = source.labels();
    let mut read =
        RowSource { sessions, has_tags, is_numbered, state, is_document, labels, report, faults };
    read.state = read.sessions().first().map(|one| digest(&one.bundle)).unwrap_or_default();
    read
}

/// Sessions as they are, with what would be found in them if findings are wanted.
fn as_they_are(
    sessions: Vec<Session>,
    flag: UnredactedFlag,
    options: &RowOptions<'_>,
) -> (Passed, Result<Option<RedactionReport>, String>) {
    let scanned = || -> Result<RedactionReport, String> {
        let refs: Vec<&Session> = sessions.iter().collect();
        let report = options.redactor.scan_report(&refs, &marked(&refs));
        let mut report = report.map_err(|failure| failure.to_string())?;
        if let Some(first) = sessions.first() {
            place(&mut report.entries, &first.bundle);
        }
        Ok(report)
    };
    let report = options.findings.then(scanned).transpose();
    (Passed::AsTheyAre(Unredacted::of(sessions, flag)), report)
}

/// A file that could not be read. Its path and the reason are redacted as any text is: a path has
/// the name of a user.
fn fault(job: &Job, path: &Path, why: &str, options: &RowOptions<'_>) -> RowFault {
    let kind = RowFaultKind::Unread;
    let shown = path.to_string_lossy();
    if options.unredacted.is_some() {
        return RowFault { kind, file: shown.into_owned(), why: why.to_owned() };
    }
    let text = format!("{shown}\n{why}");
    let clean = redact_text(job, "fault", text.into_bytes(), options.redactor).ok();
    let clean = clean
        .map(|redaction| String::from_utf8_lossy(redaction.session().bundle.bytes(0)).into_owned());
    // Without a redacted name, the file has none.
    let (file, why) = match clean.as_deref().and_then(|text| text.split_once('\n')) {
        Some((file, why)) => (file.to_owned(), why.to_owned()),
        None => (String::new(), "the name and the reason could not be redacted".to_owned()),
    };
    RowFault { kind, file, why }
}

/// The digest of the bytes of a bundle.
fn digest(bundle: &Bundle) -> String {
    let mut all = Sha256::new();
    for member in &bundle.members {
        all.update((member.length() as u64).to_le_bytes());
        all.update(member.bytes());
    }
    all.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
