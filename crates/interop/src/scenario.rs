//! Scenarios: lists of requests to an agent, each scenario in its own home.

use crate::mock::script;
use crate::mock::told::Told;

/// One request of a scenario.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A prompt in a new session.
    Prompt(&'static str),
    /// A prompt with an image.
    Image(&'static str),
    /// A prompt in the previous session.
    Resume(&'static str),
    /// A prompt in a copy of the previous session.
    Fork(&'static str),
    /// A compaction of the previous session.
    Compact,
    /// A prompt whose answer never ends; the agent is interrupted.
    Interrupt(&'static str),
}

impl Turn {
    /// The prompt.
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
    /// Its requests.
    pub turns: &'static [Turn],
}

impl Scenario {
    /// The parts of it that were not done, judged by the mock's answers and the number of lines
    /// that `git` sees changed.
    pub(crate) fn undone(&self, told: &[Told], lines: usize) -> Vec<String> {
        let mut undone = Vec::new();
        let prompts = self.turns.iter().filter_map(|turn| turn.prompt());
        let words: Vec<&str> = prompts.chain(self.child()).filter_map(script::word).collect();
        for word in &words {
            let mut steps = told.iter().filter(|told| told.script() == Some(word));
            if script::ends_well(word) && !steps.any(|told| told.calls == 0) {
                undone.push(format!("it did not come to the end of {word}"));
            }
        }
        let expected: usize = words.iter().map(|word| script::lines(word)).sum();
        if lines != expected {
            undone.push(format!("{lines} lines are changed, the script changes {expected}"));
        }
        let length = |word: &str| {
            let of_word = told.iter().filter(|told| told.script() == Some(word));
            of_word.map(|told| told.turns).max().unwrap_or(0)
        };
        if self.turns.contains(&Turn::Compact) && length("hello") >= length("work") {
            undone.push("the conversation did not become shorter".to_owned());
        }
        undone
    }

    /// The prompt of the sub-agent that it needs.
    fn child(&self) -> Option<&'static str> {
        (self.name == "agent").then_some(script::CHILD)
    }
}

/// The scenario whose session every other agent then resumes.
pub(crate) const CARRY: &str = "carry";

/// The scenario in which old sessions are placed, and the agent starts.
pub(crate) const KEPT: &str = "kept";

/// The scenario whose session is changed by hand and resumed.
pub(crate) const MADE: &str = "made";

/// The scenario that goes back and forth between two agents.
pub(crate) const BACK: &str = "back";

/// The scenario whose session is damaged by hand, mended and continued.
pub(crate) const MENDED: &str = "mended";

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
    Scenario { name: CARRY, turns: &[WORK] },
    Scenario { name: MADE, turns: &[WORK, Turn::Resume("The figs too. [[more]]")] },
    Scenario { name: KEPT, turns: &[] },
    Scenario { name: BACK, turns: &[] },
    Scenario { name: MENDED, turns: &[] },
    Scenario { name: "interrupt", turns: &[Turn::Interrupt("Take your time. [[hang]]")] },
];
