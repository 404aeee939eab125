//! Lines about what a signature does not show.

use sign::{Envelope, Hash, hex};

use crate::attest::log_proof::included;
use crate::attest::report::{VerifyReport, VerifyVerdict};
use crate::attest::trust::KnownKey;

/// Greatest number of labels that are named.
const TOLD: usize = 20;

impl VerifyReport {
    /// Things that this signature does not show.
    pub(super) fn beyond(&mut self, envelope: Option<&Envelope>) {
        let receipts = envelope.is_some_and(|envelope| envelope.unprotected.receipts);
        let log = match receipts {
            true => "it has receipts of a log in a form that is not read",
            false => "it has no receipt of a log",
        };
        let lines = [
            ("time", "the time in it is what the signer's clock said; it has no trusted timestamp"),
            ("log", log),
            ("witnesses", "no other party has signed that it saw it"),
            (
                "completeness",
                "nothing shows that no session, turn or entry was left out before: no head was \
                 signed while the session ran",
            ),
            (
                "redactions",
                "the bytes are signed as a whole: nothing shows what was withheld before",
            ),
            ("ids", "the ids are the agent's own: they link it to whatever else has them"),
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

    /// The verdict on receipts of logs, each with the digest of what it is about.
    pub(super) fn logged(&mut self, receipts: &[(Vec<u8>, Hash)], keys: &[KnownKey]) {
        let verdict = |(receipt, digest): &(Vec<u8>, Hash)| match included(receipt, digest, keys) {
            // Anybody can put a receipt beside what was signed, so a bad one takes nothing away.
            Err(why) => {
                (VerifyVerdict::NotShown, format!("a receipt of a log can't be read: {why}"))
            }
            Ok(Some((known, root))) => {
                let (name, root) = (&known.name, hex(root.get(..8).unwrap_or_default()));
                let why = format!("the key `{name}` signed that its log has it (root {root}…)");
                (VerifyVerdict::Shown, why)
            }
            Ok(None) => {
                let why = "it has a receipt of a log, and no key that you know signed what it \
                           leads to";
                (VerifyVerdict::NotShown, why.to_owned())
            }
        };
        let is_shown = |(verdict, _): &(VerifyVerdict, String)| *verdict == VerifyVerdict::Shown;
        let most = receipts.iter().map(verdict).max_by_key(is_shown);
        let line = self.checks.iter_mut().find(|check| check.what == "log");
        if let (Some((verdict, why)), Some(line)) = (most, line) {
            (line.verdict, line.why) = (verdict, why);
        }
    }
}
