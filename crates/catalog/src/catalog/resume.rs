//! Plan of continuing a session: in its own agent, or in another one, whose store takes it in.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::resume::{Arrival, Import, StoreEntry};
use formats::{Content, FateTotals, Format, Options, Written};
use session::{Bundle, Member, Session, Stream, UtcTime, told};

use crate::api::ledger;
use crate::catalog::Catalog;
use crate::catalog::convert::written;
use crate::catalog::opened::Opened;
use crate::error::Error;
use crate::paths::slashed;
use crate::prove::said::{Said, digest};

/// The user's choices for continuing a session.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResumeChoice<'c> {
    /// The agent that continues it; `None` for its own.
    pub to: Option<&'c str>,
    /// The folder in which it is continued, if that is not the session's own.
    pub folder: Option<&'c Path>,
    /// The agent's home folder, if that is not its default one.
    pub home: Option<&'c Path>,
    /// Whether compacted conversation is continued too.
    pub all: bool,
    /// The time of the session's file, for a session that records none.
    pub untimed: Option<UtcTime>,
}

impl ResumeChoice<'_> {
    /// The options of writing the session, in another folder than its own if it moves there.
    fn options(&self, folder: Option<&str>) -> Options {
        let (all, untimed, folder) = (self.all, self.untimed, folder.map(Arc::from));
        Options { all, folder, untimed, ..Options::default() }
    }
}

/// The plan of continuing a session.
#[derive(Debug)]
pub struct ResumePlan {
    /// The agent that continues it.
    pub agent: &'static str,
    /// The id of the session in that agent.
    pub id: String,
    /// The uid of the session that it is made from.
    pub source: String,
    /// The format of the session that it is made from.
    pub from: &'static str,
    /// The folder in which it is continued.
    pub folder: String,
    /// The way into the agent's store.
    pub way: Way,
    /// The program that continues it in the folder, with its arguments; `None` if no command can.
    pub command: Option<Vec<String>>,
    /// The totals of the books, and the SHA-256 digest of the ledger document, if the session is
    /// written for another agent.
    pub books: Option<(FateTotals, String)>,
    /// The texts of the conversation that was written for another agent.
    pub(crate) said: Option<Said>,
}

/// The way of a session into its agent's store.
#[derive(Debug)]
pub enum Way {
    /// Its agent wrote it there itself.
    There,
    /// Files at these paths. The last one lists the session.
    Files(Vec<(PathBuf, Content)>),
    /// The agent's own import.
    Import {
        /// The file to import: name and bytes.
        file: (String, Content),
        /// The agent's commands.
        commands: &'static Import,
        /// The digest of the conversation, as it should be read back.
        content: String,
    },
}

