//! Options of every command.

use clap::ValueEnum;

use crate::environment::Environment;

/// Options of every command.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Global {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Follow symbolic links that lead out of a given folder
    #[arg(long, global = true)]
    pub follow: bool,
    /// Use colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether the output is coloured.
    pub(crate) fn is_on(self, env: &Environment<'_>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let dumb = env.machine.variable("TERM").is_some_and(|term| term == "dumb");
                env.width.is_some() && env.machine.variable("NO_COLOR").is_none() && !dumb
            }
        }
    }
}
