//! The document: members in the order of the note on receipts, compact or indented.

use formats::turns::{EventFacts, ThreadFacts, Told, TurnFacts, UsageFacts};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The schema of the receipts of sessions.
pub const SESSION_SCHEMA: &str = "verbatim.turn-receipt/v0";

/// The word for a value that the source does not tell.
const UNAVAILABLE: &str = "unavailable";

/// The claims that a receipt does not exceed.
const CEILING: [&str; 3] =
    ["local_receipt_only", "not_safety_certification", "not_provider_compatibility_certification"];

/// A value, or `"unavailable"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Available<T> {
    /// The source tells it.
    Value(T),
    /// The source does not tell it.
    No,
}

impl<T: Serialize> Serialize for Available<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::No => serializer.serialize_str(UNAVAILABLE),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Available<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(word) if word == UNAVAILABLE => Ok(Self::No),
            other => serde_json::from_value(other).map(Self::Value).map_err(D::Error::custom),
        }
    }
}

/// A receipt of one turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The schema that it follows.
    pub schema_id: String,
    /// The thread, or the session.
    pub thread: Thread,
    /// The turn.
    pub turn: Turn,
    /// The thoughts, without their text.
    pub reasoning_custody: Custody,
    /// Tool calls and results.
    pub tool_lineage: Tools,
    /// Tokens.
    pub usage_evidence: Usage,
    /// Numbered events of the source.
    pub source_event_lineage: Lineage,
    /// What reached the machine.
    pub side_effect_boundary: Boundary,
    /// The claims that the receipt does not exceed.
    pub claim_ceiling: Vec<String>,
    /// Where the turn is in which bytes; receipts of sessions only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// The thread of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// Its id; of a session, the uid.
    pub id: String,
    /// The model.
    pub model: Available<String>,
    /// The agent's mode.
    pub mode: Available<String>,
    /// Whether every tool runs without a question.
    pub auto_approve: Available<bool>,
    /// Whether tools run without a sandbox.
    pub trust_mode: Available<bool>,
    /// Whether commands may run.
    pub allow_shell: Available<bool>,
}

/// The turn of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Its id.
    pub id: Available<String>,
    /// How it ended.
    pub status: Available<String>,
    /// Its first time, RFC 3339.
    pub started_at: Available<String>,
    /// Its last time, RFC 3339.
    pub ended_at: Available<String>,
    /// Its duration in milliseconds.
    pub duration_ms: Available<u64>,
}

/// Thoughts, without their text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Custody {
    /// Always false: a receipt has no thought's text.
    pub raw_reasoning_exported: bool,
    /// Whether the source holds thoughts of the turn.
    pub available: bool,
    /// What it holds, or why it holds nothing.
    pub reason: String,
}

/// Tool calls and results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// Calls.
    pub tool_call_count: u64,
    /// Results.
    pub tool_result_count: u64,
    /// The ids of calls without a result.
    pub unmatched_tool_call_ids: Vec<String>,
    /// The ids of results without a call.
    pub unmatched_tool_result_ids: Vec<String>,
}

/// The tokens of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Whether the source tells them.
    pub available: bool,
    /// The tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageTokens>,
    /// Whether the provider's share from a cache is told.
    pub provider_cache_breakdown_available: bool,
    /// Why they are not available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Tokens in and out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageTokens {
    /// Input, cache reads and writes included.
    pub prompt_tokens: u64,
    /// Output, reasoning included.
    pub completion_tokens: u64,
}

/// The numbered events of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Lineage {
    /// The source numbers its events.
    Numbered(Numbered),
    /// It does not.
    Unavailable(NoEvents),
}

/// A range of numbered events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    /// The first number.
    pub first_seq: u64,
    /// The last number.
    pub last_seq: u64,
    /// The number of events.
    pub event_count: u64,
    /// Numbers without events, and items that the turn names and the store lacks.
    pub missing_event_ranges: Vec<MissingRange>,
}

/// Why there are no numbered events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoEvents {
    /// Always false.
    pub available: bool,
    /// Why.
    pub reason: String,
    /// Items that the turn names and the store lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_event_ranges: Vec<MissingRange>,
}

/// Something of the turn that the store lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MissingRange {
    /// Numbers of events.
    Events(MissingNumbers),
    /// An item.
    Item(MissingItem),
}

/// Numbers that no event has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissingNumbers {
    /// The first number.
    pub first_seq: u64,
    /// The last number.
    pub last_seq: u64,
    /// `damaged line` of this thread, or `in no thread`.
    pub reason: String,
}

