//! Tests of the reader: the chain, compression, forks, outcomes, tokens, detection.

use meaning::usage::{Counting, Part, counts};
use session::{EventRef, Injected, Kind, Outcome, Session, Slot, Standing};

use super::Qwen;
use crate::agents::gemini::Gemini;
use crate::claim::{Claim, Role};
use crate::format::Format;
use crate::testing;

fn sessions(sample: &str) -> Vec<Session> {
    let read = testing::open(&Qwen, &testing::samples(super::NAME, sample));
    read.sessions.into_values().flatten().collect()
}

/// The first lines of the texts in the context of a session, in their order.
fn live(session: &Session) -> Vec<String> {
    let said = |event: EventRef<'_>| {
        let is_live = event.standing().is_live() && event.kind != Kind::Notice;
        let said = event.said();
        let own = is_live && event.stream() == &session::Stream::Main && !said.is_empty();
        own.then(|| said.lines().next().unwrap_or_default().to_owned())
    };
    session.top().filter_map(said).collect()
}

fn standing_of(session: &Session, text: &str) -> Standing {
    let said = |event: &EventRef<'_>| event.said().starts_with(text);
    session.events().find(said).expect("said").standing()
}

#[test]
fn the_context_begins_with_the_last_compression_and_what_it_kept() {
    let log = sessions("log").remove(0);
    assert_eq!(
        live(&log),
        [
            "<state_snapshot>",
            "Got it. Thanks for the additional context!",
            "Recently accessed file (full current content embedded):",
            "<task-notification>",
            "The helper found no file with weights.",
            "Is this the crate that we weigh?",
            "It is one red pixel. I see no crate.",
        ]
    );
    assert_eq!(standing_of(&log, "Delete the ledger"), Standing::Rewound);
    assert_eq!(standing_of(&log, "The total counts"), Standing::Compacted);
    assert_eq!(log.first(Slot::Title).as_deref(), Some("Last row of the harvest"));
    let echoes = log.top().filter(|event| event.standing == Standing::Echo);
    assert_eq!(echoes.filter(|event| event.kind != Kind::Notice).count(), 2);
}

#[test]
fn a_call_ends_as_its_status_or_its_output_says() {
    let log = sessions("log").remove(0);
    let ends = |session: &Session| -> Vec<Option<Outcome>> {
        let results = session.events().filter(|event| event.kind == Kind::ToolResult);
        results.map(EventRef::outcome).collect()
    };
    let (good, failed) = (Some(Outcome::Good), Some(Outcome::Failed));
    let declined = Some(Outcome::Declined);
    assert_eq!(ends(&log), [good, good, failed, declined, good, failed]);
    let text = |status: &str, said: &str| {
        format!(
            "{{\"uuid\":\"r\",\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"tool_result\",\
             \"message\":{{\"parts\":[{{\"functionResponse\":{{\"id\":\"c\",\
             \"name\":\"run_shell_command\",\"response\":{{\"output\":\"{said}\"}}}}}}]}},\
             \"toolCallResult\":{{\"callId\":\"c\",\"status\":\"{status}\"}}}}\n"
        )
    };
    // An older version gives a command that failed the status of a success.
    for (said, end) in [("Output: x\\nExit Code: 2", failed), ("Output: x\\nExit Code: 0", good)] {
        assert_eq!(ends(&testing::text(&Qwen, "a.jsonl", &text("success", said))), [end]);
    }
}

#[test]
fn an_answer_counts_once_and_a_report_alone_counts_too() {
    let log = sessions("log").remove(0);
    let all = counts(&log, Qwen.data().convention);
    let counted = all.iter().filter(|count| count.verdict == Counting::Counted);
    let of = |part| counted.clone().filter(|count| count.part == part).count();
    // Seven answers and the summary; two answers of the sub-agent.
    assert_eq!((of(Part::Main), of(Part::SubAgent)), (8, 2));
    let total: u64 = counted.clone().map(|count| count.tokens.total()).sum();
    let reports = all.iter().filter(|count| log.event(count.event).kind == Kind::Notice);
    assert_eq!(total, reports.map(|count| count.tokens.total()).sum::<u64>());
}

#[test]
fn a_fork_says_what_it_copied() {
    let fork = sessions("log").remove(1);
    let copied = fork.top().filter(|event| event.standing == Standing::Copied).count();
    assert_eq!(copied, 6);
    assert_eq!(standing_of(&fork, "The test is right"), Standing::Live);
    let parent = fork.first(Slot::ParentSession);
    assert_eq!(parent.as_deref(), Some("6b1f0c52-9e34-4d7a-8c15-2f90ab37de61"));
}

/// A record with a text, in a chain.
fn record(id: &str, parent: &str, kind: &str, parts: &str) -> String {
    format!(
        "{{\"uuid\":\"{id}\",\"parentUuid\":{parent},\"sessionId\":\"s\",\"type\":\"{kind}\",\
         \"message\":{{\"role\":\"user\",\"parts\":[{parts}]}}}}\n"
    )
}

