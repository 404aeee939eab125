//! The part of `demo` about proof for others: a receipt is made, signed and verified, and a changed
//! byte is found twice: by the signature, and by the source.

use std::path::Path;

use ::sign::{KeyType, SecretKey};
use catalog::Catalog;
use operations::attest::{
    CheckedReceipt, SignTask, Signable, Signer, VerifyReport, VerifyTask, VerifyVerdict, companion,
    sign, verify,
};
use receipt::{Receipt, SessionTurns};
use session::{Session, UtcTime};

use crate::exit::Failure;
use crate::screen::{Screen, Style};

/// Makes a receipt, signs and verifies it, and does so again with a changed byte.
pub(super) fn prove(
    catalog: &Catalog<'_>,
    session: &Session,
    folder: &Path,
    now: UtcTime,
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    let turns = SessionTurns::of(session);
    let made = |number| turns.receipt(number, true).ok();
    let Some(receipt) = turns.len().checked_sub(1).and_then(|last| made(last + 1)) else {
        return Ok(());
    };
    let text = receipt.json(false).map_err(std::io::Error::other)? + "\n";
    let file = folder.join("receipt.json");
    store::save(&file, text.as_bytes(), true)?;
    // A key of the demo alone: everybody has it, so it shows nothing to anybody else.
    let broken = |fault: ::sign::SecretFault| Failure::Faulty(fault.to_string(), String::new());
    let secret = SecretKey::new(KeyType::Ed25519, &[0x5a; 32]).map_err(broken)?;
    let signer = Signer::of(secret, "demo", &catalog.machine);
    let keys = [signer.known.clone()];
    let task = VerifyTask { signature: None, keys: &keys, as_draft: false, now };
    if let Some(content) = Signable::stored(&file, catalog)? {
        // A receipt has no parts that can be withheld, and so no secret.
        let random = [0; 32];
        let task = SignTask { output: None, replace: true, as_draft: false, now, random };
        let written = sign(content, &signer, task, catalog)?;
        screen.text(Style::Good, &format!("signed: {}", written.signature.display()))?;
    }
    lines(&verify(&file, task, catalog)?, screen)?;
    let Some((changed, at)) = changed(&text) else { return Ok(()) };
    let other = folder.join("changed.json");
    store::save(&other, changed.as_bytes(), true)?;
    let signature = companion(&file);
    let task = VerifyTask { signature: Some(&signature), ..task };
    let report = verify(&other, task, catalog)?;
    let text = format!("one digit changed, at byte {at}: {}", other.display());
    screen.text(Style::Strong, &text)?;
    lines(&report, screen)?;
    let checked = Receipt::read(changed.as_bytes());
    let checked = checked.map(|changed| CheckedReceipt::beside(&changed, &turns));
    if let Ok(checked) = checked {
        let text = format!("  its source says otherwise at {}", checked.differences.join(", "));
        screen.text(Style::Bad, &text)?;
    }
    Ok(())
}

/// The receipt with another number of calls, and the place of the digit.
fn changed(text: &str) -> Option<(String, usize)> {
    let name = "\"tool_call_count\": ";
    let at = text.find(name)? + name.len();
    let digit = text.as_bytes().get(at)?;
    let other = char::from(if *digit == b'9' { b'8' } else { digit + 1 });
    let mut changed = text.to_owned();
    changed.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
    Some((changed, at))
}

/// Prints the names of what a verification shows, does not show, and refutes. A failure hides the
/// rest.
fn lines(report: &VerifyReport, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let names = |verdict| -> Vec<&str> {
        report.checks.iter().filter(|it| it.verdict == verdict).map(|it| it.what).collect()
    };
    let failed = names(VerifyVerdict::Failed);
    if !failed.is_empty() {
        return screen.text(Style::Bad, &format!("  FAILED: {}", failed.join(", ")));
    }
    screen.text(Style::Good, &format!("  shown: {}", names(VerifyVerdict::Shown).join(", ")))?;
    let open = names(VerifyVerdict::NotShown).join(", ");
    screen.text(Style::Faint, &format!("  not shown: {open} (`verbatim verify` says why)"))
}
