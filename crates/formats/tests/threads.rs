//! A thread in several files is one session: found from any of them, listed once, counted once.

use std::fs;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Found, Machine, Opened, Root, Source, scan};
use meaning::turn;
use operations::agents::started;
use operations::usage::{Counted, usage};
use session::Session;
use verbatim_formats::tools::Common;

const THREAD: &str = "01a1c478-9800-7000-8000-0000000000a1";

fn samples() -> PathBuf {
    samples::workspace().join("crates/formats/src/agents/codex/samples/joined")
}

fn catalog() -> Catalog<'static> {
    Catalog { formats: verbatim_formats::ALL, machine: Machine::default() }
}

/// All files of the samples, in a home of their own.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    for file in files(&samples()) {
        let to = home.path().join(file.strip_prefix(samples()).expect("below"));
        fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        fs::copy(&file, to).expect("a copy");
    }
    home
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

fn of_thread(folder: &Path) -> Vec<PathBuf> {
    let named = |path: &PathBuf| path.to_string_lossy().contains(THREAD);
    files(folder).into_iter().filter(named).collect()
}

fn open(path: &Path) -> Opened {
    catalog().open(path, &[]).expect("a session")
}

/// The prompts of a session's turns.
fn prompts(session: &Session) -> Vec<String> {
    let turns = turn::turns(session).into_iter().filter_map(|turn| turn.prompt);
    turns.map(|at| session.event(at).said().into_owned()).collect()
}

fn source(folder: &Path, group: &str) -> Source {
    let found = scan(verbatim_formats::ALL, &[Root::named(folder)]).sources;
    found.into_iter().find(|source| source.group == group).expect("a source")
}

/// The counted tokens of a source, and the standings that exclude others.
fn counted(source: &Source) -> (u64, Vec<&'static str>) {
    let spent = usage(&Found { sources: vec![source.clone()], ..Found::default() });
    let counted = spent.spent().filter(|spent| spent.counted == Counted::Yes);
    let standing = spent.spent().filter_map(|spent| match spent.counted {
        Counted::Standing(word) => Some(word),
        _ => None,
    });
    (counted.map(|spent| spent.tokens.total()).sum(), standing.collect())
}

#[test]
fn every_file_of_a_thread_opens_the_whole_thread() {
    let said =
        ["count the hives", "keep the old frames", "label them", "which hive is the oldest?"];
    let paths = of_thread(&samples());
    assert_eq!(paths.len(), 3);
    for path in &paths {
        let opened = open(path);
        assert_eq!((opened.session().id.as_str(), opened.paths.len()), (THREAD, 3));
        assert_eq!(prompts(opened.session()), said);
        assert!(opened.session().notes.is_empty());
    }
}

#[test]
fn several_files_of_a_thread_are_one_session() {
    let files = files(&samples());
    let found = catalog().find(&files);
    let groups: Vec<&str> = found.sources.iter().map(|source| source.group.as_str()).collect();
    assert_eq!((files.len(), groups.len()), (7, 4), "{groups:?}");
    let each: Vec<_> = found.sources.iter().flat_map(|source| &source.files).collect();
    assert_eq!(each.len(), 7);
}

#[test]
fn a_thread_is_written_back_file_by_file() {
    let opened = open(&of_thread(&samples())[1]);
    let written = operations::convert(
        &catalog(),
        opened.session(),
        "codex",
        &verbatim_formats::Options::default(),
    );
    let written = written.expect("its own format").files;
    assert_eq!(written.len(), 3);
    for (path, (name, bytes)) in of_thread(&samples()).iter().zip(&written) {
        assert!(path.ends_with(name), "{name}");
        assert_eq!(fs::read(path).expect("a file"), **bytes, "{name}");
    }
}

#[test]
fn a_list_has_a_thread_once_by_its_first_prompt() {
    let listing = catalog().list(&[samples()], true);
    let threads: Vec<_> = listing.entries.iter().filter(|entry| entry.id == THREAD).collect();
    let [thread] = threads[..] else { panic!("{} entries", threads.len()) };
    assert_eq!(thread.prompt.as_deref(), Some("count the hives"));
    assert_eq!((thread.files.len(), thread.turns), (3, Some(4)));
    assert_eq!(listing.entries.len(), 4);
    assert!(listing.skipped.is_empty());
}

