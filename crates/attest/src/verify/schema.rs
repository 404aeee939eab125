//! The line about the schema of the signed bytes.

use catalog::Catalog;
use catalog::validate::{Wanted, validate};

use crate::content::SignedKind;
use crate::report::{Verdict, VerifyReport};

impl VerifyReport {
    /// Whether the signed bytes meet the schema of what they are. Returns their kind.
    pub(super) fn schema(&mut self, file: &str, bytes: &[u8], catalog: &Catalog<'_>) -> SignedKind {
        let kind = SignedKind::of(bytes);
        let (verdict, why) = match &kind {
            SignedKind::Receipts(threads) if threads.len() == 1 => {
                (Verdict::Shown, "a receipt of a turn, each member as published".to_owned())
            }
            SignedKind::Receipts(threads) => {
                let why = format!("{} receipts of turns, each member as published", threads.len());
                (Verdict::Shown, why)
            }
            SignedKind::Document(_) => document(file, bytes, catalog),
        };
        self.put("schema", verdict, why);
        kind
    }
}

/// The verdict on a document.
fn document(file: &str, bytes: &[u8], catalog: &Catalog<'_>) -> (Verdict, String) {
    // The name of a signature's file would say that the bytes are CBOR.
    let name = file.strip_suffix(".cose").unwrap_or(file);
    let judged = match validate(catalog, name, bytes.to_vec(), Wanted::default()) {
        Ok(judged) => judged,
        Err(error) => return (Verdict::NotShown, error.to_string()),
    };
    if judged.is_unrecognized() {
        return (Verdict::NotShown, "it is no document with a known schema".into());
    }
    if judged.undecided {
        return (Verdict::NotShown, "it exceeds a limit of the validator".into());
    }
    let Some(problem) = judged.problems.iter().find(|problem| !problem.advice) else {
        return (Verdict::Shown, judged.what);
    };
    (Verdict::Failed, format!("{}: {}: {}", judged.what, problem.place, problem.rule))
}
