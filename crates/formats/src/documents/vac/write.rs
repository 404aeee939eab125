//! The record as a whole: the members around the entries.

use std::cell::Cell;
use std::io::{self, Write};

use meaning::account::{Account, Cause, Ledger, LedgerRow};
use session::Sorting as _;
use session::{Moment, Session};

use super::entry::Entries;
use super::lines;
use super::source::Source;
use crate::attribution;
use crate::documents::conversion::{all_rows, opened, shown};
use crate::documents::shared::facts::{Fact, Facts};
use crate::documents::shared::out::{Out, TokenSink, write_text};
use crate::documents::shared::{moment, provider};
use crate::written::Options;

/// The schema's version, as in the draft's own records.
const VERSION: &str = "3.0.0-draft";
/// First and last time of a session.
type Lasted<'s> = (Moment<'s>, Moment<'s>);
/// Name of the program that makes the record.
const NAME: &str = "verbatim";

/// Writes the record of a session as JSON text, piece by piece. Returns the withheld values.
///
/// # Errors
/// Those of `sink`.
pub fn write_record(
    session: &Session,
    options: &Options,
    sink: &mut dyn Write,
) -> io::Result<Vec<LedgerRow>> {
    let write = |record: &Record<'_>| {
        write_text(options.pretty, sink, |out| record.write(out))?;
        Ok(())
    };
    Ok(with(session, options, write)?.1)
}

/// The ledger of the session's record.
#[must_use]
pub fn ledger(session: &Session, options: &Options) -> Option<Ledger> {
    let write = |record: &Record<'_>| write_text(false, &mut io::sink(), |out| record.write(out));
    with(session, options, write).ok().map(|(ledger, _)| ledger)
}

/// Writes the record of a session through an encoder. Returns the withheld values.
pub fn encode_record(
    session: &Session,
    options: &Options,
    encoder: &mut dyn TokenSink,
) -> Vec<LedgerRow> {
    let done = with(session, options, |record| {
        let mut out = Out::by(encoder);
        record.write(&mut out);
        out.finish()
    });
    // There is no sink that could fail.
    done.map(|(_, rows)| rows).unwrap_or_default()
}

/// The record of a session.
#[must_use]
pub fn record(session: &Session, options: &Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing into memory cannot fail.
    let _ = write_record(session, options, &mut bytes);
    bytes
}

fn with(
    session: &Session,
    options: &Options,
    write: impl FnOnce(&Record<'_>) -> io::Result<()>,
) -> io::Result<(Ledger, Vec<LedgerRow>)> {
    // The digests are those of the stored bytes.
    let (source, stored) = (Source::of(session), session);
    let (covered, rows) = shown(session, options);
    let session = covered.as_ref().unwrap_or(session);
    let facts = Facts::of(session);
    let mut account = opened(session, stored, &rows);
    let made = made(&facts, &mut account);
    let (account, ledger) = (Cell::new(Some(account)), Cell::new(None));
    let embed = options.embed;
    let record = Record { session, stored, source, facts, embed, made, account, ledger };
    write(&record)?;
    let ledger = record.ledger.take().unwrap_or_else(|| Account::of(session).close());
    let rows = all_rows(&ledger, stored, rows);
    Ok((ledger, rows))
}

/// The members of the record that the session does not tell: the schema requires them, or they are
/// known from elsewhere.
fn made(facts: &Facts<'_>, account: &mut Account<'_>) -> Vec<&'static str> {
    let model = facts.models.first().map(AsRef::as_ref);
    let provider = facts.get(Fact::ModelProvider).or(model.map(provider::of_model));
    let has_kind = facts.get(Fact::VersionControl).is_some();
    let missing = [
        ("session.agent-meta.model-id", model.is_none()),
        ("session.agent-meta.model-provider", provider.is_none_or(|it| it == provider::UNKNOWN)),
        ("vcs.type", has_vcs(facts) && !has_kind),
    ];
    let missing = missing.into_iter().filter(|(_, missing)| *missing);
    let required = missing.map(|(what, _)| (what, Cause::Required));
    let beside = facts.beside.iter().map(|what| (*what, Cause::Beside));
    required.chain(beside).map(|(what, cause)| account.make(what, cause, what)).collect()
}

/// The input of a record.
struct Record<'s> {
    /// The session as the record may show it.
    session: &'s Session,
    /// The session as it was stored.
    stored: &'s Session,
    source: Source,
    facts: Facts<'s>,
    embed: bool,
    /// The members that the session does not tell.
    made: Vec<&'static str>,
    /// The account, until the entries are written; then the ledger.
    account: Cell<Option<Account<'s>>>,
    ledger: Cell<Option<Ledger>>,
}

