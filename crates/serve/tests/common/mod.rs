//! A server in a home of the test, and a client that knows nothing of it.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, mpsc};
use std::time::Duration;

use catalog::Machine;
use redact::rules::Rules;
use redact::{Profile, RedactionOptions, Redactor, TagKey};
use serde_json::{Value, json};
use session::UtcTime;
use tokio::sync::oneshot;
use verbatim_serve::mcp::Asked;
use verbatim_serve::{Hands, Served};

/// The sessions of a home: two, of which one has hardly begun.
pub(crate) const FIRST: &str = "claude-code:0b5c6a52-90a1-4c63-9d0e-6b7a6a1f0001";
pub(crate) const SECOND: &str = "claude-code:0b5c6a52-90a1-4c63-9d0e-6b7a6a1f0002";

/// A server, and the home that it shows.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The path with the secret that lets one browser in.
    pub(crate) entry: String,
    pub(crate) token: String,
    pub(crate) home: tempfile::TempDir,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<std::io::Result<()>>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, v)| v).next()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.end.take().map(|end| end.send(()));
        let ended = self.thread.take().map(std::thread::JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_some_and(|ended| ended.unwrap().is_ok()));
    }
}

impl Server {
    /// A server that shows a home with two sessions.
    pub(crate) fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".claude/projects/-home-ana-shop");
        for (uid, prompt) in [(FIRST, "Paint the door green"), (SECOND, "Count the windows")] {
            let id = uid.split_once(':').unwrap().1;
            put(&folder.join(format!("{id}.jsonl")), &talk(id, prompt));
        }
        Self::of(home)
    }

    /// A server that shows a home.
    pub(crate) fn of(home: tempfile::TempDir) -> Self {
        Self::within(home, Vec::new())
    }

    /// A server that shows some folders.
    pub(crate) fn within(home: tempfile::TempDir, within: Vec<PathBuf>) -> Self {
        let machine = Machine { home: Some(home.path().to_owned()), ..Machine::default() };
        let token = home.path().join("state/serve.token");
        let (for_asked, folder, named) = (machine.clone(), home.path().to_owned(), within.clone());
        let served = Served {
            formats: formats::ALL,
            machine,
            within,
            port: 0,
            token: Some(token.clone()),
            hands: Hands {
                offset: Box::new(|_| 0),
                line: |plan| plan.command.as_ref().map(|words| words.join(" ")),
                redactor: Box::new(redactor),
                keys: Box::new(|| Ok(Vec::new())),
                index: Box::new(|| None),
                asked: Box::new(move || {
                    Ok(Asked {
                        formats: formats::ALL,
                        machine: for_asked.clone(),
                        within: named.clone(),
                        folder: folder.clone(),
                        projects: Box::new(|_| Vec::new()),
                        since: Box::new(|| UtcTime(i64::MAX)),
                        redactor: LazyLock::new(Box::new(|| redactor().ok())),
                        rules: String::new(),
                        index: Box::new(|| None),
                        keys: Vec::new(),
                        now: || UtcTime(0),
                        fence: Box::new(|| "0f".repeat(16)),
                    })
                }),
            },
        };
        let (sender, ready) = mpsc::channel();
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut tell = |address: SocketAddr, entry: &str| {
                sender.send((address, entry.to_owned())).unwrap();
            };
            verbatim_serve::serve(served, &mut tell, || async { drop(ended.await) })
        });
        let (address, entry) = ready.recv_timeout(Duration::from_secs(20)).unwrap();
        let entry = entry.strip_prefix(&format!("http://{address}")).unwrap().to_owned();
        let token = std::fs::read_to_string(token).unwrap().trim().to_owned();
        Self { address, entry, token, home, end: Some(end), thread: Some(thread) }
    }

    /// The value of the header that lets a program in.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Asks with a method and headers, and nothing else.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(method, path, headers, b"")
    }

    /// Asks as a program that knows the token.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[("Host", &self.host()), ("Authorization", &self.bearer())])
    }

    /// Acts as a program that knows the token.
    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        let (host, bearer) = (self.host(), self.bearer());
        let headers =
            [("Host", &*host), ("Authorization", &*bearer), ("Content-Type", "application/json")];
        self.send("POST", path, &headers, body.as_bytes())
    }

    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    /// Sends a request, and reads the answer to its end.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        let mut bytes = (text + "\r\n").into_bytes();
        bytes.extend(body);
        read(self.connect(), &bytes)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }
}

