//! `verbatim-ledger-1`: the books of a conversion to another agent, both sides of them.

use std::io;

use formats::{ClosedBooks, FateTotals, Inverse, LeafOrigin, Mapping, TalkLoss};
use meaning::account::{Cause, Fate};
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use session::{Field, Hold, Session, UnreadRecord};
use sha2::{Digest as _, Sha256};

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-ledger-1";

/// The document. Its rows are made while it is written: there are as many as values.
#[derive(Debug)]
pub struct LedgerDocument<'l> {
    session: &'l Session,
    books: &'l ClosedBooks,
}

impl Serialize for LedgerDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("LedgerDocument", 6)?;
        document.serialize_field("schema", SCHEMA)?;
        document.serialize_field("session", &self.session.uid())?;
        document.serialize_field("totals", &BookTotals::of(&self.books.totals(self.session)))?;
        let unread = &self.books.unread;
        document.serialize_field("unreadable", &Rows(|| unread.iter().map(UnreadRow::of)))?;
        document.serialize_field("source", &Rows(|| self.source()))?;
        document.serialize_field("target", &Rows(|| self.target()))?;
        document.end()
    }
}

/// The SHA-256 digest of the books' document, in hexadecimal digits.
#[must_use]
pub fn digest(session: &Session, books: &ClosedBooks) -> String {
    let mut hash = Hashed(Sha256::new());
    // Nothing in the document can fail, and neither can the sink.
    let _ = serde_json::to_writer(&mut hash, &LedgerDocument::of(session, books));
    formats::digest::hex(&hash.0.finalize())
}

/// A sink that keeps only the digest.
struct Hashed(Sha256);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Rows that are made while they are written.
struct Rows<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Rows<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The totals of the books.
#[derive(Debug, Serialize)]
pub struct BookTotals {
    /// The fields that were carried as they are.
    pub carried: u64,
    /// The fields that are in another form, by cause.
    pub mapped: Vec<CauseCount>,
    /// The fields of which the target has something, from which they can't be restored, by cause.
    pub in_part: Vec<CauseCount>,
    /// The fields among those that are conversation.
    pub in_part_conversation: u64,
    /// The fields that were left out, by cause.
    pub dropped: Vec<CauseCount>,
    /// The fields among those that are conversation, as opposed to bookkeeping of the agent.
    pub dropped_conversation: u64,
    /// The values that no field has, by cause.
    pub made: Vec<CauseCount>,
    /// Items of the agent's own next request that the target does not have whole: those of the
    /// conversation, and texts beside it, by kind and cause.
    pub items: Vec<ItemCount>,
}

/// A kind of item of the next request, and how many of it the target does not have whole.
#[derive(Debug, Serialize)]
pub struct ItemCount {
    /// `prompt`, `picture`, `answer`, `thought`, `call`, `result`, `report`, `task`, `summary`; of
    /// texts beside the conversation `context`, `command` or `sealed`.
    pub part: &'static str,
    /// `dropped` or `in_part`.
    pub fate: &'static str,
    /// The cause, in words.
    pub cause: &'static str,
    /// The number of items.
    pub count: u64,
}

/// A cause, and how often it applied.
#[derive(Debug, Serialize)]
pub struct CauseCount {
    /// The cause, in words.
    pub cause: &'static str,
    /// The number of values.
    pub count: u64,
}

/// A record of the session that could not be read.
#[derive(Debug, Serialize)]
pub struct UnreadRow {
    /// The name of its file.
    pub file: String,
    /// The number of its member, from 0, in the order of `verbatim-show-1`.
    pub member: u32,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// Its first byte, from 0.
    pub byte: u32,
    /// The number of bytes.
    pub length: usize,
    /// The reason, in words.
    pub why: &'static str,
}

impl UnreadRow {
    /// The row of a record.
    #[must_use]
    pub fn of(record: &UnreadRecord) -> Self {
        let UnreadRecord { member, line, span, why, .. } = *record;
        Self { file: record.file.clone(), member, line, byte: span.start, length: span.len(), why }
    }
}

/// A field of the session.
#[derive(Debug, Serialize)]
pub struct SourceRow {
    /// The number of the row, from 0: rows of the target name it.
    pub row: usize,
    /// Its name; empty for an element of an array.
    pub name: String,
    /// The number of its member, from 0, in the order of `verbatim-show-1`.
    pub member: u32,
    /// The first byte of its value, from 0.
    pub byte: u32,
    /// The number of bytes.
    pub length: usize,
    /// `carried`, `mapped`, `in_part` or `dropped`.
    pub fate: &'static str,
    /// The cause, unless it was carried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
}

