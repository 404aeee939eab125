//! Tests of the family: tasks and sessions, calls as text, what is in the context, whose a file is.

use meaning::Calls;
use meaning::turn::turns;
use session::{Injected, Kind, Outcome, Session, Slot, Standing, Stream};

use super::locate::{self, Kind as Agent};
use crate::claim::{Candidate, Claim, Role};
use crate::format::Format;
use crate::{testing, tools};

fn sample(name: &str) -> Session {
    let read = testing::open(&super::CLINE, &testing::samples(super::NAME, name));
    let [session] =
        <[Session; 1]>::try_from(read.sessions.into_values().flatten().collect::<Vec<_>>())
            .unwrap_or_else(|all| panic!("{} sessions", all.len()));
    session
}

fn prompts(session: &Session) -> Vec<String> {
    let opened = turns(session).into_iter().filter_map(|turn| turn.prompt);
    opened.map(|prompt| crate::texts::text_of(session.event(prompt)).into_owned()).collect()
}

/// The calls of the conversation: the name, the outcome of the result.
fn calls(session: &Session) -> Vec<(String, Option<Outcome>)> {
    let pairs = Calls::of(session);
    let live = session
        .events()
        .filter(|event| event.kind == Kind::ToolCall && event.standing() != Standing::Echo);
    let told = live.map(|call| {
        let result = pairs.result(call.index).map(|result| session.event(result));
        let name = call.text(Slot::Name).unwrap().into_owned();
        (name, result.and_then(|result| result.outcome()))
    });
    told.collect()
}

#[test]
fn calls_that_are_text_have_arguments_and_the_results_that_follow_them() {
    let session = sample("written");
    assert_eq!(session.id, "1735293600000");
    let (good, failed) = (Some(Outcome::Good), Some(Outcome::Failed));
    let expected = [
        ("read_file", good),
        ("replace_in_file", good),
        ("write_to_file", good),
        ("execute_command", Some(Outcome::Declined)),
        ("attempt_completion", good),
        ("list_files", failed),
        ("attempt_completion", None),
    ];
    let expected: Vec<_> = expected.map(|(name, outcome)| (name.to_owned(), outcome)).into();
    assert_eq!(calls(&session), expected);
    let write = session.events().find(|event| {
        event.kind == Kind::ToolCall && event.text(Slot::Name).as_deref() == Some("write_to_file")
    });
    let content =
        tools::input(write.unwrap(), |input| session::value::text_at(input, &["content"]));
    let text = "# Lamp\n\nIt blinks three times, see <code>blink</code>.";
    assert_eq!(content.as_deref(), Some(text));
    let changed: Vec<String> =
        super::changes::of(&session, &|_| true).into_iter().map(|(_, path, _)| path).collect();
    assert_eq!(changed, ["src/lamp.py", "docs/lamp.md"]);
}

