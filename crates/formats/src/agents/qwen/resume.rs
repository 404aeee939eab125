//! Continuing a session: `projects/KEY/chats/` in Qwen Code's home (`FORMAT.md`).

use session::Session;

use super::{case, locate};
use crate::resume::{Resume, StoreAccess, from_id, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|at, name| {
        let project = key(at.folder);
        if at.main {
            return Some(format!("projects/{project}/chats/{}.jsonl", at.id));
        }
        let beside = from_id(name, at.id).unwrap_or(last_part(name));
        let beside = beside.strip_prefix(at.id).map_or(beside, |rest| rest.trim_start_matches('/'));
        Some(format!("projects/{project}/{}/{}/{beside}", locate::SUBAGENTS, at.id))
    }),
    takes,
    command: |at| Some(words(&["qwen", "--resume", at.id])),
    ..Resume::PLAIN
};

/// Whether it is a log, and has the id by which the agent lists it.
fn takes(session: &Session) -> bool {
    session.events().any(case::is_record)
        && locate::id_in_name(&format!("{}.jsonl", session.id)).is_some()
}

/// The folder of a project: its path with `-` for whatever is no letter and no digit.
fn key(path: &str) -> String {
    let is_windows = path.get(1..3).is_some_and(|drive| drive == ":/" || drive == ":\\");
    let path = if is_windows { path.to_lowercase() } else { path.to_owned() };
    path.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resume::PlacementContext;

    #[test]
    fn a_session_is_placed_where_the_agent_looks_for_it() {
        assert_eq!(key("C:/Users/Ana/Shop.v2"), "c--users-ana-shop-v2");
        let id = "019d0000-0000-7000-8000-000000000001";
        let at = |main| PlacementContext {
            id,
            folder: "/home/Ana/shop",
            files: &[],
            main,
            begun: None,
            read: &|_| None,
            list: &|_| Vec::new(),
        };
        let StoreAccess::Files(place) = &RESUME.entry else { panic!("files") };
        let own = format!("projects/-home-Ana-shop/chats/{id}.jsonl");
        assert_eq!(place(&at(true), &format!("in/{id}.jsonl")).as_deref(), Some(&*own));
        let sub = format!("projects/-home-Ana-shop/subagents/{id}/agent-x-1.jsonl");
        let given = format!("p/subagents/{id}/agent-x-1.jsonl");
        assert_eq!(place(&at(false), &given).as_deref(), Some(&*sub));
        assert_eq!(place(&at(false), "agent-x-1.jsonl").as_deref(), Some(&*sub));
    }
}
