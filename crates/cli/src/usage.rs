//! `verbatim usage`: token usage, each answer counted once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use catalog::api::usage::Report;
use catalog::usage::{By, Counted, Sum, Usage, left_out, parts, sums, usage};
use catalog::{Aside, Unread};
use clap::ValueEnum;
use session::usage::Part;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::input::only_files;
use crate::notes::warn;
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{human, json};

/// Count the tokens that sessions spent: each answer once, rewound ones too
///
/// Counters are comparable across agents: input excludes cache reads and writes, output includes
/// reasoning. Copies of an answer (in forks, resumed or copied files, sub-agents) count once; the
/// most complete copy counts. Advisors and sub-agents count under their own model. Costs are those
/// that the agents recorded; where an agent recorded none, the cost is unknown, not zero.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders or files to search, instead of the agents' own folders
    paths: Vec<PathBuf>,
    /// Group the sums by this key
    #[arg(long, value_enum, default_value_t = Key::Agent, value_name = "WHAT")]
    by: Key,
    /// Show every number with its place in the files, and the reason if it is not counted
    #[arg(long)]
    explain: bool,
}

/// The key of the groups ([`By`]) as an argument.
#[derive(Clone, Copy, ValueEnum)]
enum Key {
    Day,
    Session,
    Model,
    Agent,
}

