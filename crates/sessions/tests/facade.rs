//! The facade over every sample: each file that a format claims is read, and keeps its bytes.

use std::path::{Path, PathBuf};

use verbatim_sessions::conversation::{self, TalkPart};
use verbatim_sessions::{
    Detected, Error, Kind, Outcome, SessionTalk as _, TalkSection, detect, proof, read, turn,
};

#[path = "../examples/prompts.rs"]
#[allow(dead_code)]
mod prompts;

#[path = "../examples/calls.rs"]
#[allow(dead_code)]
mod calls;

#[path = "../examples/convert.rs"]
#[allow(dead_code)]
mod convert;

#[path = "../examples/transcript.rs"]
#[allow(dead_code)]
mod transcript;

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

fn formats() -> PathBuf {
    samples::workspace().join("crates/formats/src")
}

#[test]
fn every_sample_is_read_and_keeps_its_bytes() {
    let mut found = Vec::new();
    files(&formats(), &mut found);
    let (mut sessions, mut packed) = (0, 0);
    for path in found.iter().filter(|path| path.components().any(|c| c.as_os_str() == "samples")) {
        let name = path.to_string_lossy();
        let bytes = std::fs::read(path).expect("a sample");
        let is_part = matches!(detect(&name, &bytes), Detected::Part { .. });
        match read(&name, bytes.clone()) {
            Ok(all) => {
                assert!(is_part, "{name}");
                assert_eq!(proof::check(&all, 3), [], "{name}");
                let stored = |s: &verbatim_sessions::Session| {
                    s.bundle.members.len() == 1 && s.bundle.members[0].stored_bytes() == bytes
                };
                assert!(all.iter().all(stored), "{name}");
                sessions += all.len();
            }
            Err(Error::Packed { .. }) => packed += 1,
            Err(error) => assert!(!is_part, "{error}"),
        }
    }
    assert!(sessions > 100 && packed > 0, "{sessions} sessions, {packed} packed files");
}

#[test]
fn bytes_that_are_no_session_have_a_reason() {
    let error = read("notes.txt", b"Buy milk.\n".to_vec()).expect_err("no session");
    assert_eq!(error, Error::Unknown { name: "notes.txt".into() });
    assert!(error.to_string().starts_with("notes.txt: unrecognized"));
}

/// A sample, by its folder.
fn sample(folder: &str) -> String {
    let mut found = Vec::new();
    files(&samples::of_format(folder), &mut found);
    let path = found.iter().find(|path| path.extension().is_some_and(|e| e == "jsonl"));
    path.expect("a sample").to_string_lossy().into_owned()
}

/// The lines that an example prints.
fn printed(example: impl FnOnce(&mut Vec<u8>) -> Result<(), Box<dyn std::error::Error>>) -> String {
    let mut out = Vec::new();
    example(&mut out).expect("a session");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn the_example_prints_the_prompts() {
    let text = printed(|out| prompts::print(&sample("codex/samples/rewound"), out));
    let wanted = "codex 019e8000-0000-7000-8000-000000000010\n\
                  > cut the blue squares\n> cut the red squares\n> sew them\n\
                  > sew the border in white\n";
    assert_eq!(text, wanted);
}

#[test]
fn the_example_pairs_calls_with_their_results() {
    let text = printed(|out| calls::print(&sample("codex/samples/newest"), out));
    let wanted = "codex 019fb000-0000-7000-8000-000000000040, prompts: 1\n- shell: answered\n";
    assert_eq!(text, wanted);
}

#[test]
fn the_example_converts_in_memory() {
    let text = printed(|out| convert::print(&sample("codex/samples/rewound"), "gemini", out));
    let file = "session-2026-10-21T11-00-0284f77a-da295a74.jsonl";
    let wanted = format!("{file}: 1428 bytes\n85 rows of its ledger\n");
    assert_eq!(text, wanted);
}

#[test]
fn the_example_shows_a_transcript() {
    let text = printed(|out| transcript::print(&sample("codex/samples/newest"), out));
    let wanted = "codex 019fb000-0000-7000-8000-000000000040 in /home/kei/lantern, by gpt-6.1-sol\n\
                  0 inserted: \"<permissions>all</permissions>\"\n\
                  1 prompt: \"Trim the wick by two.\"\n1 inserted: \"The wick is nine long.\"\n\
                  1 thought: \"Nine less two\"\n1 call, answered: \"shell\"\n\
                  1 answer: \"Trimmed to seven.\"\n";
    assert_eq!(text, wanted);
}

/// The packages of the library: no SQLite, no signals, no pool of threads, no rules of redaction.
/// A new one is a decision.
#[test]
fn the_library_needs_these_packages_only() {
    let tree = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--package", "verbatim-sessions", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}", "--offline", "--locked"])
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .current_dir(samples::workspace())
        .output()
        .expect("cargo");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).expect("UTF-8");
    let names: std::collections::BTreeSet<&str> =
        text.lines().filter_map(|line| line.split(' ').next()).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    assert_eq!(names.join(" "), PACKAGES);
}

