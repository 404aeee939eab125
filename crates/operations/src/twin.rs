//! The redacted twin of an archive: each version of a session redacted by itself and written into
//! another archive, with receipts. A second run adds only what is new or has grown.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use archive::twin::{NewFile, NewVersion, Twin, TwinWriter};
use archive::{
    ArchiveView, ExportKey, KeptVersion, LeftOutSession, RedactedVersion, ReplacedValues,
    SessionName, UnsafeVersion, Version, VersionFile,
};
use catalog::{Catalog, Job, Source, SourceFile};
use redact::{RedactionReport, Redactor};
use session::Bundle;

use crate::redact::{redact_source, redact_text};
use crate::rows::batches;

pub mod check;
mod later;

/// The error of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The catalog failed, or somebody cancelled it.
    #[error(transparent)]
    Catalog(#[from] catalog::Error),
    /// An archive failed.
    #[error(transparent)]
    Archive(#[from] archive::Error),
}

/// The result of an export.
#[derive(Clone, Debug, Default)]
pub struct ExportReport {
    /// Versions that were added.
    pub added: usize,
    /// Versions that the twin had before.
    pub known: usize,
    /// The values that were replaced in what was added: classes, with the number of places.
    pub replaced: BTreeMap<String, u64>,
    /// Versions that were left out, by the names of their sessions here, with the reasons.
    pub left_out: Vec<(String, String)>,
    /// Files beside sessions, which a twin never has.
    pub beside: usize,
    /// Versions of the twin that are not safe, as this run found.
    pub unsafe_versions: usize,
    /// Bytes that were added.
    pub stored: u64,
}

/// A version that was redacted, with its bytes before.
struct Redacted {
    version: NewVersion,
    before: Arc<Bundle>,
}

/// Why a version is left out: in words that may be in the twin, and in those for its own user.
struct LeftOut {
    word: &'static str,
    why: String,
}

/// Writes what a twin lacks of an archive. `step` is called with the bytes of each version.
///
/// # Errors
/// The twin can't be written, or somebody cancelled the job: what was written so far stays.
pub fn export(
    catalog: &Catalog<'_>,
    view: &ArchiveView,
    twin: &mut Twin,
    (redactor, key): (&Redactor, &ExportKey),
    step: &(dyn Fn(u64) + Sync),
) -> Result<ExportReport, ExportError> {
    let mut report = ExportReport { beside: view.beside().len(), ..ExportReport::default() };
    let mut kept = view.kept();
    kept.reverse();
    let earlier = Earlier::of(twin, view, key);
    let all = kept.len();
    kept.retain(|version| !earlier.sources.contains(&source_of(version, key)));
    report.known = all - kept.len();
    let gone: Vec<UnsafeVersion> = forgotten(view, twin, key);
    let unknown = unknown(view, key);
    let time = view.archive().versions().last().map(|it| it.time.clone()).unwrap_or_default();
    let (profile, rules) = (redactor.options().profile.name(), redactor.rules_version());
    twin.begin(profile, rules, &time)?;
    let mut writer = twin.writer(profile, rules, &time);
    for (uid, left) in unknown {
        report.left_out.push((uid, left.why.clone()));
        writer.leave_out_once(left);
    }
    report.unsafe_versions += gone.len();
    gone.into_iter().for_each(|version| writer.note_unsafe(version));
    let written = write(catalog, &mut writer, &kept, &earlier, (redactor, key), step, &mut report);
    // What was written so far stays, whatever happened.
    writer.finish()?;
    report.stored = writer.stored();
    written.map(|()| report)
}

/// Redacts versions, and writes them.
fn write(
    catalog: &Catalog<'_>,
    writer: &mut TwinWriter<'_>,
    kept: &[KeptVersion],
    earlier: &Earlier,
    (redactor, key): (&Redactor, &ExportKey),
    step: &(dyn Fn(u64) + Sync),
    report: &mut ExportReport,
) -> Result<(), ExportError> {
    let sources: Vec<Source> = kept.iter().map(|version| version.source.clone()).collect();
    let mut rest = kept.iter();
    for batch in batches(&sources) {
        let versions: Vec<&KeptVersion> = rest.by_ref().take(batch.len()).collect();
        let done = |version: &&KeptVersion| {
            let done = redacted(catalog, earlier, version, (redactor, key));
            step(version.source.length());
            done
        };
        let length = |version: &&KeptVersion| version.source.length();
        let redacted = catalog.machine.job.parallel(&versions, length, done)?;
        for (version, redacted) in versions.into_iter().zip(redacted) {
            match redacted {
                Ok(redacted) => add(writer, redacted, earlier, report)?,
                Err(left) => {
                    report.left_out.push((version.name.uid(), left.why));
                    let line = left_out(&version.name, source_of(version, key), key);
                    let (time, why) = (version.time.clone(), left.word.to_owned());
                    writer.leave_out_once(LeftOutSession { time, why, ..line });
                }
            }
        }
        writer.checkpoint()?;
    }
    Ok(())
}

/// The name of a version of the source in receipts.
fn source_of(version: &KeptVersion, key: &ExportKey) -> String {
    key.of(&format!("{}@{}", version.name.uid(), version.digest))
}

fn left_out(name: &SessionName, source: String, key: &ExportKey) -> LeftOutSession {
    let (agent, session) = (name.agent.clone(), key.of(&name.uid()));
    LeftOutSession { agent, session, source, time: String::new(), why: String::new() }
}

/// The sessions of agents that this program does not read, which nobody can redact.
fn unknown(view: &ArchiveView, key: &ExportKey) -> Vec<(String, LeftOutSession)> {
    let line = |version: &Version| {
        let name = &version.session.name;
        let source = key.of(&format!("{}@{}", name.uid(), version.session.digest));
        let why = "this program does not read its agent's sessions".to_owned();
        let line = left_out(name, source, key);
        (name.uid(), LeftOutSession { time: version.time.clone(), why, ..line })
    };
    view.unknown().into_iter().map(line).collect()
}

/// The versions of the twin whose sessions were forgotten in the source since.
fn forgotten(view: &ArchiveView, twin: &Twin, key: &ExportKey) -> Vec<UnsafeVersion> {
    let names = view.archive().forgotten().map(|(name, _)| key.of(&name.uid()));
    let names: HashSet<String> = names.collect();
    let said: HashSet<_> = twin.unsafe_versions().into_iter().map(|(it, _)| it.digest).collect();
    let is_one = |it: &&RedactedVersion| names.contains(&it.session) && !said.contains(&it.digest);
    let why = "its session was forgotten in the archive that it was made of";
    let of = |it: &RedactedVersion| UnsafeVersion {
        name: it.name.clone(),
        digest: it.digest,
        why: why.into(),
    };
    twin.versions().into_iter().filter(is_one).map(of).collect()
}

/// The versions that a twin had before this run.
struct Earlier {
    /// The names of their versions in the source.
    sources: HashSet<String>,
    /// The versions of each session, by its name in receipts, with their sources.
    of: HashMap<String, Vec<(RedactedVersion, Source)>>,
    /// The files of each version of the source.
    files: HashMap<(SessionName, archive::Digest), Vec<VersionFile>>,
}

impl Earlier {
    fn of(twin: &Twin, view: &ArchiveView, key: &ExportKey) -> Self {
        let mut by_source: HashMap<String, &Version> = HashMap::new();
        let mut files = HashMap::new();
        for version in view.archive().versions() {
            let name = &version.session.name;
            let source = key.of(&format!("{}@{}", name.uid(), version.session.digest));
            by_source.insert(source, version);
            let id = (name.clone(), version.session.digest);
            files.insert(id, version.session.files.clone());
        }
        let mut of: HashMap<String, Vec<(RedactedVersion, Source)>> = HashMap::new();
        let mut sources = HashSet::new();
        for version in twin.versions() {
            sources.insert(version.source.clone());
            let source = by_source.get(&version.source).and_then(|it| view.source(it));
            if let Some(source) = source {
                let known = of.entry(version.session.clone()).or_default();
                known.push((version.clone(), source));
            }
        }
        Self { sources, of, files }
    }
}

/// Adds a version, and says of the earlier ones of its session whether they are still safe.
fn add(
    writer: &mut TwinWriter<'_>,
    redacted: Redacted,
    earlier: &Earlier,
    report: &mut ExportReport,
) -> Result<(), ExportError> {
    let Redacted { version, before } = redacted;
    for (known, source) in earlier.of.get(&version.session).into_iter().flatten() {
        if later::has_more(writer, (&version, &before), (known, source)) {
            let why = "a later version of its session has other values redacted in the same lines";
            let (name, digest) = (known.name.clone(), known.digest);
            writer.note_unsafe(UnsafeVersion { name, digest, why: why.into() });
            report.unsafe_versions += 1;
        }
    }
    for values in version.files.iter().flat_map(|file| &file.replaced) {
        *report.replaced.entry(values.class.clone()).or_default() += values.places;
    }
    writer.add(version)?;
    report.added += 1;
    Ok(())
}

/// A version without sensitive values: in its bytes, and in all of its names.
fn redacted(
    catalog: &Catalog<'_>,
    earlier: &Earlier,
    version: &KeptVersion,
    (redactor, key): (&Redactor, &ExportKey),
) -> Result<Redacted, LeftOut> {
    let job = &catalog.machine.job;
    let unread = |why: String| LeftOut { word: "it could not be read", why };
    let failed = |why: String| LeftOut { word: "it could not be redacted", why };
    let opened = catalog.read(&version.source).map_err(|error| unread(error.to_string()))?;
    // What can't be read now is kept whole when the archive has healed.
    if let Some(file) = opened.unread.first() {
        return Err(unread(format!("{}: {}", file.path.display(), file.why)));
    }
    let format = version.source.format;
    let before = opened.sessions.first().map(|first| Arc::clone(&first.bundle));
    let before = before.ok_or_else(|| unread("it has no sessions".into()))?;
    let files = of_members(&version.source, &before);
    let files = files.ok_or_else(|| unread("a file of it has no name".into()))?;
    let mut names = Names::of(version, &files);
    let done = redact_source(job, format, opened.sessions, &mut names.texts, redactor);
    let (sessions, report, _) = done.map_err(|error| failed(error.to_string()))?;
    let after = sessions.first().map(|first| Arc::clone(&first.bundle));
    let after = after.filter(|after| after.members.len() == files.len());
    let after = after.ok_or_else(|| failed("it has other files when it is read again".into()))?;
    names.texts.extend(after.members.iter().map(|member| plain(&member.name)));
    names.redact(job, redactor).map_err(failed)?;
    let own = earlier.files.get(&(version.name.clone(), version.digest));
    let own = own.map(Vec::as_slice).unwrap_or_default();
    let new = new_files((&files, own), &after, (&names, replaced(&report, files.len())), key);
    let session = key.of(&version.name.uid());
    let group = match names.texts[0] == version.name.group {
        true => version.name.group.clone(),
        // Two names may be the same without what is sensitive in them.
        false => format!("redacted-{}", &session[..16]),
    };
    let ids = sessions.iter().filter(|it| !it.remainder).map(|it| it.id.clone()).collect();
    let version = NewVersion {
        name: SessionName { agent: version.name.agent.clone(), group },
        ids,
        session,
        source: source_of(version, key),
        time: version.time.clone(),
        machine: version.machine.pseudonym(key),
        files: new,
    };
    Ok(Redacted { version, before })
}

/// The files of a version as they are written.
fn new_files(
    (files, kept): (&[&SourceFile], &[VersionFile]),
    after: &Bundle,
    (names, mut replaced): (&Names, Vec<Vec<ReplacedValues>>),
    key: &ExportKey,
) -> Vec<NewFile> {
    let members = files.iter().zip(&after.members).enumerate();
    let new = members.map(|(at, (file, member))| {
        let (path, stem, name) = names.of_file(at);
        let kept = kept.iter().find(|it| it.name == file.name);
        NewFile {
            path,
            name,
            role: with_stem(&file.role, stem),
            modified: kept.and_then(|kept| kept.modified.clone()),
            rows: file.is_dump(),
            bytes: member.bytes().to_vec(),
            source: kept.map(|kept| key.of(&kept.content.to_string())).unwrap_or_default(),
            replaced: std::mem::take(&mut replaced[at]),
        }
    });
    new.collect()
}

/// The file of each member of a bundle.
fn of_members<'s>(source: &'s Source, bundle: &Bundle) -> Option<Vec<&'s SourceFile>> {
    let mut by_name: HashMap<&str, Vec<&SourceFile>> = HashMap::new();
    for file in source.files.iter().rev() {
        by_name.entry(&file.name).or_default().push(file);
    }
    let members = bundle.members.iter();
    members.map(|member| by_name.get_mut(&*member.name)?.pop()).collect()
}

