//! Rows of sessions and of their turns.

use meaning::facts;
use operations::usage::price::ListPrices;
use serde::Serialize;
use session::Session;
use views::transcript::{Spending, TurnSum};

use super::{Lines, RowTable, RowTokens, money, time, uid};

#[derive(Debug, Serialize)]
struct SessionRow<'s> {
    agent: &'static str,
    id: &'s str,
    is_document: bool,
    title: Option<String>,
    prompt: Option<&'s str>,
    parent: Option<String>,
    forked_from: Option<String>,
    folder: Option<String>,
    model: Option<String>,
    agent_version: Option<String>,
    started: Option<String>,
    updated: Option<String>,
    #[serde(flatten)]
    sums: Sums,
    turns: u64,
    bytes: u64,
    files: usize,
    records: usize,
    damaged_records: usize,
    machine: Option<&'s str>,
    account: Option<&'s str>,
    is_redacted: bool,
}

#[derive(Debug, Serialize)]
struct TurnRow<'s> {
    turn: u64,
    prompt: &'s str,
    started: Option<String>,
    ended: Option<String>,
    ending: Option<&'static str>,
    is_compacted: bool,
    #[serde(flatten)]
    sums: Sums,
}

/// The sums of a turn, or of a session.
#[derive(Debug, Serialize)]
struct Sums {
    active_ms: Option<i64>,
    calls: u64,
    failed_calls: u64,
    sub_agents: u64,
    pictures: u64,
    changed_files: usize,
    inserted_lines: usize,
    deleted_lines: usize,
    answers: u64,
    #[serde(flatten)]
    tokens: RowTokens,
    recorded_usd: Option<String>,
    listed_usd: Option<String>,
    unpriced_answers: u64,
    sub_agents_elsewhere: u64,
}

impl Sums {
    fn of(sum: &TurnSum) -> Self {
        let Spending { answers, tokens, recorded, listed, unpriced, apart } = &sum.spending;
        Self {
            active_ms: sum.active.map(|micros| micros / 1000),
            calls: sum.calls,
            failed_calls: sum.failed,
            sub_agents: sum.agents,
            pictures: sum.pictures,
            changed_files: sum.files.len(),
            inserted_lines: sum.inserted,
            deleted_lines: sum.deleted,
            answers: *answers,
            tokens: RowTokens::of(*tokens),
            recorded_usd: money(*recorded),
            listed_usd: money(*listed),
            unpriced_answers: *unpriced,
            sub_agents_elsewhere: *apart,
        }
    }
}

/// Adds the row of a session, and those of its turns.
pub(super) fn add(lines: &mut Lines<'_>, session: &Session, name: &str, prices: &ListPrices) {
    let turns = TurnSum::all(session, None, &|count| prices.of(count));
    let sum = TurnSum::sum(&turns);
    let lasted = facts::lasted(session);
    let prompt = turns.iter().map(|turn| &*turn.prompt).find(|prompt| !prompt.is_empty());
    let bytes = session.records.iter().map(|record| record.span.len() as u64).sum();
    let source = lines.source;
    let row = SessionRow {
        agent: session.format,
        id: &session.id,
        is_document: source.is_document,
        title: facts::title_text(session).map(|title| title.into_owned()),
        prompt,
        parent: uid(session, facts::spawner(session)),
        forked_from: uid(session, facts::forked_from(session)),
        folder: facts::folder(session).map(|folder| folder.into_owned()),
        model: facts::model(session),
        agent_version: facts::version(session).map(|version| version.into_owned()),
        started: time(lasted.start.map(|start| start.instant)),
        updated: time(lasted.end.map(|end| end.instant)),
        sums: Sums::of(&sum),
        turns: sum.turn,
        bytes,
        files: session.bundle.members.len(),
        records: session.records.len(),
        damaged_records: session.damaged_records(),
        machine: source.labels.machine.as_deref(),
        account: source.labels.account.as_deref(),
        is_redacted: source.is_redacted(),
    };
    lines.add(RowTable::Sessions, Some(name), row);
    for turn in &turns {
        let row = TurnRow {
            turn: turn.turn,
            prompt: &turn.prompt,
            started: time(turn.time.map(|(from, _)| from)),
            ended: time(turn.time.map(|(_, to)| to)),
            ending: turn.end.map(formats::turns::TurnEnd::word),
            is_compacted: turn.compacted,
            sums: Sums::of(turn),
        };
        lines.add(RowTable::Turns, Some(name), row);
    }
}
