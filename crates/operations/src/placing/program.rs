//! Agents' programs: whether they are here, and their runs.

use std::path::Path;
use std::process::{Command, ExitStatus, Output};

use catalog::Machine;

use crate::placing::error::{Error, refused};
use crate::resume::ResumePlan;

/// Refuses a command of which the program is not on this machine.
///
/// # Errors
/// [`Error::Refused`] if the program is in no folder of `PATH`.
pub fn is_startable(words: &[String], machine: &Machine) -> Result<(), Error> {
    let Some(program) = words.first() else { return Ok(()) };
    let folders = machine.variable("PATH").map(std::env::split_paths).into_iter().flatten();
    let endings: &[&str] =
        if cfg!(windows) { &["", ".exe", ".cmd", ".bat", ".com"] } else { &[""] };
    let mut files = folders.flat_map(|folder| {
        endings.iter().map(move |ending| folder.join(format!("{program}{ending}")))
    });
    match files.any(|file| is_program(&file)) {
        true => Ok(()),
        false => refused(
            format!("`{program}` is not on this machine"),
            &format!("install it, or add the folder of `{program}` to PATH"),
        ),
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
pub fn start(plan: &ResumePlan) -> Result<Option<ExitStatus>, Error> {
    let Some((program, rest)) = plan.command.as_deref().and_then(<[String]>::split_first) else {
        return Ok(None);
    };
    let variables = plan.variables.iter().map(|(name, value)| (name, value));
    let mut command = Command::new(program);
    let status = command.args(rest).envs(variables).current_dir(&plan.folder).status();
    status.map(Some).map_err(|error| not_started(program, &error))
}

/// Runs an agent's own command in a folder.
pub(crate) fn run(words: &[String], folder: &Path) -> Result<(), Error> {
    let Some((program, rest)) = words.split_first() else { return Ok(()) };
    let output = Command::new(program).args(rest).current_dir(folder).output();
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
