//! `sync`: keeps what is new on this machine. Sources are only read, and what has vanished from
//! them deletes nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::{Catalog, Claimed, Found, Job, Kept, Root, Source, SourceFile};
use session::UtcTime;

use crate::digest::Digest;
use crate::error::Error;
use crate::exclude::Excluded;
use crate::keep::{self, Keeper, KeptContent, Unkept};
use crate::machine::MachineName;
use crate::roles;
use crate::run::{Line, PathText, SessionName, SessionVersion, Stat, VersionFile};
use crate::sealed::Sealed;
use crate::sidecars::{self, Beside};
use crate::stat::of_path;
use crate::state::{Archive, ArchiveFault};

mod labels;
mod moved;
mod others;
mod unseen;

/// The options of a run.
#[derive(Debug)]
pub struct SyncOptions<'o> {
    /// The time.
    pub now: UtcTime,
    /// The machine.
    pub machine: &'o MachineName,
    /// Patterns that are left out from now on.
    pub exclude: &'o [String],
    /// Patterns that are not left out any more.
    pub include: &'o [String],
    /// Patterns that the user's file has: they count as long as they are in it.
    pub ignore: &'o [String],
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct SyncReport {
    /// Sessions that were found.
    pub sessions: usize,
    /// Sessions of which nothing was kept before.
    pub new: usize,
    /// Sessions that have changed since.
    pub changed: usize,
    /// Other files that were kept, anew or again.
    pub others: usize,
    /// Sessions that are not in their agent's folders any more: known since this run.
    pub gone: usize,
    /// Sessions and other files that are left out: excluded, or forgotten.
    pub left_out: usize,
    /// Bytes of all sessions that were found.
    pub bytes: u64,
    /// Bytes that were added to the archive.
    pub stored: u64,
    /// Contents that the archive had lost, and that were kept again.
    pub healed: usize,
    /// Versions of sessions that the archive can't give back.
    pub lost: usize,
    /// Whether packs have bytes of a session that was forgotten.
    pub unremoved: bool,
    /// Files of the archive that are still damaged.
    pub faults: Vec<ArchiveFault>,
    /// Files and folders that could not be read, each with the reason.
    pub unread: Vec<(PathBuf, String)>,
    /// Links that were not followed, each with the reason. What is below them is not kept.
    pub links: Vec<(PathBuf, String)>,
    /// New patterns for which nothing was left out.
    pub unmet: Vec<String>,
}

/// The sessions and files that there are to be kept.
#[derive(Debug)]
pub struct Sources {
    found: Found,
    beside: Beside,
}

impl Sources {
    /// Number of sessions, and of bytes in them.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        (self.found.sources.len(), self.found.sources.iter().map(Source::length).sum())
    }

    /// The files of sessions and those beside them, each with whether it is a database.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (PathBuf, bool)> {
        let files = self.found.sources.iter().flat_map(|source| &source.files);
        let files = files.map(|file| (file.path.to_path_buf(), file.rows.is_some()));
        files.chain(self.beside.files.iter().map(|file| (file.path.clone(), false)))
    }
}

/// Finds what is in the agents' own folders. A file that has not changed since it was kept is not
/// opened, and no link is followed out of an agent's folder.
#[must_use]
pub fn look(archive: &Archive, catalog: &Catalog<'_>, machine: &MachineName) -> Sources {
    let mut known: HashMap<PathBuf, (Stat, Claimed)> = HashMap::new();
    for version in archive.newest().values().filter(|version| machine.is(&version.machine)) {
        let SessionVersion { name, files, .. } = &version.session;
        let Ok(format) = catalog.format(&name.agent) else { continue };
        for file in files.iter().filter(|file| !file.rows) {
            let (Some(stat), path) = (file.stat, file.path.path()) else { continue };
            let Some(role) = roles::role(file) else { continue };
            let claimed = SourceFile {
                path: Arc::from(&*path),
                name: file.name.clone(),
                role,
                length: file.length,
                modified: None,
                rows: None,
                archived: None,
            };
            let group = name.group.clone();
            known.insert(path, (stat, Claimed { format, group, above: None, file: claimed }));
        }
    }
    let unchanged = move |path: &Path| {
        let (stat, claimed) = known.get(path)?;
        let meta = std::fs::metadata(path).ok()?;
        let mut claimed = claimed.clone();
        claimed.file.modified = meta.modified().ok();
        (Stat::of(&meta) == Some(*stat)).then_some(claimed)
    };
    let bound = |root| Root { bound: true, ..root };
    let roots: Vec<Root> = catalog.machine.roots(catalog.formats).into_iter().map(bound).collect();
    let kept = Kept::knowing(Box::new(unchanged));
    let found = catalog::find::scan::scan_for(catalog.formats, &roots, &kept);
    Sources { found, beside: sidecars::find(catalog) }
}

