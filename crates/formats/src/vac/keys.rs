//! The canonical keys of an entry, which meaning each carries, and which values it may have
//! (`agent-conversation.cddl`, section "entry").

use session::{Kind, Slot};

/// A canonical key. The order is the order in which an entry has them; the counters are members
/// of `token-usage`.
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

/// How many there are.
pub(super) const KEYS: usize = 22;

use Key as K;

impl Key {
    /// Those that stand in an entry itself, in order.
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

    /// Those that stand in its `token-usage`, in order, and the meaning of each.
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

    /// The key as a table of paths names it: where it stands in the entry.
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

    /// The key that carries a meaning in entries of a kind.
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

    /// May the key have this value as it stands?
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

/// The word for a kind of entry.
pub(super) const fn type_word(kind: Kind) -> &'static str {
    match kind {
        Kind::User => "user",
        Kind::Assistant => "assistant",
        Kind::Reasoning => "reasoning",
        Kind::ToolCall => "tool-call",
        Kind::ToolResult => "tool-result",
        Kind::Notice | Kind::Opaque => "system-event",
    }
}

/// True where a native key can't stand flat in an entry of this kind: the name is canonical there,
/// or ours.
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
        // The schema wants a map there.
        "data" => matches!(kind, Kind::Notice | Kind::Opaque) && raw.first() != Some(&b'{'),
        _ => false,
    }
}

/// `uint` of RFC 8610, as far as 64 bits go.
pub(super) fn is_uint(raw: &[u8]) -> bool {
    std::str::from_utf8(raw).is_ok_and(|text| !text.starts_with('+') && text.parse::<u64>().is_ok())
}

/// `number`: any within the range of a binary64.
fn is_number(raw: &[u8]) -> bool {
    let number = matches!(raw.first(), Some(b'-' | b'0'..=b'9'));
    let text = std::str::from_utf8(raw).ok().filter(|_| number);
    text.and_then(|text| text.parse().ok()).is_some_and(f64::is_finite)
}

/// `abstract-timestamp`: RFC 3339, or epoch milliseconds. A number too small (seconds) or too
/// large (microseconds) for our centuries is none of them.
fn is_timestamp(raw: &[u8]) -> bool {
    match raw {
        [b'"', text @ .., b'"'] => is_rfc3339(text),
        _ => is_uint(raw) && (12..=14).contains(&raw.len()),
    }
}

/// `date-time-regexp` of the schema, anchored at both ends.
fn is_rfc3339(text: &[u8]) -> bool {
    let Some((head, mut tail)) = text.split_at_checked(19) else { return false };
    let number = |from: usize, to: usize| {
        let digits = &head[from..to];
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    };
    let within = |from: usize, to: usize, low: u32, high: u32| {
        number(from, to).is_some_and(|number| (low..=high).contains(&number))
    };
    let marks = head[4] == b'-' && head[7] == b'-' && head[10] == b'T';
    let date = number(0, 4).is_some() && within(5, 7, 1, 12) && within(8, 10, 1, 31);
    let time = within(11, 13, 0, 23) && within(14, 16, 0, 59) && within(17, 19, 0, 60);
    if !(marks && head[13] == b':' && head[16] == b':' && date && time) {
        return false;
    }
    if let [b'.', fraction @ ..] = tail {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        tail = &fraction[digits..];
    }
    match tail {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            let digits = [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit());
            digits && (*h1, *h2) <= (b'2', b'3') && *m1 <= b'5' && (*h1 < b'2' || *h2 <= b'3')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_schema() {
        for good in [
            "\"2026-02-28T23:59:60Z\"",
            "\"2026-02-28T00:00:00.123456789+02:00\"",
            "\"0000-01-01T00:00:00-23:59\"",
            "1790000000123",
        ] {
            assert!(Key::Timestamp.takes(good.as_bytes()), "{good}");
        }
        for bad in [
            "\"2026-02-28T23:59:60\"",
            "\"2026-02-28 23:59:59Z\"",
            "\"2026-13-28T23:59:59Z\"",
            "\"2026-02-28T23:59:59.Z\"",
            "\"2026-02-28T23:59:59+0200\"",
            "\"2026-02-28T23:59:59+24:00\"",
            "\"2026-02-28T23:59:59z\"",
            "\"2026-02-28T23:59:59Z \"",
            "1790000000",
            "1790000000.123",
            "-1790000000123",
            "null",
        ] {
            assert!(!Key::Timestamp.takes(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn counters_are_whole_and_not_negative() {
        let takes = |raw: &str| Key::CountInput.takes(raw.as_bytes());
        assert!(takes("0") && takes("18446744073709551615"));
        assert!(!takes("-1") && !takes("1.0") && !takes("18446744073709551616") && !takes("\"1\""));
        let cost = |raw: &str| Key::CountCost.takes(raw.as_bytes());
        assert!(cost("0.25") && cost("1e-7") && cost("-0"));
        assert!(!cost("1e999") && !cost("null") && !cost("\"0.25\""));
    }
}
