//! Rewrites an archive without what is not needed, and removes sessions for ever. What replaces a
//! file is on the disk before that file goes, and its bytes were compared with their digests.

use std::collections::{BTreeSet, HashSet};

use session::Sorting as _;
use session::UtcTime;

use crate::digest::Digest;
use crate::error::Error;
use crate::machine::MachineName;
use crate::pack::{self, PackWriter};
use crate::place::Lock;
use crate::run::{self, Forgotten, Head, Line, SessionName};
use crate::state::Archive;

/// The change that a rewriting made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Packs before and after.
    pub packs: (usize, usize),
    /// Run files before and after.
    pub runs: (usize, usize),
    /// Bytes of all files before and after.
    pub bytes: (u64, u64),
}

/// Lengths of packs in bytes: as soon as there are [`MANY`] packs shorter than one of them, these
/// become one.
const SMALL: [u64; 3] = [1 << 20, 16 << 20, 64 << 20];

/// Number of small files that are rewritten together.
const MANY: usize = 16;

impl Archive {
    /// Whether there are so many small files that the next [`Archive::compact`] is due.
    #[must_use]
    pub fn is_scattered(&self) -> bool {
        self.runs.len() >= 2 * MANY || self.small().is_some()
    }

    /// Names of the shortest packs, if there are many.
    fn small(&self) -> Option<HashSet<usize>> {
        let folder = self.place.packs();
        let length = |name: &String| folder.join(name).metadata().map_or(u64::MAX, |m| m.len());
        let lengths: Vec<u64> = self.packs.iter().map(length).collect();
        SMALL.iter().find_map(|most| {
            let short = (0..lengths.len()).filter(|at| lengths[*at] < *most);
            let short: HashSet<usize> = short.collect();
            (short.len() >= MANY).then_some(short)
        })
    }

    /// Rewrites small packs, packs with pieces that nothing uses, and all runs into one. With
    /// `all`, packs that are merely small too, however few they are.
    ///
    /// # Errors
    /// The archive is damaged: then nothing is removed. Or the system reports an error.
    pub fn compact(self, _lock: &Lock, all: bool) -> Result<(Self, Compacted), Error> {
        if let Some(fault) = self.faults.first() {
            return Err(Error::Refused {
                what: format!("{}: {}", fault.path.display(), fault.why),
                hint: "nothing is removed from a damaged archive; `verbatim archive verify \
                       --read-data` says what is lost"
                    .into(),
            });
        }
        let before = (self.packs.len(), self.runs.len(), self.length());
        let live = self.live()?;
        let rewritten = self.rewritten(&live, all)?;
        let made = self.repack(&live, &rewritten)?;
        let run = self.rewrite_runs()?;
        // All that replaces them is on the disk.
        let keeps = |name: &String| !run.iter().any(|kept| kept == name);
        let runs: Vec<String> = match &run {
            Some(_) => self.runs.iter().filter(|name| keeps(name)).cloned().collect(),
            None => Vec::new(),
        };
        store::unnamed::remove(&self.place.runs(), &runs).map_err(Error::io(&self.place.runs()))?;
        let packs = self.packs.iter().enumerate().filter(|(at, _)| rewritten.contains(at));
        let packs = packs.map(|(_, name)| name.clone()).filter(|name| !made.contains(name));
        let packs: Vec<String> = packs.collect();
        let folder = self.place.packs();
        store::unnamed::remove(&folder, &packs).map_err(Error::io(&folder))?;
        store::unnamed::remove_temporary(&folder);
        store::unnamed::remove_temporary(&self.place.runs());
        store::unnamed::remove_temporary(&self.place.folder);
        let after = Self::read(self.place.clone())?;
        let compacted = Compacted {
            packs: (before.0, after.packs.len()),
            runs: (before.1, after.runs.len()),
            bytes: (before.2, after.length()),
        };
        Ok((after, compacted))
    }

    /// The pieces that a version or a file needs.
    fn live(&self) -> Result<HashSet<Digest>, Error> {
        let mut live = HashSet::new();
        for content in self.needed() {
            live.extend(self.pieces_of(content)?);
        }
        match live.iter().find(|piece| !self.pieces.contains_key(*piece)) {
            None => Ok(live),
            Some(piece) => Err(Error::Damaged {
                path: self.place.packs(),
                what: format!("no pack has the piece {piece}; nothing was removed"),
            }),
        }
    }

