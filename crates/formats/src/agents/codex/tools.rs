//! Codex' tools: their names in all versions, and their arguments. If versions differ in a
//! command's name (`command`, `cmd`), one row has both: each may be a list of words or one text.

use session::{Outcome, Slot, Statuses, value};

use crate::tools;
use crate::tools::{Results, Shown, Tool, Tools};

pub(super) static TOOLS: Tools = Tools { rows: ROWS, servers: &["mcp__"], results: RESULTS };

/// Status words, each with the outcome of the call.
pub(crate) static STATUSES: Statuses = Statuses {
    good: &["completed", "success"],
    failed: &["failed"],
    declined: &["declined"],
    incomplete: &["incomplete", "interrupted"],
    open: &["in_progress", "inProgress"],
    told,
    refused: is_refused,
    ..Statuses::NONE
};

/// The results of tools: the changes of an applied patch, by file.
pub(super) const RESULTS: Results = Results { of: |event| event.raw(Slot::Changes), rows: SHOWN };

/// In `FileChange` items the kind is within an object.
const SHOWN: &[Shown] = tools! {
    results {
        "type" => Change,
        "kind" / "type" => Change,
        "content" => After,
        "unified_diff" => Diff,
        "diff" => Diff,
        "move_path" => MovedTo,
        "kind" / "move_path" => MovedTo,
    }
};

const ROWS: &[Tool] = tools! {
    // A list of words; some models give one text.
    Shell ["shell", "container.exec"] {
        "command" => must(Words),
        "cmd" => must(Words),
        "workdir" => may(Folder),
        "timeout" => may(Milliseconds),
        "timeout_ms" => may(Milliseconds),
        "with_escalated_permissions" => may(Option),
        "sandbox_permissions" => may(Option),
        "justification" => may(Option),
        "prefix_rule" => may(Option),
        "login" => may(Option),
    }
    Shell ["shell_command"] {
        "command" => must(Command),
        "workdir" => may(Folder),
        "timeout_ms" => may(Milliseconds),
        "with_escalated_permissions" => may(Option),
        "sandbox_permissions" => may(Option),
        "additional_permissions" => may(Option),
        "justification" => may(Option),
        "prefix_rule" => may(Option),
        "login" => may(Option),
    }
    Shell ["local_shell", "local_shell_call"] {
        "command" => must(Words),
        "type" => may(Option),
        "working_directory" => may(Folder),
        "timeout_ms" => may(Milliseconds),
        "env" => may(Option),
        "user" => may(Option),
    }
    Shell ["exec_command"] {
        "cmd" => must(Command),
        "workdir" => may(Folder),
        "yield_time_ms" => may(Option),
        "max_output_tokens" => may(Option),
        "shell" => may(Option),
        "login" => may(Option),
        "tty" => may(Option),
        "sandbox_permissions" => may(Option),
        "additional_permissions" => may(Option),
        "justification" => may(Option),
        "prefix_rule" => may(Option),
    }
    Shell ["unified_exec"] {
        "input" => must(Words),
        "session_id" => may(Id),
        "timeout_ms" => may(Milliseconds),
    }
    Other ["write_stdin"] {
        "chars" => may(Keys),
        "session_id" => must(Id),
        "yield_time_ms" => may(Option),
        "max_output_tokens" => may(Option),
    }
    // A program in the agent's own scripting language.
    Other ["exec"] {
        "" => must(Code),
    }
    Other ["wait"] {
        "cell_id" => must(Id),
        "yield_time_ms" => may(Option),
        "max_tokens" => may(Option),
        "terminate" => may(Option),
    }
    Patch ["apply_patch"] {
        "" => must(Patch),
        "input" => must(Patch),
        "patch" => must(Patch),
    }
    Other ["view_image"] {
        "path" => must(Path),
        "detail" => may(Option),
    }
    Todo ["update_plan"] {
        "explanation" => may(Description),
        "plan" => must(Todos),
    }
    Search ["web_search", "web_search_call"] {
        "query" => may(Query),
        "queries" => may(Queries),
        "url" => may(Url),
        "pattern" => may(Pattern),
        "type" => may(Option),
        "engine" => may(Option),
        "max_results" => may(Count),
        "num_results" => may(Count),
    }
    Other ["tool_search", "tool_search_call"] {
        "query" => may(Query),
        "limit" => may(Count),
    }
    // Asks the person to install what would help.
    Other ["tool_suggest"] {
        "tool_id" => must(Id),
        "tool_type" => may(Option),
        "action_type" => may(Option),
        "suggest_reason" => may(Description),
    }
    Other ["image_generation", "image_generation_call"] {
        "" => may(Prompt),
        "prompt" => may(Prompt),
    }
    Task ["spawn_agent"] {
        "task_name" => may(Name),
        "message" => must(Prompt),
        "agent_type" => may(Agent),
        "fork_turns" => may(Option),
        "fork_context" => may(Option),
        "items" => may(Option),
        "model" => may(Model),
        "reasoning_effort" => may(Option),
    }
    Other ["send_message", "send_input", "followup_task"] {
        "target" => may(Id),
        "id" => may(Id),
        "message" => must(Message),
        "items" => may(Option),
        "interrupt" => may(Option),
    }
    Other ["wait_agent", "interrupt_agent", "resume_agent", "close_agent", "list_agents"] {
        "target" => may(Id),
        "targets" => may(Option),
        "id" => may(Id),
        "ids" => may(Option),
        "timeout_ms" => may(Milliseconds),
        "path_prefix" => may(Option),
    }
    Ask ["request_user_input"] {
        "questions" => must(Questions),
    }
    Other ["update_goal", "create_goal", "get_goal"] {
        "objective" => may(Prompt),
        "status" => may(Option),
        "token_budget" => may(Option),
    }
    List ["list_dir"] {
        "dir_path" => must(Path),
        "offset" => may(Option),
        "limit" => may(Count),
        "depth" => may(Option),
    }
    Read ["read_file"] {
        "file_path" => must(Path),
        "offset" => may(FirstLine),
        "limit" => may(Lines),
        "mode" => may(Option),
        "indentation" => may(Option),
    }
    Grep ["grep_files"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "include" => may(Files),
        "limit" => may(Count),
    }
    Other ["list_mcp_resources", "list_mcp_resource_templates"] {
        "server" => may(Name),
    }
    Other ["read_mcp_resource"] {
        "uri" => must(Url),
        "server" => must(Name),
    }
};

