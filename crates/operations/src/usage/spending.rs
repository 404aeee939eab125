//! Usage of the sessions below paths, with each of their files opened once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use catalog::early::Early;
use catalog::find::found::{Claimed, Found};
use catalog::open::ends::Kept;
use catalog::open::source::Source;
use catalog::{Catalog, Error, Job};
use session::Memory;

use crate::usage::price::Prices;
use crate::usage::{Spent, Sum, Usage, of_source, sums, usage_with};

/// Finds the sessions below `paths` (or in the agents' own places), and their usages.
///
/// Detection reads each file to its end. Most sessions are one file, and are counted at once;
/// the files of the others are kept until all of them are known.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn usage(catalog: &Catalog<'_>, paths: &[PathBuf]) -> Result<(Found, Usage), Error> {
    let kept = Kept::whole().with_index(&catalog.machine.index);
    let early = Early::default();
    let glance = |claimed: &Claimed| {
        early.add(claimed, |source, memory| Some(of_source(source, &kept, memory)));
    };
    let found = catalog.find_with(paths, &kept, &glance);
    let look = |memory: &mut Memory, source: &Source| {
        early.take(source).unwrap_or_else(|| of_source(source, &kept, memory))
    };
    let job = &catalog.machine.job;
    let sources = job.parallel_with(&found.sources, Source::length, Memory::default, look)?;
    let usage = Usage::of(&found, sources);
    Ok((found, usage))
}

/// The sums of each session below `paths` (or in the agents' own places), by its uid.
///
/// # Errors
/// The list of prices can't be read.
pub fn of_sessions(
    catalog: &Catalog<'_>,
    paths: &[PathBuf],
) -> Result<BTreeMap<String, Sum>, String> {
    let (_, mut usage) = usage(catalog, paths).map_err(|error| error.to_string())?;
    usage.price(&Prices::shipped()?);
    Ok(sums(usage.spent(), |spent| format!("{}:{}", spent.format, spent.session)))
}

/// The number of answers, and of their tokens, that only older versions of sessions hold and that
/// `takes` accepts: their files were written over, and an archive has each version. `None` if there
/// are none.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn older_versions(
    job: &Job,
    rewritten: Vec<Vec<Source>>,
    takes: &dyn Fn(&Spent<'_>) -> bool,
) -> Result<Option<(u64, u64)>, Error> {
    if rewritten.is_empty() {
        return Ok(None);
    }
    let newest = rewritten.iter().filter_map(|versions| versions.first().cloned());
    let newest = Found { sources: newest.collect(), skipped: Vec::new() };
    let all = Found { sources: rewritten.into_iter().flatten().collect(), skipped: Vec::new() };
    let sum = |found: &Found| -> Result<Sum, Error> {
        let usage = usage_with(job, found, &None)?;
        let kept = usage.spent().filter(takes);
        Ok(sums(kept, |_| String::new()).into_values().next().unwrap_or_default())
    };
    let (newest, all) = (sum(&newest)?, sum(&all)?);
    let answers = all.answers.saturating_sub(newest.answers);
    let tokens = all.tokens.total().saturating_sub(newest.tokens.total());
    Ok((answers + tokens > 0).then_some((answers, tokens)))
}
