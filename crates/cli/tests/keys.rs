//! The folder of keys: nobody adds one from outside, no output replaces one, and changes at once
//! are all kept.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{ID, Place, Ran};

fn good(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

fn settings(place: &Place) -> PathBuf {
    place.path().join("home/.config/verbatim")
}

/// A public key that somebody puts beside the user's keys is not the user's own, and no output
/// replaces a key or the list of trusted ones.
#[test]
#[cfg(unix)]
fn keys_are_not_added_or_replaced_from_outside() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work"]));
    let keys = settings(&place).join("keys");
    let own = std::fs::read_to_string(keys.join("work.pub")).unwrap();
    std::fs::write(keys.join("evil.pub"), own.replace(" work", " evil")).unwrap();
    let listed = place.run(&["key", "list"]);
    assert!(listed.out.contains("work") && !listed.out.contains("evil"), "{}", listed.out);
    let secret = std::fs::read(keys.join("work.pem")).unwrap();
    for args in [
        &["sign", ID, "--key", "work", "--force", "-o"][..],
        &["convert", ID, "--to", "vac", "--force", "-o"],
    ] {
        let ran = place.run(&[args, &[keys.join("work.pem").to_str().unwrap()]].concat());
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("verbatim's own keys"), "{args:?}: {}", ran.err);
    }
    assert_eq!(std::fs::read(keys.join("work.pem")).unwrap(), secret);
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o777)).unwrap();
    let ran = place.run(&["key", "list"]);
    assert!(ran.code == 3 && ran.err.contains("chmod 700"), "{}{}", ran.out, ran.err);
}

/// Processes that trust and distrust keys at once lose none of it.
#[test]
fn trust_changes_at_once_are_all_kept() {
    let place = Place::with_sessions();
    let names: Vec<String> = (0..6).map(|n| format!("signer-number-{n}")).collect();
    for name in &names {
        good(&place.run(&["key", "new", name]));
        let keys = settings(&place).join("keys");
        let public = keys.join(format!("{name}.pub"));
        std::fs::rename(public, place.path().join(format!("{name}.pub"))).unwrap();
        std::fs::remove_file(keys.join(format!("{name}.pem"))).unwrap();
    }
    let files: Vec<String> = names.iter().map(|name| format!("{name}.pub")).collect();
    let start = |args: &[&str]| {
        let mut command = place.command(args);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    good(&place.run(&["key", "trust", &files[0], "--name", &names[0]]));
    let rest = names.iter().zip(&files).skip(1);
    let mut all: Vec<_> =
        rest.map(|(name, file)| start(&["key", "trust", file, "--name", name])).collect();
    all.push(start(&["key", "distrust", &names[0]]));
    for mut child in all {
        assert!(child.wait().unwrap().success());
    }
    let listed = place.run(&["key", "list"]).out;
    assert!(!listed.contains(&names[0]), "{listed}");
    assert!(names[1..].iter().all(|name| listed.contains(name.as_str())), "{listed}");
}

/// A file among the keys that is not a key takes nothing from the others: it is named, not used.
#[test]
fn a_damaged_key_is_set_aside() {
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work"]));
    good(&place.run(&["key", "new", "other"]));
    good(&place.run(&["sign", ID, "--key", "work", "-o", "record.json"]));
    std::fs::write(settings(&place).join("keys/other.pub"), "ed25519 AAAA urn:x other\n").unwrap();
    for args in [&["verify", "record.json"][..], &["key", "list"], &["key", "show", "work"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("the key `other` is not used"), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("other.pub: line 1"), "{args:?}: {}", ran.err);
    }
    good(&place.run(&["sign", ID, "--key", "work", "-o", "again.json"]));
    // The damaged one, and one that may be meant, are no key to sign with.
    for key in [&["--key", "other"][..], &[]] {
        let ran = place.run(&[&["sign", ID, "-o", "never.json"][..], key].concat());
        assert!(ran.code == 3 && ran.err.contains("other.pub: line 1"), "{key:?}: {}", ran.err);
    }
}

/// A file that another user has put among the keys is not used.
#[test]
#[cfg(unix)]
fn the_file_of_another_user_is_set_aside() {
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work"]));
    good(&place.run(&["key", "new", "theirs"]));
    good(&place.run(&["sign", ID, "--key", "theirs", "-o", "record.json"]));
    good(&place.run(&["verify", "record.json"]));
    let file = settings(&place).join("keys/theirs.pub");
    if std::os::unix::fs::chown(&file, Some(65534), None).is_err() {
        println!("skipped: only root can give a file to another user");
        return;
    }
    let ran = place.run(&["verify", "record.json"]);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("it belongs to another user"), "{}", ran.err);
}

