//! Search: words in decoded text, by session and turn.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;
#[path = "search/gone.rs"]
mod gone;
#[path = "search/newest.rs"]
mod newest;
use common::{ID, Place, on_terminal, put, talk};

const OTHER: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";

/// The sessions that a search finds, with the parts of their hits.
fn found(place: &Place, args: &[&str]) -> Vec<(String, Vec<String>)> {
    let ran = place.run(&[&["search", "--json"], args].concat());
    assert!(matches!(ran.code, 0 | 1), "{args:?}: {}", ran.err);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let sessions = json["sessions"].as_array().unwrap();
    assert_eq!(ran.code == 1, sessions.is_empty(), "{args:?}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let parts = |session: &Value| {
        session["hits"].as_array().unwrap().iter().map(|hit| text(&hit["part"])).collect()
    };
    sessions.iter().map(|session| (text(&session["id"]), parts(session))).collect()
}

fn hit(id: &str, parts: &[&str]) -> (String, Vec<String>) {
    (id.to_owned(), parts.iter().map(|part| (*part).to_owned()).collect())
}

#[test]
fn words_are_found_in_every_part_of_a_conversation() {
    let place = Place::with_sessions();
    let both = |part| vec![hit(ID, &[part, part]), hit(OTHER, &[part])];
    assert_eq!(found(&place, &["windows"]), [hit(OTHER, &["prompt"])]);
    assert_eq!(found(&place, &["there", "PAINT".to_lowercase().as_str()]), both("answer"));
    assert_eq!(found(&place, &["green it is"]), both("thought"));
    assert_eq!(found(&place, &["--", "--green"]), both("call"));
    assert_eq!(found(&place, &["front back"]), both("output"), "a line break is white space");
    assert_eq!(found(&place, &["Windows"]), [], "a capital letter makes case count");
    assert_eq!(found(&place, &["windows", "paint"]), [], "not in one text");
    assert_eq!(found(&place, &["nowhere"]), []);
}

#[test]
fn parts_filters_and_expressions_narrow_a_search() {
    let place = Place::with_sessions();
    let paint = found(&place, &["paint"]);
    assert_eq!(paint[1], hit(OTHER, &["call", "output", "answer"]), "{paint:?}");
    assert_eq!(found(&place, &["paint", "--only", "answers"])[1], hit(OTHER, &["answer"]));
    assert_eq!(found(&place, &["paint", "--only", "tools"])[1], hit(OTHER, &["call", "output"]));
    assert_eq!(found(&place, &["paint", "--only", "errors"])[1], hit(OTHER, &["output"]));
    assert_eq!(found(&place, &["paint", "--until", "2026-02-10"]).len(), 1);
    assert_eq!(found(&place, &["paint", "--agent", "codex"]), []);
    assert_eq!(found(&place, &["paint", "-n", "1"]).len(), 1);
    assert_eq!(found(&place, &["-e", r"count\s+the w\w+s$"]), [hit(OTHER, &["prompt"])]);
    let wrong = place.run(&["search", "--regex", "("]);
    assert!(wrong.code == 2 && wrong.err.contains("without `--regex`"), "{}", wrong.err);
}

/// The file has escapes where the text has letters, as some writers put them.
#[test]
fn escaped_text_is_found() {
    let place = Place::new();
    let text = talk(ID, r"T\u00fcr \u0067r\u00fcn <b> caf\u00e9", "2026-03-01T10:0");
    put(&place.path().join(format!("{ID}.jsonl")), &text);
    for words in ["Tür grün", "türen", "grün", "café", "<b>", "tür gr"] {
        let all = found(&place, &[words, "-C", "."]);
        assert_eq!(all.len(), usize::from(words != "türen"), "{words}");
    }
}

