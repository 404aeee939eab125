//! The canonical keys of an entry, with their slots and permitted values
//! (`agent-conversation.cddl`, section "entry").

use session::{Kind, Slot};

use crate::documents::shared::is_uint;
use crate::documents::shared::moment::is_timestamp;

/// A canonical key, in the order of an entry. The counters are members of `token-usage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Key {
    EventType,
    Timestamp,
    Id,
    ParentId,
    CallId,
    Name,
    ModelId,
    Subject,
    Content,
    Input,
    Output,
    Status,
    IsError,
    Encrypted,
    Metadata,
    TokenUsage,
    CountInput,
    CountOutput,
    CountCached,
    CountReasoning,
    CountTotal,
    CountCost,
}

/// Number of canonical keys.
pub(super) const KEYS: usize = 22;

use Key as K;

impl Key {
    /// The keys of an entry itself, in order.
    pub(super) const ENTRY: [Self; 16] = [
        K::EventType,
        K::Timestamp,
        K::Id,
        K::ParentId,
        K::CallId,
        K::Name,
        K::ModelId,
        K::Subject,
        K::Content,
        K::Input,
        K::Output,
        K::Status,
        K::IsError,
        K::Encrypted,
        K::Metadata,
        K::TokenUsage,
    ];

    /// The keys of its `token-usage`, in order, with their slots.
    pub(super) const COUNTERS: [(Self, Slot); 6] = [
        (K::CountInput, Slot::TokensIn),
        (K::CountOutput, Slot::TokensOut),
        (K::CountCached, Slot::CacheRead),
        (K::CountReasoning, Slot::TokensReasoning),
        (K::CountTotal, Slot::TokensTotal),
        (K::CountCost, Slot::Cost),
    ];

    /// The key as written.
    pub(super) const fn word(self) -> &'static str {
        match self {
            K::EventType => "event-type",
            K::Timestamp => "timestamp",
            K::Id => "id",
            K::ParentId => "parent-id",
            K::CallId => "call-id",
            K::Name => "name",
            K::ModelId => "model-id",
            K::Subject => "subject",
            K::Content => "content",
            K::Input | K::CountInput => "input",
            K::Output | K::CountOutput => "output",
            K::Status => "status",
            K::IsError => "is-error",
            K::Encrypted => "encrypted",
            K::Metadata => "metadata",
            K::TokenUsage => "token-usage",
            K::CountCached => "cached",
            K::CountReasoning => "reasoning",
            K::CountTotal => "total",
            K::CountCost => "cost",
        }
    }

    /// The key in a table of paths: its place in the entry.
    pub(super) const fn place(self) -> &'static str {
        match self {
            K::CountInput => "token-usage/input",
            K::CountOutput => "token-usage/output",
            K::CountCached => "token-usage/cached",
            K::CountReasoning => "token-usage/reasoning",
            K::CountTotal => "token-usage/total",
            K::CountCost => "token-usage/cost",
            _ => self.word(),
        }
    }

    /// The key of a slot in entries of a kind.
    pub(super) const fn of(slot: Slot, kind: Kind) -> Option<Self> {
        match (slot, kind) {
            (Slot::Time, _) => Some(K::Timestamp),
            (Slot::Id, _) => Some(K::Id),
            (Slot::Parent, _) => Some(K::ParentId),
            (Slot::Model, _) => Some(K::ModelId),
            (Slot::Content, Kind::ToolCall | Kind::ToolResult) => None,
            (Slot::Content, _) => Some(K::Content),
            (Slot::Encrypted, Kind::Reasoning) => Some(K::Encrypted),
            (Slot::Subject, Kind::Reasoning) => Some(K::Subject),
            (Slot::Call, Kind::ToolCall | Kind::ToolResult) => Some(K::CallId),
            (Slot::Name, Kind::ToolCall) => Some(K::Name),
            (Slot::Name, Kind::Notice) => Some(K::EventType),
            (Slot::Input, Kind::ToolCall) => Some(K::Input),
            (Slot::Output, Kind::ToolResult) => Some(K::Output),
            (Slot::Status, Kind::ToolResult) => Some(K::Status),
            (Slot::IsError, Kind::ToolResult) => Some(K::IsError),
            (Slot::Detail, Kind::ToolCall | Kind::ToolResult) => Some(K::Metadata),
            _ => None,
        }
    }

    /// Whether the key may have this value unchanged.
    pub(super) fn takes(self, raw: &[u8]) -> bool {
        match self {
            K::Timestamp => is_timestamp(raw),
            K::Content | K::Input | K::Output | K::Metadata | K::TokenUsage => true,
            K::IsError => matches!(raw, b"true" | b"false"),
            K::CountCost => is_number(raw),
            _ if Self::COUNTERS.iter().any(|(key, _)| *key == self) => is_uint(raw),
            _ => raw.first() == Some(&b'"'),
        }
    }
}

