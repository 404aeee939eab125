//! Plan of continuing a session: in its own agent, or in another one, whose store takes it in.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::moved::{RepositoryFacts, moved};
use catalog::paths::slashed;
use catalog::{Catalog, Error, Opened};
use formats::resume::{Import, PlacementContext, Resume, StoreAccess};
use formats::{Content, FateTotals, Format, Options, Written};
use meaning::facts;
use session::{Session, Slot, UnreadRecord, UtcTime};

use crate::convert::{native, written};
use crate::ledger;
use crate::prove::said::{Said, digest};

pub mod agent;
mod back;
pub mod repair;
mod target;

use back::read_as;
pub use back::read_back;

use agent::{agent, home_of, is_there, named_home, next, variables};
use repair::{Mended, damages};
use target::{is_plain, targets};

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
    /// Whether it is written anew for its own agent, which does not take it as it is stored.
    pub anew: bool,
    /// The time of the session's file, for a session that records none.
    pub untimed: Option<UtcTime>,
    /// The present time, for an agent that removes what nobody has used for long.
    pub at: Option<UtcTime>,
    /// The name of another copy in the agent, with another id than the first one.
    pub copy: Option<&'c str>,
    /// Files that verbatim itself has placed, and that nobody has changed: they don't count as the
    /// agent's own.
    pub ours: &'c [PathBuf],
    /// Whether a mended copy is placed for the session's own agent.
    pub repair: bool,
    /// The current folder: if the session's own is not here, it may have been moved to this one.
    pub here: Option<&'c Path>,
}