const PACKAGES: &str = "\
    adler2 base64 block-buffer bstr cfg-if cpufeatures crc32fast crypto-common digest \
    flate2 foldhash generic-array gix-imara-diff hashbrown jiff jiff-core md-5 memchr \
    miniz_oxide proc-macro2 quote sha2 simd-adler32 simdutf8 syn thiserror thiserror-impl \
    typenum unicode-ident unicode-width verbatim-formats verbatim-meaning verbatim-replay \
    verbatim-session verbatim-sessions verbatim-views";

/// In a file of an agent that sends results of tools as messages of the user, prompts are what a
/// person typed.
#[test]
fn prompts_are_no_carriers_of_results() {
    let line = |uuid: u32, kind: &str, message: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"u{uuid}\",\"parentUuid\":{},\"sessionId\":\"s1\",\
             \"isSidechain\":false,\"timestamp\":\"2026-03-02T09:00:{uuid:02}.000Z\",\
             \"version\":\"2.1.0\",\"cwd\":\"/home/ana/shop\",\"message\":{message}}}\n",
            if uuid == 1 { "null".to_owned() } else { format!("\"u{}\"", uuid - 1) },
        )
    };
    let call = |id: &str, command: &str| {
        format!(
            "{{\"role\":\"assistant\",\"id\":\"m{id}\",\"type\":\"message\",\"model\":\"m\",\
             \"content\":[{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Bash\",\
             \"input\":{{\"command\":\"{command}\"}}}}]}}"
        )
    };
    let result = |id: &str, text: &str, bad: bool| {
        format!(
            "{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"{id}\",\
             \"content\":\"{text}\",\"is_error\":{bad}}}]}}"
        )
    };
    let file = [
        line(1, "user", "{\"role\":\"user\",\"content\":\"Sand the shelf.\"}"),
        line(2, "assistant", &call("t1", "ls shelf")),
        line(3, "user", &result("t1", "boards", false)),
        line(4, "assistant", &call("t2", "sand --fine")),
        line(5, "user", &result("t2", "no paper", true)),
        line(6, "user", "{\"role\":\"user\",\"content\":\"Buy paper.\"}"),
    ]
    .concat();
    let sessions = read("s1.jsonl", file.into_bytes()).expect("a session");
    let session = &sessions[0];
    let users = session.events().filter(|event| event.kind == Kind::User).count();
    let prompts: Vec<_> = session.prompts().collect();
    assert_eq!((users, prompts.len()), (4, 2));
    let told: Vec<(u64, &str)> = prompts.iter().map(|it| (it.turn, &*it.text)).collect();
    assert_eq!(told, [(1, "Sand the shelf."), (2, "Buy paper.")]);
    let calls: Vec<_> = session.calls().collect();
    let first = &calls[0];
    assert_eq!((&*first.name, &*first.subject, first.turn), ("Bash", "ls shelf", 1));
    assert_eq!(first.input.as_deref(), Some("{\"command\":\"ls shelf\"}"));
    assert_eq!(first.result.as_ref().map(|result| &*result.text), Some("boards"));
    assert!(first.live && first.started < first.ended());
    assert_eq!(calls[1].outcome().map(Outcome::is_bad), Some(true));
}