    /// The contents of all versions and files, with those that they begin with.
    pub(crate) fn needed(&self) -> BTreeSet<Digest> {
        let versions = self.versions.iter().flat_map(|version| &version.session.files);
        let contents = versions.chain(self.files.iter().map(|seen| &seen.file.file));
        let mut needed = BTreeSet::new();
        let mut next: Vec<Digest> = contents.map(|file| file.content).collect();
        while let Some(digest) = next.pop() {
            if needed.insert(digest) {
                next.extend(self.contents.get(&digest).and_then(|content| content.base));
            }
        }
        needed
    }

    /// The packs that are rewritten.
    fn rewritten(&self, live: &HashSet<Digest>, all: bool) -> Result<HashSet<usize>, Error> {
        let mut rewritten = match all {
            true => {
                let folder = self.place.packs();
                let is_small = |name: &String| {
                    folder.join(name).metadata().is_ok_and(|meta| meta.len() < SMALL[2])
                };
                let small = (0..self.packs.len()).filter(|at| is_small(&self.packs[*at]));
                let small: HashSet<usize> = small.collect();
                if small.len() > 1 { small } else { HashSet::new() }
            }
            false => self.small().unwrap_or_default(),
        };
        for (at, name) in self.packs.iter().enumerate() {
            let pieces = pack::table(&self.place.packs().join(name))?;
            // A piece counts in one pack alone: in any other it is not needed.
            let is_used = |piece: &pack::Piece| {
                live.contains(&piece.digest)
                    && self.pieces.get(&piece.digest).is_some_and(|found| found.pack == at)
            };
            if !pieces.iter().all(is_used) {
                rewritten.insert(at);
            }
        }
        Ok(rewritten)
    }

    /// Writes the needed pieces of these packs into new ones; returns their names.
    fn repack(
        &self,
        live: &HashSet<Digest>,
        rewritten: &HashSet<usize>,
    ) -> Result<HashSet<String>, Error> {
        let (mut made, mut open): (_, Option<PackWriter>) = (HashSet::new(), None);
        for at in (0..self.packs.len()).filter(|at| rewritten.contains(at)) {
            let path = self.place.packs().join(&self.packs[at]);
            for piece in pack::table(&path)? {
                let is_used = live.contains(&piece.digest)
                    && self.pieces.get(&piece.digest).is_some_and(|found| found.pack == at);
                if !is_used {
                    continue;
                }
                // The bytes must be sound before the frame is taken for good.
                pack::bytes(&path, &piece)?;
                let pack = match &mut open {
                    Some(pack) => pack,
                    none => none.insert(PackWriter::create(&self.place.packs())?),
                };
                pack.add_frame(piece.digest, piece.length, &pack::frame(&path, &piece)?)?;
                if pack.length() >= pack::FULL
                    && let Some(pack) = open.take()
                {
                    made.insert(pack.finish()?.0);
                }
            }
        }
        if let Some(pack) = open {
            made.insert(pack.finish()?.0);
        }
        Ok(made)
    }

