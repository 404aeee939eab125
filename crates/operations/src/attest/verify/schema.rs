//! The line about the schema of the signed bytes.

use catalog::Catalog;

use crate::attest::content::{SignedKind, first_session_id, session_id};
use crate::attest::report::{VerifyReport, VerifyVerdict};
use crate::validate::{Wanted, validate};

impl VerifyReport {
    /// Whether the signed bytes meet the schema of what they are. Returns their kind.
    pub(super) fn schema(&mut self, file: &str, bytes: &[u8], catalog: &Catalog<'_>) -> SignedKind {
        let receipts = SignedKind::receipts(bytes);
        let mut is_record = false;
        let (verdict, why) = match &receipts {
            Some(SignedKind::Receipts(threads)) if threads.len() > 1 => {
                let why = format!("{} receipts of turns, each member as published", threads.len());
                (VerifyVerdict::Shown, why)
            }
            Some(_) => {
                (VerifyVerdict::Shown, "a receipt of a turn, each member as published".to_owned())
            }
            None => {
                let (verdict, why, record) = document(file, bytes, catalog);
                // A valid record has each name once; of others the whole is read.
                is_record = record && verdict == VerifyVerdict::Shown;
                (verdict, why)
            }
        };
        let kind = receipts.unwrap_or_else(|| {
            SignedKind::Document(match is_record {
                true => first_session_id(bytes),
                false => session_id(bytes),
            })
        });
        self.put("schema", verdict, why);
        kind
    }
}

/// The verdict on a document, and whether it was judged as a record in JSON.
fn document(file: &str, bytes: &[u8], catalog: &Catalog<'_>) -> (VerifyVerdict, String, bool) {
    // The name of a signature's file would say that the bytes are CBOR.
    let name = file.strip_suffix(".cose").unwrap_or(file);
    let judged = match validate(catalog, name, bytes.to_vec(), Wanted::default()) {
        Ok(judged) => judged,
        Err(error) => return (VerifyVerdict::NotShown, error.to_string(), false),
    };
    if judged.is_unrecognized() {
        return (VerifyVerdict::NotShown, "it is no document with a known schema".into(), false);
    }
    if judged.undecided {
        return (VerifyVerdict::NotShown, "it exceeds a limit of the validator".into(), false);
    }
    let Some(problem) = judged.problems.iter().find(|problem| !problem.advice) else {
        return (VerifyVerdict::Shown, judged.what, judged.is_json_record);
    };
    (VerifyVerdict::Failed, format!("{}: {}: {}", judged.what, problem.place, problem.rule), false)
}
