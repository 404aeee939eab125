//! Threads of several rollouts: they are joined whatever their headers say.

use session::{JsonFault, Kind, Member, Session, Standing, Stream};

use crate::agents::codex::Codex;
use crate::testing;

const THREAD: &str = "01a1c478-9800-7000-8000-0000000000a1";

/// A rollout: its id and its lines, each with an ordinal and a second.
struct Rollout {
    id: String,
    lines: Vec<String>,
}

/// A base: a rollout's id, an ordinal, a byte.
type Base<'a> = (&'a str, u32, usize);

impl Rollout {
    /// A rollout of the thread that begins at this ordinal and minute.
    fn new(id: &str, ordinal: u32, minute: u32, base: Option<Base<'_>>) -> Self {
        let base = base.map_or(String::new(), |(id, ordinal, byte)| {
            format!(r#","history_base":{{"thread_id":"{id}","end_ordinal_exclusive":{ordinal},"#)
                + &format!(r#""end_byte_offset":{byte}}}"#)
        });
        let mut rollout = Self { id: id.into(), lines: Vec::new() };
        let header = format!(r#"{{"id":"{THREAD}"{base}}}"#);
        rollout.put(ordinal, minute, "session_meta", &header);
        rollout
    }

    fn put(&mut self, ordinal: u32, minute: u32, kind: &str, payload: &str) {
        let time = format!("2026-11-10T08:{minute:02}:00.000Z");
        self.lines.push(format!(
            r#"{{"timestamp":"{time}","ordinal":{ordinal},"type":"{kind}","payload":{payload}}}"#
        ));
    }

    /// A prompt.
    fn ask(mut self, ordinal: u32, minute: u32, text: &str) -> Self {
        let block = format!(r#"{{"type":"input_text","text":"{text}"}}"#);
        let item = format!(r#"{{"type":"message","role":"user","content":[{block}]}}"#);
        self.put(ordinal, minute, "response_item", &item);
        self
    }

    fn with(mut self, ordinal: u32, minute: u32, kind: &str, payload: &str) -> Self {
        self.put(ordinal, minute, kind, payload);
        self
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Length up to a line, in bytes.
    fn upto(&self, line: usize) -> usize {
        self.lines[..line].iter().map(|line| line.len() + 1).sum()
    }

    fn member(&self) -> Member {
        let thread = if self.id == THREAD { String::new() } else { format!("{THREAD}_") };
        let name = format!("10/rollout-2026-11-10T09-00-00-{thread}{}.jsonl", self.id);
        member(&name, &self.text())
    }
}

fn member(name: &str, text: &str) -> Member {
    Member::new(name, Stream::Main, text.as_bytes().to_vec()).expect("a member")
}

/// Reads the members in both orders. Returns the first session.
fn read(members: &[Member]) -> Session {
    let turned = members.iter().rev().cloned().collect();
    let session = testing::read(&Codex, members.to_vec()).remove(0);
    let again = testing::read(&Codex, turned).remove(0);
    assert_eq!(told(&session), told(&again));
    session
}

/// The prompts in source order, each with its standing.
fn told(session: &Session) -> String {
    let said = session.top().filter(|event| !event.said().is_empty());
    let words = said.map(|event| match event.standing {
        Standing::Live => event.said().into_owned(),
        other => format!("{} ({})", event.said(), other.word()),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn notes(session: &Session) -> Vec<JsonFault> {
    session.notes.iter().map(|note| note.why).collect()
}

/// The first rollout: three prompts.
fn first() -> Rollout {
    Rollout::new(THREAD, 0, 0, None).ask(1, 1, "a").ask(2, 2, "b").ask(3, 3, "c")
}

#[test]
fn a_chain_is_one_history_and_what_was_left_is_rewound() {
    let first = first();
    let second = Rollout::new("r1", 3, 4, Some((THREAD, 3, first.upto(3)))).ask(4, 5, "d");
    let whole = second.upto(2);
    let second = second.ask(5, 6, "e");
    let third = Rollout::new("r2", 5, 7, Some(("r1", 5, whole))).ask(6, 8, "f");
    let session = read(&[first.member(), second.member(), third.member()]);
    assert_eq!(session.id, THREAD);
    assert_eq!(told(&session), "a, b, c (rewound), d, e (rewound), f");
    assert_eq!(notes(&session), []);
    // Reverted to an earlier place: the thread left all of the two rollouts.
    let back = Rollout::new("r3", 2, 9, Some((THREAD, 2, first.upto(2)))).ask(3, 10, "g");
    let session = read(&[first.member(), second.member(), third.member(), back.member()]);
    let left = "a, b (rewound), c (rewound), d (rewound), e (rewound), f (rewound), g";
    assert_eq!(told(&session), left);
    // No event of a rollout that was left is live, its header included.
    let live = session.events().filter(|event| event.standing == Standing::Live);
    assert_eq!(live.count(), 4);
}

#[test]
fn an_order_is_told_by_headers_and_not_by_names() {
    let first = Rollout::new("z", 0, 0, None).ask(1, 1, "a");
    let second = Rollout::new("b", 2, 2, Some(("z", 2, first.upto(2)))).ask(3, 0, "b");
    let third = Rollout::new("c", 4, 2, Some(("b", 4, second.upto(2)))).ask(5, 0, "c");
    assert_eq!(told(&read(&[first.member(), second.member(), third.member()])), "a, b, c");
}

#[test]
fn where_no_line_ends_the_ordinal_tells() {
    let first = first();
    let at = |ordinal: u32, byte: usize| {
        let second = Rollout::new("r1", 3, 4, Some((THREAD, ordinal, byte))).ask(4, 5, "d");
        let session = read(&[first.member(), second.member()]);
        (told(&session), notes(&session))
    };
    let cut = "a, b, c (rewound), d".to_owned();
    assert_eq!(at(3, first.upto(3)), (cut.clone(), vec![]));
    assert_eq!(at(3, first.upto(3) - 1), (cut.clone(), vec![JsonFault::NoPlace]));
    assert_eq!(at(3, first.upto(2) + 7), (cut.clone(), vec![JsonFault::NoPlace]));
    assert_eq!(at(3, 1 << 40), (cut, vec![JsonFault::NoPlace]));
    assert_eq!(at(9, 1 << 40), ("a, b, c, d".into(), vec![JsonFault::NoPlace]));
    // The byte decides, whatever the ordinal says: the whole base, and none of it.
    assert_eq!(at(1, first.upto(4)), ("a, b, c, d".into(), vec![]));
    assert_eq!(at(9, 0), ("a (rewound), b (rewound), c (rewound), d".into(), vec![]));
    // Without an ordinal, the records that end before the byte are inherited.
    let base = format!(r#"{{"thread_id":"{THREAD}","end_byte_offset":{}}}"#, first.upto(3) + 9);
    let header = format!(r#"{{"id":"{THREAD}","history_base":{base}}}"#);
    let mut second = Rollout { id: "r1".into(), lines: Vec::new() };
    second.put(3, 4, "session_meta", &header);
    let session = read(&[first.member(), second.ask(4, 5, "d").member()]);
    assert_eq!(
        (told(&session), notes(&session)),
        ("a, b, c (rewound), d".into(), vec![JsonFault::NoPlace])
    );
}

#[test]
fn a_base_that_is_not_there_is_a_note_and_a_fork_has_none() {
    let session = read(&[Rollout::new("r1", 3, 4, Some(("r0", 3, 9))).ask(4, 5, "d").member()]);
    assert_eq!((told(&session), notes(&session)), ("d".into(), vec![JsonFault::NoBase]));
    // Another rollout of the thread may be part of its history: it stays live.
    let first = first();
    let lost = Rollout::new("r1", 3, 4, Some(("r0", 3, 9))).ask(4, 5, "d");
    let session = read(&[first.member(), lost.member()]);
    assert_eq!((told(&session), notes(&session)), ("a, b, c, d".into(), vec![JsonFault::NoBase]));
    let fork = Rollout::new(THREAD, 3, 4, Some(("another", 3, 9))).ask(4, 5, "d");
    let session = read(&[fork.member()]);
    assert_eq!((told(&session), notes(&session)), ("d".into(), vec![]));
}

#[test]
fn no_rollout_goes_on_from_itself() {
    let base = |id: &'static str| Some((id, 2, 1));
    let own = Rollout::new("r1", 0, 0, base("r1")).ask(1, 1, "a");
    assert_eq!(told(&read(&[own.member()])), "a");
    let circle = [("r1", "r2"), ("r2", "r3"), ("r3", "r1")]
        .map(|(id, from)| Rollout::new(id, 0, 0, base(from)).ask(1, 1, id).member());
    let session = read(&circle);
    assert!(session.events().any(|event| event.standing == Standing::Live));
    assert!(notes(&session).contains(&JsonFault::NoPlace));
}

#[test]
fn what_is_there_twice_is_told_once() {
    let first = first();
    let copy = member(&format!("11/rollout-2026-11-10T09-00-00-{THREAD}.jsonl"), &first.text());
    assert_eq!(
        told(&read(&[first.member(), copy.clone()])),
        "a, b, c, a (echo), b (echo), c (echo)"
    );
    // An earlier state, and a file that diverged.
    let text = first.text();
    let copy =
        |text: &str| member(&format!("old/rollout-2026-11-10T09-00-00-{THREAD}.jsonl"), text);
    let session = read(&[first.member(), copy(&text[..first.upto(2)])]);
    assert_eq!(told(&session), "a, b, c, a (echo)");
    let parted = Rollout::new(THREAD, 0, 0, None).ask(1, 1, "a").ask(2, 2, "x");
    let session = read(&[first.member(), copy(&parted.text())]);
    assert_eq!(told(&session), "a, b, c, a (echo), x (rewound)");
}

#[test]
fn files_with_other_names_are_no_copies() {
    let first = first();
    let second = Rollout::new("r1", 4, 4, Some((THREAD, 4, first.upto(4)))).ask(5, 5, "d");
    let session = read(&[member("1.jsonl", &first.text()), member("2.jsonl", &second.text())]);
    assert_eq!((told(&session), notes(&session)), ("a, b, c, d".into(), vec![]));
    let third = Rollout::new("r2", 6, 6, Some(("r1", 6, second.upto(2)))).ask(7, 7, "e");
    let renamed = [(&first, "1.jsonl"), (&second, "2.jsonl"), (&third, "3.jsonl")];
    let session = read(&renamed.map(|(rollout, name)| member(name, &rollout.text())));
    assert_eq!(
        (told(&session), notes(&session)),
        ("a, b, c, d, e".into(), vec![JsonFault::NoBase])
    );
    // The same name, and no line in common.
    let other = Rollout::new(THREAD, 0, 9, None).ask(1, 10, "x");
    let name = format!("old/rollout-2026-11-10T09-00-00-{THREAD}.jsonl");
    let session = read(&[first.member(), member(&name, &other.text())]);
    assert_eq!(told(&session), "a, b, c, x");
}

#[test]
fn compactions_and_rollbacks_reach_into_the_rollouts_before() {
    let first = first();
    let begin = || Rollout::new("r1", 3, 4, Some((THREAD, 3, first.upto(3))));
    let back = r#"{"type":"thread_rolled_back","num_turns":2}"#;
    let second = begin().ask(4, 5, "d").with(5, 6, "event_msg", back).ask(6, 7, "e");
    let session = read(&[first.member(), second.member()]);
    assert_eq!(told(&session), "a, b (rewound), c (rewound), d (rewound), e");
    let summary = r#"{"message":"","replacement_history":[]}"#;
    let second = begin().with(4, 5, "compacted", summary).ask(5, 6, "d");
    let session = read(&[first.member(), second.member()]);
    assert_eq!(told(&session), "a (compacted), b (compacted), c (rewound), d");
    // A compaction that was reverted replaces nothing.
    let first = first.with(4, 4, "compacted", summary);
    let second = Rollout::new("r1", 4, 5, Some((THREAD, 4, first.upto(4)))).ask(5, 6, "d");
    assert_eq!(told(&read(&[first.member(), second.member()])), "a, b, c, d");
}

/// The UI event is in one rollout, and the model's history repeats it in the next or the previous.
#[test]
fn an_echo_is_known_beyond_the_end_of_its_rollout() {
    let asked = |text: &str| format!(r#"{{"type":"user_message","message":"{text}"}}"#);
    let gave = r#"{"type":"function_call_output","call_id":"c1","output":"ok"}"#;
    let ended = r#"{"type":"exec_command_end","call_id":"c1","aggregated_output":"ok"}"#;
    let first = Rollout::new(THREAD, 0, 0, None)
        .ask(1, 1, "a")
        .with(2, 2, "response_item", gave)
        .with(3, 3, "event_msg", &asked("b"));
    let base = Some((THREAD, 4, first.upto(4)));
    let second = Rollout::new("r1", 4, 4, base)
        .with(5, 5, "event_msg", &asked("a"))
        .with(6, 6, "event_msg", ended)
        .with(7, 7, "event_msg", &asked("c"))
        .ask(8, 8, "b");
    let session = read(&[first.member(), second.member()]);
    assert_eq!(told(&session), "a, b (echo), a (echo), c, b");
    let results = session.top().filter(|event| event.kind == Kind::ToolResult);
    let results: Vec<_> = results.map(|event| event.standing).collect();
    assert_eq!(results, [Standing::Live, Standing::Echo]);
    // A rewound message is not the repeated one.
    let first = first.ask(4, 4, "c");
    let session = read(&[first.member(), second.member()]);
    assert_eq!(told(&session), "a, b (echo), c (rewound), a (echo), c, b");
}
