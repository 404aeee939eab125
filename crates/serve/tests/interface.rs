//! The interface for programs: what its description says is what it answers.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Answer, FIRST, SECOND, Server, put, talk};
use serde_json::Value;

/// The description of the interface, as it is published.
fn description() -> Value {
    let path = samples::workspace().join("schemas/verbatim-api-1.openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Each schema that is put into another one gets a name, so that its own references are its own.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A schema with those that it refers to in it.
fn whole(schema: &Value, description: &Value) -> Value {
    match schema {
        Value::Object(members) => match members.get("$ref").and_then(Value::as_str) {
            Some(name) => {
                let (file, pointer) = name.split_once('#').unwrap_or((name, ""));
                let read = |file: &str| -> Value {
                    let path = samples::workspace().join("schemas").join(file);
                    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
                };
                let of = if file.is_empty() { description.clone() } else { read(file) };
                let mut found = of.pointer(pointer).expect(name).clone();
                // What a part of a schema refers to within its file comes along.
                if let Some(all) = found.as_object_mut().filter(|_| !file.is_empty()) {
                    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
                    all.insert("$id".into(), format!("urn:test:{number}").into());
                    all.extend(of.get("$defs").map(|defs| ("$defs".to_owned(), defs.clone())));
                }
                if file.is_empty() { whole(&found, description) } else { found }
            }
            None => {
                let all = members.iter().map(|(name, one)| (name.clone(), whole(one, description)));
                Value::Object(all.collect())
            }
        },
        Value::Array(all) => all.iter().map(|one| whole(one, description)).collect(),
        other => other.clone(),
    }
}

/// Holds an answer to the description of its path.
fn hold(description: &Value, path: &str, method: &str, answer: &Answer) {
    let status = answer.status.to_string();
    let response = &description["paths"][path][method]["responses"][&status];
    assert!(response.is_object(), "{method} {path}: {status} is not described: {answer:?}");
    let Some(content) = response.get("content") else { return };
    let kind = answer.header("content-type").unwrap().split(';').next().unwrap();
    let described = content.get(kind);
    assert!(described.is_some(), "{path}: {status} has the type {kind}");
    let Some(schema) = described.and_then(|described| described.get("schema")) else { return };
    let schema = whole(schema, description);
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    let schema = options.build(&schema).unwrap();
    let document = answer.json();
    let errors = schema.iter_errors(&document).take(3);
    let errors: Vec<String> =
        errors.map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, [""; 0], "{method} {path}: {status}");
}

/// A home with the store of a runtime, and two sessions.
fn server() -> Server {
    let home = tempfile::tempdir().unwrap();
    let store = samples::workspace().join("crates/cli/tests/receipts/store");
    let id = |uid: &str| uid.split_once(':').unwrap().1.to_owned();
    let folder = home.path().join("sessions");
    for (uid, prompt) in [(FIRST, "Paint the door green"), (SECOND, "Count the windows")] {
        put(&folder.join(format!("{}.jsonl", id(uid))), &talk(&id(uid), prompt));
    }
    Server::within(home, vec![folder, store])
}

/// The paths of the description, each with requests and the status of their answers.
const ROWS: &[(&str, &[(&str, u16)])] = &[
    ("/health", &[("/health", 200)]),
    ("/v1/openapi.json", &[("/v1/openapi.json", 200)]),
    (
        "/v1/sessions",
        &[
            ("/v1/sessions", 200),
            ("/v1/sessions?limit=1&agent=claude-code&since=2026-03&until=2026-03", 200),
            ("/v1/sessions?agent=nobody", 400),
            ("/v1/sessions?limit=1001", 400),
            ("/v1/sessions?since=soon", 400),
        ],
    ),
    ("/v1/sessions/{uid}", &[("/v1/sessions/UID", 200), ("/v1/sessions/x", 404)]),
    (
        "/v1/sessions/{uid}/events",
        &[("/v1/sessions/UID/events", 200), ("/v1/sessions/UID/events?limit=2&after=1", 200)],
    ),
    ("/v1/sessions/{uid}/turns", &[("/v1/sessions/UID/turns", 200)]),
    (
        "/v1/sessions/{uid}/turns/{n}",
        &[("/v1/sessions/UID/turns/2", 200), ("/v1/sessions/UID/turns/9", 404)],
    ),
    (
        "/v1/sessions/{uid}/turns/{n}/receipt",
        &[
            ("/v1/sessions/UID/turns/1/receipt", 200),
            ("/v1/sessions/UID/turns/9/receipt", 404),
            ("/v1/sessions/UID/turns/x/receipt", 404),
        ],
    ),
    ("/v1/sessions/{uid}/files", &[("/v1/sessions/UID/files", 200)]),
    ("/v1/sessions/{uid}/members", &[("/v1/sessions/UID/members", 200)]),
    (
        "/v1/sessions/{uid}/members/{n}",
        &[("/v1/sessions/UID/members/0", 200), ("/v1/sessions/UID/members/7", 404)],
    ),
    ("/v1/sessions/{uid}/verdicts", &[("/v1/sessions/UID/verdicts", 200)]),
    (
        "/v1/search",
        &[
            ("/v1/search?q=door", 200),
            ("/v1/search?q=%22the+door%22&only=prompts", 200),
            ("/v1/search", 400),
            ("/v1/search?q=%28&regex=1", 400),
            ("/v1/search?q=a&only=nothing", 400),
        ],
    ),
    ("/v1/usage", &[("/v1/usage?by=day&explain=1", 200), ("/v1/usage?by=mood", 400)]),
    ("/v1/files", &[("/v1/files?path=door", 200)]),
    (
        "/v1/threads/{thread_id}/turns/{turn_id}/receipt",
        &[
            ("/v1/threads/THREAD/turns/TURN/receipt", 200),
            ("/v1/threads/THREAD/turns/turn_9/receipt", 404),
            ("/v1/threads/thr_9/turns/TURN/receipt", 404),
            ("/v1/threads/..%2Fx/turns/TURN/receipt", 400),
        ],
    ),
    ("/v1/live", &[]),
    ("/v1/resume", &[]),
    ("/v1/export", &[]),
];

#[test]
fn every_path_and_status_is_described_and_every_answer_meets_its_schema() {
    let (server, description) = (server(), description());
    assert_eq!(server.get("/v1/openapi.json").json(), description, "the copies are equal");
    let (thread, turn) = ("thr_0a1b2c3d", "turn_00000001");
    for (path, asks) in ROWS {
        for (ask, status) in *asks {
            let ask = ask.replace("UID", FIRST).replace("THREAD", thread).replace("TURN", turn);
            let answer = server.get(&ask);
            assert_eq!(answer.status, *status, "{ask}: {}", String::from_utf8_lossy(&answer.body));
            hold(&description, path, "get", &answer);
        }
    }
    let described: BTreeSet<&str> =
        description["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(described, ROWS.iter().map(|(path, _)| *path).collect());
    let routes = samples::workspace().join("crates/serve/src/routes.rs");
    let routes = std::fs::read_to_string(routes).unwrap();
    for path in described.iter().filter(|path| path.starts_with("/v1/")) {
        let is_action = matches!(*path, "/v1/resume" | "/v1/export");
        assert!(is_action || routes.contains(&format!("(\"{path}\",")), "{path} has no route");
    }
    assert_eq!(routes.matches("    (\"/v1/").count() + 2, described.len() - 1, "each is described");
    let held = |answer: Answer| hold(&description, "/v1/sessions", "get", &answer);
    held(server.ask("GET", "/v1/sessions", &[("Host", &server.host())]));
    held(server.ask("GET", "/v1/sessions", &[("Host", "evil.example")]));
    held(server.ask("PUT", "/v1/sessions", &[("Host", &server.host())]));
}

#[test]
fn the_check_of_answers_can_fail() {
    let description = description();
    let answer = Answer {
        status: 200,
        head: "HTTP/1.1 200 OK\nContent-Type: application/json".into(),
        body: b"{\"schema\":\"verbatim-list-1\",\"sessions\":[{}],\"aside\":[]}".to_vec(),
    };
    let held = std::panic::catch_unwind(|| hold(&description, "/v1/sessions", "get", &answer));
    assert!(held.is_err());
}

#[test]
fn pages_lead_through_all_rows() {
    let server = server();
    for (path, list) in [
        ("/v1/sessions", "sessions"),
        (&*format!("/v1/sessions/{FIRST}/events"), "events"),
        (&*format!("/v1/sessions/{FIRST}/turns"), "turns"),
        ("/v1/search?q=door", "sessions"),
    ] {
        let all = server.get(path);
        let total: usize = all.header("verbatim-total").unwrap().parse().unwrap();
        let all = all.json()[list].as_array().unwrap().clone();
        assert_eq!(all.len(), total, "{path}");
        let mut rows = Vec::new();
        let mark = if path.contains('?') { '&' } else { '?' };
        let mut next = Some(format!("{path}{mark}limit=1"));
        while let Some(at) = next {
            let page = server.get(&at);
            rows.extend(page.json()[list].as_array().unwrap().clone());
            next = page
                .header("link")
                .map(|link| link.trim_start_matches('<').split('>').next().unwrap().to_owned());
            assert!(rows.len() <= total, "{path}");
        }
        assert_eq!(rows, all, "{path}");
    }
}

#[test]
fn a_receipt_is_the_same_each_time_and_its_version_is_its_digest() {
    let server = server();
    let digest = |bytes: &[u8]| {
        let digest = <sha2::Sha256 as sha2::Digest>::digest(bytes);
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("\"{digits}\"")
    };
    let of_store = "/v1/threads/thr_0a1b2c3d/turns/turn_00000001/receipt";
    let of_session = format!("/v1/sessions/{FIRST}/turns/1/receipt");
    for path in [of_store, &of_session] {
        let (one, other) = (server.get(path), server.get(path));
        assert_eq!(one.body, other.body, "{path}");
        assert_eq!(one.header("etag"), Some(&*digest(&one.body)), "{path}");
        assert_eq!(one.header("cache-control"), Some("no-store"), "{path}");
        let (host, bearer) = (server.host(), server.bearer());
        let known = one.header("etag").unwrap();
        let headers = [("Host", &*host), ("Authorization", &*bearer), ("If-None-Match", known)];
        let answer = server.ask("GET", path, &headers);
        assert_eq!((answer.status, answer.body.len()), (304, 0), "{path}");
        let head = server.ask("HEAD", path, &headers[..2]);
        assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(known)));
    }
    let unknown = server.get("/v1/threads/thr_0a1b2c3d/turns/turn_nothing/receipt");
    let elsewhere = server.get("/v1/threads/thr_other/turns/turn_00000001/receipt");
    assert_eq!((unknown.status, &unknown.body), (elsewhere.status, &elsewhere.body));
}