/// Neither the name of the call nor the state of the editor says what became of a call.
#[test]
fn the_text_of_an_outcome_is_what_the_tool_said() {
    let session = sample("written");
    let texts: Vec<String> = session
        .events()
        .filter(|event| event.kind == Kind::ToolResult)
        .map(|result| {
            let text = crate::texts::text_of(result);
            crate::texts::outcome_text(result, &text).lines().next().unwrap_or_default().to_owned()
        })
        .collect();
    let expected = [
        "def blink(period):",
        "The content was successfully saved to src/lamp.py.",
        "The content was successfully saved to docs/lamp.md.",
        "The user denied this operation and provided the following feedback:",
        "The user has provided feedback on the results. Consider their input to continue the \
         task, and then attempt completion again.",
        "no such folder",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn what_a_person_answers_in_a_result_is_a_prompt() {
    let expected =
        ["Make the lamp blink three times", "Not now, the keeper sleeps.", "Also list the folder."];
    assert_eq!(prompts(&sample("written")), expected);
    let expected =
        ["Count the apple trees", "Write it down after all.", "Thank you, and the pears?"];
    assert_eq!(prompts(&sample("native")), expected);
    assert_eq!(prompts(&sample("session")), ["Mend the pier", "And the paint?"]);
    assert_eq!(prompts(&sample("screen")), ["Draw the tide table", "Go on"]);
}

#[test]
fn messages_without_times_have_those_of_the_screen() {
    let session = sample("written");
    let message = |event: &session::EventRef<'_>| event.field(Slot::Role).is_some();
    assert!(session.events().filter(message).all(|event| event.time().is_some()));
    let times = session.events().filter(message).filter_map(|event| event.time());
    assert!(times.is_sorted());
}

#[test]
fn the_screen_repeats_the_messages_and_is_the_conversation_without_them() {
    let standings = |name: &str, kind| -> Vec<Standing> {
        let session = sample(name);
        let shown = session.events().filter(|event| super::shown::is_item(event.case));
        shown.filter(|event| event.kind == kind).map(|event| event.standing()).collect()
    };
    for kind in [Kind::User, Kind::Assistant, Kind::Reasoning, Kind::ToolCall] {
        let echoes = standings("native", kind);
        assert!(!echoes.is_empty() && echoes.iter().all(|one| *one == Standing::Echo), "{kind:?}");
        let live = standings("screen", kind);
        assert!(!live.is_empty() && live.iter().all(|one| *one == Standing::Live), "{kind:?}");
    }
    // A list that is cut leaves the other one.
    assert_eq!(prompts(&sample("damaged")), ["Oil the hinges"]);
}

#[test]
fn what_the_agent_leaves_out_of_its_requests_is_compacted() {
    let session = sample("native");
    let cut = |event: &session::EventRef<'_>| event.standing() == Standing::Compacted;
    let names: Vec<_> = session.events().filter(cut).filter_map(|it| it.text(Slot::Name)).collect();
    assert_eq!(names, ["execute_command"]);
    let session = sample("session");
    let live: Vec<String> = session
        .top()
        .filter(|event| event.standing().is_live() && *event.stream() == Stream::Main)
        .filter(|event| matches!(event.kind, Kind::User | Kind::Assistant))
        .map(|event| crate::texts::text_of(event).into_owned())
        .filter(|text| !text.is_empty())
        .collect();
    let expected = [
        "Summary: the plan has 14 planks; nails were counted.",
        "The plan has 14 planks and 200 nails.",
        "And the paint?",
        "Two tins of paint.",
    ];
    assert_eq!(live, expected);
    let summary = session.events().find(|event| event.injected == Some(Injected::Summary));
    assert!(summary.is_some_and(|event| event.standing().is_live()));
}

#[test]
fn a_sessions_tools_say_whether_they_succeeded() {
    let session = sample("session");
    let outcomes: Vec<_> =
        calls(&session).into_iter().map(|(_, outcome)| outcome.unwrap()).collect();
    let (good, failed) = (Outcome::Good, Outcome::Failed);
    assert_eq!(outcomes, [good, failed, good, good, failed]);
    assert!(session.events().any(|event| matches!(event.stream(), Stream::Sub(_))));
    let branch = session.events().find_map(|event| event.text(Slot::Branch));
    assert_eq!(branch.as_deref(), Some("repairs"));
}

#[test]
fn the_path_says_whose_a_file_is() {
    let list = br#"[{"ts":1790000000123,"type":"say","say":"text","text":"hi"}]"#;
    let uuid = "6a1f0c52-9e34-4d7a-8c15-2f90ab37de61";
    let base = "Code/User/globalStorage";
    let cases = [
        (format!("{base}/saoudrizwan.claude-dev/tasks/{uuid}/ui_messages.json"), Agent::Cline),
        (format!("{base}/rooveterinaryinc.roo-cline/tasks/17/ui_messages.json"), Agent::RooCode),
        (format!("{base}/kilocode.kilo-code/tasks/17/ui_messages.json"), Agent::KiloCode),
        (format!("copied/tasks/{uuid}/ui_messages.json"), Agent::RooCode),
        ("copied/tasks/1790000000000/ui_messages.json".to_owned(), Agent::Cline),
        ("copied/file.json".to_owned(), Agent::Cline),
    ];
    for (path, agent) in cases {
        for kind in [Agent::Cline, Agent::RooCode, Agent::KiloCode] {
            let claim = locate::claim(&Candidate::of(&path, list), kind);
            let is_part = matches!(claim, Claim::Part { .. });
            assert_eq!(is_part, kind == agent, "{path}: {kind:?}: {claim:?}");
        }
    }
    // A plain list of messages is anybody's.
    let plain = br#"[{"role":"user","content":"hi"}]"#;
    assert_eq!(super::CLINE.claim(&Candidate::of("x/chat.json", plain)), Claim::No);
    let named = super::CLINE.claim(&Candidate::of("x/api_conversation_history.json", plain));
    assert_eq!(named, Claim::Part { group: "x".to_owned(), role: Role::Main });
}

#[test]
fn the_project_is_in_the_list_of_tasks_or_in_the_first_request() {
    let of = |name: &'static str, bytes: &'static [u8]| {
        let read = move |asked: &str| (asked == name).then(|| bytes.to_vec());
        locate::project("x/tasks/17/ui_messages.json", &read)
    };
    let listed = br#"[{"id":"16","cwdOnTaskInitialization":"/a"},{"id":"17","workspace":"/b"}]"#;
    assert_eq!(of("../../state/taskHistory.json", listed).as_deref(), Some("/b"));
    let told = br##"[{"role":"user","content":"# Current Working Directory (c:\\new) Files\n"}]"##;
    assert_eq!(of(locate::SENT, told).as_deref(), Some("c:\\new"));
    assert_eq!(of(locate::SENT, b"[]"), None);
}