    /// Writes the lines of all runs that still count as one file; returns its name. `None` if no
    /// line counts.
    fn rewrite_runs(&self) -> Result<Option<String>, Error> {
        if self.runs.is_empty() {
            return Ok(None);
        }
        let needed = self.needed();
        let mut runs: Vec<(Head, Vec<Line>)> = Vec::new();
        for name in &self.runs {
            for line in run::read(&self.place.runs().join(name))? {
                match line {
                    Line::Run(head) => runs.push((head, Vec::new())),
                    line => runs.last_mut().into_iter().for_each(|run| run.1.push(line.clone())),
                }
            }
        }
        runs.in_order_by(|a, b| a.0.time.cmp(&b.0.time));
        let mut seen = HashSet::new();
        let (mut lines, mut labels): (_, Vec<MachineName>) = (Vec::new(), Vec::new());
        let mut last = String::new();
        for (head, own) in runs {
            let counts = |line: &Line| match line {
                Line::Session(session) => {
                    let version = (session.name.clone(), session.digest);
                    !self.forgotten.contains_key(&session.name) && !self.dropped.contains(&version)
                }
                Line::Gone(name) => !self.forgotten.contains_key(name),
                Line::File(file) => !self.is_forgotten(file),
                // A content that was lost and kept again has two lines: the sound one counts.
                Line::Content(content) => {
                    needed.contains(&content.digest)
                        && self.contents.get(&content.digest) == Some(content)
                }
                _ => true,
            };
            let own: Vec<Line> = own
                .into_iter()
                .filter(counts)
                .filter(|line| match line {
                    Line::Content(content) => seen.insert(content.digest),
                    _ => true,
                })
                .collect();
            last.clone_from(&head.time);
            // A run that only chose labels counts too.
            let has_labels = head.machine.label.is_some() || head.machine.account.is_some();
            let before = labels.iter().rev().find(|machine| machine.is(&head.machine));
            let has_new = has_labels && before != Some(&head.machine);
            if !own.is_empty() || has_new {
                labels.extend(has_labels.then(|| head.machine.clone()));
                lines.push(Line::Run(head));
                lines.extend(own);
            }
        }
        match lines.is_empty() {
            true => Ok(None),
            false => run::write(&self.place.runs(), &last, &lines).map(Some),
        }
    }

    /// Bytes of all packs and runs.
    #[must_use]
    pub fn length(&self) -> u64 {
        let of = |folder: std::path::PathBuf, names: &[String]| -> u64 {
            let length = |name: &String| folder.join(name).metadata().map_or(0, |meta| meta.len());
            names.iter().map(length).sum()
        };
        of(self.place.packs(), &self.packs) + of(self.place.runs(), &self.runs)
    }

    /// Number of packs and of run files.
    #[must_use]
    pub fn files(&self) -> (usize, usize) {
        (self.packs.len(), self.runs.len())
    }

    /// Removes all versions of sessions, and what only they need. They are not kept again until
    /// they are revived.
    ///
    /// # Errors
    /// As for [`Archive::compact`].
    pub fn forget(
        mut self,
        names: &[SessionName],
        (now, machine): (UtcTime, &MachineName),
        lock: &Lock,
    ) -> Result<(Self, Compacted), Error> {
        let others = self.versions.iter().filter(|v| !names.contains(&v.session.name));
        let elsewhere: HashSet<Digest> =
            others.flat_map(|version| &version.session.files).map(|file| file.content).collect();
        let forgotten = |name: &SessionName| {
            let (mut ids, mut contents) = (Vec::<String>::new(), BTreeSet::new());
            for version in self.versions.iter().filter(|v| v.session.name == *name) {
                for id in &version.session.ids {
                    if !ids.contains(id) {
                        ids.push(id.clone());
                    }
                }
                contents.extend(version.session.files.iter().map(|file| file.content));
            }
            let contents = contents.into_iter().filter(|content| !elsewhere.contains(content));
            Line::Forgotten(Forgotten { name: name.clone(), ids, contents: contents.collect() })
        };
        let lines = names.iter().map(forgotten).collect();
        self.note(lines, (now, machine))?;
        Self::read(self.place.clone())?.compact(lock, false)
    }

    /// Lets `sync` keep a session again that was forgotten. What was removed does not come back.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn revive(
        &mut self,
        name: &SessionName,
        (now, machine): (UtcTime, &MachineName),
    ) -> Result<(), Error> {
        self.note(vec![Line::Revived(name.clone())], (now, machine))
    }

    /// The forgotten sessions, each with its ids.
    pub fn forgotten(&self) -> impl Iterator<Item = (&SessionName, &[String])> {
        self.forgotten.iter().map(|(name, forgotten)| (name, &*forgotten.ids))
    }

    /// Writes a run of these lines.
    pub(crate) fn note(
        &mut self,
        lines: Vec<Line>,
        (now, machine): (UtcTime, &MachineName),
    ) -> Result<(), Error> {
        let (schema, time) = (run::SCHEMA.to_owned(), self.time(now).millis());
        let head = Head { schema, time, machine: machine.clone() };
        let all: Vec<Line> = [Line::Run(head.clone())].into_iter().chain(lines).collect();
        let name = run::write(&self.place.runs(), &head.time, &all)?;
        for line in all {
            self.add(&head, &name, line);
        }
        self.runs.push(name);
        Ok(())
    }
}
