//! Commands that a person gave. One of the agent itself (`/model`) stays a text that it passes to
//! the model. One that expands to a text (a file of the user's, a skill) is a prompt: it writes
//! the command's line, and behind it the text, which it marks as its own.

use std::borrow::Cow;

use session::{EventIx, EventRef, Injected, Kind, Mark, NO_EVENT, Session, Slot, Stream};

/// The beginning of a skill's text. It is no part of the prompt, as if the model had loaded it.
const SKILL: &str = "Base directory for this skill";

/// The tags of a command's line: its name, its arguments, and the text of builds that wrote that
/// into the line.
const NAME: [&str; 2] = ["<command-name>", "</command-name>"];
const ARGUMENTS: [&str; 2] = ["<command-args>", "</command-args>"];
const CONTENTS: [&str; 2] = ["<command-contents>", "</command-contents>"];

/// Marks the lines of commands that expand to a text as prompts, and these texts.
pub(super) fn settle(session: &mut Session) {
    let mut marks: Vec<(EventIx, Option<Injected>)> = Vec::new();
    let mut before: Option<EventRef<'_>> = None;
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        if matches!(event.kind, Kind::Notice | Kind::Opaque) {
            continue;
        }
        let command =
            before.replace(event).filter(|before| before.origin.member == event.origin.member);
        if is_line(event) && within(&event.said(), CONTENTS).is_some() {
            marks.push((event.index, prompted(event)));
        }
        if let Some(command) = command.filter(|command| is_line(*command))
            && event.injected == Some(Injected::Told)
            && event.is_true(Slot::Meta)
        {
            marks.push((command.index, prompted(command)));
            if !event.said().trim_start().starts_with(SKILL) {
                marks.push((event.index, Some(Injected::Expansion)));
            }
        }
    }
    for (event, reason) in marks {
        session.mark(event, Mark::Injected(reason));
    }
}

/// The reason of the line of a command that expands to a text: a prompt, or a sub-agent's task.
fn prompted(line: EventRef<'_>) -> Option<Injected> {
    let within = *line.stream() != Stream::Main || line.is_true(Slot::Sidechain);
    within.then_some(Injected::Task)
}

/// Whether an event is the line of a command.
fn is_line(event: EventRef<'_>) -> bool {
    event.injected == Some(Injected::Command) && within(&event.said(), NAME).is_some()
}

/// The words of a command's line as the person typed it: its name and its arguments, and the text
/// that it expands to, if the line has it. `None` for any other text.
pub(super) fn typed(said: &str) -> Option<String> {
    let rest = said.trim_start();
    if !rest.starts_with("<command-") || !rest.trim_end().ends_with('>') {
        return None;
    }
    let name = within(rest, NAME)?;
    let arguments = within(rest, ARGUMENTS).unwrap_or_default();
    let mut words = Cow::Borrowed(name);
    if !arguments.is_empty() {
        words = format!("{words} {arguments}").into();
    }
    if let Some(contents) = within(rest, CONTENTS) {
        words = format!("{words}\n{contents}").into();
    }
    Some(words.into_owned())
}

/// The text of an element, if it has any.
fn within<'t>(text: &'t str, [open, close]: [&str; 2]) -> Option<&'t str> {
    let (_, inner) = text.split_once(open)?;
    let (inner, _) = inner.split_once(close)?;
    Some(inner.trim()).filter(|inner| !inner.is_empty())
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn a_command_is_typed_with_its_arguments() {
        let line = "<command-message>tide</command-message>\n<command-name>/tide</command-name>";
        assert_eq!(typed(line).as_deref(), Some("/tide"));
        let args = format!("{line}\n<command-args> at noon\nand at night </command-args>");
        assert_eq!(typed(&args).as_deref(), Some("/tide at noon\nand at night"));
        let old = format!("{line}\n<command-contents>Tell the tide.</command-contents>");
        assert_eq!(typed(&old).as_deref(), Some("/tide\nTell the tide."));
        assert_eq!(typed("what is <command-name>/tide</command-name>?"), None);
        assert_eq!(typed("<command-name></command-name>"), None);
    }
}
