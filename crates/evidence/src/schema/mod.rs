//! Schemas as data: CDDL text (RFC 8610) is compiled and applied to JSON and CBOR documents.
//!
//! [`Schema::record`] is the project's own schema of the verifiable agent record and its signed
//! envelope, [`Schema::draft`] the literal text of the draft. Types mean exactly what RFC 8610
//! says: regular expressions match whole texts, maps are closed unless they have a wildcard, `:`
//! cuts and `=>` does not, a JSON number is an integer by its value (appendix E).
//!
//! Cost is linear in the document, whatever its nesting, except for the sorting of keys. Limits:
//! documents as in [`Limits`], [`ERRORS`] reported errors, 16 levels of CBOR in byte strings, and
//! the subset of CDDL that `syntax` reads.

mod atom;
mod check;
mod compile;
mod explain;
mod json;
mod leaf;
mod regexp;
mod stead;
mod syntax;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use json::{JsonSchema, JsonSchemaError, STEAD_EXTENDED_TEXT, STEAD_TEXT};
pub use stead::{stead_session, stead_session_extended};

use session::Doc;

use atom::{Atom, KeyClasses, MapType, TypeSet};

use crate::value::{Document, Encoding, Limits, ReadError, ValueKind};
use crate::verdict::Verdict;

/// Largest number of errors in a verdict.
pub const ERRORS: usize = 100;

/// The rule of a record, in this project's schema and the draft's.
pub const RECORD: &str = "verifiable-agent-record";
/// The rule of a signed record.
pub const SIGNED_RECORD: &str = "signed-agent-record";

/// The rule for a document: a signed record is a tag, a record is not.
#[must_use]
pub fn rule_for(doc: &Document<'_>) -> &'static str {
    if doc.root().kind() == ValueKind::Tag { SIGNED_RECORD } else { RECORD }
}

/// A compiled CDDL schema.
#[derive(Debug)]
pub struct Schema {
    atoms: Vec<Atom>,
    /// The name of each atom in messages: its rule or its text.
    names: Vec<String>,
    rules: BTreeMap<String, TypeSet>,
    keys: KeyClasses,
}

/// The reason why a text is not a schema that this module can apply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// Not CDDL, or an unsupported part of CDDL.
    #[error("line {line}: expected {expected}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// The expected syntax.
        expected: &'static str,
    },
    /// Well-formed CDDL that is not supported.
    #[error("`{0}` is not supported")]
    Unsupported(String),
    /// A name without a rule.
    #[error("no rule is named `{0}`")]
    Unknown(String),
    /// Two rules with one name.
    #[error("two rules are named `{0}`")]
    Twice(String),
    /// A rule that is defined by itself only.
    #[error("rule `{0}` is defined by itself")]
    Circular(String),
    /// A regular expression that is not supported.
    #[error("the regular expression `{0}` is not supported")]
    Regexp(String),
    /// Too many different types, or entries of one map.
    #[error("more than {} types, or {} entries of a map", TypeSet::CAPACITY, MapType::MEMBERS)]
    TooLarge,
}

/// One violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// Path of the value: `$.session.entries[3].timestamp` (see [`Document::path`]).
    pub path: String,
    /// Offset of the value in bytes, from the start of the document or of the last byte string in
    /// the path.
    pub offset: u64,
    /// The violated rule, as written in the schema.
    pub rule: String,
    /// The value found and the value expected.
    pub hint: String,
}

/// The violations of a rule by a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Violations {
    /// At most [`ERRORS`] of them.
    pub errors: Vec<SchemaError>,
    /// Whether there are more than listed.
    pub more: bool,
}

impl Violations {
    fn one(error: SchemaError) -> Self {
        Self { errors: vec![error], more: false }
    }

    fn verdict(self) -> Verdict<Self> {
        if self.errors.is_empty() { Verdict::Good } else { Verdict::Bad(self) }
    }
}

impl Verdict<Violations> {
    /// The violations that are listed.
    #[must_use]
    pub fn errors(&self) -> &[SchemaError] {
        self.bad().map_or(&[], |violations| &violations.errors)
    }
}

impl Schema {
    /// Compiles CDDL text.
    ///
    /// # Errors
    /// The text is not CDDL, is incomplete, or uses unsupported syntax.
    pub fn parse(text: &str) -> Result<Schema, TextError> {
        compile::compile(text)
    }

    /// The project's schema, `schemas/verifiable-agent-record-3.0.cddl`: equivalent to the draft's
    /// except for the defects that it corrects (see `schemas/README.md`).
    #[must_use]
    pub fn record() -> &'static Schema {
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| shipped(RECORD_TEXT));
        &SCHEMA
    }

    /// The literal schema of draft-birkholz-verifiable-agent-conversations-00.
    #[must_use]
    pub fn draft() -> &'static Schema {
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| shipped(DRAFT_TEXT));
        &SCHEMA
    }

    /// The names of its rules.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(String::as_str)
    }

    /// Validates a document by the named rule, with the default [`Limits`]. Unknown: a document
    /// beyond the limits, or a rule that the schema does not have.
    #[must_use]
    pub fn validate(&self, rule: &str, document: &[u8], encoding: Encoding) -> Verdict<Violations> {
        self.validate_seeing(rule, document, encoding, &mut |_| ())
    }

    /// The same, and `see` gets a text in JSON as it was read ([`Document::read_seeing`]).
    #[must_use]
    pub fn validate_seeing(
        &self,
        rule: &str,
        document: &[u8],
        encoding: Encoding,
        see: &mut dyn FnMut(&Doc<'_>),
    ) -> Verdict<Violations> {
        match Document::read_seeing(document, encoding, Limits::default(), see) {
            Ok(doc) => self.judge(rule, &doc),
            Err(error) if error.why.is_limit() => Verdict::Unknown(error.to_string()),
            Err(error) => Violations::one(unreadable(encoding, error)).verdict(),
        }
    }

    /// Validates a parsed document. Unknown: a rule that the schema does not have.
    #[must_use]
    pub fn judge(&self, rule: &str, doc: &Document<'_>) -> Verdict<Violations> {
        let Some(&wanted) = self.rules.get(rule) else {
            return Verdict::Unknown(format!("the schema has no rule `{rule}`"));
        };
        if check::met(self, doc, wanted, 0).meets(wanted) {
            return Verdict::Good;
        }
        Verdict::Bad(explain::explain(self, doc, wanted, rule))
    }
}

/// The text of [`Schema::record`].
pub const RECORD_TEXT: &str = include_str!("../../schemas/verifiable-agent-record-3.0.cddl");
/// The text of [`Schema::draft`].
pub const DRAFT_TEXT: &str =
    include_str!("../../schemas/draft-birkholz-verifiable-agent-conversations-00.cddl");

#[expect(clippy::panic, reason = "a shipped schema that does not compile fails every test")]
fn shipped(text: &str) -> Schema {
    Schema::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn unreadable(encoding: Encoding, error: ReadError) -> SchemaError {
    let rule = match encoding {
        Encoding::Json => "JSON (RFC 8259, RFC 7493)",
        Encoding::Cbor => "CBOR (RFC 8949)",
    };
    SchemaError {
        path: error.path,
        offset: error.offset,
        rule: rule.to_owned(),
        hint: error.why.to_string(),
    }
}
