//! Sage's tools and their arguments.

use session::Statuses;

use crate::tools;
use crate::tools::{Results, Tool, Tools};

pub(super) static TOOLS: Tools = Tools { rows: ROWS, servers: &[], results: Results::NONE };

/// Status words, each with the outcome of the call.
pub(crate) static STATUSES: Statuses =
    Statuses { good: &["success"], failed: &["error"], ..Statuses::NONE };

const ROWS: &[Tool] = tools! {
    Shell ["run_shell"] {
        "command" => must(Command),
    }
    Read ["read_file"] {
        "path" => must(Path),
    }
    Write ["write_file"] {
        "path" => must(Path),
        "content" => must(Text),
    }
    Edit ["edit_file"] {
        "path" => must(Path),
        "old" => must(Old),
        "new" => must(New),
    }
    List ["list_files"] {
        "dir" => may(Path),
    }
    Other ["git_status", "git_diff"] {}
};
