//! Tests of the reader: the tree, compaction, forks, words, outcomes, detection.

use session::{Kind, Session, Slot, Standing};

use super::Pi;
use crate::claim::Claim;
use crate::testing;

fn sessions(sample: &str) -> Vec<Session> {
    let read = testing::open(&Pi, &testing::samples(super::NAME, sample));
    read.sessions.into_values().flatten().collect()
}

/// The texts in the context of a session, in their order.
fn live(session: &Session) -> Vec<String> {
    let said = |event: session::EventRef<'_>| {
        let is_live = event.standing().is_live() && event.kind != Kind::Notice;
        let said = event.said();
        (is_live && !said.is_empty()).then(|| said.lines().next().unwrap_or_default().to_owned())
    };
    session.top().filter_map(said).collect()
}

#[test]
fn the_context_is_the_path_from_the_last_line_behind_the_last_summary() {
    let session = sessions("tree").remove(0);
    assert_eq!(
        live(&session),
        [
            "## Goal",
            "The test expects the new threshold now.",
            "python -m pytest -q",
            "cat /var/log/lamp.log",
            "The deploy window opens at 18:00.",
            "How many files did we change, and is the log readable?",
            "Two files. The log is not readable here.",
        ]
    );
    let of = |text: &str| {
        let event = session.events().find(|event| event.said().starts_with(text)).expect("said");
        event.standing()
    };
    assert_eq!(of("Delete the test."), Standing::OtherBranch);
    assert_eq!(of("I delete it."), Standing::OtherBranch);
    assert_eq!(of("The lamp turns"), Standing::Compacted);
    assert_eq!(of("The person began"), Standing::Compacted);
    // An edit of the context took it out.
    assert_eq!(of("(a message that was sent"), Standing::Compacted);
    assert_eq!(session.first(Slot::Title).as_deref(), Some("Lamp at dusk"));
}

#[test]
fn version_one_names_the_first_kept_line_by_its_number() {
    let session = sessions("first").remove(0);
    assert_eq!(
        live(&session),
        [
            "The tide table has a title and a row for noon.",
            "Add a row for noon.",
            "Done.",
            "And one for midnight?",
            "Midnight is 0.4; say if I shall add it.",
        ]
    );
}

#[test]
fn a_fork_copies_what_is_older_than_it() {
    let all = sessions("forks");
    let copied =
        |session: &Session| session.top().filter(|event| event.standing.is_copied()).count();
    assert_eq!(all.iter().map(copied).collect::<Vec<_>>(), [0, 6]);
    let outcomes: Vec<_> = all[1]
        .events()
        .filter_map(|event| (event.kind == Kind::ToolResult).then(|| event.outcome())?)
        .collect();
    assert_eq!(outcomes, [session::Outcome::Good, session::Outcome::Declined]);
}

#[test]
fn a_lost_line_hides_nothing_and_an_unknown_one_stays_in_the_tree() {
    let session = sessions("damaged").into_iter().find(|it| it.id.starts_with("019c3e00")).unwrap();
    let live = live(&session);
    assert_eq!(live[0], "Count the steps of the tower.");
    assert_eq!(live.last().unwrap(), "Anything else?");
    assert!(session.top().all(|event| event.standing == Standing::Live));
}

#[test]
fn commands_and_summaries_are_worded_as_in_the_next_request() {
    let session = sessions("tree").remove(0);
    let worded: Vec<String> =
        session.events().filter_map(|event| Some(super::worded::worded(event)?.text)).collect();
    assert_eq!(worded[1], "Ran `python -m pytest -q`\n```\n1 passed\n```");
    assert_eq!(
        worded[2],
        "Ran `cat /var/log/lamp.log`\n```\n…the last lines\n```\n\nCommand exited with code 2\n\n\
         [Output truncated. Full output: /tmp/pi-bash-41.log]"
    );
    let summary = &worded[3];
    assert!(summary.starts_with("The conversation history before this point was compacted"));
    assert!(summary.ends_with("expects it.\n</summary>"));
    assert!(super::worded::bare_summary(summary).unwrap().starts_with("## Goal"));
}

#[test]
fn the_calls_of_a_script_are_in_its_result() {
    let session = sessions("tree").remove(0);
    let inner: Vec<_> =
        session.events().flat_map(super::turns::TURNS.inner).map(|call| call.id).collect();
    assert_eq!(inner, ["n1", "n1", "n2", "n2"]);
}

#[test]
fn a_file_is_claimed_by_its_content() {
    let claim = |path: &str, text: &str| testing::claim(&Pi, path, text.as_bytes());
    let header = r#"{"type":"session","id":"a","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}"#;
    let part = |claim: &Claim| matches!(claim, Claim::Part { .. });
    let named = "x/2026-01-01T00-00-00-000Z_a.jsonl";
    assert!(part(&claim(named, header)));
    // Nothing shows of which agent it is.
    assert_eq!(claim("x/any.jsonl", header), Claim::No);
    let entry = r#"{"type":"label","id":"1","parentId":null,"timestamp":"t","targetId":"0"}"#;
    assert!(part(&claim("x/any.jsonl", &format!("{header}\n{entry}"))));
    assert!(part(&claim(named, entry)));
    // Other agents' lines, and those of an agent that was made from this one.
    for other in [
        r#"{"type":"session.start","id":"a","data":{},"cwd":"/w"}"#,
        r#"{"type":"message","role":"user","content":"x"}"#,
        r#"{"type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#,
        r#"{"type":"session","id":"a","timestamp":"t","cwd":"/home/ana/.openclaw/workspace"}"#,
        r#"{"type":"session","version":0,"id":"a","createdAt":1787320263500,"cwd":"/w"}"#,
        "{\"type\":\"title\",\"v\":1,\"title\":\"\",\"pad\":\" \"}\n\
         {\"type\":\"session\",\"id\":\"a\",\"timestamp\":\"t\",\"cwd\":\"/w\"}",
        "[]",
    ] {
        assert_eq!(claim("x/any.jsonl", other), Claim::No, "{other}");
    }
    assert_eq!(claim("/h/.omp/agent/sessions/-/a.jsonl", header), Claim::No);
    let auth = claim("/h/.pi/agent/auth.json", "{}");
    assert!(matches!(auth, Claim::NoSession(_)), "{auth:?}");
}
