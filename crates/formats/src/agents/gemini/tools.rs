//! Gemini CLI's tools: their names in all versions, and their arguments.

use session::{EventRef, Statuses};

use crate::tools;
use crate::tools::{Common, Results, Shown, Tool, Tools};

pub(super) static TOOLS: Tools = Tools { rows: ROWS, servers: &["mcp_"], results: RESULTS };

/// Status words, each with the outcome of the call.
pub(crate) static STATUSES: Statuses = Statuses {
    good: &["success"],
    failed: &["error"],
    declined: &["cancelled"],
    open: &["validating", "scheduled", "awaiting_approval", "executing"],
    ..Statuses::NONE
};

/// Beginnings of the lines after a command's output, each with the values of a success. An older
/// version writes all of them, a newer one those of a failure.
const ENDS: &[(&str, &[&str])] = &[
    ("Error: ", &["(none)"]),
    ("Exit Code: ", &["0", "(none)"]),
    ("Signal: ", &["(none)", "0"]),
    ("Background PIDs: ", ANY),
    ("Process Group PGID: ", ANY),
];

/// Says nothing of the outcome.
const ANY: &[&str] = &[];

/// The value that a line after a command's output has, and those of a success.
fn end(line: &str) -> Option<(&str, &'static [&'static str])> {
    ENDS.iter().find_map(|(name, well)| Some((line.strip_prefix(name)?.trim(), *well)))
}

/// Whether a line of a command's answer reports a failure.
pub(super) fn is_failure(line: &str) -> bool {
    end(line).is_some_and(|(value, well)| !well.is_empty() && !well.contains(&value))
}

/// Whether the answer of a tool shows that its command failed, by the lines after the output.
pub(crate) fn went_wrong(tool: Option<&[u8]>, answer: impl FnOnce() -> Option<String>) -> bool {
    let tool = tool.and_then(|tool| TOOLS.named(std::str::from_utf8(tool).ok()?));
    let answer = tool.filter(|tool| tool.common == Common::Shell).and_then(|_| answer());
    answer.is_some_and(|answer| {
        let ends = answer.trim_end().lines().rev();
        ends.take_while(|line| end(line).is_some()).any(is_failure)
    })
}

/// The results of tools: a call's `resultDisplay`; else the function's response.
pub(crate) const RESULTS: Results = Results { of: result, rows: SHOWN };

fn result(call: EventRef<'_>) -> Option<&[u8]> {
    let field = call.native().find(|field| call.name(*field) == b"resultDisplay")?;
    Some(call.value(field))
}

const SHOWN: &[Shown] = tools! {
    results {
        "originalContent" => Before,
        "newContent" => After,
        "fileDiff" => Diff,
        "output" => Output,
        "error" => Failure,
    }
};

const ROWS: &[Tool] = tools! {
    Shell ["run_shell_command"] {
        "command" => must(Command),
        "description" => may(Description),
        "directory" => may(Folder),
        "dir_path" => may(Folder),
        "is_background" => may(Background),
        "delay_ms" => may(Option),
        "additional_permissions" => may(Option),
    }
    // `offset` counts lines that are left out; the newer names count lines from 1.
    Read ["read_file"] {
        "file_path" => must(Path),
        "absolute_path" => must(Path),
        "path" => must(Path),
        "offset" => may(SkippedLines),
        "limit" => may(Lines),
        "start_line" => may(FirstLine),
        "end_line" => may(LastLine),
    }
    Read ["read_many_files"] {
        "paths" => must(Paths),
        "include" => must(Paths),
        "exclude" => may(Option),
        "recursive" => may(Option),
        "useDefaultExcludes" => may(Option),
        "file_filtering_options" => may(Option),
    }
    Write ["write_file"] {
        "file_path" => must(Path),
        "path" => must(Path),
        "content" => must(Text),
        "modified_by_user" => may(Option),
        "ai_proposed_content" => may(Option),
    }
    Edit ["replace", "edit"] {
        "file_path" => must(Path),
        "old_string" => must(Old),
        "new_string" => must(New),
        "expected_replacements" => may(Occurrences),
        "allow_multiple" => may(All),
        "instruction" => may(Description),
        "modified_by_user" => may(Option),
        "ai_proposed_content" => may(Option),
    }
    Glob ["glob"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "dir_path" => may(Path),
        "case_sensitive" => may(Option),
        "respect_git_ignore" => may(Option),
        "respect_gemini_ignore" => may(Option),
    }
    Grep ["search_file_content", "grep_search"] {
        "pattern" => must(Pattern),
        "path" => may(Path),
        "dir_path" => may(Path),
        "include" => may(Files),
        "include_pattern" => may(Files),
        "exclude_pattern" => may(Option),
        "names_only" => may(Option),
        "max_matches_per_file" => may(Option),
        "total_max_matches" => may(Count),
        "case_sensitive" => may(Option),
        "fixed_strings" => may(Option),
        "context" => may(Option),
        "after" => may(Option),
        "before" => may(Option),
        "no_ignore" => may(Option),
    }
    List ["list_directory"] {
        "path" => must(Path),
        "dir_path" => must(Path),
        "ignore" => may(Option),
        "respect_git_ignore" => may(Option),
        "file_filtering_options" => may(Option),
    }
    Fetch ["web_fetch"] {
        "prompt" => must(Prompt),
    }
    Search ["google_web_search"] {
        "query" => must(Query),
    }
    Todo ["write_todos"] {
        "todos" => must(Todos),
    }
    Task ["delegate_to_agent"] {
        "objective" => must(Prompt),
        "agent_name" => must(Agent),
    }
    Task ["invoke_agent"] {
        "prompt" => must(Prompt),
        "agent_name" => must(Agent),
    }
    Task ["codebase_investigator", "cli_help"] {
        "objective" => must(Prompt),
    }
    Ask ["ask_user"] {
        "questions" => must(Questions),
    }
    Other ["save_memory"] {
        "fact" => must(Message),
        "scope" => may(Option),
    }
    Other ["activate_skill"] {
        "name" => must(Skill),
    }
    Other ["enter_plan_mode"] {
        "reason" => may(Description),
    }
    Other ["exit_plan_mode"] {
        "plan_path" => may(Path),
        "plan_filename" => may(Path),
    }
    Other ["get_internal_docs"] {
        "path" => may(Path),
    }
};
