//! Values that are found later: a session grows, and what was taken for a word turns out to be a
//! password. The earlier version in the twin was redacted without knowing that.

use std::collections::HashMap;

use archive::RedactedVersion;
use archive::twin::{NewVersion, TwinWriter};
use catalog::Source;
use session::Bundle;

/// The lines of a text, with those that were written for them. None if they are not as many: then
/// nothing can be said.
fn pairs<'t>(before: &'t [u8], after: &'t [u8]) -> Vec<(&'t [u8], &'t [u8])> {
    let lines = |text: &'t [u8]| -> Vec<&'t [u8]> { text.split(|byte| *byte == b'\n').collect() };
    let (before, after) = (lines(before), lines(after));
    match before.len() == after.len() {
        true => before.into_iter().zip(after).collect(),
        false => Vec::new(),
    }
}

/// Whether a version has lines of an earlier one that are redacted otherwise now.
pub(super) fn has_more(
    writer: &TwinWriter<'_>,
    (version, before): (&NewVersion, &Bundle),
    (known, source): (&RedactedVersion, &Source),
) -> bool {
    let mut now: HashMap<&[u8], &[u8]> = HashMap::new();
    for (member, file) in before.members.iter().zip(&version.files) {
        now.extend(pairs(member.bytes(), &file.bytes));
    }
    let (then, _) = catalog::bundle(source);
    then.members.iter().zip(&known.files).any(|(member, file)| {
        let Some(written) = writer.bytes(file) else { return false };
        let pairs = pairs(member.bytes(), &written);
        pairs.iter().any(|(line, then)| now.get(line).is_some_and(|now| now != then))
    })
}
