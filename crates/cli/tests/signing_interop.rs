//! Libraries of others verify what the command signs, also as verifiers after the draft do, which
//! make the canonical form again; the command verifies what they sign; an ssh agent signs.
//!
//! `VERBATIM_COSE_PYTHON` names a Python that has `scitt-cose` 0.5, `pycose` and `cbor2` below 6.
//! Without it, or without OpenSSH, a test says that it is skipped.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use common::{ID, Place, Ran, put};

/// Says on the terminal that a test is skipped: the test's runner hides what a good test prints.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

fn good(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

fn python() -> Option<PathBuf> {
    let python = std::env::var_os("VERBATIM_COSE_PYTHON").map(PathBuf::from);
    if python.is_none() {
        skipped("needs a Python with scitt-cose and pycose (VERBATIM_COSE_PYTHON)");
    }
    python
}

/// Runs the script in a place, with names of files there.
fn script(python: &PathBuf, place: &Place, args: [&str; 4]) -> Result<(), String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/signing_interop.py");
    let mut command = Command::new(python);
    let ran = command.arg(script).args(args).current_dir(place.path()).output().unwrap();
    match ran.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&ran.stderr).into_owned()),
    }
}

#[test]
fn others_verify_what_is_signed() {
    let Some(python) = python() else { return };
    for kind in ["ed25519", "p256"] {
        let place = Place::with_sessions();
        let new = ["key", "new", "work", "--p256"];
        good(&place.run(&new[..if kind == "p256" { 4 } else { 3 }]));
        put(&place.path().join("key"), &place.run(&["key", "show", "work"]).out);
        good(&place.run(&["sign", ID, "-o", "record.json"]));
        good(&place.run(&["sign", ID, "--as-draft", "-o", "draft.json"]));
        for mode in ["verify", "scitt"] {
            for file in ["record.json", "draft.json"] {
                script(&python, &place, [mode, "key", file, "-"]).unwrap();
            }
        }
        // A verifier after the draft makes the canonical form of whatever has the same values.
        script(&python, &place, ["draft", "key", "draft.json", "-"]).unwrap();
        let text = std::fs::read_to_string(place.path().join("draft.json")).unwrap();
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        put(&place.path().join("draft.json"), &serde_json::to_string_pretty(&read).unwrap());
        script(&python, &place, ["draft", "key", "draft.json", "-"]).unwrap();
        script(&python, &place, ["verify", "key", "draft.json", "-"]).unwrap_err();
        good(&place.run(&["verify", "draft.json", "--as-draft"]));
        // The judge can fail: another byte, another key.
        put(
            &place.path().join("draft.json"),
            &text.replacen("vac", "vax", 1).replacen('1', "2", 1),
        );
        script(&python, &place, ["draft", "key", "draft.json", "-"]).unwrap_err();
    }
}

#[test]
fn what_others_sign_is_verified() {
    let Some(python) = python() else { return };
    for kind in ["ed25519", "p256"] {
        let place = Place::with_sessions();
        good(&place.run(&["convert", ID, "--to", "vac", "-o", "record.json"]));
        for mode in ["sign", "sign-attached", "sign-draft"] {
            script(&python, &place, [mode, "key.pem", "record.json", kind]).unwrap();
            let draft = mode == "sign-draft";
            let verify = ["verify", "record.json", "--key", "key.pem", "--as-draft"];
            let ran = place.run(&verify[..if draft { 5 } else { 4 }]);
            good(&ran);
            assert!(ran.out.contains("bytes         shown"), "{}", ran.out);
        }
        let text = std::fs::read_to_string(place.path().join("record.json")).unwrap();
        put(&place.path().join("record.json"), &text.replacen('1', "2", 1));
        let ran = place.run(&["verify", "record.json", "--key", "key.pem", "--as-draft"]);
        assert_eq!(ran.code, 1, "{}", ran.out);
    }
}

