//! The case of a record, by its type and subtype.

use session::{Case, EventRef, Node, Shape, value};

use super::map;
use crate::agents::gemini;
use crate::injected;

/// The case of a line of a log, or of a document.
pub(super) fn record(node: Node<'_>) -> Option<&'static Case> {
    if node.word(map::UUID).is_none() {
        return match node.word(map::PARENT_SESSION).and(node.word(map::AGENT_ID)) {
            Some(_) => Some(&map::AGENT),
            None => gemini::record(node),
        };
    }
    let subtype = node.word(map::SUBTYPE);
    Some(match node.word(map::TYPE)? {
        // What was said in a call of the voice is in no request.
        b"user" | b"assistant" if subtype == Some(b"realtime_message") => &map::NOTE,
        b"user" => user(node, subtype),
        b"assistant" => &map::ANSWER,
        b"tool_result" => result(node),
        b"system" => system(node, subtype.unwrap_or_default()),
        _ => &map::NOTE,
    })
}

/// Whether an event is a record of a log.
pub(super) fn is_record(event: EventRef<'_>) -> bool {
    event.field(session::Slot::Id).is_some()
        && value::look(event.bytes(), |line| line.word(map::UUID).map(|_| ())).is_some()
}

/// A message in a person's place: only some were typed.
fn user(node: Node<'_>, subtype: Option<&[u8]>) -> &'static Case {
    let mut texts = node.at(map::PARTS).into_iter().flat_map(Node::elements);
    let mut is_report = || texts.any(|part| part.word(map::TEXT).is_some_and(injected::is_report));
    match subtype {
        None if node.word(map::PROVENANCE).is_none_or(|of| of == b"real_user") => &map::USER,
        Some(b"mid_turn_user_message") => &map::USER,
        Some(b"agent_launch_prompt") => &map::TASK,
        _ if is_report() => &map::REPORT,
        _ => &map::TOLD,
    }
}

/// A record of results. One that names its call is the result itself.
fn result(node: Node<'_>) -> &'static Case {
    let parts = || node.at(map::PARTS).into_iter().flat_map(Node::elements);
    let answers = parts().filter(|part| part.at(map::RESPONSE).is_some()).count();
    if node.word(map::RESULT_CALL).is_none() || answers > 1 {
        return &map::RESULTS;
    }
    let failed = |part: Node<'_>| {
        let said = || value::text_at(part, map::OUTPUT);
        part.at(map::FAULT).is_some() || gemini::tools::went_wrong(part.word(map::ANSWERED), said)
    };
    // A call that was not allowed has an error too.
    let is_declined = node.word(map::RESULT_STATUS) == Some(b"cancelled");
    if !is_declined && parts().any(failed) { &map::FAILED } else { &map::RESULT_CASE }
}

fn system(node: Node<'_>, subtype: &[u8]) -> &'static Case {
    match subtype {
        b"custom_title" => &map::TITLE,
        b"parent_session" => &map::PARENT_CASE,
        b"rewind" => &map::REWIND,
        b"slash_command" => &map::COMMAND,
        b"chat_compression" if is_list(node.at(map::COMPRESSED)) => &map::COMPRESSION,
        b"ui_telemetry" => match node.word(map::EVENT_NAME) {
            Some(name) if name.ends_with(b".api_response") => {
                let is_sub = node.word(map::EVENT_AGENT).is_some();
                if is_sub { &map::REPORTED_SUB } else { &map::REPORTED }
            }
            _ => &map::NOTE,
        },
        _ => &map::NOTE,
    }
}

fn is_list(node: Option<Node<'_>>) -> bool {
    node.is_some_and(|node| node.shape() == Shape::Array)
}

/// The case of a message of a compressed history.
pub(super) fn content(node: Node<'_>) -> Option<&'static Case> {
    match node.word(map::ROLE)? {
        b"user" => Some(&map::COMPRESSED_USER),
        _ => Some(&map::COMPRESSED_ANSWER),
    }
}
