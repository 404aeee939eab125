//! The closed books of a conversion to another agent: the fate of each field of the source, and the
//! origin of each leaf of the target.

use std::collections::BTreeMap;

use session::account::{Cause, Fate, Ledger};
use session::{Session, Span};

/// Origin of a leaf of the target: a scalar, or a container that was written whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeafOrigin {
    /// The value of this field of the session, as it is.
    Carried(usize),
    /// Made of the values of these fields.
    Mapped(Vec<usize>, Cause),
    /// Not from a field.
    Made(Cause),
}

/// A leaf of a written file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetLeaf {
    /// The name of its member; that of the array for an element.
    pub name: &'static str,
    /// Its bytes in the file.
    pub span: Span,
    /// Its origin.
    pub origin: LeafOrigin,
}

/// A file with its leaves, in the order of their bytes.
#[derive(Clone, Debug)]
pub struct TargetFile {
    /// Its name, relative, `/` between parts.
    pub name: String,
    /// The leaves.
    pub leaves: Vec<TargetLeaf>,
}

/// Name and bytes of each file, the main one first.
pub(crate) type TargetBytes = Vec<(String, Vec<u8>)>;

/// The closed books of a conversion: both of their sides.
#[derive(Debug)]
pub struct ClosedBooks {
    /// The source's side: the fate of each field.
    pub ledger: Ledger,
    /// The target's side: the files with their leaves.
    pub files: Vec<TargetFile>,
}

impl ClosedBooks {
    /// Their totals, by cause.
    #[must_use]
    pub fn totals(&self, session: &Session) -> FateTotals {
        let mut totals = FateTotals::default();
        for (_, _, fate) in self.ledger.fates(session) {
            match fate {
                Fate::Carried => totals.carried += 1,
                Fate::Mapped(cause) => *totals.mapped.entry(cause).or_default() += 1,
                Fate::Dropped(cause) => *totals.dropped.entry(cause).or_default() += 1,
                _ => {}
            }
        }
        for leaf in self.files.iter().flat_map(|file| &file.leaves) {
            if let LeafOrigin::Made(cause) = leaf.origin {
                *totals.made.entry(cause).or_default() += 1;
            }
        }
        totals
    }
}

/// The totals of books: fields of the source, and made leaves of the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FateTotals {
    /// Fields that the target has as they are.
    pub carried: u64,
    /// Fields that the target has in another form.
    pub mapped: BTreeMap<Cause, u64>,
    /// Fields that the target does not have.
    pub dropped: BTreeMap<Cause, u64>,
    /// Leaves of the target that no field has.
    pub made: BTreeMap<Cause, u64>,
}
