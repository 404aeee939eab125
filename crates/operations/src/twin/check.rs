//! The objects of a twin that are not safe: those in which the rules of this program find
//! something, and those of versions of which a later run has said so.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use archive::twin::Twin;
use archive::{ArchiveView, Digest, KeptVersion, SessionName, Version};
use catalog::Catalog;
use redact::Redactor;

use super::ExportError;
use crate::redact::{marked, text};
use crate::scan::{ScannedSource, scan_sources};

/// The result of a check.
#[derive(Debug, Default)]
pub struct TwinCheck {
    /// Versions that were looked through.
    pub versions: usize,
    /// The objects that are not safe, by their paths in the twin, each with the reasons.
    pub objects: BTreeMap<String, BTreeSet<UnsafeReason>>,
    /// The versions in them.
    pub unsafe_versions: HashSet<(SessionName, Digest)>,
    /// Versions that could not be looked through, with the reasons.
    pub unread: Vec<(String, String)>,
}

/// Why an object is not safe.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnsafeReason {
    /// The session.
    pub session: String,
    /// The digest of its version.
    pub digest: String,
    /// The reason: the class of what was found, and its rule; or what a later run has said.
    pub why: String,
}

impl TwinCheck {
    fn add(&mut self, object: String, version: (&SessionName, Digest), why: String) {
        let (name, digest) = version;
        let reason = UnsafeReason { session: name.uid(), digest: digest.to_string(), why };
        self.objects.entry(object).or_default().insert(reason);
        self.unsafe_versions.insert((name.clone(), digest));
    }
}

/// Looks through a twin. `view` is of the same folder.
///
/// # Errors
/// The twin is damaged, or somebody cancelled the job.
pub fn check_twin(
    catalog: &Catalog<'_>,
    twin: &Twin,
    view: &ArchiveView,
    redactor: &Redactor,
    step: &(dyn Fn(u64) + Sync),
) -> Result<TwinCheck, ExportError> {
    let kept = view.kept();
    let sources: Vec<catalog::Source> = kept.iter().map(|it| it.source.clone()).collect();
    let done = |done: &ScannedSource| step(done.bytes);
    let scanned = scan_sources(&catalog.machine.job, &sources, redactor, &done)?;
    let mut check = TwinCheck { versions: kept.len(), ..TwinCheck::default() };
    for (version, scanned) in kept.iter().zip(scanned) {
        add_found(twin, version, &scanned, &mut check)?;
    }
    for (found, version) in twin.unsafe_versions() {
        for pack in packs(twin, version)? {
            check.add(pack, (&found.name, found.digest), found.why.clone());
        }
    }
    for version in view.archive().versions() {
        for why in in_names(version, redactor) {
            for object in naming(twin, version) {
                check.add(object, (&version.session.name, version.session.digest), why.clone());
            }
        }
    }
    Ok(check)
}

/// The packs of all files of a version.
fn packs(twin: &Twin, version: &Version) -> Result<Vec<String>, archive::Error> {
    let mut packs = Vec::new();
    for file in &version.session.files {
        packs.extend(twin.packs_of(file.content, (0, u64::MAX))?);
    }
    Ok(packs.into_iter().map(|pack| format!("packs/{pack}")).collect())
}

/// Adds the packs that have what was found in a version.
fn add_found(
    twin: &Twin,
    version: &KeptVersion,
    scanned: &ScannedSource,
    check: &mut TwinCheck,
) -> Result<(), ExportError> {
    let uid = || version.name.uid();
    if let Some(unread) = scanned.unread.first() {
        check.unread.push((uid(), unread.why.clone()));
    }
    let report = match &scanned.report {
        Ok(report) => report,
        Err(failure) => {
            check.unread.push((uid(), failure.to_string()));
            return Ok(());
        }
    };
    if report.entries.is_empty() {
        return Ok(());
    }
    let Some(known) = twin.version(&version.name, version.digest) else { return Ok(()) };
    for entry in &report.entries {
        let path = scanned.files.get(entry.member as usize);
        let file = known.session.files.iter().find(|it| Some(&it.path.path()) == path);
        let Some(file) = file else { continue };
        // The places are those of what is packed in the file.
        let is_packed = path.is_some_and(|path| path.extension().is_some_and(|it| it == "zst"));
        let range = match is_packed {
            true => (0, u64::MAX),
            false => (entry.bytes.0.into(), entry.bytes.1.into()),
        };
        let why = format!("{} ({}) in {}", entry.class.name(), entry.rule, entry.text.file);
        for pack in twin.packs_of(file.content, range)? {
            let object = format!("packs/{pack}");
            check.add(object, (&version.name, version.digest), why.clone());
        }
    }
    Ok(())
}

/// The values in the names of a version, by class and rule.
fn in_names(version: &Version, redactor: &Redactor) -> Vec<String> {
    let mut names = vec![version.session.name.group.clone()];
    for file in &version.session.files {
        names.extend([file.path.path().to_string_lossy().into_owned(), file.name.clone()]);
        names.extend(file.stem.clone());
    }
    let Ok(names) = text("names", names.join("\n").into_bytes()) else { return Vec::new() };
    let refs = [&names];
    match redactor.scan_report(&refs, &marked(&refs)) {
        Ok(report) => {
            let entries = report.entries.iter();
            entries.map(|it| format!("{} ({}) in names", it.class.name(), it.rule)).collect()
        }
        Err(failure) => vec![format!("its names: {failure}")],
    }
}

/// The runs and receipts that name a version.
fn naming(twin: &Twin, version: &Version) -> Vec<String> {
    let mut objects = vec![format!("runs/{}", version.run)];
    let folder = twin.archive.place.redactions();
    let digest = version.session.digest.to_string();
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let bytes = catalog::bounded(&entry.path(), 1 << 30).unwrap_or_default();
        if memchr::memmem::find(&bytes, digest.as_bytes()).is_some() {
            objects.push(format!("redactions/{}", entry.file_name().to_string_lossy()));
        }
    }
    objects
}
