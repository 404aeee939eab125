//! The archive is private, has no credentials, names each damage, and believes no other archive.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::kept::{OTHER, archive, given, good, json, names, unpacked};
use common::{ID, Place, put, talk};

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
        ".claude/file-history/server.key",
        ".claude/file-history/id_rsa.old",
        ".claude/file-history/id_ed25519",
        ".claude/file-history/staging.pem",
        ".claude/file-history/prod.env",
        ".claude/file-history/.netrc",
        ".claude/file-history/.npmrc",
        ".claude/file-history/my-service-account.json",
        ".pi/agent/sessions/x/github-oauth.json",
        ".pi/agent/sessions/x/browser-cookies.json",
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
    put(&home.join(".qwen/projects/x/chats/talk.jsonl"), "{\"type\":\"user\",\"of\":\"qwen\"}\n");
    good(&place, &["sync"]);
    let kept = unpacked(&place);
    assert!(!kept.contains(secret), "{kept}");
    assert!(kept.contains("paint it") && kept.contains("\"of\":\"qwen\""));
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
            if name.ends_with(".jsonl") {
                assert_eq!(place.run(&["archive", "compact"]).code, 3, "{name} at {at}");
                assert_eq!(fs::read(&file).unwrap(), broken, "{name} at {at}");
            }
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
        let run =
            |_| place.command(&["sync"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let running: Vec<_> = (0..count).map(run).collect();
        for child in running {
            let ended = child.unwrap().wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success(), "{}: {said}", ended.status);
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

#[test]
fn a_session_of_an_excluded_project_is_in_no_pack() {
    let place = Place::with_sessions();
    for _ in 0..2 {
        let ran = good(&place, &["sync", "--exclude", "/home/ana/shop"]);
        assert!(ran.out.contains("left out: 2"), "{}", ran.out);
        assert_eq!(names(&archive(&place).join("packs")), Vec::<PathBuf>::new());
    }
    good(&place, &["sync", "--include", "/home/ana/shop"]);
    assert!(unpacked(&place).contains("Count the windows"));
}

#[test]
fn a_lost_pack_is_kept_anew_while_the_sessions_are_there() {
    let place = Place::with_sessions();
    let hour = std::time::Duration::from_secs(3600);
    let file = fs::File::options().append(true).open(place.session()).unwrap();
    file.set_modified(std::time::SystemTime::now() - hour).unwrap();
    good(&place, &["sync"]);
    let grown = fs::read_to_string(place.session()).unwrap();
    let grown = grown.clone() + &grown.replace(&format!("{ID}-"), "more-");
    for is_cut in [false, true] {
        let packs = names(&archive(&place).join("packs"));
        for pack in &packs {
            match is_cut {
                true => fs::write(pack, &fs::read(pack).unwrap()[..20]).unwrap(),
                false => fs::remove_file(pack).unwrap(),
            }
        }
        let status = place.run(&["archive", "status"]);
        assert!(status.code == 1 && status.out.contains("lost: "), "{}", status.out);
        let ran = place.run(&["sync"]);
        assert!(ran.err.contains("warning: the archive had lost 3 contents"), "{}", ran.err);
        assert_eq!(ran.err.contains("is cut off"), is_cut, "{}", ran.err);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(given(&place, ID), fs::read(place.session()).unwrap());
        assert_eq!(
            given(&place, OTHER).len(),
            talk(OTHER, "Count the windows", "2026-02-01T10:0").len()
        );
        good(&place, &["archive", "verify", "--read-data"]);
        assert!(!good(&place, &["sync"]).err.contains("warning"));
    }
    // What has grown does not build on a beginning that is lost.
    names(&archive(&place).join("packs")).iter().for_each(|pack| fs::remove_file(pack).unwrap());
    fs::write(place.session(), &grown).unwrap();
    let ran = place.run(&["sync"]);
    assert!(ran.code == 0 || ran.err.contains("can't give 1 version back"), "{}", ran.err);
    assert_eq!(given(&place, ID), grown.as_bytes());
    // A content that was kept on top of another one is kept as a whole.
    let rest = grown.clone() + &grown.replace("more-", "rest-");
    fs::write(place.session(), &rest).unwrap();
    place.run(&["sync"]);
    names(&archive(&place).join("packs")).iter().for_each(|pack| fs::remove_file(pack).unwrap());
    place.run(&["sync"]);
    assert_eq!(given(&place, ID), rest.as_bytes());
}

#[test]
fn a_forgotten_session_does_not_come_back_under_another_path() {
    let place = Place::with_sessions();
    let id = "019c1e7f-2a0b-7a55-8f3e-0d7a4b1c9e31";
    let name = format!("rollout-2026-03-01T10-00-00-{id}.jsonl");
    let meta = format!(
        "{{\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"type\":\"session_meta\",\"payload\":\
         {{\"id\":\"{id}\",\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"cwd\":\"/home/ana/shop\",\
         \"originator\":\"codex_cli_rs\",\"cli_version\":\"0.55.0\"}}}}\n"
    );
    let said = |text: &str| {
        format!(
            "{{\"timestamp\":\"2026-03-01T10:00:01.000Z\",\"type\":\"response_item\",\"payload\":\
             {{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\
             \"text\":\"{text}\"}}]}}}}\n"
        )
    };
    let codex = place.path().join("home/.codex");
    let first = codex.join("sessions/2026/03/01").join(&name);
    put(&first, &(meta.clone() + &said("Oil the hinges")));
    good(&place, &["sync"]);
    assert!(unpacked(&place).contains("Oil the hinges"));
    good(&place, &["archive", "forget", id, "--yes"]);
    fs::remove_file(&first).unwrap();
    let moved = codex.join("archived_sessions").join(&name);
    put(&moved, &(meta + &said("Oil the hinges") + &said("Oil them again")));
    let ran = good(&place, &["sync"]);
    assert!(ran.out.contains("left out: 1"), "{}", ran.out);
    assert!(!unpacked(&place).contains("Oil "));
}
