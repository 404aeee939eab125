//! `verbatim-attribution-1`: the lines of files that a session wrote, each with its model.

use formats::attribution::{self, Attribution};
use serde::Serialize;
use session::{EventIx, Session};

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-attribution-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct Lines<'a> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The uid of the session.
    pub uid: String,
    /// The folder that paths are relative to.
    pub folder: Option<&'a str>,
    /// The files.
    pub files: Vec<LinesFile<'a>>,
    /// Changes whose lines can't be derived.
    pub unknown: Vec<LinesUnknown<'a>>,
}

/// A file.
#[derive(Debug, Serialize)]
pub struct LinesFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// The ranges of lines that the session wrote, in rising order.
    pub ranges: Vec<LinesRange<'a>>,
}

/// Lines that one event wrote.
#[derive(Debug, Serialize)]
pub struct LinesRange<'a> {
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, inclusive.
    pub end_line: usize,
    /// `sha256:` and the digest of their text, with a line feed between lines.
    pub content_hash: String,
    /// The contributor.
    pub contributor: Contributor<'a>,
    /// The event that wrote them.
    pub written: LinesPlace<'a>,
}

/// A contributor.
#[derive(Debug, Serialize)]
pub struct Contributor<'a> {
    /// `ai`.
    pub r#type: &'static str,
    /// The model.
    pub model: Option<&'a str>,
    /// Its provider.
    pub provider: Option<&'a str>,
}

/// A change whose lines can't be derived.
#[derive(Debug, Serialize)]
pub struct LinesUnknown<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The reason.
    pub why: &'static str,
    /// The event that made the change.
    pub written: LinesPlace<'a>,
}

/// The event of a change.
#[derive(Debug, Serialize)]
pub struct LinesPlace<'a> {
    /// Its number in `verbatim-show-1`.
    pub event: EventIx,
    /// Its stream: `main`, or `subagent:<stem>`.
    pub stream: String,
    /// The name of its member.
    pub member: &'a str,
    /// Its line, from 1.
    pub line: u32,
    /// Its time (RFC 3339).
    pub time: Option<String>,
}

impl<'a> LinesPlace<'a> {
    fn of(session: &'a Session, event: EventIx) -> Self {
        let call = session.event(event);
        let member = session.bundle.members.get(call.origin.member as usize);
        // A call without its own time has the time of the event that contains it.
        let mut at = Some(call);
        let time = std::iter::from_fn(|| {
            let event = at?;
            let parent = (event.parent != session::NO_EVENT).then_some(event.parent);
            at = parent.map(|parent| session.event(parent));
            Some(event)
        });
        Self {
            event,
            stream: call.stream().to_string(),
            member: member.map_or("", |member| &member.name),
            line: call.origin.line,
            time: time.filter_map(|event| event.time()).next().map(session::UtcTime::rfc3339),
        }
    }
}

impl<'a> Lines<'a> {
    /// The document of an attribution.
    #[must_use]
    pub fn of(session: &'a Session, lines: &'a Attribution) -> Self {
        let range = |range: &'a attribution::AttributedRange| LinesRange {
            start_line: range.start,
            end_line: range.end,
            content_hash: format!("sha256:{}", range.hash),
            contributor: Contributor {
                r#type: "ai",
                model: range.model.as_deref(),
                provider: range.provider.as_deref(),
            },
            written: LinesPlace::of(session, range.event),
        };
        let file = |file: &'a attribution::AttributedFile| LinesFile {
            path: &file.path,
            ranges: file.ranges.iter().map(range).collect(),
        };
        let unknown = |unknown: &'a replay::UnclearChange| LinesUnknown {
            path: &unknown.path,
            why: unknown.why,
            written: LinesPlace::of(session, unknown.event),
        };
        Self {
            schema: SCHEMA,
            uid: session.uid(),
            folder: lines.folder.as_deref(),
            files: lines.files.iter().map(file).collect(),
            unknown: lines.unknown.iter().map(unknown).collect(),
        }
    }
}
