//! The index of a command: where it is, who may read it, and how it is filled.

use std::path::PathBuf;
use std::sync::Arc;

use catalog::find::found::Found;
use catalog::{MaybeIndex, SessionIndex};
use index::{Index, IndexError, IndexState, IndexWriter};
use operations::{IndexReport, index_files, index_sessions, keep_findings, lacking_findings};
use redact::rules::Rules;
use redact::{Profile, Redactor};

use crate::environment::Environment;
use crate::notes::say;
use crate::progress::Progress;
use crate::redaction;
use crate::terminal::Plain;

/// The file of the index.
pub(crate) fn path(env: &Environment<'_>) -> Option<PathBuf> {
    env.machine.cache().map(|cache| cache.join("index.db"))
}

/// The name of the reader: this build of the program, with the formats that it knows. Another build
/// may read the same file differently, so it makes the index anew.
fn reader(env: &Environment<'_>) -> String {
    let program = std::env::current_exe().and_then(|path| Ok((path.metadata()?, path)));
    let program = program.ok().map(|(meta, path)| {
        let modified = meta.modified().ok().and_then(catalog::summary::instant);
        format!("{} {} {:?}", path.display(), meta.len(), modified.map(|time| time.0))
    });
    let formats: Vec<&str> = env.formats.iter().map(|format| format.name()).collect();
    let version = env!("CARGO_PKG_VERSION");
    format!("verbatim {version} {} {}", formats.join(","), program.unwrap_or_default())
}

/// The index that a command reads, if there is one of this reader.
pub(crate) fn opened(env: &Environment<'_>) -> MaybeIndex {
    let index = Index::open(path(env).as_deref()?, &reader(env))?;
    Some(Arc::new(index) as Arc<dyn SessionIndex>)
}

/// Opens the index as it is then, for the work of one request of a server: a server has no file
/// open that it could write to.
pub(crate) fn opener(env: &Environment<'_>) -> impl Fn() -> MaybeIndex + Send + Sync + 'static {
    let (path, reader) = (path(env), reader(env));
    move || {
        let index = Index::open_at_rest(path.as_deref()?, &reader)?;
        Some(Arc::new(index) as Arc<dyn SessionIndex>)
    }
}

/// Number of bytes of sessions that a `sync` redacts for the index: that takes some seconds. The
/// next ones redact the rest.
pub(crate) const CHECKED_AT_ONCE: u64 = 32 << 20;

/// Brings the index up to date: reads the new and changed files in the agents' own places. At most
/// `checked` bytes of sessions are redacted for it.
pub(crate) fn fill(env: &mut Environment<'_>, checked: u64) -> Result<IndexReport, IndexError> {
    let path = path(env).ok_or(IndexError::NoPlace)?;
    let index = IndexWriter::open(&path, &reader(env), env.now)?;
    if let IndexState::Renamed(old) = &index.found {
        let what = format!(
            "note: the index was damaged, or a newer version made it. It is {} now, and there is a \
             new one",
            old.display()
        );
        let _ = say(Plain::line(&what), env);
    }
    let mut found = index_files(&env.catalog(), &index)?;
    let bytes = found.sources.iter().map(catalog::Source::length).sum();
    let progress = Progress::new(env.err, env.err_terminal, found.sources.len(), bytes);
    let read = index_sessions(&env.machine.job, &found, &index, &|bytes| progress.step(bytes))?;
    drop(progress);
    let sessions = found.sources.len();
    env.catalog().add_gone(&mut found);
    keep_new_findings(&found, &index, checked, env)?;
    Ok(IndexReport { sessions, read, bytes: index.end()? })
}

/// Redacts new and changed sessions, as `mcp` does it by default, and keeps the replaced places.
fn keep_new_findings(
    found: &Found,
    index: &IndexWriter,
    most: u64,
    env: &mut Environment<'_>,
) -> Result<(), IndexError> {
    let options = redaction::without_tags(Profile::Share, env);
    let rules = options.findings_name(&Rules::shipped_version());
    let sources = lacking_findings(found, index, &rules, most);
    let bytes = sources.iter().map(|source| source.length()).sum();
    let progress = Progress::new(env.err, env.err_terminal, sources.len(), bytes);
    let redactor = || Some(Redactor::new(Rules::shipped().ok()?, options.clone()));
    let step = |bytes| progress.step(bytes);
    keep_findings(&env.machine.job, &sources, index, (&rules, &redactor), &step)
}
