//! Usage of the sessions below paths, with each of their files opened once.

use std::path::PathBuf;

use catalog::Catalog;
use catalog::early::Early;
use catalog::find::found::{Claimed, Found};
use catalog::open::ends::Kept;
use catalog::open::source::Source;
use catalog::parallel::parallel_with;
use session::Memory;

use crate::usage::{Usage, of_source};

/// Finds the sessions below `paths` (or in the agents' own places), and their usages.
///
/// Detection reads each file to its end. Most sessions are one file, and are counted at once;
/// the files of the others are kept until all of them are known.
#[must_use]
pub fn usage(catalog: &Catalog<'_>, paths: &[PathBuf]) -> (Found, Usage) {
    let kept = Kept::whole().with_index(&catalog.machine.index);
    let early = Early::default();
    let glance = |claimed: &Claimed| {
        early.add(claimed, |source, memory| Some(of_source(source, &kept, memory)));
    };
    let found = catalog.find_with(paths, &kept, &glance);
    let look = |memory: &mut Memory, source: &Source| {
        early.take(source).unwrap_or_else(|| of_source(source, &kept, memory))
    };
    let sources = parallel_with(&found.sources, Source::length, Memory::default, look);
    let usage = Usage::of(&found, sources);
    (found, usage)
}