impl Record<'_> {
    /// Writes the record. An encoder may need its members in another order.
    fn write(&self, out: &mut Out<'_>) {
        let attribution = attribution::with(self.session, &self.facts);
        let is_there = |key: &&str| match *key {
            "created" => self.facts.span.is_some(),
            "vcs" => has_vcs(&self.facts),
            "file-attribution" => !attribution.files.is_empty(),
            _ => true,
        };
        for key in out.open_of(MEMBERS.iter().copied().filter(is_there).collect()) {
            out.key(key);
            match key {
                "version" => out.string(VERSION),
                "id" => out.string(&self.source.record_id(self.stored)),
                "recording-agent" => recording_agent(out),
                "created" => self.moment(|(start, _)| start, out),
                "session" => self.session(out),
                "vcs" => vcs(&self.facts, out),
                "file-attribution" => lines::write(&attribution, out),
                _ => self.ours(out),
            }
        }
        out.close();
    }

    fn session(&self, out: &mut Out<'_>) {
        let session = self.session;
        let folder = self.facts.get(Fact::WorkingDir);
        let is_there = |key: &&str| match *key {
            "session-start" | "session-end" => self.facts.span.is_some(),
            "environment" => folder.is_some(),
            _ => true,
        };
        let account = self.account.take().unwrap_or_else(|| Account::of(session));
        let mut entries = Entries::new(session, &self.facts, account);
        for key in out.open_of(OF_SESSION.iter().copied().filter(is_there).collect()) {
            out.key(key);
            match key {
                "format" => out.string("interactive"),
                "session-id" => out.string(&session.id),
                "session-start" => self.moment(|(start, _)| start, out),
                "session-end" => self.moment(|(_, end)| end, out),
                "agent-meta" => agent(session, &self.facts, out),
                "environment" => environment(folder.unwrap_or_default(), &self.facts, out),
                "entries" => entries.write(out),
                _ => {
                    out.open();
                    out.key("paths");
                    entries.write_layouts(out);
                    streams(session, out);
                    notes(session, out);
                    self.write_made(out);
                    out.close();
                }
            }
        }
        out.close();
        self.ledger.set(Some(entries.account.close()));
    }

    /// Writes which members of the record the session does not tell.
    fn write_made(&self, out: &mut Out<'_>) {
        if !self.made.is_empty() {
            out.key("made");
            out.open_array();
            self.made.iter().for_each(|what| out.string(what));
            out.close_array();
        }
    }

    fn moment<'f>(&'f self, of: fn(&'f Lasted<'f>) -> &'f Moment<'f>, out: &mut Out<'_>) {
        if let Some(span) = &self.facts.span {
            moment::write(of(span), out);
        }
    }

    /// The profile, and the source of the record.
    fn ours(&self, out: &mut Out<'_>) {
        out.open();
        out.member("profile", "vac-3.0");
        out.key("source");
        self.source.write(self.stored, self.embed, out);
        out.close();
    }
}

/// The members of a record, in their order.
const MEMBERS: [&str; 8] = [
    "version",
    "id",
    "recording-agent",
    "created",
    "session",
    "vcs",
    "file-attribution",
    "verbatim",
];

/// The members of its session. The extension object follows the entries, because it has their
/// layouts.
const OF_SESSION: [&str; 8] = [
    "format",
    "session-id",
    "session-start",
    "session-end",
    "agent-meta",
    "environment",
    "entries",
    "verbatim",
];

fn recording_agent(out: &mut Out<'_>) {
    out.open();
    out.member("name", NAME);
    out.member("version", env!("CARGO_PKG_VERSION"));
    out.close();
}

fn environment(folder: &str, facts: &Facts<'_>, out: &mut Out<'_>) {
    out.open();
    out.member("working-dir", folder);
    if has_vcs(facts) {
        out.key("vcs");
        vcs(facts, out);
    }
    out.close();
}

/// The agent: the first model, and all of them if there are several.
fn agent(session: &Session, facts: &Facts<'_>, out: &mut Out<'_>) {
    let model = facts.models.first().map(AsRef::as_ref);
    let family = || model.map_or(provider::UNKNOWN, provider::of_model);
    out.open();
    out.member("model-id", model.unwrap_or(provider::UNKNOWN));
    out.member("model-provider", facts.get(Fact::ModelProvider).unwrap_or_else(family));
    if facts.models.len() > 1 {
        let mut models: Vec<&str> = facts.models.iter().map(AsRef::as_ref).collect();
        models.in_order();
        out.key("models");
        out.open_array();
        for model in models {
            out.string(model);
        }
        out.close_array();
    }
    let program =
        crate::registry::agent(session.format).map_or(session.format, |agent| agent.data().program);
    out.member("cli-name", program);
    if let Some(version) = facts.get(Fact::CliVersion) {
        out.member("cli-version", version);
    }
    out.close();
}

/// Facts of version control, except its kind.
const CONTROLLED: [Fact; 3] = [Fact::Revision, Fact::Branch, Fact::Repository];

/// Whether the agent recorded version control.
fn has_vcs(facts: &Facts<'_>) -> bool {
    let known = |fact| facts.get(fact).is_some();
    known(Fact::VersionControl) || CONTROLLED.into_iter().any(known)
}

/// Version control, as far as the agent recorded it. Without a kind it is git.
fn vcs(facts: &Facts<'_>, out: &mut Out<'_>) {
    out.open();
    out.member("type", facts.get(Fact::VersionControl).unwrap_or("git"));
    for fact in CONTROLLED {
        if let Some(value) = facts.get(fact) {
            out.member(fact.word(), value);
        }
    }
    out.close();
}

/// The records of each member, in the order of the records.
fn streams(session: &Session, out: &mut Out<'_>) {
    out.key("streams");
    out.open_array();
    for run in session.records.chunk_by(|a, b| a.member == b.member) {
        let Some(record) = run.first() else { continue };
        let Some(member) = session.bundle.members.get(record.member as usize) else { continue };
        out.open();
        out.member("name", &member.stream.to_string());
        out.key("member");
        out.number(u64::from(record.member));
        out.key("records");
        out.number(run.len() as u64);
        out.close();
    }
    out.close_array();
}

/// Faults in reading.
fn notes(session: &Session, out: &mut Out<'_>) {
    if session.notes.is_empty() {
        return;
    }
    out.key("notes");
    out.open_array();
    for note in &session.notes {
        out.open();
        out.key("member");
        out.number(u64::from(note.member));
        out.key("line");
        out.number(u64::from(note.line));
        out.key("byte");
        out.number(u64::from(note.at));
        out.member("why", &session.note_words(note));
        if note.mended {
            out.flag("mended");
        }
        out.close();
    }
    out.close_array();
}
