//! The closed books of a conversion to another agent: the fate of each field of the source, and the
//! origin of each leaf of the target.

use session::Span;
use session::account::{Cause, Ledger};

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
