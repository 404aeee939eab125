//! Signatures of bytes: COSE_Sign1 (RFC 9052) made, read strictly and verified, and the keys.
//!
//! A signature shows that the holder of a key signed exactly these bytes. It shows neither that
//! they are true, nor complete, nor when they were signed. Randomness and time are arguments.
//!
//! An envelope is read strictly. What the decoder leaves open is closed in `strict.rs` and
//! `header.rs`: definite lengths, shortest heads, each name once, `null` alone for a detached
//! content, no label in both headers, the algorithm protected and bound to the type of the key,
//! only critical headers that are understood. New envelopes name the algorithms -8 or -7, which
//! every library knows; -19 and -9 are read too. Ed25519 is verified by the strict rule: keys and
//! points of small order are refused.
//!
//! What a signature is of may be the root of a tree (`tree.rs`, RFC 9162): then any part of what
//! the tree has can be shown by itself. `commitment.rs` says what a leaf is, `merkle_proof.rs`
//! verifies, `log_receipt.rs` and `checkpoint.rs` are the two forms in which a log signs its root.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod agent;
mod algorithm;
mod canonical;
mod checkpoint;
mod commitment;
mod envelope;
mod header;
mod key;
mod log_receipt;
mod merkle_proof;
mod note;
mod number;
mod secret;
mod strict;
mod tree;
mod written;

pub use algorithm::{Algorithm, KeyType};
pub use canonical::{Uncanonical, canonical};
pub use checkpoint::{Checkpoint, EntryProof};
pub use commitment::{RecordSecret, Salt, commitment};
pub use envelope::{Envelope, Verified, signature_head, signature_input};
pub use header::{Claims, ContentType, Header, Unprotected};
pub use key::{KeyFault, PublicKey};
pub use log_receipt::{LogProof, LogReceipt, ReceiptFault};
pub use merkle_proof::{ProofFault, TreePart, consistency_root, inclusion_root, root_of_parts};
pub use note::{Note, NoteFault, NoteKey, NoteKind, NoteSignature, NoteSigner};
pub use secret::{SecretFault, SecretKey};
pub use strict::EnvelopeFault;
pub use tree::{Hash, Tree, empty_root, hash_of_hex, hex, leaf_hash, node_hash};
