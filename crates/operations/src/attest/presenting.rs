//! Presentations that are made: of a signed record, its skeleton and its secret.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::path::Path;

use aho_corasick::AhoCorasick;
use catalog::Catalog;
use redact::{Outgoing as _, Redactor};
use sign::{Envelope, Hash, RecordSecret, Tree};

use crate::attest::beside::companion;
use crate::attest::error::{Error, at, refused};
use crate::attest::presentation::{
    FieldProof, PresentationProof, Proven, Unit, WithheldRange, visible,
};
use crate::attest::record_parts::{CutEntry, RecordParts, placeholder};
use crate::attest::record_places::RecordPlaces;
use crate::attest::record_secret::{record_digest, secret, skeleton_file};
use crate::attest::skeleton::{self, AGENT, NAMED, Skeleton};
use crate::redact::Redaction;

/// Members of the frame that tell of what was withheld: where each entry came from, and the
/// digests, or even the bytes, of the agent's own files.
const SOURCES: [&str; 2] = ["/verbatim", "/session/verbatim"];

/// A signed record of which parts can be shown.
#[derive(Debug)]
pub struct SignedRecord {
    text: String,
    places: RecordPlaces,
    skeleton: Skeleton,
    envelope: Vec<u8>,
    secret: RecordSecret,
    tree: Tree,
}

/// Parts that are withheld from a presentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Withheld {
    /// Whole entries, counted from 1.
    pub entries: BTreeSet<u64>,
    /// Fields of entries.
    pub fields: BTreeMap<u64, BTreeSet<String>>,
    /// Members outside the entries, by their path.
    pub frame: BTreeSet<String>,
}

/// A presentation that passed the gate.
#[derive(Clone, Debug)]
pub struct Presentation {
    /// The file.
    pub text: String,
    /// The parts that it withholds.
    pub withheld: Withheld,
    /// Entries that are shown and have a text that a withheld part has too; 0 is what is outside of
    /// the entries. Texts of one word are not looked for.
    pub twins: BTreeSet<u64>,
}

