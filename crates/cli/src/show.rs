//! `verbatim show`: one session as a transcript, as native records, or as JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use api::show::Show;
use api::turns::turns;
use catalog::{Error, Listed};
use formats::secrets::withheld;
use meaning::{facts, turn};
use operations::agents::started;
use operations::search::pattern::Pattern;
use operations::usage::price::ListPrices;
use redact::Glance;
use session::{EventIx, Session};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::left;
use crate::options::{Global, PartName};
use crate::resume::{lineage, quote};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::view::{self, View};
use crate::what::One;
use crate::zone::Zone;
use crate::{input, json, transcript, watch};

/// Show a session as a readable transcript
///
/// Prompts are headings, a tool call is one line with its target and outcome, thinking is folded,
/// sub-agents are indented. Messages that a summary has replaced are faint and marked.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    one: One,
    /// Begin with this turn; `7..9` shows these turns, `-1` the last one. Turn 0 is what is before
    /// the first prompt
    #[arg(long, value_name = "TURN", value_parser = view::turns, allow_hyphen_values = true)]
    from: Option<(i64, Option<i64>)>,
    /// Only this turn; `7..9` these turns, `-1` or `last` the last one
    #[arg(long, value_name = "TURN", value_parser = view::turn, allow_hyphen_values = true,
        conflicts_with = "from")]
    turn: Option<(i64, Option<i64>)>,
    /// Show only these parts of the conversation
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    only: Vec<PartName>,
    /// Show only what matches this regular expression; case counts if it has a capital letter
    #[arg(long, value_name = "REGEX")]
    grep: Option<String>,
    /// Show everything, and fold nothing: long prompts, thinking, inputs and outputs of calls,
    /// notices, and events that were taken back, repeated or copied (`--json` has every value, with
    /// its place)
    #[arg(long)]
    all: bool,
    /// Show what each call changed in files, as line diffs
    #[arg(long)]
    diff: bool,
    /// Print the agent's own records as they are, in the order of the files
    #[arg(long, conflicts_with_all = ["all", "diff", "json"])]
    raw: bool,
    /// Print JSON as lines: the session, and then one object for each event, with its text
    #[arg(long, conflicts_with_all = ["all", "diff", "json", "raw"])]
    jsonl: bool,
    /// Show the values that the agent's own format marks as credentials (its share links, keys,
    /// addresses with passwords), which stars replace otherwise. Credentials in texts and outputs
    /// are always shown: `scan` finds them, `redact` takes them out
    #[arg(long)]
    with_secrets: bool,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let name = args.one.name(env)?;
    let mut opened = match input::open(&name, args.one.within(), env) {
        Err(Failure::Catalog(Error::OnlyPrompts { uid, .. })) if !args.is_of_records(global) => {
            return prompts(&uid, args, color, env);
        }
        opened => opened?,
    };
    if !args.raw {
        input::add_history(&mut opened, args.one.within(), env)?;
    }
    lineage::add(opened.session_mut(), env)?;
    let covered = if args.with_secrets { None } else { withheld(opened.session()) };
    if let Some((_, secrets)) = &covered
        && (args.raw || global.json || args.jsonl || args.all)
    {
        let paths: BTreeSet<&str> = secrets.iter().map(|secret| &*secret.path).collect();
        let paths: Vec<&str> = paths.into_iter().collect();
        let count = counted(secrets.len() as u64, "credential", "credentials");
        let what = format!("withheld: {count}: {}", paths.join(", "));
        writeln!(env.err, "{} (`--with-secrets` shows them)", Plain::line(&what))?;
    }
    let session = covered.as_ref().map_or(opened.session(), |(session, _)| session);
    if global.json || args.jsonl {
        let show = Show::of(session, &opened.found, args.with_secrets);
        document(show, session, args.jsonl, env)?;
        watch::session(session, &name, env)?;
    } else if args.raw {
        raw(session, &mut Screen::new(env.out, color, env.width))?;
        watch::session(session, &name, env)?;
    } else {
        let home = env.machine.home.clone();
        let view = args.view(env)?;
        if view.turns.is_some() {
            view.check(count(session))?;
        }
        let listed = match facts::title_text(session) {
            Some(_) => None,
            None => operations::listed_title(&env.catalog(), session, &opened),
        };
        let mut glance = Glance::default();
        let mut watch = watch::Watch { out: env.out, glance: &mut glance };
        let mut screen = Screen::new(&mut watch, color, env.width);
        if let Some(title) = listed {
            screen.line(&Line::new().put(Style::Strong, Plain::line(&title)))?;
        }
        print(session, &opened.found, home.as_deref(), &view, &mut screen)?;
        watch::tell(glance.end(), &name, env)?;
    }
    Ok(if opened.unread.is_empty() { Exit::Good } else { Exit::Failed })
}

