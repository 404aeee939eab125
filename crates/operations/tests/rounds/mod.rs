//! Rounds of random input for the readers of folders, databases and compressed files. Tests run
//! them with seeds, and fuzz targets with the fuzzer's bytes.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

pub mod databases;
pub mod folders;
pub mod unpacking;

use std::path::Path;

use catalog::{Found, Root, bundle, scan};
use verbatim_operations::check;

/// The sources in a folder.
fn found(path: &Path) -> Found {
    scan(formats::ALL, &[Root::named(path)])
}

/// Reads everything in a folder, and proves it.
fn prove(path: &Path) {
    for source in found(path).sources {
        drop(bundle(&source));
        let checked = check::check_source(&source, check::Depth::Full);
        assert_eq!((checked.lost.len(), checked.missing), (0, 0), "{:?}", checked.lost);
    }
}
