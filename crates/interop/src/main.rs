//! Runs the real agents against a mock model, and compares verbatim's output with the facts.
//!
//! `install` fetches the programs. `run` needs no network and should have none. `interop/run` does
//! both.
#![forbid(unsafe_code)]

mod agent;
mod back;
mod carry;
mod cell;
mod judge;
mod kept;
mod live;
mod mended;
mod mock;
mod packages;
mod process;
mod report;
mod scenario;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use agent::{AGENTS, Agent};
use carry::matrix::Arrival;
use cell::Programs;
use report::{Report, Row};
use scenario::{CARRY, SCENARIOS, Scenario};

/// Parsed arguments.
struct Options {
    install: bool,
    json: bool,
    agents: Vec<&'static Agent>,
    scenarios: Vec<&'static Scenario>,
    cache: PathBuf,
    verbatim: PathBuf,
    keep: Option<PathBuf>,
    matrix: Option<PathBuf>,
    only: Option<String>,
    jobs: usize,
    within: Duration,
    sample: Option<u64>,
}

const USAGE: &str = "\
Usage: interop/run [AGENT|SCENARIO]... [OPTION]...

  --matrix FILE     let every agent resume the session of each scenario, and given ones;
                    write the matrix there
  --only TEXT       of the sessions that no agent writes here, those of this name only
  --json            print JSON instead of the table
  --keep FOLDER     keep what was written, asked and told there
  --jobs NUMBER     how many runs at a time
  --within SECONDS  begin no run after this time

Agents: claude-code codex gemini opencode pi qwen copilot codewhale sage
Scenarios: prompt work resume fork compact agent image error carry back mended made kept interrupt
           command skill file folder hook memory denial

Of the pairs of `back`, a run of all scenarios takes one of each agent, which SEED chooses, and of
Pi, Qwen Code and Copilot it takes `carry` alone; CI_DEEP=1 takes all.
CodeWhale and Sage run where CODEWHALE_PROGRAM and SAGE_PROGRAM name their programs.
Exit codes: 0 all is well; 1 verbatim is wrong; 2 the command line is wrong; 3 nothing could run.
";

fn options() -> Option<Options> {
    let mut words = std::env::args().skip(1);
    let mut options = Options {
        install: words.next()? == "install",
        json: false,
        agents: Vec::new(),
        scenarios: Vec::new(),
        cache: PathBuf::from("target/interop"),
        verbatim: PathBuf::from("target/debug/verbatim"),
        keep: None,
        matrix: None,
        only: None,
        within: Duration::from_secs(3600),
        sample: None,
        jobs: std::thread::available_parallelism().map_or(1, usize::from).min(4),
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => options.json = true,
            "--keep" => options.keep = Some(words.next()?.into()),
            "--matrix" => options.matrix = Some(words.next()?.into()),
            "--only" => options.only = Some(words.next()?),
            "--jobs" => options.jobs = words.next()?.parse().ok().filter(|&jobs| jobs > 0)?,
            "--within" => options.within = Duration::from_secs(words.next()?.parse().ok()?),
            "--cache" => options.cache = words.next()?.into(),
            "--verbatim" => options.verbatim = words.next()?.into(),
            name => match AGENTS.iter().find(|agent| agent.name == name) {
                Some(agent) => options.agents.push(agent),
                None => options.scenarios.push(SCENARIOS.iter().find(|s| s.name == name)?),
            },
        }
    }
    if options.agents.is_empty() {
        options.agents = AGENTS.iter().collect();
    }
    if options.scenarios.is_empty() {
        options.scenarios = SCENARIOS.iter().collect();
        options.sample = sample();
    }
    Some(options)
}

/// The seed of the sample of pairs, `SEED` or 0; with `CI_DEEP=1` all pairs are run.
fn sample() -> Option<u64> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    match std::env::var_os("CI_DEEP") {
        Some(_) => None,
        None => Some(number("SEED").unwrap_or(0)),
    }
}

/// The program of an agent, or why it can't be run.
fn program(agent: &Agent, cache: &Path) -> Result<(PathBuf, String), String> {
    let absolute = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    if let Some(package) = packages::table().iter().find(|package| package.agent == agent.name) {
        let path = package.program(cache);
        let there = path.is_file().then(|| (absolute(path), package.version.to_owned()));
        return there.ok_or_else(|| "its package could not be fetched".to_owned());
    }
    let variable = format!("{}_PROGRAM", agent.name.to_uppercase());
    let path = std::env::var_os(&variable).ok_or_else(|| format!("{variable} names no program"))?;
    Ok((absolute(path.into()), "as given".to_owned()))
}

/// Installs the packages of the agents and of Node.js. If a package can't be fetched, this is
/// reported and the package is skipped.
#[allow(clippy::print_stderr)]
fn install(options: &Options) {
    let mut packages = packages::table();
    packages.retain(|package| {
        package.agent == "node" || options.agents.iter().any(|agent| agent.name == package.agent)
    });
    std::thread::scope(|scope| {
        for package in &packages {
            scope.spawn(|| {
                if let Err(why) = package.install(&options.cache) {
                    eprintln!("skipped: {why}");
                }
            });
        }
    });
}