impl Catalog<'_> {
    /// Plans how to continue a session. Nothing is written.
    ///
    /// # Errors
    /// [`Error::Resume`] if the agent can't continue it, or its folder is not here; those of
    /// [`Catalog::convert`].
    pub fn plan_resume(
        &self,
        opened: &Opened,
        choice: ResumeChoice<'_>,
    ) -> Result<ResumePlan, Error> {
        let session = opened.session();
        let native = self.native(session)?;
        let origin = native.as_ref().unwrap_or(session);
        let own = self.format(origin.format)?;
        let to = match choice.to {
            Some(name) => self.format(name)?,
            None if own.is_document() => {
                return refused(
                    "the document names no agent's session that it was made from".into(),
                    "name the agent that continues it: `--to AGENT`",
                );
            }
            None => own,
        };
        let Some(rules) = to.resume() else {
            let what = format!("{} is a document's format, and no agent", to.name());
            return refused(what, "name an agent; `verbatim convert` writes documents");
        };
        let (folder, moved) = folder(origin, choice.folder)?;
        let mut plan = ResumePlan {
            agent: to.name(),
            id: origin.id.clone(),
            source: origin.uid(),
            from: origin.format,
            folder,
            way: Way::There,
            command: None,
            books: None,
            said: None,
        };
        if to.name() != own.name() || !self.is_at_home(opened, to) {
            let home = self.home_of(to, choice.home)?;
            let written = written(to, origin, &choice.options(moved.then_some(&*plan.folder)))?;
            let books = written.books.as_ref();
            plan.said = books.map(|books| Said::written(origin, books));
            plan.books = books.map(|books| (books.totals(origin), ledger::digest(origin, books)));
            self.enter(&mut plan, to, &home, (written, opened.history_from))?;
        }
        let list = |_: &str| Vec::new();
        let files: Vec<String> = match &plan.way {
            Way::There => opened.paths.iter().map(|path| slashed(path)).collect(),
            Way::Files(files) => files.iter().map(|(path, _)| slashed(path)).collect(),
            Way::Import { .. } => Vec::new(),
        };
        let files = &files[..];
        let (id, folder) = (&plan.id, &plan.folder);
        let at = Arrival { id, folder, files, read: &|_| None, list: &list };
        plan.command = (rules.command)(&at);
        let names = |word: &String| !plan.id.is_empty() && word.contains(&plan.id);
        if !is_plain(&plan.id) && plan.command.iter().flatten().any(names) {
            let what = format!("its id is not one that {} gives: {:?}", to.name(), plan.id);
            return refused(what, "convert it to a file: `verbatim convert`");
        }
        Ok(plan)
    }

    /// Whether all files of a session are in its agent's own places.
    fn is_at_home(&self, opened: &Opened, format: &dyn Format) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let homes = self.machine.homes(format);
        let homes: Vec<PathBuf> = homes.iter().filter_map(|home| real(home)).collect();
        let is_within = |path: &PathBuf| {
            real(path).is_some_and(|path| homes.iter().any(|home| path.starts_with(home)))
        };
        !opened.paths.is_empty()
            && opened.session().format == format.name()
            && opened.paths.iter().all(is_within)
    }

    /// The home folder of an agent.
    fn home_of(&self, format: &dyn Format, home: Option<&Path>) -> Result<PathBuf, Error> {
        let own = || self.machine.homes(format).into_iter().next();
        home.map(Path::to_path_buf).or_else(own).ok_or_else(|| Error::Resume {
            what: format!("this user has no home folder for {}", format.name()),
            hint: "name the agent's folder: `--home FOLDER`".into(),
        })
    }

    /// Decides where the files of a session go.
    fn enter(
        &self,
        plan: &mut ResumePlan,
        to: &'static dyn Format,
        home: &Path,
        (written, history_from): (Written, Option<usize>),
    ) -> Result<(), Error> {
        let converted = plan.from != to.name();
        let Some(rules) = to.resume() else { return Ok(()) };
        match &rules.entry {
            StoreEntry::Closed(why) => {
                let what = format!("{} takes no session in: {why}", to.name());
                refused(what, "another agent may: `--to AGENT`")
            }
            StoreEntry::Import(commands) => {
                let mut files = written.files;
                if files.len() != 1 {
                    let what =
                        format!("{} imports one file, and this session has several", to.name());
                    return refused(what, "convert it to files: `verbatim convert`");
                }
                let file = files.remove(0);
                let read = read_as(to, &file.0, &file.1)?;
                plan.id = read.id.clone();
                plan.way = Way::Import { file, commands, content: digest(&read) };
                Ok(())
            }
            StoreEntry::Files(place) => {
                let Some((name, bytes)) = written.files.first() else { return Ok(()) };
                if converted {
                    plan.id = read_as(to, name, bytes)?.id;
                }
                let mut files = targets(plan, *place, home, (&written, history_from))?;
                if converted && let Some((path, bytes)) = files.first() {
                    plan.id = read_as(to, &slashed(path), bytes)?.id;
                }
                files.reverse();
                plan.way = Way::Files(files);
                Ok(())
            }
        }
    }

    /// The digest of a session's conversation: what was said and called, in whatever form it is
    /// stored.
    #[must_use]
    pub fn conversation(&self, session: &Session) -> String {
        digest(session)
    }

    /// Reads a placed session back; says what is wrong with it.
    ///
    /// # Errors
    /// The fault, in words.
    pub fn read_back(&self, plan: &ResumePlan) -> Result<(), String> {
        let opened = match &plan.way {
            Way::There => return Ok(()),
            Way::Files(files) => {
                let Some((path, _)) = files.last() else { return Ok(()) };
                self.open(path, &[])
            }
            Way::Import { .. } => {
                let format = self.format(plan.agent).map_err(|error| error.to_string())?;
                let places = self.machine.places(format).into_iter().map(|place| place.path);
                self.open(&plan.id, &places.filter(|path| path.exists()).collect::<Vec<_>>())
            }
        };
        let opened = opened.map_err(|error| format!("it is not read back: {error}"))?;
        let session = opened.session();
        if session.format != plan.agent || session.id != plan.id {
            return Err(format!("it is read back as {}, not {}", session.uid(), plan.id));
        }
        let said = plan.said.as_ref().and_then(|said| said.difference(&said.read(session)));
        match (&plan.way, said) {
            (_, Some(what)) => Err(format!("its conversation is read back differently: {what}")),
            (Way::Import { content, .. }, None) if digest(session) != *content => {
                Err("its conversation is read back differently".into())
            }
            _ => Ok(()),
        }
    }
}

fn refused<T>(what: String, hint: &str) -> Result<T, Error> {
    Err(Error::Resume { what, hint: hint.into() })
}

