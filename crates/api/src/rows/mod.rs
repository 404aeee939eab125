//! Rows for analysis: each a JSON object that names its table, `verbatim-row-TABLE-1`.
//!
//! Each row has the same members, in the same order; what is unknown is `null`. The first members
//! of all tables are the table's name, the uid of the session, and the digest of the session's
//! state: rows of an equal copy are equal, and those of an earlier state have another digest.

use meaning::usage::Tokens;
use operations::rows::RowSource;
use operations::usage::price::ListPrices;
use serde::Serialize;
use session::{EventRef, Session, UtcTime};
use views::money::Money;

mod acts;
mod findings;
mod sessions;
mod spent;
mod texts;

/// A table of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowTable {
    /// The sessions.
    Sessions,
    /// Their turns.
    Turns,
    /// The calls of tools.
    Calls,
    /// The numbers of tokens that agents recorded.
    Usage,
    /// The changes of files by calls.
    Files,
    /// The texts that a search finds.
    Texts,
    /// The sensitive values, by place and class.
    Findings,
    /// The files and places that could not be read.
    Faults,
}

impl RowTable {
    /// All tables.
    pub const ALL: [Self; 8] = [
        Self::Sessions,
        Self::Turns,
        Self::Calls,
        Self::Usage,
        Self::Files,
        Self::Texts,
        Self::Findings,
        Self::Faults,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Turns => "turns",
            Self::Calls => "calls",
            Self::Usage => "usage",
            Self::Files => "files",
            Self::Texts => "texts",
            Self::Findings => "findings",
            Self::Faults => "faults",
        }
    }
}

/// A row: the members that all tables have, and the members of its own table.
#[derive(Debug, Serialize)]
struct Row<'r, T> {
    table: &'static str,
    session: Option<&'r str>,
    state: Option<&'r str>,
    #[serde(flatten)]
    of: T,
}

/// The lines of rows of one source.
struct Lines<'r> {
    source: &'r RowSource,
    tables: &'r [RowTable],
    out: Vec<u8>,
}

impl Lines<'_> {
    fn wants(&self, tables: &[RowTable]) -> bool {
        tables.iter().any(|table| self.tables.contains(table))
    }

    /// Adds a row, if its table is wanted.
    fn add(&mut self, table: RowTable, session: Option<&str>, of: impl Serialize) {
        if !self.wants(&[table]) {
            return;
        }
        let state = Some(&*self.source.state).filter(|state| !state.is_empty());
        let row = Row { table: table.name(), session, state, of };
        // The rows are made of texts and numbers: writing them to memory does not fail.
        if serde_json::to_writer(&mut self.out, &row).is_ok() {
            self.out.push(b'\n');
        }
    }
}

/// The rows of a source, a line each: session by session, and in each the tables in their order.
#[must_use]
pub fn lines(source: &RowSource, tables: &[RowTable], prices: &ListPrices) -> Vec<u8> {
    let mut lines = Lines { source, tables, out: Vec::new() };
    for session in source.sessions() {
        let uid = session.uid();
        if !session.remainder {
            if lines.wants(&[RowTable::Sessions, RowTable::Turns]) {
                sessions::add(&mut lines, session, &uid, prices);
            }
            if lines.wants(&[RowTable::Calls, RowTable::Files]) {
                acts::add(&mut lines, session, &uid);
            }
        }
        // Answers of no session are in the sums of `usage` too.
        if lines.wants(&[RowTable::Usage]) {
            spent::add(&mut lines, session, &uid, prices);
        }
        if lines.wants(&[RowTable::Texts]) && !session.remainder {
            texts::add(&mut lines, session, &uid);
        }
    }
    if lines.wants(&[RowTable::Findings]) {
        findings::add(&mut lines);
    }
    if lines.wants(&[RowTable::Faults]) {
        findings::add_faults(&mut lines);
    }
    match std::str::from_utf8(&lines.out) {
        Ok(text) if source.is_numbered => redact::without_tags(text).into_bytes(),
        _ => lines.out,
    }
}

/// A time in UTC, of a year that engines have: 1 to 9999.
fn time(time: Option<UtcTime>) -> Option<String> {
    let is_held = |text: &String| {
        text.contains('T') && !text.starts_with("0000") && !text.starts_with(['-', '+'])
    };
    time.map(UtcTime::sortable).filter(is_held)
}

/// An amount of US dollars, as a decimal number.
fn money(money: Option<Money>) -> Option<String> {
    money.map(Money::exact)
}

/// The place of an event: the name of its file within the session, and its line.
fn place(event: EventRef<'_>) -> (String, u32) {
    let member = event.session().bundle.members.get(event.origin.member as usize);
    (member.map(|member| member.name.clone()).unwrap_or_default(), event.origin.line)
}

/// The uid of another session of the same agent.
fn uid(session: &Session, id: Option<std::borrow::Cow<'_, str>>) -> Option<String> {
    id.map(|id| format!("{}:{id}", session.format))
}

/// Numbers of tokens; `None` if the agent does not record one.
#[derive(Debug, Serialize)]
struct RowTokens {
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    cache_write_hour: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    tool: Option<u64>,
    unsplit: Option<u64>,
    total: u64,
}

impl RowTokens {
    /// A number that is too large for the columns of engines is left out.
    fn of(of: Tokens) -> Self {
        const MOST: u64 = i64::MAX as u64;
        let held = |number: Option<u64>| number.filter(|number| *number <= MOST);
        Self {
            input: held(of.input),
            cache_read: held(of.cache_read),
            cache_write: held(of.cache_write),
            cache_write_hour: held(of.cache_write_hour),
            output: held(of.output),
            reasoning: held(of.reasoning),
            tool: held(of.tool),
            unsplit: held(of.unsplit),
            total: of.total().min(MOST),
        }
    }
}