impl From<Key> for By {
    fn from(key: Key) -> Self {
        match key {
            Key::Day => Self::Day,
            Key::Session => Self::Session,
            Key::Model => Self::Model,
            Key::Agent => Self::Agent,
        }
    }
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    only_files(&args.paths)?;
    let found = env.catalog().find(&args.paths);
    let usage = usage(&found);
    let by = By::from(args.by);
    let groups = sums(usage.spent(), |spent| by.of(spent));
    let all = sums(usage.spent(), |_| String::new()).into_values().next().unwrap_or_default();
    if global.json {
        json::write(env.out, &Report::of(&usage, by, &groups, &all, args.explain))?;
        return unread(&usage, &found.aside, color, env);
    }
    let home = env.machine.home.clone();
    let mut screen = Screen::new(env.out, color, env.width);
    if args.explain {
        explain(&usage, home.as_deref(), &mut screen)?;
        screen.gap()?;
    }
    let mut rows = vec![header(by)];
    rows.extend(groups.iter().map(|(name, sum)| row(Plain::line(name), sum)));
    if groups.len() != 1 {
        rows.push(row(Plain::ours("all"), &all));
    }
    screen.table(&rows, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    notes(&usage, args.explain, &mut screen)?;
    unread(&usage, &found.aside, color, env)
}

/// Warns about files, rows and counters that could not be read and so are in no sum.
fn unread(
    usage: &Usage,
    aside: &[Aside],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let mut outcome = warn(aside, color, env)?;
    let mut notes = Screen::new(env.err, color && env.err_terminal, None);
    let is_said = |file: &&Unread| {
        let failures = aside.iter().filter(|aside| aside.why.is_failure());
        failures
            .filter(|aside| aside.path == file.path)
            .any(|aside| aside.why.to_string().ends_with(&file.why))
    };
    for file in usage.unread().filter(|file| !is_said(file)) {
        let what = format!("{}: not read, and in no sum: {}", file.path.display(), file.why);
        notes.line(&Line::new().say(Style::Warn, "warning: ").tell(Style::Normal, &what))?;
        if !file.gone {
            outcome = Exit::Failed;
        }
    }
    Ok(outcome)
}

/// Prints notes on the sums: the shares of sub-agents and advisors, and numbers that are not
/// counted.
fn notes(usage: &Usage, explained: bool, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let mut lines = Vec::new();
    let parts = parts(usage);
    for (part, name) in [(Part::SubAgent, "sub-agents"), (Part::Advisor, "advisors")] {
        if let Some(sum) = parts.get(&part) {
            let (total, answers) = (human::count(sum.tokens.total()), sum.answers);
            let answers = human::counted(answers, "answer", "answers");
            lines.push(format!("included: {total} tokens in {answers} of {name}"));
        }
    }
    if let Some(sum) = parts.get(&Part::Whole) {
        let (total, wholes) = (human::count(sum.tokens.total()), sum.wholes);
        let sessions = human::counted(wholes, "session that records", "sessions that record");
        lines.push(format!("included: {total} tokens of {sessions} only a sum"));
    }
    for (why, (numbers, tokens)) in left_out(usage.spent()) {
        let (numbers, total) = (human::counted(numbers, "number", "numbers"), human::count(tokens));
        lines.push(format!("not counted: {numbers} with {total} tokens: {why}"));
    }
    let unread: BTreeSet<&Path> = usage.unread().map(|file| &*file.path).collect();
    if !unread.is_empty() {
        let files = human::counted(unread.len() as u64, "file", "files");
        lines.push(format!("not read, or not whole: {files}; the warnings name them"));
    }
    if let damaged @ 1.. = usage.damaged() {
        let places = human::counted(damaged, "damaged place", "damaged places");
        lines.push(format!(
            "not read: {places} that may contain answers; `verbatim check` lists them"
        ));
    }
    if !lines.is_empty() {
        screen.gap()?;
        if !explained {
            lines.push("`--explain` lists each of them".to_owned());
        }
    }
    for line in lines {
        screen.line(&Line::new().tell(Style::Faint, &line))?;
    }
    Ok(())
}

fn header(by: By) -> Vec<Line> {
    let names =
        ["ANSWERS", "INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "REASONING", "TOTAL", "COST"];
    let by = Line::new().tell(Style::Faint, &by.word().to_uppercase());
    let names = names.map(|name| Line::new().say(Style::Faint, name));
    [by].into_iter().chain(names).collect()
}

fn row(name: Plain, sum: &Sum) -> Vec<Line> {
    let tokens = &sum.tokens;
    let number = |number: Option<u64>| match number {
        Some(number) => Line::new().tell(Style::Normal, &human::count(number)),
        None => Line::new().say(Style::Faint, "unknown"),
    };
    vec![
        Line::new().put(Style::Name, name),
        answers(sum),
        number(tokens.input),
        number(tokens.cache_read),
        number(tokens.cache_write),
        number(tokens.output),
        number(tokens.reasoning),
        Line::new().tell(Style::Strong, &human::count(tokens.total())),
        cost(sum),
    ]
}

/// Number of answers; `+ ?` if some sessions record only a sum.
fn answers(sum: &Sum) -> Line {
    match (sum.answers, sum.wholes) {
        (answers, 0) => Line::new().tell(Style::Normal, &human::count(answers)),
        (0, _) => Line::new().say(Style::Faint, "unknown"),
        (answers, _) => Line::new().tell(Style::Normal, &format!("{} + ?", human::count(answers))),
    }
}

/// The recorded cost; `+ ?` if some answers have none.
fn cost(sum: &Sum) -> Line {
    match sum.cost {
        None => Line::new().say(Style::Faint, "unknown"),
        Some(cost) => {
            let more = if sum.unpriced > 0 { " + ?" } else { "" };
            Line::new().tell(Style::Normal, &format!("${cost:.4}{more}"))
        }
    }
}

fn explain(usage: &Usage, home: Option<&Path>, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let mut rows = vec![
        ["TOTAL", "INPUT", "OUTPUT", "AT", "COUNTS"]
            .map(|name| Line::new().say(Style::Faint, name))
            .to_vec(),
    ];
    for spent in usage.spent() {
        let file = |path: &Path| human::folder(&path.to_string_lossy(), home);
        let at = format!("{}:{} (byte {})", file(spent.path).as_str(), spent.line, spent.byte);
        let why = match spent.counted {
            Counted::Repeats(path, line) if path == spent.path => {
                format!("no: repeats line {line}")
            }
            Counted::Repeats(path, line) => {
                format!("no: repeats {}:{line}", file(path).as_str())
            }
            Counted::Yes => yes(spent.part).to_owned(),
            other => other.to_string(),
        };
        let number = |number: Option<u64>| number.map(human::count).unwrap_or_default();
        let style = if spent.counted == Counted::Yes { Style::Good } else { Style::Faint };
        rows.push(vec![
            Line::new().tell(Style::Normal, &human::count(spent.tokens.total())),
            Line::new().tell(Style::Normal, &number(spent.tokens.input)),
            Line::new().tell(Style::Normal, &number(spent.tokens.output)),
            Line::new().put(Style::Normal, Plain::line(&at)),
            Line::new().put(style, Plain::line(&why)),
        ]);
    }
    screen.table(&rows, &[0, 1, 2])?;
    Ok(())
}

const fn yes(part: Part) -> &'static str {
    match part {
        Part::Main => "yes",
        Part::SubAgent => "yes: a sub-agent's",
        Part::Advisor => "yes: an advisor's",
        Part::Whole => "yes: the session's sum; it lists no answers",
    }
}
