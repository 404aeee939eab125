//! The state of an archive: the union of its runs, and the tables of its packs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;

use session::Sorting as _;
use session::UtcTime;

use crate::digest::{Digest, Hasher};
use crate::error::Error;
use crate::machine::MachineName;
use crate::pack::{self, Piece};
use crate::place::ArchiveFolder;
use crate::run::{
    self, Content, Head, Line, OtherFile, PathText, SessionName, SessionVersion, VersionFile,
};

/// A version of a session, and when it was seen.
#[derive(Clone, Debug)]
pub struct Version {
    /// The version.
    pub session: SessionVersion,
    /// When its run began, in RFC 3339.
    pub time: String,
    /// The machine on which it was seen.
    pub machine: MachineName,
    /// The file of its run.
    pub run: String,
}

/// A file that is no session, and where it was seen.
#[derive(Clone, Debug)]
pub(crate) struct SeenFile {
    pub file: OtherFile,
    pub machine: MachineName,
}

/// The place of a piece.
#[derive(Clone, Debug)]
pub(crate) struct Where {
    /// Index of the pack.
    pub pack: usize,
    pub piece: Piece,
}

/// An archive that was read.
#[derive(Debug)]
pub struct Archive {
    /// Its folder.
    pub place: ArchiveFolder,
    /// The names of its packs.
    pub(crate) packs: Vec<String>,
    pub(crate) pieces: HashMap<Digest, Where>,
    /// The names of its run files.
    pub(crate) runs: Vec<String>,
    pub(crate) contents: HashMap<Digest, Content>,
    /// All versions, in the order in which they were seen.
    pub(crate) versions: Vec<Version>,
    pub(crate) files: Vec<SeenFile>,
    /// Sessions that have left their agents' folders.
    pub(crate) gone: HashSet<SessionName>,
    pub(crate) forgotten: BTreeMap<SessionName, run::Forgotten>,
    /// The machines that have labels, with those that count now.
    labelled: Vec<MachineName>,
    /// The time of the last run.
    latest: Option<UtcTime>,
    /// Versions that are being removed.
    pub(crate) dropped: HashSet<(SessionName, Digest)>,
    /// Patterns of what is left out.
    pub(crate) excludes: Vec<String>,
    /// Files of the archive that can't be read, each with the reason.
    pub faults: Vec<ArchiveFault>,
    /// Pieces that were read last.
    recent: Mutex<Vec<(Digest, std::sync::Arc<[u8]>)>>,
}

/// A file of an archive that can't be read.
#[derive(Clone, Debug)]
pub struct ArchiveFault {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

impl ArchiveFault {
    pub(crate) fn of(path: PathBuf, error: &Error) -> Self {
        let why = match error {
            Error::Damaged { what, .. } => what.clone(),
            Error::Io { source, .. } => source.to_string(),
            other => other.to_string(),
        };
        Self { path, why }
    }
}

impl Archive {
    /// The names of its run files: what is added comes behind the others.
    #[must_use]
    pub fn run_names(&self) -> &[String] {
        &self.runs
    }

    /// Reads an archive. What can't be read of it is in its list of faults.
    ///
    /// # Errors
    /// Its folders can't be listed.
    pub fn read(place: ArchiveFolder) -> Result<Self, Error> {
        let (packs, runs) = (place.packs(), place.runs());
        let mut archive = Self {
            packs: run::names(&packs, pack::ENDING)?,
            runs: run::names(&runs, run::ENDING)?,
            place,
            pieces: HashMap::new(),
            contents: HashMap::new(),
            versions: Vec::new(),
            files: Vec::new(),
            gone: HashSet::new(),
            forgotten: BTreeMap::new(),
            dropped: HashSet::new(),
            excludes: Vec::new(),
            labelled: Vec::new(),
            latest: None,
            faults: Vec::new(),
            recent: Mutex::default(),
        };
        for at in 0..archive.packs.len() {
            let path = packs.join(&archive.packs[at]);
            match pack::table(&path) {
                Ok(pieces) => archive.add_pieces(at, pieces),
                Err(error) => archive.faults.push(ArchiveFault::of(path, &error)),
            }
        }
        archive.read_runs(&runs);
        Ok(archive)
    }

