//! `verbatim-ledger-1`: the books of a conversion to another agent, both sides of them.

use formats::{ClosedBooks, FateTotals, LeafOrigin};
use serde::Serialize;
use session::account::{Cause, Fate};
use session::{Hold, Session};

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-ledger-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct LedgerDocument {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The uid of the session.
    pub session: String,
    /// The totals.
    pub totals: BookTotals,
    /// The source's side: each field of the session, in the order of its events.
    pub source: Vec<SourceRow>,
    /// The target's side: each value of the written files.
    pub target: Vec<TargetRow>,
}

/// The totals of the books.
#[derive(Debug, Serialize)]
pub struct BookTotals {
    /// The fields that were carried as they are.
    pub carried: u64,
    /// The fields that are in another form, by cause.
    pub mapped: Vec<CauseCount>,
    /// The fields that were left out, by cause.
    pub dropped: Vec<CauseCount>,
    /// The values that no field has, by cause.
    pub made: Vec<CauseCount>,
}

/// A cause, and how often it applied.
#[derive(Debug, Serialize)]
pub struct CauseCount {
    /// The cause, in words.
    pub cause: &'static str,
    /// The number of values.
    pub count: u64,
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
    /// `carried`, `mapped` or `dropped`.
    pub fate: &'static str,
    /// The cause, unless it was carried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
}

/// A value of a written file.
#[derive(Debug, Serialize)]
pub struct TargetRow {
    /// The number of the file, from 0.
    pub file: usize,
    /// Its name; that of the array for an element.
    pub name: &'static str,
    /// Its first byte, from 0.
    pub byte: u32,
    /// The number of bytes.
    pub length: usize,
    /// `carried`, `mapped` or `made`.
    pub origin: &'static str,
    /// The rows of the source that it was made of.
    pub of: Vec<usize>,
    /// The cause, unless it was carried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
}

impl LedgerDocument {
    /// The document of the books of a session's conversion.
    #[must_use]
    pub fn of(session: &Session, books: &ClosedBooks) -> Self {
        // Rows are numbered among the fields that own their bytes.
        let fields = session.events().flat_map(|event| event.fields());
        let mut owned = 0;
        let rows: Vec<usize> = fields
            .map(|field| {
                owned += usize::from(field.hold == Hold::Own);
                owned - usize::from(field.hold == Hold::Own)
            })
            .collect();
        let fates = books.ledger.fates(session).enumerate();
        let source = fates.map(|(row, (event, field, fate))| {
            let (fate, cause) = said(fate);
            let name = String::from_utf8_lossy(event.name(field)).into_owned();
            let (member, byte) = (event.origin.member, field.value.start);
            SourceRow { row, name, member, byte, length: field.value.len(), fate, cause }
        });
        let target = books.files.iter().enumerate().flat_map(|(file, page)| {
            let rows = &rows;
            page.leaves.iter().map(move |leaf| {
                let (origin, fields, cause) = match &leaf.origin {
                    LeafOrigin::Carried(field) => ("carried", std::slice::from_ref(field), None),
                    LeafOrigin::Mapped(fields, cause) => ("mapped", &**fields, Some(cause.words())),
                    LeafOrigin::Made(cause) => ("made", &[][..], Some(cause.words())),
                    _ => ("made", &[][..], None),
                };
                let of = fields.iter().filter_map(|field| rows.get(*field).copied()).collect();
                let (name, byte, length) = (leaf.name, leaf.span.start, leaf.span.len());
                TargetRow { file, name, byte, length, origin, of, cause }
            })
        });
        Self {
            schema: SCHEMA,
            session: session.uid(),
            totals: BookTotals::of(&books.totals(session)),
            source: source.collect(),
            target: target.collect(),
        }
    }
}

fn said(fate: Fate) -> (&'static str, Option<&'static str>) {
    match fate {
        Fate::Carried => ("carried", None),
        Fate::Mapped(cause) => ("mapped", Some(cause.words())),
        Fate::Dropped(cause) => ("dropped", Some(cause.words())),
        _ => ("dropped", None),
    }
}

impl BookTotals {
    pub(super) fn of(totals: &FateTotals) -> Self {
        let each =
            |(cause, count): (&Cause, &u64)| CauseCount { cause: cause.words(), count: *count };
        Self {
            carried: totals.carried,
            mapped: totals.mapped.iter().map(each).collect(),
            dropped: totals.dropped.iter().map(each).collect(),
            made: totals.made.iter().map(each).collect(),
        }
    }
}
