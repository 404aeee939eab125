//! `verbatim serve` as a program: it prints what lets one in, answers what the commands print,
//! listens on the loopback alone, and ends at a signal.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use common::{ID, Place, put, talk};
use serde_json::Value;

#[path = "serve/counts.rs"]
mod counts;

/// A running server.
struct Served<'p> {
    place: &'p Place,
    child: Child,
    host: String,
    path: String,
    token: String,
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'p> Served<'p> {
    fn start(place: &'p Place, args: &[&str]) -> Self {
        let args = [&["serve"], args].concat();
        let mut command = place.command(&args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").expect("an address").to_owned();
        let (host, path) = address.split_at(address.find('/').unwrap());
        let token = place.path().join("home/.local/state/verbatim/serve.token");
        let token = std::fs::read_to_string(token).unwrap().trim().to_owned();
        let (host, path) = (host.to_owned(), path.to_owned());
        Self { place, child, host, path, token }
    }

    fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let (host, token) = (&self.host, &self.token);
        let ask = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nAuthorization: Bearer \
             {token}\r\n\r\n"
        );
        stream.write_all(ask.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// The document of a path, and that of a command.
    fn both(&self, path: &str, args: &[&str]) -> (Value, Value) {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        let ran = self.place.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        (serde_json::from_str(&body).unwrap(), serde_json::from_str(&ran.out).unwrap())
    }
}

#[test]
fn the_interface_answers_what_the_commands_print() {
    let place = Place::with_sessions();
    let server = Served::start(&place, &[]);
    let uid = format!("claude-code:{ID}");
    let rows: &[(&str, &[&str])] = &[
        ("/v1/sessions", &["list", "--json", "--all-projects"]),
        ("/v1/sessions?until=2026-02", &["list", "--json", "--all-projects", "--until", "2026-02"]),
        (
            "/v1/sessions?since=2026-03-01",
            &["list", "--json", "--all-projects", "--since", "2026-03-01"],
        ),
        ("/v1/sessions/UID/files", &["attribution", "--json", "UID"]),
        (
            "/v1/sessions/UID/turns/1/receipt?unfinished=1",
            &["receipt", "UID", "--turn", "1", "--compact", "--unfinished"],
        ),
        ("/v1/search?q=door", &["search", "--json", "--all-projects", "door"]),
        (
            "/v1/search?q=d.or&regex=1&only=prompts",
            &["search", "--json", "--all-projects", "-e", "d.or", "--only", "prompts"],
        ),
        ("/v1/usage", &["usage", "--json"]),
        ("/v1/usage?by=day&explain=1", &["usage", "--json", "--by", "day", "--explain"]),
        (
            "/v1/usage?by=session&until=2026-02-15",
            &["usage", "--json", "--by", "session", "--until", "2026-02-15"],
        ),
    ];
    for (path, args) in rows {
        let args: Vec<String> = args.iter().map(|arg| arg.replace("UID", &uid)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (served, printed) = server.both(&path.replace("UID", &uid), &args);
        assert_eq!(served, printed, "{path} beside {args:?}");
    }
    // The turns have a path of their own, since events come in pages.
    let events = format!("/v1/sessions/{uid}/events?limit=1000");
    let (served, mut printed) = server.both(&events, &["show", "--json", &uid]);
    let turns = printed.as_object_mut().unwrap().remove("turns").unwrap();
    assert_eq!(served, printed);
    let (served, _) = server.both(&format!("/v1/sessions/{uid}/turns"), &["list", "--json"]);
    assert_eq!(served["turns"], turns);
    let (served, printed) =
        server.both(&format!("/v1/sessions/{uid}/verdicts"), &["check", "--json", &uid]);
    assert_eq!(served["check"]["summary"], printed["summary"]);
    assert_eq!(served["check"]["sources"], printed["sources"]);
}

#[test]
fn every_sample_is_served_as_it_is_listed() {
    let place = Place::new();
    let samples = samples::workspace().join("crates/formats/src/agents");
    let samples = samples.to_string_lossy();
    let server = Served::start(&place, &["-C", &samples]);
    let (served, printed) = {
        let (status, body) = server.get("/v1/sessions?limit=1000");
        assert_eq!(status, 200);
        let ran = place.run(&["list", "--json", "-C", &samples]);
        let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        (read(&body), read(&ran.out))
    };
    assert_eq!(served, printed);
    let mut refused = Vec::new();
    for row in served["sessions"].as_array().unwrap() {
        let uid: String =
            row["uid"].as_str().unwrap().bytes().map(|byte| format!("%{byte:02X}")).collect();
        let (status, body) = server.get(&format!("/s/{uid}"));
        if status != 200 {
            refused.push(format!("{}: {status} {body}", row["uid"]));
        }
    }
    assert_eq!(refused, [""; 0]);
}

#[test]
fn it_listens_on_the_loopback_alone_and_ends_at_a_signal() {
    let place = Place::with_sessions();
    for signal in ["TERM", "INT"] {
        let mut server = Served::start(&place, &[]);
        assert!(server.host.starts_with("127.0.0.1:"), "{}", server.host);
        assert!(!server.path.contains(&server.token), "the token is in no address");
        let port: u16 = server.host.split_once(':').unwrap().1.parse().unwrap();
        if let Ok(table) = std::fs::read_to_string("/proc/net/tcp") {
            let listens: Vec<&str> = table
                .lines()
                .filter_map(|line| line.split_whitespace().nth(1))
                .filter(|local| local.ends_with(&format!(":{port:04X}")))
                .collect();
            assert!(listens.iter().all(|local| local.starts_with("0100007F:")), "{listens:?}");
            assert!(!listens.is_empty());
        }
        assert_eq!(server.get("/").0, 200);
        let pid = server.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        assert_eq!(server.child.wait().unwrap().code(), Some(0), "{signal}");
        let mut told = String::new();
        server.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert!(told.contains("serve.token") && !told.contains(&server.token), "{told}");
    }
}

#[test]
fn a_port_that_is_taken_and_a_folder_that_is_missing_are_refused() {
    let place = Place::with_sessions();
    let server = Served::start(&place, &[]);
    let port = server.host.split_once(':').unwrap().1;
    let ran = place.run(&["serve", "--port", port]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains(&format!("another program listens on port {port}")), "{}", ran.err);
    let ran = place.run(&["serve", "-C", "missing"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(place.run(&["serve", "--json"]).code, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn no_file_of_anybody_is_open_for_writing() {
    let place = Place::with_sessions();
    let server = Served::start(&place, &[]);
    holds_no_file_for_writing(&server);
    drop(server);
    // The index is a database that verbatim writes, and a server reads it.
    assert_eq!(place.run(&["sync"]).code, 0);
    let server = Served::start(&place, &[]);
    let page = server.get("/search?q=door").1;
    assert!(!page.contains("nothing was indexed"), "{page}");
    holds_no_file_for_writing(&server);
}

/// Asks for pages, and looks at the open files of the server all the while.
#[cfg(target_os = "linux")]
fn holds_no_file_for_writing(server: &Served<'_>) {
    let paths = ["/", "/search?q=door", "/usage", &*format!("/s/claude-code:{ID}"), "/findings"];
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            paths.iter().for_each(|path| assert_eq!(server.get(path).0, 200, "{path}"));
        });
        while !asked.is_finished() {
            no_file_is_open_for_writing(server.child.id());
        }
    });
    no_file_is_open_for_writing(server.child.id());
}

#[cfg(target_os = "linux")]
fn no_file_is_open_for_writing(process: u32) {
    let folder = format!("/proc/{process}");
    for entry in std::fs::read_dir(format!("{folder}/fd")).unwrap().map(Result::unwrap) {
        let Ok(target) = std::fs::read_link(entry.path()) else { continue };
        let number = entry.file_name().to_string_lossy().into_owned();
        // A file may have been closed meanwhile.
        let about = std::fs::read_to_string(format!("{folder}/fdinfo/{number}"));
        let Ok(about) = about else { continue };
        let flags = about.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
        let flags = u32::from_str_radix(flags.trim(), 8).unwrap();
        let is_file = target.is_absolute() && target.is_file();
        assert!(!is_file || flags & 3 == 0, "{} is open for writing", target.display());
    }
}

/// Of the sessions that were read, a server keeps those that were asked for last, up to 128 MiB of
/// their files: however many are looked at, its memory is bounded.
#[cfg(target_os = "linux")]
#[test]
fn the_memory_of_what_was_read_is_bounded() {
    const MIB: u64 = 1 << 20;
    let place = Place::new();
    let long = "The doors are green. ".repeat(50_000);
    let id = |number: u32| format!("5f1e7f1e-2a0b-4a55-8f3e-{number:012x}");
    for number in 0..6 {
        let time = |at: u32| format!("2026-{:02}-{:02}T1", at / 20 + 1, at % 20 + 1);
        let text = (0..60).map(|at| talk(&id(number), &long, &time(at)));
        let text: String = text.collect();
        assert!(text.len() as u64 > 60 * MIB, "{}", text.len());
        let path = format!("home/.claude/projects/-srv-doors/{}.jsonl", id(number));
        put(&place.path().join(path), &text);
    }
    let server = Served::start(&place, &[]);
    let status = format!("/proc/{}/status", server.child.id());
    let held = || -> u64 {
        let text = std::fs::read_to_string(&status).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
    };
    for number in (0..6).chain([0, 5]) {
        let (status, _) = server.get(&format!("/v1/sessions/claude-code:{}/turns", id(number)));
        assert_eq!(status, 200);
        // Two of them, and what the allocator has not given back yet. Six have 360 MiB alone.
        assert!(held() < 300 * MIB, "{} MiB after the session {number}", held() / MIB);
    }
}
