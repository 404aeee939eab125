//! The places that a redaction replaced, as an index keeps them, with the classes in the
//! placeholders. It has no value, and no digest of one. Where the bytes are those that were
//! redacted, it makes the clean session again without another scan.
//!
//! The digest is that of the redacted files. Only if the edited files have it, they are the ones
//! that were verified, byte for byte, and are [`Clean`] too. So places that are damaged, or those
//! of other bytes, show nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use session::Sorting as _;
use session::edit::{EditPlace, replace};
use session::{Beside, Bundle, Session, Span};
use sha2::{Digest as _, Sha256};

use crate::edit::draft::MovedPlaces;
use crate::edit::placeholder;
use crate::gate::Clean;

/// The edits of a redaction, without values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFindings {
    /// The places in the files as they are, in their order.
    places: Vec<EditPlace>,
    /// For each place, the number of what is written there.
    written: Vec<u32>,
    /// All that is written: placeholders, and words for names, such as `user1`.
    texts: Vec<Vec<u8>>,
    /// The digest of the redacted files.
    digest: [u8; 32],
}

impl KeptFindings {
    /// The edits of the rounds of a redaction. `None` if they do not make these clean sessions of
    /// the bundle before: a file got another name, or something but placeholders was written.
    #[must_use]
    pub fn of(
        before: &Bundle,
        rounds: &[MovedPlaces],
        after: &Clean<Vec<Session>>,
    ) -> Option<Self> {
        let clean = &after.first()?.bundle;
        let composed = |earlier, round: &MovedPlaces| compose(earlier, &round.0);
        let places = rounds.iter().fold(Vec::new(), composed);
        let (mut texts, mut written) = (BTreeMap::new(), Vec::with_capacity(places.len()));
        let (mut member, mut shift) = (0, 0i64);
        for place in &places {
            if place.member != member {
                (member, shift) = (place.member, 0);
            }
            let start = u32::try_from(i64::from(place.span.start) + shift).ok()?;
            let text = clean.slice(member, Span::new(start, start.checked_add(place.length)?));
            let next = texts.len() as u32;
            written.push(*texts.entry(text.to_vec()).or_insert(next));
            shift += i64::from(place.length) - place.span.len() as i64;
        }
        let mut numbered: Vec<(Vec<u8>, u32)> = texts.into_iter().collect();
        numbered.in_order_by_key(|(_, number)| *number);
        let texts: Vec<Vec<u8>> = numbered.into_iter().map(|(text, _)| text).collect();
        if !texts.iter().all(|text| placeholder::is_written(text)) {
            return None;
        }
        let kept = Self { places, written, texts, digest: digest(clean) };
        kept.apply(before).is_some().then_some(kept)
    }

    /// The bundle as its redaction left it. `None` if these are the edits of other bytes.
    #[must_use]
    pub fn apply(&self, bundle: &Bundle) -> Option<Clean<Arc<Bundle>>> {
        let mut put = |at: usize, out: &mut Vec<u8>| {
            out.extend_from_slice(&self.texts[self.written[at] as usize]);
        };
        let clean = replace(bundle, &self.places, &mut put).ok()?;
        (digest(&clean) == self.digest).then(|| Clean(Arc::new(clean)))
    }

    /// The edits as bytes.
    #[must_use]
    pub fn packed(&self) -> Vec<u8> {
        let mut packed = self.digest.to_vec();
        put(&mut packed, self.texts.len() as u64);
        for text in &self.texts {
            put(&mut packed, text.len() as u64);
            packed.extend_from_slice(text);
        }
        let (mut member, mut at) = (0, 0);
        for (place, text) in self.places.iter().zip(&self.written) {
            // Mostly a place is in the same file as the one before.
            put(&mut packed, u64::from(place.member - member));
            if place.member != member {
                (member, at) = (place.member, 0);
            }
            put(&mut packed, u64::from(place.span.start - at));
            put(&mut packed, place.span.len() as u64);
            put(&mut packed, u64::from(*text));
            at = place.span.end;
        }
        packed
    }

