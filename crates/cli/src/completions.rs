//! `verbatim completions`: the script by which a shell completes commands and options.

use clap_complete::Shell;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;

/// Print the script by which a shell completes commands and options
///
/// A shell reads it from a folder of its own: bash from
/// `~/.local/share/bash-completion/completions/verbatim`, zsh from a file `_verbatim` in a folder
/// of `$fpath`, fish from `~/.config/fish/completions/verbatim.fish`. Regenerate it after an
/// update.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script for the words of `command`.
pub(crate) fn run(
    args: &Args,
    mut command: clap::Command,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if global.json {
        return Err(Failure::Usage(
            "`completions` has no `--json`: its output is for a shell".into(),
            "leave `--json` out".into(),
        ));
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "verbatim", &mut script);
    env.out.write_all(&script)?;
    Ok(Exit::Good)
}