impl SignedRecord {
    /// Reads a record with its skeleton, its signature and its secret, which are beside it.
    ///
    /// # Errors
    /// One of them is missing, or they don't belong together.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let shown = path.display();
        let bytes = catalog::stored(path).map_err(at(path))?;
        let file = skeleton_file(path);
        let signature = companion(&file);
        if !file.is_file() || !signature.is_file() {
            let what =
                format!("{shown} has no signed skeleton: there is no {}", signature.display());
            let hint = "parts of a record can be withheld if it was signed so that they can: \
                        `verbatim sign RECORD --force` signs it again";
            return refused(what, hint);
        }
        let Some(secret) = secret(path, &record_digest(&bytes))? else {
            let what = format!("{shown} has no secret beside it, or the one of another record");
            return refused(what, "put `RECORD.secret` back; without it nothing can be withheld");
        };
        let broken = |why: String| Error::Refused {
            what: format!("{shown} can't be presented: {why}"),
            hint: "`verbatim verify RECORD` tells whether it is as it was signed".into(),
        };
        let text = String::from_utf8(bytes).map_err(|_| broken("it is not UTF-8".into()))?;
        let skeleton = catalog::stored(&file).map_err(at(&file))?;
        let skeleton = String::from_utf8_lossy(&skeleton).into_owned();
        let skeleton = Skeleton::read(&skeleton)
            .map_err(|why| broken(format!("{}: {why}", file.display())))?;
        let envelope = catalog::stored(&signature).map_err(at(&signature))?;
        Envelope::read(&envelope)
            .map_err(|why| broken(format!("{}: {why}", signature.display())))?;
        let places = RecordPlaces::read(&text).map_err(broken)?;
        let (_, tree) = skeleton::tree_of(&places, &text, &secret).map_err(broken)?;
        match tree.root(skeleton.size) == Some(skeleton.root) && tree.size() == skeleton.size {
            true => Ok(Self { text, places, skeleton, envelope, secret, tree }),
            false => Err(broken("it is not the record that its skeleton was made of".into())),
        }
    }

    fn parts(&self) -> RecordParts<'_> {
        self.places.parts(&self.text)
    }

    /// An entry without its large fields.
    fn cut(&self, number: u64) -> Option<CutEntry<'_>> {
        self.places.entry(&self.text, number.checked_sub(1)?)
    }

    /// The byte ranges of the entries in the record.
    pub(crate) fn spans(&self) -> Vec<Range<u64>> {
        let start = self.text.as_ptr() as u64;
        let span = |entry: &&str| {
            let at = entry.as_ptr() as u64 - start;
            at..at + entry.len() as u64
        };
        self.parts().entries.iter().map(span).collect()
    }

    /// The hashes of the fewest subtrees that cover the leaves from `first` up to `end`.
    pub(crate) fn cover(&self, first: u64, end: u64) -> Vec<Hash> {
        self.tree.cover(first, end).unwrap_or_default()
    }

    /// The skeleton and its signature.
    pub(crate) fn signed(&self) -> (&str, &[u8]) {
        (&self.skeleton.text, &self.envelope)
    }

    /// The number of entries.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.skeleton.size - 1
    }

    /// A presentation without what is to be withheld, and without what a redactor finds: a field
    /// or an entry in which it finds something is withheld as a whole. It is scanned again before
    /// it is given out.
    ///
    /// # Errors
    /// A part that is named does not exist, or something is left that must not be shown.
    pub fn present(
        &self,
        named: &Withheld,
        redactor: &Redactor,
        catalog: &Catalog<'_>,
    ) -> Result<Presentation, Error> {
        let mut withheld = self.with_twins(named)?;
        // No session stays in memory while the next one is made.
        let redacted = text(&redacted("record.json", &self.text, redactor, catalog)?);
        self.add_findings(&redacted, &mut withheld)?;
        drop(redacted);
        let composed = self.composed(&withheld);
        let clean = self::redacted("presentation.json", &composed.0, redactor, catalog)?;
        // What leaves are the bytes that passed the gate.
        let clean = text(&clean);
        if clean != composed.0 {
            return refused(
                "something is left that must not be shown, in what names the record itself",
                "`verbatim scan RECORD` tells what; `--keep CLASS` shows values of a class",
            );
        }
        let twins = self.twins(&withheld);
        Ok(Presentation { text: composed.1.with(&clean), withheld, twins })
    }

    /// Checks what is named, and adds the fields of the same entry that repeat a withheld one.
    fn with_twins(&self, named: &Withheld) -> Result<Withheld, Error> {
        let mut withheld = named.clone();
        withheld.frame.extend(SOURCES.iter().map(|path| (*path).to_owned()));
        let numbers = named.entries.iter().chain(named.fields.keys());
        if let Some(wrong) = numbers.into_iter().find(|it| **it == 0 || **it > self.entries()) {
            let what = format!("the record has no entry {wrong}: it has {}", self.entries());
            return refused(what, "entries are counted from 1: `verbatim show RECORD`");
        }
        for (number, names) in &named.fields {
            let Some(cut) = self.cut(*number) else { continue };
            let known: Vec<&str> = cut.fields.iter().map(|(name, _)| &**name).collect();
            if let Some(name) = names.iter().find(|name| !known.contains(&&***name)) {
                let what = format!("the field `{name}` of entry {number} can't be withheld alone");
                let hint = match known.is_empty() {
                    true => format!("withhold the entry: `--withhold {number}`"),
                    false => format!("those that can: {}", known.join(", ")),
                };
                return refused(what, hint);
            }
            let own = cut.fields.iter().filter(|(name, _)| names.contains(name));
            let texts: HashSet<&str> = own.flat_map(|(_, value)| strings(value)).collect();
            let repeats = |value: &str| strings(value).any(|text| texts.contains(text));
            let twins = cut.fields.iter().filter(|(_, value)| repeats(value));
            let twins: Vec<String> = twins.map(|(name, _)| name.clone()).collect();
            withheld.fields.entry(*number).or_default().extend(twins);
        }
        Ok(withheld)
    }

    /// Adds what the redactor has changed.
    fn add_findings(&self, redacted: &str, withheld: &mut Withheld) -> Result<(), Error> {
        let parts = self.parts();
        let again = RecordParts::read(redacted);
        let again = again.ok().filter(|again| {
            again.entries.len() == parts.entries.len() && again.frame.len() == parts.frame.len()
        });
        let Some(again) = again else {
            return refused("the record has another shape when it is redacted", "please report it");
        };
        for ((path, one), (other_path, other)) in parts.frame.iter().zip(&again.frame) {
            if one != other || path != other_path {
                withheld.frame.insert(path.clone());
            }
        }
        for (number, (one, other)) in (1..).zip(parts.entries.iter().zip(&again.entries)) {
            if one == other {
                continue;
            }
            match self.cut(number).and_then(|cut| changed_fields(&cut, other)) {
                Some(names) => withheld.fields.entry(number).or_default().extend(names),
                None => {
                    withheld.entries.insert(number);
                }
            }
        }
        Ok(())
    }

    /// The shown part, and the proof.
    fn composed(&self, withheld: &Withheld) -> (String, PresentationProof) {
        let parts = self.parts();
        let secret = &self.secret;
        let hidden = |path: &str| withheld.frame.contains(path) && !NAMED.contains(&path);
        let proof = |(path, value): &(String, &str)| match hidden(path) {
            true => FieldProof::withheld(path, &skeleton::field(secret, 0, path, value).1),
            false => FieldProof::shown(path, &secret.salt(0, Some(path))),
        };
        let frame = Unit::of(&secret.salt(0, None), parts.frame.iter().map(proof).collect());
        let agent = self.skeleton.member(AGENT).unwrap_or_default();
        let frame_shown = parts.frame.iter().filter_map(|(path, value)| match hidden(path) {
            true if path == AGENT => Some((&**path, &*agent)),
            true => None,
            false => Some((&**path, *value)),
        });
        let frame_shown: Vec<(&str, &str)> = frame_shown.collect();
        let (mut texts, mut proven) = (Vec::new(), Vec::new());
        let mut number = 1;
        while number <= self.entries() {
            let mut last = number;
            if withheld.entries.contains(&number) {
                while withheld.entries.contains(&(last + 1)) {
                    last += 1;
                }
                let nodes = self.cover(number, last + 1);
                let range = WithheldRange::of(number, last, &nodes);
                texts.push(range.placeholder());
                proven.push(Proven::Range(range));
            } else if let Some(cut) = self.cut(number) {
                let hidden = withheld.fields.get(&number);
                texts.push(shown(&cut, hidden));
                proven.push(Proven::Entry(self.proof(number, &cut, hidden)));
            }
            number = last + 1;
        }
        let visible = visible(&frame_shown, texts.into_iter().map(Cow::Owned));
        let proof = PresentationProof::of(&self.skeleton.text, &self.envelope, frame, proven);
        (visible, proof)
    }

    /// The proof of an entry that is shown.
    fn proof(&self, number: u64, cut: &CutEntry<'_>, hidden: Option<&BTreeSet<String>>) -> Unit {
        let secret = &self.secret;
        let proof = |(name, value): &(String, &str)| match is_in(hidden, name) {
            true => FieldProof::withheld(name, &skeleton::field(secret, number, name, value).1),
            false => FieldProof::shown(name, &secret.salt(number, Some(name))),
        };
        Unit::of(&secret.salt(number, None), cut.fields.iter().map(proof).collect())
    }

    /// The entries that are shown and have a text of what is withheld; 0 is what is outside of
    /// them.
    fn twins(&self, withheld: &Withheld) -> BTreeSet<u64> {
        let parts = self.parts();
        let mut texts: HashSet<&str> = HashSet::new();
        for number in &withheld.entries {
            texts.extend(parts.entries.get(index(*number)).into_iter().flat_map(|it| words(it)));
        }
        for (number, names) in &withheld.fields {
            let cut = self.cut(*number);
            let fields = cut.iter().flat_map(|cut| &cut.fields);
            let own = fields.filter(|(name, _)| names.contains(name));
            texts.extend(own.flat_map(|(_, value)| words(value)));
        }
        let mut twins = BTreeSet::new();
        if texts.is_empty() {
            return twins;
        }
        let Ok(texts) = AhoCorasick::new(texts) else { return twins };
        let frame = parts.frame.iter().filter(|(path, _)| !withheld.frame.contains(path));
        if frame.into_iter().any(|(_, value)| texts.is_match(*value)) {
            twins.insert(0);
        }
        for number in (1..=self.entries()).filter(|number| !withheld.entries.contains(number)) {
            let Some(cut) = self.cut(number) else { continue };
            if texts.is_match(&shown(&cut, withheld.fields.get(&number))) {
                twins.insert(number);
            }
        }
        twins
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number - 1).unwrap_or(usize::MAX)
}

