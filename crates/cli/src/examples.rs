//! Examples in the help of each command.

/// Three examples for each command: the arguments, and what they do.
const EXAMPLES: [(&str, [(&str, &str); 3]); 15] = [
    (
        "list",
        [
            ("--since yesterday", "sessions of the last two days"),
            ("--agent codex --project shop", "Codex in a folder that is called `shop`"),
            ("-n all --sort size -v", "all sessions, the largest first"),
        ],
    ),
    (
        "search",
        [
            ("paint door", "sessions in which a text has both words"),
            ("'no such file' --only outputs --since 3d", "a phrase in what tools returned"),
            ("--regex 'fix(ed)? #[0-9]+' --agent codex", "a regular expression"),
        ],
    ),
    (
        "show",
        [
            ("", "the newest session of this folder"),
            ("0b5c --from -1", "the last turn of a session"),
            (
                "last --only prompts,edits",
                "what was asked and changed in the newest session of all",
            ),
        ],
    ),
    (
        "check",
        [
            ("", "all sessions of this machine"),
            ("--quick --since 7d", "those of the last week, without the independent parser"),
            ("record.json --deep", "a document, and what it is made from"),
        ],
    ),
    (
        "convert",
        [
            ("0b5c --to vac -o record.json", "a verifiable record"),
            ("@ --to codex --prove -o session.jsonl", "for another agent, proven"),
            ("0b5c --to claude-code -o copy.jsonl", "in its own format, byte for byte"),
        ],
    ),
    (
        "resume",
        [
            ("", "the command that continues the newest session of this folder"),
            ("0b5c --to codex", "place it into Codex's store"),
            ("0b5c --to codex --undo", "remove it again"),
        ],
    ),
    (
        "fidelity",
        [
            ("", "of all sessions, to every agent"),
            ("--from codex --to claude-code", "one pair of agents"),
            ("@ --json", "of one session, for a program"),
        ],
    ),
    (
        "migrate",
        [
            ("sage --dry-run", "what would be done"),
            ("sage -o copy", "into a new folder"),
            ("sage --in-place --phase 1", "one phase, in the folder's place"),
        ],
    ),
    (
        "scan",
        [
            ("", "all sessions of this machine"),
            ("@ --all", "the newest session of this folder, with every place"),
            ("--staged", "what `git commit` would commit"),
        ],
    ),
    (
        "redact",
        [
            ("0b5c -o shared.jsonl", "a session without secrets and personal data"),
            ("0b5c --profile secrets -o clean.jsonl", "without secrets only"),
            ("- -o clean.txt < log.txt", "any text"),
        ],
    ),
    (
        "export",
        [
            ("@ -o page.html", "the newest session of this folder as a page"),
            ("0b5c -o session.md", "as Markdown"),
            ("0b5c -o page.html --drop-outputs", "without what tools returned"),
        ],
    ),
    (
        "usage",
        [
            ("--by day --since 7d", "the last week, day by day"),
            ("--by model --here", "this folder, by model"),
            ("0b5c --explain", "each number of one session, with its place"),
        ],
    ),
    (
        "attribution",
        [
            ("", "lines that the newest session of this folder wrote"),
            ("0b5c --json", "those of one session, for a program"),
            ("0b5c --agent-trace", "as an Agent Trace record"),
        ],
    ),
    (
        "validate",
        [
            ("record.json", "a document, or a session's file"),
            ("folder --json", "all files of a folder, for a program"),
            ("- --as vac < record.json", "standard input, as this format"),
        ],
    ),
    (
        "demo",
        [
            ("", "into `./verbatim-demo`"),
            ("--folder /tmp/tour", "into another folder"),
            ("--color never", "without colours"),
        ],
    ),
];

/// The command with examples in the help of each of its own commands.
pub(crate) fn with_examples(root: clap::Command) -> clap::Command {
    EXAMPLES.iter().fold(root, |root, (name, examples)| {
        root.mut_subcommand(name, |command| {
            let lines = examples.map(|(args, what)| line(name, args, what));
            let text = format!("Examples:\n{}", lines.join("\n"));
            let after = command.get_after_help().map(|after| format!("{text}\n\n{after}"));
            command.after_help(after.unwrap_or(text))
        })
    })
}

/// Column at which the meaning of an example begins.
const MEANING: usize = 56;

fn line(name: &str, args: &str, what: &str) -> String {
    let line = format!("  verbatim {name} {args}");
    let line = line.trim_end();
    match line.len() < MEANING - 2 {
        true => format!("{line:MEANING$}{what}"),
        false => format!("{line}  {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_examples_that_it_takes() {
        let root = crate::args::command();
        for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = command.get_name();
            let own = EXAMPLES.iter().find(|(of, _)| *of == name);
            let (_, examples) = own.unwrap_or_else(|| panic!("{name} has no examples"));
            for (args, _) in examples {
                let args = args.split(" < ").next().unwrap_or_default().replace('\'', "");
                let words = ["verbatim", name].into_iter().chain(args.split_whitespace());
                let taken = root.clone().try_get_matches_from(words);
                assert!(taken.is_ok(), "verbatim {name} {args}: {:?}", taken.err());
            }
        }
    }
}
