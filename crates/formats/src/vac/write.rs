//! The record as a whole: what stands around the entries.

use std::io::{self, Write};

use session::Session;

use super::entry::Entries;
use super::source::Source;
use super::{lines, provider};
use crate::attribution;
use crate::document::facts::{Fact, Facts};
use crate::document::moment;
use crate::document::out::{Flush, Out, write_text};
use crate::written::shown;
use crate::{Losses, Options};

/// The schema's version, as the draft's own records have it.
const VERSION: &str = "3.0.0-draft";
/// Who makes the record.
const NAME: &str = "verbatim";

/// Writes the record of a session, piece by piece; a pretty one is laid out in memory first. Gives
/// what it withholds.
///
/// # Errors
/// Those of `sink`.
pub fn write_record(
    session: &Session,
    options: &Options,
    sink: &mut dyn Write,
) -> io::Result<Losses> {
    // The digests are of what was stored.
    let source = Source::of(session);
    let (covered, losses) = shown(session, options);
    let stored = (&source, session);
    let session = covered.as_ref().unwrap_or(session);
    write_text(options.pretty, sink, |out, flush| compose(session, stored, options, out, flush))?;
    Ok(losses)
}

/// The record of a session.
#[must_use]
pub fn record(session: &Session, options: &Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing into memory cannot fail.
    let _ = write_record(session, options, &mut bytes);
    bytes
}

fn compose(
    session: &Session,
    (source, stored): (&Source, &Session),
    options: &Options,
    out: &mut Out,
    flush: Flush<'_>,
) -> io::Result<()> {
    let facts = Facts::of(session);
    out.open();
    out.member("version", VERSION);
    out.member("id", &source.record_id(stored));
    out.key("recording-agent");
    out.open();
    out.member("name", NAME);
    out.member("version", env!("CARGO_PKG_VERSION"));
    out.close();
    if let Some((start, _)) = &facts.span {
        out.key("created");
        moment::write(start, out);
    }
    out.key("session");
    trace(session, &facts, out, flush)?;
    vcs(&facts, out);
    lines::write(&attribution::with(session, &facts), out);
    out.key("verbatim");
    out.open();
    out.member("profile", "vac-3.0");
    out.key("source");
    source.write(stored, options.embed, out);
    out.close();
    out.close();
    Ok(())
}

fn trace(session: &Session, facts: &Facts<'_>, out: &mut Out, flush: Flush<'_>) -> io::Result<()> {
    out.open();
    out.member("format", "interactive");
    out.member("session-id", &session.id);
    if let Some((start, end)) = &facts.span {
        out.key("session-start");
        moment::write(start, out);
        out.key("session-end");
        moment::write(end, out);
    }
    agent(session, facts, out);
    if let Some(folder) = facts.get(Fact::WorkingDir) {
        out.key("environment");
        out.open();
        out.member("working-dir", folder);
        vcs(facts, out);
        out.close();
    }
    out.key("entries");
    let mut entries = Entries::new(session, facts);
    entries.write(out, flush)?;
    out.key("verbatim");
    out.open();
    out.key("paths");
    entries.write_layouts(out);
    streams(session, out);
    notes(session, out);
    out.close();
    out.close();
    Ok(())
}

/// Who answered: the first model, and all of them where there are several.
fn agent(session: &Session, facts: &Facts<'_>, out: &mut Out) {
    let model = facts.models.first().map(AsRef::as_ref);
    let family = || model.map_or(provider::UNKNOWN, provider::of_model);
    out.key("agent-meta");
    out.open();
    out.member("model-id", model.unwrap_or(provider::UNKNOWN));
    out.member("model-provider", facts.get(Fact::ModelProvider).unwrap_or_else(family));
    if facts.models.len() > 1 {
        let mut models: Vec<&str> = facts.models.iter().map(AsRef::as_ref).collect();
        models.sort_unstable();
        out.key("models");
        out.open_array();
        for model in models {
            out.string(model);
        }
        out.close_array();
    }
    let program = crate::by_name(session.format).map_or(session.format, crate::Format::program);
    out.member("cli-name", program);
    if let Some(version) = facts.get(Fact::CliVersion) {
        out.member("cli-version", version);
    }
    out.close();
}

/// Version control, as far as the agent wrote of it. What does not say its kind means git.
fn vcs(facts: &Facts<'_>, out: &mut Out) {
    let known = [Fact::Revision, Fact::Branch, Fact::Repository];
    let kind = facts.get(Fact::VersionControl);
    if kind.is_none() && known.iter().all(|fact| facts.get(*fact).is_none()) {
        return;
    }
    out.key("vcs");
    out.open();
    out.member("type", kind.unwrap_or("git"));
    for fact in known {
        if let Some(value) = facts.get(fact) {
            out.member(fact.word(), value);
        }
    }
    out.close();
}

/// Which records belong to which member, in the order of the records.
fn streams(session: &Session, out: &mut Out) {
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

/// What could not be read as it should.
fn notes(session: &Session, out: &mut Out) {
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
        out.member("why", note.why.words());
        if note.mended {
            out.flag("mended");
        }
        out.close();
    }
    out.close_array();
}
