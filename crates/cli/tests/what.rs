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
    assert!(ran.err.contains("this folder has no sessions"), "{}", ran.err);
    assert!(ran.err.contains("3 sessions in other folders"), "{}", ran.err);
    let ran = run_in(&place, "shop", &["show", "@~7"]);
    assert!(ran.code == 2 && ran.err.contains("only 2 sessions"), "{}", ran.err);
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
    // Other programs get the same ones, and the number of the others.
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&run_in(&place, "shop", args).out).unwrap()
    };
    for args in [&["list", "--json"][..], &["search", "paint left", "--json"]] {
        let read = json(args);
        assert_eq!(read["sessions"].as_array().unwrap().len(), 2, "{args:?}");
        assert_eq!(read["scope"]["elsewhere"], 1, "{args:?}");
        let folder = read["scope"]["folders"][0].as_str().unwrap();
        assert!(folder.ends_with("/shop"), "{folder}");
        let read = json(&[args, &["--all-projects"]].concat());
        assert_eq!(read["sessions"].as_array().unwrap().len(), 3, "{args:?}");
        assert!(read["scope"].is_null(), "{args:?}");
    }
    // Where this folder has sessions, those of others are not searched for it.
    let ran = run_in(&place, "shop", &["search", "Varnish"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(ran.err.contains("1 session of other folders: `--all-projects`"), "{}", ran.err);
    assert_eq!(run_in(&place, "shop", &["search", "Varnish", "--all-projects"]).code, 0);
    // A folder below one in which sessions ran is about the same project.
    let ran = run_in(&place, "shop/web", &["list"]);
    assert_eq!(ran.out.lines().count(), 3, "{}", ran.out);
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
    assert_eq!(lines[0], "error: `5f1e` is the beginning of the ids of 2 sessions");
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
    // The message says that the filters left nothing, not that there is nothing.
    for command in ["scan", "check", "stats", "rows"] {
        let ran = run_in(&place, "shop", &[command, "--agent", "codex"]);
        let said = ran.out + &ran.err;
        assert!(said.contains("no session matches the filters"), "{command}: {said}");
    }
}

/// A session in a folder.
fn ran_in(place: &Place, number: u32, folder: &std::path::Path, prompt: &str) {
    let id = format!("5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c{number:04}");
    let text = talk(&id, prompt, &format!("2026-03-{:02}T10:0", number + 1));
    let text = text.replace("/home/ana/shop", folder.to_str().unwrap());
    put(&place.path().join(format!("home/.claude/projects/-x/{id}.jsonl")), &text);
}

/// A repository is one place: its folders and its working trees, as Git's own files name them.
#[test]
fn a_repository_is_one_place() {
    let place = Place::new();
    let top = place.path().canonicalize().unwrap();
    let (main, side, src) = (top.join("main"), top.join("side"), top.join("main/src"));
    let about = main.join(".git/worktrees/side");
    std::fs::create_dir_all(&src).unwrap();
    put(&side.join(".git"), &format!("gitdir: {}\n", about.display()));
    put(&about.join("gitdir"), &format!("{}\n", side.join(".git").display()));
    put(&about.join("commondir"), "../..\n");
    // A clone that names the folder of another project is no part of that.
    let other = top.join("other");
    std::fs::create_dir_all(&other).unwrap();
    let claimed = main.join(".git/worktrees/other");
    put(&claimed.join("gitdir"), &format!("{}\n", other.join(".git").display()));
    put(&claimed.join("commondir"), "../..\n");
    for (number, folder, prompt) in
        [(0, &main, "Plane"), (1, &side, "Glue"), (2, &src, "Saw"), (3, &other, "Oil")]
    {
        ran_in(&place, number, folder, prompt);
    }
    let prompts = |folder: &str, args: &[&str]| {
        let ran = run_in(&place, folder, args);
        assert_eq!(ran.code, 0, "{folder} {args:?}: {}", ran.err);
        let all = ["Plane", "Glue", "Saw", "Oil"].into_iter();
        all.filter(|prompt| ran.out.contains(prompt)).collect::<Vec<_>>().join(" ")
    };
    for folder in ["main", "side", "main/src"] {
        assert_eq!(prompts(folder, &["list"]), "Plane Glue Saw", "{folder}");
        assert_eq!(prompts(folder, &["list", "--here"]), "Plane Glue Saw", "{folder}");
        let main = main.to_str().unwrap();
        assert_eq!(prompts(folder, &["list", "--project", main]), "Plane Glue Saw", "{folder}");
    }
    assert_eq!(prompts("other", &["list"]), "Oil");
    // The newest session is the nearest one.
    assert_eq!(prompts("side", &["show"]), "Glue");
    assert_eq!(prompts("main/src", &["show"]), "Saw");
    assert_eq!(prompts("side", &["show", "--here"]), "Saw", "the newest of the repository");
    // A path of Windows is one on every system.
    let windows = std::path::Path::new("C:/garden/attic");
    ran_in(&place, 4, windows, "Sweep");
    for name in ["C:/garden/attic", "c:\\garden\\attic", "C:/garden"] {
        let ran = run_in(&place, "side", &["list", "--project", name]);
        assert!(ran.out.contains("Sweep"), "{name}: {}{}", ran.out, ran.err);
    }
}

/// `redact` takes each session that its filters take, as the other commands do.
#[test]
fn filters_name_the_sessions_to_redact() {
    let place = place();
    let ran = run_in(&place, "shop", &["redact", "--here", "-o", "out/"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let written = |folder: &str| std::fs::read_dir(place.path().join(folder)).unwrap().count();
    assert_eq!(written("shop/out"), 2, "{}", ran.out);
    let one = ["redact", "--since", "2026-03-15", "-o", "one.jsonl"];
    assert_eq!(run_in(&place, "shop", &one).code, 0);
    assert!(place.path().join("shop/one.jsonl").is_file());
    // With `@`, filters choose one.
    let ran = run_in(&place, "shop", &["redact", "@", "--agent", "claude", "-o", "newest.jsonl"]);
    assert!(ran.code == 0 && ran.out.contains(ID), "{}{}", ran.out, ran.err);
    assert!(place.path().join("shop/newest.jsonl").is_file());
    let ran = run_in(&place, "shop", &["redact", "--agent", "claude"]);
    assert!(ran.code == 2 && ran.err.contains("3 sessions need a folder"), "{}", ran.err);
    let ran = run_in(&place, "shop", &["redact", "--project", "nowhere", "-o", "none/"]);
    assert!(ran.code == 2 && ran.err.contains("take none of 3 sessions"), "{}", ran.err);
}

/// Agents whose sessions are here, and are not read, are named by each command that looks for some.
#[test]
fn agents_that_are_not_read_are_named() {
    let place = place();
    let told = |args: &[&str]| run_in(&place, "shop", args).err;
    assert!(!told(&["list"]).contains("not read"), "there are none");
    let home = place.path().join("home");
    put(&home.join(".local/share/amp/threads/T-1.json"), "{}\n");
    put(&home.join(".iflow/projects/-srv/session-1.jsonl"), "{}\n");
    put(&home.join(".gemini/antigravity/brain/b/.system_generated/logs/transcript.jsonl"), "{}\n");
    let names = ["Amp (", "iFlow CLI (", "Antigravity ("];
    for args in [
        &["list"][..],
        &["list", "--json"],
        &["search", "left"],
        &["check"],
        &["usage"],
        &["scan"],
        &["fidelity"],
    ] {
        let told = told(args);
        for name in names {
            assert!(told.contains(name), "{args:?}: {name}: {told}");
        }
    }
    // In a folder that is named, by what is in it; and what was copied out of its place.
    let copied = place.path().join("copied/transcript.jsonl");
    put(
        &copied,
        "{\"step_index\":0,\"source\":\"USER\",\"created_at\":\"2026-03-01T10:00:00Z\"}\n",
    );
    assert!(told(&["search", "left", "--in", "../home"]).contains("iFlow CLI ("));
    for (folder, name) in [("../home/.iflow", "iFlow CLI ("), ("../copied", "Antigravity (")] {
        assert!(told(&["list", folder]).contains(name), "{folder}: {}", told(&["list", folder]));
    }
    assert!(!told(&["list", "../home/.claude"]).contains("not read"));
}

/// Words that people type in place of a command or an option get the next step.
#[test]
fn other_words_are_answered_with_the_next_step() {
    let place = place();
    for (args, step) in [
        (&["delete", ID][..], "verbatim deletes no session"),
        (&["prune"], "verbatim deletes no session"),
        (&["view", ID], "verbatim show ID"),
        (&["open", ID], "verbatim show ID"),
        (&["list", "--today"], "--since today"),
        (&["list", "--from", "monday"], "--since WHEN"),
        (&["usage", "--on", "2026-03-01"], "--until DAY"),
        (&["list", "-p", "shop"], "--project NAME"),
        (&["search", "-i", "word"], "capital letter"),
        (&["list", "--since", "someday"], "last week"),
        (&["list", "--since", "--until"], "is not a valid time"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.out);
        assert!(ran.err.contains(step), "{args:?}: {}", ran.err);
    }
    for since in ["-3d", "monday", "2026-11", "last week", "3 days ago", "last month"] {
        let ran = place.run(&["list", "--since", since]);
        assert_eq!(ran.code, 0, "{since}: {}", ran.err);
    }
    let ran = place.run(&["list", "--since", "2026-03", "--until", "2026-03"]);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    let ran = run_in(&place, "shop", &["show", "@~1", "--agent", "codex"]);
    assert!(ran.err.contains("this folder has no sessions"), "{}", ran.err);
}
