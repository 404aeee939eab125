//! Receipts of turns as operations: made from a store, checked, and made again from their source.

use std::path::{Path, PathBuf};

use catalog::Catalog;
use formats::turns::StoreFault;
use receipt::{Available, Receipt, SessionTurns};
use serde::Serialize;
use serde_json::Value;

/// The reason why a store gives no receipt.
#[derive(Debug, thiserror::Error)]
pub enum StoreReceiptError {
    /// The catalog failed.
    #[error(transparent)]
    Catalog(#[from] catalog::Error),
    /// The turn has none.
    #[error(transparent)]
    Turn(StoreFault),
}

/// The result of a check of one receipt.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedReceipt {
    /// The session, or thread.
    pub thread: Option<String>,
    /// The turn's id, or its number.
    pub turn: Option<String>,
    /// Whether it meets its schema.
    pub valid: bool,
    /// Why it does not.
    pub error: Option<String>,
    /// `same`, `different` or `absent`.
    pub source: &'static str,
    /// The places that differ, as JSON pointers (RFC 6901).
    pub differences: Vec<String>,
}

/// The receipt of a turn in a store with a record of each turn.
///
/// # Errors
/// There is no such turn, or it has not ended.
pub fn store_receipt(
    thread: &str,
    turn: &str,
    within: &[PathBuf],
    catalog: &Catalog<'_>,
) -> Result<Receipt, StoreReceiptError> {
    let stored = crate::turn_store::store_turn(catalog, thread, turn, within)?;
    let facts = stored.facts.map_err(StoreReceiptError::Turn)?;
    Ok(Receipt::of(stored.schema, &facts, None))
}

impl CheckedReceipt {
    /// Checks a receipt by its schema, and against the one that is made again from its source, if
    /// that is at hand. `session` names the source, if it is not found by its id.
    #[must_use]
    pub fn of(
        text: &[u8],
        session: Option<&Path>,
        within: &[PathBuf],
        catalog: &Catalog<'_>,
    ) -> Self {
        match Receipt::read(text) {
            Ok(receipt) => {
                let again = made_again(&receipt, session, within, catalog);
                Self::beside(receipt, again.as_ref())
            }
            Err(error) => Self {
                thread: None,
                turn: None,
                valid: false,
                error: Some(error),
                source: "absent",
                differences: Vec::new(),
            },
        }
    }

    /// The result for a receipt, beside the one that was made again.
    #[must_use]
    pub fn beside(receipt: Receipt, again: Option<&Receipt>) -> Self {
        let differences = again.map(|again| differences(&receipt, again));
        let id = match &receipt.turn.id {
            Available::Value(id) => Some(id.clone()),
            Available::No => receipt.evidence.as_ref().map(|it| it.turn_number.to_string()),
        };
        Self {
            thread: Some(receipt.thread.id),
            turn: id,
            valid: true,
            error: None,
            source: match &differences {
                None => "absent",
                Some(differences) if differences.is_empty() => "same",
                Some(_) => "different",
            },
            differences: differences.unwrap_or_default(),
        }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.valid && self.source != "different"
    }
}

/// The receipt of the same turn, made again from its source; `None` if that is not at hand.
fn made_again(
    receipt: &Receipt,
    session: Option<&Path>,
    within: &[PathBuf],
    catalog: &Catalog<'_>,
) -> Option<Receipt> {
    let thread = &receipt.thread.id;
    let Some(evidence) = &receipt.evidence else {
        let Available::Value(turn) = &receipt.turn.id else { return None };
        return store_receipt(thread, turn, within, catalog).ok();
    };
    let opened = catalog.open(session.unwrap_or(Path::new(thread)), within).ok()?;
    let number = usize::try_from(evidence.turn_number).ok()?;
    SessionTurns::of(opened.session()).receipt(number, true).ok()
}

/// The places at which two receipts differ.
fn differences(one: &Receipt, other: &Receipt) -> Vec<String> {
    let mut places = Vec::new();
    let value = |receipt: &Receipt| serde_json::to_value(receipt).unwrap_or_default();
    compare(&value(one), &value(other), String::new(), &mut places);
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
