//! Note of an export: whether it was redacted.

/// Facts about an export that its reader must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportNote {
    /// The profile of its redaction, and the number of replaced values; `None` if it was not
    /// redacted.
    pub redacted: Option<(String, usize)>,
}

impl ExportNote {
    /// The note as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.redacted {
            Some((profile, 0)) => format!("Redacted (profile {profile}): nothing was found."),
            Some((profile, 1)) => format!("Redacted (profile {profile}): 1 value was replaced."),
            Some((profile, count)) => {
                format!("Redacted (profile {profile}): {count} values were replaced.")
            }
            None => "NOT redacted: it may contain secrets and personal data.".to_owned(),
        }
    }
}
