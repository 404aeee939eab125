//! Agents' programs: whether they are here, and their runs.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

use catalog::{Machine, System};

use crate::placing::error::{Error, refused};
use crate::resume::ResumePlan;

/// Refuses a command of which the program is not on this machine.
///
/// # Errors
/// [`Error::Refused`] if the program is in no folder of `PATH`.
pub fn is_startable(words: &[String], machine: &Machine) -> Result<(), Error> {
    let Some(program) = words.first() else { return Ok(()) };
    match found(program, machine) {
        Some(_) => Ok(()),
        None => refused(
            format!("`{program}` is not on this machine"),
            &format!("install it, or add the folder of `{program}` to PATH"),
        ),
    }
}

/// The file of a program in the folders of `PATH`.
fn found(program: &str, machine: &Machine) -> Option<PathBuf> {
    let folders = machine.variable("PATH").map(std::env::split_paths).into_iter().flatten();
    let mut files = folders.flat_map(|folder| {
        files(program, machine.system).into_iter().map(move |name| folder.join(name))
    });
    files.find(|file| is_program(file))
}

/// The names that the file of a program may have, the first one before the others. npm installs an
/// agent on Windows as `codex.cmd`, beside a `codex` that only a POSIX shell can run.
fn files(program: &str, system: System) -> Vec<String> {
    const ENDINGS: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];
    let lower = program.to_ascii_lowercase();
    let is_named = ENDINGS.iter().any(|ending| lower.ends_with(ending));
    match system {
        System::Windows if !is_named => {
            ENDINGS.iter().map(|ending| format!("{program}{ending}")).collect()
        }
        _ => vec![program.to_owned()],
    }
}

/// The command that starts a program. Windows itself finds only files that end with `.exe`.
fn command(program: &str, machine: &Machine) -> Command {
    match machine.system {
        System::Windows => {
            found(program, machine).map_or_else(|| Command::new(program), Command::new)
        }
        _ => Command::new(program),
    }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Starts the agent of a plan in its folder, with this terminal, and waits for it.
///
/// # Errors
/// [`Error::Refused`] if it can't be started.
pub fn start(plan: &ResumePlan, machine: &Machine) -> Result<Option<ExitStatus>, Error> {
    let Some((program, rest)) = plan.command.as_deref().and_then(<[String]>::split_first) else {
        return Ok(None);
    };
    let variables = plan.variables.iter().map(|(name, value)| (name, value));
    let mut command = command(program, machine);
    let status = command.args(rest).envs(variables).current_dir(&plan.folder).status();
    status.map(Some).map_err(|error| not_started(program, &error))
}

/// Runs an agent's own command in a folder.
pub(crate) fn run(words: &[String], folder: &Path, machine: &Machine) -> Result<(), Error> {
    let Some((program, rest)) = words.split_first() else { return Ok(()) };
    let output = command(program, machine).args(rest).current_dir(folder).output();
    let Output { status, stderr, .. } = output.map_err(|error| not_started(program, &error))?;
    if status.success() {
        return Ok(());
    }
    let said: String = String::from_utf8_lossy(&stderr).trim().chars().take(2000).collect();
    refused(format!("`{program}` ended with {status}: {said}"), "nothing else was changed")
}

fn not_started(program: &str, error: &std::io::Error) -> Error {
    Error::Refused {
        what: format!("`{program}` could not be started: {error}"),
        hint: format!("install it, or add the folder of `{program}` to PATH"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_names_that_its_system_takes() {
        let windows = |program: &str| files(program, System::Windows);
        assert_eq!(windows("codex"), ["codex.com", "codex.exe", "codex.bat", "codex.cmd"]);
        assert_eq!(windows("codex.CMD"), ["codex.CMD"]);
        assert_eq!(
            windows("tide.js"),
            ["tide.js.com", "tide.js.exe", "tide.js.bat", "tide.js.cmd"]
        );
        for system in [System::Linux, System::Mac] {
            assert_eq!(files("codex", system), ["codex"]);
        }
    }

    /// npm's own three files of a program: Windows takes the one that it can start.
    #[test]
    fn the_file_that_the_system_can_start_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["codex", "codex.cmd", "codex.ps1"] {
            let file = folder.path().join(name);
            std::fs::write(&file, "").expect("a file");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(&file, mode).expect("a mode");
            }
        }
        let path = std::env::join_paths([folder.path()]).expect("a path");
        let variables = [("PATH".to_owned(), path)].into_iter().collect();
        let mut machine = Machine { variables, system: System::Windows, ..Machine::default() };
        let name = |machine: &Machine| {
            let file = found("codex", machine)?;
            Some(file.file_name()?.to_string_lossy().into_owned())
        };
        assert_eq!(name(&machine).as_deref(), Some("codex.cmd"));
        machine.system = System::Linux;
        assert_eq!(name(&machine).as_deref(), Some("codex"));
        assert_eq!(found("claude", &machine), None);
    }
}
