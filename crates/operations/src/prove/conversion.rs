//! Proof of a conversion to another agent: both sides of the books are complete and true, by
//! another JSON parser, and what was written is read back as what it was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evidence::witness::is_json;
use formats::{ClosedBooks, Content, Format, Inverse, LeafOrigin, TargetLeaf, TextPart, Written};
use meaning::account::Fate;
use meaning::conversation::{self, TalkContent, TalkPart};
use session::Sorting as _;
use session::{
    Bundle, EventIx, EventRef, Field, Hold, Kind, Member, Session, Span, Stream, UnreadRecord,
};

use super::canonical::{Canonical, leaves};
use super::inverse::{holds, is_whole};
use super::said::{Said, part_read};

/// The result of a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversionProof {
    /// Leaves of the written files that the other parser found, each in one row of the books.
    pub leaves: u64,
    /// Values that are equal on both sides.
    pub equal: u64,
    /// Values in another form that an inverse gives back.
    pub given_back: u64,
    /// Values of the conversation that are read back as what they were.
    pub read_back: u64,
    /// Texts of the conversation, each read back character by character.
    pub texts: u64,
    /// The records of the session that could not be read: nothing of them is proven.
    pub unread: Vec<UnreadRecord>,
    /// The faults, in words; at most 20.
    pub faults: Vec<String>,
}

/// Greatest number of faults that are described.
const TOLD: usize = 20;

impl ConversionProof {
    /// Whether the conversion is proven.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    /// Proves that files with the same conversation in another form, such as the rows of a
    /// database, are read as the conversation that was written.
    pub(crate) fn reads_as(
        &mut self,
        session: &Session,
        written: &Written,
        target: &dyn Format,
        files: &[(String, Content)],
    ) {
        let Some(books) = &written.books else { return };
        let texts: Vec<(&str, &[u8])> =
            files.iter().map(|(name, bytes)| (name.as_str(), &**bytes)).collect();
        match session_of(target, &texts) {
            Some(made) => self.compare(&Said::written(session, books), &made),
            None => self.fault("no session is read back from what is written".into()),
        }
    }

    /// Compares the texts of the conversation.
    fn compare(&mut self, own: &Said, again: &Session) {
        match own.difference(&own.read(again)) {
            Some(what) => self.fault(format!("the conversation is read back differently: {what}")),
            None => self.texts = own.len(),
        }
    }

    fn fault(&mut self, what: String) {
        if self.faults.len() < TOLD {
            self.faults.push(what);
        }
    }
}

/// Proves the conversion of a session for another agent.
#[must_use]
pub fn prove_conversion(
    session: &Session,
    target: &dyn Format,
    written: &Written,
) -> ConversionProof {
    let mut proof = ConversionProof::default();
    super::pairs::faults(session).into_iter().for_each(|what| proof.fault(what));
    let Some(books) = &written.books else {
        let own = "these are the files of the session's own agent: nothing was converted";
        proof.fault(own.into());
        return proof;
    };
    let texts: Vec<(&str, &[u8])> =
        written.files.iter().map(|(name, bytes)| (name.as_str(), &**bytes)).collect();
    if books.files.len() != texts.len() {
        proof.fault("the books do not have all files".into());
        return proof;
    }
    for (page, (name, bytes)) in books.files.iter().zip(&texts) {
        target_side(name, bytes, &page.leaves, &mut proof);
    }
    let fields: Vec<(EventRef<'_>, Field)> =
        session.events().flat_map(|e| e.fields().iter().map(move |f| (e, *f))).collect();
    source_side((session, target), books, &fields, &texts, &mut proof);
    super::lost_words::faults(session, books).into_iter().for_each(|what| proof.fault(what));
    unread(session, books, &mut proof);
    if let Some(again) = read_back(books, &fields, target, &texts, &mut proof) {
        proof.compare(&Said::written(session, books), &again);
    }
    proof
}

/// Each leaf of a file belongs to exactly one row, and each row has a leaf.
fn target_side(name: &str, bytes: &[u8], rows: &[TargetLeaf], proof: &mut ConversionProof) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return proof.fault(format!("{name} is not UTF-8"));
    };
    let found = match leaves(text) {
        Ok(found) => found,
        Err(error) => return proof.fault(format!("{name} is not JSON: {error}")),
    };
    let mut met = vec![0u32; rows.len()];
    for leaf in found {
        let row = rows.partition_point(|row| row.span.end <= leaf.start);
        match rows.get(row).filter(|row| row.span.start <= leaf.start && leaf.end <= row.span.end) {
            Some(_) => met[row] += 1,
            None => proof.fault(format!("{name}, byte {}: a value in no row", leaf.start)),
        }
        proof.leaves += 1;
    }
    for (row, _) in rows.iter().zip(&met).filter(|(_, met)| **met == 0) {
        proof.fault(format!("{name}, byte {}: a row without a value", row.span.start));
    }
}

