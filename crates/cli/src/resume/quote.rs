//! Command lines for a shell (POSIX.1-2024: XCU, section 2.2). Their words are from sessions and
//! from the names of folders, so everything that a shell may take for its own is quoted. A
//! character that acts on a terminal, or that nobody sees, is written as the octal numbers of its
//! bytes: so the line that is shown is the line that a shell reads.

use std::fmt::Write;

use crate::terminal::Plain;

/// A command line that runs a program in a folder, with these variables.
pub(super) fn line(
    folder: &str,
    variables: &[(&'static str, String)],
    command: &[String],
) -> String {
    let mut line = format!("cd {} && ", folder_word(folder));
    for (name, value) in variables {
        let _ = write!(line, "{name}={} ", word(value));
    }
    line + &words(command)
}

/// The words of a command.
pub(crate) fn words(command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|one| word(one)).collect();
    words.join(" ")
}

/// A folder, which must not be taken for an option, or for the folder before.
fn folder_word(folder: &str) -> String {
    if folder.starts_with('-') { word(&format!("./{folder}")) } else { word(folder) }
}

fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if Plain::words(text).as_str() == text {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut quoted = String::from("$'");
    let mut bytes = [0; 4];
    for c in text.chars() {
        match c {
            '\'' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            ' '..='~' => quoted.push(c),
            _ => {
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
        }
    }
    quoted + "'"
}

#[cfg(test)]
mod tests {
    use super::{line, words};
    use crate::terminal::Plain;

    fn command(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_shell_takes_nothing_for_its_own() {
        assert_eq!(line("/home/ana/tide", &[], &command(&["codex", "resume", "0b5c"])), {
            "cd /home/ana/tide && codex resume 0b5c"
        });
        assert_eq!(words(&command(&["a", "$(id)", "it's", ""])), r"a '$(id)' 'it'\''s' ''");
        assert_eq!(line("/x; rm -rf ~", &[], &command(&["a"])), "cd '/x; rm -rf ~' && a");
        let home = [("TIDE_HOME", "/srv/a b".to_owned())];
        assert_eq!(line("/w", &home, &command(&["a"])), "cd /w && TIDE_HOME='/srv/a b' a");
    }

    #[test]
    fn a_hidden_character_is_written_as_its_bytes() {
        let one = |text: &str| words(&command(&[text]));
        assert_eq!(one("a\tb"), r"$'a\011b'");
        assert_eq!(one("é\u{202e}'x"), r"$'\303\251\342\200\256\'x'");
        assert_eq!(one("a  b"), "'a  b'");
    }

    /// The real shell gives each folder back, byte for byte, and a terminal shows the same line.
    #[test]
    #[cfg(unix)]
    fn a_shell_reads_what_is_shown() {
        let names = [
            "a  b",
            "it's",
            "x\ty",
            "x\ny",
            "x\ry",
            "\u{1b}[31mred",
            "\u{202e}abc",
            "\u{200b}",
            "a\\b",
            "\\'",
            "$HOME",
            "`id`",
            "-n",
            "é ü",
            "\u{2028}",
            "a\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
            "!x",
            "\\n",
            "\u{7f}",
            "日本",
        ];
        for name in names {
            let line = words(&command(&["printf", "%s", name]));
            assert_eq!(Plain::words(&line).as_str(), line, "{name:?}");
            let Ok(ran) = std::process::Command::new("bash").args(["-c", &line]).output() else {
                return;
            };
            assert_eq!(String::from_utf8_lossy(&ran.stdout), *name, "{line}");
        }
    }
}
