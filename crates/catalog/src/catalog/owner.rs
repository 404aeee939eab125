//! Which files are an agent's own: nothing is ever written in their place.

use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use crate::find::found::Why;

impl Catalog<'_> {
    /// The agent whose own file this is: one in a place where it keeps its sessions, or one that
    /// its format knows, wherever it is. `None` for documents, and for what is there not.
    #[must_use]
    pub fn owner(&self, path: &Path) -> Option<&'static str> {
        let real = path.canonicalize().ok()?;
        let agents = || self.formats.iter().copied().filter(|format| !format.is_document());
        let holds =
            |place: PathBuf| place.canonicalize().is_ok_and(|place| real.starts_with(place));
        let housed = agents()
            .find(|format| self.machine.places(*format).into_iter().any(|place| holds(place.path)));
        if let Some(format) = housed {
            return Some(format.name());
        }
        let found = self.find(&[path.to_path_buf()]);
        let claimed = found.sources.iter().map(|source| source.format.name());
        let aside = found.aside.iter().filter(|aside| aside.path == path);
        let known = aside.filter_map(|aside| match aside.why {
            Why::NoSession(format, _) => Some(format),
            Why::Beside | Why::Compressed => Some("a part of a file beside it"),
            Why::Sealed => Some("by its name, it holds credentials"),
            _ => None,
        });
        let documents: Vec<&str> =
            self.formats.iter().filter(|f| f.is_document()).map(|f| f.name()).collect();
        claimed.chain(known).find(|name| !documents.contains(name))
    }
}
