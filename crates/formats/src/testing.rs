//! Test support for the formats: reads a folder of files as the catalog does, and renders sessions
//! as text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use session::Sorting as _;
use session::{Bundle, EventRef, Kind, Member, Session, Slot, Stream, proof};

use crate::claim::{Candidate, Claim, Role};
use crate::format::Format;

/// Contents of a folder: the sessions by group, and the files that are not sessions.
pub(crate) struct Folder {
    pub(crate) sessions: BTreeMap<String, Vec<Session>>,
    pub(crate) skipped: BTreeMap<String, Claim>,
}

/// A format's folder of samples: `samples/<name>`, or all of them.
pub(crate) fn samples(format: &str, name: &str) -> PathBuf {
    samples::format(format).join("samples").join(name)
}

/// A format's claim on a file with these bytes.
pub(crate) fn claim(format: &dyn Format, path: &str, bytes: &[u8]) -> Claim {
    format.claim(&Candidate::of(path, bytes))
}

/// Claims and reads all files below a folder, and proves each bundle.
pub(crate) fn open(format: &dyn Format, folder: &Path) -> Folder {
    let (mut skipped, mut above) = (BTreeMap::new(), BTreeMap::new());
    let mut found: Vec<(String, Role, Member)> = Vec::new();
    for path in files(folder) {
        let bytes = std::fs::read(&path).expect("a file");
        let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
        let path = path.to_string_lossy();
        match claim(format, &path, &bytes) {
            Claim::Part { group, role } => {
                if let Some(higher) = (format.data().above)(&Candidate::of(&path, &bytes)) {
                    above.insert(group.clone(), higher);
                }
                let member = Member::new(name, role.stream(), bytes).expect("a member");
                found.push((group, role, member));
            }
            other => {
                skipped.insert(name, other);
            }
        }
    }
    let mut groups: BTreeMap<String, Vec<(Role, Member)>> = BTreeMap::new();
    for (mut group, role, member) in found {
        while let Some(higher) = above.get(&group) {
            group.clone_from(higher);
        }
        groups.entry(group).or_default().push((role, member));
    }
    let sessions = groups.into_iter().map(|(group, mut members)| {
        members.sort_by_cached_key(|(role, member)| (rank(role), member.name.clone()));
        let members = members.into_iter().map(|(_, member)| member).collect();
        let sessions = read(format, members);
        (group, sessions)
    });
    Folder { sessions: sessions.collect(), skipped }
}

/// Reads members as one bundle, and proves it.
pub(crate) fn read(format: &dyn Format, members: Vec<Member>) -> Vec<Session> {
    let name = members.first().map(|member| member.name.clone()).unwrap_or_default();
    let members = members.into_iter().map(|member| format.decode(member)).collect();
    let sessions = format.read(Arc::new(Bundle { members }));
    assert_eq!(proof::check(&sessions, 3), [], "{name}");
    for session in &sessions {
        assert!(!session.id.is_empty() || session.remainder, "{name}");
        let unread = |event: &EventRef<'_>| event.kind == Kind::Opaque && event.fields().is_empty();
        for event in session.events().filter(unread) {
            let text = str::from_utf8(event.bytes()).ok();
            let json = text.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
            assert!(!json.is_some_and(|json| json.is_object() || json.is_array()), "{name}");
        }
    }
    sessions
}

/// Reads one text as a main member.
pub(crate) fn text(format: &dyn Format, name: &str, text: &str) -> Session {
    let member = Member::new(name, Stream::Main, text.as_bytes().to_vec()).expect("a member");
    read(format, vec![member]).remove(0)
}

/// Sort key of a session's files, in the catalog's order.
fn rank(role: &Role) -> (u8, String, u8) {
    match role {
        Role::Main => (0, String::new(), 0),
        Role::Beside(None) => (0, String::new(), 1),
        Role::Sub(stem) => (1, stem.clone(), 0),
        Role::Beside(Some(stem)) => (1, stem.clone(), 1),
    }
}

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    // The list of drift is beside the samples.
    found.retain(|path| !path.ends_with("unmapped.txt"));
    found.in_order();
    found
}

/// The events in source order, one line each: kind, standing if not live, and its distinctive text.
pub(crate) fn outline(session: &Session) -> Vec<String> {
    let mut lines = Vec::new();
    for event in session.top() {
        line(event, 0, &mut lines);
    }
    lines
}

fn line(event: EventRef<'_>, depth: usize, lines: &mut Vec<String>) {
    let mut line = format!("{}{:?}", "  ".repeat(depth), event.kind);
    if event.standing != session::Standing::Live {
        line += &format!(" ({})", event.standing.word());
    }
    let said = event.said();
    let slots = [Slot::Name, Slot::Call, Slot::Type, Slot::Id];
    let word = slots.into_iter().find_map(|slot| event.text(slot));
    line += " ";
    line += if said.is_empty() { word.as_deref().unwrap_or(event.case.name) } else { &said };
    lines.push(line);
    event.children().for_each(|child| self::line(child, depth + 1, lines));
}

/// Names without a row, with their cases.
pub(crate) fn drift(sessions: &[Session]) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for event in sessions.iter().flat_map(Session::events) {
        for field in event.fields().iter().filter(|field| !field.known) {
            let name = String::from_utf8_lossy(event.name(*field)).into_owned();
            *names.entry(format!("{}: {name}", event.case.name)).or_default() += 1;
        }
    }
    names
}

/// A format's claims on every file below a folder.
pub(crate) fn claims(format: &dyn Format, folder: &Path) -> Vec<(String, Claim)> {
    let claim = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a file");
        let path = path.to_string_lossy().into_owned();
        let claim = claim(format, &path, &bytes);
        (path, claim)
    };
    files(folder).into_iter().map(claim).collect()
}
