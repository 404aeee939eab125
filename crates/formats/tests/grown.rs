//! The law of sessions that grow: a reading that continues from an earlier one gives the same
//! session as a reading of the whole, wherever the earlier one ended, and it reads only what was
//! added.
//!
//! Each sample of each format is cut between its lines and within them: at places that a seed
//! chooses, and with `CI_DEEP=1` at every byte. A format whose files are documents or databases is
//! read anew: a list says which ones these are, so that no other format is read anew unnoticed. A
//! database's rows are dumped anew: they are never taken from an earlier reading.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{Root, Source};
use samples::Dice;
use session::{Bundle, EarlierReading, EventRef, Member, Memory, Session, Transport, harm};
use verbatim_formats::{ALL, Format};

/// The formats of which no sample is read on: each of their files is one document.
const READ_ANEW: [&str; 5] = ["stead", "vac", "cline", "roo-code", "kilo-code"];

/// The formats of which only the content of a file tells whether it is read by lines.
const READ_BY_CONTENT: [&str; 1] = ["opencode"];

/// The number of places at which a member is cut, unless it is cut everywhere.
const PLACES: usize = 10;

/// Makes the reading to continue from.
type MakeEarlier = fn(Session) -> Option<EarlierReading>;

/// A session of a sample: its format, and its files.
struct Sample {
    format: &'static dyn Format,
    bundle: Bundle,
    name: String,
}

fn samples_of(format: &'static dyn Format) -> Vec<Sample> {
    let folder = samples::format(format.name()).join("samples");
    let entries = std::fs::read_dir(folder).expect("samples");
    let mut folders: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let sources = |path| catalog::scan(ALL, &[Root::named(path)]).sources;
    let sample = |source: Source| {
        let (bundle, _) = catalog::bundle(&source);
        let members = bundle.members.into_iter().map(|member| format.decode(member)).collect();
        Sample { format, bundle: Bundle { members }, name: source.group }
    };
    folders.iter().flat_map(sources).map(sample).collect()
}

impl Sample {
    fn read(&self, bundle: Bundle, memory: &mut Memory) -> Vec<Session> {
        self.format.read_with(Arc::new(bundle), memory)
    }

    /// The bundle as it was when a member had this many bytes. If `is_last`, the members behind it
    /// were not there yet.
    fn before(&self, number: usize, length: usize, is_last: bool) -> Bundle {
        let members = self.bundle.members.iter().enumerate();
        let members = members.filter(|(at, _)| !is_last || *at <= number);
        let begun = |(at, member): (usize, &Member)| match at == number {
            true => {
                let bytes = member.bytes()[..length].to_vec();
                Member::new(member.name.clone(), member.stream.clone(), bytes).expect("short")
            }
            false => member.clone(),
        };
        Bundle { members: members.map(begun).collect() }
    }

    /// Reads the bundle as it was before, and goes on with the rest. Gives the number of bytes that
    /// were read then; `None` if it has to be read anew.
    fn grown(&self, before: Bundle, make: MakeEarlier) -> Option<(Vec<Session>, u64)> {
        let mut sessions = self.read(before, &mut Memory::default());
        let first = sessions.pop().filter(|_| sessions.is_empty())?;
        let mut earlier = make(first)?;
        let member = |member: &Member| match earlier.take(&member.name, &member.stream) {
            Some(mut begun) => {
                let added = &member.bytes()[begun.length()..];
                assert!(added.is_empty() || begun.append(added));
                begun
            }
            None => member.clone(),
        };
        let bundle = Bundle { members: self.bundle.members.iter().map(member).collect() };
        let mut memory = Memory::default();
        memory.continue_from(earlier);
        let sessions = self.read(bundle, &mut memory);
        Some((sessions, memory.bytes_read()))
    }
}

/// The difference between two readings, in all that can be seen of them.
fn difference(whole: &[Session], grown: &[Session]) -> Option<String> {
    if whole.len() != grown.len() {
        return Some(format!("{} sessions are {}", whole.len(), grown.len()));
    }
    let all = whole.iter().zip(grown);
    let mut found = all.filter_map(|(whole, grown)| {
        let of = |it: &Session| (it.uid(), it.placed, it.remainder, it.shared, it.field_count());
        let bytes = |it: &Session| it.bundle.members == whole.bundle.members;
        let order = |it: &Session| it.top().map(|event| event.index).collect::<Vec<_>>();
        if of(whole) != of(grown) || !bytes(grown) || order(whole) != order(grown) {
            return Some(format!("{:?} is {:?}", of(whole), of(grown)));
        }
        if whole.records != grown.records || whole.notes != grown.notes {
            return Some(format!("other records or notes: {:?}, {:?}", whole.notes, grown.notes));
        }
        let mut events = whole.events().zip(grown.events());
        let differs = events.find(|(whole, grown)| !is_same(*whole, *grown));
        let length = (whole.len() != grown.len()).then(|| "other events".to_owned());
        differs.map(|(whole, grown)| format!("{whole:?}\nis\n{grown:?}")).or(length)
    });
    found.next()
}

