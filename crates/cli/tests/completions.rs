//! Scripts of completions: each shell takes its own, and bash completes with it what the command
//! has.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write as _;
use std::process::{Command, Stdio};

use common::{Place, put};

/// Says on the terminal that a part is skipped: the test's runner hides what a good test prints.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The commands, by the help.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run(&["--help"]).out;
    let list = help.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn each_shell_has_a_script_with_every_command() {
    let place = Place::new();
    let commands = commands(&place);
    assert!(commands.len() > 15, "{commands:?}");
    for (shell, check) in
        [("bash", true), ("zsh", true), ("fish", true), ("elvish", false), ("powershell", false)]
    {
        let ran = place.run(&["completions", shell]);
        assert_eq!((ran.code, &*ran.err), (0, ""), "{shell}");
        for command in &commands {
            assert!(ran.out.contains(command.as_str()), "{shell}: {command}");
        }
        // A shell reads a script without running it.
        put(&place.path().join("script"), &ran.out);
        let mut reads = Command::new(shell);
        reads.arg("-n").arg(place.path().join("script")).stderr(Stdio::piped());
        match reads.output() {
            Ok(output) if check => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success() && said.is_empty(), "{shell}: {said}");
            }
            Err(_) if check => skipped(&format!("{shell} is not installed")),
            _ => {}
        }
    }
    assert_eq!(place.run(&["completions"]).code, 2);
    assert_eq!(place.run(&["completions", "cmd"]).code, 2);
    assert_eq!(place.run(&["completions", "bash", "--json"]).code, 2);
}

/// Words that bash proposes for a line whose last word is not complete.
fn proposed(place: &Place, line: &[&str]) -> Option<Vec<String>> {
    let script = "source ./script; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
                  at=$COMP_CWORD; \
                  _verbatim verbatim \"${COMP_WORDS[at]}\" \"${COMP_WORDS[at-1]}\"; \
                  printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, "bash"]).args(line).current_dir(place.path());
    let output = bash.output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes() {
    let place = Place::new();
    put(&place.path().join("script"), &place.run(&["completions", "bash"]).out);
    for (line, has) in [
        (&["verbatim", "exp"][..], "export"),
        (&["verbatim", "show", "--gr"], "--grep"),
        (&["verbatim", "key", "tr"], "trust"),
        (&["verbatim", "redact", "--profile", "str"], "strict"),
    ] {
        let Some(proposed) = proposed(&place, line) else {
            return skipped("bash is not installed");
        };
        assert_eq!(proposed, [has], "{line:?}");
    }
    let all = proposed(&place, &["verbatim", ""]).unwrap();
    for command in commands(&place) {
        assert!(all.contains(&command), "{command}: {all:?}");
    }
}