/// A value of a written file.
#[derive(Debug, Serialize)]
pub struct TargetRow<'l> {
    /// The number of the file, from 0.
    pub file: usize,
    /// Its name; that of the array for an element.
    pub name: &'static str,
    /// Its first byte, from 0.
    pub byte: u32,
    /// The number of bytes.
    pub length: usize,
    /// `carried`, `mapped`, `in_part` or `made`.
    pub origin: &'static str,
    /// The rows of the source that it was made of.
    pub of: Vec<u32>,
    /// Of a value in another form: for each of these rows, the inverse that gives its value back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inverse: Vec<InverseRow<'l>>,
    /// The cause, unless it was carried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
}

/// The inverse of a mapping: it gives the value of the source back.
#[derive(Debug, Serialize)]
pub struct InverseRow<'l> {
    /// `parts`, `tagged`, `json`, `renamed`, `tool`, `time`, `failed`, `block` or `none`.
    pub by: &'static str,
    /// The texts of the source in the value: of each the number and the first byte of the text in
    /// the source, the number and the first byte of the text in the value, and the bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<[u32; 5]>,
    /// The names of the members in the value, and in the source.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub names: &'l [(&'static str, String)],
}

impl<'l> InverseRow<'l> {
    fn of(mapping: &'l Mapping) -> Self {
        let (mut parts, mut names) = (Vec::new(), &[][..]);
        match &mapping.inverse {
            Inverse::Parts(all) | Inverse::Tagged(_, all) => {
                parts = all.iter().map(|p| [p.text, p.from, p.leaf, p.at, p.length]).collect();
            }
            Inverse::Renamed(all) => names = all,
            _ => {}
        }
        Self { by: mapping.inverse.word(), parts, names }
    }
}

impl<'l> LedgerDocument<'l> {
    /// The document of the books of a session's conversion.
    #[must_use]
    pub const fn of(session: &'l Session, books: &'l ClosedBooks) -> Self {
        Self { session, books }
    }

    /// The source's side: each field of the session, in the order of its events.
    fn source(&self) -> impl Iterator<Item = SourceRow> {
        let fates = self.books.ledger.fates(self.session).enumerate();
        fates.map(|(row, (event, field, fate))| {
            let (fate, cause) = said(fate);
            let name = String::from_utf8_lossy(event.name(field)).into_owned();
            let (member, byte) = (event.origin.member, field.value.start);
            SourceRow { row, name, member, byte, length: field.value.len(), fate, cause }
        })
    }

    /// The target's side: each value of the written files.
    fn target(&self) -> impl Iterator<Item = TargetRow<'l>> {
        let rows = self.rows();
        let leaves = self.books.files.iter().enumerate();
        let leaves =
            leaves.flat_map(|(file, page)| page.leaves.iter().map(move |leaf| (file, leaf)));
        leaves.map(move |(file, leaf)| {
            let cause = leaf.origin.cause().map(Cause::words);
            let of = leaf.origin.fields().filter_map(|field| rows.get(field).copied()).collect();
            let inverse = leaf.origin.mappings().iter().map(InverseRow::of).collect();
            let origin = match &leaf.origin {
                LeafOrigin::Carried(_) => "carried",
                LeafOrigin::Mapped(..) => "mapped",
                LeafOrigin::InPart(..) => "in_part",
                _ => "made",
            };
            let (name, byte, length) = (leaf.name, leaf.span.start, leaf.span.len());
            TargetRow { file, name, byte, length, origin, of, inverse, cause }
        })
    }

    /// The row of each field. Rows are numbered among the fields that own their bytes.
    fn rows(&self) -> Vec<u32> {
        let mut next = 0;
        let fields = self.session.events().flat_map(|event| event.fields());
        let row = |field: &Field| {
            let row = next;
            next += u32::from(field.hold == Hold::Own);
            row
        };
        fields.map(row).collect()
    }
}

fn said(fate: Fate) -> (&'static str, Option<&'static str>) {
    match fate {
        Fate::Carried => ("carried", None),
        Fate::Mapped(cause) => ("mapped", Some(cause.words())),
        Fate::InPart(cause) => ("in_part", Some(cause.words())),
        Fate::Dropped(cause) => ("dropped", Some(cause.words())),
        _ => ("dropped", None),
    }
}

impl BookTotals {
    /// The totals of the books of one conversion.
    pub fn of(totals: &FateTotals) -> Self {
        let each =
            |(cause, count): (&Cause, &u64)| CauseCount { cause: cause.words(), count: *count };
        let item = |(loss, count): (&TalkLoss, &u64)| ItemCount {
            part: loss.part.word(),
            fate: if loss.whole { "dropped" } else { "in_part" },
            cause: loss.cause.words(),
            count: *count,
        };
        Self {
            items: totals.items.iter().map(item).collect(),
            carried: totals.carried,
            mapped: totals.mapped.iter().map(each).collect(),
            in_part: totals.in_part.iter().map(each).collect(),
            in_part_conversation: totals.in_part_conversation,
            dropped: totals.dropped.iter().map(each).collect(),
            dropped_conversation: totals.dropped_conversation,
            made: totals.made.iter().map(each).collect(),
        }
    }
}