fn is_in(names: Option<&BTreeSet<String>>, name: &String) -> bool {
    names.is_some_and(|names| names.contains(name))
}

/// An entry as it is shown, without the fields of these names.
fn shown(cut: &CutEntry<'_>, hidden: Option<&BTreeSet<String>>) -> String {
    let values = cut.fields.iter().map(|(name, value)| match is_in(hidden, name) {
        true => placeholder(name, value),
        false => value,
    });
    cut.filled(values)
}

/// The fields in which two forms of an entry differ; `None` if they differ elsewhere too.
fn changed_fields(cut: &CutEntry<'_>, other: &str) -> Option<Vec<String>> {
    let names = cut.fields.iter().map(|(name, _)| &**name);
    let again = CutEntry::without(other, names).ok()?;
    if cut.texts != again.texts {
        return None;
    }
    let pairs = cut.fields.iter().zip(&again.fields);
    let changed = pairs.filter(|((_, one), (_, other))| one != other);
    Some(changed.map(|((name, _), _)| name.clone()).collect())
}

/// The strings of a JSON text that tell one text from others, as they are written.
fn strings(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        let start = rest.find('"')? + 1;
        let text = rest.get(start..)?;
        let (mut end, mut escaped) = (0, false);
        for byte in text.bytes() {
            match byte {
                b'"' if !escaped => break,
                _ => escaped = byte == b'\\' && !escaped,
            }
            end += 1;
        }
        rest = text.get(end + 1..).unwrap_or_default();
        text.get(..end)
    })
    .filter(|text| text.len() >= 8)
}

/// The beginnings of the strings that consist of words: neither ids nor names.
fn words(json: &str) -> impl Iterator<Item = &str> {
    let begun = |text: &'_ str| text.floor_char_boundary(BEGUN);
    strings(json).filter(|text| text.contains(' ')).map(move |text| &text[..begun(text)])
}

/// The part of a withheld text by which it is found again: this many bytes.
const BEGUN: usize = 64;

/// A record without what a redactor finds.
pub(crate) fn redacted(
    name: &str,
    text: &str,
    redactor: &Redactor,
    catalog: &Catalog<'_>,
) -> Result<Redaction, Error> {
    Ok(crate::redact::redact_stored(catalog, name, text.as_bytes().to_vec(), redactor)?)
}

/// The bytes of a record that may leave the machine.
pub(crate) fn text(redaction: &Redaction) -> String {
    let clean = redaction.outgoing();
    String::from_utf8_lossy(clean.session().bundle.bytes(0)).into_owned()
}

#[cfg(test)]
#[path = "presenting_tests.rs"]
mod tests;
