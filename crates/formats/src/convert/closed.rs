//! The closed books of a conversion to another agent: the fate of each field of the source, and the
//! origin of each leaf of the target.

use meaning::account::{Cause, Ledger};
use session::{Span, UnreadRecord};

use super::inverse::Mapping;

/// Origin of a leaf of the target: a scalar, or a container that was written whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeafOrigin {
    /// The value of this field of the session, as it is.
    Carried(usize),
    /// Made of the values of fields; it has each of them, or a part that its row names.
    Mapped(Vec<Mapping>, Cause),
    /// Made of the values of fields, at least one of which it does not give back.
    InPart(Vec<Mapping>, Cause),
    /// Not from a field.
    Made(Cause),
}

impl LeafOrigin {
    /// The fields that it was made of, if its value is not theirs as it is.
    #[must_use]
    pub fn mappings(&self) -> &[Mapping] {
        match self {
            Self::Mapped(of, _) | Self::InPart(of, _) => of,
            Self::Carried(_) | Self::Made(_) => &[],
        }
    }

    /// The numbers of all its fields.
    pub fn fields(&self) -> impl Iterator<Item = usize> {
        let carried = match self {
            Self::Carried(field) => Some(*field),
            _ => None,
        };
        carried.into_iter().chain(self.mappings().iter().map(|of| of.field))
    }

    /// The cause, unless it was carried.
    #[must_use]
    pub const fn cause(&self) -> Option<Cause> {
        match self {
            Self::Mapped(_, cause) | Self::InPart(_, cause) | Self::Made(cause) => Some(*cause),
            Self::Carried(_) => None,
        }
    }
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
    /// The records of the source that could not be read: they have no fields, and the target has
    /// nothing of them.
    pub unread: Vec<UnreadRecord>,
}