#[test]
fn a_turn_that_has_not_ended_is_said_to_be_so() {
    let home = tempfile::tempdir().unwrap();
    let id = FIRST.split_once(':').unwrap().1;
    let text = talk(id, "Paint the door green");
    // The last line has the end of the last answer.
    let cut = text.trim_end().rfind('\n').unwrap();
    put(&home.path().join(format!(".claude/projects/-x/{id}.jsonl")), &text[..=cut]);
    let server = Server::of(home);
    let path = format!("/v1/sessions/{FIRST}/turns/2/receipt");
    let answer = server.get(&path);
    assert_eq!(answer.status, 409, "{}", answer.text());
    hold(&description(), "/v1/sessions/{uid}/turns/{n}/receipt", "get", &answer);
    assert_eq!(server.get(&format!("{path}?unfinished=1")).status, 200);
}

#[test]
fn the_verdict_on_a_session_is_of_all_its_files_once() {
    let server = server();
    let id = FIRST.split_once(':').unwrap().1;
    let agent =
        talk(id, "Count the doors").replace("\"isSidechain\":false", "\"isSidechain\":true");
    let agent = agent.replace(&format!("\"{id}-"), "\"of-the-agent-");
    put(&server.home.path().join(format!("sessions/{id}/subagents/agent-a1.jsonl")), &agent);
    let verdicts = server.get(&format!("/v1/sessions/{FIRST}/verdicts")).json();
    let summary = &verdicts["check"]["summary"];
    assert_eq!((&summary["sessions"], &summary["files"]), (&1.into(), &2.into()), "{summary}");
    assert_eq!(summary["lost_places"], 0);
    let page = server.get(&format!("/s/{FIRST}/proof")).text();
    assert!(page.contains(&format!("<td class=\"right\">{}</td>", summary["records"])));
}