/// An item that the turn names and the store lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissingItem {
    /// Its id.
    pub item_id: String,
    /// Why.
    pub reason: String,
}

/// What reached the machine, and who allowed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    /// Requests for approval.
    pub approval_required_count: Available<u64>,
    /// Allowed ones.
    pub approval_allowed_count: Available<u64>,
    /// Denied ones.
    pub approval_denied_count: Available<u64>,
    /// Commands.
    pub command_execution_count: Available<u64>,
    /// Changes of files.
    pub file_change_count: Available<u64>,
    /// Actions that the sandbox stopped.
    pub sandbox_denied_count: Available<u64>,
}

/// Where the turn is, in which bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The number of the turn in its session, from 1.
    pub turn_number: u64,
    /// The source files, in the order of their names and digests.
    pub sources: Vec<Source>,
    /// The bytes of the turn, by source.
    pub ranges: Vec<SourceRange>,
    /// The thoughts that the source holds.
    pub reasoning: Vec<Thought>,
    /// Each value that is not available, and why.
    pub unavailable: Vec<Unavailable>,
    /// The program that read the source.
    pub reader: Reader,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name, without a path.
    pub name: String,
    /// The SHA-256 digest of its stored bytes.
    pub sha256: String,
    /// Their number.
    pub bytes: u64,
}

/// Bytes of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRange {
    /// The index of the file in `sources`.
    pub source: u64,
    /// The first byte, from 0.
    pub start: u64,
    /// The byte behind the last one.
    pub end: u64,
}

/// A thought, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thought {
    /// Its id.
    pub id: Available<String>,
    /// The SHA-256 digest of its text, or of its sealed value.
    pub sha256: String,
    /// The length of that.
    pub bytes: u64,
}

/// A value that is not available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unavailable {
    /// Its place in the receipt: a JSON pointer (RFC 6901).
    pub field: String,
    /// Why.
    pub reason: String,
}

/// The program that read the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reader {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Receipt {
    /// The receipt of facts. `evidence` belongs to receipts of sessions only.
    #[must_use]
    pub fn of(schema: &str, facts: &TurnFacts, evidence: Option<Evidence>) -> Self {
        let mut why = Vec::new();
        let thread = thread(&facts.thread, &mut why);
        let mut keep = Keep(&mut why);
        let turn = Turn {
            id: keep.value("/turn/id", &facts.id),
            status: keep.value("/turn/status", &facts.status),
            started_at: keep.value("/turn/started_at", &facts.started_at),
            ended_at: keep.value("/turn/ended_at", &facts.ended_at),
            duration_ms: keep.value("/turn/duration_ms", &facts.duration_ms),
        };
        let side_effect_boundary = boundary(facts, &mut keep);
        let evidence = evidence.map(|evidence| Evidence { unavailable: why, ..evidence });
        Self {
            schema_id: schema.to_owned(),
            thread,
            turn,
            reasoning_custody: custody(facts),
            tool_lineage: Tools {
                tool_call_count: facts.tools.calls,
                tool_result_count: facts.tools.results,
                unmatched_tool_call_ids: facts.tools.open_calls.clone(),
                unmatched_tool_result_ids: facts.tools.stray_results.clone(),
            },
            usage_evidence: usage(&facts.usage),
            source_event_lineage: lineage(&facts.events, &facts.missing_items),
            side_effect_boundary,
            claim_ceiling: CEILING.iter().map(|claim| (*claim).to_owned()).collect(),
            evidence,
        }
    }

    /// The receipt as JSON: with two spaces, or compact. Its digest is that of the compact form.
    ///
    /// # Errors
    ///
    /// None for a receipt: its values are texts, numbers and lists.
    pub fn json(&self, compact: bool) -> serde_json::Result<String> {
        if compact { serde_json::to_string(self) } else { serde_json::to_string_pretty(self) }
    }

    /// Reads a receipt, strictly: each member of the schema once, no other, each of its type.
    ///
    /// # Errors
    ///
    /// The member that is wrong, and its line.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let receipt: Self = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let of_session = receipt.schema_id == SESSION_SCHEMA;
        if !of_session && !formats::turns::schemas().any(|schema| schema == receipt.schema_id) {
            return Err(format!("`schema_id` is {:?}, which is no known one", receipt.schema_id));
        }
        if of_session != receipt.evidence.is_some() {
            let word = if of_session { "lacks" } else { "has no" };
            return Err(format!("the schema {} {word} `evidence`", receipt.schema_id));
        }
        if receipt.claim_ceiling != CEILING {
            return Err("`claim_ceiling` is not the three claims of the schema".into());
        }
        if receipt.reasoning_custody.raw_reasoning_exported {
            return Err("`raw_reasoning_exported` is true: a receipt has no thought's text".into());
        }
        Ok(receipt)
    }
}

