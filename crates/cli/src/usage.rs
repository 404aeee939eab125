//! `verbatim usage`: tokens and money that sessions spent, each answer counted once.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use api::usage::Report;
use catalog::{Skipped, Unread};
use clap::ValueEnum;
use operations::filter::Filter;
use operations::usage::money::Money;
use operations::usage::price::Prices;
use operations::usage::{By, Grouping, Spent, Sum, Totals, UNKNOWN, Usage, sums};
use session::Sorting as _;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::input::{self, only_files};
use crate::notes::errors;
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::terminal::Plain;
use crate::{human, json, what};

mod chart;
mod columns;
mod compare;
mod explain;
pub(crate) mod notes;
mod older;
mod status;

/// Count tokens and cost: each answer once, also those that were rewound
///
/// Counters are comparable across agents: input excludes cache reads and writes, output includes
/// reasoning. Copies of an answer (in forks, resumed or copied files, sub-agents) count once; the
/// most complete copy counts. Advisors and sub-agents count under their own model. RECORDED is the
/// cost that the agents wrote down, LIST PRICE what the tokens cost at the list prices of their
/// models; subscriptions are billed differently. `-` means unknown, not zero.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders, files, session ids, `@`, `last` (default: all sessions of this machine)
    #[arg(value_name = "WHAT")]
    what: Vec<PathBuf>,
    /// Group the sums by this key
    #[arg(long, value_enum, default_value_t = Key::Agent, value_name = "WHAT")]
    by: Key,
    /// Order of the groups: spans of time by their name, all else the dearest first
    #[arg(long, value_enum, value_name = "ORDER")]
    sort: Option<Sort>,
    /// Show at most this many groups, or `all`: of spans of time the latest, of all else the first.
    /// `--json` has as many, and says how many more there are
    #[arg(short = 'n', value_name = "NUMBER", value_parser = most)]
    most: Option<usize>,
    #[command(flatten)]
    select: Select,
    /// List prices from this file, in the form of LiteLLM's table, instead of verbatim's own
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Show numbers of tokens with all their digits: a terminal has thousands and millions
    #[arg(long)]
    digits: bool,
    /// Show every number with its place in the files, its price, and the reason if it is not
    /// counted
    #[arg(long)]
    explain: bool,
    /// Print one line for a status bar: today, and the current block of five hours
    #[arg(long, conflicts_with_all = ["explain", "by", "sort", "most"])]
    statusline: bool,
    /// Draw the sums as bars: of the days, or of the spans that `--by` names
    #[arg(long, conflicts_with_all = ["explain", "statusline"])]
    chart: bool,
    /// Compare with the output of `ccusage daily --json` (or weekly, monthly) in this file, `-` for
    /// standard input: each difference, and the rule of counting that makes it
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_COMPARED)]
    compare: Option<PathBuf>,
}

/// The options that say which sums are shown: a comparison shows none.
const NOT_COMPARED: [&str; 5] = ["explain", "statusline", "chart", "by", "most"];

/// The greatest width of a group's name in the table. Sessions are full of foreign texts, and one
/// long name would pad each line. `--json` has whole names.
const LONGEST_NAME: usize = 120;

/// Reads a number of groups.
fn most(text: &str) -> Result<usize, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(usize::MAX),
        (_, Ok(most)) if most > 0 => Ok(most),
        _ => Err("it is a number from 1 on, or `all`".to_owned()),
    }
}

/// The key of the groups ([`By`]) as an argument.
#[derive(Clone, Copy, ValueEnum)]
enum Key {
    Day,
    Week,
    Month,
    Block,
    Project,
    Branch,
    Session,
    Model,
    Agent,
}

impl From<Key> for By {
    fn from(key: Key) -> Self {
        match key {
            Key::Day => Self::Day,
            Key::Week => Self::Week,
            Key::Month => Self::Month,
            Key::Block => Self::Block,
            Key::Project => Self::Project,
            Key::Branch => Self::Branch,
            Key::Session => Self::Session,
            Key::Model => Self::Model,
            Key::Agent => Self::Agent,
        }
    }
}