/// The folder in which a session is continued, and whether that is not the one that it names.
fn folder(session: &Session, chosen: Option<&Path>) -> Result<(String, bool), Error> {
    let own = told::folder(session).map(Cow::into_owned);
    let Some(folder) = chosen.map(Path::to_path_buf).or_else(|| own.clone().map(PathBuf::from))
    else {
        return refused(
            "the session does not say in which folder it was".into(),
            "name the folder in which to continue: `--folder FOLDER`",
        );
    };
    let real = folder.canonicalize().ok().filter(|real| real.is_dir());
    let Some(real) = real.as_deref().and_then(Path::to_str) else {
        return refused(
            format!("there is no folder {} here", folder.display()),
            "name the folder in which to continue: `--folder FOLDER`",
        );
    };
    let same = own.is_some_and(|own| Path::new(&own) == folder || own == real);
    Ok((real.to_owned(), !same))
}

/// The path of each written file below the agent's home, and its bytes.
fn targets(
    plan: &ResumePlan,
    place: fn(&Arrival<'_>, &str) -> Option<String>,
    home: &Path,
    (written, history_from): (&Written, Option<usize>),
) -> Result<Vec<(PathBuf, Content)>, Error> {
    let (read, list) = (|path: &str| read_below(home, path), |path: &str| list_below(home, path));
    let (id, folder) = (&plan.id, &plan.folder);
    let at = Arrival { id, folder, files: &[], read: &read, list: &list };
    let mut files: Vec<(PathBuf, Content)> = Vec::new();
    for (at_file, (name, content)) in written.files.iter().enumerate() {
        let Some(below) = place(&at, name).filter(|below| is_safe(below)) else {
            let what = format!("{name:?} has no place in {}'s folder", plan.agent);
            return refused(what, "convert it to files: `verbatim convert`");
        };
        let path = home.join(below);
        // The history that a session continues may be there already, in its own session.
        let history = plan.from == plan.agent && history_from.is_some_and(|from| at_file >= from);
        if !(history && std::fs::read(&path).is_ok_and(|there| *there == **content)) {
            files.push((path, content.clone()));
        }
    }
    Ok(files)
}

/// Whether an agent could have given an id: letters, digits, `.`, `_` and `-`, and no option.
fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !id.is_empty() && !id.starts_with(['-', '.']) && id.bytes().all(plain)
}

/// Whether a relative path stays in its folder, whatever the session's texts say.
fn is_safe(path: &str) -> bool {
    path.split('/').all(|part| {
        let plain = |c: char| !c.is_control() && c != '\\';
        !part.is_empty() && part.len() <= 255 && !part.starts_with('.') && part.chars().all(plain)
    })
}

/// Greatest length of a file of the agent's that is read for its rules, in bytes.
const SMALL: u64 = 1 << 20;

fn read_below(home: &Path, path: &str) -> Option<Vec<u8>> {
    let path = Some(home.join(path)).filter(|_| is_safe_or_hidden(path))?;
    let fits = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= SMALL);
    if fits { std::fs::read(path).ok() } else { None }
}

/// As [`is_safe`]; the agent's own names may begin with a point.
fn is_safe_or_hidden(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').map(|part| part.trim_start_matches('.')).collect();
    is_safe(&parts.join("/"))
}

fn list_below(home: &Path, path: &str) -> Vec<String> {
    let found = std::fs::read_dir(home.join(path)).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        found.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Reads written bytes as the agent's session.
fn read_as(format: &'static dyn Format, name: &str, bytes: &[u8]) -> Result<Session, Error> {
    let none = |why: &str| Error::NoSession { path: name.into(), why: why.into() };
    let member = Member::new(name, Stream::Main, bytes.to_vec());
    let member = format.decode(member.ok_or_else(|| none("too long"))?);
    let sessions = format.read(Arc::new(Bundle { members: vec![member] }));
    sessions.into_iter().next().ok_or_else(|| none("no session could be read from it"))
}

#[cfg(test)]
mod tests {
    use std::path::Component;

    use super::*;

    #[test]
    fn hostile_ids_are_no_options_and_no_paths() {
        let Some(path) = samples::shared("vectors/hostile/session-ids.json") else { return };
        let text = std::fs::read_to_string(path).unwrap();
        let ids: Vec<String> = serde_json::from_str(&text).unwrap();
        let below = Path::new("/home/ana/.agent");
        for id in ids.iter().filter(|id| is_safe(&format!("{id}.json"))) {
            let path = below.join(format!("{id}.json"));
            let mut parts = path.strip_prefix(below).expect("below").components();
            assert!(parts.all(|part| matches!(part, Component::Normal(_))), "{id:?}");
        }
        let plain: Vec<&String> = ids.iter().filter(|id| is_plain(id)).collect();
        assert!(plain.iter().all(|id| !id.starts_with('-')), "{plain:?}");
        assert!(plain.len() < ids.len() / 2);
        assert!(!is_safe("a/../b") && !is_safe("/etc/x") && !is_safe(""));
    }
}
