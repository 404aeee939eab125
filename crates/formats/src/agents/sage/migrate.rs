//! Migration of a conversation's lines (the project's schema document, "Migration Path"): the
//! byte edits of each phase. Each phase only adds members that are missing, at the end of a line's
//! object, so that a second run adds nothing and the order of the phases is irrelevant.
//!
//! - Phase 1, the name of the project's folder: `.` is `-` too, and there is no `-` at the end.
//! - Phase 2, `uuid` and `session_id`: derived from the session's names and the line's members.
//! - Phase 3, `tokens.estimated`: a quarter of the characters, as the agent estimates. A line with
//!   `usage`, which is counted, gets no estimate.

use std::collections::HashMap;

use session::edit::Edit;
use session::{EventRef, NO_EVENT, Node, Session, Shape, Slot, Span, Standing, value};

use super::map;
use crate::digest::{derived_uuid, digest};
use crate::format::{LinePhases, PlannedForm};

/// The form of the project's schema document.
pub(super) static FORM: PlannedForm = PlannedForm {
    folder,
    lines: edits,
    renamed: "Sage up to b8850e4 looks for the old names, and does not find renamed projects",
};

/// The members that the phases add. They don't identify a line.
const ADDED: [&str; 3] = ["uuid", "session_id", "tokens"];

/// The name of a project's folder after phase 1; `None` if nothing of the path would be left.
fn folder(path: &str) -> Option<String> {
    let name = path.replace(['/', '.'], "-");
    let name = name.trim_end_matches('-');
    (!name.is_empty()).then(|| name.to_owned())
}

/// The edits of the given phases. `names` identify the file and have to be the same before and
/// after each phase: the project's path, and the file's name below its folder.
fn edits(session: &Session, names: &[&str], phases: LinePhases) -> Vec<Edit> {
    let lines = || session.events().filter(|event| is_line(*event));
    let known = lines().find_map(|event| event.text(Slot::Session));
    let own = || derived_uuid(&[&["sage", "session"], names].concat());
    let id = known.map_or_else(own, |id| id.into_owned());
    let (mut seen, mut numbers) = (HashMap::<String, usize>::new(), HashMap::new());
    let mut edits = Vec::new();
    for event in lines() {
        let Some(line) = value::look(event.bytes(), |node| Some(Line::of(node))) else { continue };
        let count = seen.entry(line.key.clone()).or_default();
        // An echo is the same message, and is an echo only while it is the same bytes.
        let number = match event.standing {
            Standing::Echo => numbers.get(event.bytes()).copied().unwrap_or(0),
            _ => *count,
        };
        if event.standing != Standing::Echo {
            *count += 1;
            numbers.entry(event.bytes()).or_insert(number);
        }
        let mut with = Vec::new();
        if phases.ids && !line.has[0] {
            let uuid = derived_uuid(&["sage", "message", &id, &line.key, &number.to_string()]);
            member(&mut with, "uuid", &uuid);
        }
        if phases.ids && !line.has[1] {
            member(&mut with, "session_id", &id);
        }
        if let Some(tokens) = line.estimate.filter(|_| phases.estimates && !line.has[2]) {
            with.extend_from_slice(format!(",\"tokens\":{{\"estimated\":{tokens}}}").as_bytes());
        }
        if !with.is_empty() {
            let end = event.span.end - 1;
            edits.push(Edit { member: event.origin.member, span: Span::new(end, end), with });
        }
    }
    edits
}

/// True for a message that is a line of a conversation; those of documents have an event above.
fn is_line(event: EventRef<'_>) -> bool {
    event.case.top && event.parent == NO_EVENT && event.bytes().ends_with(b"}")
}

fn member(out: &mut Vec<u8>, name: &str, text: &str) {
    out.extend_from_slice(format!(",\"{name}\":").as_bytes());
    value::quote(text, out);
}

/// A line, as far as the phases depend on it.
struct Line {
    /// Which of `ADDED` it has.
    has: [bool; 3],
    /// Digest of its other members.
    key: String,
    /// The estimate of its content, in tokens; `None` without text, or if its usage is counted.
    estimate: Option<usize>,
}

impl Line {
    fn of(node: Node<'_>) -> Self {
        let (mut has, mut rest) = ([false; 3], Vec::new());
        for member in node.members() {
            match ADDED.iter().position(|name| name.as_bytes() == member.name) {
                Some(at) => has[at] = true,
                None => {
                    for part in [member.name, member.value.raw()] {
                        rest.extend_from_slice(&(part.len() as u64).to_be_bytes());
                        rest.extend_from_slice(part);
                    }
                }
            }
        }
        let content = node.at(map::CONTENT).filter(|content| content.shape() == Shape::String);
        let content = content.filter(|_| node.at(&["usage"]).is_none());
        let estimate = content
            .and_then(|content| value::text(content.raw()))
            .map(|text| text.chars().count() / 4);
        Self { has, key: digest(&rest), estimate }
    }
}

#[cfg(test)]
mod tests {
    use session::{Bundle, edit};

    use super::*;
    use crate::agents::sage::Sage;
    use crate::testing;

    const IDS: LinePhases = LinePhases { ids: true, estimates: false };
    const ESTIMATES: LinePhases = LinePhases { ids: false, estimates: true };
    const BOTH: LinePhases = LinePhases { ids: true, estimates: true };
    const PATH: &str = "-home-mira-kiln/conversation.jsonl";

