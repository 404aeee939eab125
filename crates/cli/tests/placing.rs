//! Placements that survive the agent, the user and other processes: what the agent knows is never
//! lost, what the journal says is not believed blindly, and what is printed is true.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use common::placed::{OTHER, change, entry, file, journal, json, prepared, program, resume};
use common::{ID, Place, put, ran};
use serde_json::Value;

/// A session with a sub-agent, placed into an empty home.
fn with_side_files() -> (Place, PathBuf, PathBuf) {
    let place = prepared();
    let ran = place.run(&["convert", ID, "--to", "vac", "--embed", "-o", "record.vac.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    fs::remove_dir_all(place.path().join("home")).unwrap();
    let placed = place.run(&["resume", "record.vac.json", "--folder", "work", "--json"]);
    let placed = json(&placed);
    let files = placed["files"].as_array().unwrap().iter();
    let files: Vec<PathBuf> = files.map(|f| f["path"].as_str().unwrap().into()).collect();
    assert_eq!(files.len(), 2);
    (place, files[1].clone(), files[0].clone())
}

#[test]
fn what_the_agent_continued_stays_whatever_was_killed_before() {
    for step in ["placing", "removing"] {
        let (place, main, side) = with_side_files();
        change(&entry(&place), |entry| entry["step"] = step.into());
        let more = fs::read_to_string(&main).unwrap() + "{\"type\":\"user\"}\n";
        fs::write(&main, &more).unwrap();
        // Another session is placed: the killed run is ended first.
        put(&place.path().join("in/other.jsonl"), &common::talk(OTHER, "Count", "2026-02-01T10:0"));
        let args = ["resume", "in/other.jsonl", "--folder", "work", "--to", "codex"];
        let ran = place.run(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains("a run before was killed"), "{}", ran.err);
        assert!(side.exists(), "{step}: the sub-agent's file is gone");
        assert_eq!(fs::read_to_string(&main).unwrap(), more, "{step}");
        let ran = place.run(&["resume", ID, "--undo"]);
        assert_eq!((ran.code, side.exists()), (3, true), "{step}: {}", ran.err);
    }
}

#[test]
fn what_is_gone_is_placed_again() {
    let place = prepared();
    let placed = file(&json(&resume(&place, &["--to", "codex", "--json"])));
    fs::remove_file(&placed).unwrap();
    assert_eq!(
        json(&resume(&place, &["--to", "codex", "--dry-run", "--json"]))["state"],
        "planned"
    );
    assert_eq!(json(&resume(&place, &["--to", "codex", "--json"]))["state"], "placed");
    assert!(placed.exists());
    fs::remove_file(&placed).unwrap();
    let ran = place.run(&["resume", ID, "--undo"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("not in codex's store any more"), "{}", ran.err);
    assert_eq!(place.run(&["resume", ID, "--undo"]).code, 3);
    // The agent removed the session, and left a side file.
    let (place, main, side) = with_side_files();
    fs::remove_file(&main).unwrap();
    let again = place.run(&["resume", "record.vac.json", "--folder", "work", "--json"]);
    assert_eq!(json(&again)["state"], "placed");
    assert!(main.exists() && side.exists());
}

#[test]
fn an_entry_that_is_not_obeyed_is_told_and_stops_nothing() {
    let place = prepared();
    json(&resume(&place, &["--to", "codex", "--json"]));
    let good = fs::read_to_string(entry(&place)).unwrap();
    let precious = place.path().join("home/precious.txt");
    put(&precious, "precious\n");
    let digest = "a37214679d4cdc0b4724e05883a60eb979d19dd3a394438f17ef85846fadcee0";
    let elsewhere = |value: &mut Value| {
        value["step"] = "removing".into();
        value["files"] = serde_json::json!([{"path": precious, "sha256": digest}]);
        value["folders"] = serde_json::json!([]);
    };
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&good).unwrap();
        change(&mut value);
        value.to_string()
    };
    let own = entry(&place).file_name().unwrap().to_str().unwrap().to_owned();
    let bad = [
        ("zz.json", String::new()),
        ("zz.json", "{}".into()),
        ("zz.json", good[..good.len() / 2].into()),
        ("zz.json", good.clone()),
        (&*own, changed(&|value| value["schema"] = "verbatim-placed-2".into())),
        (&*own, changed(&elsewhere)),
        (&*own, changed(&|value| value["folders"] = serde_json::json!(["/var/empty"]))),
        (&*own, changed(&|value| value["agent"] = "vac".into())),
    ];
    for (name, text) in bad {
        let path = journal(&place).join(name);
        let before = fs::read(&path).ok();
        fs::write(&path, &text).unwrap();
        for args in [
            &["convert", OTHER, "--to", "vac"][..],
            &["resume", OTHER, "--folder", "work", "--to", "gemini"],
            &["resume", OTHER, "--undo"],
        ] {
            let ran = place.run(args);
            assert_eq!(ran.code, 0, "{text}: {}", ran.err);
            assert!(ran.err.contains("is not obeyed"), "{text}: {}", ran.err);
        }
        assert!(precious.exists());
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "it stays as it is");
        match before {
            Some(before) => fs::write(&path, before).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
    // A pipe of such a name waits for nobody.
    let pipe = journal(&place).join("zz.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(place.run(&["convert", OTHER, "--to", "vac"]).code, 0);
    // A conversion needs no journal.
    fs::remove_dir_all(journal(&place)).unwrap();
    fs::write(journal(&place), "").unwrap();
    let ran = place.run(&["convert", OTHER, "--to", "vac"]);
    assert!(ran.code == 0 && ran.err.contains("is not known"), "{}", ran.err);
    assert_eq!(resume(&place, &["--to", "codex"]).code, 3);
}

/// Runs `resume` in this process at a time, in seconds since 1970.
fn resume_at(place: &Place, session: &str, now: i64) -> Value {
    let machine = catalog::Machine { home: Some(place.path().join("home")), ..Default::default() };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut env = verbatim_cli::Environment {
        formats: formats::ALL,
        machine,
        now: session::UtcTime(now * 1_000_000),
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        width: None,
        links: false,
        err_terminal: false,
    };
    let work = place.path().join("work");
    let args = ["verbatim", "resume", session, "--to", "gemini", "--json", "--folder"];
    let args = args.into_iter().map(Into::into).chain([work.into()]);
    assert_eq!(verbatim_cli::run(args, &mut env), 0, "{}", String::from_utf8_lossy(&err));
    serde_json::from_slice(&out).unwrap()
}

/// The agent removes at its start what was not updated for a month.
#[test]
fn a_placed_session_is_new_to_an_agent_that_removes_old_ones() {
    let place = prepared();
    let placed = resume_at(&place, ID, 1_795_000_000);
    let text = fs::read_to_string(file(&placed)).unwrap();
    let head: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(head["lastUpdated"], "2026-11-18T11:06:40.000Z");
    assert_eq!(head["startTime"], "2026-03-01T10:00:00.000Z");
    let made = placed["books"]["made"].to_string();
    assert!(made.contains("the time at which it is placed"), "{made}");
    // A later run places nothing: the session is there.
    assert_eq!(resume_at(&place, ID, 1_795_100_000)["state"], "placed-before");
    assert_eq!(fs::read_to_string(file(&placed)).unwrap(), text);
}

/// The same of its own session that comes from elsewhere, in both of its forms; every other byte
/// stays.
#[test]
fn its_own_old_session_is_new_to_it_too() {
    let head = "\"sessionId\":\"0a1b2c3d-5e6f-4a5b-8c7d-9e0f1a2b3c4d\",\"projectHash\":\"h\",\
                \"startTime\":\"2025-01-02T10:00:00.000Z\",\
                \"lastUpdated\":\"2025-01-02T10:01:00.000Z\"";
    let said = "{\"id\":\"m1\",\"timestamp\":\"2025-01-02T10:00:30.000Z\",\"type\":\"user\",\
                \"content\":\"Count the figs.\"}";
    let now = "2026-11-18T11:06:40.000Z";
    let set = format!("{{\"$set\":{{\"lastUpdated\":\"{now}\"}}}}\n");
    let log = format!("{{{head},\"kind\":\"main\"}}\n{said}");
    let document = format!("{{\n  {head},\n  \"messages\": [{said}]\n}}\n");
    for (name, text, wanted) in [
        ("log.jsonl", format!("{log}\n"), format!("{log}\n{set}")),
        ("cut.jsonl", log.clone(), format!("{log}\n{set}")),
        ("old.json", document.clone(), document.replace("2025-01-02T10:01:00.000Z", now)),
    ] {
        let place = prepared();
        let session = place.path().join(name);
        put(&session, &text);
        let session = session.to_str().unwrap();
        let placed = resume_at(&place, session, 1_795_000_000);
        assert_eq!(placed["state"], "placed", "{name}");
        assert_eq!(fs::read_to_string(file(&placed)).unwrap(), wanted, "{name}");
        let books = &placed["books"];
        assert!(books["made"].to_string().contains("the time at which it is placed"), "{books}");
        assert_eq!(resume_at(&place, session, 1_795_100_000)["state"], "placed-before");
        let shown = place.run(&["show", placed["id"].as_str().unwrap()]);
        assert!(shown.out.contains("Count the figs."), "{}", shown.err);
        // A conversion has no clock.
        let ran = place.run(&["convert", session, "--to", "gemini"]);
        assert_eq!(ran.out, text, "{}", ran.err);
    }
}

/// A session of the agent's own store is continued in another folder: the agent finds it there.
#[test]
fn its_own_agent_continues_a_session_in_another_folder() {
    let place = prepared();
    let ran = resume(&place, &["--json"]);
    let placed = json(&ran);
    assert_eq!(placed["state"], "placed");
    let work = place.path().join("work").canonicalize().unwrap();
    let name: String = work
        .to_str()
        .unwrap()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let there = place.path().join(format!("home/.claude/projects/{name}/{ID}.jsonl"));
    assert_eq!(fs::read(&there).unwrap(), fs::read(place.session()).unwrap());
    // It is one session: `show` opens it, and the removal leaves the first one.
    assert_eq!(place.run(&["show", ID]).code, 0);
    let ran = place.run(&["resume", ID, "--undo"]);
    assert_eq!((ran.code, there.exists()), (0, false), "{}", ran.err);
    assert!(place.session().exists());
}

/// A session that was placed, continued or not, is another placement for another folder: each line
/// leads to a folder in which the agent finds what it names.
#[test]
fn two_folders_are_two_placements() {
    for (agent, continued) in
        [("claude-code", true), ("gemini", true), ("cursor", true), ("claude-code", false)]
    {
        let place = prepared();
        fs::create_dir_all(place.path().join("other")).unwrap();
        put(&place.path().join("in.jsonl"), &common::talk(OTHER, "Count", "2026-02-01T10:0"));
        let run = |folder: &str| {
            place.run(&["resume", "in.jsonl", "--folder", folder, "--to", agent, "--json"])
        };
        let placed = file(&json(&run("work")));
        if continued {
            let more = fs::read_to_string(&placed).unwrap() + "\n";
            fs::write(&placed, more).unwrap();
        }
        let other = json(&run("other"));
        assert_eq!(other["state"], "placed", "{agent}");
        assert_ne!(file(&other), placed, "{agent}");
        let state = if continued { "continued" } else { "placed-before" };
        assert_eq!(json(&run("work"))["state"], state, "{agent}");
        assert_eq!(json(&run("other"))["state"], "placed-before", "{agent}");
        // Both are meant, and one is named.
        let undo = |more: &[&str]| {
            place.run(&[&["resume", "in.jsonl", "--undo", "--to", agent], more].concat())
        };
        let which = if agent == "claude-code" { OTHER } else { "" };
        assert_eq!(undo(&[]).code, 2, "{agent} {which}");
        assert_eq!(undo(&["--folder", "other"]).code, 0, "{agent}");
        assert!(!file(&other).exists() && placed.exists(), "{agent}");
    }
}

/// A file with another name than the agent's gets the name that the agent finds.
#[test]
fn a_renamed_file_gets_the_name_that_its_agent_gives() {
    for (agent, begins) in
        [("codex", "rollout-2026-03-01T10-00-00-"), ("gemini", "session-2026-03-01T10-00-")]
    {
        let place = prepared();
        let ran = place.run(&["convert", ID, "--to", agent, "-o", "mine.jsonl"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let placed = json(&place.run(&["resume", "mine.jsonl", "--folder", "work", "--json"]));
        let file = file(&placed);
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(begins), "{name}");
        let (there, mine) =
            (fs::read_to_string(&file), fs::read_to_string(place.path().join("mine.jsonl")));
        let more = there.unwrap().strip_prefix(&mine.unwrap()).map(str::to_owned).unwrap();
        // One of them removes what was not updated for long.
        let is_time = agent == "gemini" && more.starts_with("{\"$set\":{\"lastUpdated\":\"");
        assert!(
            more.is_empty() && agent == "codex" || is_time && more.lines().count() == 1,
            "{more}"
        );
    }
}

#[test]
fn the_printed_line_leads_exactly_to_the_folder() {
    for name in ["a  b", "a  b's", "a\tb", "a\nb", "a\u{202e}b", "a\u{1b}[31mb", "$(id)", "-n"] {
        let place = prepared();
        let folder = place.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(place.path().join("a b")).unwrap();
        let folder = folder.canonicalize().unwrap();
        let ran = place.run(&["resume", ID, "--to", "codex", "--folder", folder.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.out.trim_end().contains(|c: char| c.is_control()), "{:?}", ran.out);
        let codex = program(&place, "codex", "#!/bin/sh\npwd -P; echo \"$@\"\n");
        let path = format!("{}:/usr/bin:/bin", codex.display());
        let mut bash = Command::new("bash");
        let out = bash.args(["-c", ran.out.trim_end()]).env("PATH", path).output().unwrap();
        let out = String::from_utf8(out.stdout).unwrap();
        assert!(out.starts_with(&format!("{}\nresume ", folder.display())), "{name:?}: {out:?}");
    }
}

#[test]
fn agents_are_found_by_the_names_that_people_use() {
    let place = prepared();
    for (name, agent) in [
        ("Codex", "codex"),
        ("GEMINI", "gemini"),
        ("claude", "claude-code"),
        ("claude_code", "claude-code"),
    ] {
        let plan = json(&resume(&place, &["--to", name, "--dry-run", "--json"]));
        assert_eq!(plan["agent"], agent, "{name}");
    }
    let ran = resume(&place, &["--to", "heron"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("claude-code, ") && !ran.err.contains("stead"), "{}", ran.err);
    let ran = resume(&place, &["--to", "vac"]);
    assert!(ran.err.contains("no agent"), "{}", ran.err);
}

/// A run was killed after the agent's import and before its last note. What the agent continued
/// then stays, and what it did not is known.
#[test]
fn an_import_that_was_killed_takes_nothing_away() {
    let place = prepared();
    let script = "#!/bin/sh\nkept=\"$HOME/.local/share/opencode\"\n/bin/mkdir -p \"$kept\"\n\
                  case \"$1\" in import) [ -e \"$kept/kept.json\" ] || /bin/cp \"$2\" \
                  \"$kept/kept.json\";;\nsession) /bin/rm \"$kept/kept.json\";;\nesac\n";
    let path = program(&place, "opencode", script);
    let run = |args: &[&str]| ran(place.command(args).env("PATH", &path).output().unwrap());
    let args = ["resume", ID, "--folder", "work", "--to", "opencode", "--json"];
    let undo = ["resume", ID, "--undo"];
    let kept = place.path().join("home/.local/share/opencode/kept.json");
    let killed = || change(&entry(&place), |entry| entry["step"] = "placing".into());
    assert_eq!(json(&run(&args))["state"], "placed");
    killed();
    let text = fs::read_to_string(&kept).unwrap();
    fs::write(&kept, text.replace("There is no paint.", "There is paint again.")).unwrap();
    let ran = run(&undo);
    assert_eq!((ran.code, kept.exists()), (3, true), "{}", ran.err);
    assert!(ran.err.contains("has continued it since"), "{}", ran.err);
    assert_eq!(json(&run(&args))["state"], "continued");
    assert!(fs::read_to_string(&kept).unwrap().contains("There is paint again."));
    let ran = run(&undo);
    assert_eq!((ran.code, kept.exists()), (3, true), "{}", ran.err);
    fs::write(&kept, text).unwrap();
    killed();
    assert_eq!(json(&run(&args))["state"], "placed-before");
    killed();
    let ran = run(&undo);
    assert_eq!((ran.code, kept.exists()), (0, false), "{}", ran.err);
}

/// Another session is placed while an agent imports one.
#[test]
fn nobody_waits_for_an_agents_import() {
    let place = prepared();
    let script = "#!/bin/sh\nkept=\"$HOME/.local/share/opencode\"\n/bin/mkdir -p \"$kept\"\n\
                  echo > \"$HOME/begun\"\nwhile [ ! -e \"$HOME/go\" ]; do /bin/sleep 0.05; done\n\
                  /bin/cp \"$2\" \"$kept/kept.json\"\n";
    let path = program(&place, "opencode", script);
    let mut import = place.command(&["resume", ID, "--folder", "work", "--to", "opencode"]);
    let mut import = import.env("PATH", &path).spawn().unwrap();
    while !place.path().join("home/begun").exists() {
        assert_eq!(import.try_wait().unwrap(), None, "it ended before its import");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let other = place.run(&["resume", OTHER, "--folder", "work", "--to", "codex"]);
    assert_eq!(other.code, 0, "{}", other.err);
    assert_eq!(import.try_wait().unwrap(), None, "the import was over");
    put(&place.path().join("home/go"), "");
    assert!(import.wait().unwrap().success());
    // The imported session is removed in the agent by its user: then it is imported again.
    let again = |place: &Place| {
        let mut again =
            place.command(&["resume", ID, "--folder", "work", "--to", "opencode", "--json"]);
        json(&ran(again.env("PATH", &path).output().unwrap()))["state"].clone()
    };
    assert_eq!(again(&place), "placed-before");
    fs::remove_file(place.path().join("home/.local/share/opencode/kept.json")).unwrap();
    assert_eq!(again(&place), "placed");
}