#[test]
fn hits_are_shown_with_the_commands_that_open_them() {
    let place = Place::with_sessions();
    let shown = on_terminal(&place, &["search", "doors", "--color", "never"], 120, &[]);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("claude-code  /home/ana/shop  "), "{shown}");
    assert!(lines[0].ends_with("› Paint the **door** green"), "{shown}");
    // The ids of the samples differ in their last characters.
    let short = &ID[..ID.len() - 1];
    let open = format!("  read: verbatim show {short} --from 1 --all");
    let at = lines.iter().position(|line| *line == open).unwrap();
    assert!(lines[..at].iter().any(|line| line.starts_with("  turn 1 · ")), "{shown}");
    assert!(shown.contains(&format!("  continue: verbatim resume {short}\n")), "{shown}");
    assert!(lines[0].contains(&format!("  {short}  ")), "{shown}");
    assert!(!shown.contains(ID), "{shown}");
    let words: Vec<&str> = open.split_whitespace().skip(2).collect();
    assert_eq!(place.run(&words).code, 0);
    let piped = place.run(&["search", "windows"]).out;
    let time = "2026-02-01T10:00:00.000000Z";
    assert_eq!(piped, format!("claude-code:{OTHER}\t1\tprompt\t{time}\tCount the windows\n"));
}

/// Also a hit before the first prompt, and one in an output, which is folded.
#[test]
fn the_command_of_a_hit_shows_it() {
    let place = Place::with_sessions();
    let early = talk(OTHER, "Later", "2026-02-01T10:0");
    let (_, answer) = early.trim_end().rsplit_once('\n').unwrap();
    assert!(answer.contains("\"assistant\""), "{answer}");
    let answer = answer.replace(&format!("\"{OTHER}-5\""), "null").replace("-6\"", "-first\"");
    let id = "0b5c7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33";
    let text = format!("{answer}\n{early}").replace(OTHER, id);
    put(&place.path().join(format!("home/.claude/projects/-early/{id}.jsonl")), &text);
    let mut turns = Vec::new();
    for words in ["doors", "front", "--green", "there", "green it"] {
        let shown = on_terminal(&place, &["search", "--color", "never", "--", words], 200, &[]);
        let commands = shown.lines().filter(|line| line.starts_with("  read: verbatim show "));
        for command in commands {
            let arguments: Vec<&str> = command.split_whitespace().skip(2).collect();
            let ran = place.run(&arguments);
            let is_shown = ran.out.to_lowercase().contains(words);
            assert!(ran.code == 0 && is_shown, "{command}: {}", ran.out);
            turns.push(command.contains("--from 0"));
        }
    }
    assert!(turns.contains(&true) && turns.contains(&false), "{turns:?}");
}

/// Ids that begin with a time are alike: the short ones are as long as they must be, and the same
/// as those of `list`. Sessions without a match count too.
#[test]
fn a_session_has_one_short_id_that_every_command_takes() {
    let place = Place::new();
    let ids = ["0198c2f4-7a10-7000-8000-00000000000", "0198c2f4-7a10-7000-8000-00000000000"];
    let ids = [format!("{}1", ids[0]), format!("{}2", ids[1])];
    let others = ["0198c2f4-7a11-7000-8000-000000000003", "0298c2f4-7a11-7000-8000-000000000004"];
    for (id, said) in ids
        .iter()
        .map(|id| (&**id, "Oil the hinge"))
        .chain([(others[0], "Count the windows"), (others[1], "Oil the other hinge")])
    {
        let text = talk(id, said, "2026-02-01T10:0");
        put(&place.path().join(format!("home/.claude/projects/-shop/{id}.jsonl")), &text);
    }
    let words = ["search", "hinge", "--color", "never", "--all-projects"];
    let shown = on_terminal(&place, &words, 200, &[]);
    let listed = on_terminal(&place, &["list", "--all", "--color", "never"], 200, &[]);
    for id in [&*ids[0], &*ids[1], &others[1][..8]] {
        assert_eq!(shown.matches(&format!("verbatim resume {id}\n")).count(), 1, "{shown}");
        assert!(listed.contains(id), "{listed}");
        for command in ["show", "receipt", "usage", "check", "list"] {
            let ran = place.run(&[command, id]);
            assert!(ran.code < 2, "{command} {id}: {}{}", ran.out, ran.err);
        }
    }
    assert!(!shown.contains(&others[1][..9]), "{shown}");
    let within = place.path().join("home/.claude/projects").display().to_string();
    let shown = on_terminal(&place, &[&words[..4], &["-C", &within]].concat(), 200, &[]);
    let read = shown.lines().find(|line| line.contains("read: verbatim show 0298c2f4 -C "));
    let read: Vec<&str> = read.unwrap().split_whitespace().skip(2).collect();
    assert_eq!(place.run(&read).code, 0, "{shown}");
}

