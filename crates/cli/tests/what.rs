//! The names of sessions: selectors, beginnings of ids, agents, and the report if several or none
//! have a name.
#![allow(clippy::unwrap_used)]

use std::process::Stdio;

mod common;
use common::{ID, Place, Ran, put, ran, talk};

const OTHER: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";

/// A home with two sessions of a folder that exists, and a newer one of another folder.
fn place() -> Place {
    let place = Place::new();
    let shop = place.path().canonicalize().unwrap().join("shop");
    std::fs::create_dir_all(shop.join("web")).unwrap();
    let folder = place.path().join("home/.claude/projects/-shop");
    for (id, prompt, day) in [(ID, "Paint", "2026-03-01T10:0"), (OTHER, "Sand", "2026-02-01T10:0")]
    {
        let text = talk(id, prompt, day).replace("/home/ana/shop", shop.to_str().unwrap());
        put(&folder.join(format!("{id}.jsonl")), &text);
    }
    let newest = "0b5c7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33";
    let text = talk(newest, "Varnish", "2026-04-01T10:0");
    put(&folder.join(format!("{newest}.jsonl")), &text);
    place
}

/// Runs a command in a folder.
fn run_in(place: &Place, folder: &str, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command.current_dir(place.path().join(folder)).stdin(Stdio::null());
    ran(command.output().unwrap())
}

#[test]
fn the_newest_session_of_a_folder_has_a_short_name() {
    let place = place();
    let shown = |folder: &str, args: &[&str]| {
        let ran = run_in(&place, folder, &[&["show"], args].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out
    };
    for args in [&[][..], &["@"], &["last~1"], &["@", "--since", "2026-02-10"]] {
        assert!(shown("shop", args).contains("▌ Paint\n"), "{args:?}");
    }
    assert!(shown("shop", &["@~1"]).contains("▌ Sand\n"));
    assert!(shown("shop", &["@~"]).contains("▌ Sand\n"));
    assert!(shown("shop", &["last"]).contains("▌ Varnish\n"));
    assert!(shown("", &["--project", "/home/ana/shop"]).contains("▌ Varnish\n"));
    // A folder of a repository without sessions of its own has those of the repository.
    std::fs::create_dir(place.path().join("shop/.git")).unwrap();
    assert!(shown("shop/web", &[]).contains("▌ Paint\n"));
    for command in [&["check"][..], &["usage"], &["attribution"], &["convert", "--to", "vac"]] {
        let ran = run_in(&place, "shop", &[command, &["@"]].concat());
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.err);
    }
}

#[test]
fn a_folder_without_sessions_says_how_many_there_are_elsewhere() {
    let place = place();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    let ran = run_in(&place, "empty", &["show"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("no session of this folder"), "{}", ran.err);
    assert!(ran.err.contains("3 sessions in other folders"), "{}", ran.err);
    let ran = run_in(&place, "shop", &["show", "@~7"]);
    assert!(ran.code == 2 && ran.err.contains("there are only 2 sessions"), "{}", ran.err);
    let ran = run_in(&place, "shop", &["show", ID, "--agent", "codex"]);
    assert!(ran.code == 2 && ran.err.contains("leave one of both out"), "{}", ran.err);
}

#[test]
fn a_list_begins_with_the_sessions_of_this_folder() {
    let place = place();
    let list = |args: &[&str]| {
        let ran = run_in(&place, "shop", &[&["list"], args].concat());
        (ran.out.lines().count().saturating_sub(1), ran.err)
    };
    let (rows, told) = list(&[]);
    assert_eq!(rows, 2);
    assert_eq!(told, "1 session of other folders: `--all-projects` shows them\n");
    assert_eq!(list(&["--all-projects"]), (3, String::new()));
    assert_eq!(list(&["--project", "shop"]), (3, String::new()));
    assert_eq!(list(&[ID]), (1, String::new()));
    assert_eq!(list(&["-C", "../home/.claude/projects"]), (3, String::new()));
    let (found, told) = {
        let ran = run_in(&place, "shop", &["search", "paint left"]);
        (ran.out.lines().count(), ran.err)
    };
    assert!(found == 2 && told.contains("1 session of other folders"), "{found} {told}");
}

#[test]
fn an_id_has_any_case_and_may_have_an_agent() {
    let place = place();
    let upper = ID.to_uppercase();
    for name in
        [&*upper, "claude:5F1E7F1E-2A0B-4A55-8F3E-0D7A4B1C9E1", &format!("claude-code:{ID}")]
    {
        let ran = place.run(&["show", name]);
        assert!(ran.code == 0 && ran.out.contains("▌ Paint\n"), "{name}: {}", ran.err);
    }
    assert_eq!(place.run(&["show", &format!("codex:{ID}")]).code, 3);
    assert_eq!(place.run(&["show", "claude"]).code, 3, "no agent's name is the beginning of an id");
}

#[test]
fn several_sessions_of_a_name_are_a_table_and_a_similar_one_is_told() {
    let place = place();
    let ran = place.run(&["show", "5f1e"]);
    assert_eq!(ran.code, 3);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines[0], "error: `5f1e` is the beginning of 2 session ids");
    assert!(lines[2].contains(ID) && lines[2].contains("Paint"), "{}", ran.err);
    assert!(lines[3].contains(OTHER) && lines[3].contains("Sand"), "{}", ran.err);
    let ran = place.run(&["show", "0b5d7f1e"]);
    assert!(ran.err.contains("the most similar one is claude-code:0b5c7f1e"), "{}", ran.err);
    assert!(!place.run(&["show", "zzzzzzzz"]).err.contains("most similar"));
    // Of the ids that begin alike, the newest.
    let ran = place.run(&["show", "5f1e7f1e-ffff-ffff"]);
    assert!(ran.err.contains(&format!("the most similar one is claude-code:{ID}")), "{}", ran.err);
}

