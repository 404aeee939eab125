//! Search: the files that are found, and their grouping into sessions.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use formats::{Candidate, Claim, Format, FormatData, WriteError, Written};
use session::{Bundle, Memory, Session};
use verbatim_catalog as catalog_crate;
use verbatim_catalog::{Catalog, Machine, SkipReason, System};

mod tiny;
use tiny::{FORMATS, TALK, catalog, put};

#[test]
fn places_follow_the_environment_and_the_system() {
    let temp = tempfile::tempdir().unwrap();
    let place = |machine: &Machine| -> Vec<PathBuf> {
        machine.places(FORMATS[0]).into_iter().map(|root| root.path).collect()
    };
    let mut machine = Machine { home: Some("/home/ana".into()), ..Machine::default() };
    assert_eq!(
        place(&machine),
        ["/home/ana/.tiny/talks", "/home/ana/.tiny/old"].map(PathBuf::from)
    );
    machine.variables = BTreeMap::from([("TINY_HOME".into(), "".into())]);
    assert_eq!(
        place(&machine)[0],
        Path::new("/home/ana/.tiny/talks"),
        "an empty variable is unset"
    );
    machine.variables = BTreeMap::from([("TINY_HOME".into(), temp.path().into())]);
    assert_eq!(place(&machine), [temp.path().join("talks"), temp.path().join("old")]);
    machine.variables = BTreeMap::from([("TINY_HOME".into(), "/a, /b".into())]);
    assert_eq!(place(&machine).len(), 4);
    assert_eq!(machine.system, System::Linux);
}

#[test]
fn the_files_of_a_session_are_one_source_and_the_rest_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let talks = temp.path().join(".tiny/talks");
    put(&talks, "p/one.tiny", TALK);
    put(&talks, "p/one/subs/b.tiny", "{\"id\":\"s\"}\n");
    put(&talks, "p/one/subs/a.tiny", "{\"id\":\"s\"}\n");
    put(&talks, "two.tiny", "{\"id\":\"two\"}\n");
    put(&talks, "x.note", "note");
    put(&talks, "x.bin", "?");
    put(&talks, "empty.tiny", "");
    put(&talks, "auth.json", "{\"key\":\"never to be read\"}");
    let found = catalog(temp.path()).find(&[]);
    let names: Vec<Vec<&str>> =
        found.sources.iter().map(|s| s.files.iter().map(|f| f.name.as_str()).collect()).collect();
    assert_eq!(names, [vec!["one.tiny", "one/subs/a.tiny", "one/subs/b.tiny"], vec!["two.tiny"]]);
    let skipped: Vec<(String, String)> = found
        .skipped
        .iter()
        .map(|a| (a.path.file_name().unwrap().to_string_lossy().into(), a.why.to_string()))
        .collect();
    let said = |name: &str| skipped.iter().find(|(n, _)| n == name).map(|(_, why)| why.as_str());
    assert_eq!(skipped.len(), 4);
    assert_eq!(said("x.note"), Some("tiny: a note"));
    assert_eq!(said("x.bin"), Some("no known agent writes such a file"));
    assert_eq!(said("empty.tiny"), Some("empty"));
    assert!(said("auth.json").unwrap().contains("never opened"));
}

#[test]
fn sessions_of_two_homes_stay_apart() {
    let temp = tempfile::tempdir().unwrap();
    for home in ["a", "b"] {
        put(temp.path(), &format!("{home}/.tiny/talks/one.tiny"), TALK);
    }
    let found = catalog(temp.path()).find(&[temp.path().into()]);
    assert_eq!(found.sources.len(), 2);
}

/// A file whose name follows another agent's scheme is still recognized, because a name decides
/// only which format is probed first.
#[test]
fn a_file_under_another_agents_name_is_still_its_own() {
    let temp = tempfile::tempdir().unwrap();
    let id = "0f4cbb7e-8f6a-4a53-9d0e-6a4a1f3f2b61";
    let codex = r#"{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{}}"#;
    put(temp.path(), &format!("{id}.jsonl"), codex);
    put(temp.path(), "agent-7.jsonl", codex);
    let machine = Machine::default();
    let found = Catalog { formats: formats::ALL, machine }.find(&[temp.path().into()]);
    let owners: BTreeMap<&str, &str> =
        found.sources.iter().map(|source| (&*source.files[0].name, source.format.name())).collect();
    let expected =
        [("0f4cbb7e-8f6a-4a53-9d0e-6a4a1f3f2b61.jsonl", "codex"), ("agent-7.jsonl", "codex")];
    assert_eq!(owners, BTreeMap::from(expected));
    assert!(found.skipped.is_empty());
}

