//! Lines about the signer: the key, the issuer and the subject.

use session::UtcTime;
use sign::{Claims, ContentType, Envelope};

use crate::attest::content::{SignedKind, is_subject, subject};
use crate::attest::report::{SignedClaims, VerifyReport, VerifyVerdict};
use crate::attest::trust::{KeyStanding, KnownKey};

impl VerifyReport {
    /// The signer: the key, the issuer, the subject.
    pub(super) fn signer(
        &mut self,
        envelope: &Envelope,
        known: &KnownKey,
        kind: SignedKind,
        now: UtcTime,
    ) {
        let print = known.key.fingerprint();
        let why = match known.standing {
            KeyStanding::Given => format!("you named this key: {print}"),
            KeyStanding::Own => format!("it is your own key `{}`: {print}", known.name),
            KeyStanding::Agent => format!("your ssh agent holds it: {print}"),
            KeyStanding::Trusted => format!("you trust this key as `{}`: {print}", known.name),
        };
        self.put("key", VerifyVerdict::Shown, why);
        let claims = envelope.header.claims.clone().unwrap_or_default();
        let (verdict, why) = issuer(&claims, known);
        self.put("issuer", verdict, why);
        let (verdict, why) = about(&claims, &kind);
        self.put("subject", verdict, why);
        if let Some((verdict, why)) = validity(&claims, now) {
            self.put("validity", verdict, why);
        }
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
}

/// Whether the signature is to be accepted now, if the signer has limited that.
fn validity(claims: &Claims, now: UtcTime) -> Option<(VerifyVerdict, String)> {
    let time = |seconds: i64| UtcTime(seconds.saturating_mul(1_000_000));
    let (begins, ends) = (claims.not_before.map(time), claims.expires.map(time));
    match (begins, ends) {
        (None, None) => None,
        (Some(begins), _) if now < begins => {
            let begins = begins.rfc3339();
            Some((
                VerifyVerdict::Failed,
                format!("the signer says that it begins at {begins} only"),
            ))
        }
        (_, Some(ends)) if now >= ends => {
            let ends = ends.rfc3339();
            Some((VerifyVerdict::Failed, format!("the signer says that it ended at {ends}")))
        }
        _ => Some((VerifyVerdict::Shown, "it is within the times that the signer sets".to_owned())),
    }
}

/// Whether the key signs for the issuer that the envelope names.
fn issuer(claims: &Claims, known: &KnownKey) -> (VerifyVerdict, String) {
    let is_given = known.standing == KeyStanding::Given;
    match &claims.issuer {
        None => (VerifyVerdict::NotShown, "the envelope names no issuer".into()),
        Some(issuer) if *issuer == known.key.uri() => {
            (VerifyVerdict::Shown, "it is the name that the key gives itself".into())
        }
        Some(issuer) if *issuer == known.issuer && !is_given => {
            (VerifyVerdict::Shown, format!("you know the key as one of {issuer}"))
        }
        Some(issuer) if is_given || known.issuer == known.key.uri() => {
            let why = format!("it names {issuer}, and nothing says that the key is theirs");
            (VerifyVerdict::NotShown, why)
        }
        Some(issuer) => {
            let why = format!("it names {issuer}, and you know the key as one of ");
            (VerifyVerdict::Failed, why + &known.issuer)
        }
    }
}

/// Whether the signed bytes are about the subject that the envelope names.
fn about(claims: &Claims, kind: &SignedKind) -> (VerifyVerdict, String) {
    let Some(named) = &claims.subject else {
        return (VerifyVerdict::NotShown, "the envelope names no subject".into());
    };
    let ids: Vec<&String> = match kind {
        SignedKind::Receipts(threads) => threads.iter().collect(),
        SignedKind::Document(id) => id.iter().collect(),
    };
    match &*ids {
        _ if !is_subject(named) => {
            (VerifyVerdict::NotShown, "it is named by a rule of its own".to_owned())
        }
        [] => (VerifyVerdict::NotShown, "the signed bytes name no session".to_owned()),
        ids if ids.iter().all(|id| subject(id) == *named) => {
            (VerifyVerdict::Shown, "the signed bytes are of the session that it names".to_owned())
        }
        _ => (
            VerifyVerdict::Failed,
            "the signed bytes are of another session than it names".to_owned(),
        ),
    }
}
