//! Words that people try, and the commands that do what they mean.

use crate::exit::Failure;

/// Each word with the next step.
const WORDS: [(&[&str], &str); 8] = [
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
    (&["blame"], "`verbatim attribution ID` lists the lines that a session wrote"),
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
        "--today" | "--yesterday" => "`--since yesterday` takes what is newer",
        _ => return None,
    };
    Some(Failure::Usage(format!("there is no option `{name}` here"), step.to_owned()))
}
