//! `verbatim blame`: the session, the turn and the model that last wrote each line of a file.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use api::blame::BlameLines;
use operations::blame::commits::{LineCommits, commits};
use operations::blame::{Blame, BlameWriter, BlamedFile, LineOrigin, blame};
use session::UtcTime;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::notes::{self, say, warn};
use crate::options::Global;
use crate::resume::quote;
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::terminal::Plain;
use crate::zone::Zone;
use crate::{input, json, what};

mod porcelain;

/// Show which session, turn and model last wrote each line of a file
///
/// Replays the edits that all sessions recorded, archived ones too, up to the file as it is now. A
/// line has a writer only if a recorded edit leads to it, so that equal lines are distinguished. A
/// line that a command or a person changed after a recorded state of the file is "changed outside
/// recorded edits"; one that no recorded edit wrote is "not by an agent here". In a Git repository
/// the commit that carried a line is beside it; nothing that the repository configures is obeyed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file, and the line or the lines: `src/main.rs`, `src/main.rs:12`, `src/main.rs:12-20`,
    /// `src/main.rs:12-`
    #[arg(value_name = "FILE[:LINE[-LINE]]")]
    file: PathBuf,
    /// Write the form of `git blame --porcelain`, for programs
    #[arg(long, conflicts_with = "json")]
    porcelain: bool,
    /// The path that the file had where the sessions were recorded, if it was moved since or they
    /// come from another machine (may be repeated)
    #[arg(long, value_name = "PATH")]
    recorded_as: Vec<PathBuf>,
    /// Leave the commits out, and start no `git`
    #[arg(long)]
    no_commits: bool,
    /// Use UTC instead of the local time zone
    #[arg(long)]
    utc: bool,
    /// Look for sessions in this folder instead of the agents' own folders
    #[arg(short = 'C', long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
}

/// The digits of a line that no session wrote.
const ZEROS: &str = "0000000000000000000000000000000000000000";

/// The answer, with the file that it is about.
struct Answer<'a> {
    blame: &'a Blame,
    /// The file as it was asked for, and the lines of it that were.
    file: String,
    range: Range<usize>,
    lines: Vec<&'a str>,
    /// When the file was last written.
    written: UtcTime,
    commits: Option<&'a [Option<String>]>,
    zone: Zone,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let (path, asked) = asked(&args.file)?;
    what::exist(&args.within, &Select::default())?;
    let bytes = input::named_bytes(&path, BlamedFile::LONGEST, "a file of text")?;
    is_text(&path, &bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = replay::lines(&text);
    let range = within(asked, lines.len(), &path)?;
    let fault = |error| Failure::File(path.clone(), error);
    let mut file = BlamedFile::at(&path, text.to_string(), &env.machine).map_err(fault)?;
    file.paths.extend(args.recorded_as.iter().cloned());
    let blame = blame(&env.catalog(), &args.within, &file)?;
    let whole = file.paths.first().cloned().unwrap_or_else(|| path.clone());
    let told = match args.no_commits {
        true => LineCommits::NoRepository,
        false => commits(&whole, &text, &env.machine),
    };
    let known = match &told {
        LineCommits::Known(commits) => Some(commits.as_slice()),
        _ => None,
    };
    let written = written(&path).unwrap_or(env.now);
    let file = path.to_string_lossy().into_owned();
    let zone = Zone::of(env, args.utc);
    let answer = Answer { blame: &blame, file, range, lines, written, commits: known, zone };
    if args.porcelain {
        porcelain::write(&answer, env)?;
    } else if global.json {
        let commits = match &told {
            LineCommits::Unknown(why) => Err(&**why),
            _ => Ok(known),
        };
        let lines = (&*answer.lines, answer.range.clone());
        json::write(env.out, &BlameLines::of(&blame, &answer.file, lines, commits))?;
    } else {
        answer.print(color, env)?;
    }
    if let (LineCommits::Unknown(why), false) = (&told, global.json) {
        say(Plain::line(&format!("note: the commits of the lines are not known: {why}")), env)?;
    }
    if !global.json {
        unplaced(&blame, env)?;
    }
    notes::unread(&blame.damaged, env)?;
    warn(&blame.skipped, color, env)
}

/// Names the edits whose lines can't be placed.
fn unplaced(blame: &Blame, env: &mut Environment<'_>) -> io::Result<()> {
    let count = blame.unplaced.len();
    if count == 0 {
        return Ok(());
    }
    let edits = counted(count as u64, "recorded edit", "recorded edits");
    say(Plain::line(&format!("note: {edits} of the file can't be placed")), env)?;
    for edit in blame.unplaced.iter().take(5) {
        let text = format!("  {} turn {}: {}", edit.by.uid, edit.by.turn, edit.why);
        say(Plain::words(&text), env)?;
    }
    match count.checked_sub(5).filter(|more| *more > 0) {
        Some(more) => say(Plain::words(&format!("  and {more} more: `--json` has them")), env),
        None => Ok(()),
    }
}

/// Lines that were asked for, both from 1; without a last one, all that follow.
type Asked = (usize, Option<usize>);

