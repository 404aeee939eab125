//! The attribution of a session as an Agent Trace record, version 0.1.0 (agent-trace.dev).
//!
//! The same session gives the same record: its id follows from the session's id and bytes, its time
//! is the session's last.

use std::io::{self, Write};

use formats::attribution::{Attribution, File, Range};
use serde::Serialize;
use session::{Session, Slot};

use crate::json;

/// The version of the specification.
const VERSION: &str = "0.1.0";
/// Where the session tells no time at all.
const NO_TIME: &str = "1970-01-01T00:00:00Z";
/// The longest model id that the specification allows, in characters.
const LONGEST: usize = 250;

#[derive(Serialize)]
struct Record<'a> {
    version: &'static str,
    id: String,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    vcs: Option<Vcs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<Tool>,
    files: Vec<FileRow<'a>>,
    metadata: Metadata<'a>,
}

/// The revision on which the session worked. All agents write of git.
#[derive(Serialize)]
struct Vcs {
    r#type: &'static str,
    revision: String,
}

/// The agent. The published schema wants both or nothing.
#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: String,
}

#[derive(Serialize)]
struct FileRow<'a> {
    path: &'a str,
    conversations: Vec<Conversation>,
}

/// What one model wrote in a file.
#[derive(Serialize)]
struct Conversation {
    contributor: Contributor,
    ranges: Vec<RangeRow>,
}

#[derive(Serialize, PartialEq)]
struct Contributor {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_id: Option<String>,
}

#[derive(Serialize)]
struct RangeRow {
    start_line: usize,
    end_line: usize,
    content_hash: String,
}

#[derive(Serialize)]
struct Metadata<'a> {
    verbatim: Ours<'a>,
}

/// What the record has no other place for: made by what, of which session, and what is missing.
#[derive(Serialize)]
struct Ours<'a> {
    version: &'static str,
    session: String,
    not_derived: Vec<Missing<'a>>,
}

#[derive(Serialize)]
struct Missing<'a> {
    path: &'a str,
    why: &'static str,
}

/// Writes the record.
pub(super) fn write(session: &Session, lines: &Attribution, out: &mut dyn Write) -> io::Result<()> {
    let last = session.events().filter_map(|event| event.time()).max();
    let revision = session.first(Slot::Revision);
    let program = formats::by_name(session.format).map(formats::Format::program);
    let version = session.first(Slot::Version);
    let tool = program.zip(version).map(|(name, version)| Tool { name, version: version.into() });
    let missing = lines.unknown.iter();
    let record = Record {
        version: VERSION,
        id: uuid(&formats::vac::record_id(session)),
        timestamp: last.map_or_else(|| NO_TIME.to_owned(), session::Instant::rfc3339),
        vcs: revision.map(|revision| Vcs { r#type: "git", revision: revision.into() }),
        tool,
        files: lines.files.iter().map(FileRow::of).collect(),
        metadata: Metadata {
            verbatim: Ours {
                version: env!("CARGO_PKG_VERSION"),
                session: session.uid(),
                not_derived: missing.map(|u| Missing { path: &u.path, why: u.why }).collect(),
            },
        },
    };
    json::write(out, &record)
}

impl<'a> FileRow<'a> {
    fn of(file: &'a File) -> Self {
        let mut conversations: Vec<Conversation> = Vec::new();
        for range in &file.ranges {
            let contributor = Contributor { r#type: "ai", model_id: model_id(range) };
            let row = RangeRow {
                start_line: range.start,
                end_line: range.end,
                content_hash: format!("sha256:{}", range.hash),
            };
            match conversations.iter_mut().find(|each| each.contributor == contributor) {
                Some(conversation) => conversation.ranges.push(row),
                None => conversations.push(Conversation { contributor, ranges: vec![row] }),
            }
        }
        Self { path: &file.path, conversations }
    }
}

/// `provider/model`; the model alone where nobody knows its provider, or its name holds it.
fn model_id(range: &Range) -> Option<String> {
    let model = range.model.as_deref()?;
    let id = match range.provider.as_deref() {
        Some(provider) if model.split_once('/').is_none_or(|(first, _)| first != provider) => {
            format!("{provider}/{model}")
        }
        _ => model.to_owned(),
    };
    (id.chars().count() <= LONGEST).then_some(id)
}

/// A UUID of version 8 (RFC 9562, section 5.8) of the first 128 bits of a digest in hexadecimal.
fn uuid(digest: &str) -> String {
    let bits = digest.get(..32).and_then(|digits| u128::from_str_radix(digits, 16).ok());
    let bits = bits.unwrap_or_default();
    let bits = bits & !(0xf << 76) | (8 << 76);
    let bits = bits & !(0b11 << 62) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_version_and_variant() {
        let digest = "ffffffffffffffffffffffffffffffff00";
        assert_eq!(uuid(digest), "ffffffff-ffff-8fff-bfff-ffffffffffff");
        assert_eq!(
            uuid("00000000000000000000000000000000ff"),
            "00000000-0000-8000-8000-000000000000"
        );
    }

    #[test]
    fn models_stand_behind_their_provider() {
        let range = |model: Option<&str>, provider: Option<&str>| {
            let text = |text: &str| text.to_owned();
            let (model, provider) = (model.map(text), provider.map(text));
            Range { start: 1, end: 1, hash: String::new(), event: 0, model, provider }
        };
        let id = |model, provider| model_id(&range(Some(model), provider));
        assert_eq!(id("gpt-5", Some("openai")).unwrap(), "openai/gpt-5");
        assert_eq!(id("openai/gpt-5", Some("openai")).unwrap(), "openai/gpt-5");
        assert_eq!(id("openai/gpt-5", Some("openrouter")).unwrap(), "openrouter/openai/gpt-5");
        assert_eq!(id("house-model", None).unwrap(), "house-model");
        assert_eq!(id(&"x".repeat(251), None), None);
        assert_eq!(model_id(&range(None, Some("openai"))), None);
    }
}
