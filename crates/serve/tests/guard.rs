//! The guard of a server: who is let in, what an answer has, and what a server bears.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::{FIRST, SECOND, Server, read};

/// The status of an answer, and the method and the headers of its request.
type Row<'r> = (u16, &'r str, &'r [(&'r str, &'r str)]);

/// The paths of every kind of answer.
const PATHS: [&str; 12] = [
    "/",
    "/search",
    "/usage",
    "/files",
    "/proof",
    "/books",
    "/not-seen",
    "/v1/sessions",
    "/v1/usage",
    "/v1/openapi.json",
    "/v1/nothing",
    "/nothing",
];

#[test]
fn the_host_comes_first_then_the_method_the_token_and_the_origin() {
    let server = Server::start();
    let (host, bearer) = (server.host(), server.bearer());
    let local = format!("localhost:{}", server.address.port());
    let (ours, foreign) = (format!("http://{host}"), "http://127.0.0.1:3000");
    let token = ("Authorization", &*bearer);
    let wrong = ("Authorization", "Bearer wrong");
    let rows: &[Row<'_>] = &[
        (403, "GET", &[token]),
        (403, "GET", &[("Host", "evil.example"), token]),
        (403, "GET", &[("Host", "127.0.0.1"), token]),
        (403, "GET", &[("Host", "127.0.0.1.evil.example:80"), token]),
        (403, "GET", &[("Host", &host), ("Host", "evil.example"), token]),
        (403, "DELETE", &[("Host", "evil.example")]),
        (405, "DELETE", &[("Host", &host)]),
        (405, "OPTIONS", &[("Host", &host), ("Origin", foreign)]),
        (405, "POST", &[("Host", &host), ("Origin", "null")]),
        (401, "GET", &[("Host", &host)]),
        (401, "GET", &[("Host", &host), ("Origin", foreign)]),
        (401, "GET", &[("Host", &host), wrong]),
        (401, "GET", &[("Host", &host), ("Authorization", &server.token)]),
        (401, "GET", &[("Host", &host), ("Authorization", &format!("Basic {}", server.token))]),
        (401, "GET", &[("Host", &host), ("Cookie", &format!("verbatim_1={}", server.token))]),
        (403, "GET", &[("Host", &host), token, ("Origin", foreign)]),
        (403, "GET", &[("Host", &host), token, ("Origin", "null")]),
        (403, "GET", &[("Host", &host), token, ("Origin", &ours), ("Origin", "null")]),
        (403, "GET", &[("Host", &local), token, ("Origin", &ours)]),
        (200, "GET", &[("Host", &host), token, ("Origin", &ours)]),
        (200, "GET", &[("Host", &local), token]),
        (200, "HEAD", &[("Host", &host), token]),
    ];
    for (status, method, headers) in rows {
        for path in ["/", "/v1/sessions"] {
            let answer = server.ask(method, path, headers);
            assert_eq!(answer.status, *status, "{method} {path} {headers:?}");
        }
    }
    let absolute = format!("http://evil.example:{}/v1/sessions", server.address.port());
    assert_eq!(server.ask("GET", &absolute, &[("Host", &host), token]).status, 403);
}

#[test]
fn every_answer_has_the_headers_and_no_other_method() {
    let server = Server::start();
    let (host, bearer) = (server.host(), server.bearer());
    for path in PATHS {
        let known = server.get(path);
        let unknown = server.ask("GET", path, &[("Host", &host)]);
        assert_eq!(unknown.status, 401, "{path}");
        assert!(unknown.header("www-authenticate").unwrap().starts_with("Bearer"), "{path}");
        for answer in [&known, &unknown] {
            let policy = answer.header("content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none'; "), "{path}: {policy}");
            assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
            assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
            assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
            assert_eq!(answer.header("vary"), Some("Origin"), "{path}");
            assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
        }
        for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE"] {
            let answer = server.ask(method, path, &[("Host", &host), ("Authorization", &bearer)]);
            assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")), "{path}");
        }
    }
    let get = server.get("/v1/resume");
    assert_eq!((get.status, get.header("allow")), (405, Some("POST")));
    let health = server.ask("GET", "/health", &[("Host", &host)]);
    assert_eq!((health.status, &*health.text()), (200, "{\"status\":\"ok\"}"));
    assert_eq!(server.ask("GET", "/health", &[("Host", "evil.example")]).status, 403);
}

