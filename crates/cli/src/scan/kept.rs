//! A scan of the archive: every version that has something which no later one has, and the files
//! beside sessions.

use std::path::PathBuf;

use archive::{Archive, ArchiveView, KeptVersion};
use operations::{ScanResult, ScannedSource, SkippedFile};
use redact::Redactor;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::keeping;
use crate::progress::Progress;

/// The result of such a scan.
pub(crate) struct KeptScan {
    /// The versions, each with what was found in it.
    pub(crate) versions: Vec<(KeptVersion, ScannedSource)>,
    /// The files beside sessions.
    pub(crate) beside: Vec<Result<ScannedSource, SkippedFile>>,
}

impl KeptScan {
    /// All of it as one result, in which the sessions are named with their versions.
    pub(super) fn result(self) -> ScanResult {
        let mut result = ScanResult::default();
        for (version, mut scanned) in self.versions {
            if !version.is_newest {
                let digest = &version.digest.to_string()[..12];
                scanned.sessions.iter_mut().for_each(|uid| *uid = format!("{uid}@{digest}"));
            }
            result.sources.push(scanned);
        }
        for scanned in self.beside {
            match scanned {
                Ok(source) => result.sources.push(source),
                Err(file) => result.skipped.push(file),
            }
        }
        result
    }
}

/// Scans the archive under the lock of those who only read.
pub(super) fn scan(redactor: &Redactor, env: &mut Environment<'_>) -> Result<KeptScan, Failure> {
    let place = keeping::opened(env)?;
    let _lock = place.reading()?;
    scan_archive(Archive::read(place)?, redactor, env)
}

/// Scans an archive that is locked already.
pub(crate) fn scan_archive(
    archive: Archive,
    redactor: &Redactor,
    env: &mut Environment<'_>,
) -> Result<KeptScan, Failure> {
    let catalog = env.catalog();
    let view = ArchiveView::of(archive, env.formats);
    let kept = view.kept();
    let sources: Vec<catalog::Source> = kept.iter().map(|kept| kept.source.clone()).collect();
    let length = sources.iter().map(catalog::Source::length).sum();
    let progress = Progress::new(env.err, env.err_terminal, sources.len(), length);
    let job = &env.machine.job;
    let done = |done: &ScannedSource| progress.step(done.bytes);
    let scanned = operations::scan_sources(job, &sources, redactor, &done)?;
    let beside = view.beside().into_iter().map(|(path, content)| {
        let bytes = view.archive().bytes(content).map_err(|error| failed(&path, &error))?;
        let name = path.display().to_string();
        operations::scan_bytes(&catalog, &name, bytes, redactor)
            .map(|scanned| ScannedSource { files: vec![path.clone()], ..scanned })
            .map_err(|file| SkippedFile { path, ..file })
    });
    let beside = beside.collect();
    Ok(KeptScan { versions: kept.into_iter().zip(scanned).collect(), beside })
}

fn failed(path: &std::path::Path, error: &archive::Error) -> SkippedFile {
    SkippedFile { path: PathBuf::from(path), why: error.to_string(), open: true }
}
