//! The usages of a source as an index keeps them.

use std::collections::HashMap;

use catalog::SessionActs;
use catalog::find::found::Found;
use catalog::open::ends::Kept;
use catalog::open::source::Source;
use catalog::packed::{PackedReader, PackedWriter};
use meaning::turn::number_of_turns;
use meaning::usage::{Key, Part, Terms};
use session::{Memory, Session, Standing};
use views::transcript::{Detail, Transcript, TurnSum};

use super::{OfSource, Record, Ruling, in_files};
use crate::usage::price::Prices;
use crate::usage::{Usage, sums};

/// The usages of a source as an index keeps them, and the acts of each of its sessions by their
/// ids, from one reading of its files. If a file could not be read, there is nothing; a session
/// with a damaged record has no acts, since they would be too few.
#[must_use]
pub fn packed_with_acts(
    source: &Source,
    prices: Option<&Prices>,
    memory: &mut Memory,
) -> (Option<Vec<u8>>, HashMap<String, SessionActs>) {
    let mut acts = HashMap::new();
    let of = in_files(source, &Kept::nothing(), memory, &mut |session| {
        if !session.remainder && session.damaged_records() == 0 {
            let id = if session.id.is_empty() { &source.group } else { &session.id };
            acts.entry(id.clone()).or_insert_with(|| acts_of(session));
        }
    });
    let Some(packed) = pack(source, &of) else { return (None, HashMap::new()) };
    let mut usage = Usage::of(&Found::default(), vec![of]);
    prices.into_iter().for_each(|prices| usage.price(prices));
    for (id, sum) in sums(usage.spent(), |spent| spent.session.to_owned()) {
        if let Some(acts) = acts.get_mut(&id) {
            acts.cost = sum.price().map(String::into_boxed_str);
        }
    }
    (Some(packed), acts)
}

/// The acts of a session, without its cost.
fn acts_of(session: &Session) -> SessionActs {
    let transcript = Transcript::of(session, Detail::Brief).with_changes();
    let turns: Vec<TurnSum> = transcript.of_turns(None).by_turn().map(|turn| turn.sum).collect();
    let TurnSum { calls, failed, inserted, deleted, .. } = TurnSum::sum(&turns);
    let turns = number_of_turns(session) as u64;
    SessionActs { turns, calls, failed, inserted, deleted, cost: None }
}

/// The usages of a source as bytes, without the folders of projects. `None` if a file or a number
/// could not be read: each command says so anew.
fn pack(source: &Source, of: &OfSource) -> Option<Vec<u8>> {
    if !of.unread.is_empty() {
        return None;
    }
    let mut packed = PackedWriter::default();
    packed.number(of.damaged);
    packed.number(of.paths.len() as u64);
    for path in &of.paths {
        let at = source.files.iter().position(|file| *file.path == **path)?;
        packed.number(at as u64);
    }
    for texts in [&of.sessions, &of.ids, &of.models, &of.branches] {
        packed.number(texts.len() as u64);
        texts.iter().for_each(|text| packed.text(Some(text)));
    }
    for texts in [&of.parents, &of.folders] {
        packed.number(texts.len() as u64);
        texts.iter().for_each(|text| packed.text(text.as_deref()));
    }
    packed.number(of.terms.len() as u64);
    for Terms { tier, region, searches } in &of.terms {
        packed.text(tier.as_deref());
        packed.text(region.as_deref());
        packed.number(u64::from(*searches));
    }
    packed.number(of.records.len() as u64);
    for record in &of.records {
        pack_record(record, &mut packed)?;
    }
    Some(packed.end())
}

