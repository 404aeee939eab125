//! JSON Schema (draft 2020-12), reduced to the keywords of the stead session's schema. A schema
//! with another keyword is refused, so that no rule is ignored. Formats (`date-time`) are asserted.
//!
//! A test holds the verdicts equal to those of a complete implementation.

mod date_time;

use std::borrow::Cow;
use std::sync::LazyLock;

use session::{Node, Scan, Shape, value};

use super::{ERRORS, SchemaError, Violations};
use crate::value::push_key;
use crate::verdict::Verdict;

/// A compiled JSON Schema.
#[derive(Debug)]
pub struct JsonSchema(Rule);

/// The reason why a text is not an applicable JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonSchemaError {
    /// The text is not JSON.
    #[error("not a JSON Schema: it is not JSON")]
    NotJson,
    /// A keyword, or a value of it, that this module does not apply.
    #[error("`{0}` is not supported")]
    Unsupported(String),
}

/// The text of [`JsonSchema::stead`], as its authors publish it.
pub const STEAD_TEXT: &str = include_str!("../../schemas/stead-session.v0.1.0.schema.json");

/// The text of [`JsonSchema::stead_extended`]: equal except for its list of agents.
pub const STEAD_EXTENDED_TEXT: &str =
    include_str!("../../schemas/stead-session.v0.1.0-verbatim-1.schema.json");

/// Keywords that describe a schema and validate nothing.
const ANNOTATIONS: &[&str] = &["$schema", "$id", "title", "description"];

/// One schema or sub-schema. Without any keyword it accepts every value.
#[derive(Debug, Default)]
struct Rule {
    types: Vec<String>,
    required: Vec<String>,
    properties: Vec<(String, Rule)>,
    items: Option<Box<Rule>>,
    constant: Option<String>,
    one_of: Vec<String>,
    min_length: usize,
    minimum: Option<i64>,
    date_time: bool,
}

impl JsonSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// The text is not JSON, or has an unsupported keyword.
    pub fn parse(text: &str) -> Result<Self, JsonSchemaError> {
        let mut scan = Scan::strict();
        let doc = scan.read(text.as_bytes(), 0).map_err(|_| JsonSchemaError::NotJson)?;
        Rule::of(doc.root()).map(Self)
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

    /// Validates a document. Every occurrence of a duplicate key is validated.
    #[must_use]
    pub fn validate(&self, document: &[u8]) -> Verdict<Violations> {
        let mut scan = Scan::strict();
        match scan.read(document, 0) {
            Ok(doc) => self.violations(doc.root()).verdict(),
            Err(fault) => Violations::one(SchemaError {
                path: "$".into(),
                offset: fault.at.into(),
                rule: "JSON (RFC 8259)".into(),
                hint: fault.why.words().into(),
            })
            .verdict(),
        }
    }

    /// The violations of a value that is already read.
    pub(super) fn violations(&self, value: Node<'_>) -> Violations {
        let mut walk = Walk { path: "$".into(), rule: String::new(), errors: Vec::new() };
        walk.value(&self.0, value);
        let more = walk.errors.len() > ERRORS;
        walk.errors.truncate(ERRORS);
        Violations { errors: walk.errors, more }
    }
}

