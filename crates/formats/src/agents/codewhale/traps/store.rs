//! The runtime store, alone and beside a saved session.

use session::{Kind, Session, Slot, Standing};

use super::*;

/// An absent version is the current one; every kind, status and event has its case (2.2).
#[test]
fn records_without_a_version_are_a_thread_like_any_other() {
    let folder = sample("generations");
    assert_eq!(folder.sessions.len(), 1, "{:?}", folder.sessions.keys());
    let session = one("generations", "thr_01d0aaaa");
    let outline = testing::outline(&session);
    for line in [
        "User run it",
        "ToolCall shell",
        "ToolResult item_01d00001",
        "ToolResult item_01d00003",
        "ToolResult item_01d00005",
        "Notice grep",
    ] {
        assert!(outline.iter().any(|found| found == line), "{line}: {outline:#?}");
    }
    assert!(session.events().all(|event| event.case.name != "unknown"), "{outline:#?}");
    let statuses: Vec<_> = session
        .events()
        .filter(|event| event.kind == Kind::ToolResult)
        .filter_map(|event| event.text(Slot::Status).map(|status| status.into_owned()))
        .collect();
    assert_eq!(statuses, ["failed", "canceled", "completed"]);
    let folder: Vec<_> = folder.skipped.keys().filter_map(|name| name.rsplit('/').next()).collect();
    let expected = [
        "session_index.jsonl",
        ".0b9c7d11-6c1e-4f0a-9a55-7f00aa00bb02.json",
        "0001.json",
        "session_boot_owners.json",
    ];
    assert_eq!(folder, expected);
}

/// An item that has not begun comes after all that have (2.2).
#[test]
fn items_stand_in_the_order_in_which_they_began() {
    let session = one("generations", "thr_01d0aaaa");
    let items = session.top().filter(|event| event.field(Slot::Turn).is_some());
    let items = items.filter(|event| event.case.map.row(b"started_at").is_some());
    let said: Vec<_> =
        items.filter_map(|event| event.text(Slot::Id).or_else(|| event.text(Slot::Call))).collect();
    let expected =
        ["item_01d00004", "item_01d00001", "item_01d00003", "item_01d00005", "item_01d00002"];
    assert_eq!(said, expected);
}

