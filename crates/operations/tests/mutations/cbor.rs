//! CBOR and COSE written by hand, so that each byte can be wrong.

use ed25519_dalek::Signer as _;

pub(crate) type Bytes = Vec<u8>;

/// A head in its shortest form.
pub(crate) fn head(major: u8, number: u64) -> Bytes {
    let major = major << 5;
    match number {
        0..=23 => vec![major | number as u8],
        24..=0xff => vec![major | 24, number as u8],
        0x100..=0xffff => [&[major | 25], &(number as u16).to_be_bytes()[..]].concat(),
        _ => [&[major | 26], &(number as u32).to_be_bytes()[..]].concat(),
    }
}

pub(crate) fn int(number: i64) -> Bytes {
    match u64::try_from(number) {
        Ok(number) => head(0, number),
        Err(_) => head(1, (-1 - number) as u64),
    }
}

pub(crate) fn text(text: &str) -> Bytes {
    [head(3, text.len() as u64), text.as_bytes().to_vec()].concat()
}

pub(crate) fn bytes(bytes: &[u8]) -> Bytes {
    [head(2, bytes.len() as u64), bytes.to_vec()].concat()
}

pub(crate) fn array(items: &[Bytes]) -> Bytes {
    [head(4, items.len() as u64), items.concat()].concat()
}

pub(crate) fn map(members: &[(Bytes, Bytes)]) -> Bytes {
    let members: Vec<Bytes> =
        members.iter().map(|(name, value)| [&**name, &**value].concat()).collect();
    [head(5, members.len() as u64), members.concat()].concat()
}

pub(crate) const NIL: &[u8] = &[0xf6];

/// A signer: what a message gets.
pub(crate) type Sign<'s> = &'s dyn Fn(&[u8]) -> Bytes;

/// An envelope in parts, each of which may be replaced.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) tag: Bytes,
    pub(crate) array: Bytes,
    /// The content of the byte string of the protected header.
    pub(crate) protected: Bytes,
    pub(crate) unprotected: Bytes,
    pub(crate) payload: Bytes,
    pub(crate) context: &'static str,
    pub(crate) external: Bytes,
    pub(crate) behind: Bytes,
}

impl Parts {
    pub(crate) fn new(protected: &[(Bytes, Bytes)]) -> Self {
        Self {
            tag: vec![0xd2],
            array: vec![0x84],
            protected: map(protected),
            unprotected: vec![0xa0],
            payload: NIL.to_vec(),
            context: "Signature1",
            external: Vec::new(),
            behind: Vec::new(),
        }
    }

    /// The bytes that are signed of a content.
    pub(crate) fn input(&self, content: &[u8]) -> Bytes {
        let parts =
            [text(self.context), bytes(&self.protected), bytes(&self.external), bytes(content)];
        array(&parts)
    }

    /// The envelope with a signature.
    pub(crate) fn with(&self, signature: &[u8]) -> Bytes {
        let protected = bytes(&self.protected);
        let parts: [&[u8]; 7] = [
            &self.tag,
            &self.array,
            &protected,
            &self.unprotected,
            &self.payload,
            signature,
            &self.behind,
        ];
        parts.concat()
    }

    /// The envelope with a good signature.
    pub(crate) fn signed(&self, content: &[u8], sign: Sign<'_>) -> Bytes {
        self.with(&bytes(&sign(&self.input(content))))
    }
}

pub(crate) fn edwards(seed: u8) -> impl Fn(&[u8]) -> Bytes {
    let key = ed25519_dalek::SigningKey::from_bytes(&[seed; 32]);
    move |message| key.sign(message).to_bytes().to_vec()
}

pub(crate) fn curve(seed: u8) -> impl Fn(&[u8]) -> Bytes {
    let key = p256::ecdsa::SigningKey::from_slice(&[seed; 32]).unwrap();
    move |message| {
        let signature: p256::ecdsa::Signature = p256::ecdsa::signature::Signer::sign(&key, message);
        signature.to_vec()
    }
}
