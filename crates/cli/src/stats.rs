//! `verbatim stats`: the history of this machine on one screen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use api::stats::{Counted, StatsDocument, ranked};
use catalog::Skipped;
use operations::placing::Desk;
use operations::stats::Stats;
use operations::usage::price::Prices;
use operations::usage::{Sum, Usage, sums};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{count, counted};
use crate::options::Global;
use crate::progress::Progress;
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::terminal::Plain;
use crate::{json, notes, usage, what};

mod picture;
mod year;

use year::Year;

/// Show this machine's history on one screen: sessions, turns, tokens, money, tools, languages
///
/// Counts each turn, call and answer once, whatever its copies; sessions in the archive alone are
/// among them. LIST PRICE is what the tokens cost at the list prices of their models. Lines are
/// those that sessions wrote and left at their ends. The map shows the turns of each day of the
/// last year.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders, files, session ids, `@`, `last` (default: all sessions of this machine)
    #[arg(value_name = "WHAT")]
    what: Vec<PathBuf>,
    #[command(flatten)]
    select: Select,
    /// Write the same as a picture to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace an existing file; an agent's own files are never replaced
    #[arg(long, requires = "svg")]
    force: bool,
}

/// Names that are shown of each kind.
const SHOWN: usize = 6;

/// Width of what goes into a pipe, in columns.
const PIPE: usize = 80;

/// The numbers that are shown.
struct Shown {
    stats: Stats,
    /// The answers, with what could not be read.
    usage: Usage,
    skipped: Vec<Skipped>,
    all: Sum,
    models: BTreeMap<String, u64>,
    days: BTreeMap<String, u64>,
    year: Year,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    crate::input::only_files(&args.what)?;
    let shown = shown(args, env)?;
    if let Some(path) = &args.svg {
        let text = picture::svg(&shown.headline(), &shown.lists(), &shown.year);
        let (catalog, state) = (env.catalog(), env.machine.state());
        let owner = |path: &Path| catalog.owner(path);
        let mut writer = store::Writer::new(path, args.force, &owner).noting(state);
        writer.begin(&["stats.svg"])?;
        writer.file("stats.svg", &mut |sink| sink.write_all(text.as_bytes()))?;
        let saved = std::mem::take(&mut writer.saved);
        notes::wrote(&saved, env)?;
        for line in usage::notes::not_read(&shown.usage) {
            notes::say(Plain::line(&format!("note: {line}")), env)?;
        }
    }
    if global.json {
        let Shown { stats, all, models, days, .. } = &shown;
        let unread: BTreeSet<&Path> = shown.usage.unread().map(|file| &*file.path).collect();
        let unread = unread.len() as u64;
        json::write(
            env.out,
            &StatsDocument::of(stats, all, models, days).without(unread, shown.usage.damaged()),
        )?;
    } else if args.svg.is_none() {
        print(&shown, &mut Screen::new(env.out, color, env.width))?;
    }
    if shown.stats.sessions.is_empty() && !global.json {
        notes::nothing(&args.what, &args.select, "stats", env)?;
    }
    usage::unread(&shown.usage, &shown.skipped, color, env)
}

fn shown(args: &Args, env: &mut Environment<'_>) -> Result<Shown, Failure> {
    let (filter, zone) = (args.select.filter(env)?, args.select.zone(env));
    let (found, mut usage) = what::spent(&args.what, &args.select, env)?;
    let shipped = Prices::shipped().map_err(|why| Failure::Faulty(why, "please report it".into()));
    usage.price(&shipped?);
    let length = found.sources.iter().map(catalog::Source::length).sum();
    // Where nothing is remembered, nothing was placed.
    let placed = {
        let catalog = env.catalog();
        let desk = Desk::new(&catalog, None);
        desk.and_then(|mut desk| desk.copies()).unwrap_or_default()
    };
    let stats = {
        let progress = Progress::new(env.err, env.err_terminal, found.sources.len(), length);
        let span = (filter.since, filter.until);
        let job = &env.machine.job;
        operations::stats::stats(job, (&found, &placed), span, &|bytes| progress.step(bytes))?
    };
    let kept = || usage.spent().filter(|spent| filter.takes_spent(spent));
    let all = sums(kept(), |_| String::new()).into_values().next().unwrap_or_default();
    let models = sums(kept(), |spent| spent.model.unwrap_or("unknown").to_owned());
    let models = models.into_iter().map(|(name, sum)| (name, sum.tokens.total()));
    let mut days: BTreeMap<String, u64> = BTreeMap::new();
    for day in stats.turns.iter().filter_map(|time| zone.day(*time)) {
        *days.entry(day.to_string()).or_default() += 1;
    }
    let last = filter.until.map_or(env.now, |until| until.min(env.now));
    let year = Year::of(&days, zone.day(last));
    Ok(Shown { all, models: models.collect(), days, year, stats, usage, skipped: found.skipped })
}

