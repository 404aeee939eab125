//! The standing of the turn of a receipt, and the places at which two receipts differ.

use serde_json::Value;

use crate::document::Receipt;

/// The standing of the turn of a receipt in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnStanding {
    /// The source has the turn, and gives the same receipt of it.
    Unchanged {
        /// The part that was not compared, in whole words, if there is one.
        but: Option<&'static str>,
        /// Whether it was taken back since: its branch is not the live one.
        rewound: bool,
    },
    /// The source has the turn, and gives another receipt: the places that differ, as JSON pointers
    /// (RFC 6901).
    Changed(Vec<String>),
    /// The source has no such turn.
    Gone,
}

/// A receipt as a value.
pub(crate) fn value(receipt: &Receipt) -> Value {
    serde_json::to_value(receipt).unwrap_or_default()
}

/// The places at which two values differ, as JSON pointers (RFC 6901).
#[must_use]
pub(crate) fn differences(one: &Value, other: &Value) -> Vec<String> {
    let mut places = Vec::new();
    compare(one, other, String::new(), &mut places);
    places
}

fn compare(one: &Value, other: &Value, at: String, places: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(left), Value::Object(right)) => {
            for (name, value) in left {
                let at = format!("{at}/{name}");
                match right.get(name) {
                    Some(other) => compare(value, other, at, places),
                    None => places.push(at),
                }
            }
            let more = right.keys().filter(|name| !left.contains_key(*name));
            places.extend(more.map(|name| format!("{at}/{name}")));
        }
        (one, other) if one != other => places.push(at),
        _ => {}
    }
}
