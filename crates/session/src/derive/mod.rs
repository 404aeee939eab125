//! Derived views: everything here is a pure function of a session, or of its bytes.

pub(crate) mod address;
pub(crate) mod calls;
pub mod conversation;
pub mod edit;
pub mod secret;
pub mod told;
pub mod turn;
pub mod usage;