fn with_stem(role: &formats::Role, stem: String) -> formats::Role {
    match role {
        formats::Role::Main => formats::Role::Main,
        formats::Role::Sub(_) => formats::Role::Sub(stem),
        formats::Role::Beside(had) => formats::Role::Beside(had.as_ref().map(|_| stem)),
    }
}

/// The values that were replaced in each file, by class, rule and action.
fn replaced(report: &RedactionReport, files: usize) -> Vec<Vec<ReplacedValues>> {
    let mut counts: Vec<BTreeMap<(&str, &str, &str), u64>> = vec![BTreeMap::new(); files];
    for entry in &report.entries {
        if let Some(counts) = counts.get_mut(entry.member as usize) {
            let place = (entry.class.name(), &*entry.rule, entry.action());
            *counts.entry(place).or_default() += 1;
        }
    }
    let values = |((class, rule, action), places): ((&str, &str, &str), u64)| ReplacedValues {
        class: class.into(),
        rule: rule.into(),
        action: action.into(),
        places,
    };
    counts.into_iter().map(|counts| counts.into_iter().map(values).collect()).collect()
}

/// The names of a version: of its group, and of each file the path, the stem and the name.
struct Names {
    texts: Vec<String>,
    files: usize,
}

impl Names {
    fn of(version: &KeptVersion, files: &[&SourceFile]) -> Self {
        let stem = |file: &SourceFile| match &file.role {
            formats::Role::Sub(stem) | formats::Role::Beside(Some(stem)) => plain(stem),
            _ => String::new(),
        };
        let mut texts = vec![plain(&version.name.group)];
        texts.extend(files.iter().map(|file| plain(&file.path.to_string_lossy())));
        texts.extend(files.iter().map(|file| stem(file)));
        Self { texts, files: files.len() }
    }

    /// Redacts all names as a text, a line each, and makes the names of the files differ.
    fn redact(&mut self, job: &Job, redactor: &Redactor) -> Result<(), String> {
        let text = self.texts.join("\n");
        let done = redact_text(job, "names", text.into_bytes(), redactor);
        let done = done.map_err(|error| format!("its names: {error}"))?;
        let clean = String::from_utf8_lossy(done.session().bundle.bytes(0)).into_owned();
        let lines: Vec<String> = clean.split('\n').map(str::to_owned).collect();
        if lines.len() != self.texts.len() {
            return Err("its names have other lines when they are redacted".into());
        }
        self.texts = lines;
        let mut taken = HashSet::new();
        for name in self.texts.iter_mut().skip(1 + 2 * self.files) {
            let (own, mut number) = (name.clone(), 1);
            while !taken.insert(name.clone()) {
                number += 1;
                *name = format!("{own}~{number}");
            }
        }
        Ok(())
    }

    /// The path, the stem and the name of a file.
    fn of_file(&self, at: usize) -> (String, String, String) {
        let of = |part: usize| self.texts[1 + part * self.files + at].clone();
        (of(0), of(1), of(2))
    }
}

/// A name as one line of text.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
