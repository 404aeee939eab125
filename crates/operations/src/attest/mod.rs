//! Keys, signing and verifying as operations: what the commands and other programs call.
//!
//! A verdict never says one word: each line is `shown`, `not shown` or `FAILED`, and why. Nothing
//! here prints, and randomness and time are arguments.

#![forbid(unsafe_code)]

mod agent;
mod beside;
mod content;
mod error;
mod keys;
mod named;
mod receipts;
mod report;
mod rights;
mod schema;
mod signer;
mod signing;
mod sub_agents;
mod trust;
mod verify;

pub use beside::{companion, signature_of};
pub use content::{Signable, SignedKind};
pub use error::Error;
pub use keys::{DamagedKey, Keys, OwnKey, OwnKeys};
pub use receipts::{
    CheckedReceipt, ReceiptSource, StoreReceiptError, check_receipts, store_receipt,
};
pub use report::{Check, SignedClaims, VerifyReport, VerifyResult, VerifyVerdict};
pub use signer::Signer;
pub use signing::{SignTask, Signed, WrittenSignature, sign};
pub use sub_agents::{sub_agents, sub_agents_by};
pub use trust::{KeyStanding, KnownKey};
pub use verify::{GivenSignature, VerifyTask, verify};