    /// The edits of these bytes. `None` if they are none.
    #[must_use]
    pub fn unpacked(packed: &[u8]) -> Option<Self> {
        let (digest, mut rest) = packed.split_first_chunk::<32>()?;
        let count = take(&mut rest)?;
        let mut texts = Vec::new();
        for _ in 0..count {
            let length = take(&mut rest)? as usize;
            let (text, behind) = rest.split_at_checked(length)?;
            texts.push(text.to_vec());
            rest = behind;
        }
        let (mut places, mut written) = (Vec::new(), Vec::new());
        let (mut member, mut at) = (0u32, 0u32);
        while !rest.is_empty() {
            let further = take(&mut rest)?;
            if further > 0 {
                (member, at) = (member.checked_add(further)?, 0);
            }
            let start = at.checked_add(take(&mut rest)?)?;
            let end = start.checked_add(take(&mut rest)?)?;
            let text = take(&mut rest)?;
            let length = texts.get(text as usize)?.len() as u32;
            places.push(EditPlace { member, span: Span::new(start, end), length });
            written.push(text);
            at = end;
        }
        Some(Self { places, written, texts, digest: *digest })
    }
}

impl Clean<Arc<Bundle>> {
    /// The sessions of a clean bundle, which `read` reads from it alone.
    #[must_use]
    pub fn read(
        self,
        read: impl FnOnce(Arc<Bundle>) -> Vec<Session>,
    ) -> Option<Clean<Vec<Session>>> {
        let sessions = read(Arc::clone(&self.0));
        let is_own = |session: &Session| {
            Arc::ptr_eq(&session.bundle, &self.0) && session.beside == Beside::default()
        };
        sessions.iter().all(is_own).then_some(Clean(sessions))
    }
}

/// The digest of all files of a bundle, with their names.
fn digest(bundle: &Bundle) -> [u8; 32] {
    let mut digest = Sha256::new();
    for member in &bundle.members {
        let stream = member.stream.to_string();
        for text in [member.name.as_bytes(), stream.as_bytes(), member.bytes()] {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        }
    }
    digest.finalize().into()
}

/// The places of two rounds as those of one: those of the later round are places in what the
/// earlier one wrote. Edits that touch become one.
fn compose(earlier: Vec<EditPlace>, later: &[EditPlace]) -> Vec<EditPlace> {
    if later.is_empty() {
        return earlier;
    }
    let last = earlier.iter().chain(later).map(|place| place.member).max().unwrap_or_default();
    let (mut ours, mut theirs) = (&*earlier, later);
    let mut places = Vec::with_capacity(earlier.len() + later.len());
    for member in 0..=last {
        let of_member = |rest: &mut &[EditPlace]| {
            let count = rest.iter().take_while(|place| place.member == member).count();
            rest.split_off(..count).map_or_else(Vec::new, <[EditPlace]>::to_vec)
        };
        compose_member(&of_member(&mut ours), &of_member(&mut theirs), &mut places);
    }
    places
}

/// The same of one file.
fn compose_member(earlier: &[EditPlace], later: &[EditPlace], places: &mut Vec<EditPlace>) {
    let (mut ours, mut theirs) = (earlier.iter().peekable(), later.iter().peekable());
    let mut shift = 0i64;
    let mut group: Option<Touching> = None;
    loop {
        let one = ours.peek().map(|place| i64::from(place.span.start) + shift);
        let other = theirs.peek().map(|place| i64::from(place.span.start));
        let is_earlier = match (one, other) {
            (Some(one), Some(other)) => one <= other,
            (one, _) => one.is_some(),
        };
        let (next, edit) = match is_earlier {
            true => (one, ours.next()),
            false => (other, theirs.next()),
        };
        let (Some(start), Some(edit)) = (next, edit) else { break };
        if let Some(done) = group.take_if(|group| start > group.end) {
            places.push(done.place());
        }
        let group = group.get_or_insert(Touching::at(edit.member, start, shift));
        let grown = i64::from(edit.length) - edit.span.len() as i64;
        if is_earlier {
            shift += grown;
            group.end = group.end.max(start + i64::from(edit.length));
            group.shift_behind = shift;
        } else {
            group.end = group.end.max(start + edit.span.len() as i64);
            group.grown += grown;
        }
    }
    places.extend(group.map(|group| group.place()));
}

/// Edits of two rounds that touch. Their first byte and the one behind them are those between the
/// rounds.
struct Touching {
    member: u32,
    start: i64,
    end: i64,
    /// The distances by which the earlier round had moved the first byte, and the one behind.
    shift: i64,
    shift_behind: i64,
    /// The bytes that the later round added.
    grown: i64,
}

impl Touching {
    const fn at(member: u32, start: i64, shift: i64) -> Self {
        Self { member, start, end: start, shift, shift_behind: shift, grown: 0 }
    }

    /// The place before both rounds, with the length that it has behind them.
    fn place(&self) -> EditPlace {
        let byte = |at: i64| at.clamp(0, i64::from(u32::MAX)) as u32;
        let span = Span::new(byte(self.start - self.shift), byte(self.end - self.shift_behind));
        let length = byte(self.end - self.start + self.grown);
        EditPlace { member: self.member, span, length }
    }
}

