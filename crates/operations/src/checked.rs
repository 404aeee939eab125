//! Sessions as redaction leaves them, by what it found in them before.
//!
//! While the index is filled, each new or changed source is redacted once, as `redact` does it, and
//! the places of what was replaced are kept ([`keep_findings`]). A search makes the redacted files
//! of these places again, and reads them ([`search_checked`]): what it finds is found in a clean
//! session, and nothing is scanned.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use catalog::find::found::{Found, Skipped};
use catalog::open::bundle::bundle;
use catalog::open::source::Source;
use catalog::summary::{Entry, first_prompt};
use catalog::{Catalog, Error, Job};
use index::{IndexError, IndexWriter};
use meaning::facts::title_text;
use redact::{Clean, KeptFindings, Redactor};
use session::{Bundle, Memory, Session};

use crate::redact::{redact_bundle, redact_text};
use crate::search::hit::{TextMatch, hits};
use crate::search::pattern::Pattern;
use crate::search::{Looked, Matches, Takes, look, matches_of, order};

/// Bytes of a source from which on it is redacted alone: a redaction takes some times the memory of
/// its source.
const LARGE: u64 = 8 << 20;
/// Greatest number of bytes of a source that is redacted while the index is filled.
const LARGEST: u64 = 256 << 20;

/// The rules that findings are made by: their name, and what makes the redactor that applies them.
/// It takes longer to make than most fillings of an index.
pub type FindingRules<'r> = (&'r str, &'r (dyn Fn() -> Option<Redactor> + Sync));

/// The sources of which an index has no findings by rules of this name, the newest first: those
/// before which fewer than `most` bytes were taken.
#[must_use]
pub fn lacking_findings<'f>(
    found: &'f Found,
    index: &IndexWriter,
    rules: &str,
    most: u64,
) -> Vec<&'f Source> {
    let lacking = found.sources.iter().filter(|source| index.lacks_findings(rules, source));
    let mut lacking: Vec<&Source> = lacking.collect();
    let modified = |source: &Source| source.files.iter().filter_map(|file| file.modified).max();
    lacking.sort_by_cached_key(|source| std::cmp::Reverse(modified(source)));
    let mut bytes = 0u64;
    lacking.retain(|source| {
        let is_taken = bytes < most;
        bytes = bytes.saturating_add(source.length());
        is_taken
    });
    lacking
}

/// Redacts sources, and keeps the places of what was replaced. `step` is called with the bytes of
/// each one.
///
/// # Errors
/// Somebody cancelled it.
pub fn keep_findings(
    job: &Job,
    sources: &[&Source],
    index: &IndexWriter,
    (rules, redactor): FindingRules<'_>,
    step: &(dyn Fn(u64) + Sync),
) -> Result<(), IndexError> {
    let made: OnceLock<Option<Redactor>> = OnceLock::new();
    let keep = |source: &&Source| {
        index.keep_findings(rules, source, |known| {
            let bundle = whole(source);
            let known = known.and_then(|packed| KeptFindings::unpacked(&packed));
            let is_same = |known: &KeptFindings| {
                bundle.as_ref().is_some_and(|bundle| known.apply(bundle).is_some())
            };
            // A database changes with each of its sessions, and most of them are as they were.
            let found = match (known.filter(is_same), bundle) {
                (Some(known), _) => Some(known),
                (None, Some(bundle)) => {
                    findings(job, source, bundle, made.get_or_init(redactor).as_ref()?)
                }
                (None, None) => None,
            };
            // What was cancelled is not known.
            let packed = found.map_or_else(Vec::new, |found| found.packed());
            (!job.is_cancelled()).then_some(packed)
        });
        step(source.length());
    };
    let (large, small): (Vec<&Source>, Vec<&Source>) =
        sources.iter().partition(|source| source.length() >= LARGE);
    let kept = job.parallel(&small, |source| source.length(), keep);
    // What is done stays, also if somebody cancelled the rest.
    index.commit()?;
    kept.map_err(|_| IndexError::Cancelled)?;
    for source in &large {
        job.check().map_err(|_| IndexError::Cancelled)?;
        keep(source);
        index.commit()?;
    }
    job.check().map_err(|_| IndexError::Cancelled)
}

/// The files of a source, if all of them can be read, and they are not too long to be redacted.
fn whole(source: &Source) -> Option<Bundle> {
    if source.length() > LARGEST {
        return None;
    }
    let (bundle, unread) = bundle(source);
    unread.is_empty().then_some(bundle)
}

/// The places that a redaction of all sessions of a source replaces in these files of it. `None` if
/// it can't be redacted, or if an id of a session has something that must not be shared: nothing
/// could name it.
fn findings(
    job: &Job,
    source: &Source,
    bundle: Bundle,
    redactor: &Redactor,
) -> Option<KeptFindings> {
    let bundle = Arc::new(bundle);
    let ids = |sessions: &[Session]| sessions.iter().map(Session::uid).collect::<Vec<_>>();
    let before = ids(&source.format.read(Arc::clone(&bundle)));
    let (clean, rounds) = redact_bundle(job, source.format, &bundle, redactor).ok()?;
    let is_clean = |uid: &String| {
        let alone = redact_text(job, "text", uid.clone().into_bytes(), redactor).ok();
        alone.is_some_and(|alone| alone.session().bundle.bytes(0) == uid.as_bytes())
    };
    let has_same_ids = before == ids(&clean) && before.iter().all(is_clean);
    if has_same_ids { KeptFindings::of(&bundle, &rounds, &clean) } else { None }
}