#[test]
fn members_are_the_bytes_of_the_files() {
    let server = server();
    let id = FIRST.split_once(':').unwrap().1;
    let file = std::fs::read(server.home.path().join(format!("sessions/{id}.jsonl"))).unwrap();
    let path = format!("/v1/sessions/{FIRST}/members/0");
    let answer = server.get(&path);
    assert_eq!((answer.status, &answer.body), (200, &file));
    assert_eq!(answer.header("content-type"), Some("application/octet-stream"));
    let (host, bearer) = (server.host(), server.bearer());
    let part = |range: &str| {
        let headers = [("Host", &*host), ("Authorization", &*bearer), ("Range", range)];
        server.ask("GET", &path, &headers)
    };
    let answer = part("bytes=10-19");
    assert_eq!((answer.status, &answer.body[..]), (206, &file[10..20]));
    let span = format!("bytes 10-19/{}", file.len());
    assert_eq!(answer.header("content-range"), Some(&*span));
    assert_eq!(part("bytes=99999999-").status, 416);
}

#[test]
fn actions_need_a_typed_word_and_start_nothing() {
    let (server, description) = (server(), description());
    let act = |path: &str, body: &str, status: u16| {
        let answer = server.post(path, body);
        assert_eq!(answer.status, status, "{body}: {}", String::from_utf8_lossy(&answer.body));
        hold(&description, path, "post", &answer);
        answer
    };
    let session = format!("\"session\":\"{FIRST}\"");
    let page =
        act("/v1/export", &format!("{{{session},\"to\":\"html\",\"confirm\":\"export\"}}"), 200);
    assert!(page.text().contains("Paint the door green"));
    assert!(page.header("content-disposition").unwrap().starts_with("attachment"));
    assert!(!page.text().contains("/home/ana"), "an export is redacted");
    act("/v1/export", &format!("{{{session},\"to\":\"html\",\"confirm\":\"yes\"}}"), 400);
    act("/v1/export", &format!("{{{session},\"to\":\"html\"}}"), 400);
    act("/v1/export", &format!("{{{session},\"to\":\"pdf\",\"confirm\":\"export\"}}"), 400);
    act("/v1/export", "{\"session\":\"x\",\"to\":\"html\",\"confirm\":\"export\"}", 404);
    act("/v1/resume", "not JSON", 400);
    act("/v1/resume", &format!("{{{session},\"to\":\"nobody\"}}"), 400);
    let folder = server.home.path().join("shop");
    std::fs::create_dir(&folder).unwrap();
    let body = format!("{{{session},\"to\":\"codex\",\"folder\":{folder:?}");
    let plan = act("/v1/resume", &format!("{body}}}"), 200).json();
    assert_eq!(plan["state"], "planned");
    assert!(plan["books"].is_object() && !plan["command"].is_null());
    let file = plan["files"][0]["path"].as_str().unwrap();
    assert!(!std::path::Path::new(file).exists(), "a plan writes nothing");
    act("/v1/resume", &format!("{body},\"confirm\":\"yes\"}}"), 400);
    let placed = act("/v1/resume", &format!("{body},\"confirm\":\"place\"}}"), 200).json();
    assert_eq!(placed["state"], "placed");
    assert!(std::path::Path::new(placed["files"][0]["path"].as_str().unwrap()).exists());
}

