//! The document: members in the order of the note on receipts, compact or indented.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::account::Account;
use crate::available::Available;
use crate::place::Evidence;

/// The schema of the receipts of sessions.
pub const SESSION_SCHEMA: &str = "verbatim.turn-receipt/v1";

/// The schema of the first ones: they are read and checked, and no more made.
pub const FIRST_SCHEMA: &str = "verbatim.turn-receipt/v0";

/// The claims that a receipt does not exceed.
pub(crate) const CEILING: [&str; 3] =
    ["local_receipt_only", "not_safety_certification", "not_provider_compatibility_certification"];

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
    /// Effects on the machine, and approvals.
    pub side_effect_boundary: Boundary,
    /// The claims that the receipt does not exceed.
    pub claim_ceiling: Vec<String>,
    /// The records that each number counts; receipts of sessions, from version 1 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// The place of the turn in its source; receipts of sessions only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// A proof that a signed record includes the turn: whoever knows records and signatures
    /// writes and judges it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inclusion_proof: Option<serde_json::Map<String, Value>>,
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
    /// Its end.
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
    /// The thoughts that it holds, or the reason why it has none.
    pub reason: String,
}

/// Tool calls and results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// Calls.
    pub tool_call_count: Available<u64>,
    /// Results.
    pub tool_result_count: Available<u64>,
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
    /// Whether the source has the share that came from a cache.
    pub provider_cache_breakdown_available: bool,
    /// Why they are not available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Tokens in and out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageTokens {
    /// Input: cache reads, cache writes and what tools used included.
    pub prompt_tokens: Available<u64>,
    /// Output, reasoning included.
    pub completion_tokens: Available<u64>,
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
    pub first_seq: Available<u64>,
    /// The last number.
    pub last_seq: Available<u64>,
    /// The number of events.
    pub event_count: Available<u64>,
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

/// Effects on the machine, and approvals.
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

impl Receipt {
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
        let schema = receipt.schema_id.as_str();
        let (first, now) = (schema == FIRST_SCHEMA, schema == SESSION_SCHEMA);
        if !first && !now && !formats::receipt_schemas().any(|known| known == schema) {
            return Err(format!("`schema_id` is {schema:?}, which is no known one"));
        }
        let members = [
            ("evidence", receipt.evidence.is_some(), first || now),
            ("account", receipt.account.is_some(), now),
        ];
        for (name, has, must) in members {
            if has != must {
                let word = if must { "lacks" } else { "has no" };
                return Err(format!("the schema {schema} {word} `{name}`"));
            }
        }
        if receipt.inclusion_proof.is_some() && !now {
            return Err(format!("the schema {schema} has no `inclusion_proof`"));
        }
        if let Some(evidence) = &receipt.evidence {
            evidence.is_whole(now).map_err(|what| format!("the schema {schema} {what}"))?;
        }
        if let Some(fault) = receipt.account.as_ref().and_then(Account::fault) {
            return Err(fault);
        }
        if receipt.claim_ceiling != CEILING {
            return Err("`claim_ceiling` is not the three claims of the schema".into());
        }
        if receipt.reasoning_custody.raw_reasoning_exported {
            return Err("`raw_reasoning_exported` is true: a receipt has no thought's text".into());
        }
        Ok(receipt)
    }

    /// The ids of the sub-agents' sessions that have a file among its sources.
    pub fn sub_agents(&self) -> impl Iterator<Item = &str> {
        let sources = self.evidence.iter().flat_map(|evidence| &evidence.sources);
        sources.filter_map(|source| source.sub_agent.as_deref())
    }

    /// The number with which the receipt contradicts itself: the account has another one.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        let account = self.account.as_ref()?;
        let (tools, border) = (&self.tool_lineage, &self.side_effect_boundary);
        let pairs = [
            ("tool_call_count", &tools.tool_call_count, &account.tool_calls),
            ("tool_result_count", &tools.tool_result_count, &account.tool_results),
            ("approval_required_count", &border.approval_required_count, &account.approvals_asked),
            ("approval_allowed_count", &border.approval_allowed_count, &account.approvals_allowed),
            ("approval_denied_count", &border.approval_denied_count, &account.approvals_denied),
            (
                "command_execution_count",
                &border.command_execution_count,
                &account.commands_executed,
            ),
            ("file_change_count", &border.file_change_count, &account.files_changed),
            ("sandbox_denied_count", &border.sandbox_denied_count, &account.sandbox_denied),
        ];
        let wrong = pairs.into_iter().find(|(_, number, counted)| **number != counted.count);
        let name = wrong.map(|(name, ..)| name).or_else(|| self.other_sum().then_some("usage"))?;
        Some(format!("`{name}` is not what `account` has"))
    }

    /// Whether the two parts of the tokens are there, and another sum is beside them.
    fn other_sum(&self) -> bool {
        let usage = self.usage_evidence.usage.as_ref();
        let sum = self.account.as_ref().map(|account| &account.tokens.count);
        let (Some(usage), Some(sum)) = (usage, sum) else { return false };
        match (&usage.prompt_tokens, &usage.completion_tokens) {
            (Available::Value(prompt), Available::Value(completion)) => {
                *sum != Available::Value(prompt.saturating_add(*completion))
            }
            _ => false,
        }
    }
}
