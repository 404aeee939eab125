//! Lines about what a signature does not show.

use sign::Envelope;

use crate::attest::report::{VerifyReport, VerifyVerdict};

/// Greatest number of labels that are named.
const TOLD: usize = 20;

impl VerifyReport {
    /// Things that this signature does not show.
    pub(super) fn beyond(&mut self, envelope: Option<&Envelope>) {
        let receipts = envelope.is_some_and(|envelope| envelope.unprotected.receipts);
        let log = match receipts {
            true => "it has receipts of a log, which are not checked",
            false => "it has no receipt of a log",
        };
        let lines = [
            ("time", "the time in it is what the signer's clock said; it has no trusted timestamp"),
            ("log", log),
            ("witnesses", "no other party has signed that it saw it"),
            ("completeness", "nothing shows that no session, turn or entry was left out before"),
            (
                "redactions",
                "the bytes are signed as a whole: nothing shows what was withheld before",
            ),
        ];
        for (what, why) in lines {
            self.put(what, VerifyVerdict::NotShown, why);
        }
        let count = self.unauthenticated.len();
        if count > 0 {
            self.unauthenticated.truncate(TOLD);
            let some = if count == 1 { "1 label is" } else { &*format!("{count} labels are") };
            let why = format!("{some} beside the signed header; nothing relies on what it says");
            self.put("metadata", VerifyVerdict::NotShown, why);
        }
    }
}