/// The input of a tool is in the event alone, and joins its item by the item's id (trap 1).
#[test]
fn a_call_of_the_store_has_its_input_and_its_answer() {
    let session = one("generations", "thr_01d0aaaa");
    let of = |kind| session.events().find(move |event| event.kind == kind).expect("an event");
    let (call, answer) = (of(Kind::ToolCall), of(Kind::ToolResult));
    assert_eq!(call.raw(Slot::Input), Some(&br#"{"cmd":"cargo test"}"#[..]));
    assert_eq!(answer.raw(Slot::Output), Some(&b"\"exit 101\""[..]));
    assert_eq!(call.text(Slot::Call), answer.text(Slot::Call));
}

fn events(numbers: &[u32], end: &str) -> Session {
    let line = |seq: &u32| {
        let of = format!(r#""timestamp":"{AT}","thread_id":"thr_1","event":"thread.updated""#);
        format!(r#"{{"schema_version":2,"seq":{seq},{of},"payload":{{}}}}"#)
    };
    let text = numbers.iter().map(line).collect::<Vec<_>>().join("\n") + end;
    testing::text(&CodeWhale, "events/thr_1.jsonl", &text)
}

/// A turn names its items (2.2). An item that it omits belongs to it all the same.
#[test]
fn a_turn_that_does_not_name_an_item_is_found() {
    let found = |ids: &str| {
        let turn = format!(r#"{{"id":"turn_1","thread_id":"thr_1","item_ids":[{ids}]}}"#);
        let item = r#"{"id":"item_1","turn_id":"turn_1","kind":"status","summary":"x"}"#;
        let member = |name: &str, text: &str| {
            session::Member::new(name, session::Stream::Main, text.into()).expect("short")
        };
        let members = vec![member("turns/turn_1.json", &turn), member("items/item_1.json", item)];
        rules(&testing::read(&CodeWhale, members)[0])
    };
    assert_eq!(found("\"item_1\",\"item_2\""), []);
    assert_eq!(found("\"item_2\""), [(1, Weight::Advice, ITEMS)]);
    assert_eq!(found(""), [(1, Weight::Advice, ITEMS)]);
}

const ITEMS: &str = "`item_ids` names the items of its turn";
const SEQ: &str = "`seq` rises from line to line";
const TAIL: &str = "a line ends with a newline, or it is cut at the next start";
const RECORD: &str = "a record is one JSON object; a store with another is refused";
const NAMED: &str = "`metadata.id` names the session";
/// Gaps are normal, but a `seq` that does not rise is a fault (trap 2). A last line without its
/// newline is not a record yet, whole or torn (trap 3). A torn line before it is a fault of the
/// store (2.3).
#[test]
fn each_rule_of_the_store_is_held() {
    assert_eq!(rules(&events(&[1, 5, 900], "\n")), []);
    assert_eq!(rules(&events(&[1, 5, 5], "\n")), [(3, Weight::Error, SEQ)]);
    assert_eq!(rules(&events(&[1, 5, 4], "\n")), [(3, Weight::Error, SEQ)]);
    let whole = events(&[1, 5], "");
    assert_eq!(rules(&whole), [(2, Weight::Advice, TAIL)]);
    assert_eq!(whole.event(1).standing, Standing::Rewound);
    assert_eq!(rules(&events(&[1], "\n{\"seq\":9,\"ti")), [(2, Weight::Advice, TAIL)]);
    assert_eq!(rules(&events(&[1], "\n{\"seq\":9,\"ti\n")), [(2, Weight::Error, RECORD)]);
    let nameless = document("", AT, &[], "").replace("\"id\":\"\",", "");
    let nameless = testing::text(&CodeWhale, "sessions/x.json", &nameless);
    assert_eq!(rules(&nameless), [(1, Weight::Error, NAMED)]);
}

/// Saved session and store record one conversation: content comes from the first, usage and status
/// from the second (trap 4).
#[test]
fn of_two_tellings_each_gives_what_it_is_best_for() {
    let session = one("joined", "3f6d0a52-9d1e-4c0b-8a77-51c2b0d4e9aa");
    assert_eq!(said(&session, Standing::Live), ["just fix it", "One round is enough."]);
    let turn = session.events().find(|event| event.case.name == "turn").expect("a turn");
    assert_eq!(turn.standing, Standing::Live);
    assert_eq!(turn.text(Slot::Status).as_deref(), Some("completed"));
    // Running totals of the head belong to no answer (trap 8).
    let counts = meaning::usage::counts(&session, CodeWhale.data().convention);
    assert_eq!(
        counts.iter().map(|count| (count.event, count.cost)).collect::<Vec<_>>(),
        [(turn.index, None)]
    );
    // Cache hits and misses are parts of the input (trap 11).
    assert_eq!(counts[0].tokens.input, Some(200));
    assert_eq!(counts[0].tokens.cache_read, Some(900));
}

/// A system prompt may have the summary of a compaction: it makes no event (trap 12).
#[test]
fn a_system_prompt_is_no_message() {
    let session = one("generations", "thr_01d0aaaa");
    assert!(said(&session, Standing::Live).iter().all(|said| !said.contains("compaction summary")));
}

/// Short ids are unique within their store only (trap 16).
#[test]
fn ids_of_two_stores_are_apart() {
    let thread = r#"{"id":"thr_1","model":"m","workspace":"/srv"}"#;
    let turn = r#"{"id":"turn_1","thread_id":"thr_1","item_ids":[]}"#;
    let item = r#"{"id":"item_1","turn_id":"turn_1","kind":"status"}"#;
    let event = r#"{"seq":1,"thread_id":"thr_1","event":"thread.started","payload":{}}"#;
    for store in ["/a/runtime", "/b/runtime"] {
        let at = |name: &str| format!("{store}/{name}");
        assert_eq!(claim(&at("threads/thr_1.json"), thread), main(&at("thr_1")));
        assert_eq!(claim(&at("turns/turn_1.json"), turn), beside(&at("turn_1")));
        assert_eq!(claim(&at("items/item_1.json"), item), beside(&at("turn_1")));
        assert_eq!(claim(&at("events/thr_1.jsonl"), event), beside(&at("thr_1")));
    }
}