#[test]
fn each_answer_of_a_thread_is_counted_once() {
    // The last running total, 4900, and the 1100 of the turn that was reverted.
    let whole = counted(&source(&samples(), THREAD));
    assert_eq!(whole, (6000, vec!["echo"]));
    // A fork's total continues the total of the thread that it was forked from.
    let fork = "01a1cefc-3e80-7000-8000-0000000000a2";
    assert_eq!(counted(&source(&samples(), fork)), (700, vec!["echo"]));
    // If the base is missing, its total does not belong to this file.
    let lost = "01a1bf52-3c00-7000-8000-0000000000a3";
    assert_eq!(counted(&source(&samples(), lost)), (800, vec![]));
    // Each file by itself counts its own part.
    let folder = tempfile::tempdir().expect("a folder");
    for (path, total) in of_thread(&samples()).iter().zip([2100, 2500, 1400]) {
        let name = path.file_name().expect("a name");
        let alone = folder.path().join(total.to_string());
        fs::create_dir_all(&alone).expect("a folder");
        fs::copy(path, alone.join(name)).expect("a copy");
        assert_eq!(counted(&source(&alone, THREAD)).0, total, "{name:?}");
    }
}

#[test]
fn a_missing_base_is_said_and_the_rest_is_read() {
    let home = home();
    let paths = of_thread(home.path());
    fs::remove_file(&paths[1]).expect("a file");
    for path in [&paths[0], &paths[2]] {
        let session = open(path);
        let session = session.session();
        let said = ["count the hives", "burn the old frames", "which hive is the oldest?"];
        assert_eq!(prompts(session), said);
        let notes: Vec<_> = session.notes.iter().map(|note| note.why).collect();
        assert_eq!(notes, [session::JsonFault::NoBase]);
    }
    let checked = operations::check::check_source(
        &source(home.path(), THREAD),
        operations::check::Depth::Deep,
    );
    assert_eq!((checked.lost, checked.missing), (vec![], 0));
    assert!(checked.damaged.iter().all(|damaged| damaged.dangling && damaged.mended));
}

#[test]
fn a_rollout_that_was_archived_is_still_a_part_of_its_thread() {
    let home = home();
    let first = of_thread(home.path()).remove(0);
    let archive = home.path().join("archived_sessions");
    fs::create_dir_all(&archive).expect("a folder");
    let to = archive.join(first.file_name().expect("a name"));
    fs::rename(&first, &to).expect("it moves");
    let whole = source(home.path(), THREAD);
    assert_eq!(whole.files.len(), 3);
    assert_eq!(counted(&whole).0, 6000);
    assert_eq!(prompts(open(&to).session()).len(), 4);
}

/// The files of each source below some paths.
fn grouped(paths: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let sources = catalog().find(paths).sources;
    let files = |source: &Source| -> Vec<PathBuf> {
        let mut files: Vec<_> = source.files.iter().map(|file| file.path.to_path_buf()).collect();
        files.sort();
        files
    };
    sources.iter().map(files).collect()
}

/// From any of its files, in any spelling of the path, a session is found as in a search of the
/// home.
fn each_file_finds_the_others(folder: &Path) {
    let sources = grouped(&[folder.to_path_buf()]);
    assert!(!sources.is_empty(), "{}", folder.display());
    for source in sources {
        for file in &source {
            // Into the folder and out again, and relative to the test's folder.
            let parent = file.parent().expect("a folder");
            let name = parent.file_name().expect("a name");
            let turned = parent.join("..").join(name).join(file.file_name().expect("a name"));
            let here = std::env::current_dir().expect("a folder");
            let mut relative: PathBuf = here.components().skip(1).map(|_| "..").collect();
            relative.push(file.strip_prefix("/").expect("absolute"));
            for named in [file, &turned, &relative] {
                let found = grouped(std::slice::from_ref(named));
                assert_eq!(found, std::slice::from_ref(&source), "{named:?}");
            }
        }
        assert_eq!(grouped(&source), [source]);
    }
}

#[test]
fn every_file_of_a_session_finds_the_others() {
    for name in ["codex", "codewhale", "opencode"] {
        for sample in
            fs::read_dir(samples::format(name).join("samples")).expect("samples").flatten()
        {
            let path = sample.path().canonicalize().expect("a path");
            let names = ["joined", "runtime", "homes", "tree", "first"];
            if names.iter().any(|name| path.ends_with(name)) {
                each_file_finds_the_others(&path);
            }
        }
    }
}

