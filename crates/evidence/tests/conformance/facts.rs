//! Facts about a record, written from the prose of the draft and independently of any schema, so
//! that a schema can be compared with them. Cases break these facts one at a time.

use ciborium::Value;

/// A map and its members.
pub(crate) struct Facts {
    pub(crate) name: &'static str,
    /// Members of other names are allowed.
    pub(crate) open: bool,
    pub(crate) members: &'static [Member],
}

/// Name, whether it is required, type.
pub(crate) struct Member(pub(crate) &'static str, pub(crate) Need, pub(crate) Type);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Must,
    May,
}

pub(crate) enum Type {
    Text,
    Time,
    SessionId,
    Uint,
    Number,
    Bool,
    Any,
    Object,
    Texts,
    Uri,
    Word(&'static [&'static str]),
    One(&'static Facts),
    Many(&'static Facts),
    Entries,
}

use Need::{May, Must};
use Type::{
    Any, Bool, Entries, Many, Number, Object, One, SessionId, Text, Texts, Time, Uint, Uri, Word,
};

const fn open(name: &'static str, members: &'static [Member]) -> Facts {
    Facts { name, open: true, members }
}

const fn closed(name: &'static str, members: &'static [Member]) -> Facts {
    Facts { name, open: false, members }
}

pub(crate) static RECORD: Facts = open(
    "record",
    &[
        Member("version", Must, Text),
        Member("id", Must, Text),
        Member("session", Must, One(&SESSION)),
        Member("created", May, Time),
        Member("file-attribution", May, One(&ATTRIBUTION)),
        Member("vcs", May, One(&VCS)),
        Member("recording-agent", May, One(&RECORDER)),
    ],
);

pub(crate) static SESSION: Facts = open(
    "session",
    &[
        Member("format", May, Text),
        Member("session-id", Must, SessionId),
        Member("session-start", May, Time),
        Member("session-end", May, Time),
        Member("agent-meta", Must, One(&AGENT)),
        Member("environment", May, One(&ENVIRONMENT)),
        Member("entries", Must, Entries),
    ],
);

pub(crate) static AGENT: Facts = open(
    "agent-meta",
    &[
        Member("model-id", Must, Text),
        Member("model-provider", Must, Text),
        Member("models", May, Texts),
        Member("cli-name", May, Text),
        Member("cli-version", May, Text),
    ],
);

pub(crate) static RECORDER: Facts =
    open("recording-agent", &[Member("name", Must, Text), Member("version", May, Text)]);

pub(crate) static ENVIRONMENT: Facts = open(
    "environment",
    &[
        Member("working-dir", Must, Text),
        Member("vcs", May, One(&VCS)),
        Member("sandboxes", May, Texts),
    ],
);

pub(crate) static VCS: Facts = open(
    "vcs",
    &[
        Member("type", Must, Text),
        Member("revision", May, Text),
        Member("branch", May, Text),
        Member("repository", May, Text),
    ],
);

pub(crate) static MESSAGE: Facts = open(
    "message",
    &[
        Member("type", Must, Word(&["user", "assistant"])),
        Member("content", May, Any),
        Member("timestamp", May, Time),
        Member("id", May, Text),
        Member("model-id", May, Text),
        Member("parent-id", May, Text),
        Member("token-usage", May, One(&USAGE)),
        Member("children", May, Entries),
    ],
);

pub(crate) static TOOL_CALL: Facts = open(
    "tool-call",
    &[
        Member("type", Must, Word(&["tool-call"])),
        Member("name", Must, Text),
        Member("input", Must, Any),
        Member("call-id", May, Text),
        Member("timestamp", May, Time),
        Member("id", May, Text),
        Member("children", May, Entries),
    ],
);

pub(crate) static TOOL_RESULT: Facts = open(
    "tool-result",
    &[
        Member("type", Must, Word(&["tool-result"])),
        Member("output", Must, Any),
        Member("call-id", May, Text),
        Member("status", May, Text),
        Member("is-error", May, Bool),
        Member("timestamp", May, Time),
        Member("id", May, Text),
        Member("children", May, Entries),
    ],
);

pub(crate) static REASONING: Facts = open(
    "reasoning",
    &[
        Member("type", Must, Word(&["reasoning"])),
        Member("content", Must, Any),
        Member("encrypted", May, Text),
        Member("subject", May, Text),
        Member("timestamp", May, Time),
        Member("id", May, Text),
        Member("children", May, Entries),
    ],
);

pub(crate) static EVENT: Facts = open(
    "event",
    &[
        Member("type", Must, Word(&["system-event"])),
        Member("event-type", Must, Text),
        Member("data", May, Object),
        Member("timestamp", May, Time),
        Member("id", May, Text),
        Member("children", May, Entries),
    ],
);

pub(crate) static USAGE: Facts = open(
    "token-usage",
    &[
        Member("input", May, Uint),
        Member("output", May, Uint),
        Member("cached", May, Uint),
        Member("reasoning", May, Uint),
        Member("total", May, Uint),
        Member("cost", May, Number),
    ],
);

pub(crate) static ATTRIBUTION: Facts =
    closed("file-attribution", &[Member("files", Must, Many(&FILE))]);

pub(crate) static FILE: Facts = closed(
    "file",
    &[Member("path", Must, Text), Member("conversations", Must, Many(&CONVERSATION))],
);

pub(crate) static CONVERSATION: Facts = closed(
    "conversation",
    &[
        Member("url", May, Uri),
        Member("contributor", May, One(&CONTRIBUTOR)),
        Member("ranges", Must, Many(&RANGE)),
        Member("related", May, Many(&RESOURCE)),
    ],
);

pub(crate) static RANGE: Facts = closed(
    "range",
    &[
        Member("start-line", Must, Uint),
        Member("end-line", Must, Uint),
        Member("content-hash", May, Text),
        Member("content-hash-alg", May, Text),
        Member("contributor", May, One(&CONTRIBUTOR)),
    ],
);

pub(crate) static CONTRIBUTOR: Facts = closed(
    "contributor",
    &[
        Member("type", Must, Word(&["human", "ai", "mixed", "unknown"])),
        Member("model-id", May, Text),
    ],
);

pub(crate) static RESOURCE: Facts =
    closed("resource", &[Member("type", Must, Text), Member("url", Must, Uri)]);

/// Every map of a record, with the path from the record's root to it; `0` is the first element of
/// an array.
pub(crate) static PLACES: &[(&Facts, &[&str])] = &[
    (&RECORD, &[]),
    (&SESSION, &["session"]),
    (&AGENT, &["session", "agent-meta"]),
    (&RECORDER, &["recording-agent"]),
    (&ENVIRONMENT, &["session", "environment"]),
    (&VCS, &["vcs"]),
    (&VCS, &["session", "environment", "vcs"]),
    (&MESSAGE, &["session", "entries", "0"]),
    (&TOOL_CALL, &["session", "entries", "0"]),
    (&TOOL_RESULT, &["session", "entries", "0"]),
    (&REASONING, &["session", "entries", "0"]),
    (&EVENT, &["session", "entries", "0"]),
    (&TOOL_CALL, &["session", "entries", "0", "children", "0", "children", "0"]),
    (&USAGE, &["session", "entries", "0", "token-usage"]),
    (&ATTRIBUTION, &["file-attribution"]),
    (&FILE, &["file-attribution", "files", "0"]),
    (&CONVERSATION, &["file-attribution", "files", "0", "conversations", "0"]),
    (&RANGE, &["file-attribution", "files", "0", "conversations", "0", "ranges", "0"]),
    (&CONTRIBUTOR, &["file-attribution", "files", "0", "conversations", "0", "contributor"]),
    (&RESOURCE, &["file-attribution", "files", "0", "conversations", "0", "related", "0"]),
];

/// A value of every kind, by name.
pub(crate) fn samples() -> Vec<(&'static str, Value)> {
    let text = |text: &str| Value::Text(text.into());
    let array = |value: Value| Value::Array(vec![value]);
    let map = |key: Value| Value::Map(vec![(key, 1.into())]);
    vec![
        ("null", Value::Null),
        ("true", true.into()),
        ("zero", 0.into()),
        ("integer", 7.into()),
        ("negative", (-7).into()),
        ("fraction", 1.5.into()),
        ("text", text("word")),
        ("time", text("2026-02-16T09:30:00Z")),
        ("empty-array", Value::Array(Vec::new())),
        ("array-of-text", array(text("word"))),
        ("array-of-integer", array(7.into())),
        ("empty-map", Value::Map(Vec::new())),
        ("map", map(text("key"))),
        ("bytes", Value::Bytes(vec![1, 2, 3])),
        ("map-with-integer-key", map(5.into())),
        ("whole-float", 7.0.into()),
        ("nan", f64::NAN.into()),
        ("bignum", Value::Tag(2, Box::new(Value::Bytes(vec![1; 9])))),
        ("tagged-time", Value::Tag(0, Box::new(text("2026-02-16T09:30:00Z")))),
        ("tagged-integer", Value::Tag(1, Box::new(7.into()))),
    ]
}

/// Those that JSON lacks, or has in another form.
pub(crate) const CBOR_ONLY: &[&str] = &[
    "bytes",
    "map-with-integer-key",
    "whole-float",
    "nan",
    "bignum",
    "tagged-time",
    "tagged-integer",
];

impl Type {
    /// Whether a value with the sample of that name in it is valid.
    pub(crate) fn accepts(&self, sample: &str) -> bool {
        let right: &[&str] = match self {
            Text | Uri => &["text", "time"],
            Time => &["time", "zero", "integer"],
            SessionId => &["text", "time", "bytes"],
            Uint => &["zero", "integer"],
            Number => &["zero", "integer", "negative", "fraction", "whole-float", "nan"],
            Bool => &["true"],
            Any => return true,
            Object => &["empty-map", "map"],
            Texts => &["empty-array", "array-of-text"],
            Word(_) => &[],
            Many(_) | Entries => &["empty-array"],
            One(facts) if facts.members.iter().any(|Member(_, need, _)| *need == Must) => &[],
            One(facts) if facts.open => &["empty-map", "map"],
            One(_) => &["empty-map"],
        };
        right.contains(&sample)
    }

    fn example(&self) -> Value {
        let text = |text: &str| Value::Text(text.into());
        match self {
            Text => text("a text"),
            Time => text("2026-02-16T09:30:00.25+01:00"),
            SessionId => text("5f0c7a52-1111-4222-8333-944455556666"),
            Uint => 12.into(),
            Number => 0.25.into(),
            Bool => false.into(),
            Any => Value::Array(vec![text("anything"), Value::Null]),
            Object => Value::Map(vec![(text("detail"), 1.into())]),
            Texts => Value::Array(vec![text("one"), text("two")]),
            Uri => text("https://example.org/session?id=1#end"),
            Word(words) => text(words[0]),
            One(facts) => facts.full(),
            Many(facts) => Value::Array(vec![facts.full(), facts.minimal()]),
            Entries => Value::Array(vec![TOOL_CALL.minimal(), MESSAGE.minimal()]),
        }
    }

    fn least(&self) -> Value {
        match self {
            One(facts) => facts.minimal(),
            Many(_) | Entries => Value::Array(Vec::new()),
            _ => self.example(),
        }
    }
}

impl Facts {
    /// Every member.
    pub(crate) fn full(&self) -> Value {
        self.with(|_| true, Type::example)
    }

    /// The required members only.
    pub(crate) fn minimal(&self) -> Value {
        self.with(|need| need == Must, Type::least)
    }

    fn with(&self, has: impl Fn(Need) -> bool, value: impl Fn(&Type) -> Value) -> Value {
        let members = self.members.iter().filter(|Member(_, need, _)| has(*need));
        let member = |Member(key, _, of): &Member| (Value::Text((*key).into()), value(of));
        Value::Map(members.map(member).collect())
    }
}
