//! A presentation: a record of which parts are withheld, with the proof that the others are those
//! that were signed.
//!
//! Its text is a function of what it shows and of the proof, so that it has no byte that nothing
//! vouches for. The proof is in it as `verbatim.presentation`, behind everything else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sign::{Hash, Salt, commitment, hash_of_hex, hex};

use crate::attest::record_parts::{RecordParts, members};

/// The beginning of the proof in a presentation.
const BEGINNING: &str = ",\"verbatim\":{\"presentation\":";

/// The version of the form.
const VERSION: u8 = 1;

/// The proof of a presentation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PresentationProof {
    version: u8,
    /// The skeleton that is signed, as text.
    pub(crate) skeleton: String,
    /// The signature of the skeleton, in base64url.
    pub(crate) signature: String,
    /// The frame: commitments to withheld members, and salts of shown ones.
    pub(crate) frame: Unit,
    /// The same of the entries, in their order.
    pub(crate) entries: Vec<Proven>,
}

/// The proof of the frame, or of an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unit {
    pub(crate) salt: String,
    /// The fields that are committed to by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<FieldProof>,
}

/// The proof of a field: the salt of one that is shown, or the commitment to one that is withheld.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldProof {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) salt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) withheld: Option<String>,
}

/// The proof of an entry, or of a range of withheld ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Proven {
    /// An entry that is shown.
    Entry(Unit),
    /// Withheld entries.
    Range(WithheldRange),
}

/// Entries that are withheld: the hashes of the fewest subtrees that cover them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WithheldRange {
    /// The first one, from 1.
    pub(crate) first: u64,
    /// The last one.
    pub(crate) last: u64,
    pub(crate) nodes: Vec<String>,
}

impl WithheldRange {
    pub(crate) fn of(first: u64, last: u64, nodes: &[Hash]) -> Self {
        Self { first, last, nodes: nodes.iter().map(|node| hex(node)).collect() }
    }

    /// The entry in the place of the range.
    pub(crate) fn placeholder(&self) -> String {
        let (first, last) = (self.first, self.last);
        format!(
            "{{\"type\":\"system-event\",\"event-type\":\"redacted\",\
             \"data\":{{\"first\":{first},\"last\":{last}}}}}"
        )
    }
}

impl FieldProof {
    pub(crate) fn shown(name: &str, salt: &Salt) -> Self {
        let salt = Some(URL_SAFE_NO_PAD.encode(salt));
        Self { name: name.into(), salt, withheld: None }
    }

    pub(crate) fn withheld(name: &str, hash: &Hash) -> Self {
        Self { name: name.into(), salt: None, withheld: Some(hex(hash)) }
    }

    /// The commitment: made from the value that is shown, or the one that is given.
    pub(crate) fn commitment(&self, shown: Option<&str>) -> Result<Hash, String> {
        let hash = match (&self.salt, &self.withheld, shown) {
            (Some(salt), None, Some(value)) => {
                salt_of(salt).map(|salt| commitment(&salt, &[value.as_bytes()], &[]))
            }
            (None, Some(hash), None) => hash_of_hex(hash),
            _ => None,
        };
        hash.ok_or_else(|| format!("the proof of {:?} is neither a salt nor a hash", self.name))
    }
}

impl Unit {
    pub(crate) fn of(salt: &Salt, fields: Vec<FieldProof>) -> Self {
        Self { salt: URL_SAFE_NO_PAD.encode(salt), fields }
    }

    pub(crate) fn salt(&self) -> Result<Salt, String> {
        salt_of(&self.salt).ok_or_else(|| "a salt has not 16 bytes in base64url".into())
    }
}

fn salt_of(text: &str) -> Option<Salt> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

impl PresentationProof {
    pub(crate) fn of(skeleton: &str, envelope: &[u8], frame: Unit, entries: Vec<Proven>) -> Self {
        let signature = URL_SAFE_NO_PAD.encode(envelope);
        Self { version: VERSION, skeleton: skeleton.into(), signature, frame, entries }
    }

    /// The signature of the skeleton.
    pub(crate) fn envelope(&self) -> Result<Vec<u8>, String> {
        let bytes = URL_SAFE_NO_PAD.decode(&self.signature);
        bytes.map_err(|_| "its signature is not base64url".into())
    }

    /// The proof in a presentation; `None` if the text is no presentation.
    pub(crate) fn in_text(text: &str) -> Option<Result<Self, String>> {
        let at = memchr::memmem::rfind(text.as_bytes(), BEGINNING.as_bytes())?;
        let proof = text.get(at + BEGINNING.len()..)?.strip_suffix("}}\n")?;
        // A text in a session can have this beginning: what follows is then no object to the end.
        let whole = members(text).ok()?;
        let own = whole.last().filter(|(name, _)| name == "verbatim")?.1;
        let is_it = own.len() + 2 == text.len().checked_sub(at + ",\"verbatim\":".len())?;
        let read = || serde_json::from_str::<Self>(proof).map_err(|error| error.to_string());
        is_it.then(|| match read() {
            Ok(proof) if proof.version != VERSION => {
                Err(format!("its version is {}, and this program knows {VERSION}", proof.version))
            }
            read => read,
        })
    }

    /// The whole text: what is shown, and the proof.
    pub(crate) fn with(&self, visible: &str) -> String {
        let proof = serde_json::to_string(self).unwrap_or_default();
        let visible = visible.strip_suffix('}').unwrap_or(visible);
        format!("{visible}{BEGINNING}{proof}}}}}\n")
    }
}

/// The shown part of a presentation, as a record: the members of the frame, and the entries.
pub(crate) fn visible<'v>(
    frame: &[(&str, &str)],
    entries: impl Iterator<Item = std::borrow::Cow<'v, str>>,
) -> String {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().replace("~1", "/");
    let mut text = String::from("{");
    let put = |text: &mut String, path: &str, value: &str| {
        let name = serde_json::to_string(&name(path).replace("~0", "~")).unwrap_or_default();
        text.push_str(&name);
        text.push(':');
        text.push_str(value);
        text.push(',');
    };
    let is_session = |path: &str| path.starts_with("/session/");
    for (path, value) in frame.iter().filter(|(path, _)| !is_session(path)) {
        put(&mut text, path, value);
    }
    text.push_str("\"session\":{");
    for (path, value) in frame.iter().filter(|(path, _)| is_session(path)) {
        put(&mut text, path, value);
    }
    text.push_str("\"entries\":[");
    for (at, entry) in entries.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&entry);
    }
    text.push_str("]}}");
    text
}

/// The members of a frame but the one that is the proof.
pub(crate) fn shown_frame<'r>(parts: &RecordParts<'r>) -> Vec<(String, &'r str)> {
    let members = parts.frame.iter().filter(|(path, _)| path != "/verbatim");
    members.map(|(path, value)| (path.clone(), *value)).collect()
}
