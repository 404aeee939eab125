//! Options of every command.

use clap::ValueEnum;
use operations::search::hit::TalkSection;

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
    /// Print to the terminal itself, not through a pager (`$VERBATIM_PAGER`, `$PAGER`, `less`)
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// Use colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// A part of a conversation, as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartName {
    /// Prompts of a person
    Prompts,
    /// Answers of the model
    Answers,
    /// Thoughts of the model
    #[value(alias = "thinking")]
    Thoughts,
    /// Calls of tools, with their outputs
    Tools,
    /// Calls of tools
    Calls,
    /// Outputs of tools
    Outputs,
    /// Calls that change files
    Edits,
    /// Calls that did not succeed
    Errors,
}

impl PartName {
    /// The parts that it means.
    pub(crate) fn parts(self) -> &'static [TalkSection] {
        match self {
            Self::Prompts => &[TalkSection::Prompts],
            Self::Answers => &[TalkSection::Answers],
            Self::Thoughts => &[TalkSection::Thoughts],
            Self::Tools => &[TalkSection::Calls, TalkSection::Outputs],
            Self::Calls => &[TalkSection::Calls],
            Self::Outputs => &[TalkSection::Outputs],
            Self::Edits => &[TalkSection::Edits],
            Self::Errors => &[TalkSection::Errors],
        }
    }
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
                let is_set = |name| env.machine.variable(name).is_some_and(|value| value != "0");
                let forced = is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR");
                let dumb = env.machine.variable("TERM").is_some_and(|term| term == "dumb");
                let unwanted = env.machine.variable("NO_COLOR").is_some();
                !unwanted && (forced || env.width.is_some() && !dumb)
            }
        }
    }
}