/// Keeps what is new. `step` is called with the bytes of each finished session. The caller has at
/// least the shared lock of the archive, which was read under it.
///
/// # Errors
/// The archive can't be written; [`Error::Cancelled`] after what was kept so far is written down.
pub fn keep(
    archive: &mut Archive,
    catalog: &Catalog<'_>,
    sources: Sources,
    options: &SyncOptions<'_>,
    step: &dyn Fn(u64),
) -> Result<SyncReport, Error> {
    archive.place.is_no_twin()?;
    let mut report = SyncReport { sessions: sources.found.sources.len(), ..SyncReport::default() };
    let newest: BTreeMap<SessionName, SessionVersion> = archive
        .newest()
        .into_iter()
        .filter(|(_, version)| options.machine.is(&version.machine))
        .map(|(name, version)| (name.clone(), version.session.clone()))
        .collect();
    let by_ids = moved::by_ids(&newest);
    let known_elsewhere: HashSet<SessionName> = archive.newest().into_keys().cloned().collect();
    let unlabelled = labels::lacking(archive, options.machine);
    let has_new_labels = labels::are_new(archive, options.machine);
    let gone = archive.gone.clone();
    let excluded = excludes(archive, catalog, options);
    let mut run = Run {
        sealed: Sealed::of(catalog),
        excluded,
        forgotten: archive.forgotten.values().flat_map(|f| f.contents.iter().copied()).collect(),
        forgotten_names: archive.forgotten.keys().cloned().collect(),
        forgotten_ids: archive.forgotten_ids(),
        newest,
        known_elsewhere,
        unlabelled,
        by_ids,
        names: HashMap::new(),
        reads_folders: !options.exclude.is_empty(),
        now: options.now,
        report: &mut report,
        keeper: Keeper::new(archive, options.now, options.machine),
    };
    run.note_choices(options, has_new_labels);
    for source in &sources.found.sources {
        run.end_if_cancelled(&catalog.machine.job)?;
        run.session(source)?;
        run.report.bytes += source.length();
        step(source.length());
        run.keeper.checkpoint()?;
    }
    run.others(&sources.beside.files, options.machine)?;
    run.vanished(&sources.found, &gone);
    run.keeper.finish()?;
    run.report.unmet = run.excluded.unmet(options.exclude);
    let (stored, healed) = (run.keeper.stored, run.keeper.healed);
    (report.stored, report.healed) = (stored, healed);
    report.lost = archive.lost_versions().len();
    report.faults = archive.faults_now();
    report.unremoved = archive.has_unremoved();
    unseen::note(&sources, &mut report);
    Ok(report)
}

/// The patterns that count in this run.
fn excludes(archive: &Archive, catalog: &Catalog<'_>, options: &SyncOptions<'_>) -> Excluded {
    let mut patterns: Vec<String> = archive.excludes().to_vec();
    patterns.extend(options.exclude.iter().cloned());
    patterns.retain(|pattern| !options.include.contains(pattern));
    patterns.extend(options.ignore.iter().cloned());
    Excluded::of(patterns, catalog.machine.home.as_deref())
}

/// A run that keeps sessions.
struct Run<'r, 'a> {
    sealed: Sealed,
    excluded: Excluded,
    /// Contents of sessions that the user had removed.
    forgotten: HashSet<Digest>,
    forgotten_names: HashSet<SessionName>,
    /// Agents and ids of such sessions: a session is the same one when its file moves.
    forgotten_ids: HashSet<(String, String)>,
    /// The newest versions that this machine has seen.
    newest: BTreeMap<SessionName, SessionVersion>,
    known_elsewhere: HashSet<SessionName>,
    /// Sessions whose newest version lacks a label that this run has.
    unlabelled: HashSet<SessionName>,
    by_ids: moved::ByIds,
    /// The names under which sessions are kept whose files have moved, by their names now.
    names: HashMap<SessionName, SessionName>,
    /// Whether the folder of each session is read: new patterns must be met.
    reads_folders: bool,
    now: UtcTime,
    report: &'r mut SyncReport,
    keeper: Keeper<'a>,
}

impl Run<'_, '_> {
    /// Writes down what was kept so far, and fails, if somebody cancelled the run.
    fn end_if_cancelled(&mut self, job: &Job) -> Result<(), Error> {
        if !job.is_cancelled() {
            return Ok(());
        }
        self.keeper.finish()?;
        Err(Error::Cancelled)
    }

