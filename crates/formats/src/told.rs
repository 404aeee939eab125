//! The text of an item of the conversation, in the words of the agent's own next request; and a
//! name for people of a text that an agent passed to its model in a person's place.

use std::borrow::Cow;

use session::EventRef;

use crate::injected;
use crate::registry::agent;
use crate::worded::Worded;

/// The text of an event that no single string of its record is: what its agent attached, or the
/// line of a command.
#[must_use]
pub fn worded(event: EventRef<'_>) -> Option<Worded> {
    agent(event.session().format).and_then(|format| (format.data().worded)(event))
}

/// The text of an event, as its agent's next request has it.
#[must_use]
pub fn text(event: EventRef<'_>) -> Cow<'_, str> {
    worded(event).map_or_else(|| event.said(), |worded| Cow::Owned(worded.text))
}

/// Such a text without the tag that some agents put around it.
#[must_use]
pub fn bare(text: &str) -> Cow<'_, str> {
    injected::within_reminder(text)
}

/// A name for people of such a text.
#[must_use]
pub fn name(text: &str) -> &'static str {
    let bare = bare(text);
    let text = bare.trim_start();
    let named = NAMES.iter().find(|(mark, _)| text.starts_with(mark));
    // The name of a hook's event is before these words.
    let hook = || text.lines().next().is_some_and(|line| line.contains(" hook "));
    named.map_or_else(|| if hook() { "hook" } else { "from the agent" }, |(_, name)| name)
}

/// Beginnings of such texts, of all agents: a text keeps its words on its way to another one.
const NAMES: &[(&str, &str)] = &[
    ("<skill>", "skill"),
    ("Base directory for this skill", "skill"),
    ("The following skills were invoked", "skill"),
    ("<hook_context>", "hook"),
    ("<hook_prompt", "hook"),
    ("Stop hook feedback", "hook"),
    ("<user_shell_command>", "ran by hand"),
    ("<bash-", "ran by hand"),
    ("I ran the following shell command", "ran by hand"),
    ("The following tool was executed by the user", "ran by hand"),
    ("<command-", "command to the agent"),
    ("<local-command-", "command to the agent"),
    ("Caveat: The messages below", "command to the agent"),
    ("<user_action>", "command to the agent"),
    ("<task-notification>", "notification"),
    ("<task_notification>", "notification"),
    ("<system_notification>", "notification"),
    ("[SYSTEM NOTIFICATION", "notification"),
    ("[Request interrupted", "interruption"),
    ("<turn_aborted>", "interruption"),
    ("[Image: ", "picture's source"),
    ("Called the ", "attached file"),
    ("Result of calling the ", "attached file"),
    ("<path>", "attached file"),
    ("<file>", "attached file"),
    ("Contents of ", "memory file"),
    ("<new-diagnostics>", "diagnostics"),
    ("Note: ", "changed file"),
    ("<goal_context>", "goal"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_told_text_is_named_by_its_beginning() {
        assert_eq!(name("<skill>\n<name>tide</name>"), "skill");
        assert_eq!(
            name("<system-reminder>\nPostToolUse:Read hook success: ok\n</system-reminder>"),
            "hook"
        );
        assert_eq!(
            name("<system-reminder>\n<bash-input>ls</bash-input>\n</system-reminder>"),
            "ran by hand"
        );
        assert_eq!(name("anything else"), "from the agent");
    }
}
