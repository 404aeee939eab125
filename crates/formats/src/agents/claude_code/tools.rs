//! Claude Code's tools: their names in all versions, and their arguments.

use session::{EventRef, NO_EVENT, Statuses};

use crate::tools;
use crate::tools::{Results, Shown, Tool, Tools};

pub(super) static TOOLS: Tools = Tools { rows: ROWS, servers: &["mcp__"], results: RESULTS };

/// The signs of a call that was not allowed. The line of an answer has the kind of the denial since
/// 2.1.2xx, and the first of these words where a person refused; else the answer has a fixed text.
pub(crate) static STATUSES: Statuses = Statuses {
    refused: is_refused,
    stopped: is_stopped,
    refused_by: &[("toolDenialKind", ""), ("toolUseResult", "User rejected tool use")],
    ..Statuses::NONE
};

/// The beginnings of the texts with which a person, a rule, or the classifier refused a call.
const REFUSED: &[&str] = &[
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "Permission for this action was denied",
    "Permission for this action has been denied",
];

/// Whether an answer corrects itself: since 2.1.3xx that of a call that the person stopped begins
/// like a refusal.
fn is_stopped(answer: &str) -> bool {
    answer.contains("this call was stopped while running, not refused before it ran")
}

fn is_refused(answer: &str) -> bool {
    if is_stopped(answer) {
        return false;
    }
    let answer = answer.strip_prefix("Error: ").unwrap_or(answer);
    let first = answer.lines().next().unwrap_or_default();
    let by_rule = first.starts_with("Permission to use ") && first.contains(" denied");
    let not_granted = first.starts_with("Claude requested permissions to ")
        && first.contains("but you haven't granted it yet");
    by_rule || not_granted || REFUSED.iter().any(|start| answer.starts_with(start))
}

/// The results of tools: the line's `toolUseResult`.
pub(super) const RESULTS: Results = Results { of: result, rows: SHOWN };

fn result(answer: EventRef<'_>) -> Option<&[u8]> {
    let line =
        if answer.parent == NO_EVENT { answer } else { answer.session().event(answer.parent) };
    let field = line.native().find(|field| line.name(*field) == b"toolUseResult")?;
    Some(line.value(field))
}

const SHOWN: &[Shown] = tools! {
    results {
        "filePath" => Path,
        "notebook_path" => Path,
        "file" / "filePath" => Path,
        "type" => Change,
        "originalFile" => Before,
        "originalFileContents" => Before,
        "original_file" => Before,
        "updated_file" => After,
        "content" => After,
        "file" / "content" => Seen,
        "file" / "startLine" => FirstLine,
        "file" / "numLines" => Lines,
        "file" / "totalLines" => AllLines,
        "file" / "truncatedByTokenCap" => Kept,
        "oldString" => Old,
        "newString" => New,
        "replaceAll" => All,
        "old_string" => Old,
        "new_string" => New,
        "replace_all" => All,
        "edits" => Edits,
        "structuredPatch" => Hunks,
        "oldStart" => HunkStart,
        "oldLines" => HunkCount,
        "lines" => HunkLines,
        "userModified" => Modified,
        "newStart" => Kept,
        "newLines" => Kept,
        "interrupted" => Interrupted,
        "stdout" => Kept,
        "stderr" => Kept,
        "isImage" => Kept,
        "noOutputExpected" => Kept,
        "returnCodeInterpretation" => Kept,
        "backgroundTaskId" => Kept,
        "timedOutAfterMs" => Kept,
        "gitOperation" => Kept,
        "persistedOutputPath" => Kept,
        "persistedOutputSize" => Kept,
        "staleReadFileStateHint" => Kept,
    }
};

