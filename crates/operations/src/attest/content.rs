//! Content that is signed: a record, or receipts of turns, as their bytes are stored.

use std::path::{Path, PathBuf};

use catalog::{Catalog, Opened};
use evidence::value::{Document, Encoding, Limits, ValueKind};
use receipt::Receipt;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::attest::error::{Error, at, refused};

/// Format of the records that are signed.
const RECORD: &str = "vac";

/// Beginning of every subject.
const SUBJECT: &str = "urn:vac:session:";

/// Kinds of content that are known, by their bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignedKind {
    /// Receipts of turns, with the session of each: its id, as a record has it, or its thread.
    Receipts(Vec<String>),
    /// A record or another document, with the id of its session if it tells one.
    Document(Option<String>),
}

/// Bytes that can be signed.
#[derive(Clone, Debug)]
pub struct Signable {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their media type.
    pub media_type: &'static str,
    /// The session that they are about, as a URN.
    pub subject: String,
    /// The file that has these bytes already.
    pub file: Option<PathBuf>,
    /// The name of the file to write, if no file has them.
    pub name: String,
}

impl Signable {
    /// The bytes of a file that is a record or has receipts; `None` for any other.
    ///
    /// # Errors
    /// The file can't be read, or is packed.
    pub fn stored(path: &Path) -> Result<Option<Self>, Error> {
        let bytes = catalog::stored(path).map_err(at(path))?;
        if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
            let what = format!("{} is packed (Zstandard)", path.display());
            return refused(what, "unpack it first: a signature is of the bytes as they are");
        }
        let json = bytes.trim_ascii_start().first().is_some_and(|first| b"{[".contains(first));
        let subject = match SignedKind::of(&bytes) {
            SignedKind::Receipts(threads) => match &*threads {
                [one, rest @ ..] if rest.iter().all(|other| other == one) => subject(one),
                _ => {
                    let what = format!("{} has receipts of several sessions", path.display());
                    return refused(what, "sign the receipts of each session by themselves");
                }
            },
            SignedKind::Document(Some(id)) => subject(&id),
            SignedKind::Document(None) => return Ok(None),
        };
        Ok(Some(Self {
            bytes,
            media_type: if json { "application/json" } else { "application/cbor" },
            subject,
            file: Some(path.to_path_buf()),
            name: String::new(),
        }))
    }

    /// The record of a session, which is made.
    ///
    /// # Errors
    /// The session has no record.
    pub fn record(
        opened: &Opened,
        catalog: &Catalog<'_>,
        options: &formats::Options,
    ) -> Result<Self, Error> {
        let session = opened.session();
        let written = crate::convert(catalog, session, RECORD, options)?;
        let Some((name, mut content)) = written.files.into_iter().next() else {
            return refused("the session has no record", "`verbatim show` shows what it has");
        };
        Ok(Self {
            bytes: std::mem::take(content.to_mut()),
            media_type: "application/json",
            subject: subject(&session.id),
            file: None,
            name: store::file_name(&name),
        })
    }
}

impl SignedKind {
    /// The kind of some bytes, and whose they are.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::receipts(bytes).unwrap_or_else(|| Self::Document(session_id(bytes)))
    }

    /// Receipts, if the bytes are some.
    pub(crate) fn receipts(bytes: &[u8]) -> Option<Self> {
        Some(Self::Receipts(receipts(bytes)?.into_iter().map(session_of).collect()))
    }
}

/// The session of a receipt by the id that its record has: the one of the receipt has the agent's
/// name before it, if it is not of a store with threads.
fn session_of(receipt: Receipt) -> String {
    let id = receipt.thread.id;
    let agent = id.split_once(':').filter(|(agent, _)| {
        receipt.evidence.is_some() && formats::ALL.iter().any(|format| format.name() == *agent)
    });
    match agent {
        Some((_, own)) => own.to_owned(),
        None => id,
    }
}

/// The receipts of a file: one, or a list.
fn receipts(bytes: &[u8]) -> Option<Vec<Receipt>> {
    match bytes.trim_ascii_start().first()? {
        b'{' => Receipt::read(bytes).ok().map(|receipt| vec![receipt]),
        b'[' => {
            let texts: Vec<&RawValue> = serde_json::from_slice(bytes).ok()?;
            let read = |text: &&RawValue| Receipt::read(text.get().as_bytes()).ok();
            let receipts: Vec<Receipt> = texts.iter().map(read).collect::<Option<_>>()?;
            (!receipts.is_empty()).then_some(receipts)
        }
        _ => None,
    }
}

/// The beginning of a record, as far as it names its session.
#[derive(Deserialize)]
struct Head {
    session: Named,
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "session-id")]
    id: String,
}

/// The id of the session that a record names: once, and as a text.
pub(crate) fn session_id(bytes: &[u8]) -> Option<String> {
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        return serde_json::from_slice::<Head>(bytes).ok().map(|head| head.session.id);
    }
    let document = Document::read(bytes, Encoding::Cbor, Limits::default()).ok()?;
    let mut root = document.root();
    while root.kind() == ValueKind::Tag {
        root = root.children().next()?;
    }
    let mut found = root;
    for name in ["session", "session-id"] {
        let mut members = found.members();
        found = members.find(|(key, _)| key.text().is_some_and(|key| key == name))?.1;
    }
    found.text().map(std::borrow::Cow::into_owned)
}

/// The id of the session of a valid record in JSON, in which each name is there once: nothing
/// behind the id is read, which is nearly all of a record.
pub(crate) fn first_session_id(bytes: &[u8]) -> Option<String> {
    let mut id = None;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    // Where the id is found, reading is ended by an error.
    let _ = Member { names: &["session", "session-id"], id: &mut id }.deserialize(&mut reader);
    id
}

/// A text in objects within each other, by its names.
struct Member<'i> {
    names: &'static [&'static str],
    id: &'i mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Member<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        match self.names {
            [] => *self.id = Some(String::deserialize(reader)?),
            _ => reader.deserialize_map(self)?,
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let [name, names @ ..] = self.names else { return Ok(()) };
        while let Some(key) = members.next_key::<String>()? {
            if key == *name {
                members.next_value_seed(Member { names, id: self.id })?;
                return Err(A::Error::custom("the id is found"));
            }
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// The subject of a session: its id in a URN.
pub(crate) fn subject(id: &str) -> String {
    let mut urn = String::from(SUBJECT);
    for byte in id.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte) {
            true => urn.push(char::from(byte)),
            false => urn.push_str(&format!("%{byte:02X}")),
        }
    }
    urn
}

/// Whether a subject is one that [`subject`] makes.
pub(crate) fn is_subject(text: &str) -> bool {
    text.starts_with(SUBJECT)
}
