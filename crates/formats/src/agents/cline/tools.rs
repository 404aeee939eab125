//! The tools of the family, in all generations, and their arguments.

use session::{Outcome, Statuses};

use crate::tools;
use crate::tools::{Results, Tool, Tools};

pub(crate) static TOOLS: Tools =
    Tools { rows: ROWS, servers: &["mcp__", "mcp--"], results: Results::NONE };

/// The text of a result says what became of the call.
pub(crate) static STATUSES: Statuses = Statuses { told, refused: is_refused, ..Statuses::NONE };

/// Beginnings of the texts of calls that failed.
const FAILED: [&str; 6] = [
    "The tool execution failed",
    "Error executing",
    "Error reading",
    "Error writing",
    "Command execution was not successful",
    "[ERROR]",
];

/// A result without what names its call.
fn bare(answer: &str) -> &str {
    let named = answer.starts_with('[').then(|| answer.split_once("] Result:"));
    named.flatten().map_or(answer, |(_, behind)| behind).trim_start()
}

/// The text of an answer without what names its call, and without the state of the editor that is
/// behind it. Of a call that failed, the error alone.
pub(super) fn outcome_text(answer: &str) -> &str {
    let answer = bare(answer);
    let state = answer.split_once("<environment_details>");
    let answer = state.map_or(answer, |(before, _)| before).trim_end();
    let error = answer.strip_prefix(FAILED[0]).and_then(|rest| {
        let (_, error) = rest.split_once("<error>")?;
        error.split_once("</error>")
    });
    error.map_or(answer, |(error, _)| error.trim())
}

fn told(answer: &str) -> Option<Outcome> {
    let answer = bare(answer);
    let first = answer.lines().take(4).collect::<Vec<_>>().join("\n");
    let code = first.split_once("Exit code: ").map(|(_, code)| code);
    let exited = code.is_some_and(|code| !code.starts_with('0'));
    let says = |status: &str| answer.starts_with('{') && first.contains(status);
    let failed = exited
        || FAILED.iter().any(|start| answer.starts_with(start))
        || says("\"status\":\"error\"")
        || says("\"status\": \"error\"");
    failed.then_some(Outcome::Failed)
}

fn is_refused(answer: &str) -> bool {
    const REFUSED: [&str; 3] =
        ["The user denied this operation", "{\"status\":\"denied\"", "Skipping tool due to user"];
    let answer = bare(answer);
    REFUSED.iter().any(|start| answer.starts_with(start))
}

