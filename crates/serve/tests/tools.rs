//! The tools for agents over HTTP: who may ask, and what is answered.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Answer, FIRST, Server};
use serde_json::{Value, json};

fn body(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("JSON: {answer:?}"))
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string()
}

fn hello() -> String {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    request("initialize", &params)
}

#[test]
fn a_program_with_the_token_lists_and_calls_the_tools() {
    let server = Server::start();
    let answer = server.post("/mcp", &hello());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(body(&answer)["result"]["serverInfo"]["name"], "verbatim");
    let said = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let answer = server.post("/mcp", &said);
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    let tools = body(&server.post("/mcp", &request("tools/list", &json!({}))));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 7, "{tools}");
    let call = json!({"name": "search_sessions", "arguments": {"query": "door green"}});
    let found = body(&server.post("/mcp", &request("tools/call", &call)));
    let found = found["result"]["content"].to_string();
    assert!(found.contains(FIRST.split_once(':').unwrap().1), "{found}");
    let call = json!({"name": "get_session", "arguments": {"session": FIRST}});
    let got = body(&server.post("/mcp", &request("tools/call", &call)));
    assert!(got["result"]["content"].to_string().contains("Paint the door green"), "{got}");
}

#[test]
fn nobody_else_may_ask() {
    let server = Server::start();
    let (host, bearer, hello) = (server.host(), server.bearer(), hello());
    let json = ("Content-Type", "application/json");
    let ask = |method: &str, headers: &[(&str, &str)]| {
        server.send(method, "/mcp", headers, hello.as_bytes()).status
    };
    let (host, bearer) = (("Host", &*host), ("Authorization", &*bearer));
    assert_eq!(ask("POST", &[host, json]), 401);
    assert_eq!(ask("POST", &[("Host", "evil.example"), bearer, json]), 403);
    assert_eq!(ask("POST", &[host, bearer, json, ("Origin", "http://evil.example")]), 403);
    assert_eq!(ask("DELETE", &[host, bearer, json]), 405);
    assert_eq!(server.get("/mcp").status, 405);
    // The cookie of a browser, which another site can make it send, is not enough.
    let entered = server.ask("GET", &server.entry, &[host]);
    let cookie = entered.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(server.ask("GET", "/", &[host, ("Cookie", &cookie)]).status, 200);
    assert_eq!(ask("POST", &[host, ("Cookie", &cookie), json]), 401);
    assert_eq!(ask("POST", &[host, bearer, json]), 200);
}

#[test]
fn what_is_no_message_of_a_known_version_gets_an_error() {
    let server = Server::start();
    let code = |text: &str| {
        let answer = server.post("/mcp", text);
        (answer.status, body(&answer)["error"]["code"].as_i64())
    };
    assert_eq!(code("hello"), (400, Some(-32700)));
    assert_eq!(code("[]"), (400, Some(-32600)));
    assert_eq!(code(&request("what/ever", &json!({}))), (200, Some(-32601)));
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    assert_eq!(server.post("/mcp", &long).status, 413);
    let (host, bearer) = (server.host(), server.bearer());
    let headers = |version| {
        [
            ("Host", &*host),
            ("Authorization", &*bearer),
            ("Content-Type", "application/json"),
            ("MCP-Protocol-Version", version),
        ]
    };
    let hello = hello();
    assert_eq!(server.send("POST", "/mcp", &headers("1999-01-01"), hello.as_bytes()).status, 400);
    assert_eq!(server.send("POST", "/mcp", &headers("2025-06-18"), hello.as_bytes()).status, 200);
}
