//! Blame: the session, the turn and the model that wrote each line of a file as it is now.
//!
//! The changes of all sessions to the file are replayed in the order of their times, up to the file
//! on disk. Nothing is decided by the text of a line: a line has a writer only if the replay of a
//! recorded edit leads to it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use catalog::repository::working_trees;
use catalog::{Catalog, Error, Machine, Skipped, bounded};
use replay::{Change, FollowedLines, LineWriter, follow, unchanged};
use session::Sorting as _;
use session::{EventIx, UnreadRecord};

use history::{Made, drop_placed, last_part, made_in, with_file_names};

pub mod commits;
mod history;
mod told;

pub use told::BlameWriter;

/// A file whose lines are wanted.
#[derive(Clone, Debug, Default)]
pub struct BlamedFile {
    /// The paths that lead to it, as sessions may name it.
    pub paths: Vec<PathBuf>,
    /// The same file in each other working tree of its repository, with its text there.
    pub elsewhere: Vec<(PathBuf, String)>,
    /// Its text now.
    pub text: String,
}

impl BlamedFile {
    /// Greatest length of a file whose lines are followed.
    pub const LONGEST: u64 = 64 << 20;

    /// The file at a path that has this text: with the paths that lead to it, the real one first,
    /// and the same file in the other working trees of its repository.
    ///
    /// # Errors
    /// The path leads to nothing.
    pub fn at(path: &Path, text: String, machine: &Machine) -> io::Result<Self> {
        let real = path.canonicalize()?;
        let mut paths = vec![real.clone(), std::path::absolute(path)?];
        // The shell may name the current folder by a link.
        let shell = machine.variable("PWD").map(PathBuf::from).filter(|shell| shell.is_absolute());
        if let Some(named) = shell.map(|shell| shell.join(path))
            && named.canonicalize().is_ok_and(|named| named == real)
        {
            paths.push(named);
        }
        let trees = real.parent().map(working_trees).unwrap_or_default();
        let below = trees.first().and_then(|own| real.strip_prefix(own).ok());
        let others = trees.iter().skip(1).filter_map(|tree| {
            let path = tree.join(below?);
            let bytes = bounded(&path, Self::LONGEST).ok()?;
            Some((path, String::from_utf8_lossy(&bytes).into_owned()))
        });
        let elsewhere = others.collect();
        Ok(Self { paths, elsewhere, text })
    }
}

/// The writers of a file's lines.
#[derive(Debug, Default)]
pub struct Blame {
    /// The origin of each line.
    pub lines: Vec<LineOrigin>,
    /// The turns that wrote lines.
    pub writers: Vec<BlameWriter>,
    /// The edits of the file whose lines can't be placed.
    pub unplaced: Vec<UnplacedEdit>,
    /// The files that could not be looked through.
    pub skipped: Vec<Skipped>,
    /// The records that could not be read, of the sessions that name the file.
    pub damaged: Vec<UnreadRecord>,
}

/// The origin of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOrigin {
    /// The writer with this index.
    Written(usize),
    /// It changed after a recorded state of the file, and no recorded edit did it.
    Outside,
    /// No recorded edit of any session wrote it.
    Nobody,
}

impl LineOrigin {
    /// The words for a line without a writer.
    #[must_use]
    pub const fn words(self) -> Option<&'static str> {
        match self {
            Self::Written(_) => None,
            Self::Outside => Some("changed outside recorded edits"),
            Self::Nobody => Some("not by an agent here"),
        }
    }
}

/// An edit whose lines can't be placed.
#[derive(Debug)]
pub struct UnplacedEdit {
    /// The turn that made it.
    pub by: BlameWriter,
    /// The reason.
    pub why: &'static str,
}

/// Finds the writers of a file's lines in the sessions below `within`, or in all of this machine.
/// Only sessions whose bytes name the file are read.
///
/// # Errors
/// A given path does not exist.
pub fn blame(catalog: &Catalog<'_>, within: &[PathBuf], file: &BlamedFile) -> Result<Blame, Error> {
    let mut blame = Blame::default();
    let home = catalog.machine.home.as_deref();
    let paths: Vec<String> =
        file.paths.iter().flat_map(|path| history::names(path, home)).collect();
    let others: Vec<Vec<String>> =
        file.elsewhere.iter().map(|(path, _)| history::names(path, home)).collect();
    let all: HashSet<String> = paths.iter().chain(others.iter().flatten()).cloned().collect();
    let mut made = all_made(catalog, within, all, &mut blame)?;
    made.in_order_by(|a, b| a.order.cmp(&b.order));
    made.dedup_by(|a, b| a.repeats(b));
    drop_placed(&mut made);
    let mut own = followed(&made, &paths, &file.text);
    for (names, (_, text)) in others.iter().zip(&file.elsewhere) {
        let there = followed(&made, names, text);
        take_from(&mut own, &file.text, (&there, text));
    }
    blame.tell(&made, &own);
    Ok(blame)
}

