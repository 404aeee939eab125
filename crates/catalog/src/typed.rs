//! Remains of sessions that are gone: their prompts, in the lists of typed prompts that some
//! agents keep beside their sessions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{Format, PromptList, TypedPrompt};
use session::Sorting as _;

use crate::catalog::Catalog;
use crate::error::Error;
use crate::find::found::{SkipReason, Skipped};
use crate::names::Query;
use crate::open::bytes::bounded;
use crate::paths::slashed;
use crate::summary::Entry;

/// A session of which only prompts are left.
#[derive(Clone, Debug)]
pub struct LeftPrompts {
    /// Its agent, its id, and what the prompts tell of it; its files are the lists that have them.
    pub entry: Entry,
    /// The prompts, in the order of the lists.
    pub prompts: Vec<TypedPrompt>,
}

/// The lists as they were read: the sessions that they name, and the lists that can't be read.
type Typed = (Vec<LeftPrompts>, Vec<Skipped>);

/// Maximum number of bytes of a list.
const LONGEST: u64 = 256 * 1024 * 1024;
/// Maximum number of bytes of a file that names a project's folder.
const BESIDE: u64 = 256 * 1024;

impl Catalog<'_> {
    /// The sessions that are gone, and of which a list that `reads` accepts by its bytes has
    /// prompts: those that are not in the agents' own places, nor in the archive. The newest is the
    /// first. Behind them the lists that can't be read.
    #[must_use]
    pub fn left_prompts(&self, reads: &dyn Fn(&[u8]) -> bool) -> (Vec<LeftPrompts>, Vec<Skipped>) {
        let (left, skipped) = self.typed(reads, &|_, _| true);
        match left.is_empty() {
            true => (left, skipped),
            false => (gone(left, &self.list(&[], false).entries), skipped),
        }
    }

    /// The same, if the list of all sessions of the agents' own places is known: those with a
    /// prompt that `counts`, each with the first of these alone.
    #[must_use]
    pub fn left_beside(
        &self,
        all: &[Entry],
        counts: &dyn Fn(&TypedPrompt) -> bool,
    ) -> (Vec<LeftPrompts>, Vec<Skipped>) {
        let keeps = |kept: &[TypedPrompt], prompt: &TypedPrompt| kept.is_empty() && counts(prompt);
        let (mut left, skipped) = self.typed(&|_| true, &keeps);
        left.retain(|left| !left.prompts.is_empty());
        (gone(left, all), skipped)
    }

    /// The session that a name means of those of which only prompts are left.
    ///
    /// # Errors
    ///
    /// No session is so named, or several are.
    pub fn left_of(&self, name: &str) -> Result<LeftPrompts, Error> {
        let query = Query::of(name, self.formats);
        let (mut named, skipped) = self.typed(&|_| true, &|_, _| true);
        named.retain(|left| query.takes(&left.entry));
        if !named.is_empty() {
            named = gone(named, &self.list(&[], false).entries);
        }
        let whole = |left: &LeftPrompts| left.entry.id.eq_ignore_ascii_case(query.id);
        if named.iter().any(whole) {
            named.retain(whole);
        }
        match named.len() {
            1 => Ok(named.remove(0)),
            0 => {
                let unread = skipped.iter().map(|it| format!("{}: {}", it.path.display(), it.why));
                Err(Error::NoSuch { query: name.into(), near: None, unread: unread.collect() })
            }
            _ => {
                let found = named.iter().map(|left| crate::names::choice(&left.entry)).collect();
                Err(Error::Ambiguous { query: name.into(), found, copies: false })
            }
        }
    }

    /// The prompts of the lists that `reads` accepts, by session: those that `keeps` wants beside
    /// the ones that the session has.
    fn typed(
        &self,
        reads: &dyn Fn(&[u8]) -> bool,
        keeps: &dyn Fn(&[TypedPrompt], &TypedPrompt) -> bool,
    ) -> Typed {
        let mut skipped = Vec::new();
        let mut by_session: BTreeMap<(&'static str, String), LeftPrompts> = BTreeMap::new();
        for format in self.formats {
            let mut read: HashSet<PathBuf> = HashSet::new();
            for home in self.machine.homes(*format) {
                for list in format.data().typed {
                    for path in listed(&home, list.path) {
                        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
                        if !read.insert(real) {
                            continue;
                        }
                        match bounded(&path, LONGEST) {
                            Ok(bytes) if reads(&bytes) => {
                                add((*format, list, &path, &bytes), keeps, &mut by_session);
                            }
                            Ok(_) => {}
                            Err(error) => {
                                let why = SkipReason::Unreadable(error.to_string());
                                skipped.push(Skipped { path, why });
                            }
                        }
                    }
                }
            }
        }
        (by_session.into_values().collect(), skipped)
    }
}