/// The result of a search in redacted sessions.
#[derive(Debug)]
pub struct CheckedSearch {
    /// The sessions with a match, the newest first.
    pub sessions: Vec<CheckedHits>,
    /// The files that could not be looked through.
    pub skipped: Vec<Skipped>,
}

/// A session with matches.
#[derive(Debug)]
pub struct CheckedHits {
    /// The session. The texts in it are as they are in its files.
    pub entry: Entry,
    /// The matches.
    pub texts: FoundTexts,
}

/// The matches in a session.
#[derive(Debug)]
pub enum FoundTexts {
    /// In the session as redaction leaves it: its title, and its matches in source order.
    Clean {
        /// The title, or else the first prompt.
        title: Option<String>,
        /// The matches.
        hits: Vec<TextMatch>,
    },
    /// In the session as it is, since the index has no findings of it.
    NotYet(Vec<TextMatch>),
}

/// Searches the sessions below `paths` (or in the agents' own places) that `takes` accepts, as they
/// are without what rules of this name found.
///
/// # Errors
/// A given path does not exist.
pub fn search_checked(
    catalog: &Catalog<'_>,
    paths: &[PathBuf],
    pattern: &Pattern,
    takes: Takes<'_>,
    rules: &str,
) -> Result<CheckedSearch, Error> {
    let placed = catalog.placed();
    let findings = |source: &Source| {
        let packed = catalog.machine.index.as_ref()?.findings(rules, source)?;
        KeptFindings::unpacked(&packed)
    };
    let read = |source: &Source, entries: Vec<Entry>, memory: &mut Memory| {
        if let Some(found) = findings(source) {
            let task = (pattern, takes);
            if let Some(matches) = clean_matches(source, (&found, entries), task, memory)? {
                return Ok(matches);
            }
        }
        let (found, damaged) = matches_of(source, (pattern, &[], &placed), takes, memory)?;
        let found = found.into_iter().map(|(hits, entry)| (FoundTexts::NotYet(hits), entry));
        Ok((found.collect(), damaged))
    };
    let Looked { found, skipped, damaged: _ } =
        look(catalog, paths, (pattern, &placed, takes), &read)?;
    let found = found.into_iter();
    let mut sessions: Vec<CheckedHits> =
        found.map(|(texts, entry)| CheckedHits { entry, texts }).collect();
    sessions.sort_by_cached_key(|of| order(&of.entry));
    Ok(CheckedSearch { sessions, skipped })
}

/// The matches in the sessions of a source as redaction leaves them. `None` if these are not the
/// files that were redacted.
fn clean_matches(
    source: &Source,
    (findings, entries): (&KeptFindings, Vec<Entry>),
    (pattern, takes): (&Pattern, Takes<'_>),
    memory: &mut Memory,
) -> io::Result<Option<Matches<FoundTexts>>> {
    let may_be_in =
        |bundle: &Bundle| bundle.members.iter().any(|member| pattern.may_be_in(member.bytes()));
    let (bundle, unread) = bundle(source);
    if !unread.is_empty() {
        return Ok(None);
    }
    if !may_be_in(&bundle) {
        return Ok(Some(Matches::default()));
    }
    let Some(clean) = findings.apply(&bundle) else { return Ok(None) };
    drop(bundle);
    if !may_be_in(&clean) {
        return Ok(Some(Matches::default()));
    }
    let clean = clean.read(|bundle| source.format.read_with(bundle, memory));
    let Some(clean) = clean else { return Ok(None) };
    let own: Vec<usize> = (0..clean.len()).filter(|at| !clean[*at].remainder).collect();
    // Files of which no content belongs to a session are in a list, and have no matches.
    if own.is_empty() {
        return Ok(Some(Matches::default()));
    }
    // Only the ids of sessions were checked with the findings.
    let is_of = |(at, entry): (&usize, &Entry)| clean[*at].id == entry.id;
    if own.len() != entries.len() || !own.iter().zip(&entries).all(is_of) {
        return Ok(None);
    }
    let mut found = Vec::new();
    for (at, entry) in own.into_iter().zip(entries).filter(|(_, entry)| takes(entry)) {
        let texts = clean_texts(clean.one(at), pattern);
        found.extend(texts.map(|texts| (texts, entry)));
    }
    Ok(Some((found, Vec::new())))
}

/// The matches in a clean session, with its title.
fn clean_texts(session: Clean<&Session>, pattern: &Pattern) -> Option<FoundTexts> {
    let title = title_text(&session).map(std::borrow::Cow::into_owned);
    let hits = hits(&session, title.as_deref(), pattern, &[]);
    let title = || title.or_else(|| first_prompt(&session));
    (!hits.is_empty()).then(|| FoundTexts::Clean { title: title(), hits })
}

#[cfg(test)]
mod tests;
