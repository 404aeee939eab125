//! `verbatim search`: words in all sessions, the newest first.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use api::list::ListScope;
use api::search::Search;
use catalog::Entry;
use operations::filter::Filter;
use operations::search::hit::{TalkSection, TextMatch};
use operations::search::pattern::Pattern;
use operations::{SearchHits, SearchResult};
use session::UtcTime;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::notes::{self, warn};
use crate::options::{Global, PartName};
use crate::resume::quote;
use crate::scope::Here;
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::short::names;
use crate::terminal::Plain;
use crate::title::title;
use crate::zone::Zone;
use crate::{json, left, list, what};

/// Search for words in your sessions, newest first
///
/// A match is a prompt, an answer, a thought, a call with its tool's name, an output, a notice of
/// the agent or a title that has all of the words, in any order. A phrase is one argument (`'two
/// words'`). The search ignores case, unless a word contains a capital letter. It sees the decoded
/// text, whatever escapes the file has. No index is needed; one that `sync` fills makes it quicker.
/// Behind the sessions come prompts that an agent's own list still has of sessions that are gone.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Args {
    /// The words and phrases; with `--regex`, one regular expression
    #[arg(required = true)]
    words: Vec<String>,
    /// Take the argument for a regular expression
    #[arg(short = 'e', long)]
    regex: bool,
    /// Search only in these parts of the conversation
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    only: Vec<PartName>,
    /// Search the sessions of all folders, also if this folder has some
    #[arg(long)]
    all_projects: bool,
    /// Show at most this many sessions, or `all`: on a terminal 20 by default, elsewhere all.
    /// The search stops when it has found enough; `--json` has as many, and says how many more it
    /// has seen
    #[arg(short = 'n', value_name = "NUMBER", value_parser = list::most)]
    most: Option<usize>,
    #[command(flatten)]
    select: Select,
}

const AFTER: &str = "\
Exit codes: 0 something was found; 1 nothing was found; 2 the command line is wrong; 3 a file could
not be looked through.";

/// Number of matches of a session that are shown, and of sessions on a terminal.
const SHOWN: usize = 3;
const SESSIONS: usize = 20;

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let pattern = pattern(args)?;
    let filter = args.select.filter(env)?;
    what::exist(&[] as &[PathBuf], &args.select)?;
    let terminal = env.width.is_some() && !global.json;
    let most = args.most.unwrap_or(if terminal { SESSIONS } else { usize::MAX });
    let is_everywhere =
        !args.select.within.is_empty() || args.all_projects || args.select.has_project();
    let here = if is_everywhere { None } else { Here::of(env) };
    let place = here.map(|here| SearchedPlace::of(here, &filter));
    let mut result = find(args, (&pattern, &filter, most), place.as_ref(), env)?;
    let all = result.sessions.len();
    let scope = place.and_then(|place| place.scope(&result.sessions, env));
    if let Some(scope) = &scope {
        result.sessions.retain(|of| scope.takes(&of.entry));
    }
    result.left.retain(|of| left::is_within(&of.entry, scope.as_ref()));
    let kept = result.sessions.len();
    result.sessions.truncate(most);
    for of in &mut result.sessions {
        operations::add_listed_titles(&env.catalog(), std::slice::from_mut(&mut of.entry));
    }
    if global.json {
        let scope = scope.map(|scope| scope.projects);
        let scope = scope.map(|folders| ListScope { folders, elsewhere: all - kept });
        json::write(
            env.out,
            &Search { scope, more: kept - result.sessions.len(), ..Search::of(&result) },
        )?;
    } else if env.width.is_some() {
        let entries: Vec<&Entry> = result.sessions.iter().map(|of| &of.entry).collect();
        let alike = env.catalog().named_alike(&entries, &args.select.within)?;
        let names = names(&entries, &alike);
        Printer { args, pattern: &pattern, names: &names, zone: args.select.zone(env) }
            .print(&result, color, env)?;
    } else {
        lines(&result, env)?;
    }
    if !global.json {
        more((result.sessions.len(), kept, all), &result, color, env)?;
    }
    notes::unread_agents(!args.select.within.is_empty(), &result.skipped, color, env)?;
    notes::unread(&result.damaged, env)?;
    result.skipped.retain(|skipped| skipped.why.is_failure());
    let failed = warn(&result.skipped, color, env)?;
    Ok(match failed {
        Exit::Good if kept == 0 && result.left.is_empty() => Exit::Bad,
        other => other,
    })
}

