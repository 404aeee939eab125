//! Pages of presentations: made, and judged. A page shows what it carries if it is, byte for byte,
//! the page that is made of what it carries.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use catalog::Catalog;
use redact::Redactor;
use sha2::{Digest as _, Sha256};
use sign::{Envelope, PublicKey};
use views::export::{CarriedPresentation, PRESENTED_FORM, PresentedPage};

use crate::attest::error::{Error, refused};
use crate::attest::presentation::{FieldProof, PresentationProof, Proven, shown_frame, visible};
use crate::attest::presented::verify_text;
use crate::attest::presenting::{redacted, text as clean_text};
use crate::attest::record_parts::RecordParts;
use crate::attest::report::{Check, VerifyReport, VerifyResult, VerifyVerdict};
use crate::attest::trust::KnownKey;
use crate::attest::verify::VerifyTask;

/// A presentation that may leave as a page: a known key signed it, and nothing in it has to go.
#[derive(Debug)]
pub struct PageOfPresentation {
    text: String,
    proof: PresentationProof,
    key: PublicKey,
}

/// Whether bytes are a presentation.
#[must_use]
pub fn is_presentation(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| PresentationProof::in_text(text).is_some())
}

impl PageOfPresentation {
    /// The page of a presentation, which is verified first. A redactor looks for what must not be
    /// shown; without one the user has chosen to show everything.
    ///
    /// # Errors
    /// It fails, nobody known signed it, or the redactor finds something.
    pub fn of(
        (file, text): (&str, String),
        redactor: Option<&Redactor>,
        task: VerifyTask<'_>,
        catalog: &Catalog<'_>,
    ) -> Result<Self, Error> {
        let digest = Sha256::digest(text.as_bytes()).into();
        let report = verify_text(file, &text, digest, task, catalog);
        let (Some(report), Some(Ok(proof))) = (report, PresentationProof::in_text(&text)) else {
            return refused(
                format!("{file} is no presentation that can be read"),
                "`verbatim redact --signed RECORD` makes one",
            );
        };
        let signer = report.claims.as_ref().map(|claims| &claims.key);
        let is_signer = |known: &&KnownKey| Some(&known.key.fingerprint()) == signer;
        let key = match (report.result, task.keys.iter().find(is_signer)) {
            (VerifyResult::Signed, Some(known)) => known.key.clone(),
            (VerifyResult::Failed, _) => {
                let hint = format!("`verbatim verify {file}` says why");
                return refused(format!("{file} FAILED: no page is made of it"), hint);
            }
            _ => {
                return refused(
                    format!("no key that you know signed {file}: no page is made of it"),
                    "`verbatim key trust FILE --name NAME` lets you know the signer's key",
                );
            }
        };
        if let Some(redactor) = redactor {
            let shown = shown(&text).unwrap_or_default();
            let clean = redacted("presentation.json", &shown, redactor, catalog)?;
            if clean_text(&clean) != shown {
                return refused(
                    format!("{file} has something that must not be shown"),
                    "`verbatim scan FILE` tells what; `verbatim redact --signed RECORD` withholds \
                     it, and `--keep CLASS` shows values of a class",
                );
            }
        }
        Ok(Self { text, proof, key })
    }

    /// The fingerprint of the signer's key, by which a reader checks the page.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.key.fingerprint()
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write(&self.text, &self.proof, &STANDARD.encode(self.key.der()), out)
    }
}

/// The shown part of a presentation, without its proof.
fn shown(text: &str) -> Option<String> {
    let parts = RecordParts::read(text).ok()?;
    let frame = shown_frame(&parts);
    let frame: Vec<(&str, &str)> = frame.iter().map(|(path, value)| (&**path, *value)).collect();
    Some(visible(&frame, parts.entries.iter().map(|entry| (*entry).into())))
}

