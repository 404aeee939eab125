//! An envelope: made, read and verified.

use coset::cbor::value::Value;
use coset::{
    CborSerializable as _, CoseSign1, CoseSign1Builder, HeaderBuilder, Label,
    TaggedCborSerializable as _,
};

use crate::algorithm::{Algorithm, KeyType};
use crate::header::{self, Claims, ContentType, Header, RECEIPTS, Unprotected, structure};
use crate::key::PublicKey;
use crate::strict::{self, EnvelopeFault};

/// Length of every signature that is accepted.
const SIGNATURE: usize = 64;

/// The tag of COSE_Sign1 (18) in its shortest form.
const HEAD: u8 = 0xd2;

/// An envelope that was read: its form is good, and nothing is said about its signature.
#[derive(Clone, Debug)]
pub struct Envelope {
    cose: CoseSign1,
    /// The protected header.
    pub header: Header,
    /// The unprotected header.
    pub unprotected: Unprotected,
    /// Whether it is the deterministic encoding (RFC 8949, 4.2.1): the names of maps are in order.
    pub ordered: bool,
}

/// A content whose signature is good.
#[derive(Clone, Copy, Debug)]
pub struct Verified<'e> {
    /// The header that is signed with it.
    pub header: &'e Header,
    /// The signed bytes.
    pub content: &'e [u8],
}

impl Envelope {
    /// Whether bytes begin as an envelope does: the tag of COSE_Sign1, in any form.
    #[must_use]
    pub fn is_likely(bytes: &[u8]) -> bool {
        matches!(bytes, [HEAD, ..] | [0xd8, 0x12, ..])
    }

