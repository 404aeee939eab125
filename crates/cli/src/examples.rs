//! Examples in the help of each command.

/// Three examples for each command, a line each: the command line, and what it does.
const EXAMPLES: &str = include_str!("examples.txt");

/// The examples of a command.
fn of(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = move |line: &&str| line.split_whitespace().nth(1) == Some(name);
    EXAMPLES.lines().filter(own).filter_map(|line| line.split_once("  # "))
}

/// The command with examples in the help of each of its own commands.
pub(crate) fn with_examples(root: clap::Command) -> clap::Command {
    root.mut_subcommands(|command| {
        let lines: Vec<String> = of(command.get_name()).map(line).collect();
        let text = format!("Examples:\n{}", lines.join("\n"));
        let after = command.get_after_help().map(|after| format!("{text}\n\n{after}"));
        command.after_help(after.unwrap_or(text))
    })
}

/// Column at which the meaning of an example begins.
const MEANING: usize = 56;

fn line((command, what): (&str, &str)) -> String {
    let line = format!("  {command}");
    match line.len() < MEANING - 2 {
        true => format!("{line:MEANING$}{what}"),
        false => format!("{line}  {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_three_examples_that_it_takes() {
        let root = crate::args::command();
        for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = command.get_name();
            assert_eq!(of(name).count(), 3, "{name}");
            for (line, _) in of(name) {
                let words = line.split(" < ").next().unwrap_or_default().replace('\'', "");
                let taken = root.clone().try_get_matches_from(words.split_whitespace());
                assert!(taken.is_ok(), "{line}: {:?}", taken.err());
            }
        }
    }
}
