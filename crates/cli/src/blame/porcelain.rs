//! The form of `git blame --porcelain`, which other programs parse.

use std::collections::HashMap;
use std::io;

use operations::blame::BlameWriter;
use session::UtcTime;
use views::visible::{Space, visible};

use super::{Answer, ZEROS};
use crate::environment::Environment;
use crate::terminal::Plain;

/// Writes the lines. A turn is in the place of a commit, and its facts are written once.
pub(super) fn write(answer: &Answer<'_>, env: &mut Environment<'_>) -> io::Result<()> {
    let ids: Vec<String> = answer.range.clone().map(|at| id(answer, at)).collect();
    let mut latest: HashMap<&str, UtcTime> = HashMap::new();
    for (at, id) in answer.range.clone().zip(&ids) {
        if let Some(time) = answer.writer(at).and_then(|by| by.time) {
            let last = latest.entry(id).or_insert(time);
            *last = time.max(*last);
        }
    }
    let mut told: HashMap<&str, &str> = HashMap::new();
    let first = answer.range.start;
    let mut begun: Option<(&str, &str)> = None;
    for (at, id) in answer.range.clone().zip(&ids) {
        let nobody = if answer.writer(at).is_some() { "" } else { answer.nobody(at) };
        let number = at + 1;
        if begun == Some((id, nobody)) {
            writeln!(env.out, "{id} {number} {number}")?;
        } else {
            let same = |other: &usize| {
                ids[other - first] == *id && answer.nobody(*other) == answer.nobody(at)
            };
            let count = (at..answer.range.end).take_while(same).count();
            writeln!(env.out, "{id} {number} {number} {count}")?;
        }
        begun = Some((id, nobody));
        // Lines without a writer have one name and two reasons: each is written where it begins.
        if told.insert(id, nobody) != Some(nobody) {
            let time = latest.get(&**id).copied().unwrap_or(answer.written);
            facts(answer, (answer.writer(at), nobody), time, env)?;
        }
        let text = answer.lines[at];
        match env.width {
            Some(_) => writeln!(env.out, "\t{}", visible(text, Space::File))?,
            None => writeln!(env.out, "\t{text}")?,
        }
    }
    Ok(())
}

fn id(answer: &Answer<'_>, at: usize) -> String {
    answer.writer(at).map_or_else(|| ZEROS.to_owned(), BlameWriter::digits)
}

/// The facts of a turn, in the place of those of a commit.
fn facts(
    answer: &Answer<'_>,
    (by, nobody): (Option<&BlameWriter>, &str),
    time: UtcTime,
    env: &mut Environment<'_>,
) -> io::Result<()> {
    let name = by.map(|by| match &by.model {
        Some(model) => format!("{} {model}", by.format),
        None => by.format.to_owned(),
    });
    let name = Plain::line(name.as_deref().unwrap_or(nobody));
    // Angle brackets end an address.
    let mail = by.map_or("nobody", |by| &*by.uid).replace(['<', '>'], "");
    let summary = by.map_or(nobody, |by| by.prompt.as_deref().unwrap_or("(no prompt)"));
    let (seconds, zone) = (time.0.div_euclid(1_000_000), answer.zone.hours(time));
    for role in ["author", "committer"] {
        writeln!(env.out, "{role} {name}\n{role}-mail <{}>", Plain::line(&mail))?;
        writeln!(env.out, "{role}-time {seconds}\n{role}-tz {zone}")?;
    }
    writeln!(env.out, "summary {}", Plain::line(summary))?;
    writeln!(env.out, "filename {}", Plain::line(&answer.file))
}
