//! Rounds of random input for what reads folders, databases and packed files: tests run them by
//! seeds, fuzz targets by the fuzzer's bytes.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

pub mod databases;
pub mod folders;
pub mod unpacking;

use std::path::Path;

use verbatim_catalog::{Found, Root, bundle, check, scan};

/// The sources in a folder.
fn found(path: &Path) -> Found {
    scan(formats::ALL, &[Root::named(path)])
}

/// Reads and proves all that is found.
fn prove(path: &Path) {
    for source in found(path).sources {
        drop(bundle(&source));
        let checked = check::check(&source, check::Depth::Full);
        assert_eq!((checked.lost.len(), checked.missing), (0, 0), "{:?}", checked.lost);
    }
}
