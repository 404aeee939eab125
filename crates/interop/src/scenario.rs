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
    /// A prompt with a text that others give to the agent.
    Told(Means, &'static str),
}

/// The means by which others give a text to an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Means {
    /// A custom command, of which the prompt is the arguments.
    Command,
    /// A skill that the prompt names.
    Skill,
    /// A file that the prompt names.
    File,
    /// A folder that the prompt names.
    Folder,
    /// A command that runs with each prompt, and whose output the model gets.
    Hook,
    /// A file of instructions beside a file that the model reads.
    Memory,
    /// A call that is not permitted.
    Denial,
}

/// The text of the custom command, before and behind its arguments.
pub(crate) const COMMAND: [&str; 2] = ["Count what is named here:", "Say the number and no more."];
/// The text of the skill.
pub(crate) const SKILL: &str = "Weights are in grams, and are never rounded.";
/// The words of the hook.
pub(crate) const HOOK: &str = "The stall closes at noon today.";
/// The folder with a file of instructions, and their text.
pub(crate) const STALL: &str = "stall";
/// The text of the instructions in that folder.
pub(crate) const MEMORY: &str = "Prices of this stall are in cents.";

impl Turn {
    /// The prompt.
    pub(crate) fn prompt(self) -> Option<&'static str> {
        match self {
            Self::Prompt(prompt) | Self::Image(prompt) | Self::Resume(prompt) => Some(prompt),
            Self::Fork(prompt) | Self::Interrupt(prompt) | Self::Told(_, prompt) => Some(prompt),
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
    Scenario { name: "command", turns: &[Turn::Told(Means::Command, "the figs. [[hello]]")] },
    Scenario { name: "skill", turns: &[Turn::Told(Means::Skill, "for the figs. [[hello]]")] },
    Scenario { name: "file", turns: &[Turn::Told(Means::File, "What is in it? [[hello]]")] },
    Scenario { name: "folder", turns: &[Turn::Told(Means::Folder, "What is there? [[hello]]")] },
    Scenario { name: "hook", turns: &[Turn::Told(Means::Hook, "How long is it open? [[hello]]")] },
    Scenario { name: "memory", turns: &[Turn::Told(Means::Memory, "And the melons? [[stall]]")] },
    Scenario { name: "denial", turns: &[Turn::Told(Means::Denial, "Clear it away. [[denied]]")] },
    Scenario { name: BACK, turns: &[] },
    Scenario { name: MENDED, turns: &[] },
    Scenario { name: "interrupt", turns: &[Turn::Interrupt("Take your time. [[hang]]")] },
];
