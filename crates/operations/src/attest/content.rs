//! Content that is signed: a record, or receipts of turns, as their bytes are stored.

use std::io;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Opened};
use evidence::value::{Document, Encoding, Limits, ValueKind};
use formats::{Compose, Files};
use receipt::Receipt;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use session::Kind;

use crate::attest::error::{Error, at, refused};
use crate::attest::record_places::RecordPlaces;
use crate::attest::report::VerifyVerdict;
use crate::attest::schema::Judgement;

/// Format of the records that are signed.
const RECORD: &str = "vac";

/// Length of the beginning of a file that tells most sessions from records.
const BEGINNING: usize = 1 << 20;

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

/// Bytes that can be signed: `verify` finds nothing wrong with them, since both ask the same
/// judgement.
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
    /// Whether they are a record in JSON, of which parts can be shown.
    pub is_record: bool,
    /// The places of its parts, if they are known.
    pub(crate) places: Option<RecordPlaces>,
}

impl Signable {
    /// The bytes of a file that is a record or has receipts; `None` for any other.
    ///
    /// # Errors
    /// The file can't be read, is packed, or is a record that breaks a rule of its schema.
    pub fn stored(path: &Path, catalog: &Catalog<'_>) -> Result<Option<Self>, Error> {
        // The sessions of most agents say so at once, and are not read whole for it.
        let beginning = catalog::stored_beginning(path, BEGINNING).map_err(at(path))?;
        if is_of_lines(&beginning) {
            return Ok(None);
        }
        Self::given(catalog::stored(path).map_err(at(path))?, Some(path), catalog)
    }

    /// Bytes that are a record or receipts, as they are; `None` for any other.
    fn given(
        bytes: Vec<u8>,
        file: Option<&Path>,
        catalog: &Catalog<'_>,
    ) -> Result<Option<Self>, Error> {
        let shown = file.map_or("standard input".into(), |file| file.display().to_string());
        if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
            let what = format!("{shown} is packed (Zstandard)");
            return refused(what, "unpack it first: a signature is of the bytes as they are");
        }
        let json = bytes.trim_ascii_start().first().is_some_and(|first| b"{[".contains(first));
        if json && !may_have(&bytes, "session-id") && !may_have(&bytes, "schema_id") {
            return Ok(None);
        }
        let receipts = SignedKind::receipts(&bytes);
        // Most files have no id of a session in its place, and are not judged.
        let is_none = || match json {
            true => first_session_id(&bytes).is_none(),
            false => session_id(&bytes).is_none(),
        };
        if receipts.is_none() && is_none() {
            return Ok(None);
        }
        let (judged, places) = Judgement::with_places(&shown, &bytes, catalog);
        let (id, is_record) = match receipts.as_ref().unwrap_or(&judged.kind) {
            SignedKind::Receipts(threads) => match &**threads {
                [one, rest @ ..] if rest.iter().all(|other| other == one) => (one.clone(), false),
                _ => {
                    let what = format!("{shown} has receipts of several sessions");
                    return refused(what, "sign the receipts of each session by themselves");
                }
            },
            SignedKind::Document(Some(id)) => (id.clone(), json),
            SignedKind::Document(None) => return Ok(None),
        };
        if judged.verdict == VerifyVerdict::Failed {
            return invalid(&shown, &judged);
        }
        let media_type = if json { "application/json" } else { "application/cbor" };
        let name = store::file_name(&id) + if json { ".json" } else { ".cbor" };
        let file = file.map(Path::to_path_buf);
        let subject = subject(&id);
        Ok(Some(Self { bytes, media_type, subject, file, name, is_record, places }))
    }

    /// The record of a session, which is made, unless the session is read from one: a record is
    /// signed as it is.
    ///
    /// The record is the session as it is, with its secrets, as `convert` writes it for its own
    /// user: a signature is of these bytes, and would not be of redacted ones. So this is not a way
    /// out through the gate ([`redact::Outgoing`]). To sign what is handed out, sign a redacted
    /// copy.
    ///
    /// # Errors
    /// The session has no record, or none that is valid.
    pub fn record(
        opened: Opened,
        catalog: &Catalog<'_>,
        options: &formats::Options,
    ) -> Result<Self, Error> {
        let session = opened.session();
        if session.format == RECORD {
            let member = session.bundle.members.first();
            let bytes = member.map(|member| member.stored_bytes().to_vec()).unwrap_or_default();
            let file = opened.paths.first().map(PathBuf::as_path);
            let shown = file.map_or("standard input".into(), |file| file.display().to_string());
            return match Self::given(bytes.clone(), file, catalog)? {
                Some(given) => Ok(given),
                // It names no session, as one that is cut off.
                None => invalid(&shown, &Judgement::of(&shown, &bytes, catalog)),
            };
        }
        // What is cut off may look like a file of some agent, of which nothing can be read.
        if session.events().all(|event| event.kind == Kind::Opaque) {
            let what = format!("nothing of the session {} can be read", session.uid());
            return refused(what, "`verbatim validate FILE` lists what is wrong");
        }
        let stored = session.bundle.members.iter().map(|member| member.stored_bytes().len());
        let mut first = FirstFile { room: 2 * stored.sum::<usize>(), file: None };
        crate::convert::convert_to(catalog, session, RECORD, options, &mut first)?;
        let Some((name, bytes)) = first.file else {
            return refused("the session has no record", "`verbatim show` shows what it has");
        };
        let subject = subject(&session.id);
        // The judgement needs its memory.
        drop(opened);
        let (judged, places) = Judgement::with_places(&name, &bytes, catalog);
        if judged.verdict == VerifyVerdict::Failed {
            let what = format!("the record of this session would not be valid: {}", judged.why);
            return refused(what, "`verbatim check` tells whether the session is damaged");
        }
        Ok(Self {
            bytes,
            media_type: "application/json",
            subject,
            file: None,
            name: store::file_name(&name),
            is_record: true,
            places,
        })
    }
}