/// The changes of all files with these names, and with those that a recorded move gave them.
fn all_made(
    catalog: &Catalog<'_>,
    within: &[PathBuf],
    mut names: HashSet<String>,
    blame: &mut Blame,
) -> Result<Vec<Made>, Error> {
    let mut made: Vec<Made> = Vec::new();
    let mut sought: HashSet<String> = HashSet::new();
    loop {
        let files: HashSet<String> = names.iter().map(|name| last_part(name).to_owned()).collect();
        let new: Vec<String> = files.difference(&sought).cloned().collect();
        if new.is_empty() {
            return Ok(made);
        }
        sought.extend(new);
        (blame.skipped, blame.damaged) = (Vec::new(), Vec::new());
        let mut all: Vec<String> = sought.iter().cloned().collect();
        all.in_order();
        let found = with_file_names(catalog, within, &all)?;
        let (skipped, read) = made_in(catalog, found, &all, &names)?;
        blame.skipped = skipped;
        made.clear();
        for (changes, unread) in read {
            made.extend(changes);
            blame.damaged.extend(unread);
        }
        // A file that was moved here had another name before.
        let moved = made.iter().filter_map(|made| match &made.change {
            Change::Move { to } if names.contains(to) => Some(made.path.clone()),
            _ => None,
        });
        let moved: Vec<String> = moved.collect();
        names.extend(moved);
    }
}

/// Follows one file through the changes of it, under the names that it had. A line's number is the
/// index of the change.
fn followed(made: &[Made], paths: &[String], text: &str) -> FollowedLines {
    let mut names: HashSet<&str> = paths.iter().map(String::as_str).collect();
    let mut own: Vec<(EventIx, Change)> = Vec::new();
    for (at, made) in made.iter().enumerate().rev() {
        let number = EventIx::try_from(at).unwrap_or(EventIx::MAX);
        let change = match &made.change {
            // Before it was moved here, it was the other file.
            Change::Move { to } if names.contains(&**to) => {
                names = HashSet::from([&*made.path]);
                continue;
            }
            Change::Move { .. } if names.contains(&*made.path) => Change::Delete,
            change if names.contains(&*made.path) => change.clone(),
            _ => continue,
        };
        own.push((number, change));
    }
    own.reverse();
    follow(own, text)
}

/// Takes the writers of lines that came from another working tree: those that no recorded edit
/// wrote here, and that the file there has too.
fn take_from(own: &mut FollowedLines, text: &str, (there, other): (&FollowedLines, &str)) {
    let written = |writer: Option<&LineWriter>| matches!(writer, Some(LineWriter::Change(_)));
    if there.writers.iter().all(|writer| !written(Some(writer))) {
        return;
    }
    for (from, to) in unchanged(other, text) {
        let (Some(writer), Some(line)) = (there.writers.get(from), own.writers.get_mut(to)) else {
            continue;
        };
        if written(Some(writer)) && !written(Some(line)) {
            *line = *writer;
        }
    }
}

impl Blame {
    /// Puts the result of a replay in words: each writer once.
    fn tell(&mut self, made: &[Made], own: &FollowedLines) {
        let mut known: HashMap<EventIx, usize> = HashMap::new();
        for writer in &own.writers {
            self.lines.push(match writer {
                LineWriter::Outside => LineOrigin::Outside,
                LineWriter::Nobody => LineOrigin::Nobody,
                LineWriter::Change(number) => {
                    let writers = &mut self.writers;
                    LineOrigin::Written(*known.entry(*number).or_insert_with(|| {
                        writers.push(made[*number as usize].by.clone());
                        writers.len() - 1
                    }))
                }
            });
        }
        let unplaced = own.unplaced.iter().filter_map(|(number, why)| {
            let by = made.get(*number as usize)?.by.clone();
            Some(UnplacedEdit { by, why })
        });
        self.unplaced = unplaced.collect();
    }
}