#[test]
fn copies_in_folders_of_no_agent_stay_apart_with_what_is_theirs() {
    let temp = tempfile::tempdir().unwrap();
    for copy in ["0", "1", "1/old"] {
        put(temp.path(), &format!("{copy}/one.tiny"), TALK);
        put(temp.path(), &format!("{copy}/one/subs/s.tiny"), TALK);
    }
    let found = catalog(temp.path()).find(&[temp.path().into()]);
    let names: Vec<Vec<&str>> =
        found.sources.iter().map(|s| s.files.iter().map(|f| f.name.as_str()).collect()).collect();
    assert_eq!(names, [["one.tiny", "one/subs/s.tiny"]; 3]);
}

/// One folder has two copies of a session, and another one has only its sub-agents' files.
#[test]
fn copies_beside_a_folder_of_sub_agents_fall_apart_and_lose_none() {
    let temp = tempfile::tempdir().unwrap();
    put(temp.path(), "a/x/one.tiny", TALK);
    put(temp.path(), "a/y/one.tiny", TALK);
    put(temp.path(), "b/one/subs/s.tiny", TALK);
    let found = catalog(temp.path()).find(&[temp.path().into()]);
    let names: Vec<Vec<&str>> =
        found.sources.iter().map(|s| s.files.iter().map(|f| f.name.as_str()).collect()).collect();
    assert_eq!(names, [vec!["a/x/one.tiny", "b/one/subs/s.tiny"], vec!["one.tiny"]]);
}

