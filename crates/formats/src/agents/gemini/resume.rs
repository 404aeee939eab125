//! Continuing a session: `tmp/PROJECT/chats/` in Gemini's home (`FORMAT.md`).

use session::{EventRef, Node, Record, Session, Shape, value};

use super::locate::placed_name;
use super::map;
use crate::probe;
use crate::resume::{PlacementContext, Resume, StoreAccess, ending, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|at, name| {
        Some(format!("tmp/{}/chats/{}", project(at), named(at, last_part(name))?))
    }),
    takes,
    command: |at| Some(words(&["gemini", "--resume", at.id])),
    emptied,
    ..Resume::PLAIN
};

/// Whether it is a document or a log of the main agent: the agent lists no sub-agents, saved states
/// and copies of other programs.
fn takes(session: &Session) -> bool {
    let is_header = |event: &EventRef<'_>| std::ptr::eq(event.case, &raw const map::HEAD);
    let is_helpers = |header: EventRef<'_>| {
        let kind = |root: Node<'_>| Some(root.word(map::KIND)? == b"subagent");
        value::look(header.bytes(), kind).unwrap_or(false)
    };
    let header = session.events().find(is_header);
    header.is_some_and(|header| !is_helpers(header))
}

/// The lines that put an empty list in the place of a log's messages: the agent then finds nothing
/// to continue.
fn emptied(session: &Session) -> Vec<usize> {
    let is_one = |record: &Record| {
        let empty = |root: Node<'_>| {
            let list = root.at(&["$set", "messages"])?;
            Some(list.shape() == Shape::Array && list.elements().next().is_none())
        };
        let bytes = session.record_bytes(record);
        bytes.starts_with(b"{") && value::look(bytes, empty).unwrap_or(false)
    };
    let records = session.records.iter().enumerate();
    records.filter(|(_, record)| is_one(record)).map(|(at, _)| at).collect()
}

/// The name of a session's file. The agent lists `session-*` only, so another one gets the name
/// that a placed session has.
fn named(at: &PlacementContext<'_>, name: &str) -> Option<String> {
    let ending = ending(name, &[".json", ".jsonl"], ".jsonl");
    if !at.main || (name.starts_with("session-") && name.ends_with(ending)) {
        return Some(name.to_owned());
    }
    let time = at.begun?.millis();
    Some(placed_name(time.get(..16)?, at.id, ending))
}

/// The register of the projects' folders.
const REGISTER: &str = "projects.json";
/// The file in a project's folder that names the project.
const OWNER: &str = ".project_root";

/// The folder of a project: the registered one, else the one that the agent would register: the
/// last part of its path, with a number if another project has it.
fn project(at: &PlacementContext<'_>) -> String {
    let register = registered((at.read)(REGISTER).as_deref().unwrap_or_default());
    if let Some((_, name)) = register.iter().find(|(path, _)| path == at.folder) {
        return name.clone();
    }
    let taken = |name: &String| {
        let marked = ["tmp", "history"].into_iter().any(|folder| {
            let owner = (at.read)(&format!("{folder}/{name}/{OWNER}"));
            owner.is_some_and(|owner| owner.trim_ascii() != at.folder.as_bytes())
        });
        marked || register.iter().any(|(_, other)| other == name)
    };
    let base = slug(last_part(at.folder));
    let mut names = (0..).map(|number| match number {
        0 => base.clone(),
        _ => format!("{base}-{number}"),
    });
    names.find(|name| !taken(name)).unwrap_or_default()
}

/// The registered projects: path and folder. A name that is not one folder does not count.
fn registered(text: &[u8]) -> Vec<(String, String)> {
    let is_folder = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    let read = |node: Node<'_>| {
        let projects = node.at(&["projects"]);
        let members = projects.into_iter().flat_map(|projects| projects.members());
        let pairs = members.filter_map(|member| {
            let name = value::unescape(member.value.word(&[])?).into_owned();
            Some((value::unescape(member.name).into_owned(), name))
        });
        pairs.filter(|(_, name)| is_folder(name)).collect()
    };
    probe::look(probe::bare(text), read).unwrap_or_default()
}

/// The last part of a path as the name of a folder.
fn slug(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.to_lowercase().chars().map(fit).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "project".to_owned() } else { parts.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(folder: &str, files: &[(&str, &str)]) -> String {
        let read = |path: &str| {
            let (_, text) = files.iter().find(|(known, _)| *known == path)?;
            Some(text.as_bytes().to_vec())
        };
        let (files, list) = (&[][..], |_: &str| Vec::new());
        let (main, begun) = (false, None);
        project(&PlacementContext { id: "x", folder, files, main, begun, read: &read, list: &list })
    }

    #[test]
    fn a_session_is_named_so_that_the_agent_lists_it() {
        let begun = Some(session::UtcTime(1_767_607_200_000_000));
        let (files, list, read) = (&[][..], |_: &str| Vec::new(), |_: &str| None);
        let id = "0a1b2c3d-0000-4c11-9d20-5e6f70819203";
        let at = PlacementContext {
            id,
            folder: "/w",
            files,
            main: true,
            begun,
            read: &read,
            list: &list,
        };
        let own = "session-2025-11-02T08-00-0a1b2c3d.json";
        let placed = "session-2026-01-05T10-00-0a1b2c3d-70819203";
        assert_eq!(named(&at, own).unwrap(), own);
        assert_eq!(named(&at, "mine.json").unwrap(), format!("{placed}.json"));
        assert_eq!(named(&at, "mine").unwrap(), format!("{placed}.jsonl"));
    }

    #[test]
    fn a_project_has_its_registered_folder_or_a_free_one() {
        assert_eq!(of("/home/ana/My_Shop.v2", &[]), "my-shop-v2");
        assert_eq!(of("/", &[]), "project");
        let register = r#"{"projects":{"/home/ana/tide":"tide-2","/srv/shop":"shop"}}"#;
        let files = [(REGISTER, register)];
        assert_eq!(of("/home/ana/tide", &files), "tide-2");
        assert_eq!(of("/home/ana/shop", &files), "shop-1");
        let marked = [("tmp/shop/.project_root", "/srv/shop\n")];
        assert_eq!(of("/home/ana/shop", &marked), "shop-1");
        assert_eq!(of("/srv/shop", &marked), "shop");
        // A register is a file of another program: its names are no paths.
        assert_eq!(of("/a/b", &[(REGISTER, r#"{"projects":{"/a/b":"../../x"}}"#)]), "b");
    }
}
