//! Agent Trace record, version 0.1.0 (agent-trace.dev): the attribution of a session.
//!
//! The same session gives the same record: the record's id is derived from the session's id and
//! bytes, and its time is the session's last time.

use formats::attribution::{self, Attribution};
use serde::Serialize;
use session::{Session, Slot};

/// The version of the specification.
const VERSION: &str = "0.1.0";
/// Time of a session that records none.
const NO_TIME: &str = "1970-01-01T00:00:00Z";
/// The longest model id that the specification allows, in characters.
const LONGEST: usize = 250;

/// The record.
#[derive(Debug, Serialize)]
pub struct Trace<'a> {
    /// The version of the specification.
    pub version: &'static str,
    /// A UUID that is derived from the session's id and bytes.
    pub id: String,
    /// The session's last time (RFC 3339).
    pub timestamp: String,
    /// The commit on which the session worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcs: Option<Vcs>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<TraceTool>,
    /// The files.
    pub files: Vec<FileLines<'a>>,
    /// The extension objects.
    pub metadata: Metadata<'a>,
}

/// A version control system and a revision. All agents record git.
#[derive(Debug, Serialize)]
pub struct Vcs {
    /// `git`.
    pub r#type: &'static str,
    /// The revision.
    pub revision: String,
}

/// The agent, if its version is known: the published schema requires both fields.
#[derive(Debug, Serialize)]
pub struct TraceTool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: String,
}

/// The lines of a file.
#[derive(Debug, Serialize)]
pub struct FileLines<'a> {
    /// Its path.
    pub path: &'a str,
    /// One conversation for each contributor.
    pub conversations: Vec<Conversation>,
}

/// The lines of a file that one model wrote.
#[derive(Debug, Serialize)]
pub struct Conversation {
    /// The model.
    pub contributor: Author,
    /// Its lines.
    pub ranges: Vec<TraceRange>,
}

/// A contributor.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Author {
    /// `ai`.
    pub r#type: &'static str,
    /// `provider/model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
}

/// A range of lines.
#[derive(Debug, Serialize)]
pub struct TraceRange {
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, inclusive.
    pub end_line: usize,
    /// `sha256:` and the digest of their text, with a line feed between lines.
    pub content_hash: String,
}

/// Extension objects.
#[derive(Debug, Serialize)]
pub struct Metadata<'a> {
    /// The extension object of verbatim.
    pub verbatim: Extension<'a>,
}

/// The extension object of verbatim: facts for which the record has no other place.
#[derive(Debug, Serialize)]
pub struct Extension<'a> {
    /// The version of verbatim.
    pub version: &'static str,
    /// The uid of the session.
    pub session: String,
    /// Changes whose lines can't be derived.
    pub not_derived: Vec<NotDerived<'a>>,
}

/// A change whose lines can't be derived.
#[derive(Debug, Serialize)]
pub struct NotDerived<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The reason.
    pub why: &'static str,
}

impl<'a> Trace<'a> {
    /// The record of an attribution.
    #[must_use]
    pub fn of(session: &Session, lines: &'a Attribution) -> Self {
        let last = session.events().filter_map(|event| event.time()).max();
        let revision = session.first(Slot::Revision);
        let program = formats::by_name(session.format).map(|format| format.data().program);
        let version = meaning::facts::version(session);
        let tool =
            program.zip(version).map(|(name, version)| TraceTool { name, version: version.into() });
        let missing = lines.unknown.iter();
        Self {
            version: VERSION,
            id: uuid(&formats::vac::record_id(session)),
            timestamp: last.map_or_else(|| NO_TIME.to_owned(), session::UtcTime::rfc3339),
            vcs: revision.map(|revision| Vcs { r#type: "git", revision: revision.into() }),
            tool,
            files: lines.files.iter().map(FileLines::of).collect(),
            metadata: Metadata {
                verbatim: Extension {
                    version: env!("CARGO_PKG_VERSION"),
                    session: session.uid(),
                    not_derived: missing
                        .map(|u| NotDerived { path: &u.path, why: u.why })
                        .collect(),
                },
            },
        }
    }
}

impl<'a> FileLines<'a> {
    fn of(file: &'a attribution::AttributedFile) -> Self {
        let mut conversations: Vec<Conversation> = Vec::new();
        for range in &file.ranges {
            let contributor = Author { r#type: "ai", model_id: model_id(range) };
            let row = TraceRange {
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

/// `provider/model`, or the model alone if its provider is unknown or already part of its name.
fn model_id(range: &attribution::AttributedRange) -> Option<String> {
    let model = range.model.as_deref()?;
    let id = match range.provider.as_deref() {
        Some(provider) if model.split_once('/').is_none_or(|(first, _)| first != provider) => {
            format!("{provider}/{model}")
        }
        _ => model.to_owned(),
    };
    (id.chars().count() <= LONGEST).then_some(id)
}

/// A UUID of version 8 (RFC 9562, section 5.8) from the first 128 bits of a hexadecimal digest.
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
            attribution::AttributedRange {
                start: 1,
                end: 1,
                hash: String::new(),
                event: 0,
                model,
                provider,
            }
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
