//! Verifying: each line of the result by itself.

use catalog::Catalog;
use catalog::validate::{Wanted, validate};
use receipt::Receipt;
use sign::{ContentType, Envelope, canonical};

use crate::report::{Check, SignedClaims, Verdict, VerifyReport};
use crate::trust::{KnownKey, Standing};

/// What is to be verified.
#[derive(Clone, Copy, Debug)]
pub struct VerifyTask<'t> {
    /// Name of the file.
    pub file: &'t str,
    /// Name of the file of its signature.
    pub signature: &'t str,
    /// The bytes; `None` if they are to be in the envelope.
    pub content: Option<&'t [u8]>,
    /// The envelope.
    pub envelope: &'t [u8],
    /// The keys that are known.
    pub keys: &'t [KnownKey],
    /// Whether the draft's form of the bytes is what was signed.
    pub as_draft: bool,
}

/// Verifies a signature, and says what it shows.
#[must_use]
pub fn verify(task: VerifyTask<'_>, catalog: &Catalog<'_>) -> VerifyReport {
    let mut report = VerifyReport {
        file: task.file.to_owned(),
        signature: task.signature.to_owned(),
        checks: Vec::new(),
        claims: None,
        unauthenticated: Vec::new(),
    };
    let envelope = match Envelope::read(task.envelope) {
        Ok(envelope) => envelope,
        Err(fault) => {
            report.put("envelope", Verdict::Failed, fault.to_string());
            report.put("bytes", Verdict::NotShown, "the envelope is not accepted");
            report.beyond(None);
            return report;
        }
    };
    let form = "a COSE_Sign1 in strict form, its algorithm protected";
    report.put("envelope", Verdict::Shown, form);
    report.unauthenticated.clone_from(&envelope.unprotected.labels);
    let canonical = task.content.filter(|_| task.as_draft).map(canonical);
    let content = match &canonical {
        None => task.content,
        Some(Ok(bytes)) => Some(&**bytes),
        Some(Err(fault)) => {
            report.put("bytes", Verdict::Failed, format!("it has no canonical form: {fault}"));
            report.beyond(Some(&envelope));
            return report;
        }
    };
    let signed = find(&envelope, content, task.keys);
    report.bytes(&envelope, content, signed.as_ref(), task);
    if let Some((known, bytes)) = signed {
        report.signer(&envelope, known);
        report.form(task, bytes);
        report.schema(task.file, bytes, catalog);
    }
    report.beyond(Some(&envelope));
    report
}

/// The key that signed the content, and the signed bytes. The id in the envelope only says which
/// key is tried first.
fn find<'e, 'k>(
    envelope: &'e Envelope,
    content: Option<&'e [u8]>,
    keys: &'k [KnownKey],
) -> Option<(&'k KnownKey, &'e [u8])> {
    let id = envelope.header.key_id.as_ref().or(envelope.unprotected.key_id.as_ref());
    let is_named = |known: &&KnownKey| id.is_some_and(|id| *id == known.key.id());
    let first = keys.iter().filter(is_named);
    let rest = keys.iter().filter(|known| !is_named(known) && (id.is_none() || is_given(known)));
    // A key that is given is tried whatever the id says: ids are made by many rules.
    let mut tried = first.chain(rest);
    tried.find_map(|known| {
        let verified = envelope.verify(content, &[], &known.key)?;
        Some((known, verified.content))
    })
}

fn is_given(known: &KnownKey) -> bool {
    known.standing != Standing::Own
}

impl VerifyReport {
    fn put(&mut self, what: &'static str, verdict: Verdict, why: impl Into<String>) {
        self.checks.push(Check { what, verdict, why: why.into() });
    }

    /// Whether the signature is of these bytes.
    fn bytes(
        &mut self,
        envelope: &Envelope,
        content: Option<&[u8]>,
        signed: Option<&(&KnownKey, &[u8])>,
        task: VerifyTask<'_>,
    ) {
        if let Some((known, bytes)) = signed {
            let why = format!(
                "the key `{}` signed these {} bytes, and no other",
                known.name,
                bytes.len()
            );
            return self.put("bytes", Verdict::Shown, why);
        }
        let attached = envelope.attached();
        let (verdict, why) = match (content, attached) {
            (None, None) => {
                (Verdict::NotShown, "the signed bytes are not in the envelope, nor at hand".into())
            }
            (Some(content), Some(attached)) if content != attached => {
                (Verdict::Failed, "the file is not what the envelope has inside".into())
            }
            _ => unsigned(envelope, task.keys),
        };
        self.put("bytes", verdict, why);
    }