#[test]
fn a_plain_file_wins_over_its_compressed_twin() {
    let temp = tempfile::tempdir().unwrap();
    put(temp.path(), "one.tiny", TALK);
    put(temp.path(), "one.tiny.zst", packed(TALK.as_bytes()));
    put(temp.path(), "two.tiny.zst", packed(b"{\"id\":\"two\",\"said\":\"hm\"}\n"));
    let found = catalog(temp.path()).find(&[temp.path().into()]);
    let names: Vec<&str> = found.sources.iter().map(|s| s.files[0].name.as_str()).collect();
    assert_eq!(names, ["one.tiny", "two.tiny.zst"]);
    assert!(matches!(
        found.skipped[..],
        [verbatim_catalog::Skipped { why: SkipReason::Compressed, .. }]
    ));
    let listing = catalog(temp.path()).list(&[temp.path().into()], false);
    let two = listing.entries.iter().find(|entry| entry.id == "two").unwrap();
    assert_eq!(two.prompt.as_deref(), Some("hm"));
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn a_compressed_file_comes_back_as_it_was_stored() {
    let temp = tempfile::tempdir().unwrap();
    // Two frames, with a skippable frame between them (RFC 8878, section 3.1.2).
    let mut stored = packed(&TALK.as_bytes()[..40]);
    stored.extend([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    stored.extend(packed(&TALK.as_bytes()[40..]));
    let path = put(temp.path(), "one.tiny.zst", &stored);
    let opened = catalog(temp.path()).open(path.to_str().unwrap(), &[]).unwrap();
    let member = &opened.session().bundle.members[0];
    assert_eq!((member.bytes(), member.stored_bytes()), (TALK.as_bytes(), &*stored));
    let broken = put(temp.path(), "two.tiny.zst", &stored[..stored.len() - 9]);
    let found = catalog(temp.path()).find(&[broken]);
    assert!(found.skipped.iter().any(|skipped| skipped.why.is_failure()), "{:?}", found.skipped);
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_what_cannot_be_read_hides_nothing() {
    use std::os::unix::fs::symlink;
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("root");
    put(&root, "a/one.tiny", TALK);
    put(temp.path(), "elsewhere/two.tiny", TALK);
    symlink(&root, root.join("a/loop")).unwrap();
    symlink(temp.path().join("elsewhere"), root.join("link")).unwrap();
    symlink("nowhere", root.join("0-dangling")).unwrap();
    symlink(root.join("a/one.tiny"), root.join("again.tiny")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("pipe.tiny")).unwrap();
    let found = catalog(temp.path()).find(std::slice::from_ref(&root));
    let paths: Vec<_> = found.sources.iter().map(|source| source.files[0].path.clone()).collect();
    assert_eq!(paths, [root.join("a/one.tiny").into()]);
    let why = |name: &str| {
        let skipped = found.skipped.iter().find(|skipped| skipped.path == root.join(name));
        skipped.map(|skipped| skipped.why.to_string()).unwrap_or_default()
    };
    assert_eq!(why("0-dangling"), "a symbolic link to nothing");
    assert!(why("link").contains("`--follow`"));
    assert_eq!(why("pipe.tiny"), "not a regular file");
    assert!(why("again.tiny").starts_with("the same file"));
    let mut catalog = catalog(temp.path());
    catalog.machine.follow = true;
    let found = catalog.find(std::slice::from_ref(&root));
    let paths: Vec<_> = found.sources.iter().map(|source| source.files[0].path.clone()).collect();
    assert_eq!(paths, [root.join("a/one.tiny").into(), root.join("link/two.tiny").into()]);
    // A link is followed if the user names it.
    let found = catalog.find(&[root.join("link")]);
    assert_eq!(found.sources.len(), 1);
}

#[test]
fn a_list_reads_the_ends_of_a_file_only() {
    let temp = tempfile::tempdir().unwrap();
    let first = "{\"id\":\"one\",\"time\":\"2026-03-01T10:00:00Z\",\"said\":\"paint the house\"}\n";
    let last =
        "{\"id\":\"one\",\"time\":\"2026-03-02T10:00:00Z\",\"inner\":{\"title\":\"Blue\"}}\n";
    // The middle of the file holds data that only a complete reading would find.
    let filler =
        "{\"id\":\"one\",\"time\":\"2026-04-01T10:00:00Z\",\"inner\":{\"model\":\"hidden\"}}\n";
    let around = "{\"id\":\"one\"}\n".repeat(30_000);
    put(temp.path(), "one.tiny", [first, &around, filler, &around, last].concat());
    let listing = catalog(temp.path()).list(&[temp.path().into()], false);
    let entry = &listing.entries[0];
    assert_eq!(entry.prompt.as_deref(), Some("paint the house"));
    assert_eq!(entry.title.as_deref(), Some("Blue"));
    assert_eq!(entry.model, None);
    assert_eq!(entry.updated.unwrap().rfc3339(), "2026-03-02T10:00:00Z");
    let listing = catalog(temp.path()).list(&[temp.path().into()], true);
    assert_eq!(listing.entries[0].turns, Some(1));
}

#[test]
fn a_list_reads_on_where_the_first_line_is_long() {
    let temp = tempfile::tempdir().unwrap();
    let long = format!("{{\"id\":\"one\",\"said\":\"{}\"}}\n", "x".repeat(200_000));
    let rest = "{\"id\":\"one\"}\n".repeat(100_000);
    put(temp.path(), "one.tiny", [&*long, &rest].concat());
    let listing = catalog(temp.path()).list(&[temp.path().into()], false);
    assert_eq!(listing.entries[0].prompt.as_ref().map(|text| text.len()), Some(200_000));
}

#[test]
fn a_session_is_named_by_the_beginning_of_its_id_or_by_its_path() {
    let temp = tempfile::tempdir().unwrap();
    let talks = temp.path().join(".tiny/talks");
    let path = put(&talks, "abc1.tiny", TALK);
    put(&talks, "abc1/subs/s.tiny", "{\"id\":\"s\"}\n");
    put(&talks, "abd.tiny", TALK);
    put(&talks, "ab.tiny", TALK);
    let catalog = catalog(temp.path());
    let id = |query: &str| catalog.open(query, &[]).map(|opened| opened.session().id.clone());
    assert_eq!(id("abc").unwrap(), "abc1");
    assert_eq!(id("tiny:abd").unwrap(), "abd");
    assert_eq!(id("ab").unwrap(), "ab", "a whole id is not the beginning of another");
    assert!(id("a").unwrap_err().to_string().contains("the ids of 3 sessions"));
    assert!(id("zz").unwrap_err().hint().unwrap().contains("verbatim list"));
    let opened = catalog.open(path.to_str().unwrap(), &[]).unwrap();
    assert_eq!(opened.session().bundle.members.len(), 2, "what belongs to it is read with it");
}

/// One prompt and its answer of a session, the answer's text as given.
fn talk(answers: &[&str]) -> String {
    let id = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e10";
    let line = |number: usize, role: &str, text: &str| {
        format!(
            concat!(
                r#"{{"type":"{}","uuid":"u{}","parentUuid":{},"sessionId":"{}","#,
                r#""message":{{"role":"{}","content":"{}"}}}}"#
            ),
            role,
            number,
            number.checked_sub(1).map_or("null".to_owned(), |before| format!("\"u{before}\"")),
            id,
            role,
            text
        ) + "\n"
    };
    let mut text = line(0, "user", "go");
    for (number, answer) in (1..).zip(answers) {
        text += &line(number, "assistant", answer);
    }
    text
}

#[test]
fn a_named_file_is_that_file_whatever_copies_are_beside_it() {
    let (short, long) = (talk(&["one"]), talk(&["one", "two"]));
    let other = talk(&["one", "elsewhere", "three"]);
    let cases = [
        ("equal", [&long, &long], 3),
        ("an older state beside it", [&long, &short], 3),
        ("a newer state beside it", [&short, &long], 2),
        ("another end", [&long, &other], 3),
    ];
    for (case, [own, copy], expected) in cases {
        for beside in ["backup.jsonl", "talk.v-1.jsonl", "talk.jsonl.old", "a.jsonl"] {
            let temp = tempfile::tempdir().unwrap();
            for folder in [temp.path().to_path_buf(), temp.path().join(".claude/projects/-p")] {
                std::fs::create_dir_all(&folder).unwrap();
                let path = folder.join("talk.jsonl");
                std::fs::write(&path, own).unwrap();
                std::fs::write(folder.join(beside), copy).unwrap();
                let machine = Machine { home: Some(temp.path().into()), ..Machine::default() };
                let catalog = Catalog { formats: formats::ALL, machine };
                let opened = catalog.open(&path, &[]).unwrap_or_else(|e| panic!("{case}: {e}"));
                assert_eq!(opened.session().len(), expected, "{case}, {beside}");
                let named = catalog.open("5f1e", std::slice::from_ref(&path));
                assert_eq!(named.unwrap().session().len(), expected, "{case}, {beside}, by id");
                let both = [path.clone(), folder.join(beside)];
                assert_eq!(catalog.find(&both).sources.len(), 2, "{case}: each file is one");
            }
        }
    }
}

/// The tiny format, which counts its probes.
struct Counting(AtomicUsize);

impl Format for Counting {
    fn data(&self) -> &'static FormatData {
        FORMATS[0].data()
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        self.0.fetch_add(1, Ordering::Relaxed);
        FORMATS[0].claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        FORMATS[0].read_with(bundle, memory)
    }

    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        FORMATS[0].write(session)
    }
}

#[test]
fn many_files_of_one_folder_are_looked_at_once() {
    static COUNTING: Counting = Counting(AtomicUsize::new(0));
    let temp = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        (0..100).map(|at| put(temp.path(), &format!("{at}.tiny"), TALK)).collect();
    put(temp.path(), "7/subs/s.tiny", TALK);
    let catalog = Catalog { formats: &[&COUNTING], machine: Machine::default() };
    let found = catalog.find(&paths);
    assert_eq!(found.sources.len(), 100);
    assert_eq!(found.sources[7].files.len(), 2, "what belongs to it is found as before");
    assert_eq!(COUNTING.0.load(Ordering::Relaxed), 101);
}

#[test]
fn files_that_an_agent_keeps_credentials_in_are_never_opened() {
    let temp = tempfile::tempdir().unwrap();
    let names = [".credentials.json", "oauth_creds.json", "mcp-oauth-tokens.json", "mcp-auth.json"];
    for name in names {
        put(temp.path(), name, "{\"key\":\"never to be read\"}");
    }
    let found = verbatim_catalog::scan(formats::ALL, &[verbatim_catalog::Root::named(temp.path())]);
    assert_eq!(found.skipped.len(), names.len());
    assert!(found.skipped.iter().all(|skipped| skipped.why.to_string().contains("never opened")));
}

/// An id opens the files that a list has of its session, in every sample and real session: the main
/// history is not left behind where only a sub-agent's file or folder has the whole id.
#[test]
fn an_id_opens_all_files_of_its_session() {
    let mut folders: Vec<PathBuf> = Vec::new();
    for format in samples::formats() {
        let cases = std::fs::read_dir(format.join("samples")).into_iter().flatten();
        folders.extend(cases.flatten().map(|case| case.path()).filter(|path| path.is_dir()));
    }
    folders.extend(["gemini", "codewhale"].iter().filter_map(|agent| {
        samples::corpus().map(|corpus| corpus.join(agent)).filter(|folder| folder.is_dir())
    }));
    let catalog = Catalog::here();
    let (mut opened, mut wrong) = (0, Vec::new());
    for folder in folders {
        let within = [folder.clone()];
        for source in catalog.find(&within).sources {
            let Ok(read) = catalog.read(&source) else { continue };
            for session in read.sessions.iter().filter(|session| !session.remainder) {
                // Two copies of a session have one id: then no id names one of them.
                let Ok(by_id) = catalog.open(session.uid(), &within) else { continue };
                opened += 1;
                let names = |session: &Session| -> Vec<(String, usize)> {
                    let members = session.bundle.members.iter();
                    members.map(|member| (member.name.clone(), member.stored_length())).collect()
                };
                let alone = session.clone().alone();
                if names(&alone).len() > names(by_id.session()).len() {
                    wrong.push(format!("{}: {}", folder.display(), session.uid()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(opened > 60, "{opened} sessions");
}
