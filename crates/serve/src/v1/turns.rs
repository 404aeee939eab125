//! Turns of a session: what each did and cost.

use std::sync::Arc;

use api::turns::TurnDocument;
use serde::Serialize;

use super::page::{Page, paged};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};

/// The schema of the turns of a session, and that of one.
const ALL: &str = "verbatim-turns-1";
const ONE: &str = "verbatim-turn-1";

/// A page of turns.
#[derive(Serialize)]
struct Turns {
    schema: &'static str,
    session: String,
    turns: Vec<TurnDocument>,
}

/// `/v1/sessions/{uid}/turns`. What is before the first prompt is turn 0.
pub(crate) fn all(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (page, reading) = (Page::of(ask)?, app.reading(ask.part("uid"))?);
    let sums = reading.sums();
    let turns: Vec<TurnDocument> = page.rows(sums).iter().map(TurnDocument::of).collect();
    let next = page.next(turns.len(), sums.len());
    let document = Turns { schema: ALL, session: reading.session().uid(), turns };
    Ok(paged(ask, Reply::json(&document)?, sums.len(), next.as_deref()))
}

/// One turn.
#[derive(Serialize)]
struct One {
    schema: &'static str,
    session: String,
    turn: TurnDocument,
}

/// `/v1/sessions/{uid}/turns/{n}`.
pub(crate) fn one(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let reading = app.reading(ask.part("uid"))?;
    let number: Option<u64> = ask.part("n").parse().ok();
    let sum = reading.sums().iter().find(|sum| Some(sum.turn) == number);
    let turn = TurnDocument::of(sum.ok_or_else(|| Fault::unknown("turn"))?);
    Reply::json(&One { schema: ONE, session: reading.session().uid(), turn })
}
