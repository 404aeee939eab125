//! The result of a verification: a line for each thing that a reader may want to know.

use serde::Serialize;

/// VerifyVerdict of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum VerifyVerdict {
    /// It is shown.
    #[serde(rename = "shown")]
    Shown,
    /// Nothing shows it, and nothing speaks against it.
    #[serde(rename = "not shown")]
    NotShown,
    /// It is wrong.
    #[serde(rename = "FAILED")]
    Failed,
}

impl VerifyVerdict {
    /// The verdict as it is printed.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::NotShown => "not shown",
            Self::Failed => "FAILED",
        }
    }
}

/// A line of a result.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The thing that it is about.
    pub what: &'static str,
    /// The verdict.
    pub verdict: VerifyVerdict,
    /// Why.
    pub why: String,
}

/// The signer's claims, from the signed header. It is there only if the signature is good.
#[derive(Clone, Debug, Serialize)]
pub struct SignedClaims {
    /// The algorithm.
    pub algorithm: &'static str,
    /// The fingerprint of the key.
    pub key: String,
    /// The name by which the key is known.
    pub key_name: String,
    /// The issuer.
    pub issuer: Option<String>,
    /// The subject.
    pub subject: Option<String>,
    /// Seconds since 1970, by the signer's clock.
    pub issued_at: Option<i64>,
    /// The type of the content.
    pub content_type: Option<String>,
}

/// The result for one file, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyResult {
    /// A known key signed these bytes, and nothing failed.
    Signed,
    /// Nothing failed, but no known key signed them.
    Unknown,
    /// Something failed.
    Failed,
}

/// The result of the verification of one file.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyReport {
    /// The file.
    pub file: String,
    /// The file of its signature.
    pub signature: String,
    /// The result in a word.
    pub result: VerifyResult,
    /// The lines.
    pub checks: Vec<Check>,
    /// The signer's claims; null if the signature is not good.
    pub claims: Option<SignedClaims>,
    /// Labels of the envelope that nobody signed.
    pub unauthenticated: Vec<String>,
}

impl VerifyReport {
    /// A report without lines.
    pub(crate) fn new(file: &str, signature: &str) -> Self {
        Self {
            file: file.to_owned(),
            signature: signature.to_owned(),
            result: VerifyResult::Unknown,
            checks: Vec::new(),
            claims: None,
            unauthenticated: Vec::new(),
        }
    }

    /// Adds a line.
    pub(crate) fn put(
        &mut self,
        what: &'static str,
        verdict: VerifyVerdict,
        why: impl Into<String>,
    ) {
        self.checks.push(Check { what, verdict, why: why.into() });
    }

    /// The verdict on a thing.
    #[must_use]
    pub fn verdict(&self, what: &str) -> VerifyVerdict {
        let line = self.checks.iter().find(|check| check.what == what);
        line.map_or(VerifyVerdict::NotShown, |check| check.verdict)
    }

    /// Sums the lines up.
    pub(crate) fn close(mut self) -> Self {
        let shown = |what| self.verdict(what) == VerifyVerdict::Shown;
        self.result = match self.checks.iter().any(|check| check.verdict == VerifyVerdict::Failed) {
            true => VerifyResult::Failed,
            false if shown("bytes") && shown("key") => VerifyResult::Signed,
            false => VerifyResult::Unknown,
        };
        self
    }
}
