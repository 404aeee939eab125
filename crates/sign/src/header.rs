//! Headers of an envelope: what is signed, and what is not.

use coset::cbor::value::Value;
use coset::{Header as CoseHeader, Label, RegisteredLabel, RegisteredLabelWithPrivate};

use crate::algorithm::Algorithm;
use crate::strict::EnvelopeFault;

/// Labels that are understood in a protected header.
const UNDERSTOOD: [i64; 5] = [ALG, CRIT, CONTENT_TYPE, KID, CLAIMS];

const ALG: i64 = 1;
const CRIT: i64 = 2;
const CONTENT_TYPE: i64 = 3;
const KID: i64 = 4;
const CLAIMS: i64 = 15;

/// Labels of an initialization vector and of a part of one: both at once have no meaning (RFC 9052,
/// 3.1).
const VECTORS: [i64; 2] = [5, 6];

/// Label of the receipts of logs.
pub(crate) const RECEIPTS: i64 = 394;

/// Labels of a hash envelope (RFC 9995): its payload is a digest, not the content.
const HASH_ENVELOPE: std::ops::RangeInclusive<i64> = 258..=260;

/// Type of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentType {
    /// A media type.
    Text(String),
    /// A number of the CoAP registry.
    Number(u64),
}

/// Claims of a CBOR Web Token (RFC 8392, RFC 9597).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// The issuer.
    pub issuer: Option<String>,
    /// The subject.
    pub subject: Option<String>,
    /// Seconds since 1970 from which it is not to be accepted.
    pub expires: Option<i64>,
    /// Seconds since 1970 before which it is not to be accepted.
    pub not_before: Option<i64>,
    /// Seconds since 1970, as the signer says.
    pub issued_at: Option<i64>,
}

/// The protected header: the signature covers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The key's id.
    pub key_id: Option<Vec<u8>>,
    /// The type of the content.
    pub content_type: Option<ContentType>,
    /// The claims.
    pub claims: Option<Claims>,
    /// Labels that are not understood, which are signed too.
    pub others: Vec<String>,
}

/// The unprotected header: anybody can have written it, so it has no values here except a hint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unprotected {
    /// Its labels.
    pub labels: Vec<String>,
    /// A key's id, good for finding a key only.
    pub key_id: Option<Vec<u8>>,
    /// Whether it has receipts of a log (label 394).
    pub receipts: bool,
}

/// Reads a protected header.
pub(crate) fn protected(header: &CoseHeader, labels: &[Label]) -> Result<Header, EnvelopeFault> {
    for label in labels {
        if let Label::Int(number) = label
            && HASH_ENVELOPE.contains(number)
        {
            return Err(policy("it signs a digest of the content (RFC 9995), which is not read"));
        }
    }
    critical(header, labels)?;
    let algorithm = match &header.alg {
        Some(RegisteredLabelWithPrivate::Assigned(number)) => {
            Algorithm::numbered(coset::iana::EnumI64::to_i64(number))
        }
        Some(RegisteredLabelWithPrivate::PrivateUse(number)) => Algorithm::numbered(*number),
        Some(RegisteredLabelWithPrivate::Text(_)) => None,
        None => return Err(policy("the protected header names no algorithm")),
    };
    let algorithm = algorithm.ok_or_else(|| {
        policy("its algorithm is not one of EdDSA (-8), Ed25519 (-19), ES256 (-7), ESP256 (-9)")
    })?;
    let content_type = header.content_type.as_ref().map(|it| match it {
        RegisteredLabel::Text(text) => ContentType::Text(text.clone()),
        RegisteredLabel::Assigned(number) => {
            let number = coset::iana::EnumI64::to_i64(number);
            ContentType::Number(u64::try_from(number).unwrap_or_default())
        }
    });
    let claims = header.rest.iter().find(|(label, _)| *label == Label::Int(CLAIMS));
    let claims = claims.map(|(_, value)| claimed(value)).transpose()?;
    let is_other = |label: &&Label| !matches!(label, Label::Int(it) if UNDERSTOOD.contains(it));
    Ok(Header {
        algorithm,
        key_id: (!header.key_id.is_empty()).then(|| header.key_id.clone()),
        content_type,
        claims,
        others: labels.iter().filter(is_other).map(named).collect(),
    })
}

