//! The attribution of a session as JSON.

use std::io::{self, Write};

use formats::attribution::Attribution;
use serde::Serialize;
use session::{EventIx, Session};

use crate::json;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    uid: String,
    folder: Option<&'a str>,
    files: Vec<FileRow<'a>>,
    unknown: Vec<UnknownRow<'a>>,
}

#[derive(Serialize)]
struct FileRow<'a> {
    path: &'a str,
    ranges: Vec<RangeRow<'a>>,
}

#[derive(Serialize)]
struct RangeRow<'a> {
    start_line: usize,
    end_line: usize,
    content_hash: String,
    contributor: Contributor<'a>,
    written: Place<'a>,
}

#[derive(Serialize)]
struct Contributor<'a> {
    r#type: &'static str,
    model: Option<&'a str>,
    provider: Option<&'a str>,
}

#[derive(Serialize)]
struct UnknownRow<'a> {
    path: &'a str,
    why: &'static str,
    written: Place<'a>,
}

/// The event that did it, as `show --json` numbers it, and where it stands.
#[derive(Serialize)]
struct Place<'a> {
    event: EventIx,
    stream: String,
    member: &'a str,
    line: u32,
    time: Option<String>,
}

impl<'a> Place<'a> {
    fn of(session: &'a Session, event: EventIx) -> Self {
        let call = session.event(event);
        let member = session.bundle.members.get(call.origin.member as usize);
        // A call without a time of its own has that of what it stands in.
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
            time: time.filter_map(|event| event.time()).next().map(session::Instant::rfc3339),
        }
    }
}

/// Writes the document.
pub(super) fn write(session: &Session, lines: &Attribution, out: &mut dyn Write) -> io::Result<()> {
    let range = |range: &'_ formats::attribution::Range| (range.start, range.end);
    let files = lines.files.iter().map(|file| FileRow {
        path: &file.path,
        ranges: file
            .ranges
            .iter()
            .map(|each| {
                let (start_line, end_line) = range(each);
                RangeRow {
                    start_line,
                    end_line,
                    content_hash: format!("sha256:{}", each.hash),
                    contributor: Contributor {
                        r#type: "ai",
                        model: each.model.as_deref(),
                        provider: each.provider.as_deref(),
                    },
                    written: Place::of(session, each.event),
                }
            })
            .collect(),
    });
    let unknown = lines.unknown.iter().map(|unknown| UnknownRow {
        path: &unknown.path,
        why: unknown.why,
        written: Place::of(session, unknown.event),
    });
    let document = Document {
        schema: "verbatim-attribution-1",
        uid: session.uid(),
        folder: lines.folder.as_deref(),
        files: files.collect(),
        unknown: unknown.collect(),
    };
    json::write(out, &document)
}