/// Collects why values are not available.
struct Keep<'w>(&'w mut Vec<Unavailable>);

impl Keep<'_> {
    fn value<T: Clone>(&mut self, field: &str, told: &Told<T>) -> Available<T> {
        match told {
            Told::Value(value) => Available::Value(value.clone()),
            Told::Unavailable(reason) => {
                self.0.push(Unavailable { field: field.into(), reason: (*reason).into() });
                Available::No
            }
        }
    }
}

fn thread(facts: &ThreadFacts, why: &mut Vec<Unavailable>) -> Thread {
    let mut keep = Keep(why);
    Thread {
        id: facts.id.clone(),
        model: keep.value("/thread/model", &facts.model),
        mode: keep.value("/thread/mode", &facts.mode),
        auto_approve: keep.value("/thread/auto_approve", &facts.auto_approve),
        trust_mode: keep.value("/thread/trust_mode", &facts.trust_mode),
        allow_shell: keep.value("/thread/allow_shell", &facts.allow_shell),
    }
}

fn boundary(facts: &TurnFacts, keep: &mut Keep<'_>) -> Boundary {
    let mut at =
        |name: &str, told: &Told<u64>| keep.value(&format!("/side_effect_boundary/{name}"), told);
    let [required, allowed, denied, sandbox] = &facts.borders;
    Boundary {
        approval_required_count: at("approval_required_count", required),
        approval_allowed_count: at("approval_allowed_count", allowed),
        approval_denied_count: at("approval_denied_count", denied),
        command_execution_count: at("command_execution_count", &facts.commands),
        file_change_count: at("file_change_count", &facts.file_changes),
        sandbox_denied_count: at("sandbox_denied_count", sandbox),
    }
}

fn custody(facts: &TurnFacts) -> Custody {
    let (available, reason) = match &facts.reasoning {
        Told::Unavailable(reason) => (false, (*reason).to_owned()),
        Told::Value(held) => {
            let digest = |thought: &formats::turns::HeldThought| {
                let id = thought.id.as_deref().unwrap_or("without id");
                format!("{id} sha256:{}", thought.sha256)
            };
            let all: Vec<String> = held.iter().map(digest).collect();
            (true, format!("held by the source, not exported: {}: {}", held.len(), all.join(", ")))
        }
    };
    Custody { raw_reasoning_exported: false, available, reason }
}

fn usage(told: &Told<UsageFacts>) -> Usage {
    match told {
        Told::Value(usage) => Usage {
            available: true,
            usage: Some(UsageTokens {
                prompt_tokens: usage.prompt,
                completion_tokens: usage.completion,
            }),
            provider_cache_breakdown_available: usage.cache,
            reason: None,
        },
        Told::Unavailable(reason) => Usage {
            available: false,
            usage: None,
            provider_cache_breakdown_available: false,
            reason: Some((*reason).to_owned()),
        },
    }
}

fn lineage(told: &Told<EventFacts>, items: &[String]) -> Lineage {
    let item = |id: &String| {
        let reason = "the turn names it, the store lacks it".to_owned();
        MissingRange::Item(MissingItem { item_id: id.clone(), reason })
    };
    let items = items.iter().map(item);
    match told {
        Told::Unavailable(reason) => Lineage::Unavailable(NoEvents {
            available: false,
            reason: (*reason).to_owned(),
            missing_event_ranges: items.collect(),
        }),
        Told::Value(events) => {
            let range = |missing: &formats::turns::MissingEvents| {
                let reason = if missing.damaged { "damaged line" } else { "in no thread" };
                MissingRange::Events(MissingNumbers {
                    first_seq: missing.first,
                    last_seq: missing.last,
                    reason: reason.to_owned(),
                })
            };
            Lineage::Numbered(Numbered {
                first_seq: events.first,
                last_seq: events.last,
                event_count: events.count,
                missing_event_ranges: events.missing.iter().map(range).chain(items).collect(),
            })
        }
    }
}
