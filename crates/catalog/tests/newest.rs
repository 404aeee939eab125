//! The newest sessions, read without a look at all files: they are those that a list of all begins
//! with, whatever the times of the files are.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use session::UtcTime;
use verbatim_catalog as catalog_crate;
use verbatim_catalog::{Catalog, Entry};

mod tiny;
use tiny::{catalog, put};

/// More files than are read at first.
const MANY: u64 = 2_200;

fn day(day: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(20_000 * 86_400 + day * 86_400)
}

fn line(id: &str, time: SystemTime) -> String {
    let micros = time.duration_since(UNIX_EPOCH).unwrap().as_micros();
    let time = UtcTime(i64::try_from(micros).unwrap()).sortable();
    format!("{{\"id\":\"{id}\",\"time\":\"{time}\",\"cwd\":\"/home/kim\",\"said\":\"paint\"}}\n")
}

/// Writes a session with a record of this time into a file of that time.
fn session(home: &Path, name: &str, record: Option<SystemTime>, file: SystemTime) {
    let text = record.map_or_else(|| "{\"id\":\"x\"}\n".into(), |time| line("x", time));
    let path = put(&home.join(".tiny/talks"), name, text);
    File::options().append(true).open(path).unwrap().set_modified(file).unwrap();
}

/// A home of sessions, each in its own folder and a day younger than the one before.
fn home(file: impl Fn(u64) -> SystemTime) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for at in 0..MANY {
        session(home.path(), &format!("{at:04}/{at:04}.tiny"), Some(day(at)), file(at));
    }
    home
}

fn ids(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.id.clone()).collect()
}

/// The ids that a list begins with, and the number of sessions that were read for them.
fn newest(catalog: &Catalog<'_>, count: usize) -> (Vec<String>, usize) {
    let listing = catalog.list_newest(&[], &mut |entries| entries.len() >= count);
    (ids(&listing.entries[..count]), listing.entries.len())
}

/// Asserts that the newest sessions are what a list begins with. Returns the number of sessions
/// that were read.
fn assert_begins(home: &Path, first: &str, what: &str) -> usize {
    let catalog = catalog(home);
    let all = ids(&catalog.list(&[], false).entries);
    assert_eq!(all[0], first, "{what}");
    let mut read = 0;
    for count in [1, 2, 40] {
        let (found, of) = newest(&catalog, count);
        assert_eq!(found, all[..count], "{what}: {count}");
        read = read.max(of);
    }
    read
}

#[test]
fn the_newest_sessions_are_found_in_the_newest_files() {
    let home = home(day);
    let path = home.path();
    let read = assert_begins(path, "2199", "files as old as their sessions");
    assert!(read < 600, "{read}");
    // An old session in a file that has just been copied.
    session(path, "copied.tiny", Some(day(3)), day(MANY + 1));
    assert!(assert_begins(path, "2199", "a copied file") < 600);
    // A session without a time has that of its file.
    session(path, "undated.tiny", None, day(MANY + 2));
    assert!(assert_begins(path, "undated", "a session without a time") < 600);
    // A sub-agent went on after its session had ended.
    session(path, "0007/subs/late.tiny", Some(day(MANY + 3)), day(MANY + 3));
    assert!(assert_begins(path, "0007", "a sub-agent that went on") < 600);
    // More than the first files, but not all.
    let (found, read) = newest(&catalog(path), 700);
    assert_eq!(found, ids(&catalog(path).list(&[], false).entries)[..700]);
    assert_eq!(read, MANY as usize + 2);
}

/// Times of files that tell nothing cost a list of all.
#[test]
fn whatever_the_times_of_files_are_the_newest_session_is_the_same() {
    let equal = home(|_| day(MANY));
    assert_eq!(assert_begins(equal.path(), "2199", "equal times"), MANY as usize);
    let reverse = home(|at| day(2 * MANY - at));
    assert_eq!(assert_begins(reverse.path(), "2199", "reverse times"), MANY as usize);
    // A clock ran ahead: the youngest file says so, and an old one may have such a time too.
    let ahead = home(day);
    session(ahead.path(), "1000/1000.tiny", Some(day(MANY + 400)), day(1000));
    session(ahead.path(), "2199/2199.tiny", Some(day(MANY + 300)), day(MANY - 1));
    assert_eq!(assert_begins(ahead.path(), "1000", "times ahead"), MANY as usize);
}

/// Of few sessions all are read, and the times of their files are not asked.
#[test]
fn in_a_small_home_times_of_files_do_not_count() {
    let home = tempfile::tempdir().unwrap();
    for at in 0..50 {
        session(home.path(), &format!("{at:04}.tiny"), Some(day(at)), day(100 + at));
    }
    session(home.path(), "old.tiny", Some(day(60)), UNIX_EPOCH + Duration::from_secs(5));
    assert_eq!(assert_begins(home.path(), "old", "a file of 1970"), 51);
}
