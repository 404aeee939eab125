//! The account of a turn: each number with the records that it counts.

use serde::{Deserialize, Serialize};

use crate::available::Available;

/// The numbers of a turn, each with the records that it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Calls of tools.
    pub tool_calls: Counted,
    /// Their results.
    pub tool_results: Counted,
    /// The sum of all tokens, with the records whose counters it adds.
    pub tokens: Counted,
    /// Commands that ran, well or not.
    pub commands_executed: Counted,
    /// Calls that changed files.
    pub files_changed: Counted,
    /// Calls that fetched from the web, or searched it.
    pub network_used: Counted,
    /// Calls of tools of servers (Model Context Protocol).
    pub server_tools_called: Counted,
    /// Requests for approval.
    pub approvals_asked: Counted,
    /// Allowed ones.
    pub approvals_allowed: Counted,
    /// Denied ones.
    pub approvals_denied: Counted,
    /// Actions that the sandbox stopped.
    pub sandbox_denied: Counted,
    /// Calls that asked to leave the sandbox.
    pub escalations_wished: Counted,
    /// Calls that a person or a rule refused: they did not run.
    pub calls_refused: Counted,
    /// Calls that failed, or whose command ended with an error.
    pub calls_failed: Counted,
}

/// A number, and the records that it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// The number.
    pub count: Available<u64>,
    /// Of 0: the type of a record in the source that would have said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_by: Option<String>,
    /// Why the number is not available. The records are then those that are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The records.
    pub records: Vec<CountedRecord>,
}

/// A record that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountedRecord {
    /// The index of its file in `evidence.sources`.
    pub source: u64,
    /// Its first byte, from 0.
    pub start: u64,
    /// The byte behind its last one.
    pub end: u64,
    /// The place of the record that says how it ended, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RecordPlace>,
    /// The thing that it was done within, if it is not the agent's own call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
}

/// The place of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordPlace {
    /// The index of its file in `evidence.sources`.
    pub source: u64,
    /// Its first byte, from 0.
    pub start: u64,
    /// The byte behind its last one.
    pub end: u64,
}

/// A thing that an act was done within.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Within {
    /// A sub-agent's conversation.
    SubAgent,
    /// A script that the agent ran, and that called tools.
    Script,
}

impl Account {
    /// The numbers by their names.
    #[must_use]
    pub const fn all(&self) -> [(&'static str, &Counted); 14] {
        [
            ("tool_calls", &self.tool_calls),
            ("tool_results", &self.tool_results),
            ("tokens", &self.tokens),
            ("commands_executed", &self.commands_executed),
            ("files_changed", &self.files_changed),
            ("network_used", &self.network_used),
            ("server_tools_called", &self.server_tools_called),
            ("approvals_asked", &self.approvals_asked),
            ("approvals_allowed", &self.approvals_allowed),
            ("approvals_denied", &self.approvals_denied),
            ("sandbox_denied", &self.sandbox_denied),
            ("escalations_wished", &self.escalations_wished),
            ("calls_refused", &self.calls_refused),
            ("calls_failed", &self.calls_failed),
        ]
    }

    /// Why it contradicts itself: a number that is not that of its records, a zero without the
    /// record that shows it, a missing number without its reason.
    pub(crate) fn fault(&self) -> Option<String> {
        self.all().into_iter().find_map(|(name, counted)| {
            let fault = counted.fault(name == "tokens")?;
            Some(format!("`account.{name}` {fault}"))
        })
    }
}

impl Counted {
    fn fault(&self, sum: bool) -> Option<&'static str> {
        let records = self.records.len() as u64;
        match self.count {
            Available::No if self.reason.is_none() => Some("is not available, without a reason"),
            Available::No if self.zero_by.is_some() => Some("has `zero_by`, and is no zero"),
            Available::No => None,
            Available::Value(_) if self.reason.is_some() => {
                Some("has a reason for its absence, and is there")
            }
            Available::Value(0) if !sum && self.zero_by.is_none() => {
                Some("is 0, without the record that would have said otherwise")
            }
            Available::Value(count) if count > 0 && self.zero_by.is_some() => {
                Some("has `zero_by`, and is no zero")
            }
            Available::Value(count) if !sum && count != records => {
                Some("is not the number of its records")
            }
            _ => None,
        }
    }
}