/// Prints the session as one document, with its turns, or as lines.
fn document(
    show: Show<'_>,
    session: &Session,
    lines: bool,
    env: &mut Environment<'_>,
) -> std::io::Result<()> {
    if lines {
        return json::lines(env.out, &show);
    }
    let prices = ListPrices::default();
    json::stream(env.out, &show.with_turns(turns(session, &|count| prices.of(count))))
}

/// Prints the prompts that are left of a session that is gone.
fn prompts(
    uid: &str,
    args: &Args,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let left = env.catalog().left_of(uid)?;
    let (home, zone) = (env.machine.home.clone(), args.one.select.zone(env));
    let mut glance = Glance::default();
    let mut watch = watch::Watch { out: env.out, glance: &mut glance };
    let mut screen = Screen::new(&mut watch, color, env.width);
    left::heading(&left, home.as_deref(), &mut screen)?;
    left::show(&left, &zone, &mut screen)?;
    let list = left.entry.files.first().map_or(Path::new(uid), |file| file);
    watch::tell(glance.end(), list, env)?;
    Ok(Exit::Good)
}

impl Args {
    /// Whether the records of the session are to be printed, in one form or another.
    const fn is_of_records(&self, global: Global) -> bool {
        self.raw || self.jsonl || global.json
    }

    /// The view that the arguments ask for.
    fn view(&self, env: &Environment<'_>) -> Result<View, Failure> {
        let grep = self.grep.as_deref().map(Pattern::expression).transpose();
        let grep = grep.map_err(|why| {
            let hint = "characters such as `(` mean themselves behind a backslash".to_owned();
            Failure::Usage(format!("`--grep` takes a regular expression: {why}"), hint)
        })?;
        Ok(View {
            all: self.all,
            diff: self.diff || self.all,
            turns: self.turn.or(self.from),
            only: self.only.iter().flat_map(|part| part.parts()).copied().collect(),
            grep,
            zone: self.one.select.zone(env),
            links: env.links,
        })
    }
}

/// The transcript of a session.
pub(crate) fn print(
    session: &Session,
    found: &[Listed],
    home: Option<&Path>,
    view: &View,
    screen: &mut Screen<'_>,
) -> std::io::Result<()> {
    header(session, home, &view.zone, screen)?;
    let agents = agents(session, found, screen.width.is_some());
    let hidden = transcript::print(session, &agents, view, screen)?;
    footer(if view.is_narrow() { &[] } else { &hidden }, session, screen)
}

/// The ids of the sessions that calls started, as `list` prints them.
fn agents(session: &Session, found: &[Listed], short: bool) -> BTreeMap<EventIx, Vec<String>> {
    let mut agents = started(session, found);
    if short && !agents.is_empty() {
        let ids: Vec<&str> = found.iter().map(|other| &*other.id).collect();
        let lengths: HashMap<&str, usize> = ids.iter().copied().zip(human::unique(&ids)).collect();
        for id in agents.values_mut().flatten() {
            id.truncate(lengths.get(&**id).copied().unwrap_or(id.len()));
        }
    }
    agents
}

