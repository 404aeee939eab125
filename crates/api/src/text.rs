//! Texts of documents.

use std::path::Path;

/// A path as text. JSON strings hold Unicode only, so bytes that are not UTF-8 are replaced.
#[must_use]
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
