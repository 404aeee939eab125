//! The mock's HTTP server: one thread per connection. It records all requests and answers.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::script::{self, Act, End};
use super::told::{Tokens, Told};
use super::{Answer, Call, Request, anthropic, chat, gemini, http, ollama, refusal, responses};

/// An agent's call for an act of the script, given the act, the request and the work folder.
/// Returns `None` if the agent needs no call.
pub(crate) type Vocabulary = fn(&Act, &Request, &Path) -> Option<Call>;

/// A running mock. It stops when dropped.
pub(crate) struct Mock {
    /// Its port on the loopback address.
    pub port: u16,
    state: Arc<State>,
}

struct State {
    told: Mutex<Vec<Told>>,
    refused: Mutex<Vec<String>>,
    own: bool,
    asked: AtomicUsize,
    silent: AtomicBool,
    closed: AtomicBool,
    folder: PathBuf,
    work: PathBuf,
    vocabulary: Vocabulary,
    requests: Mutex<usize>,
}

/// A protocol: parser of its requests, writer of its answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wire {
    Anthropic,
    Responses,
    Chat,
    Gemini,
    Ollama,
}

impl Wire {
    fn of(path: &str) -> Option<Self> {
        let plain = path.split('?').next().unwrap_or_default();
        match plain {
            _ if plain.ends_with("/messages") => Some(Self::Anthropic),
            _ if plain.ends_with("/responses") => Some(Self::Responses),
            _ if plain.ends_with("/chat/completions") => Some(Self::Chat),
            _ if plain.ends_with(":streamGenerateContent") => Some(Self::Gemini),
            _ if plain.ends_with(":generateContent") => Some(Self::Gemini),
            _ if plain.ends_with("/api/chat") => Some(Self::Ollama),
            _ => None,
        }
    }

    fn read(self, path: &str, body: &Value) -> Request {
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Responses => responses::read(body),
            Self::Chat => chat::read(body),
            Self::Gemini => gemini::read(path, body),
            Self::Ollama => ollama::read(body),
        }
    }

    fn whole(self, answer: &Answer) -> Value {
        match self {
            Self::Anthropic => anthropic::whole(answer),
            Self::Responses => responses::whole(answer),
            Self::Chat => chat::whole(answer),
            Self::Gemini => gemini::whole(answer),
            Self::Ollama => ollama::whole(answer),
        }
    }

    fn pieces(self, answer: &Answer) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic::pieces(answer),
            Self::Responses => responses::pieces(answer),
            Self::Chat => chat::pieces(answer),
            Self::Gemini => gemini::pieces(answer),
            Self::Ollama => ollama::pieces(answer),
        }
    }

    /// Why the provider refuses a request. `own`: the agent resumes a session of its own.
    fn refusal(self, body: &Value, own: bool) -> Option<String> {
        match self {
            Self::Anthropic => refusal::anthropic(body),
            Self::Responses => refusal::responses(body),
            Self::Chat => refusal::chat(body),
            Self::Gemini => refusal::gemini(body, own),
            // Ollama takes every conversation.
            Self::Ollama => None,
        }
    }

    fn refused(self, why: &str) -> Value {
        match self {
            Self::Anthropic => refusal::anthropic_body(why),
            Self::Gemini => refusal::gemini_body(why),
            Self::Responses | Self::Chat | Self::Ollama => refusal::open_ai_body(why),
        }
    }

    /// The token counts of an answer, as far as the protocol reports them.
    fn tokens(self, number: usize) -> Tokens {
        let all = Tokens::of(number);
        match self {
            Self::Anthropic => Tokens { cache_write: 503 + 7 * number as u64, reasoning: 0, ..all },
            Self::Ollama => Tokens { cache_read: 0, reasoning: 0, ..all },
            Self::Responses | Self::Chat | Self::Gemini => all,
        }
    }

    fn kind(self) -> &'static str {
        if self == Self::Ollama { "application/x-ndjson" } else { "text/event-stream" }
    }
}

