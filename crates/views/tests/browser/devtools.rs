//! A headless browser, driven over a pipe by its own protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Names of the browser's program.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
    session: Option<String>,
    /// The reports of the browser since the last page.
    pub(crate) events: Vec<(String, Value)>,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts the browser. `None`, with a word, where none is installed: a failure where one is
    /// required.
    pub(crate) fn start() -> Option<Self> {
        let works = |program: &&&str| {
            let mut version = Command::new(program);
            let version = version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            version.status().is_ok_and(|status| status.success())
        };
        let Some(program) = PROGRAMS.iter().find(works) else {
            let required = std::env::var_os("VERBATIM_REQUIRE_BROWSER").is_some();
            assert!(!required, "no browser is installed: {PROGRAMS:?}");
            eprintln!("skipped: no browser is installed ({})", PROGRAMS.join(", "));
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The browser reads commands from 3 and writes to 4.
        let line = "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        let mut command = Command::new("sh");
        command.args(["-c", line, program, "--headless=new", "--no-sandbox", "--disable-gpu"]);
        command.args(["--remote-debugging-pipe", "--no-first-run", "--disable-extensions"]);
        command.args(["--force-device-scale-factor=1", "--hide-scrollbars", "--lang=en"]);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut browser = Self {
            child,
            input,
            output: BufReader::new(output),
            number: 0,
            session: None,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", target);
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let mut message = json!({ "id": number, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.send(&message);
        loop {
            let answer = self.receive();
            if answer["id"] == json!(number) {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        let mut bytes = serde_json::to_vec(message).unwrap();
        bytes.push(0);
        self.input.write_all(&bytes).unwrap();
    }

    /// The next message. A dialog is noted and closed.
    fn receive(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.output.read_until(0, &mut bytes).unwrap();
        bytes.pop();
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        if let Some(method) = message["method"].as_str() {
            if method == "Page.javascriptDialogOpening" {
                self.number += 1;
                let mut close = json!({ "id": self.number, "params": { "accept": true },
                    "method": "Page.handleJavaScriptDialog" });
                close["sessionId"] = json!(self.session);
                self.send(&close);
            }
            self.events.push((method.to_owned(), message["params"].clone()));
        }
        message
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path) {
        self.visit(&format!("file://{}", file.display()));
    }

    /// Opens an address and waits until it is loaded.
    pub(crate) fn visit(&mut self, url: &str) {
        self.events.clear();
        self.ask("Page.navigate", json!({ "url": url }));
        while !self.events.iter().any(|(method, _)| method == "Page.loadEventFired") {
            self.receive();
        }
    }

    /// The value of an expression in the page; a promise is waited for.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, number) = match key {
            "Tab" => ("Tab", 9),
            "Enter" => ("Enter", 13),
            _ => ("", 0),
        };
        let text = if key == "Enter" { "\r" } else { key };
        let mut down = json!({ "type": "keyDown", "key": key, "code": code,
            "windowsVirtualKeyCode": number });
        if key != "Tab" {
            down["text"] = json!(text);
        }
        self.ask("Input.dispatchKeyEvent", down);
        let up = json!({ "type": "keyUp", "key": key, "code": code,
            "windowsVirtualKeyCode": number });
        self.ask("Input.dispatchKeyEvent", up);
    }

    /// The window: its width and height, and whether it is dark.
    pub(crate) fn window(&mut self, width: u32, height: u32, dark: bool) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1,
            "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// A picture of the window, as PNG.
    pub(crate) fn picture(&mut self) -> Vec<u8> {
        use base64::Engine as _;
        let answer = self.ask("Page.captureScreenshot", json!({ "format": "png" }));
        let data = answer["data"].as_str().unwrap();
        base64::engine::general_purpose::STANDARD.decode(data).unwrap()
    }
}
