//! The sessions that a person pinned or hid: in a small file of our own, never in the agents'.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file in the folder for what verbatim has to remember.
const FILE: &str = "picker.json";

/// Greatest size of the file that is read.
const MOST: u64 = 1 << 20;

/// The marks of sessions, by their uids.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Marks {
    /// Those that are listed first.
    #[serde(default)]
    pub pinned: BTreeSet<String>,
    /// Those that are not listed, unless the person wants to see them.
    #[serde(default)]
    pub hidden: BTreeSet<String>,
    #[serde(skip)]
    folder: Option<PathBuf>,
}

impl Marks {
    /// Reads the marks. A file that can't be read has none, and is replaced by the first mark.
    pub(super) fn read(folder: Option<PathBuf>) -> Self {
        let read = |folder: &Path| catalog::bounded(&folder.join(FILE), MOST).ok();
        let bytes = folder.as_deref().and_then(read);
        let marks = bytes.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        Self { folder, ..marks.unwrap_or_default() }
    }

    /// Pins a session, or takes the pin away.
    pub(super) fn pin(&mut self, uid: &str) -> Result<bool, String> {
        let on = toggle(&mut self.pinned, uid);
        self.write().map(|()| on)
    }

    /// Hides a session, or shows it again.
    pub(super) fn hide(&mut self, uid: &str) -> Result<bool, String> {
        let on = toggle(&mut self.hidden, uid);
        self.write().map(|()| on)
    }

    /// Writes the marks to a temporary file, which takes the place of the one before.
    fn write(&self) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let bytes = serde_json::to_vec_pretty(self).map_err(|error| error.to_string())?;
        let saved = store::save(&folder.join(FILE), &bytes, true);
        saved.map(|_| ()).map_err(|error| format!("the mark is not kept: {error}"))
    }
}

fn toggle(set: &mut BTreeSet<String>, uid: &str) -> bool {
    let on = !set.remove(uid);
    if on {
        set.insert(uid.to_owned());
    }
    on
}