/// The sessions with a match: all, or the newest ones if only some are shown.
fn find(
    args: &Args,
    (pattern, filter, most): (&Pattern, &Filter, usize),
    place: Option<&SearchedPlace<'_>>,
    env: &Environment<'_>,
) -> Result<SearchResult, Failure> {
    let parts: Vec<TalkSection> = args.only.iter().flat_map(|part| part.parts()).copied().collect();
    let takes = |entry: &Entry| filter.takes(entry);
    let within: &[PathBuf] = &args.select.within;
    if !within.is_empty() || most == usize::MAX {
        return Ok(operations::search(&env.catalog(), within, pattern, &parts, &takes)?);
    }
    let is_enough = &mut |found: &mut [SearchHits]| {
        let scope = match place {
            // Until there are enough of all folders, some of this folder may follow.
            Some(place) if found.len() > most || place.is_in(found) => place.scope(found, env),
            _ => None,
        };
        let mut shown = 0;
        for of in found {
            match scope.as_ref().is_none_or(|scope| scope.takes(&of.entry)) {
                true => shown += 1,
                // What is not shown is only counted.
                false => of.hits = Vec::new(),
            }
        }
        shown > most
    };
    Ok(operations::search_newest(&env.catalog(), pattern, &parts, &takes, is_enough)?)
}

/// The place of a search, which is that of `list`: where there are sessions of this folder, with or
/// without a match, the search is about them.
struct SearchedPlace<'f> {
    here: Here,
    own: Filter,
    filter: &'f Filter,
    /// The scope by all sessions, where none with a match is of this folder.
    listed: OnceCell<Option<Filter>>,
}

impl<'f> SearchedPlace<'f> {
    fn of(here: Here, filter: &'f Filter) -> Self {
        let own = Filter { projects: here.projects(), ..Filter::default() };
        Self { here, own, filter, listed: OnceCell::new() }
    }

    /// Whether any of these sessions is of this folder.
    fn is_in(&self, found: &[SearchHits]) -> bool {
        found.iter().any(|of| self.own.takes(&of.entry))
    }

    /// The filter of the sessions of this place, if these are the sessions with a match.
    fn scope(&self, found: &[SearchHits], env: &Environment<'_>) -> Option<Filter> {
        if self.is_in(found) {
            return Some(self.own.clone());
        }
        let listed = || {
            let mut entries = env.catalog().list(&[], false).entries;
            entries.retain(|entry| self.filter.takes(entry));
            self.here.scope(&entries)
        };
        if found.is_empty() { None } else { self.listed.get_or_init(listed).clone() }
    }
}

fn pattern(args: &Args) -> Result<Pattern, Failure> {
    let wrong = |why: String| {
        let hint = "without `--regex`, every character means itself";
        Failure::Usage(format!("this can't be searched for: {why}"), hint.into())
    };
    match (args.regex, &*args.words) {
        (true, [one]) => Pattern::expression(one).map_err(wrong),
        (true, _) => Err(Failure::Usage(
            "`--regex` takes one regular expression".into(),
            "quote it, so that it is one argument".into(),
        )),
        (false, words) => Pattern::words(words).map_err(wrong),
    }
}

/// Prints the number of sessions that are not shown: of a search that stopped, those that it had
/// found by then.
fn more(
    (shown, kept, all): (usize, usize, usize),
    result: &SearchResult,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let mut notes = notes::screen(color, env);
    let least = if result.stopped { "at least " } else { "" };
    if kept == 0 && result.left.is_empty() {
        let here = if all == 0 { "" } else { " in the sessions of this folder" };
        notes.line(&Line::new().tell(Style::Normal, &format!("nothing was found{here}")))?;
    }
    if shown < kept {
        let count = human::count((kept - shown) as u64);
        let text = format!("{least}{count} more: `-n all` shows them");
        notes.line(&Line::new().tell(Style::Faint, &text))?;
    }
    if kept < all {
        let sessions = counted((all - kept) as u64, "session", "sessions");
        let text = format!("{least}{sessions} of other folders: `--all-projects` shows them");
        notes.line(&Line::new().tell(Style::Faint, &text))?;
    }
    Ok(())
}

/// Prints a line for each match, with tabs between the values.
fn lines(result: &SearchResult, env: &mut Environment<'_>) -> Result<(), Failure> {
    for of in &result.sessions {
        for hit in &of.hits {
            let time = hit.time.map(UtcTime::sortable).unwrap_or_default();
            let text = hit.lines.first().map(|line| Plain::line(line)).unwrap_or_default();
            let uid = Plain::line(&format!("{}:{}", of.entry.format, of.entry.id));
            let part = hit.part.word();
            writeln!(env.out, "{uid}\t{}\t{part}\t{time}\t{text}", hit.turn)?;
        }
    }
    left::lines(&result.left, env)
}

/// The least number of columns for a title beside what is before it.
const TITLE: usize = 16;

