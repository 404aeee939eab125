//! The gate: what is handed out passes it, in each form of `export` and in `redact`. Each takes an
//! [`Outgoing`] session, and there are two: [`Clean`], which redaction alone makes, and
//! [`Unredacted`], which takes the flag that a user typed. `convert` and `sign` write for their own
//! user, and are no way out: a signature is of bytes as they are, so that what is handed out is
//! redacted before it is signed.
//!
//! ```compile_fail
//! use verbatim_redact as redact;
//!
//! fn leaves(_: &dyn redact::Outgoing) {}
//!
//! fn a_session_as_it_is(session: &session::Session) {
//!     leaves(session);
//! }
//! ```
//!
//! ```compile_fail
//! use verbatim_redact as redact;
//!
//! fn made_by_hand(session: &session::Session) -> redact::Clean<&session::Session> {
//!     redact::Clean(session)
//! }
//! ```
//!
//! ```compile_fail
//! use verbatim_redact as redact;
//!
//! fn without_a_flag(session: &session::Session) -> redact::Unredacted<&session::Session> {
//!     redact::Unredacted::of(session)
//! }
//! ```
//!
//! ```
//! use verbatim_redact as redact;
//!
//! fn leaves(_: &dyn redact::Outgoing) {}
//!
//! fn with_the_flag(session: &session::Session, unredacted: bool) {
//!     if let Some(flag) = redact::UnredactedFlag::typed(unredacted) {
//!         leaves(&redact::Unredacted::of(session, flag));
//!     }
//! }
//! ```

use std::ops::Deref;

use session::Session;

/// A value without anything that must not be shared. Only [`crate::Redactor::verified`] makes one,
/// and [`crate::KeptFindings::apply`] of the bytes that were verified before.
#[derive(Clone, Copy, Debug)]
pub struct Clean<T>(pub(crate) T);

impl<T> Deref for Clean<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl Clean<Vec<Session>> {
    /// No session.
    #[must_use]
    pub const fn nothing() -> Self {
        Self(Vec::new())
    }

    /// One of the sessions.
    ///
    /// # Panics
    ///
    /// There is no such session.
    #[must_use]
    pub fn one(&self, at: usize) -> Clean<&Session> {
        Clean(&self.0[at])
    }
}

/// The flag with which a user asks for a session as it is.
#[derive(Clone, Copy, Debug)]
pub struct UnredactedFlag(());

impl UnredactedFlag {
    /// The flag, if the user typed it.
    #[must_use]
    pub const fn typed(is_typed: bool) -> Option<Self> {
        if is_typed { Some(Self(())) } else { None }
    }
}

/// A value that leaves the machine as it is, secrets and all, because the user asked for that.
#[derive(Clone, Copy, Debug)]
pub struct Unredacted<T>(T);

impl<T> Unredacted<T> {
    /// The value, by the user's flag.
    #[must_use]
    pub const fn of(value: T, flag: UnredactedFlag) -> Self {
        let UnredactedFlag(()) = flag;
        Self(value)
    }
}

impl Unredacted<Box<Session>> {
    /// The session.
    #[must_use]
    pub fn as_one(&self) -> Unredacted<&Session> {
        Unredacted(&self.0)
    }
}

impl<T> Deref for Unredacted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A session that may leave the machine. No other crate can say so of a type of its own.
pub trait Outgoing: passed::Passed {
    /// The session.
    fn session(&self) -> &Session;

    /// Whether it was redacted.
    fn is_clean(&self) -> bool;
}

mod passed {
    /// The mark of what passed; out of the reach of other crates.
    pub trait Passed {}

    impl Passed for crate::gate::Clean<&session::Session> {}
    impl Passed for crate::gate::Unredacted<&session::Session> {}
}

impl Outgoing for Clean<&Session> {
    fn session(&self) -> &Session {
        self.0
    }

    fn is_clean(&self) -> bool {
        true
    }
}

impl Outgoing for Unredacted<&Session> {
    fn session(&self) -> &Session {
        self.0
    }

    fn is_clean(&self) -> bool {
        false
    }
}
