//! CodeWhale's tools: the older names, the newer ones, and their arguments.

use session::{Slot, Statuses};

use crate::tools;
use crate::tools::{Results, Shown, Tool, Tools};

pub(super) static TOOLS: Tools = Tools { rows: ROWS, servers: &["mcp_"], results: RESULTS };

/// Status words, each with the outcome of the call.
pub(crate) static STATUSES: Statuses = Statuses {
    good: &["completed"],
    failed: &["failed"],
    incomplete: &["interrupted", "canceled"],
    open: &["queued", "in_progress"],
    ..Statuses::NONE
};

/// The results of tools: an item's `metadata` in the runtime store.
pub(super) const RESULTS: Results = Results { of: |event| event.raw(Slot::Detail), rows: SHOWN };

const SHOWN: &[Shown] = tools! {
    results {
        "mutation" / "diff" => Diff,
        "mutation" / "files" => Kept,
        "mutation" / "renames" => Kept,
        "event" => Kept,
    }
};

const ROWS: &[Tool] = tools! {
    // The older ones may run in a folder or a session of their own.
    Shell ["bash", "exec_shell", "shell"] {
        "command" => must(Command),
        "cmd" => must(Command),
        "cwd" => may(Folder),
        "workdir" => may(Folder),
        "working_dir" => may(Folder),
        "session" => may(Id),
        "timeout" => may(Option),
        "timeout_ms" => may(Milliseconds),
        "background" => may(Background),
    }
    // No document says from which number `offset` counts.
    Read ["read", "read_file"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "offset" => may(Offset),
        "limit" => may(Lines),
        "start_line" => may(FirstLine),
        "max_lines" => may(Lines),
    }
    Write ["write", "write_file"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "content" => must(Text),
    }
    Edit ["edit"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "edits" => may(Edits),
        "oldText" => may(Old),
        "newText" => may(New),
    }
    Edit ["edit_file"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "search" => must(Old),
        "replace" => must(New),
    }
    Grep ["grep", "grep_files"] {
        "pattern" => must(Pattern),
        "q" => must(Pattern),
        "path" => may(Path),
        "include" => may(Files),
    }
    List ["ls", "list_dir"] {
        "path" => may(Path),
    }
    Search ["web_search"] {
        "query" => must(Query),
    }
};
