//! Rows of findings and of faults.

use redact::{ReportEntry, values};
use serde::Serialize;
use session::Session;

use super::{Lines, RowTable};

#[derive(Debug, Serialize)]
struct FindingRow<'s> {
    number: usize,
    class: &'static str,
    rule: &'s str,
    action: &'static str,
    tag: Option<&'s str>,
    file: &'s str,
    line: u32,
    path: &'s str,
}

#[derive(Debug, Serialize)]
struct FaultRow<'s> {
    number: usize,
    kind: &'static str,
    why: String,
    file: &'s str,
    line: Option<u32>,
    byte: Option<u32>,
}

/// Adds the values that were found in a source, each place once. No row has a part of a value.
pub(super) fn add(lines: &mut Lines<'_>) {
    let source = lines.source;
    let Some(report) = &source.report else { return };
    for (at, place) in values::places(&report.entries).iter().enumerate() {
        let entry = place.entry;
        let uid = of(source.sessions(), entry).map(Session::uid);
        let row = FindingRow {
            number: at + 1,
            class: entry.class.name(),
            rule: &entry.rule,
            action: if source.is_redacted() { entry.action() } else { "kept" },
            tag: Some(entry.tag.as_str()).filter(|_| source.has_tags),
            file: &entry.text.file,
            line: entry.line,
            path: &entry.text.pointer,
        };
        lines.add(RowTable::Findings, uid.as_deref(), row);
    }
}

/// The session whose record has a finding: the last one that begins on its line or before.
fn of<'s>(sessions: &'s [Session], entry: &ReportEntry) -> Option<&'s Session> {
    let named = || sessions.iter().filter(|session| !session.remainder);
    let mut all = named();
    if let (Some(only), None) = (all.next(), all.next()) {
        return Some(only);
    }
    let place = (entry.member, entry.line);
    let last = |session: &Session| {
        let places = session.records.iter().map(|record| (record.member, record.line));
        places.filter(|record| record.0 == place.0 && *record <= place).max()
    };
    sessions.iter().max_by_key(|session| last(session)).filter(|of| !of.remainder)
}

/// Adds what could not be read of a source: files, and the damaged places of the others.
pub(super) fn add_faults(lines: &mut Lines<'_>) {
    let source = lines.source;
    let mut number = 0;
    for session in source.sessions() {
        let uid = (!session.remainder).then(|| session.uid());
        for note in &session.notes {
            number += 1;
            let member = session.bundle.members.get(note.member as usize);
            let row = FaultRow {
                number,
                kind: if note.mended { "mended" } else { "damaged" },
                why: session.note_words(note).into_owned(),
                file: member.map_or("", |member| &member.name),
                line: Some(note.line),
                byte: Some(note.at),
            };
            lines.add(RowTable::Faults, uid.as_deref(), row);
        }
    }
    for fault in &source.faults {
        number += 1;
        let (kind, why) = (fault.kind.word(), fault.why.clone());
        let row = FaultRow { number, kind, why, file: &fault.file, line: None, byte: None };
        lines.add(RowTable::Faults, None, row);
    }
}
