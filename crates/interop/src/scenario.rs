//! What the agents are asked: one after the other, each in a home of its own.

/// One thing that is asked of an agent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A prompt in a new session.
    Prompt(&'static str),
    /// A prompt with an image.
    Image(&'static str),
    /// A prompt in the session that was.
    Resume(&'static str),
    /// A prompt in a copy of the session that was.
    Fork(&'static str),
    /// The session that was is made shorter.
    Compact,
    /// A prompt whose answer never ends; the agent is interrupted.
    Interrupt(&'static str),
}

impl Turn {
    /// What a person says in it.
    pub(crate) fn prompt(self) -> Option<&'static str> {
        match self {
            Self::Prompt(prompt) | Self::Image(prompt) | Self::Resume(prompt) => Some(prompt),
            Self::Fork(prompt) | Self::Interrupt(prompt) => Some(prompt),
            Self::Compact => None,
        }
    }
}

/// One column of the table.
pub(crate) struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What is asked.
    pub turns: &'static [Turn],
}

const WORK: Turn = Turn::Prompt("Mend the prices. [[work]]");

/// All scenarios.
pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario { name: "prompt", turns: &[Turn::Prompt("Good morning, shop. [[hello]]")] },
    Scenario { name: "work", turns: &[WORK] },
    Scenario { name: "resume", turns: &[WORK, Turn::Resume("The figs too. [[more]]")] },
    Scenario { name: "fork", turns: &[WORK, Turn::Fork("The figs instead. [[more]]")] },
    Scenario { name: "compact", turns: &[WORK, Turn::Compact, Turn::Resume("So? [[hello]]")] },
    Scenario { name: "agent", turns: &[Turn::Prompt("Let another one count. [[agent]]")] },
    Scenario { name: "image", turns: &[Turn::Image("What is on it? [[hello]]")] },
    Scenario { name: "error", turns: &[Turn::Prompt("This will fail. [[error]]")] },
    Scenario { name: "interrupt", turns: &[Turn::Interrupt("Take your time. [[hang]]")] },
];
