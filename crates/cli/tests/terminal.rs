//! Output on a terminal: colours unless they are switched off, and lines that fit.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

mod common;
use common::{ID, Place, on_terminal, put, ran_on_terminal, talk};

#[test]
fn a_terminal_has_colours_unless_they_are_unwanted() {
    let place = Place::with_sessions();
    let coloured =
        |args: &[&str], set: &[(&str, &str)]| on_terminal(&place, args, 120, set).contains("\x1b[");
    assert!(coloured(&["list"], &[]));
    assert!(coloured(&["list"], &[("NO_COLOR", "")]), "an empty NO_COLOR is none");
    assert!(!coloured(&["list"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["list"], &[("TERM", "dumb")]));
    assert!(coloured(&["list", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["list", "--color", "never"], &[]));
}

#[test]
fn a_list_fits_into_the_terminal_and_its_ids_name_one_session() {
    let place = Place::with_sessions();
    let other = "0b5c7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33";
    let path = place.path().join(format!("home/.claude/projects/-home-ana-shop/{other}.jsonl"));
    put(&path, &talk(other, &"Sand the doors of the house ".repeat(9), "2026-01-01T10:0"));
    for width in [60, 72, 80, 100, 120, 200] {
        let list = on_terminal(&place, &["list", "--color", "never"], width, &[]);
        assert!(list.lines().all(|line| line.width() <= width), "{width}:\n{list}");
        // An id that is too long for its column is on the line below.
        let rows = list.lines().skip(1).filter(|line| !line.starts_with("2026-"));
        let ids = rows.map(|line| line.rsplit(' ').next().unwrap());
        let ids: Vec<&str> = ids.filter(|id| *id != "↓").collect();
        assert_eq!(ids.len(), 3, "{width}:\n{list}");
        for id in ids {
            assert_eq!(place.run(&["show", id]).code, 0, "{id}");
        }
        assert!(list.contains(" 0b5c7f1e\n"), "{width}:\n{list}");
    }
}

#[test]
fn raw_records_are_shown_and_not_obeyed() {
    let place = Place::new();
    let text = talk(ID, "\u{9b}2J", "2026-03-01T10:0");
    put(&place.path().join("x/one.jsonl"), &text);
    let path = place.path().join("x/one.jsonl");
    for args in [&["show", "--raw"][..], &["convert", "--to", "claude-code"]] {
        let args: Vec<&str> = args.iter().copied().chain([path.to_str().unwrap()]).collect();
        let shown = on_terminal(&place, &args, 100, &[]);
        assert!(!shown.contains('\u{9b}') && shown.contains("⟨U+009B⟩2J"), "{shown}");
    }
}

#[test]
fn what_is_made_to_be_shared_fills_no_terminal_unasked() {
    let place = Place::new();
    put(&place.path().join("s.jsonl"), &talk(ID, "hello", "2026-03-01T10:0"));
    let session = place.path().join("s.jsonl").display().to_string();
    for command in ["export", "redact"] {
        let (code, out, err) = ran_on_terminal(&place, &[command, &session], 100, &[]);
        assert_eq!((code, &*out, err.contains("-o FILE")), (2, "", true), "{command}: {err}");
        let asked = on_terminal(&place, &[command, &session, "-o", "-"], 100, &[]);
        assert!(asked.contains("hello"), "{command}: {asked}");
    }
}

#[test]
fn answers_before_a_compaction_are_typeset_as_those_after_it() {
    let place = Place::new();
    let at = |minute: u32| format!("2026-03-01T10:{minute:02}:00.000Z");
    let id = |number: u32| format!("00000000-0000-4000-8000-{number:012}");
    let line = |number: u32, parent: Option<u32>, mut line: Value| {
        line["uuid"] = id(number).into();
        line["parentUuid"] = parent.map(id).into();
        line["sessionId"] = ID.into();
        line["timestamp"] = at(number).into();
        format!("{line}\n")
    };
    let asked =
        |text: &str| json!({ "type": "user", "message": { "role": "user", "content": text } });
    let said = "## What is left\n\nThe **front** door, `painted` and **dry**.\n\nThe **back\n\
                door**.";
    let answer = json!({ "type": "assistant", "message": { "role": "assistant", "model": "m",
        "content": [{ "type": "text", "text": said }] } });
    let cut = json!({ "type": "system", "subtype": "compact_boundary",
        "content": "Conversation compacted" });
    let mut summed = asked(
        "This session is being continued from a previous conversation. **The doors** are painted.",
    );
    summed["isCompactSummary"] = true.into();
    let text = [
        line(1, None, asked("paint the doors")),
        line(2, Some(1), answer.clone()),
        line(3, Some(2), asked("and the frames")),
        line(4, Some(3), answer.clone()),
        line(5, None, cut),
        line(6, Some(5), summed),
        line(7, Some(6), asked("what now")),
        line(8, Some(7), answer),
    ];
    let path = place.path().join("s.jsonl");
    put(&path, &text.concat());
    let path = path.display().to_string();
    let shown = on_terminal(&place, &["show", &path, "--color", "never"], 80, &[]);
    assert_eq!(shown.matches("What is left").count(), 3, "{shown}");
    assert_eq!(shown.matches("The front door, `painted` and dry.").count(), 3, "{shown}");
    assert!(!shown.contains("##") && !shown.contains("**"), "{shown}");
    assert_eq!(shown.matches("compacted from here on").count(), 1, "{shown}");
    assert_eq!(shown.matches("live from here on").count(), 1, "{shown}");
}
