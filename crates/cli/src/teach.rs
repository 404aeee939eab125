//! Words that people try, and the commands that do what they mean.

use crate::exit::Failure;

/// Each word with the next step.
const WORDS: [(&[&str], &str); 13] = [
    (&["ls", "sessions", "history"], "`verbatim list` lists your sessions"),
    (
        &["find", "grep", "rg"],
        "`verbatim search WORDS` finds words in all sessions; `verbatim show ID --grep REGEX` in \
         one",
    ),
    (
        &["cost", "costs", "spend", "money", "tokens"],
        "`verbatim usage --by day` counts tokens and what they cost",
    ),
    (&["share", "publish"], "`verbatim export ID -o page.html` writes a redacted page"),
    (
        &["backup", "save"],
        "`verbatim convert ID --to vac --embed -o FILE` keeps a session with its bytes",
    ),
    (
        &["prove"],
        "`verbatim check` proves that nothing is lost in reading; `verbatim verify FILE` says what \
         a signature shows",
    ),
    (&["keys", "keygen", "trust"], "`verbatim key list` lists your keys and those that you trust"),
    (
        &["view", "open", "cat", "read", "print"],
        "`verbatim show ID` shows a session; `verbatim export ID -o page.html` writes it as a page",
    ),
    (
        &["web", "browser", "server", "ui"],
        "`verbatim serve --open` shows your sessions in a browser",
    ),
    (
        &["delete", "rm", "remove", "prune", "clean", "purge"],
        "verbatim deletes no session: an agent's files are its own; `verbatim list -v` names them, \
         and `verbatim resume --undo` takes out what verbatim placed",
    ),
    (
        &["stat", "summary", "report"],
        "`verbatim usage` counts tokens and cost; `verbatim list --turns` counts turns",
    ),
    (
        &["continue", "import", "move", "transfer"],
        "`verbatim resume ID --to AGENT` continues a session in another agent",
    ),
    (
        &["diff", "changes", "edits"],
        "`verbatim show ID --diff` shows what a session changed in files",
    ),
];

/// The failure of a command that is another word for one of verbatim's; `None` for other words.
pub(crate) fn taught(word: &str) -> Option<Failure> {
    let (_, step) = WORDS.iter().find(|(words, _)| words.contains(&word))?;
    Some(Failure::Usage(format!("there is no command `{word}`"), (*step).to_owned()))
}

/// The failure of an option that only other commands have; `None` for other options.
pub(crate) fn option(name: &str) -> Option<Failure> {
    let step = match name {
        "--grep" | "--search" => {
            "`verbatim search WORDS` finds words in all sessions; `verbatim show ID --grep REGEX` \
             in one"
        }
        "--limit" | "--max" => "`-n NUMBER` shows at most this many",
        "--today" => "`--since today` takes what is of today",
        "--yesterday" => "`--since yesterday --until yesterday` takes what is of that day",
        "--week" | "--last-week" => "`--since \"last week\"` takes that week and what is newer",
        "--from" | "--after" | "--start" => "`--since WHEN` takes what is newer than a time",
        "--to" | "--before" | "--end" => "`--until WHEN` takes what is older than a time",
        "--on" | "--day" | "--date" => "`--since DAY --until DAY` takes what is of one day",
        "-p" | "--folder" | "--dir" | "--cwd" => {
            "`--project NAME` takes one project, and `--here` this one"
        }
        "-i" | "--ignore-case" => {
            "case counts only in a word with a capital letter; write it small to find both"
        }
        "--all-folders" | "-a" => "`list` and `search` have `--all-projects`",
        _ => return None,
    };
    Some(Failure::Usage(format!("there is no option `{name}` here"), step.to_owned()))
}
