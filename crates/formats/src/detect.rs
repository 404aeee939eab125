//! Format detection: which agent wrote a file, from its path and both of its ends. The only place
//! that decides it: for a scan, for one file, for bytes that came without a file.

use crate::claim::{Candidate, Claim, Role};
use crate::format::{Format, Formats};
use crate::place::Base;
use crate::strangers;

/// The result of detection.
#[derive(Debug)]
pub enum Detected {
    /// A part of a session.
    Part {
        /// The format of the agent that wrote it.
        format: &'static dyn Format,
        /// The group of files that it belongs to.
        group: String,
        /// The way in which it belongs to them.
        role: Role,
    },
    /// No session, but a file of this format, and the reason in words for people.
    NoSession(&'static dyn Format, &'static str),
    /// A file of an agent that no format reads: its name.
    Foreign(&'static str),
    /// No format knows it.
    Unknown,
}

/// Detects whose a file is. A document says itself what it is, so its own claim comes before those
/// of agents, which guess from the names of members. Of the agents the format whose place it is in
/// (`own`) is probed first, then those that name their files so, then the others in their order.
/// The first that claims a part of a session decides; else the first that knows the file at all.
#[must_use]
pub fn detect(
    formats: Formats<'_>,
    own: Option<&'static dyn Format>,
    file: &Candidate<'_>,
) -> Detected {
    if let Some(agent) = strangers::placed(file.path) {
        return Detected::Foreign(agent);
    }
    let is_own = |format: &dyn Format| {
        !format.is_document() && own.is_some_and(|own| own.name() == format.name())
    };
    let all = || formats.iter().copied();
    // Nearly every file is decided by these.
    let first = all().filter(|format| format.is_document());
    let first = first.chain(all().filter(|format| is_own(*format)));
    let others = || {
        let others = all().filter(|format| !format.is_document() && !is_own(*format));
        let (named, others): (Vec<_>, Vec<_>) =
            others.partition(|format| (format.data().is_named)(file));
        named.into_iter().chain(others)
    };
    let mut known = None;
    for format in first.chain(std::iter::once_with(others).flatten()) {
        match format.claim(file) {
            Claim::No => {}
            // Two agents name files alike, so in the home of another one the content alone counts.
            _ if is_guest(formats, format, file.path) && !is_claimed_unnamed(format, file) => {}
            Claim::Part { group, role } => return Detected::Part { format, group, role },
            Claim::NoSession(why) => {
                known.get_or_insert(Detected::NoSession(format, why));
            }
        }
    }
    // A claim of a session comes first: other agents write lines that look the same.
    strangers::told(file).map(Detected::Foreign).or(known).unwrap_or(Detected::Unknown)
}

/// Whether a file is in the home of another agent, and not in one of this format.
fn is_guest(formats: Formats<'_>, format: &dyn Format, path: &str) -> bool {
    let is_home = |format: &dyn Format| {
        let homes = format.data().places.iter().filter(|place| place.base == Base::Home);
        homes.filter(|place| place.folder.starts_with('.')).any(|place| {
            path.match_indices(place.folder).any(|(at, folder)| {
                let (before, behind) = (&path[..at], &path[at + folder.len()..]);
                (before.is_empty() || before.ends_with('/')) && behind.starts_with('/')
            })
        })
    };
    !format.is_document() && !is_home(format) && formats.iter().any(|other| is_home(*other))
}

/// Whether a format claims a file by its content, under a name that says nothing.
fn is_claimed_unnamed(format: &dyn Format, file: &Candidate<'_>) -> bool {
    let path = match file.file().rsplit_once('.') {
        Some((_, ending)) => format!("file.{ending}"),
        None => "file".to_owned(),
    };
    format.claim(&Candidate { path: &path, ..*file }) != Claim::No
}