/// A public file is believed only beside the secret one that it is of, and only in folders that
/// nobody else can replace.
#[test]
#[cfg(unix)]
fn a_public_file_of_another_key_is_set_aside() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work"]));
    good(&place.run(&["sign", ID, "-o", "record.json"]));
    let keys = settings(&place).join("keys");
    let work = std::fs::read_to_string(keys.join("work.pub")).unwrap();
    good(&place.run(&["key", "new", "next"]));
    std::fs::write(keys.join("next.pub"), work.replace(" work", " next")).unwrap();
    let ran = place.run(&["key", "list"]);
    assert!(ran.err.contains("the key `next` is not used"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("its public file is of another key"), "{}", ran.err);
    good(&place.run(&["verify", "record.json"]));
    // Above the folder of keys, the one that anybody can write lets anybody exchange it.
    let above = place.path().join("home");
    std::fs::set_permissions(&above, std::fs::Permissions::from_mode(0o777)).unwrap();
    let ran = place.run(&["verify", "record.json"]);
    assert!(ran.code == 3 && ran.err.contains("chmod o-w"), "{}{}", ran.out, ran.err);
    std::fs::set_permissions(&above, std::fs::Permissions::from_mode(0o1777)).unwrap();
    good(&place.run(&["verify", "record.json"]));
}

/// An agent that answers a byte now and then has no more time than one that does not answer.
#[test]
#[cfg(unix)]
fn a_slow_ssh_agent_is_not_waited_for() {
    use std::io::{Read as _, Write as _};
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work"]));
    let socket = place.path().join("agent");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 5]).unwrap();
        // The length of an answer, and then its bytes for a minute.
        let mut answer = vec![0, 0, 1, 0];
        answer.extend([12; 120]);
        for byte in answer {
            if stream.write_all(&[byte]).is_err() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
    });
    let started = std::time::Instant::now();
    let mut command = place.command(&["key", "list"]);
    let ran = common::ran(command.env("SSH_AUTH_SOCK", &socket).output().unwrap());
    assert!(ran.code == 0 && ran.out.contains("work"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("the ssh agent does not answer"), "{}", ran.err);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

/// The fingerprint is the one that `ssh-keygen` shows, so that people can compare it.
#[test]
fn the_fingerprint_is_that_of_ssh() {
    let place = Place::with_sessions();
    for kind in ["ed25519", "ecdsa"] {
        let file = place.path().join(kind);
        let mut made = Command::new("ssh-keygen");
        made.args(["-q", "-t", kind, "-N", "", "-f"]).arg(&file);
        if !made.status().is_ok_and(|status| status.success()) {
            println!("skipped: there is no ssh-keygen");
            return;
        }
        let public = format!("{kind}.pub");
        let mut print = Command::new("ssh-keygen");
        print.args(["-l", "-f"]).arg(place.path().join(&public));
        let print = String::from_utf8(print.output().unwrap().stdout).unwrap();
        let print = print.split(' ').nth(1).unwrap();
        let ran = place.run(&["key", "trust", &public, "--name", kind]);
        assert!(ran.code == 0 && ran.out.contains(print), "{print}: {}{}", ran.out, ran.err);
        good(&place.run(&["key", "show", print]));
    }
}