#[expect(clippy::panic, reason = "a shipped schema that does not compile fails every test")]
fn shipped(text: &str) -> JsonSchema {
    JsonSchema::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

impl Rule {
    /// Recursion is bounded by the depth of the schema, which is a shipped one.
    fn of(schema: Node<'_>) -> Result<Self, JsonSchemaError> {
        let mut rule = Rule::default();
        for member in schema.members() {
            let (name, node) = (value::unescape(member.name), member.value);
            let unsupported = || JsonSchemaError::Unsupported(name.clone().into_owned());
            match &*name {
                "type" => rule.types = texts(node),
                "required" => rule.required = texts(node),
                "enum" => rule.one_of = texts(node),
                "const" => rule.constant = Some(text(node).ok_or_else(unsupported)?),
                "items" => rule.items = Some(Box::new(Rule::of(node)?)),
                "properties" => {
                    for member in node.members() {
                        let name = value::unescape(member.name).into_owned();
                        rule.properties.push((name, Rule::of(member.value)?));
                    }
                }
                "minLength" => {
                    let length = value::number(node.raw()).ok_or_else(unsupported)?;
                    rule.min_length = usize::try_from(length).map_err(|_| unsupported())?;
                }
                "minimum" => {
                    let least = value::number(node.raw()).and_then(|least| least.try_into().ok());
                    rule.minimum = Some(least.ok_or_else(unsupported)?);
                }
                "format" if node.text() == Some(b"date-time") => rule.date_time = true,
                "additionalProperties" if node.raw() == b"true" => {}
                name if ANNOTATIONS.contains(&name) => {}
                _ => return Err(unsupported()),
            }
        }
        Ok(rule)
    }
}

fn text(node: Node<'_>) -> Option<String> {
    node.text().map(|text| value::unescape(text).into_owned())
}

/// The strings of an array, or the one string.
fn texts(node: Node<'_>) -> Vec<String> {
    text(node).into_iter().chain(node.elements().filter_map(text)).collect()
}

/// A value under validation, by its path and that of its rule.
struct Walk {
    path: String,
    rule: String,
    errors: Vec<SchemaError>,
}

impl Walk {
    /// Reports an error. The hint shows no values: a session's text may be long, or private.
    fn fail(&mut self, node: Node<'_>, keyword: &str, hint: impl Into<Cow<'static, str>>) {
        if self.errors.len() <= ERRORS {
            self.errors.push(SchemaError {
                path: self.path.clone(),
                offset: node.span().start.into(),
                rule: format!("{}/{keyword}", self.rule),
                hint: hint.into().into_owned(),
            });
        }
    }

    /// Recursion is bounded by the schema's depth, not by the document's.
    fn value(&mut self, rule: &Rule, node: Node<'_>) {
        if !rule.types.is_empty() && !rule.types.iter().any(|name| is_type(node, name)) {
            let names: Vec<String> = rule.types.iter().map(|name| format!("{name:?}")).collect();
            self.fail(node, "type", format!("the value is not of type {}", names.join(" or ")));
        }
        match node.shape() {
            Shape::Object => self.object(rule, node),
            Shape::Array => self.elements(rule, node),
            Shape::String => self.string(rule, node),
            Shape::Number => self.number(rule, node),
            Shape::Bool | Shape::Null => {}
        }
        self.constants(rule, node);
    }

    fn object(&mut self, rule: &Rule, node: Node<'_>) {
        for name in &rule.required {
            if !node.members().any(|member| value::spells(member.name, name)) {
                self.fail(node, "required", format!("{name:?} is a required property"));
            }
        }
        if rule.properties.is_empty() {
            return;
        }
        for member in node.members() {
            let named = |(name, _): &&(String, Rule)| value::spells(member.name, name);
            let Some((name, inner)) = rule.properties.iter().find(named) else { continue };
            let (path, place) = (self.path.len(), self.rule.len());
            push_key(name, &mut self.path);
            self.rule.push_str("/properties/");
            self.rule.push_str(name);
            self.value(inner, member.value);
            self.path.truncate(path);
            self.rule.truncate(place);
        }
    }

    fn elements(&mut self, rule: &Rule, node: Node<'_>) {
        let Some(inner) = &rule.items else { return };
        let (path, place) = (self.path.len(), self.rule.len());
        self.rule.push_str("/items");
        for (number, element) in node.elements().enumerate() {
            self.path.push_str(&format!("[{number}]"));
            self.value(inner, element);
            self.path.truncate(path);
        }
        self.rule.truncate(place);
    }

    fn string(&mut self, rule: &Rule, node: Node<'_>) {
        if rule.min_length == 0 && !rule.date_time {
            return;
        }
        let text = value::unescape(node.text().unwrap_or_default());
        if text.chars().take(rule.min_length).count() < rule.min_length {
            let least = rule.min_length;
            let unit = if least == 1 { "character" } else { "characters" };
            self.fail(node, "minLength", format!("the value is shorter than {least} {unit}"));
        }
        if rule.date_time && !date_time::is_date_time(&text) {
            self.fail(node, "format", "the value is not a \"date-time\" (RFC 3339)");
        }
    }

    fn number(&mut self, rule: &Rule, node: Node<'_>) {
        let Some(least) = rule.minimum else { return };
        let number: Option<f64> = std::str::from_utf8(node.raw()).ok().and_then(|n| n.parse().ok());
        if number.is_some_and(|number| number < least as f64) {
            self.fail(node, "minimum", format!("the value is less than the minimum of {least}"));
        }
    }

    fn constants(&mut self, rule: &Rule, node: Node<'_>) {
        let is = |text: &str| node.text().is_some_and(|raw| value::spells(raw, text));
        if let Some(constant) = rule.constant.as_deref().filter(|constant| !is(constant)) {
            self.fail(node, "const", format!("{constant:?} was expected"));
        }
        if !rule.one_of.is_empty() && !rule.one_of.iter().any(|one| is(one)) {
            let list: Vec<String> = rule.one_of.iter().map(|one| format!("{one:?}")).collect();
            self.fail(node, "enum", format!("the value is not one of {}", list.join(", ")));
        }
    }
}

fn is_type(node: Node<'_>, name: &str) -> bool {
    match node.shape() {
        Shape::Object => name == "object",
        Shape::Array => name == "array",
        Shape::String => name == "string",
        Shape::Bool => name == "boolean",
        Shape::Null => name == "null",
        Shape::Number => name == "number" || name == "integer" && is_whole(node.raw()),
    }
}

/// Whether a number is whole by its value: 10, 10.0 and 1e400 are.
fn is_whole(raw: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(raw) else { return false };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let significant = digits.trim_end_matches('0');
    let zeros = (digits.len() - significant.len()) as i64 - fraction.len() as i64;
    // An exponent beyond 64 bits decides by its sign alone.
    let beyond = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
    significant.is_empty() || exponent.parse().unwrap_or(beyond) + zeros >= 0
}