const ROWS: &[Tool] = tools! {
    Shell ["Bash"] {
        "command" => must(Command),
        "description" => may(Description),
        "timeout" => may(Milliseconds),
        "run_in_background" => may(Background),
        "sandbox" => may(Option),
        "dangerouslyDisableSandbox" => may(Option),
    }
    // A language of its own.
    Other ["PowerShell"] {
        "command" => must(Command),
        "description" => may(Description),
        "timeout" => may(Milliseconds),
        "run_in_background" => may(Background),
        "dangerouslyDisableSandbox" => may(Option),
    }
    Read ["Read"] {
        "file_path" => must(Path),
        "offset" => may(FirstLine),
        "limit" => may(Lines),
        "pages" => may(Option),
        "description" => may(Description),
    }
    Write ["Write"] {
        "file_path" => must(Path),
        "content" => must(Text),
        "description" => may(Description),
    }
    Edit ["Edit", "Update"] {
        "file_path" => must(Path),
        "old_string" => must(Old),
        "new_string" => must(New),
        "replace_all" => may(All),
        "description" => may(Description),
    }
    Edit ["MultiEdit"] {
        "file_path" => must(Path),
        "edits" => must(Edits),
    }
    Notebook ["NotebookEdit"] {
        "notebook_path" => must(Path),
        "new_source" => must(Option),
        "cell_id" => may(Option),
        "cell_number" => may(Option),
        "cell_type" => may(Option),
        "edit_mode" => may(Option),
    }
    Other ["NotebookRead"] {
        "notebook_path" => must(Path),
        "cell_id" => may(Option),
    }
    Glob ["Glob"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
    }
    Grep ["Grep"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "glob" => may(Files),
        "type" => may(Option),
        "output_mode" => may(Option),
        "-A" => may(Option),
        "-B" => may(Option),
        "-C" => may(Option),
        "-i" => may(Option),
        "-n" => may(Option),
        "context" => may(Option),
        "head_limit" => may(Count),
        "multiline" => may(Option),
        "offset" => may(Option),
    }
    List ["LS"] {
        "path" => must(Path),
        "ignore" => may(Option),
    }
    Fetch ["WebFetch"] {
        "url" => must(Url),
        "prompt" => must(Prompt),
    }
    // The second one is the provider's own.
    Search ["WebSearch", "web_search"] {
        "query" => must(Query),
        "allowed_domains" => may(Option),
        "blocked_domains" => may(Option),
    }
    Fetch ["web_fetch"] {
        "url" => must(Url),
    }
    Todo ["TodoWrite"] {
        "todos" => must(Todos),
    }
    Other ["TodoRead", "TaskList", "ListAgents", "EnterPlanMode", "advisor"] {}
    Other ["TaskCreate"] {
        "subject" => must(Subject),
        "description" => must(Description),
        "activeForm" => may(Option),
        "metadata" => may(Option),
    }
    Other ["TaskUpdate"] {
        "subject" => may(Subject),
        "description" => may(Description),
        "taskId" => must(Id),
        "status" => may(Option),
        "activeForm" => may(Option),
        "owner" => may(Option),
        "addBlocks" => may(Option),
        "addBlockedBy" => may(Option),
        "metadata" => may(Option),
    }
    Other ["TaskGet"] {
        "taskId" => must(Id),
    }
    Other ["TaskOutput"] {
        "task_id" => must(Id),
        "block" => may(Option),
        "timeout" => may(Milliseconds),
        "wait_up_to" => may(Seconds),
    }
    Other ["AgentOutputTool"] {
        "task_id" => may(Id),
        "agentId" => may(Id),
        "block" => may(Option),
        "timeout" => may(Milliseconds),
        "wait_up_to" => may(Seconds),
    }
    Other ["TaskStop", "KillBash", "KillShell"] {
        "task_id" => may(Id),
        "shell_id" => may(Id),
    }
    Other ["BashOutput"] {
        "bash_id" => must(Id),
        "filter" => may(Option),
        "wait_up_to" => may(Seconds),
    }
    Task ["Task", "Agent"] {
        "description" => must(Description),
        "prompt" => must(Prompt),
        "subagent_type" => may(Agent),
        "model" => may(Model),
        "run_in_background" => may(Background),
        "name" => may(Name),
        "resume" => may(Id),
        "team_name" => may(Option),
        "mode" => may(Option),
        "isolation" => may(Option),
        "max_turns" => may(Option),
    }
    Other ["SendMessage"] {
        "summary" => may(Description),
        "message" => may(Message),
        "content" => may(Message),
        "to" => may(Option),
        "recipient" => may(Option),
        "type" => may(Option),
        "request_id" => may(Id),
        "approve" => may(Option),
    }
    Ask ["AskUserQuestion"] {
        "questions" => must(Questions),
        "answers" => may(Option),
        "annotations" => may(Option),
        "metadata" => may(Option),
    }
    Other ["ExitPlanMode", "exit_plan_mode"] {
        "plan" => may(Plan),
        "allowedPrompts" => may(Option),
    }
    Other ["Skill", "SlashCommand"] {
        "skill" => may(Skill),
        "command" => may(Skill),
        "args" => may(Option),
    }
    Other ["ToolSearch"] {
        "query" => must(Query),
        "max_results" => may(Count),
    }
    Other ["Workflow"] {
        "script" => may(Code),
        "description" => may(Description),
        "name" => may(Name),
        "args" => may(Option),
    }
    Other ["LSP"] {
        "filePath" => must(Path),
        "operation" => must(Option),
        "line" => may(Option),
        "character" => may(Option),
    }
    Other ["ListMcpResourcesTool"] {
        "server" => may(Name),
    }
    Other ["ReadMcpResourceTool"] {
        "uri" => must(Url),
        "server" => must(Name),
    }
};