/// Each record that is no JSON by another parser is in the book of those that could not be read.
fn unread(session: &Session, books: &ClosedBooks, proof: &mut ConversionProof) {
    let told: BTreeSet<(u32, u32)> =
        books.unread.iter().map(|record| (record.member, record.span.start)).collect();
    for record in &session.records {
        let is_told = told.contains(&(record.member, record.span.start));
        if !is_told && !is_json(session.record_bytes(record)) {
            proof.fault(format!("line {}: a record that no book has is no JSON", record.line));
        }
    }
    proof.unread.clone_from(&books.unread);
}

/// Carried values are equal; a field that a row names is not dropped, and one that none names is.
fn source_side(
    (session, target): (&Session, &dyn Format),
    books: &ClosedBooks,
    fields: &[(EventRef<'_>, Field)],
    texts: &[(&str, &[u8])],
    proof: &mut ConversionProof,
) {
    let mut named = vec![Crossed::default(); fields.len()];
    for (page, (name, bytes)) in books.files.iter().zip(texts) {
        for leaf in &page.leaves {
            match &leaf.origin {
                LeafOrigin::Carried(at) => {
                    named[*at].carried = true;
                    let (event, field) = fields[*at];
                    let own = event.value(field);
                    let written = leaf.span.of(bytes);
                    let same = || {
                        Canonical::of(own).is_some_and(|own| Some(own) == Canonical::of(written))
                    };
                    if own == written || same() {
                        proof.equal += 1;
                    } else {
                        let what = "is said to be carried, and differs";
                        proof.fault(format!("{name}, byte {}: {what}", leaf.span.start));
                    }
                }
                LeafOrigin::Mapped(of, _) | LeafOrigin::InPart(of, _) => {
                    let at = format!("{name}, byte {}", leaf.span.start);
                    let is_mapped = matches!(leaf.origin, LeafOrigin::Mapped(..));
                    if is_mapped && of.iter().any(|one| one.inverse == Inverse::None) {
                        proof.fault(format!("{at}: is said to be mapped, and has no inverse"));
                    }
                    for one in of {
                        named[one.field].note(&one.inverse);
                        let written = leaf.span.of(bytes);
                        if !holds(fields[one.field], one, written, target.name()) {
                            let by = one.inverse.word();
                            proof.fault(format!("{at}: the inverse ({by}) gives another value"));
                        }
                        proof.given_back += u64::from(one.inverse != Inverse::None);
                    }
                }
                _ => {}
            }
        }
    }
    fates(session, books, fields, &named, proof);
}

/// Each field has the fate that the values of the target show.
fn fates(
    session: &Session,
    books: &ClosedBooks,
    fields: &[(EventRef<'_>, Field)],
    named: &[Crossed],
    proof: &mut ConversionProof,
) {
    let own = fields.iter().zip(named).filter(|((_, field), _)| field.hold == Hold::Own);
    let mut fates = books.ledger.fates(session);
    for ((event, field), named) in own {
        let fate = fates.next().filter(|(_, known, _)| known == field).map(|(.., fate)| fate);
        let fits = match fate {
            Some(Fate::Carried) => named.carried,
            Some(Fate::Mapped(_)) => named.is_whole(event.value(*field)),
            Some(Fate::InPart(_)) => named.any && !named.carried,
            Some(Fate::Dropped(_)) => !named.any && !named.carried,
            _ => false,
        };
        if !fits {
            let (line, byte) = (event.origin.line, field.value.start);
            proof.fault(format!("line {line}, byte {byte}: the fate of the field is not true"));
        }
    }
    if fates.next().is_some() {
        proof.fault("the ledger has more fields than the session".into());
    }
}

/// The values of the target that have a field.
#[derive(Clone, Default)]
struct Crossed {
    carried: bool,
    any: bool,
    whole: bool,
    parts: Vec<TextPart>,
}

impl Crossed {
    fn note(&mut self, inverse: &Inverse) {
        self.any = true;
        match inverse {
            Inverse::Parts(parts) | Inverse::Tagged(_, parts) => self.parts.extend(parts),
            Inverse::None => {}
            _ => self.whole = true,
        }
    }

    /// Whether the value of the field can be restored.
    fn is_whole(&self, own: &[u8]) -> bool {
        self.whole || self.any && is_whole(own, &self.parts)
    }
}

/// The session in written files.
fn session_of(target: &dyn Format, texts: &[(&str, &[u8])]) -> Option<Session> {
    let member = |(name, bytes): &(&str, &[u8])| {
        Member::new(*name, Stream::Main, bytes.to_vec()).map(|member| target.decode(member))
    };
    let members: Vec<Member> = texts.iter().filter_map(member).collect();
    target.read(Arc::new(Bundle { members })).into_iter().next()
}

/// Conversation that is written is read back as the same kind of event.
fn read_back(
    books: &ClosedBooks,
    fields: &[(EventRef<'_>, Field)],
    target: &dyn Format,
    texts: &[(&str, &[u8])],
    proof: &mut ConversionProof,
) -> Option<Session> {
    let Some(again) = session_of(target, texts) else {
        proof.fault("no session is read back".into());
        return None;
    };
    if let Some(note) = again.notes.first() {
        proof.fault(format!("line {} is read back damaged", note.line));
    }
    let known = meanings(&again);
    // A field may be in several places of the target: a prompt is its title too. For each: whether
    // it is read back, whether it was carried as it is, and its place.
    let mut met: BTreeMap<usize, (bool, bool, String)> = BTreeMap::new();
    let mut last: Option<(EventIx, TalkContent)> = None;
    for (page, (name, _)) in books.files.iter().zip(texts) {
        let place = again.bundle.members.iter().position(|member| member.name == *name);
        let known = place.and_then(|place| known.get(&(place as u32)));
        for leaf in &page.leaves {
            let known = known.map_or(&[][..], Vec::as_slice);
            let from = known.partition_point(|(span, _)| span.end <= leaf.span.start);
            let near = known[from..].iter().take_while(|(span, _)| span.start < leaf.span.end);
            for at in leaf.origin.fields() {
                let (event, field) = fields[at];
                let kind = role(event, conversation::of(event).part);
                let known = last.take().filter(|(index, _)| *index == event.index);
                let (_, content) =
                    last.insert(known.unwrap_or_else(|| (event.index, content(event))));
                if !content.has(field) {
                    continue;
                }
                let read = near.clone().any(|(_, read)| *read == kind);
                let place = || format!("{name}, byte {}: {kind:?}", leaf.span.start);
                let entry = met.entry(at).or_insert_with(|| (false, false, place()));
                entry.0 |= read;
                entry.1 |= matches!(leaf.origin, LeafOrigin::Carried(_));
            }
        }
    }
    for (read, carried, place) in met.into_values() {
        match read {
            true => proof.read_back += 1,
            // A text in another form may be a part of another value there.
            false if !carried => {}
            false => proof.fault(format!("{place} is not read back as such")),
        }
    }
    Some(again)
}

/// The kind of event that another agent has of an event: its summary or report is a prompt there.
fn role(event: EventRef<'_>, part: TalkPart) -> Kind {
    match part {
        TalkPart::Prompt
        | TalkPart::Report
        | TalkPart::Summary
        | TalkPart::Task
        | TalkPart::Expansion
        | TalkPart::Told => Kind::User,
        _ => event.kind,
    }
}

/// The content of an event as a part of the conversation.
fn content(event: EventRef<'_>) -> TalkContent {
    TalkContent::of(event, conversation::of(event).part)
}

/// The kinds of the conversation in each member, by the spans of its values, in their order.
fn meanings(session: &Session) -> BTreeMap<u32, Vec<(Span, Kind)>> {
    let mut known: BTreeMap<u32, Vec<(Span, Kind)>> = BTreeMap::new();
    for event in session.events() {
        let part = part_read(event);
        let content = TalkContent::of(event, part);
        let own = event.fields().iter().filter(|field| field.hold == Hold::Own);
        for field in own.filter(|field| content.has(**field)) {
            let place = known.entry(event.origin.member).or_default();
            place.push((field.value, role(event, part)));
        }
    }
    known.values_mut().for_each(|all| all.in_order_by_key(|(span, _)| span.start));
    known
}