#[test]
fn a_search_of_nothing_says_so() {
    let place = Place::with_sessions();
    let ran = place.run(&["search", "zebra"]);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (1, "", "nothing was found\n"));
    let ran = place.run(&["search", "x", "-C", "nowhere"]);
    assert!(ran.code == 3 && ran.err.contains("nowhere"), "{}", ran.err);
    for word in ["find", "grep"] {
        assert!(place.run(&[word, "x"]).err.contains("`verbatim search WORDS`"), "{word}");
    }
}

/// Files that hold credentials are not opened for a search either.
#[test]
fn credentials_are_not_searched() {
    let place = Place::with_sessions();
    let path = place.path().join("home/.claude/projects/-home-ana-shop/auth.json");
    put(&path, &talk(ID, "zebra", "2026-03-01T10:0"));
    assert_eq!(found(&place, &["zebra"]), []);
}

/// The name of a tool, the title that `list` shows, and what the agent reports of a request that
/// failed are found, as `show --grep` finds what it shows.
#[test]
fn names_of_tools_titles_and_errors_are_found() {
    let place = Place::with_sessions();
    let id = "7d1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e77";
    let line = |at: usize, kind: &str, more: &str, content: &str| {
        let parent = if at == 0 { "null".into() } else { format!("\"u{}\"", at - 1) };
        format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"cwd\":\"/home/ana/pond\",{more}\
             \"sessionId\":\"{id}\",\"version\":\"2.1.34\",\"type\":\"{kind}\",\
             \"message\":{{\"role\":\"{kind}\",\"content\":{content}}},\"uuid\":\"u{at}\",\
             \"timestamp\":\"2026-03-01T10:00:0{at}.000Z\"}}"
        )
    };
    let call = r#"[{"type":"tool_use","id":"c1","name":"mcp__tracker__open_ticket","input":{}}]"#;
    let result = r#"[{"type":"tool_result","tool_use_id":"c1","content":"fine"}]"#;
    let error = r#"[{"type":"text","text":"API Error: Overloaded"}]"#;
    let lines = [
        line(0, "user", "", "\"look at the pond\""),
        line(1, "assistant", "", call),
        line(2, "user", "", result),
        line(3, "assistant", "\"isApiErrorMessage\":true,", error),
        format!(r#"{{"type":"custom-title","customTitle":"Heron plan","sessionId":"{id}"}}"#),
    ];
    let file = format!("home/.claude/projects/-home-ana-pond/{id}.jsonl");
    put(&place.path().join(file), &lines.join("\n"));
    assert_eq!(found(&place, &["open_ticket"]), [hit(id, &["call"])]);
    assert_eq!(found(&place, &["open_ticket", "--only", "calls"]), [hit(id, &["call"])]);
    assert_eq!(found(&place, &["open_ticket", "--only", "outputs"]), []);
    assert_eq!(found(&place, &["heron"]), [hit(id, &["title"])]);
    assert_eq!(found(&place, &["heron", "--only", "prompts"]), []);
    assert_eq!(found(&place, &["overloaded"]), [hit(id, &["notice"])]);
    let shown = place.run(&["show", id, "--grep", "open_ticket"]);
    assert!(shown.out.contains("open_ticket"), "{}", shown.out);
}
