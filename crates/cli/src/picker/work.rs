//! The work that takes longer than a key may wait: lists, and the commands whose output the picker
//! draws. Each job has a thread of its own; the picker takes the news between two keys.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, Sender, channel};

use catalog::{Catalog, Entry, Machine};
use operations::usage::Sum;
use ratatui::text::Line;
use serde_json::Value;
use session::UtcTime;

use super::growth::{self, Growth};
use super::styled;
use crate::environment::Environment;
use crate::title::shorten;

/// Runs a command of this program: its arguments begin with the program's name.
pub(crate) type Runner = fn(Vec<OsString>, &mut Environment<'_>) -> u8;

/// Names a text that the picker shows: the session, and the way it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TextName {
    pub uid: String,
    pub way: String,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// Draw the output of a command.
    Text { name: TextName, args: Vec<String>, width: usize },
    /// Find sessions by their texts.
    Search(Vec<String>),
    /// Do something, and tell these words if it went well, else the last line of the command.
    Do { args: Vec<String>, done: String },
}

/// Something that is done.
#[derive(Debug)]
pub(super) enum News {
    /// The sessions: the newest ones, or all.
    Listed { entries: Vec<Entry>, whole: bool },
    /// The lines of a text.
    Text { name: TextName, lines: Vec<Line<'static>> },
    /// The sessions with a text, each with the number of its hits; `least` if there may be more.
    Found { words: Vec<String>, counts: HashMap<String, usize>, least: bool },
    /// The cost of sessions in words, by their uids.
    Cost(HashMap<String, String>),
    /// Sessions that are new or have grown.
    Grown(Growth),
    /// A sentence for the last line of the screen.
    Said(String),
}

/// Greatest number of sessions that a search finds.
const FOUND: usize = 500;

/// The number of files of which the first screen is made, if there are many more.
const FIRST: usize = 48;

/// Starts jobs, and collects their news.
pub(super) struct Worker {
    context: Context,
    sender: Sender<News>,
    receiver: Receiver<News>,
}

/// The things that a thread needs to run a command.
#[derive(Clone)]
struct Context {
    machine: Machine,
    /// The machine as lists need it.
    listed: Machine,
    now: UtcTime,
    runner: Runner,
    no_index: bool,
    can_color: bool,
}

impl Worker {
    pub(super) fn new(
        env: &Environment<'_>,
        runner: Runner,
        (no_index, can_color): (bool, bool),
    ) -> Self {
        let (sender, receiver) = channel();
        let context = Context {
            machine: env.machine.clone(),
            listed: env.catalog().machine,
            now: env.now,
            runner,
            no_index,
            can_color,
        };
        Self { context, sender, receiver }
    }

    /// Something that is done, if anything is.
    pub(super) fn news(&mut self) -> Option<News> {
        self.receiver.try_recv().ok()
    }

    /// Lists the newest sessions, and then all, and looks for growth from then on.
    pub(super) fn list(&self) {
        let catalog = Catalog { formats: formats::ALL, machine: self.context.listed.clone() };
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            let newest = catalog.list_first(FIRST, &mut |newest| !newest.is_empty());
            let mut entries = newest.entries;
            entries.iter_mut().for_each(shorten);
            let _ = sender.send(News::Listed { entries, whole: false });
            let brief = |entry: &mut Entry| shorten(entry);
            let mut entries = catalog.list_with(&[], false, &brief).entries;
            operations::add_listed_titles(&catalog, &mut entries);
            let watched = growth::Watched::of(&catalog, &entries);
            let _ = sender.send(News::Listed { entries, whole: true });
            if catalog.machine.index.is_some() {
                let _ = sender.send(News::Cost(costs(&catalog)));
            }
            growth::watch(&catalog, watched, &sender);
        });
    }

    /// Starts a job. Nobody waits for its end: what is not wanted any more is dropped.
    pub(super) fn start(&self, job: Job) {
        let (context, sender) = (self.context.clone(), self.sender.clone());
        std::thread::spawn(move || {
            let _ = sender.send(context.done(job));
        });
    }
}

impl Context {
    fn done(&self, job: Job) -> News {
        match job {
            Job::Text { name, args, width } => {
                let (_, out, err) = self.run(&args, width);
                let lines = [err, out].concat();
                News::Text { name, lines: styled::lines(&lines, self.can_color) }
            }
            Job::Search(words) => {
                let mut args: Vec<String> =
                    ["search", "--json", "--all-projects", "-n"].map(String::from).into();
                args.extend([FOUND.to_string(), "--".into()]);
                args.extend(words.iter().cloned());
                let (_, out, _) = self.run(&args, 100);
                let (counts, least) = found(&out);
                News::Found { words, counts, least }
            }
            Job::Do { args, done } => {
                let (code, out, err) = self.run(&args, 10_000);
                let told = || last_line(&err).or_else(|| last_line(&out)).unwrap_or_default();
                News::Said(if code == 0 { done } else { told() })
            }
        }
    }

    /// Runs a command. Returns its exit code and what it printed.
    fn run(&self, args: &[String], width: usize) -> (u8, Vec<u8>, Vec<u8>) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut words: Vec<OsString> =
            ["verbatim", "--no-pager", "--color", "always"].map(OsString::from).into();
        words.extend(self.no_index.then(|| "--no-index".into()));
        words.extend(args.iter().map(OsString::from));
        let mut env = Environment {
            formats: formats::ALL,
            machine: self.machine.clone(),
            now: self.now,
            input: &mut std::io::empty(),
            out: &mut out,
            err: &mut err,
            width: Some(width),
            links: false,
            err_terminal: false,
        };
        let code = (self.runner)(words, &mut env);
        (code, out, err)
    }
}

/// The sessions in the output of `search --json`, each with the number of its hits.
fn found(output: &[u8]) -> (HashMap<String, usize>, bool) {
    let Ok(value) = serde_json::from_slice::<Value>(output) else { return Default::default() };
    let sessions = value["sessions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let count = |of: &Value| {
        let hits = of["hits"].as_array().map_or(0, Vec::len);
        Some((of["uid"].as_str()?.to_owned(), hits))
    };
    (sessions.iter().filter_map(count).collect(), value["at_least"] == true)
}

/// The cost of each session in words: by the agent's own record, else by list prices.
fn costs(catalog: &Catalog<'_>) -> HashMap<String, String> {
    let sums = operations::usage::of_sessions(catalog, &[]).unwrap_or_default();
    let words = |(uid, sum): (String, Sum)| Some((uid, sum.price()?));
    sums.into_iter().filter_map(words).collect()
}

/// The last line of an output that says something, without its styles.
fn last_line(output: &[u8]) -> Option<String> {
    let lines = styled::lines(output, false);
    let mut said = lines.iter().rev().map(styled::text);
    said.find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned())
}
