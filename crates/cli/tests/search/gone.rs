//! Prompts that an agent's own list still has of a session that is gone.

use serde_json::Value;

use super::common::{ID, Place, on_terminal, put};

const GONE: &str = "9d1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e90";
const THREAD: &str = "019d1e7f-2a0b-7a55-8f3e-0d7a4b1c9e91";
const CHAT: &str = "8d1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e92";

/// A home with lists of three agents, each with a prompt of a session that is gone.
fn place() -> Place {
    let place = Place::with_sessions();
    let put = |name: &str, text: &str| put(&place.path().join("home").join(name), text);
    let typed = |id: &str, at: u64, text: &str| {
        format!(
            "{{\"display\":\"{text}\",\"pastedContents\":{{\"1\":{{\"id\":1,\"type\":\"text\",\
             \"content\":\"a lantern\"}}}},\"timestamp\":{at},\"project\":\"/home/ana/mill\",\
             \"sessionId\":\"{id}\"}}\n"
        )
    };
    let list = typed(GONE, 1_770_000_000_000, "Mend the sluice\\u001b[2J gate")
        + &typed(ID, 1_770_000_100_000, "Paint the sluice")
        + &typed(GONE, 1_770_000_200_000, "/compact")
        + "{\"display\":\"cut sluice";
    put(".claude/history.jsonl", &list);
    let entry =
        format!("{{\"session_id\":\"{THREAD}\",\"ts\":1770000000,\"text\":\"a sluice\"}}\n");
    put(".codex/history.jsonl", &entry);
    let logged = format!(
        "[{{\"sessionId\":\"{CHAT}\",\"messageId\":0,\"type\":\"user\",\"message\":\"the sluice\",\
         \"timestamp\":\"2026-02-02T10:00:00.000Z\"}}]"
    );
    put(".gemini/tmp/mill/logs.json", &logged);
    put(".gemini/tmp/mill/.project_root", "/home/ana/mill");
    place
}

/// They are found, and said to be all that is left.
#[test]
fn prompts_of_sessions_that_are_gone_are_found() {
    let place = place();
    let ran = place.run(&["search", "--json", "sluice"]);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, json["sessions"].as_array().unwrap().len()), (0, 0), "{}", ran.out);
    let left = json["left"].as_array().unwrap();
    let of: Vec<(&str, &str)> = left
        .iter()
        .map(|left| (left["id"].as_str().unwrap(), left["folder"].as_str().unwrap_or_default()))
        .collect();
    let mill = "/home/ana/mill";
    assert_eq!(of, [(CHAT, mill), (GONE, mill), (THREAD, "")], "{}", ran.out);
    assert_eq!(left[1]["hits"][0]["turn"], 1);

    // What was pasted is found too; filters and parts narrow what is found.
    let count = |args: &[&str]| {
        let ran = place.run(&[&["search", "--json"], args].concat());
        let json: Value = serde_json::from_str(&ran.out).unwrap();
        json["left"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(count(&["lantern"]), 1);
    assert_eq!(count(&["sluice", "--agent", "codex"]), 1);
    assert_eq!(count(&["sluice", "--project", "mill"]), 2);
    assert_eq!(count(&["sluice", "--only", "answers"]), 0);
    assert_eq!(count(&["sluice", "--since", "2026-02-02T09:00"]), 1);
    let lines = place.run(&["search", "sluice"]).out;
    assert!(lines.lines().all(|line| line.split('\t').nth(2) == Some("left")), "{lines}");
    let shown = on_terminal(&place, &["search", "sluice", "--color", "never"], 80, &[]);
    let says = "the session is gone; only prompts are left, in ~/.claude/history.jsonl";
    assert!(shown.contains(says) && !shown.contains("\u{1b}[2J"), "{shown}");
    assert!(shown.contains(&format!("verbatim show codex:{THREAD}")), "{shown}");
}

/// `show` prints them, and no command takes them for a session.
#[test]
fn nothing_takes_prompts_that_are_left_for_a_session() {
    let place = place();
    let ran = place.run(&["show", &GONE[..8]]);
    assert!(ran.code == 0 && ran.out.contains("Mend the sluice"), "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("2 prompts") && ran.out.contains("the session is gone"),
        "{}",
        ran.out
    );
    for command in [&["resume", GONE] as &[&str], &["show", GONE, "--json"], &["check", GONE]] {
        let ran = place.run(command);
        assert!(ran.code == 3 && ran.err.contains("is gone: 2 prompts are all"), "{}", ran.err);
        assert!(ran.err.contains(&format!("`verbatim show claude-code:{GONE}`")), "{}", ran.err);
    }
    let file = place.path().join("page.html");
    let ran = place.run(&["export", THREAD, "-o", file.to_str().unwrap()]);
    assert!(ran.code == 3 && !file.exists(), "{}{}", ran.out, ran.err);

    // A list has only whole sessions, and says how many are gone.
    let listed = place.run(&["list", "--all-projects"]);
    assert!(!listed.out.contains(GONE), "{}", listed.out);
    let says = "only prompts are left of 3 sessions that are gone";
    assert!(listed.err.contains(says), "{}", listed.err);
    let other = place.run(&["list", "--agent", "codex"]).err;
    assert!(other.contains("of 1 session that is gone"), "{other}");
}

/// A list of prompts that is too long to be read is named, and is no failure of anything else.
#[test]
fn a_list_of_prompts_that_cannot_be_read_is_named() {
    let place = place();
    let list = place.path().join("home/.claude/history.jsonl");
    let file = std::fs::File::options().write(true).open(list).unwrap();
    file.set_len(300 << 20).unwrap();
    for command in [&["search", "sluice"] as &[&str], &["list", "--all-projects"]] {
        let ran = place.run(command);
        assert_eq!(ran.code, 3, "{command:?}: {}", ran.err);
        assert!(ran.err.contains("history.jsonl: ") && ran.err.contains("bytes"), "{}", ran.err);
    }
    let found = place.run(&["search", "sluice"]).out;
    assert!(found.contains(THREAD) && !found.contains(GONE), "{found}");
}
