//! Names of meanings in documents and in `--json`: one table for all of them.

use crate::label::slot::{Kind, Slot};

/// Every slot but [`Slot::Native`], with its name.
const SLOTS: &[(&str, Slot)] = &[
    ("time", Slot::Time),
    ("id", Slot::Id),
    ("parent", Slot::Parent),
    ("link", Slot::Link),
    ("call", Slot::Call),
    ("model", Slot::Model),
    ("provider", Slot::Provider),
    ("content", Slot::Content),
    ("name", Slot::Name),
    ("input", Slot::Input),
    ("output", Slot::Output),
    ("is-error", Slot::IsError),
    ("changes", Slot::Changes),
    ("success", Slot::Success),
    ("exit-code", Slot::ExitCode),
    ("status", Slot::Status),
    ("detail", Slot::Detail),
    ("encrypted", Slot::Encrypted),
    ("media", Slot::Media),
    ("subject", Slot::Subject),
    ("usage", Slot::Usage),
    ("tokens-in", Slot::TokensIn),
    ("tokens-out", Slot::TokensOut),
    ("cache-read", Slot::CacheRead),
    ("cache-write", Slot::CacheWrite),
    ("cache-write-hour", Slot::CacheWriteHour),
    ("tokens-reasoning", Slot::TokensReasoning),
    ("tokens-tool", Slot::TokensTool),
    ("tokens-total", Slot::TokensTotal),
    ("usage-total", Slot::UsageTotal),
    ("cost", Slot::Cost),
    ("message", Slot::Message),
    ("request", Slot::Request),
    ("type", Slot::Type),
    ("role", Slot::Role),
    ("session", Slot::Session),
    ("parent-session", Slot::ParentSession),
    ("spawned-by", Slot::SpawnedBy),
    ("base", Slot::Base),
    ("agent", Slot::Agent),
    ("turn", Slot::Turn),
    ("working-dir", Slot::WorkingDir),
    ("branch", Slot::Branch),
    ("revision", Slot::Revision),
    ("repository", Slot::Repository),
    ("version-control", Slot::VersionControl),
    ("version", Slot::Version),
    ("title", Slot::Title),
    ("auto-title", Slot::AutoTitle),
    ("started", Slot::Started),
    ("updated", Slot::Updated),
    ("saved", Slot::Saved),
    ("sidechain", Slot::Sidechain),
    ("meta", Slot::Meta),
    ("compact-summary", Slot::CompactSummary),
    ("leaf", Slot::Leaf),
    ("target", Slot::Target),
    ("count", Slot::Count),
    ("ordinal", Slot::Ordinal),
    ("finish", Slot::Finish),
    ("duration", Slot::Duration),
    ("path", Slot::Path),
    ("secret", Slot::Secret),
];

impl Slot {
    /// Its name; empty for [`Slot::Native`], which has no meaning.
    #[must_use]
    pub fn word(self) -> &'static str {
        SLOTS.iter().find(|(_, known)| *known == self).map_or("", |(word, _)| word)
    }

    /// The slot with this name.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        SLOTS.iter().find(|(known, _)| *known == word).map(|(_, slot)| *slot)
    }
}

impl Kind {
    /// Its name. Documents with coarser types have names of their own for some kinds.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool-call",
            Self::ToolResult => "tool-result",
            Self::Notice => "notice",
            Self::Opaque => "opaque",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every slot has a name of its own, which follows from the name in the code.
    #[test]
    fn every_word_names_one_meaning() {
        for (word, slot) in SLOTS {
            assert_eq!((Slot::of_word(word), slot.word()), (Some(*slot), *word));
            let code = format!("{slot:?}").to_lowercase();
            assert_eq!(code, word.replace('-', ""));
        }
        assert_eq!(Slot::Native.word(), "");
    }
}
