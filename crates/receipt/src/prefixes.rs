//! Digests of the beginnings of files: those of one file after each other cost one reading of it.

use std::collections::HashMap;
use std::fmt;

use sha2::{Digest, Sha256};

/// For each member, how far it is read, and the state of the digest there.
#[derive(Clone, Default)]
pub(crate) struct Prefixes(HashMap<u32, (usize, Sha256)>);

impl fmt::Debug for Prefixes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prefixes").field(&self.0.len()).finish()
    }
}

impl Prefixes {
    /// The digest of the first bytes of a member.
    pub(crate) fn digest(&mut self, member: u32, bytes: &[u8], length: usize) -> String {
        let length = length.min(bytes.len());
        let state = self.0.entry(member).or_default();
        if state.0 > length {
            *state = (0, Sha256::new());
        }
        state.1.update(&bytes[state.0..length]);
        state.0 = length;
        formats::digest::hex(&state.1.clone().finalize())
    }
}