/// Statements of `scitt_cose`: with the content inside, without it, and with receipts of a log. Its
/// names are in an order of its own, which is reported and nothing else.
#[test]
fn statements_of_others_are_verified() {
    let Some(python) = python() else { return };
    for kind in ["ed25519", "p256"] {
        let place = Place::with_sessions();
        good(&place.run(&["convert", ID, "--to", "vac", "-o", "record.json"]));
        let issuer = "https://example.org/eve";
        put(&place.path().join("issuer"), issuer);
        put(&place.path().join("subject"), &format!("urn:vac:session:{ID}"));
        for (name, mode) in
            [("a", "statement"), ("b", "statement-detached"), ("c", "statement-transparent")]
        {
            script(&python, &place, [mode, "key.pem", "record.json", kind]).unwrap();
            let ran = place.run(&["verify", "record.json"]);
            assert_eq!(ran.code, 4, "nobody knows the key: {}", ran.out);
            good(&place.run(&["key", "trust", "key.pem", "--name", name, "--issuer", issuer]));
            let ran = place.run(&["verify", "record.json", "--json"]);
            good(&ran);
            let read: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            let report = &read["files"][0];
            let line = |what: &str| {
                let mut checks = report["checks"].as_array().unwrap().iter();
                checks.find(|check| check["what"] == what).unwrap().clone()
            };
            for what in ["envelope", "bytes", "form", "schema", "key", "issuer", "subject"] {
                assert_eq!(line(what)["verdict"], "shown", "{mode}, {what}: {}", ran.out);
            }
            assert!(line("envelope")["why"].to_string().contains("another order"), "{}", ran.out);
            let log = line("log")["why"].to_string().contains("a receipt of a log can't be read");
            assert_eq!(log, mode == "statement-transparent", "{}", ran.out);
            assert_eq!(report["claims"]["issuer"], issuer);
            // Another byte, in the file or in the statement, is found.
            let path = place.path().join("record.json");
            let text = std::fs::read_to_string(&path).unwrap();
            put(&path, &text.replacen('1', "2", 1));
            // Without the content inside, and without the id of a key, nothing tells who signed.
            let code = if mode == "statement-detached" { 4 } else { 1 };
            assert_eq!(place.run(&["verify", "record.json"]).code, code, "{mode}");
            put(&path, &text);
            let path = place.path().join("record.json.cose");
            let mut envelope = std::fs::read(&path).unwrap();
            *envelope.last_mut().unwrap() ^= 1;
            std::fs::write(&path, envelope).unwrap();
            assert_ne!(place.run(&["verify", "record.json"]).code, 0, "{mode}");
        }
    }
}

/// Envelopes and receipts of logs that a script writes from raw bytes, by a rule that its head
/// tells, each with the verdict that the standards or the policy give it. It shares nothing with
/// the program, and neither with the cases of `mutations` in the crate `operations`.
#[test]
fn mutations_by_another_hand() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let record = samples::workspace().join("crates/formats/goldens/codex/agents-1.vac.json");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/signing_mutations/all.py");
    let mut made = Command::new(python);
    made.args(["-B", script]).arg(record).arg(place.path());
    let made = made.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path().join("cases.json")).unwrap()).unwrap();
    for name in ["edwards", "curve", "log"] {
        let (key, issuer) = (format!("{name}.pem"), made["issuer"].as_str().unwrap());
        good(&place.run(&["key", "trust", &key, "--name", name, "--issuer", issuer]));
    }
    let cases: Vec<(String, String, i32, String, String)> =
        serde_json::from_value(made["cases"].clone()).unwrap();
    let file = |number: &String| {
        let record = format!("{number}/record.json");
        if place.path().join(&record).is_file() { record } else { record + ".cose" }
    };
    let files: Vec<String> = cases.iter().map(|(number, ..)| file(number)).collect();
    let ran = place.run(&[&["verify", "--json"], &*strs(&files)].concat());
    let read: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let reports = read["files"].as_array().unwrap();
    assert_eq!((reports.len(), cases.len()), (cases.len(), 210));
    for (report, (_, name, code, line, verdict)) in reports.iter().zip(&cases) {
        let result = match code {
            0 => "signed",
            4 => "unknown",
            _ => "failed",
        };
        assert_eq!(report["result"], result, "{name}: {report:#}");
        let mut checks = report["checks"].as_array().unwrap().iter();
        let check = checks.find(|check| check["what"] == **line);
        assert_eq!(check.unwrap()["verdict"], **verdict, "{name}: {report:#}");
    }
}

