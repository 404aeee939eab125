//! The receipts of a run beside `git` and the mock's log. The comparison is a script in another
//! language, which shares nothing with the counting of the program.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Findings, Verbatim, array, text};
use crate::process::Process;

impl Verbatim {
    /// Compares the changes, calls and tokens of all receipts with what `git` and the mock know.
    pub(super) fn receipts(&self, uids: &[String], work: &Path, findings: &mut Findings) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/receipts.py");
        let log = self.notes.join("told.jsonl");
        let mut command = Command::new("python3");
        command.args([Path::new(script), &self.program, &self.home, work, &log]).args(uids);
        let process = match Process::start(&mut command, "", &self.notes, "receipts") {
            Ok(process) => process,
            Err(error) => return findings.notes.push(format!("no receipts compared: {error}")),
        };
        process.end(super::LIMIT);
        let told = fs::read(self.notes.join("receipts.stdout")).unwrap_or_default();
        let Ok(told) = serde_json::from_slice::<Value>(&told) else {
            let said = fs::read_to_string(self.notes.join("receipts.stderr")).unwrap_or_default();
            let last = said.lines().last().unwrap_or("it printed nothing").to_owned();
            return findings.wrong.push(format!("receipts.py: {last}"));
        };
        findings.wrong.extend(array(&told["wrong"]).iter().map(|why| text(why).to_owned()));
    }
}
