//! Session files of coding agents as data: detection of the agent that wrote a file, and reading
//! without the loss of a byte. A facade: it opens no file and contains no rules of its own.
//!
//! ```
//! use verbatim_sessions::{SessionTalk, read};
//!
//! let file = concat!(
//!     r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","isSidechain":false,"#,
//!     r#""timestamp":"2026-03-02T09:00:00.000Z","version":"2.1.0","cwd":"/home/ana/shop","#,
//!     r#""message":{"role":"user","content":"Add a test."}}"#,
//!     "\n",
//! );
//! let sessions = read("s1.jsonl", file.into())?;
//! let session = &sessions[0];
//! assert_eq!(session.format, "claude-code");
//! let prompt = session.prompts().next().expect("a prompt");
//! assert_eq!((prompt.turn, &*prompt.text), (1, "Add a test."));
//! assert!(prompt.time.is_some() && session.calls().next().is_none());
//! // Every byte that the agent wrote is still there, and every field knows its own.
//! assert_eq!(session.bundle.bytes(0), file.as_bytes());
//! # Ok::<(), verbatim_sessions::Error>(())
//! ```
//!
//! The formats know how agents differ. [`SessionTalk`] has the prompts and the calls as
//! values. What people read is a [`Transcript`]: prompts, answers, thoughts, and calls with their
//! results, in the order of the source. Below them are [`Session::events`] (all events in source
//! order), an event's [`Kind`] and [`Standing`] (is it part of the conversation that the agent
//! would resume), what it is of the conversation ([`conversation::of`]: a [`Kind::User`] may carry
//! results of tools alone), and its values by [`Slot`]. An event's [`EventAddress`] finds it again
//! in a later reading.
//!
//! A session in several files, a database, or a compressed file is found and unpacked by the crate
//! `verbatim-catalog`. It needs a file system and SQLite; this one
//! needs neither, starts no thread and sets no signal.

#![forbid(unsafe_code)]

mod talk;

use std::sync::Arc;

pub use formats::{
    ALL, Candidate, Detected, Format, Options, Role, WriteError, Written, by_name, write_with,
};
pub use meaning::account::{Cause, Fate, LedgerRow};
pub use meaning::{Calls, conversation, facts, turn, usage};
pub use session::{
    Bundle, Event, EventAddress, EventIx, EventRef, Field, Kind, Member, Note, Outcome, Record,
    Session, Slot, Span, Standing, Stream, Transport, UtcTime, proof,
};
pub use talk::{CallResult, MadeCall, SaidPrompt, SessionTalk};
pub use views::transcript::{self, SessionText, TalkSection, Transcript};

/// The reasons for which bytes are not read as a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No format knows them.
    #[error("{name}: unrecognized; no agent that is supported wrote it")]
    Unknown {
        /// The name that the caller gave.
        name: String,
    },
    /// An agent wrote them whose sessions no format reads.
    #[error("{name}: written by {agent}, which is not supported")]
    Foreign {
        /// The name that the caller gave.
        name: String,
        /// The agent.
        agent: &'static str,
    },
    /// A file of a known agent that is not a session.
    #[error("{name}: no session of {format}: {why}")]
    NoSession {
        /// The name that the caller gave.
        name: String,
        /// The format, by its name in the registry.
        format: &'static str,
        /// The reason, in words for people.
        why: &'static str,
    },
    /// A compressed file, or a record in CBOR.
    #[error("{name}: compressed, or CBOR; unpack it first, or use the crate verbatim-catalog")]
    Packed {
        /// The name that the caller gave.
        name: String,
    },
    /// More bytes than one file of a session may have.
    #[error("{name}: longer than {} bytes", session::MEMBER_LIMIT)]
    TooLong {
        /// The name that the caller gave.
        name: String,
    },
}

/// Detects the agent that wrote a file. `name` is the file's path as far as it is known (`/`
/// between parts), `bytes` its whole content. Only the first and the last 64 KiB are looked at.
#[must_use]
pub fn detect(name: &str, bytes: &[u8]) -> Detected {
    formats::detect(ALL, None, &Candidate::of(name, bytes))
}

/// Reads the sessions of one file: mostly one, several if the agent keeps several in a file.
/// Damaged lines are kept and noted ([`Session::notes`]), and are no error.
///
/// # Errors
/// If the bytes are not the text of a session; see [`Error`].
pub fn read(name: &str, bytes: Vec<u8>) -> Result<Vec<Session>, Error> {
    let name = || name.to_owned();
    if is_packed(&bytes) {
        return Err(Error::Packed { name: name() });
    }
    let (format, role) = match detect(&name(), &bytes) {
        Detected::Part { format, role, .. } => (format, role),
        Detected::NoSession(format, why) => {
            return Err(Error::NoSession { name: name(), format: format.name(), why });
        }
        Detected::Foreign(agent) => return Err(Error::Foreign { name: name(), agent }),
        Detected::Unknown => return Err(Error::Unknown { name: name() }),
    };
    let member = Member::new(name(), role.stream(), bytes);
    let member = format.decode(member.ok_or_else(|| Error::TooLong { name: name() })?);
    Ok(format.read(Arc::new(Bundle::of(member))))
}

/// The magic number of Zstandard frames (RFC 8878, section 3.1.1).
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(ZSTD) || formats::vac::is_cbor(bytes)
}
