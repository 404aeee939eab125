//! Equal keys of one object: all are kept, and the one counts that the agent's parser would take.
//! Held over every sample: each record is read with each of its keys a second time, and means the
//! same.

use std::path::PathBuf;
use std::sync::Arc;

use catalog::Root;
use session::{Bundle, Field, Member, Session, Slot, Span, Transport, proof};

/// The format whose agent takes the first of equal keys.
const FIRST: &str = "sage";

/// Everything with a meaning, in order. Not the standings: copies are known by their bytes, too.
fn meaning(session: &Session) -> Vec<String> {
    let events = session.events().map(|event| {
        let said: Vec<(Slot, String)> = event
            .fields()
            .iter()
            .filter(|field| field.slot != Slot::Native)
            .map(|field| (field.slot, String::from_utf8_lossy(event.value(*field)).into_owned()))
            .collect();
        format!("{:?} {:?} {said:?}", event.kind, event.time())
    });
    events.collect()
}

fn fields(session: &Session) -> usize {
    session.events().map(|event| event.fields().len()).sum()
}

/// The member with each key of each record's object twice: the other value is null, and is
/// where it must not count.
fn twice(session: &Session, index: u32, first: bool) -> Vec<u8> {
    let bytes = session.bundle.bytes(index);
    let mut out = Vec::new();
    let mut at = 0;
    for event in session.events().filter(|event| event.origin.member == index) {
        let Span { start, end } = event.span;
        let keyed = |field: &&Field| field.depth == 0 && field.key != Span::NONE;
        let keys: Vec<&Field> = event.fields().iter().filter(keyed).collect();
        // A file that is one document is known by its beginning, which must not change.
        let line = !event.bytes().contains(&b'\n');
        let whole = line && event.origin.part == 0 && event.bytes().starts_with(b"{");
        if !whole || keys.is_empty() || (start as usize) < at {
            continue;
        }
        let nulls: Vec<String> = keys
            .iter()
            .map(|field| format!("{}:null", String::from_utf8_lossy(field.key.of(bytes))))
            .collect();
        let nulls = nulls.join(",");
        let (begin, close) = (start as usize + 1, end as usize - 1);
        out.extend_from_slice(&bytes[at..begin]);
        if first {
            out.extend_from_slice(&bytes[begin..close]);
            out.extend_from_slice(format!(",{nulls}").as_bytes());
        } else {
            out.extend_from_slice(format!("{nulls},").as_bytes());
            out.extend_from_slice(&bytes[begin..close]);
        }
        at = close;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

#[test]
fn the_key_counts_that_the_agent_takes() {
    let root: PathBuf = samples::workspace().join("crates/formats/src");
    let mut changed = 0;
    for source in catalog::scan(verbatim_formats::ALL, &[Root::named(&root)]).sources {
        let (bundle, _) = catalog::bundle(&source);
        let decode = |member| source.format.decode(member);
        let members: Vec<Member> = bundle.members.into_iter().map(decode).collect();
        let bundle = Arc::new(Bundle { members });
        let before = source.format.read(Arc::clone(&bundle));
        let [session] = before.as_slice() else { continue };
        let first = source.format.name() == FIRST;
        let again = |index: usize, member: &Member| {
            // Text and rows are records of our own making: their lines have no equal keys.
            let rows = member.name.ends_with(".dump.jsonl");
            if rows || member.transport() != &Transport::Plain {
                return member.clone();
            }
            let text = twice(session, u32::try_from(index).unwrap(), first);
            Member::new(member.name.clone(), member.stream.clone(), text).unwrap()
        };
        let members = bundle.members.iter().enumerate();
        let members = members.map(|(index, member)| again(index, member)).collect();
        let after = source.format.read(Arc::new(Bundle { members }));
        assert_eq!(proof::check(&after, 3), [], "{}", source.group);
        let [after] = after.as_slice() else { panic!("{}: several sessions", source.group) };
        assert_eq!(meaning(after), meaning(session), "{} {}", source.format.name(), source.group);
        assert_eq!(after.id, session.id, "{}", source.group);
        changed += fields(after) - fields(session);
    }
    assert!(changed > 2_000, "{changed} keys were repeated");
}