const ROWS: &[Tool] = tools! {
    Shell ["execute_command"] {
        "command" => must(Command),
        "cwd" => may(Folder),
        "requires_approval" => may(Option),
        "timeout" => may(Option),
        "task_progress" => may(Option),
    }
    // Several commands, one after the other.
    Shell ["run_commands"] {
        "commands" => must(Option),
    }
    Shell ["command"] {
        "" => must(Command),
    }
    Read ["read_file", "readFile"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "args" => must(Option),
        "files" => must(Option),
        "start_line" => may(FirstLine),
        "end_line" => may(LastLine),
        "offset" => may(Option),
        "limit" => may(Lines),
        "tool" => may(Option),
        "content" => may(Option),
        "operationIsLocatedInWorkspace" => may(Option),
        "task_progress" => may(Option),
    }
    Read ["read_files"] {
        "files" => must(Option),
    }
    Write ["write_to_file", "newFileCreated"] {
        "path" => must(Path),
        "absolutePath" => must(Path),
        "content" => must(Text),
        "line_count" => may(Option),
        "startLineNumbers" => may(Option),
        "tool" => may(Option),
        "operationIsLocatedInWorkspace" => may(Option),
        "task_progress" => may(Option),
    }
    Edit ["replace_in_file", "apply_diff", "editedExistingFile", "appliedDiff"] {
        "path" => must(Path),
        "absolutePath" => must(Path),
        "diff" => may(Patch),
        "content" => may(Patch),
        "startLineNumbers" => may(Option),
        "tool" => may(Option),
        "operationIsLocatedInWorkspace" => may(Option),
        "task_progress" => may(Option),
    }
    Edit ["editor"] {
        "path" => must(Path),
        "old_text" => may(Old),
        "new_text" => must(New),
        "insert_line" => may(Option),
    }
    Edit ["search_and_replace", "search_replace", "edit", "edit_file", "searchAndReplace"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "search" => may(Old),
        "old_string" => may(Old),
        "replace" => may(New),
        "new_string" => may(New),
        "replace_all" => may(All),
        "expected_replacements" => may(Occurrences),
        "use_regex" => may(Option),
        "ignore_case" => may(Option),
        "start_line" => may(Option),
        "end_line" => may(Option),
    }
    Edit ["insert_content", "insertContent"] {
        "path" => must(Path),
        "line" => may(Option),
        "content" => may(Option),
    }
    Patch ["apply_patch"] {
        "input" => must(Patch),
        "patch" => must(Patch),
    }
    Grep ["search_files", "searchFiles"] {
        "path" => must(Path),
        "regex" => must(Pattern),
        "file_pattern" => may(Files),
        "filePattern" => may(Files),
        "tool" => may(Option),
        "content" => may(Option),
        "operationIsLocatedInWorkspace" => may(Option),
        "task_progress" => may(Option),
    }
    Grep ["search_codebase"] {
        "queries" => must(Queries),
    }
    List ["list_files", "listFilesTopLevel", "listFilesRecursive"] {
        "path" => must(Path),
        "recursive" => may(Option),
        "tool" => may(Option),
        "content" => may(Option),
        "operationIsLocatedInWorkspace" => may(Option),
        "task_progress" => may(Option),
    }
    Other ["list_code_definition_names", "listCodeDefinitionNames"] {
        "path" => must(Option),
    }
    Other ["codebase_search", "codebaseSearch"] {
        "query" => must(Option),
        "path" => may(Option),
    }
    Delete ["fileDeleted"] {
        "path" => must(Path),
    }
    Fetch ["web_fetch", "webFetch"] {
        "url" => must(Url),
        "prompt" => may(Prompt),
    }
    Fetch ["fetch_web_content"] {
        "requests" => must(Option),
    }
    Search ["web_search", "webSearch"] {
        "query" => must(Query),
        "allowed_domains" => may(Option),
        "blocked_domains" => may(Option),
    }
    Todo ["update_todo_list", "updateTodoList"] {
        "todos" => must(Option),
    }
    Task ["new_task", "newTask"] {
        "mode" => may(Agent),
        "message" => may(Prompt),
        "context" => may(Prompt),
        "tool" => may(Option),
        "content" => may(Option),
        "todos" => may(Todos),
    }
    Task ["spawn_agent", "use_subagents"] {
        "task" => must(Prompt),
        "systemPrompt" => may(Option),
    }
    Ask ["ask_followup_question", "ask_question"] {
        "question" => must(Option),
        "options" => may(Option),
        "follow_up" => may(Option),
        "task_progress" => may(Option),
    }
    Mcp ["use_mcp_tool", "use_mcp_server", "access_mcp_resource"] {
        "server_name" => may(Option),
        "serverName" => may(Option),
        "tool_name" => may(Option),
        "toolName" => may(Option),
        "uri" => may(Option),
        "arguments" => may(Option),
        "type" => may(Option),
        "task_progress" => may(Option),
    }
    Other ["attempt_completion", "submit_and_exit"] {
        "result" => may(Report),
        "summary" => may(Report),
        "command" => may(Option),
        "verified" => may(Option),
        "task_progress" => may(Option),
    }
    Other ["plan_mode_respond"] {
        "response" => must(Report),
        "options" => may(Option),
        "needs_more_exploration" => may(Option),
        "task_progress" => may(Option),
    }
    Other ["browser_action", "browser_action_launch"] {
        "action" => may(Option),
        "url" => may(Option),
        "coordinate" => may(Option),
        "text" => may(Option),
        "size" => may(Option),
        "" => may(Option),
    }
    // An item of the screen with a tool that no table has.
    Other ["tool"] {
        "tool" => may(Option),
        "path" => may(Option),
        "content" => may(Option),
    }
    Other ["switch_mode", "switchMode"] {
        "mode_slug" => must(Option),
        "reason" => may(Option),
    }
    Other ["skills", "use_skill", "skill"] {
        "skill" => may(Skill),
        "skill_name" => may(Skill),
        "args" => may(Option),
    }
};