/// Adds the prompts of one list.
fn add(
    (format, list, path, bytes): (&'static dyn Format, &PromptList, &Path, &[u8]),
    keeps: &dyn Fn(&[TypedPrompt], &TypedPrompt) -> bool,
    to: &mut BTreeMap<(&'static str, String), LeftPrompts>,
) {
    let around = folder_of(format, list, path);
    let file: Arc<Path> = path.into();
    list.read(bytes, &mut |prompt| {
        let key = (format.name(), prompt.session.clone());
        let left = to.entry(key).or_insert_with(|| {
            let (format, id) = (format.name(), prompt.session.clone());
            let prompt = Some(prompt.text.clone().into());
            let entry = Entry { format, id, prompt, ..Entry::default() };
            LeftPrompts { entry, prompts: Vec::new() }
        });
        let entry = &mut left.entry;
        let earliest = [entry.started, prompt.time].into_iter().flatten().min();
        (entry.started, entry.updated) = (earliest, entry.updated.max(prompt.time));
        if entry.folder.is_none() {
            let folder = prompt.folder.as_ref().or(around.as_ref());
            entry.folder = folder.map(|folder| folder.clone().into());
        }
        if entry.files.last() != Some(&file) {
            entry.files.push(file.clone());
        }
        if keeps(&left.prompts, &prompt) {
            left.prompts.push(prompt);
        }
    });
}

/// The folder of the project that a list is of, if the agent keeps a list for each project.
fn folder_of(format: &dyn Format, list: &PromptList, path: &Path) -> Option<String> {
    let folder = path.parent().filter(|_| !list.like.is_empty())?;
    let session = folder.join(list.like);
    let read = |relative: &str| {
        // The folder of such a session need not exist, so `..` is resolved in the name.
        let mut beside = session.parent()?.to_path_buf();
        for part in relative.split('/') {
            match part {
                ".." => _ = beside.pop(),
                name => beside.push(name),
            }
        }
        bounded(&beside, BESIDE).ok()
    };
    (format.data().project)(&slashed(&session), &read)
}

/// Those of them that are not among the sessions, the newest first.
fn gone(mut left: Vec<LeftPrompts>, all: &[Entry]) -> Vec<LeftPrompts> {
    let there: HashSet<(&str, &str)> = all.iter().map(|entry| (entry.format, &*entry.id)).collect();
    left.retain(|left| !there.contains(&(left.entry.format, &*left.entry.id)));
    left.in_order_by_key(|left| Reverse(left.entry.updated));
    left
}

/// The files that a path below a folder means, in which `*` is any name.
fn listed(folder: &Path, path: &str) -> Vec<PathBuf> {
    let mut found = vec![folder.to_path_buf()];
    for part in path.split('/') {
        let below = |folder: PathBuf| match part {
            "*" => {
                let entries = folder.read_dir().into_iter().flatten().flatten();
                let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
                names.in_order();
                names
            }
            name => vec![folder.join(OsStr::new(name))],
        };
        found = found.into_iter().flat_map(below).collect();
    }
    found.retain(|path| path.is_file());
    found
}
