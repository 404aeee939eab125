//! OpenCode's tools: their names in both generations, and their arguments.

use session::{Slot, Statuses};

use crate::tools;
use crate::tools::{Results, Shown, Tool, Tools};

pub(super) static TOOLS: Tools = Tools { rows: ROWS, servers: &[], results: RESULTS };

/// Status words, each with the outcome of the call.
pub(crate) static STATUSES: Statuses = Statuses {
    // `result` is the first generation's word for a call that was answered.
    good: &["completed", "success", "result"],
    failed: &["error"],
    open: &["pending", "running", "streaming", "call", "partial-call"],
    refused: is_refused,
    ..Statuses::NONE
};

/// The agent's texts for a call that the person, or a rule, did not allow.
fn is_refused(answer: &str) -> bool {
    let answer = answer.strip_prefix("Error: ").unwrap_or(answer);
    answer.starts_with("The user rejected permission to use this specific tool call")
        || answer.starts_with("The user has specified a rule which prevents you from using this")
        // The whole answer of the archived product, which gives up the other calls then.
        || answer == "Permission denied"
}

/// The results of tools: the `metadata` of a call's state.
pub(super) const RESULTS: Results = Results { of: |event| event.raw(Slot::Detail), rows: SHOWN };

const SHOWN: &[Shown] = tools! {
    results {
        "filediff" => File,
        "files" => Files,
        "exists" => Existed,
        "exit" => Exit,
        "filePath" => Path,
        "filepath" => Path,
        "file" => Path,
        "path" => Path,
        "relativePath" => Path,
        "type" => Change,
        "before" => Before,
        "after" => After,
        "diff" => Diff,
        "patch" => Diff,
        "movePath" => MovedTo,
        "move_path" => MovedTo,
        "additions" => Kept,
        "deletions" => Kept,
        "diagnostics" => Kept,
        "truncated" => Kept,
        "preview" => Kept,
        // The shown text again, for the screen; and the files of instructions that came with it.
        "display" => Kept,
        "loaded" => Kept,
        "description" => Kept,
        "output" => Kept,
        "outputPath" => Kept,
        "stdout" => Kept,
        // The call then is an error, too.
        "interrupted" => Kept,
        "source" => Kept,
        // The providers' own, of the model's part.
        "anthropic" => Kept,
        "openai" => Kept,
    }
};

const ROWS: &[Tool] = tools! {
    Shell ["bash", "shell"] {
        "command" => must(Command),
        "description" => may(Description),
        "workdir" => may(Folder),
        "cwd" => may(Folder),
        "timeout" => may(Milliseconds),
        "background" => may(Background),
    }
    // The first line is 0 in older versions and 1 in newer ones: `offset` has no common meaning.
    Read ["read", "view"] {
        "filePath" => must(Path),
        "file_path" => must(Path),
        "path" => must(Path),
        "offset" => may(Offset),
        "limit" => may(Lines),
    }
    Write ["write"] {
        "filePath" => must(Path),
        "file_path" => must(Path),
        "path" => must(Path),
        "content" => must(Text),
    }
    Edit ["edit"] {
        "filePath" => must(Path),
        "file_path" => must(Path),
        "path" => must(Path),
        "oldString" => must(Old),
        "old_string" => must(Old),
        "newString" => must(New),
        "new_string" => must(New),
        "replaceAll" => may(All),
        "replace_all" => may(All),
        "content" => may(Option),
    }
    Edit ["multiedit"] {
        "filePath" => must(Path),
        "edits" => must(Edits),
    }
    Patch ["apply_patch", "patch"] {
        "patchText" => must(Patch),
        "patch_text" => must(Patch),
    }
    Glob ["glob"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "limit" => may(Count),
    }
    Grep ["grep"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "include" => may(Files),
        "literal_text" => may(Option),
        "limit" => may(Count),
    }
    List ["list", "ls"] {
        "path" => may(Path),
        "ignore" => may(Option),
    }
    Fetch ["webfetch", "fetch"] {
        "url" => must(Url),
        "format" => may(Option),
        "timeout" => may(Seconds),
    }
    Search ["websearch", "codesearch"] {
        "query" => must(Query),
        "numResults" => may(Count),
        "tokensNum" => may(Option),
        "type" => may(Option),
        "livecrawl" => may(Option),
        "contextMaxCharacters" => may(Option),
    }
    Todo ["todowrite"] {
        "todos" => must(Todos),
    }
    Other ["todoread", "plan_enter", "plan_exit", "invalid"] {
        "tool" => may(Name),
        "error" => may(Option),
    }
    Task ["task", "subagent"] {
        "description" => must(Description),
        "prompt" => must(Prompt),
        "subagent_type" => may(Agent),
        "agent" => may(Agent),
        "task_id" => may(Id),
        "session_id" => may(Id),
        "command" => may(Option),
        "background" => may(Background),
    }
    // The agent of the first generation, which has no kinds of agents.
    Task ["agent"] {
        "prompt" => must(Prompt),
    }
    Ask ["question"] {
        "questions" => must(Questions),
    }
    Other ["skill"] {
        "name" => must(Skill),
        "id" => must(Skill),
    }
    Other ["batch"] {
        "calls" => may(Option),
        "tool_calls" => may(Option),
    }
    Other ["lsp"] {
        "filePath" => must(Path),
        "operation" => must(Option),
        "line" => may(Option),
        "character" => may(Option),
    }
    Other ["diagnostics"] {
        "file_path" => may(Path),
    }
};