/// Each label that must be understood is, and is there.
fn critical(header: &CoseHeader, labels: &[Label]) -> Result<(), EnvelopeFault> {
    for critical in &header.crit {
        let label = match critical {
            RegisteredLabelWithPrivate::Assigned(number) => {
                Label::Int(coset::iana::EnumI64::to_i64(number))
            }
            RegisteredLabelWithPrivate::PrivateUse(number) => Label::Int(*number),
            RegisteredLabelWithPrivate::Text(text) => Label::Text(text.clone()),
        };
        let known = matches!(label, Label::Int(it) if UNDERSTOOD.contains(&it) && it != CRIT);
        if !known || !labels.contains(&label) {
            return Err(policy("it has a critical header that is not understood or not there"));
        }
    }
    Ok(())
}

/// Reads an unprotected header; none of its labels may be in the protected one.
pub(crate) fn unprotected(
    header: &CoseHeader,
    own: &[Label],
    signed: &[Label],
) -> Result<Unprotected, EnvelopeFault> {
    if own.iter().any(|label| signed.contains(label)) {
        return Err(structure("a label is in the protected and in the unprotected header"));
    }
    if own.contains(&Label::Int(CRIT)) {
        return Err(structure("the list of critical headers is not protected"));
    }
    let is_there = |label: i64| [own, signed].iter().any(|it| it.contains(&Label::Int(label)));
    if VECTORS.into_iter().all(is_there) {
        return Err(structure("it has an initialization vector and a part of another"));
    }
    Ok(Unprotected {
        receipts: own.contains(&Label::Int(RECEIPTS)),
        labels: own.iter().map(named).collect(),
        key_id: (!header.key_id.is_empty()).then(|| header.key_id.clone()),
    })
}

/// All labels of a header, as it is written: the decoder would not tell an empty value from none.
pub(crate) fn labels(header: &Value) -> Result<Vec<Label>, EnvelopeFault> {
    let Value::Map(members) = header else { return Err(structure("a header is no map")) };
    let label = |(label, _): &(Value, Value)| match label {
        Value::Text(text) => Ok(Label::Text(text.clone())),
        Value::Integer(number) => {
            i64::try_from(*number).map(Label::Int).map_err(|_| structure("a label is out of range"))
        }
        _ => Err(structure("a label is neither a number nor a text")),
    };
    members.iter().map(label).collect()
}

fn named(label: &Label) -> String {
    match label {
        Label::Int(number) => number.to_string(),
        Label::Text(text) => text.clone(),
    }
}

/// The claims of label 15, with their types.
fn claimed(value: &Value) -> Result<Claims, EnvelopeFault> {
    let Value::Map(members) = value else { return Err(structure("the claims are no map")) };
    let mut claims = Claims::default();
    let text = |value: &Value| match value {
        Value::Text(text) => Ok(Some(text.clone())),
        _ => Err(structure("an issuer or subject of the claims is no text")),
    };
    for (name, value) in members {
        match name.as_integer().and_then(|name| i64::try_from(name).ok()) {
            Some(1) => claims.issuer = text(value)?,
            Some(2) => claims.subject = text(value)?,
            Some(4) => claims.expires = Some(seconds(value)?),
            Some(5) => claims.not_before = Some(seconds(value)?),
            Some(6) => claims.issued_at = Some(seconds(value)?),
            _ => {}
        }
    }
    Ok(claims)
}

/// A time of the claims, in whole seconds.
fn seconds(value: &Value) -> Result<i64, EnvelopeFault> {
    let number = match value {
        Value::Float(number) => Some(number.floor()).filter(|it| *it < 1e15).map(|it| it as i64),
        _ => value.as_integer().and_then(|it| i64::try_from(it).ok()),
    };
    let number = number.filter(|seconds| *seconds >= 0);
    number.ok_or_else(|| structure("a time of the claims is no number of seconds"))
}

pub(crate) fn structure(what: &str) -> EnvelopeFault {
    EnvelopeFault::Structure(what.to_owned())
}

fn policy(what: &str) -> EnvelopeFault {
    EnvelopeFault::Policy(what.to_owned())
}
