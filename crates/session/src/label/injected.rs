//! Texts that no person typed and no model said.

/// The reason why a text in the place of a person's, or of the model's, is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Injected {
    /// The agent's own: instructions, reminders, notes, errors.
    Context,
    /// A command that the person gave to the agent itself, or the output of a command.
    Command,
    /// The text that a person's command expands to: a part of the prompt before it.
    Expansion,
    /// A text that the agent passes to the model in a person's place: a skill, what a hook said,
    /// the end of a
    /// background command, an attached file, an interruption.
    Told,
    /// The report of a sub-agent, or of work that ran beside the conversation.
    Report,
    /// The task that another agent gave to this one.
    Task,
    /// The summary of earlier conversation.
    Summary,
}

impl Injected {
    /// Every reason.
    const ALL: [Self; 7] = [
        Self::Context,
        Self::Command,
        Self::Expansion,
        Self::Told,
        Self::Report,
        Self::Task,
        Self::Summary,
    ];

    /// Its name in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Command => "command",
            Self::Expansion => "expansion",
            Self::Told => "told",
            Self::Report => "report",
            Self::Task => "task",
            Self::Summary => "summary",
        }
    }

    /// The reason that a document gives: its name, or `true` for [`Self::Context`], as written.
    #[must_use]
    pub fn of_mark(mark: &[u8]) -> Option<Self> {
        let named = |reason: &Self| mark == format!("\"{}\"", reason.word()).as_bytes();
        let context = (mark == b"true").then_some(Self::Context);
        context.or_else(|| Self::ALL.into_iter().find(named))
    }
}

#[cfg(test)]
mod tests {
    use super::Injected;

    #[test]
    fn a_mark_gives_its_reason_back() {
        for reason in Injected::ALL {
            let mark = format!("\"{}\"", reason.word());
            assert_eq!(Injected::of_mark(mark.as_bytes()), Some(reason));
        }
        assert_eq!(Injected::of_mark(b"true"), Some(Injected::Context));
        assert_eq!(Injected::of_mark(b"false"), None);
    }
}