#[test]
fn growth_is_told_to_those_who_listen() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let server = server();
    let mut stream = server.connect();
    let ask = format!(
        "GET /v1/live HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n\r\n",
        server.host(),
        server.bearer()
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut wait = |text: &str| {
        let found = lines.by_ref().map(Result::unwrap).find(|line| line.contains(text));
        assert!(found.is_some(), "{text}");
    };
    wait("retry:");
    // The first state is taken when somebody begins to listen.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let id = FIRST.split_once(':').unwrap().1;
    let path = server.home.path().join(format!("sessions/{id}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    let grown = text.clone() + &talk(id, "And the roof?").replace("-03-01T10", "-03-02T11");
    std::fs::write(&path, grown).unwrap();
    wait("event: grown");
    wait(FIRST);
    let new = "0b5c6a52-90a1-4c63-9d0e-6b7a6a1f0003";
    put(&server.home.path().join(format!("sessions/{new}.jsonl")), &talk(new, "New"));
    wait("event: new");
    wait(new);
}

#[test]
fn every_count_of_the_pages_is_that_of_the_documents() {
    let server = server();
    let text = |path: &str| server.get(path).text();
    let sessions = server.get("/v1/sessions").json();
    let count = sessions["sessions"].as_array().unwrap().len();
    let page = text("/");
    assert!(page.contains(&format!("{count} sessions \u{b7} ")), "{page}");
    assert_eq!(page.matches("<li class=\"row\"").count(), count);
    let mut by_agent: BTreeMap<&str, usize> = BTreeMap::new();
    for row in sessions["sessions"].as_array().unwrap() {
        *by_agent.entry(row["format"].as_str().unwrap()).or_default() += 1;
    }
    for (agent, count) in by_agent {
        let facet = format!(">{agent}</a> <span class=\"number\">{count}</span>");
        assert!(page.contains(&facet), "{facet}");
    }
    let found = server.get("/v1/search?q=door").json();
    let found = found["sessions"].as_array().unwrap();
    let hits: usize = found.iter().map(|of| of["hits"].as_array().unwrap().len()).sum();
    let page = text("/search?q=door");
    assert!(page.contains(&format!("{hits} matches in {} session", found.len())), "{page}");
    let usage = server.get("/v1/usage?by=day").json();
    let page = text("/usage?by=day").replace(',', "");
    for group in usage["groups"].as_array().unwrap().iter().chain([&usage["all"]]) {
        let cell = format!("<td class=\"right\">{}</td>", group["total"]);
        assert!(page.contains(&cell), "{cell}");
    }
    let one = server.get(&format!("/v1/sessions/{FIRST}")).json();
    let page = text(&format!("/s/{FIRST}"));
    assert!(page.contains(&format!("<dt>turns</dt><dd>{}</dd>", one["turns"])));
    assert_eq!(
        page.matches("<section class=\"turn ").count() as u64,
        one["turns"].as_u64().unwrap()
    );
}
