//! Longer sessions made out of short ones. Some agents' files here are a few kilobytes long, so
//! measuring them shows the cost of a file, not of a byte. A grown session repeats the file's
//! lines, or the elements of a document's longest array, with new ids in each copy.

use std::ops::Range;
use std::sync::Arc;

use formats::Format;
use session::{Bundle, Member, Session, Slot, Stream};

/// Length of a grown session, in bytes.
const LENGTH: usize = 1 << 20;

/// The slots whose values differ in each copy.
const IDS: [Slot; 7] =
    [Slot::Id, Slot::Parent, Slot::Call, Slot::Message, Slot::Request, Slot::Turn, Slot::Leaf];

/// The session of a file, grown to a megabyte.
pub(crate) fn grown(format: &dyn Format, bundle: &Arc<Bundle>) -> Option<Arc<Bundle>> {
    let text = bundle.bytes(0);
    let sessions = format.read(Arc::clone(bundle));
    let (repeated, between) = repeated(text, &sessions)?;
    let mut ids: Vec<usize> = sessions.iter().flat_map(id_ends).collect();
    ids.retain(|at| repeated.contains(at));
    ids.sort_unstable();
    ids.dedup();
    let mut grown = text[..repeated.end].to_vec();
    let mut copy = 1;
    while grown.len() < LENGTH {
        grown.push(between);
        let mut at = repeated.start;
        for &end in &ids {
            grown.extend_from_slice(&text[at..end]);
            grown.extend_from_slice(format!("-{copy}").as_bytes());
            at = end;
        }
        grown.extend_from_slice(&text[at..repeated.end]);
        copy += 1;
    }
    grown.extend_from_slice(&text[repeated.end..]);
    let member = Member::new(&*bundle.members[0].name, Stream::Main, grown)?;
    Some(Arc::new(Bundle::of(member)))
}

/// The position before the closing quote of each id of a session.
fn id_ends(session: &Session) -> Vec<usize> {
    let fields = session.events().flat_map(|event| {
        let ids = event.fields().iter().filter(|field| IDS.contains(&field.slot));
        ids.filter(move |field| event.value(**field).len() > 2 && event.value(**field)[0] == b'"')
    });
    fields.map(|field| field.value.end as usize - 1).collect()
}

/// The bytes to repeat, and the separator between copies.
fn repeated(text: &[u8], sessions: &[Session]) -> Option<(Range<usize>, u8)> {
    let body = text.trim_ascii_end().len();
    if let Some(first) = memchr::memchr(b'\n', &text[..body])
        && sessions.iter().map(|session| session.records.len()).sum::<usize>() > 1
    {
        // The first line may be the session's header.
        return Some((first + 1..body, b'\n'));
    }
    let inner = |event: session::EventRef<'_>| {
        let (start, end) = (event.span.start as usize, event.span.end as usize);
        (start > 0 && end < body).then_some(start..end)
    };
    let mut elements: Vec<Range<usize>> =
        sessions.iter().flat_map(Session::top).filter_map(inner).collect();
    elements.sort_by_key(|element| element.start);
    let siblings =
        |a: &Range<usize>, b: &Range<usize>| text.get(a.end..b.start).map(<[u8]>::trim_ascii);
    let runs = elements.chunk_by(|a, b| siblings(a, b) == Some(b","));
    let runs = runs.filter_map(|run| Some(run.first()?.start..run.last()?.end));
    runs.max_by_key(Range::len).map(|run| (run, b','))
}