/// Writes the page of a presentation whose parts are as its proof says.
fn write(text: &str, proof: &PresentationProof, key: &str, out: &mut dyn Write) -> io::Result<()> {
    fn withheld(fields: &[FieldProof]) -> impl Iterator<Item = &str> {
        fields.iter().filter(|field| field.withheld.is_some()).map(|field| &*field.name)
    }
    let parts = RecordParts::read(text).map_err(io::Error::other)?;
    let mut page = PresentedPage::begin(out)?;
    let frame = shown_frame(&parts);
    let frame = frame.iter().map(|(path, value)| (&**path, *value));
    page.frame(frame, withheld(&proof.frame.fields))?;
    let mut number = 1;
    for (entry, proven) in parts.entries.iter().zip(&proof.entries) {
        match proven {
            Proven::Range(range) => {
                page.withheld(range.first, range.last)?;
                number = range.last.saturating_add(1);
            }
            Proven::Entry(unit) => {
                page.entry(number, entry, &withheld(&unit.fields).collect::<Vec<_>>())?;
                number += 1;
            }
        }
    }
    page.end(text, key)
}

/// The verdict on a page of a presentation; `None` if the bytes are no such page.
#[must_use]
pub fn verify_page(
    file: &str,
    bytes: &[u8],
    task: VerifyTask<'_>,
    catalog: &Catalog<'_>,
) -> Option<VerifyReport> {
    let page = std::str::from_utf8(bytes).ok()?;
    let carried = CarriedPresentation::of_page(page)?;
    let digest = Sha256::digest(bytes).into();
    let report = verify_text(file, &carried.text, digest, task, catalog);
    let mut report = report.unwrap_or_else(|| {
        let mut report = VerifyReport::new(file, file);
        report.put("entries", VerifyVerdict::Failed, "the page carries no presentation");
        report
    });
    // A presentation that failed has no page to compare with.
    if report.verdict("entries") != VerifyVerdict::Failed
        && let Some(Ok(proof)) = PresentationProof::in_text(&carried.text)
    {
        let (verdict, why) = match compared(bytes, &carried, &proof) {
            Ok(()) => (VerifyVerdict::Shown, "it shows what it carries, and nothing else".into()),
            Err(why) => (VerifyVerdict::Failed, why),
        };
        let at = report.checks.iter().position(|check| check.what == "time");
        let at = at.unwrap_or(report.checks.len());
        report.checks.insert(at, Check { what: "page", verdict, why });
    }
    Some(report.close())
}

/// Whether a page is the one that is made of what it carries.
fn compared(
    page: &[u8],
    carried: &CarriedPresentation,
    proof: &PresentationProof,
) -> Result<(), String> {
    if carried.form != Some(PRESENTED_FORM) {
        let form = carried.form.map_or_else(|| "none".to_owned(), |form| form.to_string());
        return Err(format!(
            "another version made it: its form is {form}, and this program knows {PRESENTED_FORM}, \
             so that nothing shows that what it shows is what it carries"
        ));
    }
    let key = STANDARD.decode(&carried.key).ok().and_then(|key| PublicKey::read(&key).ok());
    let key = key.ok_or("the key that it names can't be read")?;
    let envelope = proof.envelope()?;
    let envelope = Envelope::read(&envelope).map_err(|fault| fault.to_string())?;
    if envelope.verify(Some(proof.skeleton.as_bytes()), &[], &key).is_none() {
        return Err("the key that it names did not sign what it carries".into());
    }
    let mut rest = Compared { rest: page };
    match write(&carried.text, proof, &carried.key, &mut rest) {
        Ok(()) if rest.rest.is_empty() => Ok(()),
        _ => Err(format!(
            "what it shows is not what it carries: it differs from byte {} on",
            page.len() - rest.rest.len()
        )),
    }
}

/// Bytes that what is written has to be.
struct Compared<'b> {
    rest: &'b [u8],
}

impl Write for Compared<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let same = self.rest.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        self.rest = self.rest.get(same..).unwrap_or_default();
        match same == bytes.len() {
            true => Ok(same),
            false => Err(io::Error::other("the bytes differ")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