#[test]
fn a_lost_parent_is_the_line_before_and_a_rewind_begins_anew() {
    let said = |text: &str| format!("{{\"text\":\"{text}\"}}");
    let one = record("a", "null", "user", &said("one"));
    let two = record("b", "\"lost\"", "user", &said("two"));
    let session = testing::text(&Qwen, "a.jsonl", &[&*one, &two].concat());
    assert_eq!(live(&session), ["one", "two"]);
    let rewind = "{\"uuid\":\"r\",\"parentUuid\":\"gone\",\"sessionId\":\"s\",\"type\":\"system\",\
                  \"subtype\":\"rewind\",\"systemPayload\":{}}\n";
    let anew = record("c", "\"r\"", "user", &said("anew"));
    let session = testing::text(&Qwen, "a.jsonl", &[&*one, &two, rewind, &anew].concat());
    assert_eq!(live(&session), ["anew"]);
    assert_eq!(standing_of(&session, "two"), Standing::Rewound);
    let other = record("d", "\"a\"", "user", &said("other"));
    let session = testing::text(&Qwen, "a.jsonl", &[&*one, &two, &other].concat());
    assert_eq!(standing_of(&session, "two"), Standing::OtherBranch);
}

#[test]
fn a_prompt_that_a_command_of_an_editor_answered_is_not_in_the_context() {
    let asked = record("a", "null", "user", "{\"text\":\"/about\"}");
    let answer = |sent: &str| {
        format!(
            "{{\"uuid\":\"b\",\"parentUuid\":\"a\",\"sessionId\":\"s\",\"type\":\"system\",\
             \"subtype\":\"slash_command\",\"systemPayload\":{{\"phase\":\"result\",\
             \"rawCommand\":\"/about\",\"sentToModel\":{sent},\
             \"outputHistoryItems\":[{{\"type\":\"assistant\"}}]}}}}\n"
        )
    };
    for (sent, injected) in [("false", Some(Injected::Context)), ("true", None)] {
        let session = testing::text(&Qwen, "a.jsonl", &[&*asked, &answer(sent)].concat());
        assert_eq!(session.event(0).injected, injected, "{sent}");
    }
}

/// The results of calls that were made together are one message of the history, and two records.
#[test]
fn a_message_of_a_compressed_history_repeats_several_records() {
    let answer = |id: &str| {
        format!("{{\"functionResponse\":{{\"id\":\"{id}\",\"response\":{{\"output\":\"{id}\"}}}}}}")
    };
    let calls = "{\"functionCall\":{\"id\":\"x\",\"name\":\"glob\"}},\
                 {\"functionCall\":{\"id\":\"y\",\"name\":\"glob\"}}";
    let result = |id: &str, parent: &str, call: &str| {
        let line = record(id, parent, "tool_result", &answer(call));
        line.replace("]}}", &format!("]}},\"toolCallResult\":{{\"callId\":\"{call}\"}}}}"))
    };
    let lines = [
        record("a", "null", "user", "{\"text\":\"go\"}"),
        record("b", "\"a\"", "assistant", calls),
        result("c", "\"b\"", "x"),
        result("d", "\"c\"", "y"),
        format!(
            "{{\"uuid\":\"e\",\"parentUuid\":\"d\",\"sessionId\":\"s\",\"type\":\"system\",\
             \"subtype\":\"chat_compression\",\"systemPayload\":{{\"compressedHistory\":[\
             {{\"role\":\"user\",\"parts\":[{{\"text\":\"sum\"}}]}},\
             {{\"role\":\"model\",\"parts\":[{calls}]}},\
             {{\"role\":\"user\",\"parts\":[{},{}]}}]}}}}\n",
            answer("x"),
            answer("y")
        ),
    ];
    let session = testing::text(&Qwen, "a.jsonl", &lines.concat());
    let outline = testing::outline(&session);
    let results = session.top().filter(|event| event.kind == Kind::ToolResult);
    assert_eq!(results.filter(|event| event.standing().is_live()).count(), 2, "{outline:?}");
    assert_eq!(standing_of(&session, "go"), Standing::Compacted);
    assert_eq!(session.top().last().map(|event| event.kind), Some(Kind::ToolResult));
}

#[test]
fn a_document_is_of_the_home_that_it_is_in_else_of_its_answers() {
    let document = |kind: &str| {
        format!(
            "{{\n\"sessionId\":\"d\",\"projectHash\":\"0f\",\"startTime\":\"2025-11-08T09:15:02Z\",\
             \"messages\":[{{\"id\":\"1\",\"type\":\"user\",\"content\":\"hi\"}},\
             {{\"id\":\"2\",\"type\":\"{kind}\",\"content\":\"Hello.\"}}]}}"
        )
    };
    let whose = |path: &str, kind: &str| {
        let text = document(kind);
        let of = |format: &dyn Format| {
            testing::claim(format, path, text.as_bytes())
                == Claim::Part { group: "d".to_owned(), role: Role::Main }
        };
        (of(&Gemini), of(&Qwen))
    };
    let name = "tmp/0f/chats/session-2025-11-08T09-15-d.json";
    for (home, kind, expected) in [
        (".qwen", "qwen", (false, true)),
        (".qwen", "gemini", (false, true)),
        (".qwen", "info", (false, true)),
        (".gemini", "gemini", (true, false)),
        (".gemini", "qwen", (false, true)),
        (".gemini", "info", (true, false)),
        ("copied", "qwen", (false, true)),
        ("copied", "info", (true, false)),
    ] {
        assert_eq!(whose(&format!("/h/{home}/{name}"), kind), expected, "{home} {kind}");
    }
}