    pub(crate) fn add_pieces(&mut self, pack: usize, pieces: Vec<Piece>) {
        for piece in pieces {
            self.pieces.entry(piece.digest).or_insert(Where { pack, piece });
        }
    }

    fn read_runs(&mut self, folder: &std::path::Path) {
        let mut all: Vec<(Head, String, Line)> = Vec::new();
        let mut heads: Vec<Head> = Vec::new();
        for name in self.runs.clone() {
            match run::read(&folder.join(&name)) {
                Ok(lines) => {
                    let mut head = None;
                    for line in lines {
                        match (line, &head) {
                            (Line::Run(own), _) => {
                                heads.push(own.clone());
                                head = Some(own);
                            }
                            (line, Some(head)) => all.push((head.clone(), name.clone(), line)),
                            (_, None) => {}
                        }
                    }
                }
                Err(error) => self.faults.push(ArchiveFault::of(folder.join(&name), &error)),
            }
        }
        // Run files may have several runs: what counts is the time of each.
        heads.in_order_by(|a, b| a.time.cmp(&b.time));
        heads.iter().for_each(|head| self.begin(head));
        all.in_order_by(|a, b| a.0.time.cmp(&b.0.time));
        for (head, run, line) in all {
            self.add(&head, &run, line);
        }
        let is_forgotten = |name: &SessionName| self.forgotten.contains_key(name);
        self.versions.retain(|version| !is_forgotten(&version.session.name));
        let files = std::mem::take(&mut self.files);
        self.files = files.into_iter().filter(|seen| !self.is_forgotten(&seen.file)).collect();
    }

    /// Adds the beginning of a run: its time, and the labels that were chosen for its machine.
    fn begin(&mut self, head: &Head) {
        self.latest = self.latest.max(UtcTime::of_text(&head.time));
        let MachineName { label, account, .. } = &head.machine;
        if label.is_none() && account.is_none() {
            return;
        }
        let before = self.labelled.iter().position(|known| known.is(&head.machine));
        let before = before.map(|at| self.labelled.remove(at));
        let (label, account) = before.map(|it| (it.label, it.account)).unwrap_or_default();
        self.labelled.push(head.machine.clone().labelled(label, account));
    }

    /// A machine with the labels that were chosen for it last, where it has none itself.
    #[must_use]
    pub fn labelled(&self, machine: MachineName) -> MachineName {
        match self.labelled.iter().find(|known| known.is(&machine)) {
            Some(known) => machine.labelled(known.label.clone(), known.account.clone()),
            None => machine,
        }
    }

    /// Adds a line of a run.
    pub(crate) fn add(&mut self, head: &Head, run: &str, line: Line) {
        match line {
            Line::Run(_) => self.begin(head),
            Line::Content(content) => {
                let known = self.contents.get(&content.digest);
                if known.is_none_or(|known| self.is_whole(&content) && !self.is_whole(known)) {
                    self.contents.insert(content.digest, content);
                }
            }
            Line::Session(session) => {
                self.gone.remove(&session.name);
                let (time, machine) = (head.time.clone(), head.machine.clone());
                self.versions.push(Version { session, time, machine, run: run.into() });
            }
            Line::File(file) => {
                self.files.push(SeenFile { file, machine: head.machine.clone() });
            }
            Line::Gone(name) => {
                self.gone.insert(name);
            }
            Line::Forgotten(forgotten) => {
                self.forgotten.insert(forgotten.name.clone(), forgotten);
            }
            Line::Revived(name) => {
                self.forgotten.remove(&name);
            }
            Line::Exclude(exclude) => {
                self.excludes.retain(|pattern| *pattern != exclude.pattern);
                if !exclude.lifted {
                    self.excludes.push(exclude.pattern);
                }
            }
        }
    }

    /// The time of a new run: behind those of all others, whatever the clock says, since the order
    /// of runs is that of their times.
    pub(crate) fn time(&self, now: UtcTime) -> UtcTime {
        let behind = self.latest.map(|latest| UtcTime(latest.0.saturating_add(1000)));
        behind.filter(|behind| *behind > now).unwrap_or(now)
    }

