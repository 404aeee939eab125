//! Output of `verbatim log`: rows of JSON, and the lines of a checked head.

use operations::attest::{CheckedHead, HeadVerdict, LogState};
use serde::Serialize;
use session::UtcTime;

use super::SCHEMA;
use crate::environment::Environment;
use crate::exit::Failure;
use crate::json;
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// A result, as it is printed.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Shown {
    Appended { schema: &'static str, entries: Vec<AppendedRow> },
    Head { schema: &'static str, origin: String, size: u64, checkpoint: String, line: String },
    Proven { schema: &'static str, file: String, index: u64, size: u64, receipt: String },
    Checked(CheckedRow),
}

#[derive(Serialize)]
pub(super) struct AppendedRow {
    pub(super) file: String,
    pub(super) index: u64,
}

#[derive(Serialize)]
pub(super) struct CheckedRow {
    pub(super) schema: &'static str,
    pub(super) verdict: &'static str,
    pub(super) signed_by: Option<String>,
    pub(super) head_size: u64,
    pub(super) size: u64,
    pub(super) witnesses: Vec<String>,
}

/// The verdict in a word, and what it means.
fn told(checked: &CheckedHead, size: u64) -> (&'static str, String) {
    let carried = checked.head.size;
    match checked.verdict {
        HeadVerdict::Consistent => {
            ("consistent", format!("the {carried} entries of the head are the first of {size}"))
        }
        HeadVerdict::OtherLog => (
            "other log",
            format!("the head is of {}: this log is another one", checked.head.origin),
        ),
        HeadVerdict::Rollback => (
            "rollback",
            format!("the log had {carried} entries, and has {size}: the others were taken out"),
        ),
        HeadVerdict::Fork => {
            ("fork", format!("the log has {size} entries as the head, and not the same ones"))
        }
        HeadVerdict::Rewritten => (
            "fork",
            format!("the log had {carried} entries, and its first {carried} are not the same now"),
        ),
    }
}

pub(super) fn print(
    checked: &CheckedHead,
    state: &LogState,
    (global, color): (Global, bool),
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let (verdict, why) = told(checked, state.size());
    if global.json {
        let row = CheckedRow {
            schema: SCHEMA,
            verdict,
            signed_by: checked.signer.clone(),
            head_size: checked.head.size,
            size: state.size(),
            witnesses: checked.witnesses.iter().map(|(name, _)| name.clone()).collect(),
        };
        return Ok(json::write(env.out, &Shown::Checked(row))?);
    }
    let good = checked.verdict == HeadVerdict::Consistent;
    let (style, word) = match (good, &checked.signer) {
        (true, _) => (Style::Good, "shown".to_owned()),
        (false, None) => (Style::Faint, "not shown".to_owned()),
        (false, Some(_)) => (Style::Bad, format!("FAILED: {}", verdict.to_uppercase())),
    };
    let why = match (good, &checked.signer) {
        (false, None) => format!("if the head is genuine, {verdict}: {why}"),
        _ => why,
    };
    let mut screen = Screen::new(env.out, color, env.width);
    let mut line = |what: &str, style: Style, word: &str, why: &str| {
        let line = Line::new().tell(Style::Normal, &format!("{what:<10} "));
        let line = line.tell(style, &format!("{word:<10} "));
        screen.line(&line.put(Style::Normal, Plain::line(why)))
    };
    line("log", style, &word, &why)?;
    match &checked.signer {
        Some(name) => line("head", Style::Good, "shown", &format!("the key `{name}` signed it"))?,
        None => line("head", Style::Faint, "not shown", "no key that you know signed it")?,
    }
    for (name, time) in &checked.witnesses {
        let time = UtcTime(i64::try_from(*time).unwrap_or_default().saturating_mul(1_000_000));
        let why = format!("{name} saw it at {}, by its clock", time.rfc3339());
        line("witness", Style::Good, "shown", &why)?;
    }
    if checked.witnesses.is_empty() {
        let why = "no witness that you name has signed the head";
        line("witnesses", Style::Faint, "not shown", why)?;
    }
    Ok(())
}
