//! Names of slots in records: the meanings of native keys without a canonical key.

use session::Slot;

const WORDS: &[(&str, Slot)] = &[
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
    ("subject", Slot::Subject),
    ("usage", Slot::Usage),
    ("tokens-in", Slot::TokensIn),
    ("tokens-out", Slot::TokensOut),
    ("cache-read", Slot::CacheRead),
    ("cache-write", Slot::CacheWrite),
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

/// The name of a slot; empty for [`Slot::Native`], which has no meaning.
pub(super) fn word(slot: Slot) -> &'static str {
    WORDS.iter().find(|(_, known)| *known == slot).map_or("", |(word, _)| word)
}

/// The slot with this name.
pub(super) fn of_word(word: &str) -> Option<Slot> {
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, slot)| *slot)
}

#[cfg(test)]
mod tests {
    use super::{WORDS, of_word, word as word_of};
    use session::Slot;

    #[test]
    fn every_word_names_one_meaning() {
        for (word, slot) in WORDS {
            assert_eq!(of_word(word), Some(*slot));
            assert_eq!(word_of(*slot), *word);
        }
        assert_eq!(word_of(Slot::Native), "");
    }
}
