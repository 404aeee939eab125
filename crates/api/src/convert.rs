//! `verbatim-convert-1`: the files that a conversion wrote, and its ledger.

use std::path::Path;

use formats::FateTotals;
use meaning::account::LedgerRow;
use operations::ledger::{BookTotals, UnreadRow};
use operations::prove::conversion::ConversionProof;
use serde::Serialize;
use session::{Session, UnreadRecord};

use super::text::text;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-convert-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct Conversion<'w> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The uid of the session.
    pub session: String,
    /// The name of the format that was written.
    pub to: &'w str,
    /// The files that were written; none if the document went to standard output.
    pub files: Vec<ConversionFile>,
    /// The ledger: fields that were not carried as they are, and values that were made.
    pub losses: Vec<ConversionRow>,
    /// The totals of the books, if it was written for another agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub books: Option<BookTotals>,
    /// The counts of the proof, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofCounts>,
    /// The records of the session that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadRow>,
}

/// The counts of the proof of a conversion.
#[derive(Debug, Serialize)]
pub struct ProofCounts {
    /// The values of the written files, each in one row of the books.
    pub values: u64,
    /// The carried values, each equal to that of the session.
    pub equal: u64,
    /// The values in another form, each given back by its inverse.
    pub given_back: u64,
    /// The values of the conversation that are read back as what they were.
    pub read_back: u64,
    /// The texts of the conversation, each read back character by character.
    pub texts: u64,
}

/// A file that was written.
#[derive(Debug, Serialize)]
pub struct ConversionFile {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A row of the ledger.
#[derive(Debug, Serialize)]
pub struct ConversionRow {
    /// The name of the field or of the made value.
    pub what: String,
    /// `mapped`, `in_part`, `synthesised`, `dropped` or `withheld`.
    pub carried: &'static str,
    /// The reason.
    pub why: &'static str,
    /// The place in the source, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
}

/// A place in the source.
#[derive(Debug, Serialize)]
pub struct At {
    /// The number of the member, from 0, in the order of `verbatim-show-1`.
    pub member: u32,
    /// The first byte, from 0.
    pub byte: u32,
    /// The number of bytes.
    pub length: usize,
}

impl<'w> Conversion<'w> {
    /// The document of a conversion, from its ledger. `files` are the paths and sizes of the
    /// written files.
    pub fn of<'f>(
        rows: &[LedgerRow],
        files: impl Iterator<Item = (&'f Path, u64)>,
        session: &Session,
        to: &'w str,
        (totals, proof): (Option<&FateTotals>, Option<&ConversionProof>),
        unread: &[UnreadRecord],
    ) -> Self {
        let file = |(path, bytes)| ConversionFile { path: text(path), bytes };
        Self {
            schema: SCHEMA,
            session: session.uid(),
            to,
            files: files.map(file).collect(),
            losses: rows.iter().map(ConversionRow::of).collect(),
            books: totals.map(BookTotals::of),
            unreadable: unread.iter().map(UnreadRow::of).collect(),
            proof: proof.map(|proof| ProofCounts {
                values: proof.leaves,
                equal: proof.equal,
                given_back: proof.given_back,
                read_back: proof.read_back,
                texts: proof.texts,
            }),
        }
    }
}

impl ConversionRow {
    fn of(row: &LedgerRow) -> Self {
        Self {
            what: row.name(),
            carried: row.word(),
            why: row.cause.words(),
            at: row.at.map(|(member, span)| At { member, byte: span.start, length: span.len() }),
        }
    }
}
