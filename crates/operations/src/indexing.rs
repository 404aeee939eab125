//! Filling the index with the facts that `list`, `search` and `usage` would read from the files.

use std::io::{self, BufRead as _};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::find::claim::is_sealed;
use catalog::find::found::Found;
use catalog::find::names::WalkedNames;
use catalog::open::content;
use catalog::open::database::{is_beside, is_log, is_one};
use catalog::open::source::Source;
use catalog::summary::packed_entries;
use catalog::{Catalog, Job};
use index::{FileFacts, IndexError, IndexWriter, SourceFacts, Trigrams};
use session::Memory;

use crate::usage::packed_with_acts;
use crate::usage::price::Prices;

/// The result of filling an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Sessions, or groups of files that are read together.
    pub sessions: usize,
    /// Those that were read: new ones, and those that had changed.
    pub read: usize,
    /// Size of the index in bytes.
    pub bytes: u64,
}

/// Keeps the claims to the files in the agents' own places, and their trigrams. Returns the
/// sessions that the files belong to.
///
/// Databases are not indexed: their rows are always read.
///
/// # Errors
/// The index can't be written.
pub fn index_files(catalog: &Catalog<'_>, index: &IndexWriter) -> Result<Found, IndexError> {
    let roots = catalog.machine.roots(catalog.formats);
    let names = WalkedNames::below(&roots);
    let files = names.files();
    let look = |(): &mut (), (at, path): &(usize, &Path)| {
        index.keep_file(path, || facts_of(catalog, &names, (*at, path)));
    };
    let looked = catalog.machine.job.parallel_with(&files, |_| 0, || (), look);
    looked.map_err(|_| IndexError::Cancelled)?;
    index.commit()?;
    // Files whose claims are known now are not opened again.
    let mut catalog = Catalog { formats: catalog.formats, machine: catalog.machine.clone() };
    (catalog.machine.archive, catalog.machine.index) = (None, index.reading());
    Ok(catalog.find(&[]))
}

/// Keeps the facts about these sessions. Returns the number of those that were read. `step` is
/// called with the bytes of each finished session.
///
/// # Errors
/// The index can't be written.
pub fn index_sessions(
    job: &Job,
    found: &Found,
    index: &IndexWriter,
    step: &(dyn Fn(u64) + Sync),
) -> Result<usize, IndexError> {
    let read = AtomicUsize::new(0);
    // The table is read for the first session that was not known.
    let prices: OnceLock<Option<Prices>> = OnceLock::new();
    let look = |memory: &mut Memory, source: &Source| {
        let facts = || {
            let prices = prices.get_or_init(|| Prices::shipped().ok());
            let (usages, mut acts) = packed_with_acts(source, prices.as_ref(), memory);
            let entries = packed_entries(source, &mut acts, memory).ok().flatten();
            SourceFacts { entries, usages }
        };
        if index.keep_source(source, facts) {
            read.fetch_add(1, Ordering::Relaxed);
        }
        step(source.length());
    };
    let looked = job.parallel_with(&found.sources, Source::length, Memory::default, look);
    looked.map_err(|_| IndexError::Cancelled)?;
    index.commit()?;
    Ok(read.into_inner())
}

/// The facts about a file. `None` if it can't be read, and for a database: its log beside it has
/// rows too.
fn facts_of(
    catalog: &Catalog<'_>,
    names: &WalkedNames<'_>,
    (at, path): (usize, &Path),
) -> Option<FileFacts> {
    if is_sealed(catalog.formats, path) || is_beside(path) {
        return None;
    }
    let trigrams = trigrams(path).ok()??;
    Some(FileFacts { claim: names.packed_claim(catalog.formats, at), trigrams })
}

/// The trigrams of a file's content; `None` if it is a database or empty.
fn trigrams(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut content = content::stream(path)?;
    let mut all = Trigrams::default();
    let mut first = true;
    loop {
        let piece = content.fill_buf()?;
        if std::mem::take(&mut first) && (piece.is_empty() || is_one(piece) || is_log(piece)) {
            return Ok(None);
        }
        if piece.is_empty() {
            return Ok(Some(all.end()));
        }
        all.feed(piece);
        let length = piece.len();
        content.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use index::runs_in;
    use samples::Dice;

    use super::*;
    use crate::search::pattern::Pattern;

    /// Whatever is left out by its trigrams has no match for the test of bytes, which has its own
    /// expression.
    #[test]
    fn no_text_with_a_match_is_left_out() {
        let parts = [
            "door",
            "DOOR",
            "Door",
            "für",
            "F\\u00dcR",
            "f\\u00fcr",
            "na",
            "ïve",
            "ſearch",
            "search",
            "\u{212a}elvin",
            "kelvin",
            "d\\u006for",
            " ",
            "\\n",
            "\\\\\"",
            "-",
            "_",
            "42",
            "Łabc",
            "\u{e2}\u{84}",
            "tea",
            "doordoor",
            "\\u00e9tage",
        ];
        let wanted = [
            "door", "Door", "DOOR", "für", "naïve", "search", "kelvin", "doordoor", "tea-door",
            "door tea", "étage", "Kelvin", "42", "Łabc", "abc", "or", "a_b", "ndoor",
        ];
        let mut dice = Dice::seeded(11);
        let (mut left_out, mut matched) = (0, 0);
        for _ in 0..2_000 {
            let text: String = (0..=dice.roll(7)).map(|_| dice.of(&parts)).collect();
            let word = dice.of(&wanted);
            let pattern = match dice.roll(4) {
                0 => Pattern::expression(&format!("{word}\\s?(x|y)*")).unwrap(),
                1 => Pattern::words(&[word.into(), dice.of(&wanted).into()]).unwrap(),
                _ => Pattern::words(&[word.to_owned()]).unwrap(),
            };
            let mut trigrams = Trigrams::default();
            text.as_bytes().chunks(1 + dice.roll(9)).for_each(|piece| trigrams.feed(piece));
            let may = runs_in(&trigrams.end(), &pattern.runs()).unwrap();
            let is_match = pattern.may_be_in(text.as_bytes());
            assert!(may || !is_match, "{pattern:?} in {text}");
            left_out += u32::from(!may);
            matched += u32::from(is_match);
        }
        assert!(left_out > 500 && matched > 200, "{left_out} {matched}");
    }
}
