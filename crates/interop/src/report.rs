//! The table of agents and scenarios, and the details of its cells.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::agent::AGENTS;
use crate::carry::matrix::{self, Arrival};
use crate::cell::{CellResult, LATE};
use crate::judge::Findings;
use crate::live;
use crate::scenario::{SCENARIOS, Scenario};

/// All findings.
pub(crate) struct Report {
    /// One row for each agent.
    pub rows: Vec<Row>,
    /// The columns.
    pub scenarios: Vec<&'static Scenario>,
    /// The results for sessions that no agent writes here.
    pub given: Vec<Arrival>,
}

/// One agent.
pub(crate) struct Row {
    /// Its name.
    pub agent: &'static str,
    /// Its version.
    pub version: String,
    /// The reason why it did not run.
    pub skipped: Option<String>,
    /// The result of each scenario.
    pub cells: Vec<Option<CellResult>>,
}

/// The beginning of the page with the matrix.
const INTRODUCTION: &str = "\
# Sessions that the real agents resumed

Made by `interop/run --matrix interop/RESUMED.md`. Each row is a session. `verbatim resume` places
it into the empty home of each agent, and the agent continues it. A cell has the number of the
conversation's parts (prompts, answers, arguments of calls, results, pictures, reports of
sub-agents, texts of hooks, skills and files) that are in the agent's next request, of all parts,
and of these the pictures and the reports. `own.txt` lists what an agent adds by itself. `refused`
says that a provider would refuse the request. A session whose agent runs here is resumed by it too:
verbatim changes nothing there, and what an agent does not send of its own session, it drops itself.
Real sessions are chosen by a rule (`carry/corpus.rs`), and named by their
ids. Their parts are those of the control: the request of their own agent, or, if that can't run
here, the reading of a program that shares no code with verbatim. A call that keeps its own name,
because the other agent has no such tool, is in the request too. A result without its call is no
part: no agent sends it.
";

/// The word in the table.
fn word(verdict: &Option<CellResult>) -> &'static str {
    match verdict {
        None => "·",
        Some(CellResult::Cannot(_)) => "-",
        Some(CellResult::Failed(_)) => "failed",
        Some(CellResult::Judged(findings)) if !findings.wrong.is_empty() => "WRONG",
        Some(CellResult::Judged(findings)) if !findings.undone.is_empty() => "failed",
        Some(CellResult::Judged(findings)) if !findings.drift.is_empty() => "drift",
        Some(CellResult::Judged(_)) => "ok",
    }
}

/// The entries of the lists of what agents do themselves that no scenario needs, if all ran.
fn stale(rows: &[Row], scenarios: usize) -> Vec<String> {
    let of = |row: &Row| -> Option<Vec<String>> {
        let agent = AGENTS.iter().find(|agent| agent.name == row.agent)?;
        if scenarios < SCENARIOS.len() {
            return None;
        }
        let mut used = BTreeSet::new();
        for cell in &row.cells {
            match cell.as_ref()? {
                CellResult::Judged(found) => used.extend(found.own.iter().copied()),
                CellResult::Cannot(why) if why == LATE => return None,
                CellResult::Cannot(_) => {}
                CellResult::Failed(_) => return None,
            }
        }
        let left = live::stale(agent, &used).into_iter();
        Some(left.map(|entry| format!("{}: {entry}", row.agent)).collect())
    };
    rows.iter().filter_map(of).flatten().collect()
}

/// The lines below the table for a cell.
fn lines(verdict: &CellResult) -> Vec<String> {
    match verdict {
        CellResult::Cannot(why) => vec![format!("not run: {why}")],
        CellResult::Failed(why) => vec![format!("the agent did not do it: {why}")],
        CellResult::Judged(findings) => {
            let mut lines = Vec::new();
            lines.extend(findings.wrong.iter().map(|wrong| format!("WRONG: {wrong}")));
            let undone = findings.undone.iter();
            lines.extend(undone.map(|undone| format!("the agent did not do it: {undone}")));
            lines.extend(findings.drift.iter().map(|drift| format!("drift: {drift}")));
            lines.extend(findings.notes.iter().map(|note| format!("note: {note}")));
            lines
        }
    }
}

impl Report {
    /// Whether verbatim is wrong in a cell.
    pub(crate) fn is_wrong(&self) -> bool {
        let mut cells = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        let given = self.given.iter().any(|arrival| !arrival.wrong().is_empty());
        given
            || cells.any(
                |cell| matches!(cell, CellResult::Judged(findings) if !findings.wrong.is_empty()),
            )
    }

