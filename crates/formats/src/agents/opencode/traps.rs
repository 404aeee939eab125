//! The traps of the format reference that no other test covers, by their numbers there.

use session::{Member, Session, Slot, Stream};

use super::OpenCode;
use crate::format::Format;
use crate::testing;

const SESSION: &str = "ses_f3baf9384ffeQm3kT9xWc2LpZa";

/// A file of the tree: its path below `storage`, and its text.
fn file(path: &str, text: &str) -> Member {
    let name = format!("storage/{path}.json");
    Member::new(name, Stream::Main, text.as_bytes().to_vec()).expect("short")
}

fn head(updated: u64) -> Member {
    let of = format!(r#""id":"{SESSION}","directory":"C:\\Users\\ana\\shop""#);
    let text = format!(r#"{{{of},"time":{{"created":1,"updated":{updated}}}}}"#);
    file(&format!("session/global/{SESSION}"), &text)
}

fn message(id: &str, role: &str, created: u64, more: &str) -> Member {
    let of = format!(r#""id":"{id}","sessionID":"{SESSION}","role":"{role}""#);
    let text = format!(r#"{{{of},"time":{{"created":{created}}}{more}}}"#);
    file(&format!("message/{SESSION}/{id}"), &text)
}

fn part(id: &str, of: &str, more: &str) -> Member {
    let text = format!(r#"{{"id":"{id}","sessionID":"{SESSION}","messageID":"{of}",{more}}}"#);
    file(&format!("part/{of}/{id}"), &text)
}

fn text(id: &str, of: &str, text: &str) -> Member {
    part(id, of, &format!(r#""type":"text","text":"{text}""#))
}

fn read(members: Vec<Member>) -> Session {
    testing::read(&OpenCode, members).remove(0)
}

/// The events and their standings.
fn told(session: &Session) -> Vec<String> {
    testing::outline(session).into_iter().filter(|line| !line.starts_with("Notice")).collect()
}

/// A row of a table of 1.x.
fn row(table: &str, row: &str) -> String {
    format!("{{\"table\":\"{table}\",\"row\":{{{row}}}}}\n")
}

/// A part with its message and session.
fn part_row(data: &str) -> String {
    let of = format!(r#""id":"prt_1","message_id":"msg_1","session_id":"{SESSION}""#);
    row("part", &format!(r#"{of},"data":{data}"#))
}

/// The tables of 1.x with one message, as a dump.
fn rows(updated: u64, said: &str) -> Member {
    let time = format!(r#""time_created":1,"time_updated":{updated}"#);
    let data = r#"{"role":"user","time":{"created":1}}"#;
    let message = format!(r#""id":"msg_1","session_id":"{SESSION}",{time},"data":{data}"#);
    let text = [
        row("session", &format!(r#""id":"{SESSION}",{time}"#)),
        row("message", &message),
        part_row(&format!(r#"{{"type":"text","text":"{said}"}}"#)),
    ];
    let text = text.concat().into_bytes();
    Member::new("opencode.db.dump.jsonl", Stream::Main, text).expect("short")
}

/// Of two stores the most recently updated is the conversation, whatever its kind (trap 1).
#[test]
fn the_store_that_was_updated_last_is_the_conversation() {
    let both = |files: u64, database: u64| {
        let tree = vec![head(files), message("msg_1", "user", 1, ""), text("prt_1", "msg_1", "f")];
        let members = tree.into_iter().chain([rows(database, "d")]).collect();
        let mut said = told(&read(members));
        said.retain(|line| line.ends_with(" f") || line.ends_with(" d"));
        said
    };
    assert_eq!(both(5, 9), ["User d", "User (echo) f"]);
    assert_eq!(both(9, 5), ["User f", "User (echo) d"]);
    assert_eq!(both(5, 5), ["User d", "User (echo) f"]);
}

/// Ids once started again from their beginning: the time decides first (trap 3).
#[test]
fn messages_stand_by_time_before_they_stand_by_id() {
    let members = vec![
        head(9),
        message("msg_ffff", "user", 1, ""),
        message("msg_0001", "assistant", 2, ""),
        message("msg_0002", "user", 2, ""),
        text("prt_1", "msg_0002", "last"),
        text("prt_2", "msg_ffff", "first"),
        text("prt_3", "msg_0001", "second"),
    ];
    let said: Vec<_> = told(&read(members)).into_iter().filter(|l| !l.contains("msg_")).collect();
    assert_eq!(said, ["User first", "Assistant second", "User last"]);
}

/// `summary` is an object or a boolean, a model an object or two strings (trap 4).
#[test]
fn a_name_of_two_shapes_is_read_in_both() {
    let members = vec![
        head(9),
        message("msg_1", "user", 1, r#","summary":{"title":"t","diffs":[]}"#),
        message("msg_2", "assistant", 2, r#","summary":true,"finish":"stop","modelID":"m""#),
        message("msg_3", "user", 3, r#","model":{"providerID":"p","modelID":"n"}"#),
    ];
    let session = read(members);
    assert_eq!(testing::drift(std::slice::from_ref(&session)).len(), 0);
    let compacted: Vec<bool> = session
        .top()
        .filter(|event| event.case.name == "message")
        .map(|event| event.standing() == session::Standing::Compacted)
        .collect();
    assert_eq!(compacted, [true, false, false]);
    let models = session.events().filter_map(|event| event.text(Slot::Model));
    assert_eq!(models.collect::<Vec<_>>(), ["m", "n"]);
}

/// Output that the model no longer gets is kept (trap 5). Input is text or an object (trap 6).
#[test]
fn the_stored_answer_of_a_tool_stays() {
    let tool = |id: &str, state: &str| {
        part(
            id,
            "msg_1",
            &format!(r#""type":"tool","callID":"{id}","tool":"bash","state":{state}"#),
        )
    };
    let members = vec![
        head(9),
        message("msg_1", "assistant", 1, ""),
        tool(
            "prt_1",
            r#"{"status":"completed","input":{"c":1},"output":"kept","time":{"compacted":5}}"#,
        ),
        tool("prt_2", r#"{"status":"pending","input":"{\"c\":","raw":""}"#),
        part("prt_3", "msg_1", r#""type":"text","text":"aside","ignored":true"#),
    ];
    let session = read(members);
    let raw = |slot| session.events().filter_map(|event| event.raw(slot)).collect::<Vec<_>>();
    assert_eq!(raw(Slot::Output), [b"\"kept\""]);
    assert_eq!(raw(Slot::Input), [&br#"{"c":1}"#[..], br#""{\"c\":""#]);
    assert!(told(&session).iter().any(|line| line == "Assistant aside"));
}

/// A tree that is read while it is written has messages without parts, parts without a message, and
/// torn files (trap 11). These, and rows that are not JSON (trap 12), hide nothing.
#[test]
fn what_is_half_written_hides_nothing() {
    let torn = file(&format!("message/{SESSION}/msg_3"), "{\"id\":\"msg_3\",\"ro");
    let members = vec![
        head(9),
        message("msg_1", "user", 1, ""),
        text("prt_9", "msg_9", "orphan"),
        torn,
        message("msg_2", "assistant", 2, ""),
        text("prt_2", "msg_2", "answer"),
    ];
    let session = read(members);
    assert_eq!(session.notes.len(), 1);
    let told = told(&session);
    for line in ["User msg_1", "Assistant answer", "Opaque opaque"] {
        assert!(told.iter().any(|found| found == line), "{line}: {told:#?}");
    }
    assert!(told.iter().any(|line| line.ends_with("orphan")), "{told:#?}");
    let bad = part_row(r#""{\"type\":\"te""#).replace("prt_1", "prt_2");
    let dump = rows(1, "kept");
    let text = [dump.bytes(), bad.as_bytes()].concat();
    let dump = Member::new("opencode.db.dump.jsonl", Stream::Main, text).expect("short");
    let session = read(vec![dump]);
    assert!(self::told(&session).iter().any(|line| line == "User kept"));
    assert_eq!(session.records.len(), 4);
}

/// A cost keeps its spelling (trap 9), a folder its system's spelling (trap 14).
#[test]
fn numbers_and_paths_are_those_that_were_written() {
    let cost = "0.012300000000000000001";
    let members = vec![head(9), message("msg_1", "assistant", 1, &format!(",\"cost\":{cost}"))];
    let session = read(members);
    let written = session.events().find_map(|event| event.raw(Slot::Cost));
    assert_eq!(written, Some(cost.as_bytes()));
    assert_eq!(session.first(Slot::WorkingDir).as_deref(), Some(r"C:\Users\ana\shop"));
    assert_eq!(OpenCode.write(&session).expect("its own").files.len(), 2);
}

/// The oldest trees: parts name their message by their folder alone, and have ids of any form.
#[test]
fn parts_belong_to_the_message_of_their_folder() {
    let bare = |path: &str, id: &str, text: &str| {
        file(&format!("part/{path}"), &format!(r#"{{"id":"{id}","type":"text","text":"{text}"}}"#))
    };
    let session = read(vec![
        head(9),
        message("m_answer", "assistant", 3, ""),
        message("m_prompt", "user", 2, ""),
        bare("m_answer/001", "p_z", "First"),
        bare("m_answer/002", "p_a", "second."),
        bare("m_prompt/001", "p_1", "Which first?"),
    ]);
    let [prompt, answer] = ["User m_prompt", "Assistant m_answer"];
    let parts = ["User Which first?", "Assistant First", "Assistant second."];
    assert_eq!(told(&session), [prompt, parts[0], answer, parts[1], parts[2]]);
}