    /// A repeated line with a time, two equal lines without, members out of order, spaces, a line
    /// break of Windows, damage, real counts, an id of the agent's own, and a torn last line.
    const LINES: &str = concat!(
        "{\"role\":\"user\",\"content\":\"Fire the kiln.\",",
        "\"timestamp\":\"2026-02-14T10:15:02+0100\"}\n",
        "{\"role\":\"user\",\"content\":\"Fire the kiln.\",",
        "\"timestamp\":\"2026-02-14T10:15:02+0100\"}\n",
        "{\"role\":\"user\",\"content\":\"again\"}\n",
        "{\"role\":\"user\",\"content\":\"again\"}\n",
        "{ \"content\" : \"H\\u00e9 \\\"caf\\u00e9\\\"\", \"role\" : \"assistant\" } \r\n",
        "no JSON }\n",
        "{\"role\":\"assistant\",\"content\":\"counted\",",
        "\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}\n",
        "{\"uuid\":\"20260214-101502-9f03ac1e\",\"role\":\"tool\",\"content\":null}\n",
        "{\"role\":\"user\",\"cont",
    );

    fn migrated(text: &str, phases: LinePhases) -> String {
        let session = testing::text(&Sage, PATH, text);
        let mut edits = edits(&session, &["/home/mira/kiln", "conversation.jsonl"], phases);
        let edited: Bundle = edit::apply(&session.bundle, &mut edits).expect("no conflict");
        String::from_utf8(edited.bytes(0).to_vec()).expect("UTF-8")
    }

    fn outline(text: &str) -> Vec<String> {
        let session = testing::text(&Sage, PATH, text);
        let events = session.events();
        events
            .map(|event| format!("{:?} {:?} {}", event.kind, event.standing, event.said()))
            .collect()
    }

    #[test]
    fn each_phase_adds_its_members_and_a_second_run_adds_nothing() {
        for (phases, member) in [(IDS, "session_id"), (ESTIMATES, "tokens"), (BOTH, "tokens")] {
            let once = migrated(LINES, phases);
            assert!(once.contains(member) && once.len() > LINES.len(), "{once}");
            assert_eq!(migrated(&once, phases), once);
            assert_eq!(outline(&once), outline(LINES));
            // Every other byte is the same: removing what was added gives the lines back.
            let (mut rest, mut kept) = (LINES.bytes().peekable(), 0);
            once.bytes().for_each(|byte| kept += usize::from(rest.next_if_eq(&byte).is_some()));
            assert_eq!(kept, LINES.len());
        }
        assert_eq!(migrated(&migrated(LINES, IDS), ESTIMATES), migrated(LINES, BOTH));
    }

    #[test]
    fn the_order_of_the_phases_does_not_change_the_ids() {
        let ids = |text: &str| {
            let session = testing::text(&Sage, PATH, text);
            let id = |event: EventRef<'_>| event.text(Slot::Id).map(|id| id.into_owned());
            session.events().filter_map(id).collect::<Vec<String>>()
        };
        let one = ids(&migrated(&migrated(LINES, ESTIMATES), IDS));
        assert_eq!(one, ids(&migrated(LINES, IDS)));
        assert_eq!(one.len(), 7);
        assert_eq!(one[0], one[1], "an echo is the same message");
        assert_ne!(one[2], one[3], "equal lines without a time are two messages");
        assert_eq!(one[6], "20260214-101502-9f03ac1e", "an id that is there stays");
        // Lines that are added later change no id, and get the id of the session.
        let more =
            format!("{}\n{}", migrated(LINES, IDS), "{\"role\":\"user\",\"content\":\"again\"}\n");
        let later = ids(&migrated(&more, IDS));
        assert_eq!(later[..7], one);
        assert!(!one.contains(&later[7]));
    }

    #[test]
    fn damage_is_left_as_it_is_and_estimates_are_no_usage() {
        let all = migrated(LINES, BOTH);
        let lines: Vec<&str> = all.split('\n').collect();
        assert_eq!(lines[5], "no JSON }");
        assert_eq!(lines[8], "{\"role\":\"user\",\"cont");
        assert!(lines[0].ends_with(",\"tokens\":{\"estimated\":3}}"), "{}", lines[0]);
        assert!(lines[4].ends_with(",\"tokens\":{\"estimated\":2}} \r"), "{}", lines[4]);
        assert!(!lines[6].contains("estimated"), "{}", lines[6]);
        assert!(!lines[7].contains("estimated"), "{}", lines[7]);
    }

    #[test]
    fn a_folder_has_no_dot_and_no_dash_at_its_end() {
        for (path, name) in [
            ("/home/mira/kiln/", Some("-home-mira-kiln")),
            ("/home/mira/glaze.v1.2/", Some("-home-mira-glaze-v1-2")),
            ("-home-mira-glaze.v1.2-", Some("-home-mira-glaze-v1-2")),
            ("-home-mira-kiln", Some("-home-mira-kiln")),
            ("../../etc", Some("------etc")),
            ("/", None),
            ("..", None),
        ] {
            assert_eq!(folder(path).as_deref(), name, "{path}");
            let again = name.and_then(folder);
            assert_eq!(again.as_deref(), name);
        }
    }
}