/// Prints the head of a session: its agent, folder, age and name, and its title beside or below.
fn head(
    entry: &Entry,
    name: Option<&String>,
    (now, home): (UtcTime, Option<&Path>),
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    let mut line = Line::new().say(Style::Name, entry.format);
    if let Some(folder) = &entry.folder {
        let folder = human::folder(folder, home).cut_front(32);
        line = line.say(Style::Faint, "  ").put(Style::Normal, folder);
    }
    if let Some(time) = entry.updated {
        line = line.say(Style::Faint, "  ").tell(Style::Faint, &human::age(now, time));
    }
    if let Some(name) = name {
        line = line.say(Style::Faint, "  ").tell(Style::Name, name);
    }
    if screen.width.is_some_and(|width| line.width() + TITLE > width) {
        screen.line(&line)?;
        line = Line::new();
    }
    line = line.say(Style::Faint, "  ").put(Style::Strong, Plain::line(&title(entry).0));
    Ok(screen.line(&line.fit(screen.width))?)
}

/// Prints matches for people.
struct Printer<'p> {
    args: &'p Args,
    pattern: &'p Pattern,
    /// The short name of each session.
    names: &'p [String],
    zone: Zone,
}

impl Printer<'_> {
    fn print(
        &self,
        result: &SearchResult,
        color: bool,
        env: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let (home, now) = (env.machine.home.clone(), env.now);
        let mut screen = Screen::new(env.out, color, env.width);
        for (at, of) in result.sessions.iter().chain(&result.left).enumerate() {
            if at > 0 {
                screen.gap()?;
            }
            let (entry, name) = (&of.entry, self.names.get(at));
            head(entry, name, (now, home.as_deref()), &mut screen)?;
            match name {
                Some(name) => self.hits(of, &self.typed(entry, name), &mut screen)?,
                None => {
                    let of_machine = (&self.zone, home.as_deref());
                    let marked = |text: &Plain| self.marked(text);
                    left::found(of, SHOWN, of_machine, &marked, &mut screen)?;
                }
            }
        }
        Ok(())
    }

    /// Prints the matches of a session, and below them the commands that read it from the first one
    /// on, and continue it.
    fn hits(&self, of: &SearchHits, name: &str, screen: &mut Screen<'_>) -> Result<(), Failure> {
        for hit in of.hits.iter().take(SHOWN) {
            self.hit(hit, screen)?;
        }
        let command = |screen: &mut Screen<'_>, text: String| {
            screen.line(&Line::new().command(Style::Faint, &text))
        };
        if let Some(first) = of.hits.first() {
            let is_folded = of.hits.iter().take(SHOWN).any(|hit| hit.part.is_folded());
            let all = if is_folded { " --all" } else { "" };
            command(screen, format!("  read: verbatim show {name} --from {}{all}", first.turn))?;
        }
        let left = of.hits.len().saturating_sub(SHOWN);
        if left > 0 {
            let words = quote::words(&[self.grep()]);
            command(screen, format!("  {left} more: verbatim show {name} --grep {words}"))?;
        }
        command(screen, format!("  continue: verbatim resume {name}"))?;
        Ok(())
    }

    /// The regular expression that finds any of the words.
    fn grep(&self) -> String {
        match self.args.regex {
            true => self.args.words.concat(),
            false => {
                let words: Vec<String> =
                    self.args.words.iter().map(|w| Pattern::quote(w)).collect();
                words.join("|")
            }
        }
    }

    /// The name of a session as a command takes it: with the folders that were searched, which
    /// the path of a file does not need.
    fn typed(&self, entry: &Entry, name: &str) -> String {
        let file = entry.files.first().map(|file| file.to_string_lossy().into_owned());
        let is_file = file.is_some_and(|file| quote::words(&[file]) == name);
        let mut typed = name.to_owned();
        for folder in self.args.select.within.iter().filter(|_| !is_file) {
            let folder = quote::words(&["-C".to_owned(), folder.to_string_lossy().into_owned()]);
            typed.extend([" ", &folder]);
        }
        typed
    }

    fn hit(&self, hit: &TextMatch, screen: &mut Screen<'_>) -> Result<(), Failure> {
        let mut line = Line::new()
            .tell(Style::Name, &format!("  turn {}", hit.turn))
            .say(Style::Faint, " · ")
            .say(Style::Faint, hit.part.word());
        if let Some(time) = hit.time {
            line = line.say(Style::Faint, " · ").tell(Style::Faint, &self.zone.moment(time));
        }
        if let Some(standing) = hit.standing {
            line = line.say(Style::Faint, " (").say(Style::Faint, standing).say(Style::Faint, ")");
        }
        screen.line(&line)?;
        let room = screen.width.map_or(usize::MAX, |width| width.saturating_sub(4));
        for text in &hit.lines {
            screen.line(&self.marked(&Plain::line(text).cut(room)))?;
        }
        Ok(())
    }

    /// A line of text with its matches marked.
    fn marked(&self, text: &Plain) -> Line {
        let (mut line, mut from) = (Line::new().say(Style::Normal, "    "), 0);
        for mark in self.pattern.marks(text.as_str()) {
            if mark.start >= from {
                line = line
                    .put(Style::Normal, text.part(from..mark.start))
                    .put(Style::Match, text.part(mark.clone()));
                from = mark.end;
            }
        }
        line.put(Style::Normal, text.part(from..text.as_str().len()))
    }
}