    /// Who signed.
    fn signer(&mut self, envelope: &Envelope, known: &KnownKey) {
        let print = known.key.fingerprint();
        let why = match known.standing {
            Standing::Given => format!("you named this key: {print}"),
            Standing::Own => format!("it is your own key `{}`: {print}", known.name),
            Standing::Trusted => format!("you trust this key as `{}`: {print}", known.name),
        };
        self.put("key", Verdict::Shown, why);
        let claims = envelope.header.claims.clone().unwrap_or_default();
        let of_key = known.key.uri();
        let (verdict, why) = match &claims.issuer {
            None => (Verdict::NotShown, "the envelope names no issuer".into()),
            Some(issuer) if *issuer == of_key => {
                (Verdict::Shown, "it is the name that the key gives itself".into())
            }
            Some(issuer) if *issuer == known.issuer && known.standing != Standing::Given => {
                (Verdict::Shown, format!("you know the key as one of {issuer}"))
            }
            Some(issuer) if known.standing == Standing::Given => {
                (Verdict::NotShown, format!("it names {issuer}, and nothing says whose the key is"))
            }
            Some(issuer) => {
                let why = format!("it names {issuer}, and you know the key as one of ");
                (Verdict::Failed, why + &known.issuer)
            }
        };
        self.put("issuer", verdict, why);
        self.claims = Some(SignedClaims {
            algorithm: envelope.header.algorithm.name(),
            key: print,
            key_name: known.name.clone(),
            issuer: claims.issuer,
            subject: claims.subject,
            issued_at: claims.issued_at,
            content_type: envelope.header.content_type.as_ref().map(|it| match it {
                ContentType::Text(text) => text.clone(),
                ContentType::Number(number) => number.to_string(),
            }),
        });
    }

    /// Which form of the file was signed.
    fn form(&mut self, task: VerifyTask<'_>, bytes: &[u8]) {
        let same = task.content.is_none_or(|content| content == bytes);
        let (verdict, why) = match (task.as_draft, same) {
            (false, _) => (Verdict::Shown, "the bytes were signed as they stand"),
            (true, true) => (Verdict::Shown, "the file is in the draft's canonical form"),
            (true, false) => {
                (Verdict::NotShown, "the file was made canonical first: its own bytes differ")
            }
        };
        self.put("form", verdict, why);
    }

    /// Whether the signed bytes meet the schema of what they are.
    fn schema(&mut self, file: &str, bytes: &[u8], catalog: &Catalog<'_>) {
        if Receipt::read(bytes).is_ok() {
            return self.put(
                "schema",
                Verdict::Shown,
                "a receipt of a turn, each member as published",
            );
        }
        let judged = validate(catalog, file, bytes.to_vec(), Wanted::default());
        match judged {
            Ok(judged) if judged.ok() => self.put("schema", Verdict::Shown, judged.what),
            Ok(judged) if judged.undecided => {
                self.put("schema", Verdict::NotShown, "a limit of the validator is exceeded");
            }
            Ok(judged) => {
                let problem = judged.problems.iter().find(|problem| !problem.advice);
                let place = problem.map_or("", |problem| &problem.place);
                let rule = problem.map_or("", |problem| &problem.rule);
                let why = format!("{}: {place}: {rule}", judged.what);
                self.put("schema", Verdict::Failed, why);
            }
            Err(error) => self.put("schema", Verdict::NotShown, error.to_string()),
        }
    }

    /// What this signature does not show.
    fn beyond(&mut self, envelope: Option<&Envelope>) {
        let time = "the time in it is what the signer's clock said; no other clock was asked";
        self.put("time", Verdict::NotShown, time);
        let receipts = envelope.is_some_and(|envelope| envelope.unprotected.receipts);
        let log = match receipts {
            true => "it has receipts of a log, which are not checked",
            false => "no log has a record of it here",
        };
        self.put("log", Verdict::NotShown, log);
        self.put("witnesses", Verdict::NotShown, "nobody else has signed");
        let complete = "a signature does not show that nothing was left out before it";
        self.put("completeness", Verdict::NotShown, complete);
        self.put("redactions", Verdict::NotShown, "the bytes are signed as a whole");
        if !self.unauthenticated.is_empty() {
            let count = self.unauthenticated.len();
            let why =
                format!("{count} labels of the envelope are not signed; nothing relies on them");
            self.put("metadata", Verdict::NotShown, why);
        }
    }
}

/// Why no known key has signed.
fn unsigned(envelope: &Envelope, keys: &[KnownKey]) -> (Verdict, String) {
    let fits = |known: &&KnownKey| known.key.key_type() == envelope.key_type();
    let given = keys.iter().find(|known| known.standing == Standing::Given);
    if let Some(given) = given {
        let why = match fits(&given) {
            true => "the key that you named did not sign these bytes",
            false => "the key that you named is not of the type of the algorithm",
        };
        return (Verdict::Failed, why.into());
    }
    let id = envelope.header.key_id.as_ref();
    match keys.iter().find(|known| id.is_some_and(|id| *id == known.key.id())) {
        Some(known) => {
            let why = format!("the key `{}` that it names did not sign these bytes", known.name);
            (Verdict::Failed, why)
        }
        None => {
            (Verdict::NotShown, "no key at hand signed it; name the signer's: `--key FILE`".into())
        }
    }
}
