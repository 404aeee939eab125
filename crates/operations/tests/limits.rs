//! Limits on the cost of hostile files: decompression, pipes and devices, links.
#![allow(clippy::unwrap_used)]

use std::path::Path;

mod rounds;
use ::catalog as catalog_crate;

#[path = "../../catalog/tests/tiny/mod.rs"]
mod tiny;
use rounds::unpacking::{runs, skipped};
use tiny::{TALK, catalog, put};

fn packed(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn what_unpacks_to_a_hundred_times_its_length_is_refused_by_every_reader() {
    let temp = tempfile::tempdir().unwrap();
    let first = packed(TALK.as_bytes());
    let many = || (0..2000).flat_map(|_| runs(8));
    let padded: Vec<u8> = [first.clone(), runs(4000), skipped(4 << 20)].concat();
    let wide = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0][..], &first].concat();
    let bombs = [
        ("one.tiny.zst", [first.clone(), runs(4000)].concat(), "unpacks to more than"),
        ("many.tiny.zst", first.iter().copied().chain(many()).collect(), "unpacks to more than"),
        ("padded.tiny.zst", padded, "unpacks to more than"),
        ("line.tiny.zst", runs(4000), "unpacks to more than"),
        ("wide.tiny.zst", wide, "window"),
    ];
    for (name, bytes, why) in bombs {
        let path = put(temp.path(), name, bytes);
        let catalog = catalog(temp.path());
        let found = catalog.find(std::slice::from_ref(&path));
        let asides = found.skipped.iter().map(|skipped| skipped.why.to_string());
        let checked = verbatim_operations::check(
            &catalog::Job::default(),
            &found,
            verbatim_operations::check::Depth::Full,
            &|_| (),
        )
        .unwrap()
        .into_iter();
        let unread = checked.flat_map(|checked| checked.unread).map(|unread| unread.why);
        let said: String = asides.chain(unread).collect();
        assert!(said.contains(why), "{name}: {said}");
        assert!(catalog.open(path.to_str().unwrap(), &[]).is_err(), "{name}");
        assert!(catalog::whole(&path).is_err(), "{name}");
    }
}

/// Short files are within the budget even if they compress well. Skippable frames need no budget.
#[test]
fn short_files_that_pack_well_are_read() {
    let temp = tempfile::tempdir().unwrap();
    let text = TALK.repeat(2000);
    let path = put(temp.path(), "one.tiny.zst", [skipped(9), packed(text.as_bytes())].concat());
    assert_eq!(catalog::whole(&path).unwrap(), text.as_bytes());
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_opened() {
    let temp = tempfile::tempdir().unwrap();
    let pipe = temp.path().join("one.tiny");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    for path in [&*pipe, Path::new("/dev/zero")] {
        assert_eq!(catalog::whole(path).unwrap_err().to_string(), "not a regular file");
        assert!(catalog(temp.path()).open(path.to_str().unwrap(), &[]).is_err());
    }
}

/// No link leads into the kernel's own file systems, directly or indirectly. Through them, all
/// other file systems and all processes can be reached.
#[cfg(target_os = "linux")]
#[test]
fn processes_and_devices_are_never_looked_into() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("root");
    put(&root, "one.tiny", TALK);
    for (name, target) in [("p", "/proc"), ("r", "/proc/self/root"), ("s", "/sys"), ("q", "p")] {
        std::os::unix::fs::symlink(target, root.join(name)).unwrap();
    }
    for follow in [true, false] {
        let mut catalog = catalog(temp.path());
        catalog.machine.follow = follow;
        let found = catalog.find(std::slice::from_ref(&root));
        assert_eq!(found.sources.len(), 1);
        let said: Vec<_> = found.skipped.iter().map(|skipped| skipped.why.to_string()).collect();
        assert!(
            said.iter().all(|why| {
                ["never", "--follow", "the same file"].iter().any(|word| why.contains(word))
            }),
            "{said:?}"
        );
        // The second of two followed links to one place is named as such.
        let again = said.iter().filter(|why| why.contains("the same file")).count();
        assert_eq!((said.len(), again), (4, usize::from(follow)));
    }
    let found = catalog(temp.path()).find(&["/proc/self".into(), root.join("p")]);
    assert!(found.sources.is_empty() && !found.skipped.is_empty(), "{:?}", found.skipped);
}