/// The order of the groups.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    Name,
    Total,
    Cost,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    only_files(&args.what)?;
    let (filter, zone) = (args.select.filter(env)?, args.select.zone(env));
    let (found, mut usage) = what::spent(&args.what, &args.select, env)?;
    let prices = prices(args.prices.as_deref())?;
    usage.price(&prices);
    notes::entries_left_out(&prices, color, env)?;
    let (now, offset) = (env.now, |time| zone.offset(time));
    if args.statusline {
        status::print(&usage, &filter, &offset, env)?;
        return Ok(Exit::Good);
    }
    if let Some(report) = &args.compare {
        compare::print(&usage, report, &offset, (global.json, color), env)?;
        return unread(&usage, &found.skipped, color, env);
    }
    let by = args.key();
    let is_named = !args.what.is_empty() || !args.select.within.is_empty();
    let older = older::Older::of(&filter, is_named, env)?;
    let groups = groups(args, &usage, &filter, Grouping::of(by, &offset, kept(&usage, &filter)));
    let (shown, hidden) = args.shown(&groups);
    if global.json {
        let more = groups.len() - shown.len();
        let report = Report::of(&usage, &filter, by, shown, args.explain);
        let older_versions = older.map(|older| (older.answers, older.tokens).into());
        json::write(env.out, &Report { more, older_versions, ..report })?;
        return unread(&usage, &found.skipped, color, env);
    }
    let (home, mut screen) = (env.machine.home.clone(), Screen::new(env.out, color, env.width));
    let totals = Totals::of(&usage, kept(&usage, &filter));
    if args.chart {
        chart::print(&groups, by, args.most, &mut screen)?;
        let below = older::Older::lines(older, None);
        notes::print((&usage, totals), &filter, (below, args.explain, now), &mut screen)?;
        return unread(&usage, &found.skipped, color, env);
    }
    if args.explain {
        explain::print(kept(&usage, &filter), home.as_deref(), &mut screen)?;
        screen.gap()?;
    }
    let below = older::Older::lines(older, hidden);
    let name = |group: &str| group_name(by, group, home.as_deref());
    let number = args.number(screen.width.is_some());
    let mut rows = vec![header(by)];
    rows.extend(shown.iter().map(|(group, sum)| row(name(group), sum, number)));
    if groups.len() != 1 {
        rows.push(row(Plain::ours("all"), &totals.all, number));
    }
    columns::print(rows, &mut screen)?;
    notes::print((&usage, totals), &filter, (below, args.explain, now), &mut screen)?;
    let nothing = found.sources.is_empty() && found.skipped.is_empty();
    nothing.then(|| crate::notes::nothing(&args.what, &args.select, "usage", env)).transpose()?;
    crate::notes::unread_agents(is_named, &found.skipped, color, env)?;
    unread(&usage, &found.skipped, color, env)
}

/// The name of a group, as it is shown.
fn group_name(by: By, name: &str, home: Option<&Path>) -> Plain {
    let name = match by {
        _ if name == UNKNOWN => Plain::ours("-"),
        By::Project => human::folder(name, home),
        _ => Plain::line(name),
    };
    name.cut(LONGEST_NAME)
}

impl Args {
    /// The form of numbers in a table: a program wants the digits, and a person their length.
    fn number(&self, is_terminal: bool) -> fn(u64) -> String {
        let in_units = is_terminal && !self.digits && !self.explain;
        if in_units { views::human::thousands } else { human::count }
    }

    /// The key of the groups; a chart is of spans of time, of days if none are named.
    fn key(&self) -> By {
        match By::from(self.by) {
            by if self.chart && !by.is_time() => By::Day,
            by => by,
        }
    }

    /// The groups that are shown, and a note of the others. Of spans of time in their order the
    /// latest are shown.
    fn shown<'g>(&self, groups: &'g [(String, Sum)]) -> (&'g [(String, Sum)], Option<String>) {
        let most = self.most.unwrap_or(usize::MAX).min(groups.len());
        let hidden = groups.len() - most;
        let by_time = self.key().is_time() && !matches!(self.sort, Some(Sort::Total | Sort::Cost));
        let (shown, which) = match by_time {
            true => (latest(groups, most), ["other group", "other groups"]),
            false => (&groups[..most], ["more group", "more groups"]),
        };
        let which = match by_time && groups.last().is_some_and(|(name, _)| name != UNKNOWN) {
            true => ["earlier group", "earlier groups"],
            false => which,
        };
        let left = human::counted(hidden as u64, which[0], which[1]);
        let note = || format!("{left} in `all`: without `-n` each is shown");
        (shown, (hidden > 0).then(note))
    }
}

/// The latest spans of time. The answers without a time are the last group, and shown with all.
fn latest(groups: &[(String, Sum)], most: usize) -> &[(String, Sum)] {
    let dateless = groups.last().is_some_and(|(name, _)| name == UNKNOWN) && most < groups.len();
    let end = groups.len() - usize::from(dateless);
    &groups[end - most.min(end)..end]
}

/// The greatest length of a table of prices, in bytes: LiteLLM's has 1.4 MB.
const PRICES: u64 = 1 << 26;