    /// The newest version of each session.
    #[must_use]
    pub fn newest(&self) -> BTreeMap<&SessionName, &Version> {
        self.versions.iter().map(|version| (&version.session.name, version)).collect()
    }

    /// The versions of all sessions, each content once, in the order in which they were last seen.
    #[must_use]
    pub fn versions(&self) -> Vec<&Version> {
        let mut seen = HashSet::new();
        let newest_first = self.versions.iter().rev();
        let mut once: Vec<&Version> = newest_first
            .filter(|version| seen.insert((&version.session.name, version.session.digest)))
            .collect();
        once.reverse();
        once
    }

    /// Whether a session had left its agent's folders when `sync` ran last.
    #[must_use]
    pub fn is_gone(&self, name: &SessionName) -> bool {
        self.gone.contains(name)
    }

    /// The pieces of a content, in their order.
    ///
    /// # Errors
    /// A run that names them is missing or damaged.
    pub(crate) fn pieces_of(&self, digest: Digest) -> Result<Vec<Digest>, Error> {
        let missing = |what: String| Error::Damaged { path: self.place.runs(), what };
        let (mut parts, mut next, mut length) = (Vec::new(), Some(digest), u64::MAX);
        while let Some(digest) = next {
            let content = self.contents.get(&digest);
            let content = content
                .ok_or_else(|| missing(format!("no run says what the pieces of {digest} are")))?;
            // Each beginning is shorter, so that this ends.
            if content.length >= length {
                return Err(missing(format!("the content {digest} is no beginning of itself")));
            }
            (length, next) = (content.length, content.base);
            parts.push(&content.pieces);
        }
        Ok(parts.into_iter().rev().flatten().copied().collect())
    }

    /// The bytes of a piece.
    pub(crate) fn piece(&self, digest: Digest) -> Result<std::sync::Arc<[u8]>, Error> {
        let known = |recent: &Vec<(Digest, std::sync::Arc<[u8]>)>| {
            recent.iter().find(|(known, _)| *known == digest).map(|(_, bytes)| bytes.clone())
        };
        if let Some(bytes) = self.recent.lock().ok().and_then(|recent| known(&recent)) {
            return Ok(bytes);
        }
        let missing = || Error::Damaged {
            path: self.place.packs(),
            what: format!("no pack has the piece {digest}"),
        };
        let found = self.pieces.get(&digest).ok_or_else(missing)?;
        let path = self.place.packs().join(&self.packs[found.pack]);
        let bytes: std::sync::Arc<[u8]> = pack::bytes(&path, &found.piece)?.into();
        if let Ok(mut recent) = self.recent.lock() {
            recent.truncate(3);
            recent.insert(0, (digest, bytes.clone()));
        }
        Ok(bytes)
    }

    /// Passes the bytes of a content to a sink, piece by piece. All of them have their digests.
    ///
    /// # Errors
    /// The archive is damaged, or the sink fails.
    pub fn write(
        &self,
        digest: Digest,
        sink: &mut dyn FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        let mut hasher = Hasher::default();
        for piece in self.pieces_of(digest)? {
            let bytes = self.piece(piece)?;
            hasher.add(&bytes);
            sink(&bytes).map_err(Error::io(&self.place.folder))?;
        }
        let what = || format!("the pieces of {digest} do not make it");
        match hasher.end() == digest {
            true => Ok(()),
            false => Err(Error::Damaged { path: self.place.packs(), what: what() }),
        }
    }

    /// The bytes of a content.
    ///
    /// # Errors
    /// The archive is damaged.
    pub fn bytes(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let length = self.contents.get(&digest).map_or(0, |content| content.length);
        let mut all = Vec::with_capacity(usize::try_from(length).unwrap_or(0).min(1 << 26));
        self.write(digest, &mut |bytes| {
            all.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(all)
    }

    /// The patterns of what `sync` leaves out.
    #[must_use]
    pub fn excludes(&self) -> &[String] {
        &self.excludes
    }

    /// The last known content of each file that is no session, by its path on this machine.
    pub(crate) fn other_files(&self, machine: &MachineName) -> HashMap<PathText, VersionFile> {
        let own = self.files.iter().filter(|seen| machine.is(&seen.machine));
        own.map(|seen| (seen.file.file.path.clone(), seen.file.file.clone())).collect()
    }
}