fn strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// An ssh agent that ends with the test.
struct Agent(Child, PathBuf);

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Agent {
    fn start(place: &Place) -> Option<Self> {
        let socket = place.path().join("agent");
        let mut command = Command::new("ssh-agent");
        command.arg("-D").arg("-a").arg(&socket).stdout(Stdio::null()).stderr(Stdio::null());
        let agent = Self(command.spawn().ok()?, socket);
        for _ in 0..500 {
            if agent.1.exists() {
                return Some(agent);
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        None
    }
}

#[test]
fn a_key_in_an_ssh_agent_signs() {
    let place = Place::with_sessions();
    let Some(agent) = Agent::start(&place) else { return skipped("needs ssh-agent") };
    let run = |args: &[&str]| {
        let mut command = place.command(args);
        common::ran(command.env("SSH_AUTH_SOCK", &agent.1).output().unwrap())
    };
    for kind in ["ed25519", "ecdsa"] {
        let file = place.path().join(kind);
        let mut made = Command::new("ssh-keygen");
        made.args(["-q", "-t", kind, "-N", "", "-C", "\u{1b}[2Jme", "-f"]).arg(&file);
        assert!(made.status().unwrap().success());
        let mut added = Command::new("ssh-add");
        added.arg("-q").arg(&file).env("SSH_AUTH_SOCK", &agent.1).stderr(Stdio::null());
        assert!(added.status().unwrap().success());
        let print = Command::new("ssh-keygen").arg("-l").arg("-f").arg(&file).output().unwrap();
        let print = String::from_utf8_lossy(&print.stdout).into_owned();
        let print = print.split(' ').nth(1).unwrap();
        assert!(run(&["key", "list"]).out.contains(print), "{print}");
        let record = format!("{kind}.json");
        good(&run(&["sign", ID, "--key", print, "-o", &record]));
        let public = format!("{kind}.pub");
        good(&run(&["verify", &record, "--key", &public]));
        // The key that signed is the user's own, as long as the agent holds it.
        let ran = run(&["verify", &record]);
        good(&ran);
        assert!(ran.out.contains("your ssh agent holds it"), "{}", ran.out);
        assert_eq!(place.run(&["verify", &record]).code, 4, "a key that is not trusted");
        let issuer = "https://example.org/ana";
        good(&run(&["key", "trust", &public, "--name", kind, "--issuer", issuer]));
        let ran = run(&["sign", ID, "--key", print, "-o", &record, "--force"]);
        assert!(ran.code == 0 && ran.out.contains(issuer), "{}{}", ran.out, ran.err);
        good(&run(&["verify", &record]));
    }
    let none = run(&["sign", ID, "--key", "SHA256:none", "-o", "none.json"]);
    assert!(none.code == 3 && none.err.contains("holds no key"), "{}", none.err);
    // What an agent does not sign is refused, with the limit and another way.
    let print = run(&["key", "show", "ed25519", "--json"]).out;
    let print: serde_json::Value = serde_json::from_str(&print).unwrap();
    let print = print["keys"][0]["fingerprint"].as_str().unwrap();
    let long = common::talk(ID, &"long ".repeat(60_000), "2026-03-01T10:0");
    put(&place.path().join("long.jsonl"), &long);
    let ran = run(&["sign", "long.jsonl", "--key", print, "-o", "long.json"]);
    assert!(ran.code == 3 && ran.err.contains("262144"), "{}", ran.err);
    assert!(!place.path().join("long.json").exists());
    // No agent, and one that does not answer.
    assert_eq!(place.run(&["sign", ID, "--key", print, "-o", "no.json"]).code, 3);
    let mut gone = place.command(&["key", "list"]);
    let gone = common::ran(gone.env("SSH_AUTH_SOCK", "/nowhere").output().unwrap());
    assert!(gone.code == 0 && gone.err.contains("does not answer"), "{}", gone.err);
}
