//! Samples: the small invented sessions that the tests read, for programs that have something to
//! show before a user has sessions. Only with the feature `samples`.

use std::path::PathBuf;

use include_dir::{Dir, DirEntry};

use crate::registry::SAMPLES;

/// All samples: a relative path (`<format>/<case>/<file>`, with `/` between parts) and the bytes.
#[must_use]
pub fn samples() -> Vec<(PathBuf, &'static [u8])> {
    let mut found = Vec::new();
    for (format, folder) in SAMPLES {
        // The list of unmapped names is beside the cases, and is no sample.
        for case in folder.dirs() {
            add(format, case, &mut found);
        }
    }
    found
}

fn add(format: &str, folder: &'static Dir<'static>, found: &mut Vec<(PathBuf, &'static [u8])>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => add(format, inner, found),
            DirEntry::File(file) => {
                found.push((PathBuf::from(format).join(file.path()), file.contents()));
            }
        }
    }
}