/// The type of an entry of this kind.
pub(super) const fn type_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Notice | Kind::Opaque => "system-event",
        kind => kind.word(),
    }
}

/// Whether a native key can't be flattened in an entry of this kind: the name is canonical there,
/// or `verbatim`.
pub(super) fn is_reserved(key: &str, raw: &[u8], kind: Kind) -> bool {
    match key {
        "type" | "timestamp" | "id" | "parent-id" | "model-id" | "token-usage" | "children"
        | "verbatim" => true,
        "content" => !matches!(kind, Kind::ToolCall | Kind::ToolResult),
        "encrypted" | "subject" => kind == Kind::Reasoning,
        "call-id" | "metadata" => matches!(kind, Kind::ToolCall | Kind::ToolResult),
        "name" | "input" => kind == Kind::ToolCall,
        "output" | "status" | "is-error" => kind == Kind::ToolResult,
        "event-type" => matches!(kind, Kind::Notice | Kind::Opaque),
        // The schema requires a map there.
        "data" => matches!(kind, Kind::Notice | Kind::Opaque) && raw.first() != Some(&b'{'),
        _ => false,
    }
}

/// `number`, in JSON and in CBOR: a whole number of 64 bits, or a decimal that is the shortest for
/// some binary64. Any other number becomes a decimal fraction or a bignum, which are not `number`.
fn is_number(raw: &[u8]) -> bool {
    let number = matches!(raw.first(), Some(b'-' | b'0'..=b'9'));
    let Some(text) = std::str::from_utf8(raw).ok().filter(|_| number) else { return false };
    if !text.contains(['.', 'e', 'E']) {
        return text.strip_prefix('-').unwrap_or(text).parse::<u64>().is_ok();
    }
    let finite = text.parse().ok().filter(|float: &f64| float.is_finite());
    finite.is_some_and(|float| decimal(text) == decimal(&format!("{float:e}")))
}

/// The digits of a JSON number without leading and trailing zeros, and the power of ten of the last
/// digit; `None` if that power is too large. Zero has no digits.
fn decimal(text: &str) -> Option<(String, i64)> {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole.trim_start_matches('-'), fraction].concat();
    let kept = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - kept.len()).ok()?;
    let digits = kept.trim_start_matches('0').to_owned();
    if digits.is_empty() {
        return Some((digits, 0));
    }
    let places = i64::try_from(fraction.len()).ok()?;
    let last = power.parse::<i64>().ok()?.checked_add(zeros)?.checked_sub(places)?;
    Some((digits, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_whole_and_not_negative() {
        let takes = |raw: &str| Key::CountInput.takes(raw.as_bytes());
        assert!(takes("0") && takes("18446744073709551615"));
        assert!(!takes("-1") && !takes("1.0") && !takes("18446744073709551616") && !takes("\"1\""));
        let cost = |raw: &str| Key::CountCost.takes(raw.as_bytes());
        assert!(cost("0.25") && cost("1e-7") && cost("-0"));
        assert!(!cost("1e999") && !cost("null") && !cost("\"0.25\""));
        assert!(cost("0.1") && cost("1.50") && cost("12E+2") && cost("0.0") && cost("5e-324"));
        assert!(cost("18446744073709551615") && cost("-18446744073709551615") && cost("1e300"));
        assert!(!cost("0.12345678901234567890") && !cost("18446744073709551616"));
        assert!(!cost("1.00000000000000001") && !cost("1e-400") && !cost("1e99999999999999999999"));
    }
}
