//! Draft of a redaction: the edited bundle, and everything that its verification needs.

use session::Bundle;
use session::edit::Edit;

use super::finding::SecretFinding;
use super::sweep::Sweep;

/// A redaction that is to be verified.
#[derive(Debug)]
pub struct RedactionDraft {
    /// The findings, in the order of the bytes.
    pub findings: Vec<SecretFinding>,
    /// The edited bundle.
    pub bundle: Bundle,
    pub(super) edits: Vec<Edit>,
    /// The bundle before.
    pub(super) before: Bundle,
    /// The values that must not be left.
    pub(super) sweep: Sweep,
}
