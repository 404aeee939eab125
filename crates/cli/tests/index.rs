//! The law of the index: commands print the same bytes with it, without it and with a half-filled
//! one, whatever became of the sessions, and whatever became of the index.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use catalog::{Machine, Source};
use common::{ID, OTHER, Place, Ran, copy, on_terminal, put, talk};
use index::{FileFacts, IndexWriter, SourceFacts, Trigrams};
use samples::Dice;
use session::{Memory, UtcTime};
use verbatim_cli::Environment;

/// Runs a command in this process, a minute ahead of the clock: what has just been written counts
/// as settled then.
fn run(place: &Place, args: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let mut env = Environment {
        formats: formats::ALL,
        machine: machine(place),
        now: UtcTime(i64::try_from(since.as_micros()).unwrap() + 60_000_000),
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        width: None,
        links: false,
        err_terminal: false,
    };
    let args = ["verbatim"].iter().chain(args).map(Into::into);
    let code = verbatim_cli::run(args, &mut env).into();
    Ran { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn machine(place: &Place) -> Machine {
    Machine { home: Some(place.path().join("home")), ..Machine::default() }
}

fn index(place: &Place) -> PathBuf {
    place.path().join("home/.cache/verbatim/index.db")
}

fn fill(place: &Place) -> String {
    let ran = run(place, &["sync", "--index-only"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out + &ran.err
}

/// The commands that read the index. `{ID}` is the id of a session.
const COMMANDS: [&[&str]; 13] = [
    &["list", "--all-projects", "--json"],
    &["list", "--all-projects", "--sort", "size"],
    &["usage", "--json", "--explain"],
    &["usage", "--by", "project", "--since", "2026-01-02"],
    &["search", "paint", "--all-projects", "--json"],
    &["search", "the door", "--all-projects"],
    &["search", "zzyzxq", "--all-projects"],
    &["search", "-e", "wind.ws", "--all-projects"],
    &["search", "paint", "--all-projects", "-n", "1", "--json"],
    &["search", "door", "-n", "2"],
    &["show", "last~1"],
    &["show", "last", "--json"],
    &["show", "{ID}"],
];

/// The first command that prints other bytes with the index than without it, and both outputs.
fn differing(place: &Place) -> Option<String> {
    COMMANDS.iter().find_map(|args| {
        let args: Vec<&str> =
            args.iter().map(|arg| arg.replace("{ID}", ID).leak() as &str).collect();
        let with = run(place, &args);
        let without = run(place, &[&args[..], &["--no-index"]].concat());
        let is_same =
            (with.code, &with.out, &with.err) == (without.code, &without.out, &without.err);
        let told = |ran: &Ran| format!("{}\n{}\n{}", ran.code, ran.out, ran.err);
        (!is_same).then(|| format!("{args:?}\n{}\n{}", told(&with), told(&without)))
    })
}

fn assert_same(place: &Place, when: &str) {
    let differs = differing(place);
    assert!(differs.is_none(), "{when}: {}", differs.unwrap_or_default());
}

/// A home with sessions of every agent, in files and databases.
fn home(place: &Place) {
    let home = place.path().join("home");
    for format in samples::formats() {
        let name = format.file_name().unwrap();
        copy(&format.join("samples"), &home.join(".claude/projects/samples").join(name));
    }
    copy(&samples::of_format("gemini/samples/log/.gemini"), &home.join(".gemini"));
    let data = home.join(".local/share/opencode");
    fs::create_dir_all(&data).unwrap();
    let sql = samples::of_format("opencode/samples/database/opencode.sql");
    let database = rusqlite::Connection::open(data.join("opencode.db")).unwrap();
    database.execute_batch(&fs::read_to_string(sql).unwrap()).unwrap();
}

/// Some of the real files, if they are present.
fn real(place: &Place, dice: &mut Dice<'_>) {
    let Some(corpus) = samples::corpus() else { return };
    let mut files = Vec::new();
    below(&corpus, &mut files);
    files.retain(|path| fs::metadata(path).is_ok_and(|meta| meta.len() < 200_000));
    for at in 0..12.min(files.len()) {
        let path = &files[dice.roll(files.len())];
        let name = path.file_name().unwrap();
        let folder = place.path().join(format!("home/.codex/sessions/real/{at}"));
        fs::create_dir_all(&folder).unwrap();
        fs::copy(path, folder.join(name)).unwrap();
    }
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => below(&path, files),
            false => files.push(path),
        }
    }
}

/// Changes something: appends, rewrites, deletes, forks, moves, or changes a database.
fn change(place: &Place, dice: &mut Dice<'_>, step: usize) -> String {
    let projects = place.path().join("home/.claude/projects");
    let mut files = Vec::new();
    below(&projects, &mut files);
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let path = files[dice.roll(files.len())].clone();
    let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
    let id = format!("5f1e7f1e-2a0b-4a55-8f3e-{:012x}", step + 100);
    let what = dice.roll(8);
    match what {
        0 | 1 => {
            let more = talk(ID, "Paint the windows", "2026-03-02T10:0");
            put(&path, &(text + &more.replace(&format!("{ID}-"), &format!("{step}-"))));
        }
        // The same length, and the same time as before.
        2 | 3 => {
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            put(&path, &text.replace("paint", "zzyzx").replace("door", "dart"));
            let file = fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(modified).unwrap();
        }
        4 => fs::remove_file(&path).unwrap(),
        5 => {
            let fork = text.replace(ID, &id) + &talk(&id, "Fork the door", "2026-03-03T10:0");
            put(&path.with_file_name(format!("{id}.jsonl")), &fork);
        }
        6 => {
            let moved = projects.join(format!("-home-ana-{step}"));
            fs::create_dir_all(&moved).unwrap();
            fs::rename(&path, moved.join(path.file_name().unwrap())).unwrap();
        }
        _ => {
            let data = place.path().join("home/.local/share/opencode/opencode.db");
            let database = rusqlite::Connection::open(data).unwrap();
            let title = format!("Paint door {step}");
            database.execute("UPDATE session SET title = ?1", [title]).unwrap();
            put(
                &place.path().join("home/.gemini/tmp/shop/.project_root"),
                &format!("/home/{step}"),
            );
        }
    }
    format!("step {step}: {what} of {}", path.display())
}

#[test]
fn every_history_gives_the_same_with_the_index_and_without_it() {
    samples::rounds(1, |dice| {
        let place = Place::with_sessions();
        home(&place);
        real(&place, dice);
        assert_same(&place, "without an index");
        fill(&place);
        assert_same(&place, "with a fresh index");
        let mut done = Vec::new();
        for step in 0..5 {
            for _ in 0..=dice.roll(3) {
                done.push(change(&place, dice, step));
            }
            assert_same(&place, &format!("with an older index: {done:?}"));
            if dice.roll(2) == 0 {
                fill(&place);
                done.push("filled".into());
                assert_same(&place, &format!("with a fresh index: {done:?}"));
            }
        }
    });
}

/// Puts facts into the index that the files do not have.
fn harm(place: &Place, facts: &dyn Fn(&Source) -> SourceFacts, trigrams: bool) {
    fill(place);
    let path = index(place);
    let database = rusqlite::Connection::open(&path).unwrap();
    let reader: String = database.query_row("SELECT reader FROM about", [], |r| r.get(0)).unwrap();
    database.execute_batch("DELETE FROM usages; DELETE FROM trigrams").unwrap();
    drop(database);
    let catalog = catalog::Catalog { formats: formats::ALL, machine: machine(place) };
    let writer = IndexWriter::open(&path, &reader, UtcTime(i64::MAX / 1000)).unwrap();
    for source in catalog.find(&[]).sources {
        writer.keep_source(&source, || facts(&source));
        let none = || Some(FileFacts { claim: None, trigrams: Trigrams::default().end() });
        let files = source.files.iter().filter(|_| trigrams);
        files.for_each(|file| assert!(writer.keep_file(&file.path, none)));
    }
    writer.commit().unwrap();
}

/// The comparison sees each wrong fact, so each is read from the index where that has it.
#[test]
fn wrong_facts_in_the_index_would_be_seen() {
    let place = Place::with_sessions();
    let other = talk("other", "A wrong prompt", "2026-03-04T10:0").replace(":10,", ":70,");
    let foreign = |source: &Source| {
        let path = place.path().join("other.jsonl");
        put(&path, &other);
        let mut source = source.clone();
        source.files.truncate(1);
        source.files[0].path = path.into();
        source.files[0].length = other.len() as u64;
        source
    };
    let entries = |source: &Source| SourceFacts {
        entries: catalog::summary::packed_entries(
            &foreign(source),
            &mut Default::default(),
            &mut Memory::default(),
        )
        .unwrap(),
        usages: None,
    };
    harm(&place, &entries, false);
    assert!(differing(&place).unwrap().starts_with("[\"list\""));
    let usages = |source: &Source| SourceFacts {
        entries: None,
        usages: operations::usage::packed_with_acts(&foreign(source), None, &mut Memory::default())
            .0,
    };
    harm(&place, &usages, false);
    assert!(differing(&place).unwrap().starts_with("[\"usage\""));
    harm(&place, &|_| SourceFacts::default(), true);
    assert!(differing(&place).unwrap().starts_with("[\"search\", \"paint\""));
    fs::remove_file(index(&place)).unwrap();
    assert_same(&place, "after the wrong index was deleted");
}

/// Whatever became of its file, the index is no error: it is not read, and `sync` makes a new one.
#[test]
fn a_damaged_index_changes_nothing() {
    let place = Place::with_sessions();
    fill(&place);
    let good = fs::read(index(&place)).unwrap();
    let mut dice = Dice::seeded(7);
    let mut states: Vec<(String, Vec<u8>)> = Vec::new();
    for length in [0, 1, 100, 4096, good.len() / 2, good.len() - 1] {
        states.push((format!("cut off at {length}"), good[..length].to_vec()));
    }
    for round in 0..8 {
        let mut bytes = good.clone();
        for _ in 0..1 << round {
            let at = dice.roll(bytes.len());
            bytes[at] = dice.roll(256) as u8;
        }
        states.push((format!("{} random bytes", 1 << round), bytes));
    }
    states.push(("random".into(), (0..9000).map(|_| dice.roll(256) as u8).collect()));
    for (what, bytes) in states {
        fs::write(index(&place), bytes).unwrap();
        for beside in ["index.db-wal", "index.db-shm"] {
            let _ = fs::remove_file(index(&place).with_file_name(beside));
        }
        assert_same(&place, &what);
        fill(&place);
        assert_same(&place, &format!("{what}, and filled"));
    }
}

#[test]
fn an_index_of_another_version_is_not_read() {
    let place = Place::with_sessions();
    fill(&place);
    let set = |sql: &str| {
        rusqlite::Connection::open(index(&place)).unwrap().execute_batch(sql).unwrap();
    };
    // Wrong rows would be seen, if they were read.
    set("UPDATE about SET reader = 'another'; UPDATE entries SET packed = x'00'");
    assert_same(&place, "of another reader");
    assert!(fill(&place).contains("of which 2 were read now"));
    assert!(fill(&place).contains("of which 0 were read now"));
    set("PRAGMA user_version = 99");
    assert_same(&place, "of a newer version");
    let told = fill(&place);
    assert!(told.contains("note: the index was damaged, or a newer version made it"), "{told}");
    assert!(index(&place).with_extension("db.old").is_file());
    assert_same(&place, "made anew");
}

#[test]
fn only_its_user_can_read_the_index_and_sync_leaves_it_if_asked() {
    let place = Place::with_sessions();
    assert_eq!(run(&place, &["sync", "--no-index"]).code, 0);
    assert!(!index(&place).exists());
    assert_eq!(run(&place, &["sync"]).code, 0);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&index(&place)), 0o600);
    assert_eq!(mode(index(&place).parent().unwrap()), 0o700);
    // It has no text of a session but the title and the first prompt.
    let bytes = fs::read(index(&place)).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("Count the windows") && !has("no paint left") && !has("There is no paint"));
    let wrong = run(&place, &["sync", "--index-only", "--no-index"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    // A file that has just changed may change again within the same step of the clock.
    let fresh = Place::with_sessions();
    let told = fresh.run(&["sync", "--index-only"]);
    assert!(told.out.contains("of which 0 were read now"), "{}", told.out);
}

#[test]
fn several_runs_at_once_and_a_folder_that_cannot_be_written_do_no_harm() {
    let place = Place::with_sessions();
    let start = |args: &[&str]| {
        let mut command = place.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let expected = place.run(&["list", "--all-projects", "--no-index"]).out;
    let syncs: Vec<_> = (0..3).map(|_| start(&["sync"])).collect();
    let lists: Vec<_> = (0..3).map(|_| start(&["list", "--all-projects"])).collect();
    for run in syncs {
        let ran = common::ran(run.wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    for run in lists {
        assert_eq!(common::ran(run.wait_with_output().unwrap()).out, expected);
    }
    // A file in the place of the folder, and a folder that is only readable.
    fill(&place);
    let cache = index(&place).parent().unwrap().to_path_buf();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o500)).unwrap();
    assert_same(&place, "in a folder that is only readable");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    fs::remove_dir_all(&cache).unwrap();
    put(&cache, "no folder");
    assert_same(&place, "with a file in place of the folder");
    let ran = run(&place, &["sync"]);
    assert!(ran.code == 0 && ran.err.contains("files are read instead"), "{}", ran.err);
    assert_eq!(run(&place, &["sync", "--index-only"]).code, 3);
}

/// A terminal has room for what was done in a session, and only an index knows that without reading
/// the session.
#[test]
fn a_wide_list_says_what_the_index_knows_of_each_session() {
    let place = Place::with_sessions();
    // Three answers read 100,000 tokens each, at $5.00 a million. An edit puts two lines for one.
    let edit = "\"name\":\"Edit\",\"input\":{\"file_path\":\"/home/ana/shop/a.txt\",\
                \"old_string\":\"a\\n\",\"new_string\":\"b\\nc\\n\"}";
    let bash = "\"name\":\"Bash\",\"input\":{\"command\":\"ls doors\"}";
    let other = talk(OTHER, "Count the windows", "2026-02-01T10:0");
    let other = other.replace("input_tokens\":10", "input_tokens\":100000").replace(bash, edit);
    let path = place.session().with_file_name(format!("{OTHER}.jsonl"));
    put(&path, &other);
    fill(&place);
    let all = ["list", "--all-projects", "--color", "never"];
    let list = |more: &[&str], width| on_terminal(&place, &[&all, more].concat(), width, &[]);
    let wide = list(&[], 130);
    let row = |list: &str, title: &str| {
        let row = list.lines().find(|line| line.contains(title)).unwrap();
        row.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert!(row(&wide, "AGENT").ends_with("AGE TURNS FAILED CHANGED COST ID"), "{wide}");
    assert!(row(&wide, "windows").contains(" 58 d 1 1 +2 −1 $1.50 "), "{wide}");
    assert!(row(&wide, "Paint the").contains(" 30 d 1 2 $0.00 "), "{wide}");
    let headings: Vec<&str> = wide.lines().filter(|line| line.starts_with("2026-")).collect();
    assert_eq!(headings, ["2026-03", "2026-02"], "{wide}");
    for width in [80, 100, 119, 130] {
        assert!(list(&[], width).lines().all(|line| line.chars().count() <= width), "{wide}");
    }
    assert!(row(&list(&[], 100), "AGENT").ends_with("AGE TURNS FAILED COST ID"));
    assert!(row(&list(&["--no-index"], 130), "AGENT").ends_with("AGE SIZE ID"));
    // A session that grew is not known any more, and counts of a damaged one would be too low.
    put(&path, &(other + "no JSON\n"));
    for _ in ["grown", "damaged"] {
        assert!(!row(&list(&[], 130), "windows").contains("$1.50"), "{}", list(&[], 130));
        fill(&place);
    }
}
