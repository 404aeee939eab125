//! Keys, signing and verifying as operations: what the commands and other programs call.
//!
//! A verdict never says one word: each line is `shown`, `not shown` or `FAILED`, and why. Nothing
//! here prints, and randomness and time are arguments.

#![forbid(unsafe_code)]

mod agent;
mod error;
mod keys;
mod report;
mod signing;
mod trust;
mod verify;

pub use error::Error;
pub use keys::{Keys, OwnKey};
pub use report::{Check, SignedClaims, Verdict, VerifyReport};
pub use signing::{Signed, Signer, companion, subject};
pub use trust::{KnownKey, Standing};
pub use verify::{VerifyTask, verify};