/// The file that was asked for, and the lines.
fn asked(name: &Path) -> Result<(PathBuf, Option<Asked>), Failure> {
    if name.exists() {
        return Ok((name.to_path_buf(), None));
    }
    let text = name.to_string_lossy();
    let missing = || Failure::NoFile(name.display().to_string());
    let (file, lines) = text.rsplit_once(':').ok_or_else(missing)?;
    let file = PathBuf::from(file);
    match parsed(lines) {
        Some(lines) if file.exists() => Ok((file, Some(lines))),
        None if file.exists() => {
            let what = format!("`{lines}` is neither a line nor lines of {}", file.display());
            Err(Failure::Usage(what, "write `:12`, `:12-20` or `:12-`".into()))
        }
        Some(_) => Err(Failure::NoFile(file.display().to_string())),
        None => Err(missing()),
    }
}

/// The lines that `12`, `12-20` and `12-` mean.
fn parsed(lines: &str) -> Option<Asked> {
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
    Some((first.parse().ok()?, last))
}

/// The indexes of the lines that were asked for.
fn within(asked: Option<Asked>, count: usize, path: &Path) -> Result<Range<usize>, Failure> {
    let Some((first, last)) = asked else { return Ok(0..count) };
    let last = last.unwrap_or(count.max(first));
    if first == 0 || first > last || last > count {
        let what = format!("{} has no lines {first} to {last}", path.display());
        let hint = format!("it has {}", counted(count as u64, "line", "lines"));
        return Err(Failure::Usage(what, hint));
    }
    Ok(first - 1..last)
}

/// Refuses bytes that are no text, by the rule of `git`: a zero byte near the beginning.
fn is_text(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    match bytes.iter().take(8000).position(|byte| *byte == 0) {
        None => Ok(()),
        Some(at) => Err(Failure::Refused(
            format!("{} is no text: byte {at} is zero", path.display()),
            "name a file of text; `attribution` has the edits of a session".into(),
        )),
    }
}

/// When a file was last written.
fn written(path: &Path) -> Option<UtcTime> {
    let since = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(UtcTime)
}

impl Answer<'_> {
    /// The writer of a line.
    fn writer(&self, at: usize) -> Option<&BlameWriter> {
        match self.blame.lines.get(at) {
            Some(LineOrigin::Written(writer)) => self.blame.writers.get(*writer),
            _ => None,
        }
    }

    /// The words for a line without a writer.
    fn nobody(&self, at: usize) -> &'static str {
        let origin = self.blame.lines.get(at).copied().unwrap_or(LineOrigin::Nobody);
        origin.words().unwrap_or_default()
    }

    /// The columns of `git blame`: the digits, who wrote the line, when, its number, its text.
    fn print(&self, color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
        let terminal = env.width.is_some();
        let whos: Vec<Plain> = self.range.clone().map(|at| self.who(at)).collect();
        let wide = whos.iter().map(Plain::width).max().unwrap_or(0);
        let digits = self.range.end.to_string().len();
        let mut screen = Screen::new(env.out, color, env.width);
        for (at, who) in self.range.clone().zip(whos) {
            let by = self.writer(at);
            let id = by.map_or_else(|| ZEROS.to_owned(), BlameWriter::digits);
            let mut line = Line::new().tell(Style::Name, &id[..SHORT]);
            if let Some(commits) = self.commits {
                let commit = commits.get(at).and_then(Option::as_deref).unwrap_or(ZEROS);
                let commit = commit.get(..SHORT).unwrap_or(commit);
                line = line.say(Style::Normal, " ").tell(Style::Faint, commit);
            }
            let room = " ".repeat(wide - who.width());
            let time = self.zone.stamp(by.and_then(|by| by.time).unwrap_or(self.written));
            let style = if by.is_some() { Style::Normal } else { Style::Faint };
            let behind = format!("{room} {time} {:>digits$}) ", at + 1);
            line = line.say(Style::Faint, " (").put(style, who);
            line = line.put(Style::Faint, Plain::words(&behind));
            let text = self.lines[at].strip_suffix('\r').unwrap_or(self.lines[at]);
            screen.before(&line, text)?;
        }
        if terminal { self.legend(&mut screen) } else { Ok(()) }
    }

    /// The writer of a line: the agent, the session, the turn, the model.
    fn who(&self, at: usize) -> Plain {
        let Some(by) = self.writer(at) else { return Plain::ours(self.nobody(at)) };
        let model = by.model.as_deref().unwrap_or("unknown model");
        Plain::line(&format!("{} turn {} {model}", short(by), by.turn))
    }

    /// The turns that wrote the lines, each with its prompt and the command that shows it.
    fn legend(&self, screen: &mut Screen<'_>) -> Result<(), Failure> {
        let mut told: Vec<String> = Vec::new();
        for by in self.range.clone().filter_map(|at| self.writer(at)) {
            let id = by.digits();
            if told.contains(&id) {
                continue;
            }
            if told.is_empty() {
                screen.gap()?;
            }
            let line = Line::new().tell(Style::Name, &id[..SHORT]).say(Style::Normal, " ");
            let prompt = by.prompt.as_deref().unwrap_or("(no prompt)");
            screen.line(&line.put(Style::Strong, Plain::line(prompt)).fit(screen.width))?;
            let uid = quote::words(std::slice::from_ref(&by.uid));
            let show = format!("         verbatim show {uid} --from {} --all", by.turn);
            screen.line(&Line::new().command(Style::Faint, &show))?;
            told.push(id);
        }
        Ok(())
    }
}

/// Number of digits that are shown.
const SHORT: usize = 8;

/// The agent and the beginning of the session's id.
fn short(by: &BlameWriter) -> String {
    let id = by.uid.split_once(':').map_or(&*by.uid, |(_, id)| id);
    let id: String = id.chars().take(SHORT).collect();
    format!("{}:{id}", by.format)
}