impl Mock {
    /// Starts a mock for one run. Each request is saved as a file in `folder`. `own`: the agent
    /// wrote the session that it resumes.
    pub(crate) fn start(
        folder: &Path,
        work: &Path,
        vocabulary: Vocabulary,
        own: bool,
    ) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(State {
            told: Mutex::default(),
            refused: Mutex::default(),
            own,
            asked: AtomicUsize::new(0),
            silent: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            folder: folder.to_owned(),
            work: work.to_owned(),
            vocabulary,
            requests: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.closed.load(Ordering::Relaxed) {
                    break;
                }
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Ok(Self { port, state })
    }

    /// Its answers so far.
    pub(crate) fn told(&self) -> Vec<Told> {
        locked(&self.state.told).clone()
    }

    /// The requests that a provider refuses, in its words: without duplicates.
    pub(crate) fn refused(&self) -> Vec<String> {
        let mut refused = locked(&self.state.refused).clone();
        refused.dedup();
        refused
    }

    /// Number of requests for an answer, refused ones included.
    pub(crate) fn asked(&self) -> usize {
        self.state.asked.load(Ordering::Relaxed)
    }

    /// Whether it has stopped in the middle of an answer.
    pub(crate) fn is_silent(&self) -> bool {
        self.state.silent.load(Ordering::Relaxed)
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.state.closed.store(true, Ordering::Relaxed);
        // A connection wakes the thread that accepts connections.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

/// Locks a mutex. If a holder panicked, the guarded value is still whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Answers one request. A connection that the agent closes early is not a failure.
    fn serve(&self, mut stream: TcpStream) {
        let Some(incoming) = http::read(&stream) else { return };
        let body = serde_json::from_slice(&incoming.body).unwrap_or(Value::Null);
        self.note(&incoming, &body);
        let done = match Wire::of(&incoming.path).filter(|_| incoming.method == "POST") {
            Some(wire) => {
                let request = wire.read(&incoming.path, &body);
                match wire.refusal(&body, self.own) {
                    Some(why) => self.refuse(&mut stream, wire, why),
                    None => self.answer(&mut stream, wire, request),
                }
            }
            None => aside(&mut stream, &incoming),
        };
        drop(done);
    }

    fn note(&self, incoming: &http::Incoming, body: &Value) {
        let mut requests = locked(&self.requests);
        *requests += 1;
        let name = format!("{:03}.json", *requests);
        let note = json!({"method": incoming.method, "path": incoming.path, "body": body});
        drop(fs::write(self.folder.join(name), note.to_string()));
    }

    fn refuse(&self, stream: &mut TcpStream, wire: Wire, why: String) -> io::Result<()> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let body = wire.refused(&why);
        locked(&self.refused).push(why);
        http::begin(stream, 400, "application/json")?;
        stream.write_all(body.to_string().as_bytes())
    }

    fn answer(&self, stream: &mut TcpStream, wire: Wire, request: Request) -> io::Result<()> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let scripted = !request.tools.is_empty() && !request.shorten;
        let part = script::find(&request.turns).filter(|_| scripted);
        let end = part.as_ref().map_or(End::Well, |(.., step)| step.end);
        if end == End::Refused {
            http::begin(stream, 400, "application/json")?;
            let why = json!({"type": "invalid_request_error", "message": "refused by the script"});
            let body = json!({"type": "error", "error": why});
            return stream.write_all(body.to_string().as_bytes());
        }
        let answer = self.compose(wire, &request, part);
        if !request.stream {
            http::begin(stream, 200, "application/json")?;
            return stream.write_all(wire.whole(&answer).to_string().as_bytes());
        }
        http::begin(stream, 200, wire.kind())?;
        for piece in wire.pieces(&answer) {
            stream.write_all(piece.as_bytes())?;
            stream.flush()?;
        }
        if answer.half {
            self.silent.store(true, Ordering::Relaxed);
            // The connection stays open until the agent closes it.
            stream.set_read_timeout(Some(Duration::from_secs(120)))?;
            stream.read_exact(&mut [0])?;
        }
        Ok(())
    }

    fn compose(
        &self,
        wire: Wire,
        request: &Request,
        part: Option<(String, usize, script::Step)>,
    ) -> Answer {
        let step = part.as_ref().map(|(.., step)| *step);
        let half = step.is_some_and(|step| step.end == End::Silent);
        let thinks = step.is_some_and(|step| step.thinks);
        let acts = step.map_or(&[][..], |step| step.acts);
        let call = |act: &Act| (self.vocabulary)(act, request, &self.work);
        let calls: Vec<Call> = acts.iter().filter_map(call).collect();
        let mut all = locked(&self.told);
        let number = all.len() + 1;
        let mut tokens = wire.tokens(number);
        if half {
            // The usage sent before the silence: zero, or the counts that the protocol sends at the
            // beginning.
            let begun = Tokens { output: 1, ..tokens };
            tokens = if wire == Wire::Anthropic { begun } else { Tokens::default() };
        } else if !thinks {
            tokens.reasoning = 0;
        }
        let part = part.map(|(word, step, _)| (word, step));
        let (calls_made, turns) = (calls.len(), request.turns.len());
        let mut told = Told { number, tokens, text: String::new(), part, calls: calls_made, turns };
        told.text = format!("The shop answers, {}.", told.word());
        all.push(told.clone());
        drop(all);
        Answer {
            thinking: thinks.then(|| format!("Weighing the fruit, thought{number:03}word.")),
            model: request.model.clone(),
            shorter: request.shorten,
            calls,
            told,
            half,
        }
    }
}

/// Answers requests other than for an answer: the list of models, the length of a text.
fn aside(stream: &mut TcpStream, incoming: &http::Incoming) -> io::Result<()> {
    let plain = incoming.path.split('?').next().unwrap_or_default();
    let body = match plain {
        _ if plain.ends_with("/count_tokens") => json!({"input_tokens": 12}),
        _ if plain.ends_with(":countTokens") => json!({"totalTokens": 12}),
        _ if plain.ends_with("/models") => json!({"object": "list", "data": [], "models": []}),
        _ if plain.ends_with("/api/tags") => json!({"models": []}),
        "/" => json!({}),
        _ if incoming.method == "GET" && plain.ends_with("/responses") => {
            // The agent requests a websocket, and continues over HTTP after this status.
            return http::begin(stream, 426, "application/json");
        }
        _ => {
            http::begin(stream, 404, "application/json")?;
            return stream.write_all(b"{\"error\":{\"message\":\"the mock has no such place\"}}");
        }
    };
    http::begin(stream, 200, "application/json")?;
    stream.write_all(body.to_string().as_bytes())
}
