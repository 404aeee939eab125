//! Command lines for a shell (POSIX: XCU, section 2.2). Their words are from sessions and from the
//! names of folders, so everything that a shell may take for its own is quoted.

/// A command line that runs a program in a folder.
pub(super) fn line(folder: &str, command: &[String]) -> String {
    format!("cd {} && {}", word(folder), words(command))
}

/// The words of a command.
pub(super) fn words(command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|one| word(one)).collect();
    words.join(" ")
}

fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{line, words};

    #[test]
    fn a_shell_takes_nothing_for_its_own() {
        let command = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert_eq!(line("/home/ana/tide", &command(&["codex", "resume", "0b5c"])), {
            "cd /home/ana/tide && codex resume 0b5c"
        });
        assert_eq!(words(&command(&["a", "$(id)", "it's", ""])), r"a '$(id)' 'it'\''s' ''");
        assert_eq!(line("/x; rm -rf ~", &command(&["a"])), "cd '/x; rm -rf ~' && a");
    }
}