fn is_same(one: EventRef<'_>, other: EventRef<'_>) -> bool {
    let of = |event: EventRef<'_>| {
        let standing = (event.kind, event.standing, event.injected, event.said_at);
        (standing, event.origin, event.place, event.parent, event.span)
    };
    of(one) == of(other) && std::ptr::eq(one.case, other.case) && one.fields() == other.fields()
}

/// The places at which a member is cut.
fn places(bytes: &[u8], dice: &mut Dice<'_>) -> Vec<usize> {
    if std::env::var_os("CI_DEEP").is_some() {
        return (0..bytes.len()).collect();
    }
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1).collect();
    let place = |number: usize| match ends.len() {
        count if count > 1 && number.is_multiple_of(2) => ends[dice.roll(count)],
        _ => dice.roll(bytes.len()),
    };
    (0..PLACES.min(bytes.len())).map(place).collect()
}

/// The beginning of the line in which a member ends after this many bytes.
fn line_start(bytes: &[u8], length: usize) -> usize {
    memchr::memrchr(b'\n', &bytes[..length]).map_or(0, |at| at + 1)
}

/// Whether a file is a log whose lines its format reads one by one, whatever they are.
fn is_log(format: &dyn Format, member: &Member) -> bool {
    member.name.ends_with(".jsonl") && !READ_BY_CONTENT.contains(&format.name())
}

/// The number of cuts.
#[derive(Debug, Default)]
struct Count {
    /// Those after which only the rest was read.
    on: usize,
    /// Others: of a document, of a first line, or of one of several sessions.
    anew: usize,
}

/// Reads each sample on from each place, and compares it with the whole.
fn check(format: &'static dyn Format, make: MakeEarlier) -> Result<Count, String> {
    let (mut count, mut dice) = (Count::default(), Dice::seeded(7));
    for sample in samples_of(format) {
        let whole = sample.read(sample.bundle.clone(), &mut Memory::default());
        for (number, member) in sample.bundle.members.iter().enumerate() {
            if *member.transport() != Transport::Plain {
                continue;
            }
            let bytes = member.bytes();
            for at in places(bytes, &mut dice) {
                let is_last = dice.roll(4) == 0;
                let Some((grown, read)) = sample.grown(sample.before(number, at, is_last), make)
                else {
                    count.anew += 1;
                    continue;
                };
                if let Some(difference) = difference(&whole, &grown) {
                    let name = (&sample.name, &member.name);
                    return Err(format!("{}, {name:?} at {at}: {difference}", format.name()));
                }
                let begun = line_start(bytes, at);
                let later = if is_last { &sample.bundle.members[number + 1..] } else { &[] };
                let new: usize = later.iter().map(Member::length).sum();
                if begun > 0 && read == (bytes.len() - begun + new) as u64 {
                    count.on += 1;
                } else if begun > 0 && is_log(format, member) {
                    let name = (&sample.name, &member.name);
                    return Err(format!("{}, {name:?} at {at}: {read} bytes", format.name()));
                } else {
                    count.anew += 1;
                }
            }
        }
    }
    Ok(count)
}

#[test]
fn a_session_that_is_read_on_is_the_same_as_read_whole() {
    let check = |format: &'static dyn Format| {
        let count = check(format, EarlierReading::of).unwrap_or_else(|why| panic!("{why}"));
        (format.name(), count)
    };
    let counts: BTreeMap<&str, Count> = ALL.iter().copied().map(check).collect();
    for (name, count) in &counts {
        assert_eq!(count.on == 0, READ_ANEW.contains(name), "{name}: {counts:?}");
    }
}

/// A reader that shifts a field of what it took over.
fn with_a_shift(mut session: Session) -> Option<EarlierReading> {
    let mut parts = harm::Parts::of(&mut session);
    let field = parts.own_field(0)?;
    parts.shift_value(field);
    EarlierReading::of(session)
}

/// The law fails for readers that are broken on purpose: one that shifts a field, and one that
/// keeps standings which the lines behind them change.
#[test]
fn the_law_fails_for_a_broken_reader() {
    let fails = |make: MakeEarlier| -> Vec<&str> {
        let fails = |format: &&&'static dyn Format| check(**format, make).is_err();
        ALL.iter().filter(fails).map(|format| format.name()).collect()
    };
    let shifted = fails(with_a_shift);
    for format in ALL.iter().filter(|format| !READ_ANEW.contains(&format.name())) {
        assert!(shifted.contains(&format.name()), "only {shifted:?} fail");
    }
    let kept = fails(harm::earlier_with_standings);
    assert!(kept.contains(&"claude-code"), "only {kept:?} fail");
}
