//! The archive: what `sync` keeps is given back byte for byte, whatever becomes of the agents' own
//! files, and every command reads it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{ID, Place, Ran, copy, put, talk};
use serde_json::Value;

const OTHER: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";

fn archive(place: &Place) -> PathBuf {
    place.path().join("home/.local/share/verbatim/archive")
}

fn good(place: &Place, args: &[&str]) -> Ran {
    let ran = place.run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.out, ran.err);
    ran
}

fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&good(place, args).out).unwrap()
}

/// The digests of all versions of a session, the newest last.
fn digests(place: &Place, id: &str) -> Vec<String> {
    let versions = json(place, &["archive", "versions", id, "--json"]);
    let versions = versions["versions"].as_array().unwrap().iter();
    versions.map(|version| version["digest"].as_str().unwrap().to_owned()).collect()
}

/// The main file of a version, as it is given back.
fn given(place: &Place, version: &str) -> Vec<u8> {
    let folder = place.path().join("given");
    let _ = fs::remove_dir_all(&folder);
    good(place, &["archive", "restore", version, "-o", "given"]);
    let id = version.split('@').next().unwrap();
    fs::read(folder.join(format!("{id}.jsonl"))).unwrap()
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<PathBuf> = entries.collect();
    names.sort();
    names
}

/// All bytes that an archive has, unpacked.
fn unpacked(place: &Place) -> String {
    let packs = names(&archive(place).join("packs"));
    let mut text = String::new();
    for pack in packs {
        let bytes = fs::read(pack).unwrap();
        let unpacked = zstd::stream::decode_all(&*bytes).unwrap();
        text.push_str(&String::from_utf8_lossy(&unpacked));
    }
    text
}