    /// Keeps a session if it has changed.
    fn session(&mut self, source: &Source) -> Result<(), Error> {
        let agent = source.format.name().to_owned();
        let name = SessionName { agent, group: source.group.clone() };
        let is_out = |file: &SourceFile| self.excluded.has(&file.path);
        if self.forgotten_names.contains(&name) || source.files.iter().any(is_out) {
            self.report.left_out += 1;
            return Ok(());
        }
        let name = self.kept_name(name, source);
        let known = self.newest.get(&name).cloned();
        let known_files = known.iter().flat_map(|known| &known.files);
        let before: HashMap<(&PathText, bool), &VersionFile> =
            known_files.map(|file| ((&file.path, file.rows), file)).collect();
        let Some(ids) = self.wanted(source, known.as_ref(), &before) else {
            self.report.left_out += 1;
            return Ok(());
        };
        let mut files = Vec::with_capacity(source.files.len());
        for file in &source.files {
            if !file.is_dump() && self.sealed.has(&file.path) {
                continue;
            }
            let path = PathText::of(&file.path);
            let before = before.get(&(&path, file.is_dump())).copied();
            match self.file(file, before) {
                Ok(kept) => files.push(kept),
                Err(Unkept::Archive(error)) => return Err(error),
                Err(Unkept::Source(error)) => {
                    self.report.unread.push((file.path.to_path_buf(), error.to_string()));
                    // What was kept of it stays a part of the session.
                    files.extend(before.cloned());
                }
            }
        }
        moved::carry(known.as_ref(), &mut files);
        let is_labelled = !self.unlabelled.contains(&name);
        if files.is_empty() || known.as_ref().is_some_and(|k| k.files == files) && is_labelled {
            return Ok(());
        }
        if files.iter().any(|file| self.forgotten.contains(&file.content)) {
            self.report.left_out += 1;
            return Ok(());
        }
        let digest = roles::digest(&files);
        let is_same = known.as_ref().is_some_and(|known| known.digest == digest);
        match (known.is_some(), self.known_elsewhere.contains(&name)) {
            _ if is_same => {}
            (false, false) => self.report.new += 1,
            _ => self.report.changed += 1,
        }
        self.keeper.note(Line::Session(SessionVersion { name, ids, digest, files }));
        Ok(())
    }

    /// The ids of a source's sessions; `None` if one of them is left out. This is decided before
    /// any byte is kept: what is left out must not be in a pack either.
    fn wanted(
        &self,
        source: &Source,
        known: Option<&SessionVersion>,
        before: &HashMap<(&PathText, bool), &VersionFile>,
    ) -> Option<Vec<String>> {
        let is_changed = |file: &&SourceFile| {
            let is_sealed = !file.is_dump() && self.sealed.has(&file.path);
            let path = PathText::of(&file.path);
            let before = before.get(&(&path, file.is_dump()));
            !is_sealed && !before.is_some_and(|before| self.is_kept(before, stat_of(file)))
        };
        let changed: Vec<&SourceFile> = source.files.iter().filter(is_changed).collect();
        if let (true, false, Some(known)) = (changed.is_empty(), self.reads_folders, known) {
            return Some(known.ids.clone());
        }
        let entries = catalog::summaries(source).unwrap_or_default();
        let mut folders = entries.iter().filter_map(|entry| entry.folder.as_deref());
        if folders.any(|folder| self.excluded.has(Path::new(folder))) {
            return None;
        }
        let agent = source.format.name();
        let is_forgotten = |id: &str| self.forgotten_ids.contains(&(agent.into(), id.into()));
        if entries.iter().any(|entry| is_forgotten(&entry.id)) {
            return None;
        }
        let has_forgotten = |file: &&SourceFile| {
            !file.is_dump()
                && keep::digest(&file.path).is_ok_and(|digest| self.forgotten.contains(&digest))
        };
        if !self.forgotten.is_empty() && changed.iter().any(has_forgotten) {
            return None;
        }
        let mut ids: Vec<String> = entries.into_iter().map(|entry| entry.id).collect();
        if ids.is_empty() {
            ids.push(source.group.clone());
        }
        Some(ids)
    }

    /// Whether the archive has a file as it is now.
    fn is_kept(&self, before: &VersionFile, stat: Option<Stat>) -> bool {
        stat.is_some() && before.stat == stat && !self.keeper.is_lost(&before.content)
    }

    /// Keeps a file of a session, unless it has not changed.
    fn file(
        &mut self,
        file: &SourceFile,
        before: Option<&VersionFile>,
    ) -> Result<VersionFile, Unkept> {
        let stat = stat_of(file);
        if let Some(before) = before
            && self.is_kept(before, stat)
        {
            return Ok(VersionFile { name: file.name.clone(), ..before.clone() });
        }
        let kept = match &file.rows {
            None => self.keeper.file(&file.path, before.map(|b| (b.content, b.length)))?,
            Some(rows) => {
                let dump = rows.store.dump(&rows.session, None);
                let dump = dump.map_err(|error| Unkept::Source(std::io::Error::other(error)))?;
                for why in dump.unread {
                    self.report.unread.push((file.path.to_path_buf(), why));
                }
                let stat = stat.and_then(|stat| stat.settled(self.now));
                KeptContent { stat, ..self.keeper.bytes(&dump.bytes)? }
            }
        };
        Ok(described(file, &kept))
    }
}

/// The state of a file, or of the database that has its rows.
fn stat_of(file: &SourceFile) -> Option<Stat> {
    of_path(&file.path, file.rows.is_some())
}

/// A file of a version, with the content that was kept of it.
fn described(file: &SourceFile, kept: &KeptContent) -> VersionFile {
    let (role, stem) = roles::words(&file.role);
    let modified = file.modified.and_then(catalog::summary::instant).map(UtcTime::sortable);
    VersionFile {
        path: PathText::of(&file.path),
        name: file.name.clone(),
        role: role.into(),
        stem,
        content: kept.digest,
        length: kept.length,
        modified,
        rows: file.is_dump(),
        stat: kept.stat,
    }
}