    /// Reads an envelope strictly.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn read(bytes: &[u8]) -> Result<Self, EnvelopeFault> {
        if !matches!(bytes, [HEAD, 0x84, ..]) {
            return Err(structure("it is no COSE_Sign1: tag 18 and an array of 4"));
        }
        let outer = strict::check(bytes)?;
        let Labels { signed, own, ordered } = labels(bytes)?;
        let decoded = |error| EnvelopeFault::Structure(format!("it is no COSE_Sign1: {error}"));
        let cose = CoseSign1::from_tagged_slice(bytes).map_err(decoded)?;
        let header = header::protected(&cose.protected.header, &signed)?;
        let unprotected = header::unprotected(&cose.unprotected, &own, &signed)?;
        if cose.signature.len() != SIGNATURE {
            return Err(structure("its signature has not 64 bytes"));
        }
        Ok(Self { cose, header, unprotected, ordered: outer && ordered })
    }

    /// The content, if the envelope has it inside.
    #[must_use]
    pub fn attached(&self) -> Option<&[u8]> {
        self.cose.payload.as_deref()
    }

    /// Verifies the signature of a content, or of the attached one, under external data. A key of
    /// another type than the algorithm's never verifies.
    #[must_use]
    pub fn verify<'e>(
        &'e self,
        content: Option<&'e [u8]>,
        external: &[u8],
        key: &PublicKey,
    ) -> Option<Verified<'e>> {
        let content = match (content, self.attached()) {
            (Some(content), None) => content,
            (Some(content), Some(attached)) if content == attached => content,
            (None, Some(attached)) => attached,
            _ => return None,
        };
        let protected = self.cose.protected.original_data.as_deref().unwrap_or_default();
        let head = signature_head(protected, external, content.len());
        let fits = self.header.algorithm.key_type() == key.key_type();
        let good = fits && key.verifies_parts(&[&head, content], &self.cose.signature);
        good.then_some(Verified { header: &self.header, content })
    }

    /// The protected header of a new envelope, as bytes.
    ///
    /// # Errors
    /// It can't be encoded.
    pub fn protected(
        key: &PublicKey,
        content_type: &str,
        claims: &Claims,
    ) -> Result<Vec<u8>, EnvelopeFault> {
        encoded_header(key, Some(content_type), claims, None)
    }

    /// A new envelope with a detached content, from its protected header and signature.
    ///
    /// # Errors
    /// It is not one that [`Envelope::read`] would accept.
    pub fn write(protected: &[u8], signature: &[u8]) -> Result<Vec<u8>, EnvelopeFault> {
        Self::with_content(protected, signature, None)
    }

    /// The same with its content inside, if one is given.
    ///
    /// # Errors
    /// As of [`Envelope::write`].
    pub fn with_content(
        protected: &[u8],
        signature: &[u8],
        content: Option<&[u8]>,
    ) -> Result<Vec<u8>, EnvelopeFault> {
        let mut cose = CoseSign1Builder::new().signature(signature.to_vec()).build();
        cose.payload = content.map(<[u8]>::to_vec);
        cose.protected = decoded_header(protected)?;
        let bytes = cose.to_tagged_vec().map_err(broken)?;
        Self::read(&bytes)?;
        Ok(bytes)
    }

    /// The receipts of logs that it carries (label 394); `None` if they are in another form than
    /// that of RFC 9942.
    #[must_use]
    pub fn receipts(&self) -> Option<Vec<&[u8]>> {
        let Some(receipts) = self.own_value(RECEIPTS) else { return Some(Vec::new()) };
        let receipts = receipts.as_array().filter(|receipts| !receipts.is_empty())?;
        receipts.iter().map(|receipt| receipt.as_bytes().map(Vec::as_slice)).collect()
    }

    /// The statement that a log has an entry for: the envelope without what nobody signed.
    ///
    /// # Errors
    /// It can't be encoded.
    pub fn statement(&self) -> Result<Vec<u8>, EnvelopeFault> {
        let cose = CoseSign1 { unprotected: coset::Header::default(), ..self.cose.clone() };
        cose.to_tagged_vec().map_err(broken)
    }

    /// The same statement with receipts of logs, and with nothing else that nobody signed.
    ///
    /// # Errors
    /// It can't be encoded.
    pub fn transparent(&self, receipts: &[Vec<u8>]) -> Result<Vec<u8>, EnvelopeFault> {
        let receipts = receipts.iter().map(|receipt| Value::Bytes(receipt.clone())).collect();
        let own = HeaderBuilder::new().value(RECEIPTS, Value::Array(receipts)).build();
        let bytes = CoseSign1 { unprotected: own, ..self.cose.clone() };
        let bytes = bytes.to_tagged_vec().map_err(broken)?;
        Self::read(&bytes)?;
        Ok(bytes)
    }

    /// The value of a label of the protected header that has no meaning for every envelope.
    pub(crate) fn signed_value(&self, label: i64) -> Option<&Value> {
        value(&self.cose.protected.header, label)
    }

    /// The same of the unprotected header.
    pub(crate) fn own_value(&self, label: i64) -> Option<&Value> {
        value(&self.cose.unprotected, label)
    }

    /// The type of key that its algorithm is bound to.
    #[must_use]
    pub const fn key_type(&self) -> KeyType {
        self.header.algorithm.key_type()
    }

    /// The media type of the content, if it is named by a text.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        match self.header.content_type.as_ref()? {
            ContentType::Text(text) => Some(text),
            ContentType::Number(_) => None,
        }
    }
}

fn value(header: &coset::Header, label: i64) -> Option<&Value> {
    let mut rest = header.rest.iter();
    rest.find(|(other, _)| *other == Label::Int(label)).map(|(_, value)| value)
}

fn broken(error: coset::CoseError) -> EnvelopeFault {
    EnvelopeFault::Structure(error.to_string())
}