#[test]
fn the_printed_address_lets_one_browser_in_once() {
    let server = Server::start();
    let host = server.host();
    let enter = |headers: &[(&str, &str)]| server.ask("GET", &server.entry, headers);
    assert_eq!(server.ask("HEAD", &server.entry, &[("Host", &host)]).status, 401);
    assert_eq!(enter(&[("Host", "evil.example")]).status, 403);
    let answer = enter(&[("Host", &host)]);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(enter(&[("Host", &host)]).status, 401, "it works once");
    let visit = |method: &str, path: &str, more: &[(&str, &str)], body: &str| {
        let all = [&[("Host", &*host), ("Cookie", cookie)], more].concat();
        server.send(method, path, &all, body.as_bytes())
    };
    let page = visit("GET", "/", &[], "");
    assert_eq!(page.status, 200);
    assert_eq!(visit("GET", "/", &[("Sec-Fetch-Site", "same-origin")], "").status, 200);
    for site in ["same-site", "cross-site"] {
        assert_eq!(visit("GET", "/", &[("Sec-Fetch-Site", site)], "").status, 403, "{site}");
    }
    // To act, a page repeats its word, and says where it is from.
    let text = page.text();
    let (_, word) = text.split_once("name=\"verbatim-word\" content=\"").unwrap();
    let word = word.split('"').next().unwrap();
    let ours = format!("http://{host}");
    let body = format!("{{\"session\":\"{FIRST}\",\"to\":\"html\",\"confirm\":\"export\"}}");
    let json = ("Content-Type", "application/json");
    let (origin, word) = (("Origin", &*ours), ("X-Verbatim-Word", word));
    let export = |more: &[(&str, &str)]| visit("POST", "/v1/export", more, &body).status;
    assert_eq!(export(&[json]), 403);
    assert_eq!(export(&[json, origin]), 403);
    assert_eq!(export(&[json, word]), 403);
    assert_eq!(export(&[json, word, ("Origin", "http://127.0.0.1:3000")]), 403);
    // The answer names what is missing.
    let why = |more: &[(&str, &str)]| visit("POST", "/v1/export", more, &body).text();
    assert!(why(&[json, word]).contains("the header `Origin`"), "{}", why(&[json, word]));
    assert!(why(&[json, origin]).contains("x-verbatim-word"), "{}", why(&[json, origin]));
    let wrong = why(&[json, origin, ("X-Verbatim-Word", "old")]);
    assert!(wrong.contains("reload the page"), "{wrong}");
    assert_eq!(export(&[json, origin, word]), 200);
}

#[test]
fn a_browser_that_another_page_led_here_is_led_on_by_a_page_of_this_server() {
    let server = Server::start();
    let host = server.host();
    let headers = [("Host", &*host), ("Sec-Fetch-Site", "cross-site")];
    let answer = server.ask("GET", &server.entry, &headers);
    assert_eq!(answer.status, 200);
    assert!(answer.header("set-cookie").is_some());
    assert!(answer.text().contains("http-equiv=\"refresh\" content=\"0;url=/\""));
    assert!(!answer.text().contains("<script"));
}

#[test]
fn the_route_of_receipts_takes_the_token_in_the_headers_of_its_other_clients() {
    let home = tempfile::tempdir().unwrap();
    let store = samples::workspace().join("crates/cli/tests/receipts/store");
    let server = Server::within(home, vec![store]);
    let (host, token) = (server.host(), server.token.clone());
    let path = "/v1/threads/thr_0a1b2c3d/turns/turn_00000001/receipt";
    let ask = |path: &str, headers: &[(&str, &str)]| {
        server.ask("GET", path, &[&[("Host", &*host)], headers].concat()).status
    };
    let cookie = format!("codewhale_runtime_token={token}");
    assert_eq!(ask(path, &[]), 401);
    assert_eq!(ask(&format!("{path}?token={token}"), &[]), 401);
    for name in ["X-Codewhale-Runtime-Token", "X-DeepSeek-Runtime-Token"] {
        assert_eq!(ask(path, &[(name, &token)]), 200, "{name}");
        assert_eq!(ask(path, &[(name, "wrong")]), 401, "{name}");
        assert_eq!(ask("/v1/sessions", &[(name, &token)]), 401, "only the receipts take {name}");
    }
    assert_eq!(ask(path, &[("Cookie", &cookie)]), 200);
    assert_eq!(ask("/v1/sessions", &[("Cookie", &cookie)]), 401);
    assert_eq!(ask(path, &[("Authorization", &server.bearer())]), 200);
}

#[test]
fn requests_are_bounded() {
    let server = Server::start();
    let (host, bearer) = (server.host(), server.bearer());
    let known = [("Host", &*host), ("Authorization", &*bearer)];
    let long = "x".repeat(9000);
    assert_eq!(server.ask("GET", &format!("/v1/search?q={long}"), &known).status, 414);
    let header = "y".repeat(20_000);
    let all = [&known[..], &[("X-Long", &*header)]].concat();
    assert_eq!(server.ask("GET", "/", &all).status, 431);
    assert_eq!(server.send("GET", "/", &known, b"body").status, 413);
    let all = [&known[..], &[("Content-Type", "application/json")]].concat();
    assert_eq!(server.send("POST", "/v1/export", &all, &[b' '; 5000]).status, 413);
    let chunked = [&all[..], &[("Transfer-Encoding", "chunked")]].concat();
    let mut text = String::from("POST /v1/export HTTP/1.1\r\nConnection: close\r\n");
    chunked.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
    text.push_str("\r\n");
    for _ in 0..20 {
        text.push_str(&format!("200\r\n{}\r\n", "z".repeat(512)));
    }
    text.push_str("0\r\n\r\n");
    assert_eq!(read(server.connect(), text.as_bytes()).status, 413);
}

