//! Bytes that could not be read, or not as they are: what the notes of a session say of them.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::index::JsonFault;
use crate::json::span::Span;
use crate::label::slot::Kind;
use crate::session::bundle::Member;
use crate::session::{Note, Session};
use crate::sorting::Sorting as _;

/// A record that could not be read, or one of its values: its bytes are kept, and no view can show
/// what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadRecord {
    /// The member of the bundle.
    pub member: u32,
    /// The name of its file.
    pub file: String,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// Its bytes in the member.
    pub span: Span,
    /// The reason, in words.
    pub why: &'static str,
}

impl Session {
    /// The records that could not be read, or not all of them, in reading order.
    #[must_use]
    pub fn unread_records(&self) -> Vec<UnreadRecord> {
        let mut notes: Option<HashMap<(u32, u32), &Note>> = None;
        let opaque = self.events().filter(|event| event.kind == Kind::Opaque);
        let record = |event: super::EventRef<'_>| {
            let by_place = || {
                let kept = self.notes.iter().filter(|note| !note.mended);
                kept.map(|note| ((note.member, note.span.start), note)).collect()
            };
            let (member, span) = (event.origin.member, event.span);
            let note = notes.get_or_insert_with(by_place).get(&(member, span.start));
            let why = note.map_or("not JSON", |note| note.why.words());
            let file = self.bundle.members.get(member as usize).map(|member| member.name.clone());
            let (file, line) = (file.unwrap_or_default(), event.origin.line);
            UnreadRecord { member, file, line, span, why }
        };
        let mut records: Vec<UnreadRecord> = opaque.map(record).collect();
        let read = records.len();
        let hiding = self.notes.iter().filter(|note| note.why.hides());
        records.extend(hiding.map(|note| {
            let &Note { member, line, span, why, .. } = note;
            let file = self.bundle.members.get(member as usize).map(|member| member.name.clone());
            UnreadRecord { member, file: file.unwrap_or_default(), line, span, why: why.words() }
        }));
        if records.len() > read {
            records.in_order_by_key(|record| (record.member, record.span.start));
        }
        records
    }

    /// The number of these records, without a last line behind others whose end is not there: the
    /// agent may be writing it.
    #[must_use]
    pub fn damaged_records(&self) -> usize {
        let length = |member: u32| self.bundle.members.get(member as usize).map(Member::length);
        let may_grow = |record: &UnreadRecord| {
            record.why == JsonFault::CutOff.words()
                && record.span.start > 0
                && length(record.member) == Some(record.span.end as usize)
        };
        self.unread_records().iter().filter(|record| !may_grow(record)).count()
    }

    /// The words of a note: of a record with bytes that are not UTF-8 also their number.
    #[must_use]
    pub fn note_words(&self, note: &Note) -> Cow<'static, str> {
        if note.why != JsonFault::Encoding || !note.mended {
            return Cow::Borrowed(note.why.words());
        }
        let bytes = self.bundle.slice(note.member, note.span);
        let count: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
        Cow::Owned(match count {
            1 => "1 byte is not UTF-8".to_owned(),
            count => format!("{count} bytes are not UTF-8"),
        })
    }
}