#[test]
fn every_command_reads_a_session_that_its_agent_deleted() {
    let place = Place::with_sessions();
    let commands: [&[&str]; 7] = [
        &["show", ID, "--json"],
        &["list", "--all-projects", "--json"],
        &["usage", "--json", "--explain"],
        &["search", "paint", "--json"],
        &["attribution", ID, "--json"],
        &["receipt", ID],
        &["convert", ID, "--to", "vac", "-o", "-"],
    ];
    let outputs = || -> Vec<String> {
        let output = |args: &&[&str]| {
            let out = place.run(args).out;
            out.lines()
                .filter(|line| !line.contains("\"archived\": true"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        commands.iter().map(output).collect()
    };
    let before = outputs();
    good(&place, &["sync"]);
    fs::remove_dir_all(place.path().join("home/.claude/projects/-home-ana-shop")).unwrap();
    let after = outputs();
    for ((args, before), after) in commands.iter().zip(&before).zip(&after) {
        assert!(!before.is_empty() && before == after, "{args:?}\n{before}\n{after}");
    }
    let list = good(&place, &["list", "--all-projects", "--json"]).out;
    assert_eq!(list.matches("\"archived\": true").count(), 2, "{list}");
    // What is in the archive alone can be continued, in another agent and in its own.
    fs::create_dir_all(place.path().join("work")).unwrap();
    good(&place, &["resume", ID, "--to", "codex", "--folder", "work"]);
    good(&place, &["archive", "restore", ID, "--in-place"]);
    assert!(place.session().is_file());
    assert_eq!(place.run(&["archive", "restore", ID, "--in-place"]).code, 3);
}

#[test]
fn every_version_that_a_run_saw_is_given_back() {
    let place = Place::with_sessions();
    let (path, first) = (place.session(), fs::read(place.session()).unwrap());
    let more = String::from_utf8(first.clone()).unwrap();
    let longer = [more.as_str(), &more.replace(&format!("{ID}-"), "more-")].concat().into_bytes();
    let rewritten = more.replace("green", "blue").into_bytes();
    let states: [&[u8]; 5] = [&first, &longer, &first[..first.len() / 2], &rewritten, &first];
    let mut seen = Vec::new();
    for state in states {
        fs::write(&path, state).unwrap();
        good(&place, &["sync"]);
        seen.push(digests(&place, ID).last().unwrap().clone());
    }
    fs::remove_file(&path).unwrap();
    fs::remove_dir_all(path.with_extension("")).unwrap();
    let gone = good(&place, &["sync"]).out;
    assert!(gone.contains("1 session is no longer in the agents' folders"), "{gone}");
    for (state, digest) in states.iter().zip(&seen) {
        let version = format!("{ID}@{}", &digest[..10]);
        assert_eq!(given(&place, &version), *state, "{version}");
    }
    assert_eq!(given(&place, ID), first);
    assert_eq!(given(&place, &format!("{ID}@2999-01-01")), first);
    assert_eq!(seen[0], seen[4]);
    assert_eq!(digests(&place, ID).len(), 4);
    let ran = place.run(&["archive", "restore", &format!("{ID}@2001-01-01")]);
    assert!(ran.code == 2 && ran.err.contains("archive versions"), "{}", ran.err);
    // An empty listing deletes nothing.
    fs::remove_dir_all(place.path().join("home/.claude")).unwrap();
    good(&place, &["sync"]);
    assert_eq!(json(&place, &["archive", "status", "--json"])["sessions"], 2);
    good(&place, &["archive", "compact"]);
    good(&place, &["archive", "verify", "--read-data"]);
    assert_eq!(given(&place, &format!("{ID}@{}", seen[1])), longer);
}

#[test]
fn what_has_not_changed_is_not_kept_again_and_the_tail_alone_is() {
    let place = Place::with_sessions();
    let long = talk(ID, "Paint", "2026-03-01T10:0");
    let long: String =
        (0..600).map(|at| long.replace(&format!("{ID}-"), &format!("{at}-"))).collect();
    put(&place.session(), &long);
    let set = |path: &Path| {
        let file = fs::File::options().append(true).open(path).unwrap();
        let hour = std::time::Duration::from_secs(3600);
        file.set_modified(std::time::SystemTime::now() - hour).unwrap();
    };
    set(&place.session());
    good(&place, &["sync"]);
    let again = json(&place, &["sync", "--json"]);
    assert_eq!(
        (&again["new"], &again["changed"], &again["stored"]),
        (&0.into(), &0.into(), &0.into())
    );
    put(&place.session(), &(long.clone() + &talk(ID, "More", "2026-03-02T10:0")));
    let grown = json(&place, &["sync", "--json"]);
    assert_eq!(grown["changed"], 1);
    assert!(grown["stored"].as_u64().unwrap() < 3000, "{grown}");
}

#[test]
fn many_runs_leave_few_files_and_every_version() {
    let place = Place::with_sessions();
    let more = fs::read_to_string(place.session()).unwrap();
    for at in 0..40 {
        let text = fs::read_to_string(place.session()).unwrap();
        fs::write(place.session(), text + &more.replace(&format!("{ID}-"), &format!("{at}-")))
            .unwrap();
        good(&place, &["sync"]);
    }
    let status = json(&place, &["archive", "status", "--json"]);
    assert_eq!(status["versions"], 41);
    let files = status["packs"].as_u64().unwrap() + status["runs"].as_u64().unwrap();
    assert!(files < 48, "{files}");
    good(&place, &["archive", "verify", "--read-data"]);
    assert_eq!(given(&place, ID), fs::read(place.session()).unwrap());
    let oldest = digests(&place, ID).remove(0);
    assert_eq!(given(&place, &format!("{ID}@{oldest}")).len(), 2 * more.len());
}

#[test]
fn a_forgotten_session_is_gone_and_is_not_kept_again() {
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    assert!(unpacked(&place).contains("Count the windows"));
    let refused = place.feed(&["archive", "forget", OTHER], b"no\n");
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(unpacked(&place).contains("Count the windows"));
    let forgotten = place.feed(&["archive", "forget", OTHER], b"yes\n");
    assert_eq!(forgotten.code, 0, "{}", forgotten.err);
    assert!(forgotten.err.contains("not touched, in its agent's folder"), "{}", forgotten.err);
    let left = unpacked(&place);
    assert!(!left.contains("Count the windows") && left.contains("Paint the **door** green"));
    // Neither a run nor its growth brings it back.
    let path = place.session().with_file_name(format!("{OTHER}.jsonl"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.clone() + &text.replace(&format!("{OTHER}-"), "again-")).unwrap();
    assert_eq!(json(&place, &["sync", "--json"])["left_out"], 1);
    assert!(!unpacked(&place).contains("Count the windows"));
    good(&place, &["archive", "verify", "--read-data"]);
    good(&place, &["archive", "forget", OTHER, "--revive"]);
    assert_eq!(json(&place, &["sync", "--json"])["changed"].as_u64().unwrap_or(0) + 1, 1);
    assert!(unpacked(&place).contains("Count the windows"));
}

#[test]
fn credentials_and_what_links_lead_to_are_never_kept() {
    let place = Place::with_sessions();
    let home = place.path().join("home");
    let secret = "sk-live-3f9a77b2c4d1";
    let token = format!("{{\"token\":\"{secret}\"}}\n");
    let projects = home.join(".claude/projects/-home-ana-shop");
    for path in [
        ".claude/.credentials.json",
        ".claude/settings.json",
        ".claude/projects/-home-ana-shop/auth.json",
        ".claude/projects/-home-ana-shop/.credentials.json.bak",
        ".claude/file-history/.env",
        ".claude/todos/oauth_token",
        ".codex/auth.json",
        ".codex/sessions/2026/03/01/auth.json",
        ".gemini/oauth_creds.json",
        ".gemini/tmp/shop/chats/oauth_creds.json",
        ".pi/agent/sessions/x/auth.json",
        "elsewhere/notes.jsonl",
    ] {
        put(&home.join(path), &token);
    }
    let uuid = |at: u8| projects.join(format!("5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e{at:02x}.jsonl"));
    let link = |to: &str, at: PathBuf| std::os::unix::fs::symlink(home.join(to), at).unwrap();
    link(".claude/.credentials.json", uuid(0x31));
    link(".codex/auth.json", uuid(0x32));
    link("elsewhere/notes.jsonl", uuid(0x33));
    link("elsewhere", projects.join("folder"));
    link("elsewhere", home.join(".claude/plans"));
    fs::hard_link(home.join(".claude/.credentials.json"), uuid(0x34)).unwrap();
    put(&home.join(".claude/history.jsonl"), "{\"display\":\"paint it\"}\n");
    put(&home.join(".pi/agent/sessions/x/talk.jsonl"), "{\"type\":\"message\",\"of\":\"pi\"}\n");
    good(&place, &["sync"]);
    let kept = unpacked(&place);
    assert!(!kept.contains(secret), "{kept}");
    assert!(kept.contains("paint it") && kept.contains("\"of\":\"pi\""));
}

#[test]
fn an_archive_is_private_whatever_the_umask() {
    let place = Place::with_sessions();
    let program = env!("CARGO_BIN_EXE_verbatim");
    let script = format!("umask 000; exec {program} sync");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env_clear().env("HOME", place.path().join("home"));
    assert!(shell.output().unwrap().status.success());
    let mut all = vec![archive(&place)];
    while let Some(path) = all.pop() {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
        if path.is_dir() {
            all.extend(names(&path));
        }
    }
    fs::set_permissions(archive(&place), fs::Permissions::from_mode(0o750)).unwrap();
    let ran = place.run(&["sync"]);
    assert!(ran.code == 3 && ran.err.contains("chmod 700"), "{}", ran.err);
    fs::create_dir_all(place.path().join("shop/.git")).unwrap();
    let ran = place.run(&["sync", "--archive", "shop/kept"]);
    assert!(ran.code == 3 && ran.err.contains("git repository"), "{}", ran.err);
    assert!(!place.path().join("shop/kept").exists());
}

#[test]
fn each_flipped_bit_is_found_and_named() {
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    good(&place, &["sync", "--exclude", "nothing"]);
    let files: Vec<PathBuf> =
        ["packs", "runs"].iter().flat_map(|part| names(&archive(&place).join(part))).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let sound = fs::read(&file).unwrap();
        let step = (sound.len() / 12).max(1);
        for at in (0..sound.len()).step_by(step) {
            let mut broken = sound.clone();
            broken[at] ^= 1 << (at % 8);
            fs::write(&file, &broken).unwrap();
            let ran = place.run(&["archive", "verify", "--read-data"]);
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(ran.code == 1 && ran.out.contains(name), "{name} at {at}: {}", ran.out);
            // Nothing is removed from a damaged archive.
            assert_ne!(place.run(&["archive", "compact"]).code, 0, "{name} at {at}");
        }
        fs::write(&file, &sound).unwrap();
    }
    good(&place, &["archive", "verify", "--read-data"]);
    // The sessions whose bytes are hit are named.
    let pack = names(&archive(&place).join("packs")).remove(0);
    let mut bytes = fs::read(&pack).unwrap();
    bytes[20] ^= 1;
    fs::write(&pack, bytes).unwrap();
    let ran = place.run(&["archive", "verify", "--read-data"]);
    assert!(ran.out.contains("it has parts of claude-code:5f1e7f1e"), "{}", ran.out);
}

#[test]
fn several_runs_at_once_keep_what_one_keeps() {
    let place = Place::with_sessions();
    for at in 0..40 {
        let id = format!("5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1ca0{at:02x}");
        put(
            &place.session().with_file_name(format!("{id}.jsonl")),
            &talk(&id, "One of many", "2026-03-01T10:0"),
        );
    }
    for count in [2, 8] {
        let _ = fs::remove_dir_all(archive(&place));
        let run = |_| place.command(&["sync"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let running: Vec<_> = (0..count).map(run).collect();
        for child in running {
            assert!(child.unwrap().wait().unwrap().success());
        }
        good(&place, &["archive", "verify", "--read-data"]);
        good(&place, &["archive", "compact"]);
        let status = json(&place, &["archive", "status", "--json"]);
        assert_eq!((&status["sessions"], &status["versions"]), (&42.into(), &42.into()));
        assert_eq!(given(&place, ID), fs::read(place.session()).unwrap());
    }
}

#[test]
fn another_archive_is_merged_and_a_hostile_one_is_refused_by_name() {
    let (ours, theirs) = (Place::with_sessions(), Place::new());
    good(&ours, &["sync"]);
    let projects = theirs.path().join("home/.claude/projects/-home-ben-boat");
    let own = "7c1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e77";
    put(&projects.join(format!("{own}.jsonl")), &talk(own, "Mend the sail", "2026-04-01T10:0"));
    // The same session, continued on the other machine, and one that has other content.
    let longer = fs::read_to_string(ours.session()).unwrap();
    let longer = longer.clone() + &longer.replace(&format!("{ID}-"), "more-");
    put(&projects.join(format!("{ID}.jsonl")), &longer);
    put(&projects.join(format!("{OTHER}.jsonl")), &talk(OTHER, "Forged", "2026-04-01T10:0"));
    good(&theirs, &["sync"]);
    let folder = archive(&theirs);
    let ran = ours.run(&["archive", "merge", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("2 versions taken"), "{}", ran.out);
    assert!(ran.err.contains(&format!("refused: claude-code:{OTHER}@")), "{}", ran.err);
    assert!(ran.err.contains("claims the id of a session"), "{}", ran.err);
    assert_eq!(given(&ours, own), fs::read(projects.join(format!("{own}.jsonl"))).unwrap());
    assert_eq!(given(&ours, ID), longer.as_bytes());
    assert!(!unpacked(&ours).contains("Forged"));
    let again = ours.run(&["archive", "merge", folder.to_str().unwrap()]);
    assert!(
        again.out.contains("0 versions taken") && again.out.contains("2 known"),
        "{}",
        again.out
    );
    good(&ours, &["archive", "verify", "--read-data"]);
}

/// The guide's way to read an archive without verbatim.
#[test]
fn a_session_is_restored_with_zstd_and_jq_alone() {
    let has = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !has("zstd") || !has("jq") {
        eprintln!("skipped: zstd or jq is not installed");
        return;
    }
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    let text = format!("{}{}", fs::read_to_string(place.session()).unwrap(), "{\"type\":\"x\"}\n");
    fs::write(place.session(), &text).unwrap();
    good(&place, &["sync"]);
    let guide = fs::read_to_string(samples::workspace().join("docs/archive.md")).unwrap();
    let script = guide.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let mut shell = Command::new("bash");
    let ran = shell.args(["-c", script, "restore", ID]).current_dir(archive(&place));
    let ran = ran.output().unwrap();
    assert_eq!(
        String::from_utf8(ran.stdout).unwrap(),
        text,
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// An archive that the first version of the layout made: every later program reads it.
#[test]
fn an_archive_of_the_first_layout_is_read() {
    let kept = samples::workspace().join("crates/cli/tests/archive-1");
    if std::env::var_os("UPDATE").is_some() && !kept.exists() {
        let place = Place::with_sessions();
        good(&place, &["sync"]);
        copy(&archive(&place), &kept);
    }
    let place = Place::new();
    copy(&kept, &archive(&place));
    for part in ["", "packs", "runs"] {
        let folder = archive(&place).join(part);
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    for above in [".local/share/verbatim", ".local/share", ".local", ""] {
        let folder = place.path().join("home").join(above);
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    good(&place, &["archive", "verify", "--read-data"]);
    assert_eq!(
        given(&place, ID),
        talk(ID, "Paint the **door** green", "2026-03-01T10:0").as_bytes()
    );
    let list = json(&place, &["list", "--all-projects", "--json"]);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 2);
}

#[test]
fn sessions_that_expire_are_told_until_they_are_kept() {
    let place = Place::with_sessions();
    let age = |days: u64| {
        let file = fs::File::options().append(true).open(place.session()).unwrap();
        let age = std::time::Duration::from_secs(days * 24 * 3600);
        file.set_modified(std::time::SystemTime::now() - age).unwrap();
    };
    age(20);
    assert!(!good(&place, &["list"]).err.contains("within a week"));
    age(25);
    let told = good(&place, &["list"]).err;
    assert!(told.contains("claude-code deletes 1 session within a week"), "{told}");
    put(&place.path().join("home/.claude/settings.json"), "{\"cleanupPeriodDays\": 365}");
    assert!(!good(&place, &["list"]).err.contains("within a week"));
    fs::remove_file(place.path().join("home/.claude/settings.json")).unwrap();
    good(&place, &["sync"]);
    assert!(!good(&place, &["list"]).err.contains("within a week"));
    assert_eq!(json(&place, &["archive", "status", "--json"])["expiring"], 0);
}