#[test]
fn slow_sockets_leave_room_for_a_request() {
    let server = Server::start();
    let mut count = 300;
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum.map_or(Some(4096), |most| Some(most.min(4096)));
        if setrlimit(Resource::Nofile, limit).is_ok() && limit.current >= Some(2048) {
            count = 1000;
        }
    }
    assert_eq!(server.get("/v1/sessions").status, 200);
    let slow: Vec<TcpStream> = (0..count)
        .map(|_| {
            let mut stream = server.connect();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
            stream
        })
        .collect();
    let asked = Instant::now();
    assert_eq!(server.get("/v1/sessions").status, 200);
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?} beside {count} slow sockets");
    drop(slow);
}

#[test]
fn many_requests_at_once_are_all_answered() {
    let server = Server::start();
    // The deep check asks a thousand times.
    let each = if std::env::var_os("CI_DEEP").is_some() { 16 } else { 2 };
    let session = format!("/s/{FIRST}");
    let paths = ["/v1/sessions", "/", "/usage", "/v1/usage", "/files", "/search?q=door", &session];
    let before = memory();
    std::thread::scope(|scope| {
        for at in 0..64 {
            let server = &server;
            scope.spawn(move || {
                for turn in 0..each {
                    let path = paths[(at + turn) % paths.len()];
                    let answer = server.get(path);
                    assert_eq!(answer.status, 200, "{path}");
                    assert!(answer.header("content-length").is_some() || path.contains("search"));
                    assert!(!path.contains("search") || answer.text().ends_with("</html>"));
                }
            });
        }
    });
    if let (Some(before), Some(after)) = (before, memory()) {
        assert!(after < before + (256 << 10), "{before} kB before, {after} kB at most");
    }
}

/// The largest memory of this process so far, in kB.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_wrong_page_of_rows_is_refused_with_what_it_must_be() {
    let server = Server::start();
    for (ask, word) in [("limit=-1", "from 1 to 1000"), ("after=x", "the number of rows before")] {
        let answer = server.get(&format!("/v1/sessions?{ask}"));
        assert_eq!(answer.status, 400);
        let text = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(text.contains(word) && text.contains(&ask[..5]), "{ask}: {text}");
    }
}

#[test]
fn no_id_is_a_path_and_nothing_is_written() {
    let server = Server::start();
    std::fs::write(server.home.path().join("canary"), "tweet").unwrap();
    let before = tree(server.home.path());
    let canary = server.home.path().join("canary");
    let encoded = canary.to_string_lossy().replace('/', "%2F");
    let id = FIRST.split_once(':').unwrap().1;
    let file = server.home.path().join(format!(".claude/projects/-home-ana-shop/{id}.jsonl"));
    let file = file.to_string_lossy().replace('/', "%2F");
    let ids = [
        &*encoded,
        &*file,
        "..",
        "%2e%2e",
        "..%2f..%2fcanary",
        "%2Fetc%2Fpasswd",
        "%00",
        "a%0d%0ab",
        "claude-code:..%2F..%2Fcanary",
        "claude-code:",
        ":",
        "-",
        "%ff",
        "con",
        "last",
        "@",
    ];
    for id in ids {
        for path in ["", "/events", "/turns", "/turns/1/receipt", "/members/0", "/verdicts"] {
            let answer = server.get(&format!("/v1/sessions/{id}{path}"));
            assert!(matches!(answer.status, 404 | 400), "{id}{path}: {}", answer.status);
            assert!(!answer.text().contains("tweet"), "{id}");
        }
        assert!(matches!(server.get(&format!("/s/{id}")).status, 404 | 400), "{id}");
        let receipt = server.get(&format!("/v1/threads/{id}/turns/turn_1/receipt"));
        assert!(matches!(receipt.status, 404 | 400), "{id}: {}", receipt.status);
    }
    for uid in [FIRST, SECOND] {
        for path in ["", "/bytes", "/proof", "/travels"] {
            assert_eq!(server.get(&format!("/s/{uid}{path}")).status, 200, "{path}");
        }
    }
    assert_eq!(tree(server.home.path()), before, "a server that is asked writes nothing");
}

/// The files of a folder, with their lengths and times.
fn tree(folder: &std::path::Path) -> Vec<(std::path::PathBuf, u64, std::time::SystemTime)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let about = entry.metadata().unwrap();
            match about.is_dir() {
                true => folders.push(entry.path()),
                false => all.push((entry.path(), about.len(), about.modified().unwrap())),
            }
        }
    }
    all.sort();
    all
}
