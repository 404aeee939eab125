//! `verbatim usage`: tokens spent, each answer counted once.

use std::path::{Path, PathBuf};

use catalog::usage::{Counted, Spent, Sum, sums, usage};
use clap::ValueEnum;
use serde::Serialize;
use session::usage::Tokens;

use crate::args::Global;
use crate::list::warn;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::world::{Failure, Outcome, World, only_files};
use crate::{human, json};

/// Count the tokens that sessions spent: each answer once, rewound ones too
///
/// Counters are made comparable: input is what no cache gave, output includes reasoning. Copies of
/// an answer (over lines, forks, resumed files, sub-agents) count once. Costs are what the agents
/// wrote down; where one wrote none, the cost is unknown, not zero.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders or files to look in, instead of the agents' own places
    paths: Vec<PathBuf>,
    /// What to add up by
    #[arg(long, value_enum, default_value_t = By::Agent, value_name = "WHAT")]
    by: By,
    /// Show every number: where it stands, and what an ignored one repeats
    #[arg(long)]
    explain: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    Day,
    Session,
    Model,
    Agent,
}

impl By {
    const fn title(self) -> &'static str {
        match self {
            Self::Day => "DAY",
            Self::Session => "SESSION",
            Self::Model => "MODEL",
            Self::Agent => "AGENT",
        }
    }

    fn of(self, spent: &Spent) -> String {
        let unknown = || "unknown".to_owned();
        match self {
            Self::Day => {
                let day = spent.time.as_deref().and_then(|time| time.get(..10));
                day.map_or_else(unknown, str::to_owned)
            }
            Self::Session => format!("{}:{}", spent.format, spent.session),
            Self::Model => spent.model.clone().unwrap_or_else(unknown),
            Self::Agent => spent.format.to_owned(),
        }
    }
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    world: &mut World<'_>,
) -> Result<Outcome, Failure> {
    only_files(&args.paths)?;
    let found = world.catalog().find(&args.paths);
    let spent = usage(&found.sources);
    let groups = sums(&spent, |spent| args.by.of(spent));
    let all = sums(&spent, |_| String::new()).into_values().next().unwrap_or_default();
    if global.json {
        json::write(world.out, &Document::of(args, &spent, &groups, &all))?;
        return warn(&found.aside, color, world);
    }
    let home = world.machine.home.clone();
    let mut screen = Screen::new(world.out, color, world.width);
    if args.explain {
        explain(&spent, home.as_deref(), &mut screen)?;
        screen.gap()?;
    }
    let mut rows = vec![header(args.by)];
    rows.extend(groups.iter().map(|(name, sum)| row(Plain::line(name), sum)));
    if groups.len() != 1 {
        rows.push(row(Plain::ours("all"), &all));
    }
    screen.table(&rows, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    let ignored = spent.iter().filter(|spent| spent.counted != Counted::Yes).count() as u64;
    if ignored > 0 && !args.explain {
        let what = human::counted(ignored, "number repeats", "numbers repeat");
        let line = format!("{what} others and did not count; --explain shows each");
        screen.gap()?;
        screen.line(&Line::new().tell(Style::Faint, &line))?;
    }
    warn(&found.aside, color, world)
}

fn header(by: By) -> Vec<Line> {
    let names =
        ["ANSWERS", "INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "REASONING", "TOTAL", "COST"];
    [by.title()].into_iter().chain(names).map(|name| Line::new().say(Style::Faint, name)).collect()
}

fn row(name: Plain, sum: &Sum) -> Vec<Line> {
    let Sum { tokens, answers, .. } = sum;
    let number = |number: Option<u64>| match number {
        Some(number) => Line::new().tell(Style::Normal, &human::count(number)),
        None => Line::new().say(Style::Faint, "unknown"),
    };
    vec![
        Line::new().put(Style::Name, name),
        number(Some(*answers)),
        number(tokens.input),
        number(tokens.cache_read),
        number(tokens.cache_write),
        number(tokens.output),
        number(tokens.reasoning),
        Line::new().tell(Style::Strong, &human::count(tokens.total())),
        cost(sum),
    ]
}

/// What the agents wrote down; `+ ?` where some answers come without a cost.
fn cost(sum: &Sum) -> Line {
    match sum.cost {
        None => Line::new().say(Style::Faint, "unknown"),
        Some(cost) => {
            let more = if sum.unpriced > 0 { " + ?" } else { "" };
            Line::new().tell(Style::Normal, &format!("${cost:.4}{more}"))
        }
    }
}

fn explain(spent: &[Spent], home: Option<&Path>, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let mut rows = vec![
        ["TOTAL", "INPUT", "OUTPUT", "AT", "COUNTS"]
            .map(|name| Line::new().say(Style::Faint, name))
            .to_vec(),
    ];
    for spent in spent {
        let file = |path: &Path| human::folder(&path.to_string_lossy(), home);
        let at = format!("{}:{} (byte {})", file(&spent.path).as_str(), spent.line, spent.byte);
        let why = match &spent.counted {
            Counted::Repeats(path, line) if *path == spent.path => {
                format!("no: repeats line {line}")
            }
            Counted::Repeats(path, line) => {
                format!("no: repeats {}:{line}", file(path).as_str())
            }
            other => words(other),
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

fn words(counted: &Counted) -> String {
    match counted {
        Counted::Yes => "yes".to_owned(),
        Counted::Repeats(path, line) => format!("no: repeats {}:{line}", path.display()),
        Counted::Standing(word) => format!("no: {word}"),
        Counted::NothingNew => "no: the running total did not move".to_owned(),
        Counted::Synthetic => "no: the agent wrote it, no model".to_owned(),
    }
}

#[derive(Serialize)]
struct Document<'u> {
    schema: &'static str,
    by: &'static str,
    groups: Vec<Group>,
    all: Group,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<Vec<Number<'u>>>,
}

#[derive(Serialize)]
struct Group {
    name: String,
    answers: u64,
    tokens: Counters,
    total: u64,
    cost_usd: Option<f64>,
    answers_without_cost: u64,
}

#[derive(Serialize)]
struct Counters {
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    tool: Option<u64>,
}

#[derive(Serialize)]
struct Number<'u> {
    uid: String,
    path: String,
    line: u32,
    byte: u32,
    time: Option<&'u str>,
    model: Option<&'u str>,
    tokens: Counters,
    cost_usd: Option<f64>,
    counted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

impl Counters {
    const fn of(tokens: Tokens) -> Self {
        let Tokens { input, cache_read, cache_write, output, reasoning, tool } = tokens;
        Self { input, cache_read, cache_write, output, reasoning, tool }
    }
}

impl Group {
    fn of(name: &str, sum: &Sum) -> Self {
        Self {
            name: name.to_owned(),
            answers: sum.answers,
            tokens: Counters::of(sum.tokens),
            total: sum.tokens.total(),
            cost_usd: sum.cost,
            answers_without_cost: sum.unpriced,
        }
    }
}

impl<'u> Document<'u> {
    fn of(
        args: &Args,
        spent: &'u [Spent],
        groups: &std::collections::BTreeMap<String, Sum>,
        all: &Sum,
    ) -> Self {
        let number = |spent: &'u Spent| Number {
            uid: format!("{}:{}", spent.format, spent.session),
            path: json::path(&spent.path),
            line: spent.line,
            byte: spent.byte,
            time: spent.time.as_deref(),
            model: spent.model.as_deref(),
            tokens: Counters::of(spent.tokens),
            cost_usd: spent.cost,
            counted: spent.counted == Counted::Yes,
            why_not: (spent.counted != Counted::Yes).then(|| words(&spent.counted)),
        };
        Self {
            schema: "verbatim-usage-1",
            by: match args.by {
                By::Day => "day",
                By::Session => "session",
                By::Model => "model",
                By::Agent => "agent",
            },
            groups: groups.iter().map(|(name, sum)| Group::of(name, sum)).collect(),
            all: Group::of("all", all),
            numbers: args.explain.then(|| spent.iter().map(number).collect()),
        }
    }
}
