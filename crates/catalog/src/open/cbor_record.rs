//! Records in CBOR: decoded to the JSON that their format reads, and encoded again. The member
//! keeps its stored bytes beside the JSON.

use evidence::cbor::{self, ConvertError, EncodeError, Encoder, from_json, to_json};
use evidence::value::Limits;
use formats::{Content, Files, Format, Options, WriteError, Written, vac};
use meaning::account::LedgerRow;
use session::{Member, Session, Transport};

use crate::error::Error;

/// The only document that has a CBOR form, by its name in the registry.
const RECORD: &str = vac::NAME;

/// The member in the form that its format reads: a CBOR record becomes JSON.
///
/// # Errors
/// The bytes are a CBOR record that JSON can't hold, or damaged CBOR.
pub(crate) fn decode(format: &dyn Format, member: Member) -> Result<Member, ConvertError> {
    if format.name() != RECORD || !vac::is_cbor(member.bytes()) {
        return Ok(format.decode(member));
    }
    let json = to_json(untagged(member.bytes()), Limits::default())?;
    let (name, stream) = (member.name.clone(), member.stream.clone());
    let stored = member.stored_bytes().to_vec();
    Ok(Member::stored(name, stream, json, Transport::Cbor(stored)).unwrap_or(member))
}

fn untagged(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xd9\xd9\xf7").unwrap_or(bytes)
}

/// Writes a session as a record in deterministic CBOR (RFC 8949, section 4.2.1). Returns the
/// rows of the ledger.
///
/// # Errors
/// The target is not the record's format, or a number exceeds the limits of [`evidence::cbor`], or
/// `files` fails.
pub fn write(
    target: &dyn Format,
    session: &Session,
    options: &Options,
    files: &mut dyn Files,
) -> Result<Vec<LedgerRow>, Error> {
    if target.name() != RECORD {
        return Err(Error::NoCbor { format: target.name().into(), only: RECORD });
    }
    if session.format == RECORD {
        let mut written = target.write_with(session, options)?;
        pack(&mut written)?;
        return Ok(written.hand_on(session, files).map_err(WriteError::from)?);
    }
    let name = vac::file_name(session, ".cbor");
    files.begin(&[&name]).map_err(WriteError::from)?;
    let (mut rows, mut unfit) = (Vec::new(), None);
    let done = files.file(&name, &mut |sink| {
        let mut tokens = Tokens(Encoder::new(sink));
        rows = vac::encode_record(session, options, &mut tokens);
        tokens.0.finish().map_err(|error| match error {
            EncodeError::Sink(error) => error,
            EncodeError::Value(error) => {
                let told = std::io::Error::other(error.to_string());
                unfit = Some(error);
                told
            }
        })
    });
    match unfit {
        Some(error) => Err(Error::Pack { error }),
        None => Ok(done.map(|()| rows).map_err(WriteError::from)?),
    }
}

/// Adapter that passes a document's tokens to the CBOR encoder.
struct Tokens<'w>(Encoder<'w>);

impl formats::TokenSink for Tokens<'_> {
    fn open(&mut self, object: bool, count: Option<usize>) {
        self.0.open(object, count);
    }

    fn close(&mut self) {
        self.0.close();
    }

    fn key(&mut self, key: &str) {
        self.0.key(key);
    }

    fn string(&mut self, text: &str) {
        self.0.text(text);
    }

    fn value(&mut self, json: &[u8]) {
        self.0.json(json);
    }

    fn order(&self, keys: &mut [&'static str]) {
        cbor::order(keys);
    }
}

/// Converts the files of a JSON record to CBOR.
fn pack(written: &mut Written) -> Result<(), Error> {
    for (name, content) in &mut written.files {
        let bytes = from_json(content, Limits::default()).map_err(|error| Error::Pack { error })?;
        *content = Content::from(bytes);
        if let Some(stem) = name.strip_suffix(".json") {
            *name = format!("{stem}.cbor");
        }
    }
    Ok(())
}