impl Shown {
    /// The numbers of the first lines.
    fn headline(&self) -> Vec<(String, &'static str)> {
        let turns = self.stats.turns.len() as u64 + self.stats.undated;
        let mut numbers = vec![
            (self.stats.sessions.values().sum(), "session", "sessions"),
            (turns, "turn", "turns"),
            (self.stats.tools.values().sum(), "call", "calls"),
            (self.stats.languages.values().sum(), "line", "lines"),
            (self.all.tokens.total(), "token", "tokens"),
        ]
        .into_iter()
        .map(|(number, one, many)| (count(number), if number == 1 { one } else { many }))
        .collect::<Vec<_>>();
        if let Some(listed) = self.all.listed {
            let more = if self.all.without_listed > 0 { " + ?" } else { "" };
            numbers.push((format!("{listed}{more}"), "list price"));
        }
        numbers
    }

    /// The lists of names, the greatest first.
    fn lists(&self) -> [(&'static str, Vec<Counted>); 4] {
        [
            ("AGENTS (sessions)", ranked(&self.stats.sessions)),
            ("MODELS (tokens)", ranked(&self.models)),
            ("TOOLS (calls)", ranked(&self.stats.tools)),
            ("LANGUAGES (lines)", ranked(&self.stats.languages)),
        ]
    }
}

fn print(shown: &Shown, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let width = screen.width.unwrap_or(PIPE);
    let mut line = Line::new();
    for (at, (number, name)) in shown.headline().into_iter().enumerate() {
        let between = if at > 0 { " · " } else { "" };
        line = line.say(Style::Faint, between).tell(Style::Strong, &number);
        line = line.say(Style::Normal, " ").say(Style::Normal, name);
    }
    screen.line(&line.fit(screen.width))?;
    for (title, names) in shown.lists() {
        if names.is_empty() {
            continue;
        }
        screen.gap()?;
        screen.line(&Line::new().say(Style::Faint, title))?;
        list(&names, width, screen)?;
    }
    screen.gap()?;
    year::print(&shown.year, width, screen)?;
    let turns = counted(shown.year.turns, "turn", "turns");
    let days = counted(shown.year.active, "day", "days");
    let line = format!("{turns} on {days} of the last year");
    screen.line(&Line::new().tell(Style::Faint, &line))?;
    for line in usage::notes::not_read(&shown.usage) {
        screen.line(&Line::new().tell(Style::Faint, &line))?;
    }
    Ok(())
}

/// Prints the greatest of these numbers, each with a bar.
fn list(names: &[Counted], width: usize, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let top = names.first().map_or(1, |first| first.count).max(1);
    let shown = &names[..names.len().min(SHOWN)];
    let cut = width.saturating_sub(30).clamp(12, 32);
    let bar = |number: u64, room: usize| {
        let eighths = u128::from(number) * 8 * room as u128;
        let eighths = usize::try_from(eighths.div_ceil(u128::from(top))).unwrap_or(0);
        "█".repeat(eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    };
    let longest = shown.iter().map(|one| count(one.count).len()).max().unwrap_or(0);
    let room = width.saturating_sub(cut + longest + 6).clamp(4, 40);
    for one in shown {
        let name = Plain::line(&one.name).cut(cut);
        let pad = " ".repeat(cut.saturating_sub(name.width()));
        let number = count(one.count);
        let line = Line::new()
            .say(Style::Normal, "  ")
            .put(Style::Name, name)
            .tell(Style::Normal, &format!("{pad}  {number:>longest$}  "))
            .tell(Style::Good, &bar(one.count, room));
        screen.line(&line)?;
    }
    if names.len() > SHOWN {
        let rest = &names[SHOWN..];
        let sum: u64 = rest.iter().map(|one| one.count).sum();
        let line = format!("  and {} more: {}", rest.len(), count(sum));
        screen.line(&Line::new().tell(Style::Faint, &line))?;
    }
    Ok(())
}
