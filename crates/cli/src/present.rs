//! `verbatim redact --signed`: a signed record of which parts are withheld, and the proof of the
//! others.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use operations::attest::{Presentation, SignedRecord, Withheld};
use redact::Redactor;
use serde::Serialize;
use store::Writer;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::notes::say;
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{json, notes, redaction};

/// A part that the user withholds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Entries, the first and the last one.
    Entries(u64, u64),
    /// A field of an entry.
    Field(u64, String),
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
        let read = if let Some((entry, name)) = text.split_once('/') {
            number(entry).map(|entry| Self::Field(entry, name.to_owned()))
        } else if let Some((first, last)) = text.split_once("..") {
            let both = number(first).zip(number(last)).filter(|(first, last)| first <= last);
            both.map(|(first, last)| Self::Entries(first, last))
        } else {
            number(text).map(|entry| Self::Entries(entry, entry))
        };
        read.ok_or_else(|| {
            "a part is an entry (`3`), a range (`3..7`) or a field (`3/content`)".into()
        })
    }
}

/// A request for a presentation.
pub(crate) struct Request<'r> {
    /// The signed record.
    pub(crate) record: &'r Path,
    /// The parts that the user withholds.
    pub(crate) parts: &'r [Part],
    /// Whether an existing file is replaced.
    pub(crate) force: bool,
    /// The redactor that finds more to withhold.
    pub(crate) redactor: &'r Redactor,
}

/// The result.
#[derive(Serialize)]
struct PresentResult {
    schema: &'static str,
    file: String,
    entries: u64,
    withheld_entries: Vec<u64>,
    withheld_fields: Vec<String>,
    withheld_members: Vec<String>,
    repeated_in: Vec<u64>,
}

pub(crate) fn run(
    request: &Request<'_>,
    output: Option<&str>,
    (global, color): (Global, bool),
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let output = redaction::output(output, env)?.to_owned();
    if global.json && output == "-" {
        let what = "`--json` prints the report, and standard output has the record".to_owned();
        return Err(Failure::Usage(what, "name a file: `-o FILE`".into()));
    }
    let record = SignedRecord::open(request.record)?;
    let named = named(request.parts, record.entries())?;
    let made = record.present(&named, request.redactor, &env.catalog())?;
    tell(&made, &named, record.entries(), env)?;
    let file = write(request, &made, &output, env)?;
    if global.json {
        json::write(env.out, &result(&file, &made.withheld, record.entries(), &made))?;
    } else if output != "-" {
        let mut screen = Screen::new(env.out, color, env.width);
        let text = format!("wrote {}", file.display());
        screen.line(&Line::new().put(Style::Normal, Plain::line(&text)))?;
        let text = format!("`verbatim verify {}` proves what it shows", file.display());
        screen.line(&Line::new().put(Style::Faint, Plain::line(&text)))?;
    }
    Ok(Exit::Good)
}

/// The parts that the user names.
fn named(parts: &[Part], entries: u64) -> Result<Withheld, Failure> {
    let mut named = Withheld::default();
    for part in parts {
        match part {
            Part::Entries(_, last) if *last > entries => {
                let what = format!("the record has no entry {last}: it has {entries}");
                return Err(Failure::Usage(what, "entries are counted from 1".into()));
            }
            Part::Entries(first, last) => named.entries.extend(*first..=*last),
            Part::Field(entry, name) => {
                named.fields.entry(*entry).or_default().insert(name.clone());
            }
        }
    }
    Ok(named)
}

/// Says what is withheld, before anything is written.
fn tell(
    made: &Presentation,
    named: &Withheld,
    entries: u64,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let fields = |it: &Withheld| it.fields.values().map(|names| names.len() as u64).sum::<u64>();
    let count = |it: &Withheld| it.entries.len() as u64;
    let (own, all) = (named, &made.withheld);
    let found = (count(all) - count(own), fields(all).saturating_sub(fields(own)));
    let text = format!(
        "withheld: {} and {} that you name, {} and {} more, and {} of the record itself, of {}",
        counted(count(own), "entry", "entries"),
        counted(fields(own), "field", "fields"),
        counted(found.0, "entry", "entries"),
        counted(found.1, "field", "fields"),
        counted(all.frame.len() as u64, "member", "members"),
        counted(entries, "entry", "entries"),
    );
    say(Plain::line(&text), env)?;
    if !made.twins.is_empty() {
        let named = |number: &u64| match number {
            0 => "outside of the entries".to_owned(),
            number => number.to_string(),
        };
        let some: Vec<String> = made.twins.iter().take(20).map(named).collect();
        let more = made.twins.len().saturating_sub(some.len());
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        let text = format!(
            "note: a text that is withheld is in entries that are shown too: {}{more}",
            some.join(", ")
        );
        say(Plain::line(&text), env)?;
    }
    Ok(())
}

/// Writes the file, or standard output; returns its path.
fn write(
    request: &Request<'_>,
    made: &Presentation,
    output: &str,
    env: &mut Environment<'_>,
) -> Result<PathBuf, Failure> {
    if output == "-" {
        env.out.write_all(made.text.as_bytes())?;
        return Ok(PathBuf::from(output));
    }
    let catalog = env.catalog();
    let owner = |path: &Path| catalog.owner(path);
    let path = Path::new(output);
    if path.is_dir() {
        let what = format!("{} is a folder", path.display());
        return Err(Failure::Usage(what, "name a file: `-o FILE`".into()));
    }
    let mut writer = Writer::new(path, request.force, &owner).noting(catalog.machine.state());
    writer.begin(&["file"])?;
    writer.file("file", &mut |sink| sink.write_all(made.text.as_bytes()))?;
    notes::made(&writer.saved, env)?;
    Ok(path.to_path_buf())
}

fn result(file: &Path, withheld: &Withheld, entries: u64, made: &Presentation) -> PresentResult {
    let fields = withheld.fields.iter();
    let fields =
        fields.flat_map(|(entry, names)| names.iter().map(move |it| format!("{entry}/{it}")));
    PresentResult {
        schema: "verbatim-present-1",
        file: file.display().to_string(),
        entries,
        withheld_entries: withheld.entries.iter().copied().collect(),
        withheld_fields: fields.collect(),
        withheld_members: withheld.frame.iter().cloned().collect(),
        repeated_in: made.twins.iter().copied().collect(),
    }
}
