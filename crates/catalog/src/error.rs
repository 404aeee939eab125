//! Errors of the catalog: the fault, its place, and the next step.

use std::path::PathBuf;

use evidence::cbor::ConvertError;
use formats::WriteError;
use session::UtcTime;

/// One of several sessions that a name may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `<format>:<id>`.
    pub uid: String,
    /// Its title, or its first prompt.
    pub title: String,
    /// When it was last added to.
    pub updated: Option<UtcTime>,
    /// Its main file.
    pub file: Option<PathBuf>,
}

/// A folder that may be a moved one, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedFolder {
    /// Its path.
    pub path: PathBuf,
    /// The fact that it has in common with the folder that is gone, in words.
    pub why: &'static str,
}

/// Error of an operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A session can't be redacted: nothing was written.
    #[error("not redacted: {0}")]
    Redact(String),
    /// Somebody cancelled the operation, and nothing is left of it.
    #[error("it was cancelled")]
    Cancelled,
    /// No session and no file has this name.
    #[error("no session id begins with `{query}`, and no such file exists{}", left(unread))]
    NoSuch {
        /// The requested name.
        query: String,
        /// The uid of the session with the most similar id, if one is similar.
        near: Option<String>,
        /// Files that could not be read, with the reasons. The session may be in one of them.
        unread: Vec<String>,
    },
    /// The session is gone, and only prompts of it are left.
    #[error("{}", only(uid, *count, files))]
    OnlyPrompts {
        /// The uid of the session.
        uid: String,
        /// The number of its prompts.
        count: usize,
        /// The agent's lists of prompts that have them.
        files: Vec<PathBuf>,
    },
    /// Several sessions match this name.
    #[error("{}", matches(query, found.len(), *copies))]
    Ambiguous {
        /// The requested name.
        query: String,
        /// The sessions.
        found: Vec<Choice>,
        /// True if the matches have the same id, so that a longer prefix would not separate them.
        copies: bool,
    },
    /// A path that holds no session.
    #[error("{}: {why}", path.display())]
    NoSession {
        /// The path.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A path with several sessions, where one is needed.
    #[error("{} holds {} sessions: {}", path.display(), found.len(), some(found))]
    Several {
        /// The path.
        path: PathBuf,
        /// The uids of the sessions.
        found: Vec<String>,
    },
    /// No format has this name.
    #[error("unknown format `{name}`")]
    NoFormat {
        /// The name.
        name: String,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// The requested format has no CBOR form.
    #[error("`{format}` can't be written in CBOR")]
    NoCbor {
        /// Its name.
        format: String,
        /// The only format that has one.
        only: &'static str,
    },
    /// A document that can't be converted to the other encoding.
    #[error("{}: {error}", path.display())]
    Convert {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        error: ConvertError,
    },
    /// A new record that CBOR can't hold.
    #[error("the record can't be written in CBOR: {error}")]
    Pack {
        /// The reason.
        error: ConvertError,
    },
    /// No agent that continues sessions has this name.
    #[error("{what}")]
    NoAgent {
        /// The name and what it is.
        what: String,
        /// The names of the agents.
        known: Vec<&'static str>,
    },
    /// The folder in which a session is to be continued is not here.
    #[error("there is no folder {} here", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
        /// Folders that it may have been moved to.
        moved: Vec<MovedFolder>,
    },
    /// A session that can't be continued as requested.
    #[error("{what}")]
    Resume {
        /// The reason.
        what: String,
        /// The next step.
        hint: String,
    },
    /// A version of an archived session that is not there, or that a name does not tell apart.
    #[error("{what}")]
    Version {
        /// The name, and what it may mean.
        what: String,
        /// The next step.
        hint: String,
    },
    /// A session that can't be written in the target format.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Error {
    /// Advice: the next step.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoSuch { near: Some(near), .. } => {
                Some(format!("the most similar one is {near}"))
            }
            Self::NoSuch { .. } => Some("`verbatim list` shows the sessions and their ids".into()),
            Self::OnlyPrompts { uid, .. } => Some(format!(
                "`verbatim show {uid}` prints them; a backup of the agent's folder may still have \
                 the session: `verbatim list FOLDER` looks there"
            )),
            Self::Ambiguous { copies: true, .. } => {
                Some("name the file or the folder that has the one you mean: `--in PATH`".into())
            }
            Self::Ambiguous { .. } => Some("give a longer prefix of the id".into()),
            Self::Several { path, .. } => {
                Some(format!("name one of them by its id, with `--in {}`", path.display()))
            }
            Self::NoFormat { known, .. } => Some(format!("the formats are: {}", known.join(", "))),
            Self::NoSession { .. } => Some("`verbatim check` says what each file is".into()),
            Self::NoCbor { only, .. } => Some(format!("use `--to {only}`")),
            Self::Io { .. } | Self::Write(_) | Self::Convert { .. } | Self::Cancelled => None,
            Self::NoAgent { known, .. } => Some(format!("the agents are: {}", known.join(", "))),
            Self::NoFolder { moved, .. } => Some(match &**moved {
                [] => "name the folder in which to continue: `--folder FOLDER`".into(),
                found => {
                    let told = |one: &MovedFolder| {
                        format!("`--folder {}` ({})", one.path.display(), one.why)
                    };
                    let found: Vec<String> = found.iter().map(told).collect();
                    format!("it may have been moved: {}", found.join(", or "))
                }
            }),
            Self::Resume { hint, .. } | Self::Version { hint, .. } => Some(hint.clone()),
            Self::Redact(_) => Some(
                "nothing was written; replace the text at that path (`--drop PATH`), take out the \
                 outputs of tools (`--drop-outputs`), or keep the class of the value (`--keep`)"
                    .into(),
            ),
            Self::Pack { .. } => Some("leave `--cbor` out to write it as JSON".into()),
        }
    }
}

/// Of one id in several files no longer beginning tells which is meant.
fn matches(query: &str, count: usize, copies: bool) -> String {
    match copies {
        true => format!("`{query}` names {count} sessions, some of them by one id"),
        false => format!("`{query}` is the beginning of the ids of {count} sessions"),
    }
}

/// The prompts are not the session: the answers, the calls and their outputs are lost.
fn only(uid: &str, count: usize, files: &[PathBuf]) -> String {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let prompts = if count == 1 { "1 prompt is".into() } else { format!("{count} prompts are") };
    let files = files.join(" and ");
    format!("the session {uid} is gone: {prompts} all that is left of it, in {files}")
}

fn some(uids: &[String]) -> String {
    let shown: Vec<&str> = uids.iter().take(5).map(String::as_str).collect();
    let more = if uids.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The part of a message that names unreadable files: the first of them, and the number of the
/// others.
fn left(unread: &[String]) -> String {
    match unread {
        [] => String::new(),
        [one] => format!("; it may be in {one}"),
        [one, more @ ..] => {
            format!("; it may be in {one}, or in {} more files that `check` lists", more.len())
        }
    }
}
