//! Note of an export: whether it was redacted.

use redact::Outgoing;

/// Facts about an export that its reader must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportNote {
    /// The profile of its redaction, and the number of replaced values; `None` if it was not
    /// redacted.
    pub redacted: Option<(String, usize)>,
    /// The numbers of its first and last turn, if it has not all of them.
    pub turns: Option<(u64, u64)>,
    /// Whether a page has the bytes of each record too.
    pub bytes: bool,
}

impl ExportNote {
    /// The note of a session: one that is not redacted is never called so.
    pub(super) fn of(&self, outgoing: &dyn Outgoing) -> Self {
        let redacted = self.redacted.clone().filter(|_| outgoing.is_clean());
        Self { redacted, turns: self.turns, bytes: self.bytes }
    }

    /// The note as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let some = match self.turns {
            Some((from, to)) if from == to => format!(" Only turn {from} is here."),
            Some((from, to)) => format!(" Only turns {from} to {to} are here."),
            None => String::new(),
        };
        let redacted = match &self.redacted {
            Some((profile, 0)) => format!("Redacted (profile {profile}): nothing was found."),
            Some((profile, 1)) => format!("Redacted (profile {profile}): 1 value was replaced."),
            Some((profile, count)) => {
                format!("Redacted (profile {profile}): {count} values were replaced.")
            }
            None => "NOT redacted: it may contain secrets and personal data.".to_owned(),
        };
        redacted + &some
    }
}
