//! Copilot's tools: their names in all versions, and their arguments; and the ends of commands in
//! the texts of results.

use session::{Outcome, Statuses};

use crate::tools;
use crate::tools::{Results, Tool, Tools};

pub(super) static TOOLS: Tools =
    Tools { rows: ROWS, servers: &["github-mcp-server-", "mcp_"], results: Results::NONE };

/// Status words, each with the outcome of the call: the codes of errors, and the types of results
/// in the documents of 2025.
pub(crate) static STATUSES: Statuses = Statuses {
    good: &["success"],
    failed: &["failure", "timeout"],
    declined: &["denied", "rejected"],
    told,
    ..Statuses::NONE
};

/// The line behind a command's output, with its exit code.
const ENDS: [&[u8]; 2] = [b"<exited with exit code ", b" completed with exit code "];

/// The exit code of a command in the text of its result: the last line has it.
fn exit_code(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii_end();
    let text = text.strip_suffix(b">")?;
    let tail = &text[text.len().saturating_sub(200)..];
    let behind = ENDS.iter().find_map(|mark| {
        let at = memchr::memmem::rfind(tail, mark)?;
        Some(&tail[at + mark.len()..])
    })?;
    std::str::from_utf8(behind).ok()?.parse().ok()
}

/// Whether a text (as written or plain) ends with another exit code than 0.
pub(super) fn exits_badly(text: &[u8]) -> bool {
    exit_code(text).is_some_and(|code| code != 0)
}

/// The outcome in the text of a result.
fn told(text: &str) -> Option<Outcome> {
    exit_code(text.as_bytes()).map(|code| if code == 0 { Outcome::Good } else { Outcome::Failed })
}

const ROWS: &[Tool] = tools! {
    Shell ["bash", "powershell", "shell", "local_shell"] {
        "command" => must(Command),
        "description" => may(Description),
        "timeout" => may(Seconds),
        "initial_wait" => may(Option),
        "mode" => may(Option),
        "async" => may(Background),
        "detach" => may(Option),
        "sessionId" => may(Id),
        "shellId" => may(Id),
    }
    // Both are of a command that runs on.
    Other ["read_bash", "read_powershell"] {
        "shellId" => must(Id),
        "sessionId" => must(Id),
        "delay" => may(Option),
    }
    Other ["write_bash", "write_powershell"] {
        "input" => must(Keys),
        "shellId" => must(Id),
        "sessionId" => must(Id),
        "delay" => may(Option),
    }
    Other ["stop_bash", "stop_powershell"] {
        "shellId" => must(Id),
        "sessionId" => must(Id),
    }
    Other ["list_bash", "list_powershell"] {}
    // A range is a list of two lines, from 1; the last one may be -1.
    Read ["view"] {
        "path" => must(Path),
        "view_range" => may(Option),
        "forceReadLargeFiles" => may(Option),
    }
    Write ["create"] {
        "path" => must(Path),
        "file_text" => must(Text),
    }
    Edit ["edit", "str_replace"] {
        "path" => must(Path),
        "old_str" => must(Old),
        "new_str" => must(New),
    }
    // One tool for reading, writing and editing, until the end of 2025.
    Edit ["str_replace_editor"] {
        "path" => must(Path),
        "command" => must(Option),
        "file_text" => may(Text),
        "old_str" => may(Old),
        "new_str" => may(New),
        "insert_line" => may(Option),
        "view_range" => may(Option),
    }
    Patch ["apply_patch"] {
        "" => must(Patch),
        "input" => must(Patch),
        "patch" => must(Patch),
        "explanation" => may(Description),
    }
    Glob ["glob"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "paths" => may(Paths),
    }
    Grep ["grep", "rg"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "paths" => may(Paths),
        "glob" => may(Files),
        "type" => may(Option),
        "output_mode" => may(Option),
        "head_limit" => may(Count),
        "multiline" => may(Option),
        "-i" => may(Option),
        "-n" => may(Option),
        "-A" => may(Option),
        "-B" => may(Option),
        "-C" => may(Option),
    }
    Fetch ["web_fetch"] {
        "url" => must(Url),
        "max_length" => may(Option),
        "start_index" => may(Option),
        "raw" => may(Option),
    }
    Search ["web_search"] {
        "query" => must(Query),
    }
    Task ["task"] {
        "prompt" => must(Prompt),
        "description" => may(Description),
        "agent_type" => may(Agent),
        "name" => may(Name),
        "model" => may(Model),
        "mode" => may(Option),
    }
    Other ["read_agent", "write_agent", "list_agents", "stop_agent"] {
        "agent_id" => may(Id),
        "message" => may(Message),
        "wait" => may(Option),
        "timeout" => may(Option),
    }
    Todo ["update_todo"] {
        "todos" => must(Todos),
    }
    Ask ["ask_user"] {
        "question" => must(Subject),
        "choices" => may(Option),
        "allow_freeform" => may(Option),
    }
    Other ["report_intent"] {
        "intent" => must(Description),
    }
    Other ["task_complete"] {
        "summary" => must(Message),
    }
    Other ["store_memory"] {
        "fact" => must(Message),
        "subject" => may(Subject),
        "citations" => may(Option),
        "reason" => may(Option),
        "category" => may(Option),
    }
    Other ["skill"] {
        "skill" => must(Skill),
    }
    Other ["think"] {
        "thought" => must(Message),
    }
    Other ["exit_plan_mode"] {
        "summary" => may(Plan),
    }
    Other ["sql", "session_store_sql"] {
        "query" => must(Query),
        "description" => may(Description),
        "database" => may(Option),
    }
    Other ["fetch_copilot_cli_documentation"] {}
    // The tools of the editor's extension.
    Shell ["run_in_terminal"] {
        "command" => must(Command),
        "explanation" => may(Description),
        "goal" => may(Option),
        "isBackground" => may(Background),
        "mode" => may(Option),
        "timeout" => may(Milliseconds),
    }
    Other ["get_terminal_output"] {
        "id" => must(Id),
    }
    Read ["read_file"] {
        "filePath" => must(Path),
        "startLine" => may(FirstLine),
        "endLine" => may(LastLine),
        "offset" => may(Offset),
        "limit" => may(Lines),
    }
    Write ["create_file"] {
        "filePath" => must(Path),
        "content" => must(Text),
    }
    Edit ["replace_string_in_file"] {
        "filePath" => must(Path),
        "oldString" => must(Old),
        "newString" => must(New),
        "explanation" => may(Description),
    }
    Grep ["grep_search"] {
        "query" => must(Pattern),
        "isRegexp" => may(Option),
        "includePattern" => may(Files),
        "maxResults" => may(Count),
    }
    Glob ["file_search"] {
        "query" => must(Pattern),
        "maxResults" => may(Count),
    }
    Other ["semantic_search"] {
        "query" => must(Query),
    }
    List ["list_dir"] {
        "path" => must(Path),
    }
    Other ["fetch_webpage"] {
        "urls" => must(Option),
        "query" => may(Query),
    }
    Todo ["manage_todo_list"] {
        "todoList" => may(Todos),
        "operation" => may(Option),
    }
    Task ["runSubagent"] {
        "prompt" => must(Prompt),
        "description" => may(Description),
        "agentName" => may(Agent),
    }
};
