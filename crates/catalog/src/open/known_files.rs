//! Files that need not be opened, since what they are is known.

use std::path::Path;

use crate::open::source::Claimed;

/// The claims to files that have not changed since they were known.
#[derive(Default)]
pub(crate) struct KnownClaims(pub(crate) Option<KnownClaim>);

/// The claim to a file that is known.
pub type KnownClaim = Box<dyn Fn(&Path) -> Option<Claimed> + Send + Sync>;

impl std::fmt::Debug for KnownClaims {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("KnownClaims").field(&self.0.is_some()).finish()
    }
}
