//! Cursor's tools as its stores name them: the command line's, the desktop's, the transcripts'.

use session::Statuses;

use crate::tools;
use crate::tools::{Results, Shown, Tool, Tools};

/// Tools of servers are named `user-SERVER-TOOL` in transcripts and `mcp_SERVER_TOOL` elsewhere.
pub(super) static TOOLS: Tools =
    Tools { rows: ROWS, servers: &["user-", "mcp_", "mcp-"], results: RESULTS };

/// Status words, each with the outcome of the call.
pub(crate) static STATUSES: Statuses = Statuses {
    good: &["completed", "success"],
    failed: &["error", "failed", "failure", "timeout"],
    declined: &["rejected", "permissionDenied"],
    incomplete: &["cancelled", "aborted"],
    open: &["started", "loading", "pending", "running"],
    ..Statuses::NONE
};

/// The results of tools: an answer is JSON with the digests of the texts.
pub(super) const RESULTS: Results = Results { of: |_| None, rows: SHOWN };

const SHOWN: &[Shown] = tools! {
    results {
        "beforeContentId" => BeforeDigest,
        "afterContentId" => AfterDigest,
    }
};

const ROWS: &[Tool] = tools! {
    Shell ["Shell", "run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"] {
        "command" => must(Command),
        "description" => may(Description),
        "explanation" => may(Description),
        "working_directory" => may(Folder),
        "cwd" => may(Folder),
        "timeout" => may(Milliseconds),
        "block_until_ms" => may(Option),
        "is_background" => may(Background),
        "require_user_approval" => may(Option),
        "required_permissions" => may(Option),
    }
    Read ["Read", "read_file", "read_file_v2"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "target_file" => must(Path),
        "targetFile" => must(Path),
        "relativeWorkspacePath" => must(Path),
        "effectiveUri" => may(Option),
        "offset" => may(FirstLine),
        "limit" => may(Lines),
        "start_line_one_indexed" => may(FirstLine),
        "end_line_one_indexed_inclusive" => may(LastLine),
        "should_read_entire_file" => may(Option),
        "explanation" => may(Description),
        "charsLimit" => may(Option),
    }
    Write ["Write", "write"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "target_file" => must(Path),
        "relativeWorkspacePath" => must(Path),
        "contents" => must(Text),
        "content" => must(Text),
    }
    Edit ["StrReplace", "search_replace", "Edit"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "old_string" => must(Old),
        "new_string" => must(New),
        "replace_all" => may(All),
    }
    Edit ["MultiEdit"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "edits" => must(Edits),
    }
    // A sketch that another model turns into text; the newer one keeps what it wrote.
    Edit ["edit_file", "edit_file_v2"] {
        "target_file" => must(Path),
        "targetFile" => must(Path),
        "relativeWorkspacePath" => must(Path),
        "path" => must(Path),
        "instructions" => may(Description),
        "code_edit" => may(Option),
        "contents" => may(Option),
        "streamingContent" => may(Text),
        "noCodeblock" => may(Option),
        "cloudAgentEdit" => may(Option),
        "old_string" => may(Old),
        "new_string" => may(New),
    }
    Patch ["ApplyPatch", "apply_patch"] {
        "" => must(Patch),
        "patch" => must(Patch),
        "input" => must(Patch),
    }
    Notebook ["EditNotebook", "edit_notebook"] {
        "target_notebook" => must(Path),
        "cell_idx" => may(Option),
        "is_new_cell" => may(Option),
        "cell_language" => may(Option),
        "old_string" => may(Option),
        "new_string" => may(Option),
    }
    Delete ["Delete", "delete_file"] {
        "path" => must(Path),
        "target_file" => must(Path),
        "relativeWorkspacePath" => must(Path),
        "explanation" => may(Description),
    }
    Glob ["Glob", "glob_file_search", "file_search"] {
        "glob_pattern" => must(Pattern),
        "globPattern" => must(Pattern),
        "pattern" => must(Pattern),
        "query" => must(Pattern),
        "target_directory" => may(Path),
        "targetDirectory" => may(Path),
        "path" => may(Path),
        "explanation" => may(Description),
    }
    Grep ["Grep", "grep", "grep_search", "rg", "ripgrep", "ripgrep_raw_search"] {
        "pattern" => must(Pattern),
        "query" => must(Pattern),
        "path" => may(Path),
        "glob" => may(Files),
        "include_pattern" => may(Files),
        "exclude_pattern" => may(Option),
        "case_sensitive" => may(Option),
        "type" => may(Option),
        "output_mode" => may(Option),
        "head_limit" => may(Count),
        "multiline" => may(Option),
        "-A" => may(Option),
        "-B" => may(Option),
        "-C" => may(Option),
        "-i" => may(Option),
        "explanation" => may(Description),
    }
    Other ["SemanticSearch", "codebase_search"] {
        "query" => must(Query),
        "target_directories" => may(Paths),
        "explanation" => may(Description),
        "num_results" => may(Count),
    }
    List ["LS", "list_dir"] {
        "target_directory" => must(Path),
        "relative_workspace_path" => must(Path),
        "path" => must(Path),
        "ignore_globs" => may(Option),
        "explanation" => may(Description),
    }
    Fetch ["WebFetch", "web_fetch", "fetch"] {
        "url" => must(Url),
        "explanation" => may(Description),
    }
    Search ["WebSearch", "web_search"] {
        "search_term" => must(Query),
        "query" => must(Query),
        "explanation" => may(Description),
    }
    Todo ["TodoWrite", "todo_write"] {
        "todos" => must(Todos),
        "merge" => may(Option),
    }
    Task ["Task", "task_v2", "Agent"] {
        "description" => may(Description),
        "prompt" => must(Prompt),
        "subagent_type" => may(Agent),
        "subagentType" => may(Agent),
        "model" => may(Model),
        "readonly" => may(Option),
        "resume" => may(Id),
        "attachments" => may(Option),
        "run_in_background" => may(Background),
        "name" => may(Name),
    }
    Ask ["AskQuestion", "ask_question"] {
        "title" => may(Subject),
        "questions" => must(Questions),
    }
    Other ["ReadLints", "read_lints"] {
        "paths" => may(Paths),
    }
    Other ["CallMcpTool"] {
        "toolName" => must(Name),
        "server" => must(Option),
        "arguments" => may(Option),
    }
};
