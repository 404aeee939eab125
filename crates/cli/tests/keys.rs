//! The folder of keys: nobody adds one from outside, no output replaces one, and changes at once
//! are all kept.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::PathBuf;

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
