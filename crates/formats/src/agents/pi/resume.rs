//! Continuing a session: `sessions/--FOLDER--/` in Pi's home (`FORMAT.md`).

use session::{Session, Slot, value};

use super::{locate, map};
use crate::resume::{Resume, StoreAccess, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|at, name| {
        let name = last_part(name);
        let named = match (at.main && locate::id_in_name(name) != Some(at.id), at.begun) {
            (true, Some(begun)) => locate::name(&begun.millis(), at.id),
            _ => name.to_owned(),
        };
        Some(format!("sessions/{}/{named}", folder(at.folder)))
    }),
    takes,
    // The path is certain: the agent may look for ids in another folder, by its settings.
    command: |at| Some(words(&["pi", "--session", at.files.first().map_or(at.id, |file| file)])),
    ..Resume::PLAIN
};

/// The version that the agent reads without writing the file anew.
const VERSION: &[u8] = b"3";

/// Whether the header is the first line and of today's version. The agent writes a session of an
/// earlier one anew, and empties a file without a header.
fn takes(session: &Session) -> bool {
    let Some(first) = session.events().next() else { return false };
    let is_header = first.field(Slot::Session).is_some();
    let is_todays =
        || value::look(first.bytes(), |line| Some(line.at(map::VERSION)?.raw() == VERSION));
    is_header && is_todays() == Some(true)
}

/// The folder of a project: its path with `-` for each separator and colon, without the first.
fn folder(path: &str) -> String {
    let path = path.strip_prefix(['/', '\\']).unwrap_or(path);
    format!("--{}--", path.replace(['/', '\\', ':'], "-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resume::PlacementContext;

    #[test]
    fn a_session_is_placed_where_the_agent_looks_for_it() {
        assert_eq!(folder("/home/ana/shop"), "--home-ana-shop--");
        assert_eq!(folder("C:\\Users\\ana"), "--C--Users-ana--");
        let begun = Some(session::UtcTime(1_793_527_200_000_000));
        let at = PlacementContext {
            id: "019d0000-0000-7000-8000-000000000001",
            folder: "/home/ana/shop",
            files: &[],
            main: true,
            begun,
            read: &|_| None,
            list: &|_| Vec::new(),
        };
        let StoreAccess::Files(place) = &RESUME.entry else { panic!("files") };
        let own = "2026-11-01T10-00-00-000Z_019d0000-0000-7000-8000-000000000001.jsonl";
        let there = format!("sessions/--home-ana-shop--/{own}");
        assert_eq!(place(&at, own).as_deref(), Some(&*there));
        assert_eq!(place(&at, "in/mine.jsonl").as_deref(), Some(&*there));
    }
}
