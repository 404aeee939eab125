//! Signed notes and the keys that verify them (C2SP `signed-note`), with the cosignatures of
//! witnesses (C2SP `tlog-cosignature`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::key::PublicKey;
use crate::tree::hex;

/// Greatest number of signatures of a note.
const SIGNATURES: usize = 100;

/// Greatest length of a note.
const LENGTH: usize = 1 << 20;

/// The beginning of a signature's line.
const DASH: &str = "\u{2014} ";

/// The reason why a note or a key is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteFault {
    /// It is not in the form of a signed note.
    #[error("it is no signed note: {0}")]
    Form(&'static str),
    /// A key that is known did not make the signature that has its name.
    #[error("the signature of {0} is not good")]
    Signature(String),
    /// It is no verifier key.
    #[error("it is no verifier key: {0}")]
    Key(&'static str),
}

/// The kind of signature that a verifier key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// Ed25519 over the text.
    Ed25519,
    /// Ed25519 over a time and the text: a witness saw it then.
    Cosignature,
}

impl NoteKind {
    const fn byte(self) -> u8 {
        match self {
            Self::Ed25519 => 1,
            Self::Cosignature => 4,
        }
    }
}

/// A key that verifies the signatures of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteKey {
    /// The name.
    pub name: String,
    /// The kind of signature.
    pub kind: NoteKind,
    /// The key.
    pub key: PublicKey,
    bytes: [u8; 32],
}

impl NoteKey {
    /// The key of a name; `None` if it is not of Ed25519, or the name can't be one.
    #[must_use]
    pub fn new(name: &str, kind: NoteKind, key: &PublicKey) -> Option<Self> {
        let PublicKey::Ed25519(point) = key else { return None };
        let (name, key, bytes) = (name.to_owned(), key.clone(), point.to_bytes());
        is_name(&name).then_some(Self { name, kind, key, bytes })
    }

    /// Reads `name+id+base64(kind || key)`.
    ///
    /// # Errors
    /// It has another form, its id is not that of its key, or its kind is not known.
    pub fn read(text: &str) -> Result<Self, NoteFault> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NoteFault::Key("it has not three parts"));
        };
        let bytes = STANDARD.decode(key).map_err(|_| NoteFault::Key("its key is not base64"))?;
        let (kind, key) = bytes.split_first().ok_or(NoteFault::Key("it is empty"))?;
        let kind = match kind {
            1 => NoteKind::Ed25519,
            4 => NoteKind::Cosignature,
            _ => return Err(NoteFault::Key("its kind is neither Ed25519 nor a cosignature")),
        };
        let key = PublicKey::ed25519(key).map_err(|_| NoteFault::Key("it has no Ed25519 key"))?;
        let key = Self::new(name, kind, &key).ok_or(NoteFault::Key("its name can't be one"))?;
        match hex(&key.id()) == id {
            true => Ok(key),
            false => Err(NoteFault::Key("its id is not that of its key")),
        }
    }

    /// The key as it is written.
    #[must_use]
    pub fn text(&self) -> String {
        let bytes = [&[self.kind.byte()][..], &self.bytes].concat();
        format!("{}+{}+{}", self.name, hex(&self.id()), STANDARD.encode(bytes))
    }

    /// The id: the beginning of the digest of the name, the kind and the key.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        let digest = Sha256::new()
            .chain_update(&self.name)
            .chain_update(b"\n")
            .chain_update([self.kind.byte()])
            .chain_update(self.bytes)
            .finalize();
        let mut id = [0; 4];
        id.copy_from_slice(digest.get(..4).unwrap_or(&[0; 4]));
        id
    }

    /// The bytes that a cosignature at a time is of.
    #[must_use]
    pub fn cosigned(text: &str, time: u64) -> Vec<u8> {
        format!("cosignature/v1\ntime {time}\n{text}").into_bytes()
    }

    /// Whether it made a signature of a text. A cosignature tells the time in it.
    fn verifies(&self, text: &str, signature: &[u8]) -> Option<Option<u64>> {
        match self.kind {
            NoteKind::Ed25519 => self.key.verifies(text.as_bytes(), signature).then_some(None),
            NoteKind::Cosignature => {
                let (time, signature) = signature.split_first_chunk::<8>()?;
                let time = u64::from_be_bytes(*time);
                let good = self.key.verifies(&Self::cosigned(text, time), signature);
                good.then_some(Some(time))
            }
        }
    }
}

