//! Keys, signing and verifying as operations: what the commands and other programs call.
//!
//! A verdict never says one word: each line is `shown`, `not shown` or `FAILED`, and why. Nothing
//! here prints, and randomness and time are arguments.

#![forbid(unsafe_code)]

mod agent;
mod beside;
mod content;
mod custody;
mod error;
mod keys;
mod local_log;
mod log_proof;
mod named;
mod presentation;
mod presented;
mod presented_page;
mod presenting;
mod receipts;
mod record_parts;
mod record_places;
mod record_secret;
mod report;
mod rights;
mod schema;
mod signer;
mod signing;
mod skeleton;
mod sub_agents;
mod trust;
mod turn_proof;
mod verify;

pub use beside::{companion, receipt_file, signature_of};
pub use content::{Signable, SignedKind};
pub use custody::verdict::{CustodyFault, CustodyVerdict, check_custody};
pub use custody::{CustodyTask, SignedCustody, sign_custody};
pub use error::Error;
pub use keys::{DamagedKey, Keys, OwnKey, OwnKeys};
pub use local_log::{LocalLog, LogEntry, LogState, NewEntry, file_digest};
pub use log_proof::{
    CheckedGrowth, CheckedHead, EntryReceipt, HeadVerdict, SignedHead, check_growth, check_head,
};
pub use presented::verify_presentation;
pub use presented_page::{PageOfPresentation, is_presentation, verify_page};
pub use presenting::{Presentation, SignedRecord, Withheld};
pub use receipts::{
    CheckedReceipt, ReceiptSource, StoreReceiptError, check_receipts, store_receipt,
};
pub use record_secret::{secret_file, skeleton_file};
pub use report::{Check, SignedClaims, VerifyReport, VerifyResult, VerifyVerdict};
pub use signer::Signer;
pub use signing::{SignTask, WrittenSignature, WrittenSkeleton, sign};
pub use sub_agents::{sub_agents, sub_agents_by};
pub use trust::{KeyStanding, KnownKey};
pub use turn_proof::check_turn_proof;
pub use verify::{GivenSignature, VerifyTask, verify};