    /// The table, followed by the details of each cell.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        let names = self.rows.iter().map(|row| row.agent.len() + row.version.len() + 1);
        let first = names.max().unwrap_or(0);
        let _ = write!(text, "{:first$}", "");
        for scenario in &self.scenarios {
            let _ = write!(text, "  {:9}", scenario.name);
        }
        text = text.trim_end().to_owned() + "\n";
        for row in &self.rows {
            let _ = write!(text, "{:first$}", format!("{} {}", row.agent, row.version));
            match &row.skipped {
                Some(why) => {
                    let _ = write!(text, "  skipped: {why}");
                }
                None => row.cells.iter().for_each(|cell| {
                    let _ = write!(text, "  {:9}", word(cell));
                }),
            }
            text = text.trim_end().to_owned() + "\n";
        }
        for (agent, scenario, verdict) in self.cells() {
            for line in lines(verdict) {
                let _ = write!(text, "\n{agent}, {scenario}: {line}");
            }
        }
        for entry in stale(&self.rows, self.scenarios.len()) {
            let _ = write!(text, "\nstale: {entry}");
        }
        for arrival in self.given.iter().filter(|arrival| !arrival.wrong().is_empty()) {
            for wrong in arrival.wrong() {
                let _ = write!(text, "\n{}, {}: WRONG: {wrong}", arrival.from, arrival.session);
            }
        }
        let judged: Vec<&Findings> = self.cells().filter_map(|(.., cell)| judged(cell)).collect();
        let sum = |of: fn(&Findings) -> usize| judged.iter().map(|one| of(one)).sum::<usize>();
        let _ = write!(
            text,
            "\n\n{} runs judged: {} sessions, {} answers told, {} counted, {} lines changed; \
             {} wrong\n",
            judged.len(),
            sum(|one| one.sessions),
            sum(|one| one.told),
            sum(|one| one.counted),
            sum(|one| one.lines),
            judged.iter().filter(|one| !one.wrong.is_empty()).count(),
        );
        text
    }

    /// The matrix of sessions and the agents that resumed them, as a page.
    pub(crate) fn to_matrix(&self) -> String {
        let cells = self.cells().filter_map(|(.., cell)| judged(cell));
        let arrivals = cells.flat_map(|found| &found.arrivals).chain(&self.given);
        let arrivals: Vec<Arrival> = arrivals.cloned().collect();
        let ran = self.rows.iter().filter(|row| row.skipped.is_none());
        let versions: Vec<_> = ran.map(|row| (row.agent, row.version.clone())).collect();
        format!("{INTRODUCTION}\n{}", matrix::table(&arrivals, &versions))
    }

    fn cells(&self) -> impl Iterator<Item = (&'static str, &'static str, &CellResult)> {
        self.rows.iter().flat_map(|row| {
            let pairs = row.cells.iter().zip(&self.scenarios);
            pairs.filter_map(|(cell, scenario)| Some((row.agent, scenario.name, cell.as_ref()?)))
        })
    }

    /// The same as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let cells = |row: &Row| -> Vec<Value> {
            let pairs = row.cells.iter().zip(&self.scenarios);
            pairs.map(|(verdict, scenario)| cell(scenario.name, verdict)).collect()
        };
        let row = |row: &Row| {
            json!({
                "agent": row.agent, "version": row.version, "skipped": row.skipped,
                "cells": cells(row),
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        let given: Vec<Value> = self.given.iter().map(Arrival::to_json).collect();
        let wrong = self.is_wrong();
        json!({"schema": "verbatim-interop-1", "wrong": wrong, "agents": rows, "given": given})
    }
}

fn judged(verdict: &CellResult) -> Option<&Findings> {
    match verdict {
        CellResult::Judged(findings) => Some(findings),
        CellResult::Cannot(_) | CellResult::Failed(_) => None,
    }
}

fn cell(scenario: &str, verdict: &Option<CellResult>) -> Value {
    let mut cell = json!({"scenario": scenario, "verdict": word(verdict).to_lowercase()});
    match verdict {
        Some(CellResult::Cannot(why) | CellResult::Failed(why)) => {
            cell["why"] = why.as_str().into()
        }
        Some(CellResult::Judged(one)) => {
            cell["sessions"] = one.sessions.into();
            cell["told"] = one.told.into();
            cell["counted"] = one.counted.into();
            cell["lines"] = one.lines.into();
            cell["wrong"] = one.wrong.clone().into();
            cell["undone"] = one.undone.clone().into();
            cell["drift"] = one.drift.clone().into();
            cell["notes"] = one.notes.clone().into();
        }
        None => {}
    }
    cell
}
