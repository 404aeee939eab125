//! The part of `demo` about proof for others: a receipt is made, signed and verified, and a changed
//! byte is found twice: by the signature, and by the source.

use std::path::Path;

use ::sign::{KeyType, SecretKey};
use catalog::Catalog;
use operations::attest::{
    CheckedReceipt, SignTask, Signable, Signer, VerifyReport, VerifyTask, companion, sign, verify,
};
use receipt::{Receipt, SessionTurns};
use session::{Session, UtcTime};

use crate::exit::Failure;
use crate::screen::{Line, Screen, Style};

/// Lines of the receipt that are printed.
const SHOWN: usize = 18;

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
    for line in text.lines().take(SHOWN) {
        screen.line(&Line::new().tell(Style::Normal, line))?;
    }
    let rest = text.lines().count().saturating_sub(SHOWN);
    let more = format!("… and {rest} more lines: {}", file.display());
    screen.line(&Line::new().tell(Style::Faint, &more))?;
    screen.gap()?;

    // A key of the demo alone: everybody has it, so it shows nothing to anybody else.
    let broken = |fault: ::sign::SecretFault| Failure::Faulty(fault.to_string(), String::new());
    let secret = SecretKey::new(KeyType::Ed25519, &[0x5a; 32]).map_err(broken)?;
    let signer = Signer::of(secret, "demo", &catalog.machine);
    let keys = [signer.known.clone()];
    let task = VerifyTask { signature: None, keys: &keys, as_draft: false, now };
    if let Some(content) = Signable::stored(&file)? {
        let task = SignTask { output: None, replace: true, as_draft: false, now };
        let written = sign(content, &signer, task, catalog)?;
        let text = format!("signed: {}", written.signature.display());
        screen.line(&Line::new().tell(Style::Good, &text))?;
    }
    crate::verify::print(&verify(&file, task, catalog)?, screen)?;
    screen.gap()?;
    let Some((changed, at)) = changed(&text) else { return Ok(()) };
    let other = folder.join("changed.json");
    store::save(&other, changed.as_bytes(), true)?;
    let signature = companion(&file);
    let task = VerifyTask { signature: Some(&signature), ..task };
    let report = verify(&other, task, catalog)?;
    let text = format!("one digit changed, at byte {at}: {}", other.display());
    screen.line(&Line::new().tell(Style::Strong, &text))?;
    failures(&report, screen)?;
    let checked = Receipt::read(changed.as_bytes());
    let checked = checked.map(|changed| CheckedReceipt::beside(changed, Some(&receipt)));
    if let Ok(checked) = checked {
        let text = format!("the source gives another value at {}", checked.differences.join(", "));
        let line = Line::new().say(Style::Normal, "  source        ");
        let line = line.say(Style::Bad, "FAILED     ");
        screen.line(&line.tell(Style::Normal, &text))?;
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

/// Prints the lines that failed.
fn failures(report: &VerifyReport, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let failed = VerifyReport {
        file: report.file.clone(),
        checks: report
            .checks
            .iter()
            .filter(|it| it.verdict == operations::attest::VerifyVerdict::Failed)
            .cloned()
            .collect(),
        ..report.clone()
    };
    crate::verify::print(&failed, screen)
}
