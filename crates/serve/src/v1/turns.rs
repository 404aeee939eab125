//! Turns of a session: what each did and cost.

use std::sync::Arc;

use serde::Serialize;
use views::transcript::TurnSum;

use super::page::{Page, paged};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};

/// The schema of the turns of a session, and that of one.
const ALL: &str = "verbatim-turns-1";
const ONE: &str = "verbatim-turn-1";

/// A turn.
#[derive(Debug, Serialize)]
struct Turn<'t> {
    turn: u64,
    prompt: &'t str,
    started: Option<String>,
    ended: Option<String>,
    calls: u64,
    failed: u64,
    agents: u64,
    pictures: u64,
    files: Vec<&'t str>,
    inserted: usize,
    deleted: usize,
    tokens: u64,
    compacted: bool,
}

impl<'t> Turn<'t> {
    fn of(sum: &'t TurnSum) -> Self {
        Self {
            turn: sum.turn,
            prompt: &sum.prompt,
            started: sum.time.map(|(from, _)| from.sortable()),
            ended: sum.time.map(|(_, to)| to.sortable()),
            calls: sum.calls,
            failed: sum.failed,
            agents: sum.agents,
            pictures: sum.pictures,
            files: sum.files.iter().map(String::as_str).collect(),
            inserted: sum.inserted,
            deleted: sum.deleted,
            tokens: sum.tokens,
            compacted: sum.compacted,
        }
    }
}

/// A page of turns.
#[derive(Serialize)]
struct Turns<'t> {
    schema: &'static str,
    session: String,
    turns: Vec<Turn<'t>>,
}

/// `/v1/sessions/{uid}/turns`. What is before the first prompt is turn 0.
pub(crate) fn all(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (page, reading) = (Page::of(ask)?, app.reading(ask.part("uid"))?);
    let sums = reading.sums();
    let turns: Vec<Turn<'_>> = page.rows(sums).iter().map(Turn::of).collect();
    let next = page.next(turns.len(), sums.len());
    let document = Turns { schema: ALL, session: reading.session().uid(), turns };
    Ok(paged(ask, Reply::json(&document)?, sums.len(), next.as_deref()))
}

/// One turn.
#[derive(Serialize)]
struct One<'t> {
    schema: &'static str,
    session: String,
    turn: Turn<'t>,
}

/// `/v1/sessions/{uid}/turns/{n}`.
pub(crate) fn one(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let reading = app.reading(ask.part("uid"))?;
    let number: Option<u64> = ask.part("n").parse().ok();
    let sum = reading.sums().iter().find(|sum| Some(sum.turn) == number);
    let turn = Turn::of(sum.ok_or_else(|| Fault::unknown("turn"))?);
    Reply::json(&One { schema: ONE, session: reading.session().uid(), turn })
}