/// Receiver of one file, which is held in memory: those that follow are dropped. It reserves the
/// room at once, because a record of many megabytes would be moved each time that it outgrows its
/// place.
struct FirstFile {
    room: usize,
    file: Option<(String, Vec<u8>)>,
}

impl Files for FirstFile {
    fn file(&mut self, name: &str, compose: Compose<'_>) -> io::Result<()> {
        if self.file.is_none() {
            let mut bytes = Vec::new();
            // Without the room the record grows as usual.
            let _ = bytes.try_reserve_exact(self.room);
            compose(&mut bytes)?;
            self.file = Some((name.to_owned(), bytes));
        }
        Ok(())
    }
}

fn invalid<T>(shown: &str, judged: &Judgement) -> Result<T, Error> {
    let what = format!("{shown} is not signed, since it is not valid: {}", judged.why);
    let hint = "`verbatim validate FILE` lists what is wrong; `verbatim sign ID` makes and signs \
                the record of a session";
    refused(what, hint)
}

impl SignedKind {
    /// Receipts, if the bytes are some.
    pub(crate) fn receipts(bytes: &[u8]) -> Option<Self> {
        Some(Self::Receipts(receipts(bytes)?.into_iter().map(session_of).collect()))
    }
}

/// The session of a receipt by the id that its record has: the one of the receipt has the agent's
/// name before it, if it is not of a store with threads.
fn session_of(receipt: Receipt) -> String {
    match receipt.evidence {
        Some(_) => session_of_id(&receipt.thread.id).to_owned(),
        None => receipt.thread.id,
    }
}

/// An id without the name of its agent before it.
pub(crate) fn session_of_id(id: &str) -> &str {
    let agent = id.split_once(':');
    let known = |name: &str| formats::ALL.iter().any(|format| format.name() == name);
    agent.filter(|(agent, _)| known(agent)).map_or(id, |(_, own)| own)
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

/// Whether a text in JSON may have a member of this name: it has the name, or an escape that may be
/// a letter of one. What has neither need not be read for it.
fn may_have(json: &[u8], name: &str) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(json, text).is_some();
    let escapes: [&[u8]; 4] = [b"\\u002", b"\\u005", b"\\u006", b"\\u007"];
    has(format!("\"{name}\"").as_bytes()) || escapes.into_iter().any(has)
}

/// Whether a file that begins so can be neither a record nor receipts, which are one value: it has
/// a second one, and the first names no session.
fn is_of_lines(beginning: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(beginning).into_iter::<IgnoredAny>();
    let is_object = beginning.trim_ascii_start().first() == Some(&b'{');
    let is_whole = is_object && matches!(values.next(), Some(Ok(_)));
    let rest = beginning.get(values.byte_offset()..).unwrap_or_default();
    is_whole && !rest.trim_ascii().is_empty() && first_session_id(beginning).is_none()
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

#[cfg(test)]
mod tests {
    use super::{first_session_id, is_of_lines, may_have};

    #[test]
    fn a_name_is_found_however_it_is_written() {
        for letter in "session-id".chars() {
            let escape = format!("\\u{:04x}", u32::from(letter));
            let name = "session-id".replacen(letter, &escape, 1);
            let record = format!("{{\"session\":{{\"{name}\":\"s\"}}}}");
            assert_eq!(first_session_id(record.as_bytes()).as_deref(), Some("s"), "{record}");
            assert!(may_have(record.as_bytes(), "session-id"), "{record}");
        }
        let text = r#"{"session":"the \"session-id\" of it","sessionId":"\n"}"#;
        assert!(!may_have(text.as_bytes(), "session-id"));
    }

    #[test]
    fn a_file_of_lines_is_known_by_its_beginning() {
        for lines in ["{\"type\":\"user\"}\n{\"ty", " {}\n{}", "{\"session\":1} x"] {
            assert!(is_of_lines(lines.as_bytes()), "{lines}");
        }
        let record = "{\"session\":{\"session-id\":\"s\"}}";
        let two = format!("{record}\n{record}");
        for other in ["", "{}", "{}\n ", "{\"a\":", "[1] [2]", "\"a\" {}", "\x28", record, &two] {
            assert!(!is_of_lines(other.as_bytes()), "{other}");
        }
    }
}
