//! Continuing a session: `projects/FOLDER/ID.jsonl` in Claude Code's home (`FORMAT.md`).

use meaning::conversation;
use session::{Session, Slot};

use crate::resume::{
    PlacementContext, Resume, StoreAccess, ending, from_id, is_uuid, last_part, words,
};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|at, name| {
        Some(format!("projects/{}/{}", folder(at), below(at, name)))
    }),
    takes,
    command: |at| Some(words(&["claude", "--resume", at.id])),
    ..Resume::PLAIN
};

/// Whether it has a UUID, and messages in the chain of its main history: a sub-agent's transcript
/// alone, printed output and copies of other programs have none.
fn takes(session: &Session) -> bool {
    let chained = session.events().any(|event| {
        [Slot::Id, Slot::Parent].iter().all(|slot| event.field(*slot).is_some())
            && !event.is_true(Slot::Sidechain)
            && conversation::of(event).live
    });
    is_uuid(&session.id) && chained
}

/// The path of a file below the project's folder. The agent finds a session by the name of its
/// file, and sub-agents in the folder of that name.
fn below(at: &PlacementContext<'_>, name: &str) -> String {
    if let Some(below) = from_id(name, at.id) {
        return below.to_owned();
    }
    match name.rfind(SUBAGENTS) {
        _ if at.main => format!("{}{}", at.id, ending(name, &[".jsonl", ".jsonl.zst"], ".jsonl")),
        Some(start) => format!("{}/{}", at.id, &name[start..]),
        None => last_part(name).to_owned(),
    }
}

/// The folder of sub-agents' files in a session's folder.
const SUBAGENTS: &str = "subagents/";

/// Number of characters after which the folder of a project has a digest.
const LONGEST: usize = 200;

/// The folder of a project: its path with `-` for everything but letters and digits, by UTF-16
/// units. A long one is cut and has a digest, which differs between builds of the agent: so an
/// existing folder with this beginning counts first, as it does for the agent.
fn folder(at: &PlacementContext<'_>) -> String {
    let plain = |unit: u16| {
        let byte = u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
        byte.map_or('-', char::from)
    };
    let whole: String = at.folder.encode_utf16().map(plain).collect();
    if whole.len() <= LONGEST {
        return whole;
    }
    let start = format!("{}-", &whole[..LONGEST]);
    let mut known = (at.list)("projects").into_iter().filter(|name| name.starts_with(&start));
    match (known.next(), known.next()) {
        (Some(known), None) => known,
        _ => start + &digest(at.folder),
    }
}

/// The digest of builds for Node.js: a 32-bit hash over the UTF-16 units, in base 36.
fn digest(path: &str) -> String {
    let hash = path
        .encode_utf16()
        .fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    let (mut rest, mut digits) = (hash.unsigned_abs(), Vec::new());
    loop {
        digits.push(char::from_digit(rest % 36, 36).unwrap_or('0'));
        rest /= 36;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'a>(folder: &'a str, list: &'a dyn Fn(&str) -> Vec<String>) -> PlacementContext<'a> {
        let (main, begun) = (false, None);
        PlacementContext { id: "0b5c", folder, files: &[], main, begun, read: &|_| None, list }
    }

    #[test]
    fn a_folder_is_named_as_the_agent_names_it() {
        let none = |_: &str| Vec::new();
        let named = |path: &str| folder(&at(path, &none));
        assert_eq!(named("/home/ana_b/proj.x/é dir"), "-home-ana-b-proj-x---dir");
        assert_eq!(named("/a/🎉"), "-a---");
        let long = format!("/home/{}", "x".repeat(300));
        let made = named(&long);
        assert!(made.starts_with(&format!("-home-{}-", "x".repeat(194))), "{made}");
        assert_eq!(made.len(), 201 + digest(&long).len());
        // A folder that the agent made already counts, if there is only one.
        let known = format!("{}-1abc", &made[..200]);
        let one = |_: &str| vec![known.clone(), "-other".to_owned()];
        assert_eq!(folder(&at(&long, &one)), known);
    }

    #[test]
    fn sub_agents_stay_in_their_sessions_folder() {
        let none = |_: &str| Vec::new();
        let StoreAccess::Files(place) = &RESUME.entry else { panic!("files") };
        let at = at("/w", &none);
        let placed = |name: &str| place(&at, name).unwrap();
        assert_eq!(placed("0b5c.jsonl"), "projects/-w/0b5c.jsonl");
        let agent = "0b5c/subagents/agent-1.jsonl";
        assert_eq!(placed(&format!("-home-old/{agent}")), format!("projects/-w/{agent}"));
        assert_eq!(placed("x/agent-1.jsonl"), "projects/-w/agent-1.jsonl");
        assert_eq!(placed("copy/subagents/agent-1.jsonl"), format!("projects/-w/{agent}"));
        // The agent finds no session by another name than its id.
        let main = PlacementContext { main: true, ..at };
        let StoreAccess::Files(place) = &RESUME.entry else { panic!("files") };
        assert_eq!(place(&main, "in/mine.jsonl").unwrap(), "projects/-w/0b5c.jsonl");
    }
}