/// The native records, one a line. A terminal shows control characters without effect.
fn raw(session: &Session, screen: &mut Screen<'_>) -> std::io::Result<()> {
    for record in &session.records {
        let bytes = session.record_bytes(record);
        match screen.width {
            Some(_) => {
                let text = Plain::block(&String::from_utf8_lossy(bytes));
                screen.line(&Line::new().put(Style::Normal, text))?;
            }
            None => {
                screen.raw(bytes)?;
                screen.raw(b"\n")?;
            }
        }
    }
    Ok(())
}

/// The session's identity, in three lines.
fn header(
    session: &Session,
    home: Option<&Path>,
    zone: &Zone,
    screen: &mut Screen<'_>,
) -> std::io::Result<()> {
    let title = facts::title_text(session);
    if let Some(title) = title {
        screen.line(&Line::new().put(Style::Strong, Plain::line(&title)))?;
    }
    let uid = Line::new().tell(Style::Name, &session.uid());
    screen.line(&match &session.beside.made_from {
        Some(source) => uid.tell(Style::Faint, &format!(" from {}:{}", source.format, source.id)),
        None => uid,
    })?;
    let mut facts: Vec<Plain> = Vec::new();
    facts.extend(facts::folder(session).map(|folder| human::folder(&folder, home)));
    facts.extend(facts::model(session).map(|model| Plain::line(&model)));
    let lasted = facts::lasted(session);
    if let (Some(first), Some(last)) = (lasted.start, lasted.end) {
        let (first, last) = (first.instant, last.instant);
        let (from, to, name) = (zone.moment(first), zone.moment(last), zone.name(last));
        let same_day = from.get(..10) == to.get(..10);
        let to = if same_day { to.get(11..).unwrap_or(&to) } else { &to };
        facts.push(Plain::line(&format!("{from} – {to} {name}")));
    }
    facts.push(Plain::line(&counted(count(session), "turn", "turns")));
    let bytes: usize = session.bundle.members.iter().map(|m| m.stored_length()).sum();
    facts.push(Plain::line(&human::size(bytes as u64)));
    let mut line = Line::new();
    for (at, fact) in facts.into_iter().enumerate() {
        let room = screen.width.unwrap_or(usize::MAX);
        if at > 0 && line.width() + 3 + fact.width() > room {
            screen.line(&std::mem::take(&mut line))?;
        } else if at > 0 {
            line = line.say(Style::Faint, " · ");
        }
        line = line.put(Style::Faint, fact);
    }
    screen.line(&line)?;
    for note in session.notes.iter().filter(|note| note.why.is_dangling()) {
        let member = session.bundle.members.get(note.member as usize);
        let name = member.map_or("", |member| &member.name);
        let text = format!("{name}: {}", note.why.words());
        screen.line(&Line::new().tell(Style::Warn, &text))?;
    }
    let hiding = session.notes.iter().filter(|note| note.why.hides()).count() as u64;
    if hiding > 0 {
        let records = counted(hiding, "unreadable record", "unreadable records");
        let text = format!("{records} among these: `verbatim check` names each");
        screen.line(&Line::new().tell(Style::Warn, &text))?;
    }
    Ok(())
}

/// The number of a session's turns.
fn count(session: &Session) -> u64 {
    turn::number_of_turns(session) as u64
}

/// The names of omitted items, and the option that shows them.
fn footer(hidden: &[String], session: &Session, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let format = formats::ALL.iter().find(|format| format.name() == session.format);
    let resumes = format.is_some_and(|format| format.data().resume.is_some());
    if hidden.is_empty() && !resumes {
        return Ok(());
    }
    screen.gap()?;
    if !hidden.is_empty() {
        let text = format!("not shown: {} (`--all` shows everything)", hidden.join(", "));
        screen.text(Style::Faint, &text)?;
    }
    if resumes {
        let id = quote::words(std::slice::from_ref(&session.id));
        let text = format!("to continue it: verbatim resume {id}");
        screen.line(&Line::new().command(Style::Faint, &text))?;
    }
    Ok(())
}
