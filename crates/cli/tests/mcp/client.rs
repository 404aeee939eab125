//! A client of raw JSON-RPC.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::Place;

/// A client: it writes lines, and reads lines.
pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

impl Client {
    /// Starts the server. The sessions were written before.
    pub(crate) fn start(place: &Place) -> Self {
        Self::started(place, &["mcp"])
    }

    fn started(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)).ok();
        });
        Self { input: child.stdin.take(), child, lines, next: 0 }
    }

    pub(crate) fn ready(place: &Place) -> Self {
        Self::with(place, &["mcp"])
    }

    /// A client of a server with these arguments.
    pub(crate) fn with(place: &Place, args: &[&str]) -> Self {
        let mut client = Self::started(place, args);
        let answer = client.initialize("2025-06-18");
        assert_eq!(answer["result"]["serverInfo"]["name"], "verbatim", "{answer}");
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn read(&self) -> Value {
        let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("an answer");
        serde_json::from_str(&line).expect("an answer is JSON")
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&request.to_string());
        loop {
            let answer = self.read();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        self.ask("initialize", &params)
    }

    /// The blocks of the answer of a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Vec<String> {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "{tool}: {answer}");
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{tool}: {answer}"));
        let blocks: Vec<String> =
            blocks.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect();
        assert!(blocks.iter().map(|block| block.chars().count()).sum::<usize>() <= 80_000);
        blocks
    }

    /// Ends the input, and waits for the program.
    pub(crate) fn end(mut self) -> i32 {
        drop(self.input.take());
        for _ in 0..600 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        self.child.kill().unwrap();
        panic!("the server does not end");
    }
}