/// Runs every cell, several at a time, and returns their rows in the order of the agents.
fn run(options: &Options, folder: &Path) -> Report {
    let (cache, begun) = (&options.cache, Instant::now());
    let node = packages::table()
        .iter()
        .find(|package| package.agent == "node")
        .and_then(|node| fs::canonicalize(node.program(cache)).ok());
    let mut report =
        Report { rows: Vec::new(), scenarios: options.scenarios.clone(), given: Vec::new() };
    let mut waiting = VecDeque::new();
    for (row, agent) in options.agents.iter().enumerate() {
        let (version, skipped) = match program(agent, cache) {
            Ok((path, version)) => {
                for (column, scenario) in options.scenarios.iter().enumerate() {
                    if options.sample.is_some() && agent.is_deep && scenario.name != CARRY {
                        continue;
                    }
                    waiting.push_back((row, column, *agent, *scenario, path.clone()));
                }
                (version, None)
            }
            Err(why) => (String::new(), Some(why)),
        };
        let cells = options.scenarios.iter().map(|_| None).collect();
        report.rows.push(Row { agent: agent.name, version, skipped, cells });
    }
    let verbatim = fs::canonicalize(&options.verbatim).unwrap_or(options.verbatim.clone());
    let all = options.agents.iter();
    let all = all.filter_map(|agent| Some((*agent, program(agent, cache).ok()?.0))).collect();
    let matrix = options.matrix.is_some();
    let sample = options.sample;
    let programs = Programs { agent: PathBuf::new(), node, verbatim, all, matrix, sample };
    let (waiting, rows) = (Mutex::new(waiting), Mutex::new(&mut report.rows));
    let one = || {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some((row, column, agent, scenario, path)) = next else { return false };
        let programs = programs.of(agent, path);
        let place = folder.join(agent.name).join(scenario.name);
        drop(fs::remove_dir_all(&place));
        let verdict = match begun.elapsed() > options.within {
            true => cell::CellResult::Cannot(cell::LATE.to_owned()),
            false => cell::run(agent, &programs, scenario, &place),
        };
        if let Ok(mut rows) = rows.lock() {
            rows[row].cells[column] = Some(verdict);
        }
        true
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| while one() {});
        }
    });
    if matrix || options.scenarios.iter().any(|scenario| scenario.name == CARRY) {
        let late = || begun.elapsed() > options.within;
        report.given = carry_given(&programs, options, folder, &late);
    }
    report
}

/// Number of real sessions of each agent in the matrix.
const REAL: usize = 8;
/// The same in a run without a matrix.
const REAL_DAILY: usize = 1;

/// The sessions that no agent writes here: for the matrix given ones and real ones, else a few real
/// ones.
fn given(programs: &Programs, folder: &Path) -> std::io::Result<Vec<carry::sources::Given>> {
    let notes = folder.join("notes");
    fs::create_dir_all(&notes)?;
    let verbatim = judge::Verbatim::new(programs.verbatim.clone(), folder.into(), notes);
    let mut all = Vec::new();
    if programs.matrix {
        all = carry::sources::given(&verbatim, folder)?;
    }
    if let Some(shared) = carry::corpus::shared() {
        let count = if programs.matrix { REAL } else { REAL_DAILY };
        all.extend(carry::corpus::real(&verbatim, &fs::canonicalize(shared)?, count));
    }
    Ok(all)
}

/// Lets every agent resume the sessions that no agent writes here.
fn carry_given(
    programs: &Programs,
    options: &Options,
    folder: &Path,
    late: &(impl Fn() -> bool + Sync),
) -> Vec<Arrival> {
    let (folder, work) = (folder.join("given"), folder.join("given/shop"));
    let mut given = match fs::create_dir_all(&work).and_then(|()| given(programs, &folder)) {
        Ok(given) => given,
        Err(error) => {
            let why = Some(format!("the given sessions can't be made: {error}"));
            return vec![Arrival { why, ..Arrival::default() }];
        }
    };
    given.retain(|given| options.only.as_deref().is_none_or(|only| given.is_named(only)));
    let (next, arrivals) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let one = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(given) = given.get(at).filter(|_| !late()) else { return false };
        let found = carry::carried(&given.source(&work), programs, &folder.join(at.to_string()));
        arrivals.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        true
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| while one() {});
        }
    });
    arrivals.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|word| word == "help") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let Some(options) = options() else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    if options.install {
        install(&options);
        return ExitCode::SUCCESS;
    }
    let temporary = match tempfile::Builder::new().prefix("interop-").tempdir() {
        Ok(temporary) => temporary,
        Err(error) => {
            eprintln!("no temporary folder: {error}");
            return ExitCode::from(3);
        }
    };
    let folder = options.keep.clone().unwrap_or_else(|| temporary.path().to_owned());
    let folder = fs::create_dir_all(&folder).and_then(|()| fs::canonicalize(&folder));
    let Ok(folder) = folder else {
        eprintln!("the folder of --keep can't be made");
        return ExitCode::from(3);
    };
    let report = run(&options, &folder);
    if let Some(path) = &options.matrix
        && let Err(error) = fs::write(path, report.to_matrix())
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(3);
    }
    if options.json {
        println!("{:#}", report.to_json());
    } else {
        print!("{}", report.to_text());
    }
    ExitCode::from(u8::from(report.is_wrong()))
}