/// Sends bytes, and reads the answer to its end.
pub(crate) fn read(mut stream: TcpStream, bytes: &[u8]) -> Answer {
    // A server that refuses a request may not read all of it.
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").expect("the end of a head");
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut body = all[end + 4..].to_vec();
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        body = unchunked(&body);
    }
    Answer { status, head, body }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let length = std::str::from_utf8(&rest[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            break;
        }
        body.extend(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 4 + length..];
    }
    body
}

pub(crate) fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Two turns: a call that changes a file, and an answer.
pub(crate) fn talk(id: &str, prompt: &str) -> String {
    let mut lines = String::new();
    let mut parent = Value::Null;
    let mut line = |at: u32, kind: &str, message: Value| {
        let line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external",
            "cwd": "/home/ana/shop", "sessionId": id, "version": "2.1.34", "gitBranch": "main",
            "type": kind, "message": message, "uuid": format!("{id}-{at}"),
            "timestamp": format!("2026-03-01T10:00:{at:02}.000Z"),
        });
        parent = line["uuid"].clone();
        lines.push_str(&format!("{line}\n"));
    };
    let answer = |id: u32, block: Value, stop: Option<&str>| {
        json!({
            "model": "claude-opus-4-5", "id": format!("msg_{id}"), "type": "message",
            "role": "assistant", "content": [block], "stop_reason": stop,
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        })
    };
    let user = |content: Value| json!({ "role": "user", "content": content });
    line(0, "user", user(prompt.into()));
    let call = json!({ "type": "tool_use", "id": "toolu_1", "name": "Write",
        "input": { "file_path": "/home/ana/shop/door.txt", "content": "green\n" } });
    line(1, "assistant", answer(1, call, Some("tool_use")));
    let result = json!([{ "tool_use_id": "toolu_1", "type": "tool_result",
        "content": "File created successfully at: /home/ana/shop/door.txt" }]);
    line(2, "user", user(result));
    let text = |text: &str| json!({ "type": "text", "text": text });
    line(3, "assistant", answer(2, text("The door is green."), Some("end_turn")));
    line(4, "user", user("And the frame?".into()));
    line(5, "assistant", answer(3, text("The frame stays white."), Some("end_turn")));
    lines
}

/// A session with one text in every place, also in its id and its title.
pub(crate) fn hostile(text: &str, at: usize) -> String {
    let id = format!("{at:08}-90a1-4c63-9d0e-6b7a6a1f0001");
    let base = |kind: &str, number: u32, message: Value| {
        json!({
            "type": kind, "uuid": format!("u{number}"), "sessionId": format!("{id}{text}"),
            "cwd": format!("/home/{text}"), "version": text, "gitBranch": text,
            "timestamp": "2026-03-01T10:00:00.000Z", "message": message,
            "parentUuid": (number > 1).then(|| format!("u{}", number - 1)),
        })
    };
    let call = json!({ "type": "tool_use", "id": "t1", "name": text,
        "input": { "file_path": text, "command": text, "content": text, text: text } });
    let write = json!({ "type": "tool_use", "id": "t2", "name": "Write",
        "input": { "file_path": format!("/home/{text}/f"), "content": text } });
    let failed = json!([
        { "type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": true },
        { "type": "tool_result", "tool_use_id": "t2", "content": text },
    ]);
    let answer = json!([
        { "type": "thinking", "thinking": text, "signature": text },
        { "type": "text", "text": format!("needle {text}") }, call, write,
    ]);
    let usage = json!({ "input_tokens": 3, "output_tokens": 4 });
    let lines = [
        json!({ "type": "summary", "summary": text, "leafUuid": "u3" }),
        base("user", 1, json!({ "role": "user", "content": format!("needle {text}") })),
        base(
            "assistant",
            2,
            json!({ "role": "assistant", "id": "m1", "model": text,
            "content": answer, "usage": usage }),
        ),
        base("user", 3, json!({ "role": "user", "content": failed })),
        json!({ "type": text, "text": text, "uuid": "u9" }),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The redactor of what is shared.
fn redactor() -> Result<Redactor, String> {
    let rules = Rules::shipped().map_err(|error| error.to_string())?;
    Ok(Redactor::new(rules, RedactionOptions::new(Profile::Share, TagKey::new([7; 32]))))
}