/// Adds a number, a small one in few bytes.
fn put(into: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Reads a number.
fn take(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = rest.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return u32::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(list: &[(u32, u32, u32, u32)]) -> Vec<EditPlace> {
        let edit = |&(member, start, end, length): &(u32, u32, u32, u32)| {
            let span = Span::new(start, end);
            EditPlace { member, span, length }
        };
        list.iter().map(edit).collect()
    }

    #[test]
    fn two_rounds_are_one() {
        // `aXXXXb…cd…` became `aYb…cZZZd…`, and then `b` went, and something behind it.
        let earlier = edits(&[(0, 1, 5, 1), (0, 8, 8, 3), (2, 4, 6, 9)]);
        let later = edits(&[(0, 2, 3, 4), (0, 12, 14, 0), (1, 3, 4, 5), (2, 5, 20, 2)]);
        let both = compose(earlier.clone(), &later);
        let expected =
            edits(&[(0, 1, 6, 5), (0, 8, 8, 3), (0, 12, 14, 0), (1, 3, 4, 5), (2, 4, 13, 3)]);
        assert_eq!(both, expected);
        assert_eq!(compose(Vec::new(), &earlier), earlier);
        assert_eq!(compose(earlier.clone(), &[]), earlier);
    }

    /// Random edits of random rounds: the places of all of them at once make the same bytes.
    #[test]
    fn the_places_of_all_rounds_make_the_same_bytes() {
        use session::{Member, Stream};
        let mut dice = samples::Dice::seeded(57);
        for _ in 0..500 {
            let members = (0..1 + dice.roll(3)).map(|at| {
                let bytes = (0..dice.roll(60)).map(|byte| b'a' + (byte % 26) as u8).collect();
                Member::new(format!("{at}"), Stream::Main, bytes).unwrap()
            });
            let before = Bundle { members: members.collect() };
            let (mut now, mut places) = (before.clone(), Vec::new());
            for round in 0..1 + dice.roll(4) {
                let mut later = Vec::new();
                for (number, member) in (0u32..).zip(&now.members) {
                    let mut at = 0;
                    while at + 3 < member.length() && dice.roll(3) > 0 {
                        let start = at + dice.roll((member.length() - at).min(9));
                        let end = (start + dice.roll(6)).min(member.length());
                        later.push((number, start as u32, end as u32, dice.roll(5) as u32));
                        at = end + usize::from(start == end);
                    }
                }
                let later = edits(&later);
                let mut put = |at: usize, out: &mut Vec<u8>| {
                    out.extend(vec![b'0' + round as u8; later[at].length as usize]);
                };
                now = replace(&now, &later, &mut put).unwrap();
                places = compose(places, &later);
            }
            let mut shifts = std::collections::HashMap::new();
            let texts: Vec<Vec<u8>> = places
                .iter()
                .map(|place| {
                    let shift: &mut i64 = shifts.entry(place.member).or_default();
                    let start = (i64::from(place.span.start) + *shift) as u32;
                    *shift += i64::from(place.length) - place.span.len() as i64;
                    now.slice(place.member, Span::new(start, start + place.length)).to_vec()
                })
                .collect();
            let put = &mut |at: usize, out: &mut Vec<u8>| out.extend_from_slice(&texts[at]);
            let again = replace(&before, &places, put).unwrap();
            assert_eq!(again.members, now.members);
            let letters = |text: &Vec<u8>| text.iter().any(u8::is_ascii_lowercase);
            assert!(!texts.iter().any(letters), "only what was written is in the texts");
        }
    }

    #[test]
    fn edits_are_read_back_from_their_bytes() {
        let places = edits(&[(0, 1, 5, 3), (0, 300, 70_000, 2), (2, 0, 1, 3), (2, 1, 1, 0)]);
        let texts = vec![b"abc".to_vec(), b"de".to_vec(), Vec::new()];
        let kept = KeptFindings { places, written: vec![0, 1, 0, 2], texts, digest: [7; 32] };
        let packed = kept.packed();
        assert_eq!(KeptFindings::unpacked(&packed).as_ref(), Some(&kept));
        for end in [0, 20, packed.len() - 1] {
            assert_eq!(KeptFindings::unpacked(&packed[..end]), None);
        }
        // Those of other bytes show nothing.
        assert!(kept.apply(&Bundle::default()).is_none());
    }
}
