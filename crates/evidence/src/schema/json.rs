//! JSON Schema (draft 2020-12): the published schemas of documents and outputs, applied with the
//! `jsonschema` crate. Nothing is fetched; formats (`date-time`) are asserted.

use std::sync::LazyLock;

use jsonschema::error::ValidationError;
use jsonschema::{Draft, Validator};
use session::{Node, Scan};

use super::{ERRORS, SchemaError, Verdict};
use crate::value::push_key;

/// A compiled JSON Schema.
#[derive(Debug)]
pub struct JsonSchema {
    validator: Validator,
}

/// The reason why a text is not an applicable JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON Schema of draft 2020-12: {0}")]
pub struct JsonSchemaError(String);

/// The text of [`JsonSchema::stead`], as its authors publish it.
pub const STEAD_TEXT: &str = include_str!("../../../../schemas/stead-session.v0.1.0.schema.json");

/// The text of [`JsonSchema::stead_extended`]: equal except for its list of agents.
pub const STEAD_EXTENDED_TEXT: &str =
    include_str!("../../../../schemas/stead-session.v0.1.0-verbatim-1.schema.json");

impl JsonSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// The text is not JSON, is not a schema, or refers to another schema.
    pub fn parse(text: &str) -> Result<Self, JsonSchemaError> {
        let fail = |error: String| JsonSchemaError(error);
        let schema = serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
        let options = jsonschema::options().with_draft(Draft::Draft202012);
        let validator = options.should_validate_formats(true).offline().build(&schema);
        Ok(Self { validator: validator.map_err(|error| fail(error.to_string()))? })
    }

    /// The schema of the stead session document, 0.1.0.
    #[must_use]
    pub fn stead() -> &'static Self {
        static SCHEMA: LazyLock<JsonSchema> = LazyLock::new(|| shipped(STEAD_TEXT));
        &SCHEMA
    }

    /// verbatim's extension of it, with the agents that it does not list.
    #[must_use]
    pub fn stead_extended() -> &'static Self {
        static SCHEMA: LazyLock<JsonSchema> = LazyLock::new(|| shipped(STEAD_EXTENDED_TEXT));
        &SCHEMA
    }

    /// Validates a document. If it is nested deeper than 128 levels, it is refused.
    #[must_use]
    pub fn validate(&self, document: &[u8]) -> Verdict {
        let value = match serde_json::from_slice(document) {
            Ok(value) => value,
            Err(error) => return Verdict::one(unreadable(document, &error)),
        };
        let mut scan = Scan::new();
        let doc = scan.read(document, 0).ok();
        let mut errors: Vec<SchemaError> = Vec::new();
        for error in self.validator.iter_errors(&value).take(ERRORS + 1) {
            errors.push(told(&error, doc.as_ref().map(|doc| doc.root())));
        }
        let more = errors.len() > ERRORS;
        errors.truncate(ERRORS);
        Verdict { errors, more }
    }
}

#[expect(clippy::panic, reason = "a shipped schema that does not compile fails every test")]
fn shipped(text: &str) -> JsonSchema {
    JsonSchema::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn unreadable(document: &[u8], error: &serde_json::Error) -> SchemaError {
    let lines = document.split_inclusive(|&byte| byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    SchemaError {
        path: "$".into(),
        offset: (before + error.column().saturating_sub(1)) as u64,
        rule: "JSON (RFC 8259)".into(),
        hint: error.to_string(),
    }
}

/// An error with its place. The hint shows no values: a session's text may be long, or private.
fn told(error: &ValidationError<'_>, root: Option<Node<'_>>) -> SchemaError {
    let mut path = String::from("$");
    let mut at = root;
    for step in error.instance_path().as_str().split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        let index = key.parse::<usize>().ok();
        let element = at.and_then(|node| node.elements().nth(index?));
        match (element, index) {
            (Some(_), Some(index)) => path.push_str(&format!("[{index}]")),
            _ => push_key(&key, &mut path),
        }
        at = element.or_else(|| at?.at(&[&*key]));
    }
    SchemaError {
        path,
        offset: at.map_or(0, |node| u64::from(node.span().start)),
        rule: error.schema_path().to_string(),
        hint: error.masked_with("the value").to_string(),
    }
}