/// A signature of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    /// The name of the signer, as the note says.
    pub name: String,
    /// The id of the key, as the note says.
    pub id: [u8; 4],
    /// The signature.
    pub bytes: Vec<u8>,
}

/// A signature of a note that a known key made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSigner {
    /// The name of the key.
    pub name: String,
    /// The kind of signature.
    pub kind: NoteKind,
    /// Of a cosignature, the seconds since 1970 at which the witness saw it, as it says.
    pub time: Option<u64>,
}

/// A note: a text with signatures of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text, its last line end included.
    pub text: String,
    /// The signatures, each once.
    pub signatures: Vec<NoteSignature>,
}

impl Note {
    /// Reads a note, without verifying it.
    ///
    /// # Errors
    /// It has another form.
    pub fn read(note: &str) -> Result<Self, NoteFault> {
        let form = |what| Err(NoteFault::Form(what));
        if note.len() > LENGTH {
            return form("it is too long");
        }
        if note.chars().any(|it| it < ' ' && it != '\n') {
            return form("it has a control character");
        }
        let Some((text, lines)) = note.rsplit_once("\n\n") else {
            return form("no empty line is before its signatures");
        };
        let Some(lines) = lines.strip_suffix('\n') else {
            return form("its last line does not end, or it has no signature");
        };
        let mut signatures = Vec::new();
        for (number, line) in lines.split('\n').enumerate() {
            if number == SIGNATURES {
                return form("it has more than 100 signatures");
            }
            let signature = signature(line).ok_or(NoteFault::Form("a signature has no name"))?;
            if !signatures.contains(&signature) {
                signatures.push(signature);
            }
        }
        Ok(Self { text: format!("{text}\n"), signatures })
    }

    /// The note as it is written.
    #[must_use]
    pub fn written(&self) -> String {
        let line = |it: &NoteSignature| {
            let bytes = [&it.id[..], &it.bytes].concat();
            format!("{DASH}{} {}\n", it.name, STANDARD.encode(bytes))
        };
        let lines: String = self.signatures.iter().map(line).collect();
        format!("{}\n{lines}", self.text)
    }

    /// The signatures that known keys made. Those of others are left out.
    ///
    /// # Errors
    /// A known key did not make the signature that has its name and id.
    pub fn signers(&self, keys: &[NoteKey]) -> Result<Vec<NoteSigner>, NoteFault> {
        let mut signers: Vec<NoteSigner> = Vec::new();
        for signature in &self.signatures {
            let is_it = |key: &&NoteKey| key.name == signature.name && key.id() == signature.id;
            let Some(key) = keys.iter().find(is_it) else { continue };
            let Some(time) = key.verifies(&self.text, &signature.bytes) else {
                return Err(NoteFault::Signature(key.name.clone()));
            };
            signers.push(NoteSigner { name: key.name.clone(), kind: key.kind, time });
        }
        Ok(signers)
    }
}

/// The signature of a line.
fn signature(line: &str) -> Option<NoteSignature> {
    let (name, bytes) = line.strip_prefix(DASH)?.split_once(' ')?;
    let bytes = STANDARD.decode(bytes).ok()?;
    let (id, bytes) = bytes.split_first_chunk::<4>()?;
    let good = is_name(name) && !bytes.is_empty();
    good.then(|| NoteSignature { name: name.to_owned(), id: *id, bytes: bytes.to_vec() })
}

/// Whether a text can be the name of a key.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|it| it.is_whitespace() || it.is_control() || it == '+')
}
