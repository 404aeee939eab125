//! Continuing a session: a rollout in the folder of its day (`FORMAT.md`).

use session::value::{self, quote};
use session::{EventRef, Node, Session};

use super::{case, names};
use crate::resume::{PlacementContext, Resume, StoreAccess, ending, is_uuid, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|at, name| {
        let own = last_part(name);
        match day(own) {
            Some(folder) => Some(format!("sessions/{folder}/{own}")),
            None => named(at, own).and_then(|own| Some(format!("sessions/{}/{own}", day(&own)?))),
        }
    }),
    takes,
    command: |at| Some(words(&["codex", "resume", at.id])),
    title: |id, title, at| {
        let mut line = b"{\"id\":".to_vec();
        quote(id, &mut line);
        line.extend_from_slice(b",\"thread_name\":");
        quote(title, &mut line);
        line.extend_from_slice(b",\"updated_at\":");
        quote(at, &mut line);
        line.push(b'}');
        Some((INDEX, String::from_utf8(line).ok()?))
    },
    listed,
    ..Resume::PLAIN
};

/// The list of the names that sessions were given: a line for each name, the last one of a session
/// counts.
const INDEX: &str = "session_index.jsonl";

/// The name that a session was given last.
fn listed(list: &[u8], id: &str) -> Option<String> {
    let name = |line: &[u8]| {
        value::look(line, |root| {
            let is_it = root.at(names::ID)?.text()? == id.as_bytes();
            let name = value::unescape(root.word(names::THREAD_NAME)?).into_owned();
            (is_it && !name.trim().is_empty()).then_some(name)
        })
    };
    // A list is long, and few of its lines are of this session.
    let has_id = memchr::memmem::Finder::new(id);
    let lines = list.rsplit(|byte| *byte == b'\n');
    lines.filter(|line| has_id.find(line).is_some()).find_map(name)
}

/// Whether it is a rollout of enveloped lines: the agent lists no other one, and takes UUIDs only.
/// It continues a sub-agent of the second generation, which has a path, within its parent only.
fn takes(session: &Session) -> bool {
    let header = session.events().find(|event| case::is_rollouts_header(*event));
    is_uuid(&session.id) && header.is_some_and(|header| !is_within_its_parent(header))
}

fn is_within_its_parent(header: EventRef<'_>) -> bool {
    let spawned = |root: Node<'_>| {
        let meta = root.at(&["payload"]).unwrap_or(root);
        let path = meta.at(&["source", "subagent", "thread_spawn", "agent_path"]);
        let path = path.and_then(|path| path.word(&[]).map(|path| !path.is_empty()));
        let second = meta.word(&["multi_agent_version"]).is_some_and(|version| version == b"v2");
        let child = meta.word(&["thread_source"]).is_some_and(|source| source == b"subagent");
        Some(path == Some(true) || second && child)
    };
    value::look(header.bytes(), spawned).unwrap_or(false)
}

/// The folder of the day that a rollout's name begins with.
fn day(name: &str) -> Option<String> {
    let mut day = name.strip_prefix("rollout-")?.split(['-', 'T']);
    let mut number = |length| {
        let part = day.next()?;
        let is_number = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        is_number.then_some(part)
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    Some(format!("{year}/{month}/{day}"))
}

/// The name that the agent would give: the time at which the session began, and its id.
fn named(at: &PlacementContext<'_>, name: &str) -> Option<String> {
    let time = at.begun.filter(|_| at.main)?.millis();
    let second = time.get(..19)?.replace(':', "-");
    let ending = ending(name, &[".jsonl", ".jsonl.zst"], ".jsonl");
    Some(format!("rollout-{second}-{}{ending}", at.id))
}

#[cfg(test)]
mod tests {
    use session::UtcTime;

    use super::*;

    #[test]
    fn a_rollout_without_its_name_gets_the_one_that_the_agent_gives() {
        let begun = Some(UtcTime(1_771_883_852_000_000));
        let (main, files, folder) = (true, &[][..], "/w");
        let read = |_: &str| None;
        let list = |_: &str| Vec::new();
        let at =
            PlacementContext { id: "019c", folder, files, main, begun, read: &read, list: &list };
        let StoreAccess::Files(place) = &RESUME.entry else { panic!("files") };
        let own = "rollout-2026-02-01T08-00-00-019c.jsonl";
        assert_eq!(place(&at, own).unwrap(), format!("sessions/2026/02/01/{own}"));
        let made = "sessions/2026/02/23/rollout-2026-02-23T21-57-32-019c.jsonl";
        assert_eq!(place(&at, "a/019c.jsonl").unwrap(), made);
        assert_eq!(place(&at, "a/mine.jsonl.zst").unwrap(), format!("{made}.zst"));
        // The name of a history beside it is not known.
        assert_eq!(place(&PlacementContext { main: false, ..at }, "a/other.jsonl"), None);
    }
}