/// A store is found whole in any folder (CodeWhale), by the names of its folders.
#[test]
fn every_file_of_a_store_finds_the_others() {
    let sample = "crates/formats/src/agents/codewhale/samples/runtime/.codewhale/tasks/runtime";
    let store = samples::workspace().join(sample);
    let temp = tempfile::tempdir().expect("a folder");
    for file in files(&store) {
        let to = temp.path().join(file.strip_prefix(&store).expect("below"));
        fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        fs::copy(&file, to).expect("a copy");
    }
    each_file_finds_the_others(&temp.path().canonicalize().expect("a path"));
}

/// Files with one id and nothing in common are several sessions: each path opens its own.
#[test]
fn a_path_opens_the_session_that_is_in_it() {
    let apart = samples::workspace().join("crates/formats/src/agents/gemini/samples/apart");
    let said = |path: &PathBuf| prompts(open(path).session());
    let said: Vec<_> = files(&apart).iter().map(said).collect();
    assert_eq!(said, [["list the routes"], ["and the jobs?"]]);
}

/// Such a session has its own file only: in its list, and in the record that is made of it.
#[test]
fn a_session_beside_another_of_its_id_has_its_own_files() {
    let apart = samples::workspace().join("crates/formats/src/agents/gemini/samples/apart");
    let files = files(&apart);
    let mut listed: Vec<_> = catalog().list(&[apart], false).entries;
    listed.sort_by(|a, b| a.id.cmp(&b.id));
    let named: Vec<_> = listed.iter().flat_map(|entry| &entry.files).collect();
    assert_eq!(named.iter().map(|file| &***file).collect::<Vec<_>>(), files);
    for file in &files {
        let opened = open(file);
        let bytes = fs::read(file).expect("a file");
        let stored = |s: &Session| -> Vec<Vec<u8>> {
            s.bundle.members.iter().map(|m| m.stored_bytes().to_vec()).collect()
        };
        assert_eq!(stored(opened.session()), std::slice::from_ref(&bytes));
        assert_eq!(opened.paths, [file.canonicalize().expect("a path")]);
        let options = verbatim_formats::Options { embed: true, ..Default::default() };
        let written =
            operations::convert(&catalog(), opened.session(), "vac", &options).expect("a record");
        let (_, record) = written.files.into_iter().next().expect("a file");
        let record = catalog().open_bytes("record.json", record.to_vec()).expect("a record");
        let native =
            operations::native(&catalog(), record.session()).expect("whole").expect("a session");
        assert_eq!(stored(&native), [bytes]);
        assert_eq!(native.id, opened.session().id);
    }
}

/// The call that started a sub-agent leads to its session, if that is a session of its own.
#[test]
fn a_call_names_the_session_that_it_started() {
    let samples =
        |folder: &str| samples::workspace().join("crates/formats/src/agents").join(folder);
    let threads = [
        (
            "codex/samples/agents",
            "019e6100-1000-7000-8000-0000000000a2",
            "019e6100-3000-7000-8000-0000000000c2",
        ),
        (
            "opencode/samples/tree",
            "ses_f3baf9384ffeQm3kT9xWc2LpZa",
            "ses_f3baf8a01ffeSubQ2wE4rT6yU8i",
        ),
    ];
    for (folder, parent, child) in threads {
        let opened = catalog().open(parent, &[samples(folder)]).expect("a session");
        let calls = started(opened.session(), &opened.found);
        let ids: Vec<&str> = calls.values().flatten().map(String::as_str).collect();
        assert_eq!(ids, [child], "{folder}");
        for call in calls.keys() {
            let call = opened.session().event(*call);
            let tool = common_tool(call);
            assert_eq!(tool, Some(Common::Task), "{folder}");
        }
        // A sub-agent has started none.
        let opened = catalog().open(child, &[samples(folder)]).expect("a session");
        assert!(started(opened.session(), &opened.found).is_empty());
    }
}

/// The common tool of a call.
fn common_tool(call: session::EventRef<'_>) -> Option<Common> {
    let format = verbatim_formats::by_name(call.session().format)?;
    format.data().tools.common(&call.text(session::Slot::Name)?)
}