/// The user's own table of prices, or the shipped one.
fn prices(file: Option<&Path>) -> Result<Prices, Failure> {
    let Some(path) = file else {
        let none = |why: String| Failure::Faulty(why, "please report it".into());
        return Prices::shipped().map_err(none);
    };
    let name = path.display().to_string();
    let failed = |error| Failure::File(path.to_path_buf(), error);
    let text = input::named_text(path, PRICES, "a table of prices")?;
    let changed = std::fs::metadata(path).and_then(|about| about.modified()).map_err(failed)?;
    let table = Prices::parse(&name, &text).map(|mut prices| {
        // LiteLLM's file has no date: that of the file is at least as late.
        prices.date = prices.date.or_else(|| crate::environment::day(changed));
        prices
    });
    table.map_err(|why| {
        let hint = "it is an object of models, each with `input_cost_per_token` and \
                    `output_cost_per_token` in US dollars";
        Failure::Refused(format!("{name}: {why}"), hint.into())
    })
}

/// The usages that the filter takes.
fn kept<'u>(usage: &'u Usage, filter: &Filter) -> impl Iterator<Item = Spent<'u>> {
    usage.spent().filter(|spent| filter.takes_spent(spent))
}

/// The sums of the groups, in the order that the user asked for.
fn groups(
    args: &Args,
    usage: &Usage,
    filter: &Filter,
    grouping: Grouping<'_>,
) -> Vec<(String, Sum)> {
    let groups = sums(kept(usage, filter), |spent| grouping.name(spent));
    let mut groups: Vec<(String, Sum)> = groups.into_iter().collect();
    let by_time = args.key().is_time();
    let sort = args.sort.unwrap_or(if by_time { Sort::Name } else { Sort::Cost });
    match sort {
        Sort::Name => {}
        Sort::Total => groups.in_order_by_key(|(_, sum)| Reverse(sum.tokens.total())),
        Sort::Cost => groups.in_order_by_key(|(_, sum)| {
            Reverse((sum.listed.max(sum.recorded), sum.tokens.total()))
        }),
    }
    groups
}

/// Warns about files, rows and counters that could not be read and so are in no sum.
pub(crate) fn unread(
    usage: &Usage,
    skipped: &[Skipped],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let mut outcome = crate::notes::warn(skipped, color, env)?;
    let mut notes = errors(color, env);
    let is_said = |file: &&Unread| {
        let failures = skipped.iter().filter(|skipped| skipped.why.is_failure());
        failures
            .filter(|skipped| skipped.path == file.path)
            .any(|skipped| skipped.why.to_string().ends_with(&file.why))
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

fn header(by: By) -> Vec<Line> {
    let names = [
        "ANSWERS",
        "INPUT",
        "CACHE READ",
        "CACHE WRITE",
        "OUTPUT",
        "REASONING",
        "TOTAL",
        "RECORDED",
        "LIST PRICE",
    ];
    let by = Line::new().tell(Style::Faint, &by.word().to_uppercase());
    let names = names.map(|name| Line::new().say(Style::Faint, name));
    [by].into_iter().chain(names).collect()
}

/// The cells of a group, with numbers of tokens in this form.
fn row(name: Plain, sum: &Sum, form: fn(u64) -> String) -> Vec<Line> {
    let tokens = &sum.tokens;
    let number = |number: Option<u64>| match number {
        Some(number) => Line::new().tell(Style::Normal, &form(number)),
        None => Line::new().say(Style::Faint, "-"),
    };
    vec![
        Line::new().put(Style::Name, name),
        answers(sum),
        number(tokens.input),
        number(tokens.cache_read),
        number(tokens.cache_write),
        number(tokens.output),
        number(tokens.reasoning),
        Line::new().tell(Style::Strong, &form(tokens.total())),
        cost(recorded(sum), sum.without_recorded),
        cost(sum.listed, sum.without_listed),
    ]
}

/// The recorded cost. That some answers cost nothing says nothing of those that record no cost.
fn recorded(sum: &Sum) -> Option<Money> {
    sum.recorded.filter(|cost| cost.0 != 0 || sum.without_recorded == 0)
}

/// Number of answers; `+ ?` if some sessions record only a sum.
fn answers(sum: &Sum) -> Line {
    match (sum.answers, sum.wholes) {
        (answers, 0) => Line::new().tell(Style::Normal, &human::count(answers)),
        (0, _) => Line::new().say(Style::Faint, "-"),
        (answers, _) => Line::new().tell(Style::Normal, &format!("{} + ?", human::count(answers))),
    }
}

/// A cost; `+ ?` if some answers have none.
fn cost(cost: Option<Money>, without: u64) -> Line {
    match cost {
        None => Line::new().say(Style::Faint, "-"),
        Some(cost) => {
            let more = if without > 0 { " + ?" } else { "" };
            Line::new().tell(Style::Normal, &format!("{cost}{more}"))
        }
    }
}
