//! Receipts of turns as operations: made from a store, and checked beside what their source has
//! now. The receipts of one session cost one reading of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalog::Catalog;
use formats::turns::StoreFault;
use receipt::{Available, Receipt, SessionTurns, TurnStanding};
use serde::Serialize;

use super::report::{Check, VerifyVerdict};
use super::sub_agents::sub_agents;
use crate::turn_store::ThreadStore;

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
    /// Whether it meets its schema, and does not contradict itself.
    pub valid: bool,
    /// Why it does not.
    pub error: Option<String>,
    /// The answer of its source.
    pub source: ReceiptSource,
    /// Why the source can't be read, or what was not compared.
    pub note: Option<String>,
    /// The places that differ, as JSON pointers (RFC 6901).
    pub differences: Vec<String>,
    /// The program that made it: it is reported, and never compared.
    pub reader: Option<String>,
    /// The verdict on the proof in it, if it has one: that the turn belongs to a signed record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Check>,
}

/// The answer of a source about the turn of a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReceiptSource {
    /// The turn is unchanged.
    Same,
    /// The turn changed.
    Different,
    /// The source has no such turn.
    Gone,
    /// No session has the id.
    Absent,
    /// The session can't be read, or several have the id.
    Unreadable,
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

/// Checks receipts by their schemas, and beside what their sources have now, where these are at
/// hand. `session` names the source, if it is not found by its id. Each session is read once.
#[must_use]
pub fn check_receipts(
    texts: &[&[u8]],
    session: Option<&Path>,
    within: &[PathBuf],
    catalog: &Catalog<'_>,
) -> Vec<CheckedReceipt> {
    let mut checked: Vec<CheckedReceipt> = Vec::new();
    // By source: whether it is a store, and the session or thread.
    let mut groups: BTreeMap<(bool, String), Vec<(usize, Receipt)>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        match Receipt::read(text) {
            Ok(receipt) => {
                checked.push(CheckedReceipt::read(&receipt));
                let source = (receipt.evidence.is_none(), receipt.thread.id.clone());
                groups.entry(source).or_default().push((at, receipt));
            }
            Err(error) => checked.push(CheckedReceipt::refused(error)),
        }
    }
    for ((of_store, thread), receipts) in groups {
        let found = match of_store {
            true => of_store_now(&thread, &receipts, within, catalog),
            false => {
                of_session_now(session.unwrap_or(Path::new(&thread)), &receipts, within, catalog)
            }
        };
        for ((at, _), found) in receipts.iter().zip(found) {
            if let Some(one) = checked.get_mut(*at) {
                one.put(found);
            }
        }
    }
    checked
}

/// The note on a turn that was taken back since.
const REWOUND: &str = "the turn was rewound: its branch is not the live one now";

/// The answer of a source, with what belongs to it.
struct Found {
    source: ReceiptSource,
    note: Option<String>,
    differences: Vec<String>,
}

impl Found {
    const fn of(source: ReceiptSource, note: Option<String>) -> Self {
        Self { source, note, differences: Vec::new() }
    }

    fn error(error: &catalog::Error) -> Self {
        match error {
            catalog::Error::NoSuch { unread, .. } if unread.is_empty() => {
                Self::of(ReceiptSource::Absent, None)
            }
            catalog::Error::OnlyPrompts { .. } => Self::of(ReceiptSource::Absent, None),
            _ => Self::of(ReceiptSource::Unreadable, Some(error.to_string())),
        }
    }

    fn changed(differences: Vec<String>) -> Self {
        let source = match differences.is_empty() {
            true => ReceiptSource::Same,
            false => ReceiptSource::Different,
        };
        Self { source, note: None, differences }
    }
}

impl From<TurnStanding> for Found {
    fn from(standing: TurnStanding) -> Self {
        match standing {
            TurnStanding::Gone => Self::of(ReceiptSource::Gone, None),
            TurnStanding::Changed(differences) => Self::changed(differences),
            TurnStanding::Unchanged { but, rewound } => {
                let notes: Vec<&str> = rewound.then_some(REWOUND).into_iter().chain(but).collect();
                Self::of(ReceiptSource::Same, (!notes.is_empty()).then(|| notes.join("; ")))
            }
        }
    }
}

