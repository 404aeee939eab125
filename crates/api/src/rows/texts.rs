//! Rows of texts: what a search finds.

use serde::Serialize;
use session::Session;
use views::transcript::texts;

use super::{Lines, RowTable, place, time};

#[derive(Debug, Serialize)]
struct TextRow<'s> {
    number: usize,
    turn: u64,
    part: &'static str,
    narrow_part: Option<&'static str>,
    standing: &'static str,
    stream: Option<String>,
    time: Option<String>,
    event: Option<u32>,
    file: Option<String>,
    line: Option<u32>,
    text: &'s str,
}

/// Adds the texts of a session.
pub(super) fn add(lines: &mut Lines<'_>, session: &Session, uid: &str) {
    for (at, text) in texts(session).enumerate() {
        let said = text.text();
        if said.is_empty() {
            continue;
        }
        let place = text.event().map(place);
        let row = TextRow {
            number: at + 1,
            turn: text.turn,
            part: text.part.word(),
            narrow_part: text.narrow().map(|part| part.word()),
            standing: text.standing().word(),
            stream: text.event().map(|event| event.stream().to_string()),
            time: time(text.time()),
            event: text.event().map(|event| event.index),
            line: place.as_ref().map(|(_, line)| *line),
            file: place.map(|(file, _)| file),
            text: &said,
        };
        lines.add(RowTable::Texts, Some(uid), row);
    }
}