/// A protected header as bytes: the algorithm of a key, its id, the claims, and one label more.
pub(crate) fn encoded_header(
    key: &PublicKey,
    content_type: Option<&str>,
    claims: &Claims,
    more: Option<(i64, Value)>,
) -> Result<Vec<u8>, EnvelopeFault> {
    let mut members = Vec::new();
    for (name, text) in [(1, &claims.issuer), (2, &claims.subject)] {
        members.extend(text.clone().map(|it| (Value::from(name), Value::Text(it))));
    }
    members.extend(claims.issued_at.map(|it| (Value::from(6), Value::from(it))));
    let algorithm = match key.key_type().algorithm() {
        Algorithm::EdDsa => coset::iana::Algorithm::EdDSA,
        _ => coset::iana::Algorithm::ES256,
    };
    let mut header = HeaderBuilder::new().algorithm(algorithm).key_id(key.id());
    if let Some(content_type) = content_type {
        header = header.content_type(content_type.to_owned());
    }
    header = header.value(15, Value::Map(members));
    if let Some((label, value)) = more {
        header = header.value(label, value);
    }
    header.build().to_vec().map_err(broken)
}

/// A protected header of its bytes, which stay as they are.
pub(crate) fn decoded_header(bytes: &[u8]) -> Result<coset::ProtectedHeader, EnvelopeFault> {
    let header = coset::Header::from_slice(bytes).map_err(broken)?;
    Ok(coset::ProtectedHeader { original_data: Some(bytes.to_vec()), header })
}

/// The labels of the protected and of the unprotected header, and whether the names of the
/// protected one are in order.
struct Labels {
    signed: Vec<Label>,
    own: Vec<Label>,
    ordered: bool,
}

/// The labels of the headers. The decoder would not tell empty values from absent ones.
fn labels(bytes: &[u8]) -> Result<Labels, EnvelopeFault> {
    let read = |bytes| -> Result<Value, EnvelopeFault> {
        Value::from_slice(bytes).map_err(|error| EnvelopeFault::Structure(error.to_string()))
    };
    let Value::Tag(_, whole) = read(bytes)? else { return Err(structure("it has no tag")) };
    let Value::Array(members) = *whole else { return Err(structure("it is no array")) };
    let Some(Value::Bytes(protected)) = members.first() else {
        return Err(structure("the protected header is no bytes"));
    };
    let own = members.get(1).map(header::labels).transpose()?.unwrap_or_default();
    if protected.is_empty() {
        return Ok(Labels { signed: Vec::new(), own, ordered: true });
    }
    let ordered = strict::check(protected)?;
    Ok(Labels { signed: header::labels(&read(protected)?)?, own, ordered })
}

/// The bytes that are signed: `["Signature1", protected, external, content]` (RFC 9052, 4.4).
#[must_use]
pub fn signature_input(protected: &[u8], external: &[u8], content: &[u8]) -> Vec<u8> {
    let head = signature_head(protected, external, content.len());
    let mut input = Vec::with_capacity(head.len() + content.len());
    input.extend(head);
    input.extend_from_slice(content);
    input
}

/// The bytes that are signed before those of a content of some length.
#[must_use]
pub fn signature_head(protected: &[u8], external: &[u8], content: usize) -> Vec<u8> {
    let mut head = b"\x84\x6aSignature1".to_vec();
    for bytes in [protected, external] {
        byte_string(bytes.len() as u64, &mut head);
        head.extend_from_slice(bytes);
    }
    byte_string(content as u64, &mut head);
    head
}

/// The head of a byte string in its shortest form.
pub(crate) fn byte_string(length: u64, out: &mut Vec<u8>) {
    head(0x40, length, out);
}

/// The head of an array in its shortest form.
pub(crate) fn array(count: u64, out: &mut Vec<u8>) {
    head(0x80, count, out);
}

/// The head of a major type in its shortest form.
fn head(major: u8, length: u64, out: &mut Vec<u8>) {
    match length {
        0..=23 => out.push(major | u8::try_from(length).unwrap_or_default()),
        24..=0xff => out.extend([major | 24, u8::try_from(length).unwrap_or_default()]),
        0x100..=0xffff => {
            out.push(major | 25);
            out.extend(u16::try_from(length).unwrap_or_default().to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(major | 26);
            out.extend(u32::try_from(length).unwrap_or_default().to_be_bytes());
        }
        _ => {
            out.push(major | 27);
            out.extend(length.to_be_bytes());
        }
    }
}