/// Prefixes of the line with a command's exit code, and the number of an answer's first lines in
/// which it is searched.
const CODES: &[&str] = &["Exit code: ", "Process exited with code "];
const HEAD: usize = 6;

/// The agent's texts for a command or a patch that the person did not allow.
fn is_refused(answer: &str) -> bool {
    let first = answer.lines().next().unwrap_or_default();
    ["exec command rejected by user", "patch rejected by user"].contains(&first.trim_end())
        || first.ends_with("Rejected(\"rejected by user\")")
}

/// Path of the exit code in an answer that is JSON.
const EXIT: &[&str] = &["metadata", "exit_code"];

/// The outcome in the text of an answer: older versions write JSON with the exit code, newer ones a
/// line.
pub(super) fn told(answer: &str) -> Option<Outcome> {
    let of_code = |code: &str| if code == "0" { Outcome::Good } else { Outcome::Failed };
    if answer.starts_with('{') {
        let told = |answer: session::Node<'_>| Some(answer.at(EXIT)?.raw() == b"0");
        let well = value::look(answer.as_bytes(), told)?;
        return Some(of_code(if well { "0" } else { "1" }));
    }
    let code = answer.lines().take(HEAD).find_map(|line| {
        let code = CODES.iter().find_map(|start| line.strip_prefix(start))?.trim_end();
        code.parse::<i64>().is_ok().then_some(code)
    });
    code.map(of_code)
}
