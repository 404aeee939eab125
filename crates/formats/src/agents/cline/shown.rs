//! The case of an item of the screen.

use session::{Case, Node, Slot, value};

use super::map::{self, ORDER};

macro_rules! calls {
    ($($answered:literal),*; $($name:literal),* $(,)?) => {
        static CALLS: &[(&str, Case)] = &[
            $(($answered, map::shown_call(&[(Slot::Name, $answered), (Slot::Call, ORDER)])),)*
            $(($name, map::shown_call(&[(Slot::Name, $name)])),)*
        ];
    };
}

// What is not the value of `tool` in the text of an item is its own `say` or `ask`. The screen has
// outputs of the first two alone.
calls![
    "command",
    "use_mcp_server";
    "browser_action",
    "browser_action_launch",
    "tool",
    "readFile",
    "newFileCreated",
    "editedExistingFile",
    "appliedDiff",
    "fileDeleted",
    "insertContent",
    "searchAndReplace",
    "searchFiles",
    "listFilesTopLevel",
    "listFilesRecursive",
    "listCodeDefinitionNames",
    "codebaseSearch",
    "webFetch",
    "webSearch",
    "updateTodoList",
    "newTask",
    "switchMode",
];

fn call(name: &str) -> Option<&'static Case> {
    CALLS.iter().find(|(known, _)| *known == name).map(|(_, case)| case)
}

/// The case of an item.
pub(super) fn item(node: Node<'_>) -> &'static Case {
    let (say, ask) = (node.word(map::SAY), node.word(map::ASK));
    let is_empty = || node.word(map::TEXT).is_none_or(<[u8]>::is_empty);
    match say.or(ask).unwrap_or_default() {
        b"task" | b"user_feedback" => &map::SHOWN_USER,
        b"text" if node.at(map::IMAGES).is_some() => &map::SHOWN_USER,
        b"text" => &map::SHOWN_ANSWER,
        b"completion_result" if say.is_some() => &map::SHOWN_ANSWER,
        b"followup" | b"plan_mode_respond" => &map::SHOWN_ANSWER,
        b"reasoning" => &map::SHOWN_THOUGHT,
        b"tool" => tool(node),
        name @ (b"command" | b"use_mcp_server" | b"browser_action" | b"browser_action_launch") => {
            str::from_utf8(name).ok().and_then(call).unwrap_or(&map::SHOWN_NOTE)
        }
        b"command_output" | b"mcp_server_response" if !is_empty() => &map::SHOWN_OUTPUT,
        b"api_req_started" | b"deleted_api_reqs" | b"condense_context" => &map::REQUEST,
        _ => &map::SHOWN_NOTE,
    }
}

/// The case of a call of a tool, which the text names.
fn tool(node: Node<'_>) -> &'static Case {
    let text = node.word(map::TEXT).map(value::unescape);
    let named = text.and_then(|text| {
        value::look(text.as_bytes(), |input| call(&value::text_at(input, map::TOOL)?))
    });
    named.or_else(|| call("tool")).unwrap_or(&map::SHOWN_NOTE)
}

/// Whether a case is that of an item of the screen.
pub(super) fn is_item(case: &'static Case) -> bool {
    [map::SHOWN_NOTE.name, map::REQUEST.name].contains(&case.name)
}
