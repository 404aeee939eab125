//! The tools of the family, and their arguments.

use session::{Outcome, Statuses};

use crate::tools;
use crate::tools::{Results, Tool, Tools};

/// The tools of all agents of the family: an extension of one may be a tool of another.
pub(crate) static TOOLS: Tools = Tools { rows: &ROWS, servers: &["mcp__"], results: Results::NONE };

/// The tools of Pi itself, for the calls that it gets from other agents.
pub(super) static OWN: Tools =
    Tools { rows: OWN_ROWS, servers: &["mcp__"], results: Results::NONE };

/// A result marks an error. Its text says whether the call was stopped, or not let through.
pub(crate) static STATUSES: Statuses = Statuses {
    refused: is_refused,
    stopped: is_stopped,
    told: |_| None::<Outcome>,
    ..Statuses::NONE
};

/// The text of a call that an extension did not let through, without a reason of its own.
const BLOCKED: &str = "Tool execution was blocked";

fn is_refused(answer: &str) -> bool {
    answer.starts_with(BLOCKED)
}

/// Whether the person stopped a call.
fn is_stopped(answer: &str) -> bool {
    let last = answer.trim_end().lines().last().unwrap_or_default();
    matches!(last, "Command aborted" | "Operation aborted")
}

/// The beginnings of the results of calls that never ran.
pub(super) const NOT_RUN: &[&str] = &[
    BLOCKED,
    "Skipped due to queued user message",
    "Validation failed for tool",
    "Tool not found",
];

/// The script tool, whose calls are in its result.
pub(super) const SCRIPT: &str = "codemode";

/// The rows of both tables.
static ROWS: [Tool; OWN_ROWS.len() + MORE_ROWS.len()] = {
    let mut all = [OWN_ROWS[0]; OWN_ROWS.len() + MORE_ROWS.len()];
    let mut at = 0;
    while at < all.len() {
        let more = at.wrapping_sub(OWN_ROWS.len());
        all[at] = if at < OWN_ROWS.len() { OWN_ROWS[at] } else { MORE_ROWS[more] };
        at += 1;
    }
    all
};

const OWN_ROWS: &[Tool] = tools! {
    Shell ["bash"] {
        "command" => must(Command),
        "timeout" => may(Seconds),
    }
    Read ["read"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "offset" => may(FirstLine),
        "from" => may(FirstLine),
        "limit" => may(Lines),
    }
    Write ["write"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "content" => must(Text),
    }
    // One edit in 2025, and a list since.
    Edit ["edit"] {
        "path" => must(Path),
        "file_path" => must(Path),
        "edits" => may(Edits),
        "oldText" => may(Old),
        "newText" => may(New),
        "old_string" => may(Old),
        "new_string" => may(New),
    }
    Grep ["grep"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "glob" => may(Files),
        "ignoreCase" => may(Option),
        "literal" => may(Option),
        "context" => may(Option),
        "limit" => may(Count),
    }
    Glob ["find"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "limit" => may(Count),
    }
    List ["ls"] {
        "path" => may(Path),
        "limit" => may(Count),
    }
    Other ["codemode"] {
        "" => must(Code),
    }
};

/// The tools of OpenClaw and oh-my-pi.
const MORE_ROWS: &[Tool] = tools! {
    Shell ["exec"] {
        "command" => must(Command),
        "workdir" => may(Folder),
        "timeout" => may(Seconds),
        "yieldMs" => may(Option),
        "background" => may(Background),
        "pty" => may(Option),
        "elevated" => may(Option),
        "host" => may(Option),
        "security" => may(Option),
        "ask" => may(Option),
        "env" => may(Option),
    }
    Other ["process"] {
        "action" => must(Option),
        "sessionId" => may(Id),
        "timeout" => may(Milliseconds),
        "offset" => may(Option),
        "limit" => may(Option),
        "data" => may(Keys),
        "keys" => may(Option),
    }
    Search ["web_search"] {
        "query" => must(Query),
        "count" => may(Count),
        "search_lang" => may(Option),
        "freshness" => may(Option),
        "country" => may(Option),
    }
    Fetch ["web_fetch"] {
        "url" => must(Url),
        "extractMode" => may(Option),
        "maxChars" => may(Option),
    }
    Task ["sessions_spawn"] {
        "task" => must(Prompt),
        "label" => may(Description),
        "agentId" => may(Agent),
        "model" => may(Model),
    }
    Other ["memory_search"] {
        "query" => must(Query),
        "maxResults" => may(Count),
    }
    Other ["memory_get"] {
        "path" => must(Path),
        "from" => may(FirstLine),
        "lines" => may(Lines),
    }
    Other ["agents_list"] {}
    Other ["browser"] {
        "action" => must(Option),
        "targetUrl" => may(Url),
    }
    Other ["cron"] {
        "action" => must(Option),
        "job" => may(Option),
        "jobId" => may(Id),
    }
    Other ["gateway", "nodes", "subagents"] {
        "action" => must(Option),
        "reason" => may(Option),
    }
    Other ["sessions_list"] {
        "limit" => may(Count),
        "messageLimit" => may(Option),
    }
    Other ["tts"] {
        "text" => must(Message),
        "voice" => may(Option),
        "lang" => may(Option),
    }
    // oh-my-pi
    Task ["task"] {
        "tasks" => must(Option),
        "agent" => may(Agent),
        "context" => may(Option),
    }
};