fn pack_record(record: &Record, packed: &mut PackedWriter) -> Option<()> {
    for key in [record.key, record.twin, record.said] {
        packed.number(u64::from(key.is_some()));
        key.iter().flat_map(|key| key.halves()).for_each(|half| packed.whole(half));
    }
    packed.number(match record.part {
        Part::Main => 0,
        Part::SubAgent => 1,
        Part::Copied => 2,
        Part::Advisor => 3,
        Part::Whole => 4,
    });
    packed.number(u64::from(record.copied) | u64::from(record.stepped) << 1);
    let Record { path, byte, line, session, model, terms, branch, .. } = *record;
    for number in [path, byte, line, session, model, terms, branch] {
        // That of no name becomes the smallest.
        packed.number(u64::from(number.wrapping_add(1)));
    }
    match record.counted {
        Ruling::Yes => packed.number(0),
        Ruling::NothingNew => packed.number(1),
        Ruling::Empty => packed.number(2),
        Ruling::Synthetic => packed.number(3),
        Ruling::Within(path, line) => {
            packed.number(4);
            packed.number(path.into());
            packed.number(line.into());
        }
        Ruling::Standing(standing) => {
            packed.number(5);
            packed.text(Some(standing.word()));
        }
        // Between sources nothing is decided yet.
        Ruling::Repeats(_) => return None,
    }
    packed.signed(record.time);
    packed.number(u64::from(!record.cost.is_nan()));
    if !record.cost.is_nan() {
        packed.whole(record.cost.to_bits());
    }
    record.tokens.iter().for_each(|number| packed.number(number.wrapping_add(1)));
    Some(())
}

/// The usages in these bytes.
pub(super) fn unpack(source: &Source, bytes: &[u8]) -> Option<OfSource> {
    let mut packed = PackedReader::of(bytes);
    let mut of = OfSource::empty(source);
    of.damaged = packed.number()?;
    for _ in 0..packed.count()? {
        let file = source.files.get(packed.small()? as usize)?;
        of.paths.push(file.path.to_path_buf());
    }
    let OfSource { sessions, ids, models, branches, .. } = &mut of;
    for texts in [sessions, ids, models, branches] {
        for _ in 0..packed.count()? {
            texts.push(packed.text()??.to_owned());
        }
    }
    for texts in [&mut of.parents, &mut of.folders] {
        for _ in 0..packed.count()? {
            texts.push(packed.text()?.map(str::to_owned));
        }
    }
    for _ in 0..packed.count()? {
        let [tier, region] = [packed.text()?, packed.text()?].map(|it| it.map(str::to_owned));
        let searches = packed.small()?;
        of.terms.push(Terms { tier, region, searches });
    }
    let count = packed.count()?;
    of.records.reserve_exact(count);
    for _ in 0..count {
        of.records.push(record(&mut packed)?);
    }
    packed.is_done().then_some(of)
}

fn record(packed: &mut PackedReader<'_>) -> Option<Record> {
    let mut key = || match packed.number()? {
        0 => Some(None),
        _ => Some(Some(Key::of_halves([packed.whole()?, packed.whole()?]))),
    };
    let [key, twin, said] = [key()?, key()?, key()?];
    let part = match packed.number()? {
        0 => Part::Main,
        1 => Part::SubAgent,
        2 => Part::Copied,
        3 => Part::Advisor,
        4 => Part::Whole,
        _ => return None,
    };
    let flags = packed.number()?;
    let mut place = || u32::try_from(packed.number()?).ok().map(|number| number.wrapping_sub(1));
    let [path, byte, line] = [place()?, place()?, place()?];
    let [session, model, terms, branch] = [place()?, place()?, place()?, place()?];
    let counted = match packed.number()? {
        0 => Ruling::Yes,
        1 => Ruling::NothingNew,
        2 => Ruling::Empty,
        3 => Ruling::Synthetic,
        4 => Ruling::Within(packed.small()?, packed.small()?),
        5 => Ruling::Standing(Standing::of_word(packed.text()??)?),
        _ => return None,
    };
    let time = packed.signed()?;
    let cost = match packed.number()? {
        0 => f64::NAN,
        _ => f64::from_bits(packed.whole()?),
    };
    let mut tokens = [0; 8];
    for number in &mut tokens {
        *number = packed.number()?.wrapping_sub(1);
    }
    let (copied, stepped) = (flags & 1 == 1, flags & 2 == 2);
    Some(Record {
        key,
        twin,
        said,
        part,
        copied,
        stepped,
        path,
        byte,
        line,
        session,
        model,
        terms,
        branch,
        counted,
        time,
        cost,
        listed: None,
        tokens,
    })
}