/// The answers of a session about its receipts.
fn of_session_now(
    session: &Path,
    receipts: &[(usize, Receipt)],
    within: &[PathBuf],
    catalog: &Catalog<'_>,
) -> Vec<Found> {
    match catalog.open(session, within) {
        Err(error) => receipts.iter().map(|_| Found::error(&error)).collect(),
        Ok(opened) => {
            // Only receipts that have sub-agents' files are compared with these.
            let joins = receipts.iter().any(|(_, one)| one.sub_agents().next().is_some());
            let found = if joins { sub_agents(&opened, within, catalog) } else { Vec::new() };
            let turns = SessionTurns::with_sub_agents(opened.session(), &found);
            let is_missing = |id: &&str| !found.iter().any(|session| session.id == *id);
            let uid = opened.session().uid();
            let of = |(_, receipt): &(usize, Receipt)| match receipt.thread.id == uid {
                true => match (
                    Found::from(turns.standing(receipt)),
                    receipt.sub_agents().find(is_missing),
                ) {
                    (found, Some(id)) if found.source == ReceiptSource::Different => Found {
                        note: Some(format!("the session of the sub-agent {id} is not at hand")),
                        ..found
                    },
                    (found, _) => found,
                },
                false => Found::changed(vec!["/thread/id".into()]),
            };
            receipts.iter().map(of).collect()
        }
    }
}

/// The answers of a store about the receipts of a thread.
fn of_store_now(
    thread: &str,
    receipts: &[(usize, Receipt)],
    within: &[PathBuf],
    catalog: &Catalog<'_>,
) -> Vec<Found> {
    let store = match ThreadStore::open(catalog, thread, within) {
        Ok(store) => store,
        Err(error) => return receipts.iter().map(|_| Found::error(&error)).collect(),
    };
    let of = |(_, receipt): &(usize, Receipt)| {
        let Available::Value(turn) = &receipt.turn.id else {
            return Found::of(ReceiptSource::Gone, None);
        };
        match store.turn(turn) {
            Err(error) => Found::error(&error),
            Ok(stored) => match stored.facts {
                Err(StoreFault::Unknown) => Found::of(ReceiptSource::Gone, None),
                Err(fault) => Found::of(ReceiptSource::Unreadable, Some(fault.to_string())),
                Ok(facts) => {
                    let now = Receipt::of(stored.schema, &facts, None);
                    Found::changed(receipt::store_differences(receipt, &now, facts.asked))
                }
            },
        }
    };
    receipts.iter().map(of).collect()
}

impl CheckedReceipt {
    /// A receipt that can't be read.
    fn refused(error: String) -> Self {
        Self {
            thread: None,
            turn: None,
            valid: false,
            error: Some(error),
            source: ReceiptSource::Absent,
            note: None,
            differences: Vec::new(),
            reader: None,
            proof: None,
        }
    }

    /// A receipt that was read, before its source is read.
    fn read(receipt: &Receipt) -> Self {
        let id = match &receipt.turn.id {
            Available::Value(id) => Some(id.clone()),
            Available::No => receipt.evidence.as_ref().map(|it| it.turn_number.to_string()),
        };
        let reader = receipt.evidence.as_ref().map(|evidence| &evidence.reader);
        let error = receipt.contradiction();
        Self {
            thread: Some(receipt.thread.id.clone()),
            turn: id,
            valid: error.is_none(),
            error,
            source: ReceiptSource::Absent,
            note: None,
            differences: Vec::new(),
            reader: reader.map(|reader| format!("{} {}", reader.name, reader.version)),
            proof: None,
        }
    }

    /// The result for a receipt of a session, beside the session.
    #[must_use]
    pub fn beside(receipt: &Receipt, turns: &SessionTurns<'_>) -> Self {
        let mut checked = Self::read(receipt);
        checked.put(turns.standing(receipt).into());
        checked
    }

    fn put(&mut self, found: Found) {
        (self.source, self.note, self.differences) = (found.source, found.note, found.differences);
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let failed = |proof: &Check| proof.verdict == VerifyVerdict::Failed;
        self.valid
            && matches!(self.source, ReceiptSource::Same | ReceiptSource::Absent)
            && !self.proof.as_ref().is_some_and(failed)
    }
}
