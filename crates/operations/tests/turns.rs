//! Cost of receipts: those of all turns cost as much as the session, however many turns it has.
#![allow(clippy::unwrap_used)]

use receipt::SessionTurns;
use session::{Bundle, Member, Session, Stream};

/// A session of Codex with so many prompts, each answered.
fn session(turns: usize) -> Session {
    let mut text = String::from(
        "{\"timestamp\":\"2026-02-03T07:00:00Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\
         \"019c69e3-e30f-7ee3-9643-3355aabbccdd\",\"timestamp\":\"2026-02-03T07:00:00Z\",\
         \"cwd\":\"/srv/till\",\"originator\":\"codex_cli_rs\",\"cli_version\":\"0.98.0\"}}\n",
    );
    for turn in 0..turns {
        for (role, kind) in [("user", "input_text"), ("assistant", "output_text")] {
            text += &format!(
                "{{\"timestamp\":\"2026-02-03T07:00:01Z\",\"type\":\"response_item\",\"payload\":\
                 {{\"type\":\"message\",\"role\":\"{role}\",\"content\":[{{\"type\":\"{kind}\",\
                 \"text\":\"words {turn}\"}}]}}}}\n"
            );
        }
    }
    let member = Member::new("rollout-a.jsonl", Stream::Main, text.into_bytes()).unwrap();
    formats::by_name("codex").unwrap().read(std::sync::Arc::new(Bundle::of(member))).remove(0)
}

#[test]
fn receipts_of_all_turns_are_linear() {
    let one = session(3);
    assert_eq!(SessionTurns::of(&one).len(), 3);
    samples::assert_linear(150, |turns| {
        let session = session(turns);
        let turns = SessionTurns::of(&session);
        (1..=turns.len()).for_each(|number| drop(turns.receipt(number, true).unwrap()));
    });
}