/// Of every sample: each prompt opens its turn, and each call has what its event has.
#[test]
fn prompts_and_calls_of_every_sample_are_those_of_its_turns() {
    let mut found = Vec::new();
    files(&formats(), &mut found);
    let (mut prompts, mut calls) = (0, 0);
    for path in found.iter().filter(|path| path.components().any(|c| c.as_os_str() == "samples")) {
        let name = path.to_string_lossy();
        let bytes = std::fs::read(path).expect("a sample");
        for session in read(&name, bytes).into_iter().flatten() {
            let all: Vec<_> = session.prompts().collect();
            let turns: Vec<u64> = all.iter().map(|prompt| prompt.turn).collect();
            assert_eq!(turns, (1..=all.len() as u64).collect::<Vec<_>>(), "{name}");
            for prompt in &all {
                assert_eq!(conversation::of(prompt.event).part, TalkPart::Prompt, "{name}");
            }
            let opened = turn::turns(&session).iter().filter_map(|turn| turn.prompt).count();
            assert!(opened <= all.len(), "{name}");
            prompts += all.len();
            let made = session.events().filter(|event| event.kind == Kind::ToolCall).count();
            assert_eq!(session.calls().count(), made, "{name}");
            calls += made;
        }
    }
    assert!(prompts > 100 && calls > 100, "{prompts} prompts, {calls} calls");
}

/// Each text has its part, its turn and its place; what a call did is two texts of one item.
#[test]
fn the_texts_of_a_session_have_their_parts_and_places() {
    let line = |at: usize, role: &str, content: &str| {
        let parent = if at == 0 { "null".into() } else { format!("\"u{}\"", at - 1) };
        format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"sessionId\":\"s1\",\
             \"version\":\"2.1.34\",\"cwd\":\"/srv/mill\",\"type\":\"{role}\",\
             \"message\":{{\"role\":\"{role}\",\"content\":{content}}},\"uuid\":\"u{at}\",\
             \"timestamp\":\"2026-03-01T10:00:0{at}.000Z\"}}\n"
        )
    };
    let call =
        r#"[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/srv/mill/a"}}]"#;
    let refused =
        r#"[{"type":"tool_result","tool_use_id":"t1","content":"read-only","is_error":true}]"#;
    let text = [
        line(0, "user", "\"Mend the wheel.\""),
        line(
            1,
            "assistant",
            r#"[{"type":"thinking","thinking":"It is stuck.","signature":"c2ln"}]"#,
        ),
        line(2, "assistant", call),
        line(3, "user", refused),
        line(4, "assistant", r#"[{"type":"text","text":"It turns."}]"#),
        "{\"type\":\"custom-title\",\"customTitle\":\"The mill\",\"sessionId\":\"s1\"}\n".into(),
    ];
    let sessions = read("s1.jsonl", text.concat().into()).expect("a session");
    let texts = sessions[0].texts().map(|text| {
        let place = text.address().map(|address| (address.line, text.time().is_some()));
        (
            text.part.word(),
            text.narrow().map(TalkSection::word),
            text.turn,
            place,
            text.text().into_owned(),
        )
    });
    let place = |line: u32| Some((line, true));
    let expected = [
        ("title", None, 0, None, "The mill"),
        ("prompt", None, 1, place(1), "Mend the wheel."),
        ("thought", None, 1, place(2), "It is stuck."),
        ("call", Some("edit"), 1, place(3), "Write\nfile_path: /srv/mill/a"),
        ("output", Some("error"), 1, place(4), "read-only"),
        ("answer", None, 1, place(5), "It turns."),
    ];
    let expected = expected
        .map(|(part, narrow, turn, place, text)| (part, narrow, turn, place, text.to_owned()));
    let found: Vec<_> = texts.filter(|text| text.0 != "notice").collect();
    assert_eq!(found, expected);
}