impl ResumeChoice<'_> {
    /// The options of writing the session, in another folder than its own if it moves there.
    fn options(&self, folder: Option<&str>) -> Options {
        let Self { all, anew, untimed, at, .. } = *self;
        let (folder, copy) = (folder.map(Arc::from), self.copy.map(Arc::from));
        Options { all, anew, untimed, at, folder, copy, ..Options::default() }
    }

    /// The same, for a mended copy if that is meant: it is another session than the damaged one.
    const fn mending(self) -> Self {
        if !self.repair {
            return self;
        }
        let copy = match self.copy {
            Some(copy) => Some(copy),
            None => Some("mended"),
        };
        Self { anew: true, copy, ..self }
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
    /// The state of that session: a digest of what is continued of it.
    pub state: String,
    /// The number of its turns.
    pub turns: u64,
    /// The time of its last event.
    pub last: Option<UtcTime>,
    /// The format of the session that it is made from.
    pub from: &'static str,
    /// The folder in which it is continued.
    pub folder: String,
    /// The agent's home folder; `None` if this user has none.
    pub home: Option<PathBuf>,
    /// The name of the copy, if it has another id than the first one.
    pub copy: Option<String>,
    /// The file in which the agent lists its sessions with their titles, and the line that is
    /// added.
    pub line: Option<(PathBuf, String)>,
    /// The way into the agent's store.
    pub way: PlacementPlan,
    /// The program that continues it in the folder, with its arguments; `None` if no command can.
    pub command: Option<Vec<String>>,
    /// The variables that the program needs to find the agent's folder: names and values.
    pub variables: Vec<(&'static str, String)>,
    /// The time for which it was written.
    pub at: Option<UtcTime>,
    /// The time at which the session began.
    begun: Option<UtcTime>,
    /// The totals of the books, if the session is written for another agent, or with a value that
    /// is made for its own; for another agent, the SHA-256 digest of the ledger document too.
    pub books: Option<(FateTotals, Option<String>)>,
    /// Whether its own agent gets it written anew.
    pub anew: bool,
    /// The records of the session that could not be read. Another agent gets nothing of them.
    pub unread: Vec<UnreadRecord>,
    /// The damages that are mended in it.
    pub mended: Vec<Mended>,
    /// The session that started this one as its sub-agent.
    pub parent: Option<String>,
    /// The texts of the conversation that was written for another agent.
    pub(crate) said: Option<Said>,
}

/// The way of a session into its agent's store.
#[derive(Debug)]
pub enum PlacementPlan {
    /// Its agent wrote it there itself.
    AlreadyInStore,
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

/// Plans how to continue a session. Nothing is written.
///
/// # Errors
/// [`Error::Resume`] if the agent can't continue it, or its folder is not here; those of
/// [`crate::convert()`].
pub fn plan_resume(
    catalog: &Catalog<'_>,
    opened: &Opened,
    choice: ResumeChoice<'_>,
) -> Result<ResumePlan, Error> {
    let session = opened.session();
    let choice = choice.mending();
    let native = native(catalog, session)?;
    let damaged = native.as_ref().unwrap_or(session);
    let (mut mended, mut whole) = (Vec::new(), None);
    if choice.repair {
        mended = damages(catalog, damaged);
        whole = repair::unemptied(catalog, damaged)?;
    }
    let origin = whole.as_ref().unwrap_or(damaged);
    let own = catalog.format(origin.format)?;
    let (to, rules) = target_of(catalog, own, choice)?;
    let (folder, moved) = folder(origin, choice)?;
    let home = choice.home.map(|home| named_home(to, home));
    let mut plan = ResumePlan {
        agent: to.name(),
        id: origin.id.clone(),
        source: origin.uid(),
        state: state(origin, choice),
        turns: turns(origin),
        last: facts::lasted(origin).end.map(|end| end.instant),
        from: origin.format,
        folder,
        home: home_of(catalog, to, home.as_deref()).ok(),
        copy: choice.copy.map(str::to_owned),
        line: None,
        way: PlacementPlan::AlreadyInStore,
        command: None,
        variables: variables(catalog, to, rules, home.as_deref())?,
        at: choice.at,
        begun: facts::lasted(origin).start.map(|start| start.instant),
        books: None,
        anew: false,
        unread: origin.unread_records(),
        mended,
        parent: facts::spawner(origin).map(Cow::into_owned),
        said: None,
    };
    let is_own = to.name() == own.name();
    plan.anew = is_own && (choice.anew || !(rules.takes)(origin));
    let choice = ResumeChoice { anew: plan.anew, ..choice };
    if !is_own || plan.anew || !is_there(catalog, (opened, choice.ours), &plan, rules, moved) {
        let home = home_of(catalog, to, home.as_deref())?;
        let options = choice.options(moved.then_some(&*plan.folder));
        write(&mut plan, catalog, (to, rules, &home), (origin, opened), options)?;
    }
    command(&mut plan, rules, opened)?;
    Ok(plan)
}

/// The agent that continues a session, and its rules.
fn target_of(
    catalog: &Catalog<'_>,
    own: &'static dyn Format,
    choice: ResumeChoice<'_>,
) -> Result<(&'static dyn Format, &'static Resume), Error> {
    let to = match choice.to {
        Some(name) => agent(catalog, name)?,
        None if own.is_document() => {
            return refused(
                "the document names no agent's session that it was made from".into(),
                "name the agent that continues it: `--to AGENT`",
            );
        }
        None => own,
    };
    match to.data().resume {
        Some(rules) => Ok((to, rules)),
        None => {
            let what = format!("{} is a document's format, and no agent", to.name());
            refused(what, "name an agent; `verbatim convert` writes documents")
        }
    }
}

/// Writes a session in memory, and decides where its files and its title go.
fn write(
    plan: &mut ResumePlan,
    catalog: &Catalog<'_>,
    (to, rules, home): (&'static dyn Format, &'static Resume, &Path),
    (origin, opened): (&Session, &Opened),
    mut options: Options,
) -> Result<(), Error> {
    let title = title(catalog, (origin, opened));
    options.next = next(catalog, rules, &plan.folder).map(Arc::new);
    options.listed = title.as_deref().map(Arc::from);
    let written = written(to, origin, &options)?;
    let books = written.books.as_ref();
    plan.said = books.map(|books| Said::written(origin, books));
    plan.books = totals(origin, &written);
    plan_files(plan, to, home, (written, opened.history_from))?;
    let is_new = plan.anew || plan.from != to.name();
    plan.line = title.filter(|_| is_new).and_then(|title| {
        let at = plan.last.or(plan.at).unwrap_or(UtcTime(0)).millis();
        let (below, line) = (rules.title)(&plan.id, &title, &at)?;
        Some((home.join(below), line))
    });
    Ok(())
}

/// The state of a session: what of it is continued.
fn state(origin: &Session, choice: ResumeChoice<'_>) -> String {
    let own = digest(origin);
    match (choice.all, choice.repair) {
        (false, false) => own,
        (all, repair) => formats::digest::digest(format!("{own} {all} {repair}").as_bytes()),
    }
}

/// The number of a session's turns.
fn turns(origin: &Session) -> u64 {
    let turns = meaning::turn::turns(origin);
    turns.iter().filter(|turn| turn.prompt.is_some()).count() as u64
}

/// The title that a person or the agent gave to a session, in one line: in the session, or in the
/// agent's own list.
fn title(catalog: &Catalog<'_>, (origin, opened): (&Session, &Opened)) -> Option<String> {
    let title = facts::title_text(origin).map(Cow::into_owned);
    let title = title.or_else(|| agent::listed_title(catalog, origin, opened))?;
    let own =
        formats::wrapped::unwrapped(origin.format, &title).own.lines().next()?.trim().to_owned();
    (!own.is_empty()).then_some(own)
}

/// Decides which command continues a session.
fn command(plan: &mut ResumePlan, rules: &Resume, opened: &Opened) -> Result<(), Error> {
    let list = |_: &str| Vec::new();
    let files: Vec<String> = match &plan.way {
        PlacementPlan::AlreadyInStore => opened.paths.iter().map(|path| slashed(path)).collect(),
        PlacementPlan::Files(files) => files.iter().map(|(path, _)| slashed(path)).collect(),
        PlacementPlan::Import { .. } => Vec::new(),
    };
    let files = &files[..];
    let (id, folder) = (&plan.id, &plan.folder);
    let (main, begun) = (true, plan.begun);
    let at = PlacementContext { id, folder, files, main, begun, read: &|_| None, list: &list };
    plan.command = (rules.command)(&at);
    let names = |word: &String| !plan.id.is_empty() && word.contains(&plan.id);
    if !is_plain(&plan.id) && plan.command.iter().flatten().any(names) {
        let what = format!("its id is not one that {} gives: {:?}", plan.agent, plan.id);
        return refused(what, "convert it to a file: `verbatim convert`");
    }
    Ok(())
}

/// Decides where the files of a session go.
fn plan_files(
    plan: &mut ResumePlan,
    to: &'static dyn Format,
    home: &Path,
    (written, history_from): (Written, Option<usize>),
) -> Result<(), Error> {
    let converted = plan.anew || plan.from != to.name();
    let Some(rules) = to.data().resume else { return Ok(()) };
    match &rules.entry {
        StoreAccess::Unsupported(why) => {
            let what = format!("{} takes no session in: {why}", to.name());
            refused(what, "another agent may: `--to AGENT`")
        }
        StoreAccess::Import(commands) => {
            let mut files = written.files;
            if files.len() != 1 {
                let what = format!("{} imports one file, and this session has several", to.name());
                return refused(what, "convert it to files: `verbatim convert`");
            }
            let file = files.remove(0);
            let read = read_as(to, &file.0, &file.1)?;
            plan.id = read.id.clone();
            plan.way = PlacementPlan::Import { file, commands, content: digest(&read) };
            Ok(())
        }
        StoreAccess::Files(place) => {
            let Some((name, bytes)) = written.files.first() else { return Ok(()) };
            if converted {
                plan.id = read_as(to, name, bytes)?.id;
            }
            let mut files = targets(plan, *place, home, (&written, history_from))?;
            // An agent may name a session after its file or its folder.
            if let Some((path, bytes)) = files.first() {
                plan.id = read_as(to, &slashed(path), bytes)?.id;
            }
            files.reverse();
            plan.way = PlacementPlan::Files(files);
            Ok(())
        }
    }
}

/// The digest of a session's conversation: what was said and called, in whatever form it is
/// stored.
#[must_use]
pub fn conversation(session: &Session) -> String {
    digest(session)
}

/// The totals of a written session's books, and the digest of their ledger.
fn totals(origin: &Session, written: &Written) -> Option<(FateTotals, Option<String>)> {
    match &written.books {
        Some(books) => Some((books.totals(origin), Some(ledger::digest(origin, books)))),
        None if written.rows.iter().any(|row| row.fate.is_none()) => {
            Some((FateTotals::placed(origin, &written.rows), None))
        }
        None => None,
    }
}

fn refused<T>(what: String, hint: &str) -> Result<T, Error> {
    Err(Error::Resume { what, hint: hint.into() })
}

/// The folder in which a session is continued, and whether that is not the one that it names.
fn folder(session: &Session, choice: ResumeChoice<'_>) -> Result<(String, bool), Error> {
    let chosen = choice.folder;
    let own = facts::folder(session).map(Cow::into_owned);
    let Some(folder) = chosen.map(Path::to_path_buf).or_else(|| own.clone().map(PathBuf::from))
    else {
        return refused(
            "the session does not say in which folder it was".into(),
            "name the folder in which to continue: `--folder FOLDER`",
        );
    };
    let real = catalog::paths::real(&folder).ok().filter(|real| real.is_dir());
    let Some(real) = real.as_deref().and_then(Path::to_str) else {
        let moved = match chosen {
            Some(_) => Vec::new(),
            None => moved(&folder, choice.here, &recorded(session)),
        };
        return Err(Error::NoFolder { path: folder, moved });
    };
    let same = own.is_some_and(|own| Path::new(&own) == folder || own == real);
    Ok((real.to_owned(), !same))
}

/// The facts that a session records of its repository: the first of each.
fn recorded(session: &Session) -> RepositoryFacts {
    let first = |slot: Slot| {
        let mut all = session.events().filter_map(|event| event.text(slot).map(Cow::into_owned));
        all.find(|text| !text.is_empty())
    };
    RepositoryFacts { remote: first(Slot::Repository), commit: first(Slot::Revision) }
}
