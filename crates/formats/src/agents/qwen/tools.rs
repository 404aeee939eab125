//! Qwen Code's tools: their names in all versions, and their arguments.

use session::Slot;

/// Status words, which the agent has from the one that it was made from.
pub(super) use crate::agents::gemini::tools::STATUSES;
use crate::tools;
use crate::tools::{Results, Shown, Tool, Tools};

pub(crate) static TOOLS: Tools = Tools { rows: ROWS, servers: &["mcp__"], results: RESULTS };

/// The results of tools, for the screen.
const RESULTS: Results = Results { of: |result| result.raw(Slot::Detail), rows: SHOWN };

const SHOWN: &[Shown] = tools! {
    results {
        "originalContent" => Before,
        "newContent" => After,
        "fileDiff" => Diff,
        "filePath" => Path,
        "output" => Output,
        "error" => Failure,
        "exitCode" => Exit,
        "fileName" => Kept,
        "diffStat" => Kept,
        "type" => Kept,
        "version" => Kept,
        "directory" => Kept,
        "outcome" => Kept,
        "signal" => Kept,
        "pid" => Kept,
        "outputFiles" => Kept,
        "text" => Kept,
        "notices" => Kept,
        "truncated" => Kept,
        "todos" => Kept,
        "subagentName" => Kept,
        "taskDescription" => Kept,
        "taskPrompt" => Kept,
        "executionMode" => Kept,
        "status" => Kept,
        "subagentSessionReady" => Kept,
    }
};

const ROWS: &[Tool] = tools! {
    Shell ["run_shell_command"] {
        "command" => must(Command),
        "description" => may(Description),
        "directory" => may(Folder),
        "is_background" => may(Background),
        "timeout" => may(Milliseconds),
    }
    Read ["read_file"] {
        "file_path" => must(Path),
        "absolute_path" => must(Path),
        "path" => must(Path),
        "offset" => may(SkippedLines),
        "limit" => may(Lines),
        "pages" => may(Option),
    }
    Write ["write_file"] {
        "file_path" => must(Path),
        "content" => must(Text),
        "record_as_artifact" => may(Option),
    }
    Edit ["edit", "replace"] {
        "file_path" => must(Path),
        "old_string" => must(Old),
        "new_string" => must(New),
        "replace_all" => may(All),
        "expected_replacements" => may(Occurrences),
    }
    Glob ["glob"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
    }
    Grep ["grep_search", "search_file_content"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "glob" => may(Files),
        "include" => may(Files),
        "limit" => may(Count),
    }
    List ["list_directory"] {
        "path" => must(Path),
        "ignore" => may(Option),
        "file_filtering_options" => may(Option),
    }
    Fetch ["web_fetch"] {
        "url" => must(Url),
        "prompt" => may(Prompt),
        "format" => may(Option),
    }
    Search ["web_search"] {
        "query" => must(Query),
        "max_results" => may(Count),
    }
    Todo ["todo_write"] {
        "todos" => must(Todos),
    }
    Task ["agent", "task"] {
        "prompt" => must(Prompt),
        "description" => may(Description),
        "subagent_type" => may(Agent),
        "todo_id" => may(Option),
        "fork_tools" => may(Option),
        "fork_profile" => may(Option),
        "run_in_background" => may(Option),
        "isolation" => may(Option),
    }
    Ask ["ask_user_question"] {
        "questions" => must(Questions),
        "metadata" => may(Option),
    }
    Other ["skill"] {
        "skill" => must(Skill),
        "args" => may(Option),
    }
    Other ["save_memory"] {
        "fact" => must(Message),
        "scope" => may(Option),
    }
    Other ["exit_plan_mode"] {
        "plan" => must(Plan),
        "originalRequest" => may(Option),
        "researchSummary" => may(Option),
    }
    Other ["task_stop"] {
        "task_id" => must(Id),
    }
};