/// A path that leads to nothing is the same fault for every command.
#[test]
fn a_path_that_does_not_exist_is_a_failure_that_says_what_to_do() {
    let place = place();
    for args in [
        &["list", "/nowhere/at/all"][..],
        &["check", "/nowhere/at/all"],
        &["scan", "/nowhere/at/all"],
        &["usage", "/nowhere/at/all"],
        &["fidelity", "/nowhere/at/all"],
        &["show", "/nowhere/at/all"],
        &["validate", "/nowhere/at/all"],
        &["attribution", "/nowhere/at/all"],
        &["list", "-C", "/nowhere/at/all"],
        &["usage", "-C", "/nowhere/at/all", "--by", "day"],
        &["search", "word", "-C", "/nowhere/at/all"],
        &["show", "last", "-C", "/nowhere/at/all"],
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{args:?}: {}", ran.err);
        let told = "error: there is no file or folder `/nowhere/at/all`\n  `verbatim list -v`";
        assert!(ran.err.starts_with(told), "{args:?}: {}", ran.err);
    }
    // Beside a folder that exists, it is reported.
    let ran = place.run(&["list", "home", "/nowhere/at/all"]);
    assert_eq!((ran.code, ran.out.lines().count()), (3, 4), "{}", ran.err);
    assert!(ran.err.contains("/nowhere/at/all: cannot be read"), "{}", ran.err);
}

/// The name of an agent that there is not is a fault of the command line.
#[test]
fn an_unknown_agent_is_the_same_fault_everywhere() {
    let place = place();
    for args in [
        &["resume", ID, "--to", "bogus"][..],
        &["resume", "--undo", ID, "--to", "bogus"],
        &["list", "--agent", "bogus"],
        &["migrate", "bogus"],
        &["resume", ID, "--to", "vac"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("codex") || args[0] == "migrate", "{args:?}: {}", ran.err);
    }
}

/// A thread of Codex with one prompt.
fn thread(day: &str, prompt: &str) -> String {
    let line = |kind: &str, payload: &str| {
        format!(
            "{{\"timestamp\":\"{day}T10:00:00Z\",\"type\":\"{kind}\",\"payload\":{{{payload}}}}}\n"
        )
    };
    let meta = format!(
        "\"id\":\"{ID}\",\"timestamp\":\"{day}T10:00:00Z\",\"cwd\":\"/home/ana/shop\",\
         \"originator\":\"codex_cli_rs\",\"cli_version\":\"0.98.0\""
    );
    let asked = format!(
        "\"type\":\"message\",\"role\":\"user\",\
         \"content\":[{{\"type\":\"input_text\",\"text\":\"{prompt}\"}}]"
    );
    line("session_meta", &meta) + &line("response_item", &asked)
}

/// Its id names both, so that only its file names the newest one.
#[test]
fn the_newest_of_two_sessions_with_one_id_is_opened() {
    let place = Place::new();
    for (day, prompt) in [("2026-03-01", "Paint"), ("2026-02-01", "Sand")] {
        let folder = format!("home/.codex/sessions/{}", day.replace('-', "/"));
        let file = format!("{folder}/rollout-{day}T10-00-00-{ID}.jsonl");
        put(&place.path().join(file), &thread(day, prompt));
    }
    assert_eq!(place.run(&["show", ID]).code, 3, "the id names both");
    for (name, prompt) in [("last", "Paint"), ("last~1", "Sand")] {
        let ran = place.run(&["show", name]);
        assert!(ran.code == 0 && ran.out.contains(&format!("▌ {prompt}\n")), "{name}: {}", ran.err);
    }
    let checked = place.run(&["check", "--json", "last"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    assert_eq!(checked.out.matches("rollout-2026-").count(), 1, "{}", checked.out);
}

/// Every command that takes several sessions is narrowed by the same filters.
#[test]
fn filters_narrow_every_command() {
    let place = place();
    let checked = |args: &[&str]| {
        let ran = run_in(&place, "shop", &[&["check", "--json"], args].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out.matches("\"claude-code:").count() + ran.out.matches("\"sessions\"").count()
    };
    let (all, here) = (checked(&[]), checked(&["--here"]));
    assert!(here < all, "{here} of {all}");
    assert!(checked(&["--since", "2026-03-15"]) < here);
    for command in ["scan", "fidelity", "usage"] {
        let ran = run_in(&place, "shop", &[command, "--json", "--agent", "codex"]);
        assert!(ran.code == 0 && !ran.out.contains(ID), "{command}: {}{}", ran.out, ran.err);
    }
}
