//! The files of a session, and their bytes as the agent wrote them.

use std::sync::Arc;

use api::show::{Head, Show, ShowMember};
use axum::body::Bytes;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{BYTES, Content, Fault, Reply};

/// The schema of the list of members.
const SCHEMA: &str = "verbatim-members-1";
/// The size of a piece.
const PIECE: usize = 64 << 10;

#[derive(Serialize)]
struct Members<'s> {
    schema: &'static str,
    session: String,
    members: Vec<ShowMember<'s>>,
}

/// `/v1/sessions/{uid}/members`.
pub(crate) fn all(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let reading = app.reading(ask.part("uid"))?;
    let Head { uid, members, .. } = Show::of(reading.opened.session(), &[], false).head();
    Reply::json(&Members { schema: SCHEMA, session: uid, members })
}

/// `/v1/sessions/{uid}/members/{n}`: the bytes of the member with this number, from 0. A range of
/// bytes may be asked for.
pub(crate) fn one(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let reading = app.reading(ask.part("uid"))?;
    let unknown = || Fault::unknown("member");
    let at: usize = ask.part("n").parse().map_err(|_| unknown())?;
    let members = &reading.opened.session().bundle.members;
    let length = members.get(at).ok_or_else(unknown)?.bytes().len();
    let range = range(ask.header("range"), length)?;
    let (from, to) = range.unwrap_or((0, length));
    let (sender, pieces) = mpsc::channel(4);
    // It ends with the bytes, or when the other side has gone. Its permit bounds how many sessions
    // are in memory for those who take them slowly.
    let (reading, ask) = (reading.clone(), ask.clone());
    std::thread::spawn(move || {
        let _permit = ask;
        let members = &reading.opened.session().bundle.members;
        let bytes = members.get(at).map(|member| member.bytes()).unwrap_or_default();
        for piece in bytes.get(from..to).unwrap_or_default().chunks(PIECE) {
            if sender.blocking_send(Bytes::copy_from_slice(piece)).is_err() {
                return;
            }
        }
    });
    let mut reply = Reply::of(BYTES, Vec::new());
    reply.content = Content::Pieces(pieces);
    reply.more.push(("accept-ranges", "bytes".to_owned()));
    reply.more.push(("content-length", (to - from).to_string()));
    // A name of the session is no name of a file here.
    reply.more.push(("content-disposition", format!("attachment; filename=\"member-{at}\"")));
    if range.is_some() {
        reply.status = 206;
        let last = to.saturating_sub(1);
        reply.more.push(("content-range", format!("bytes {from}-{last}/{length}")));
    }
    Ok(reply)
}

/// The first byte that a header asks for, and the one behind the last. Several ranges are answered
/// with the whole.
fn range(header: Option<&str>, length: usize) -> Result<Option<(usize, usize)>, Fault> {
    let Some(range) = header.and_then(|header| header.strip_prefix("bytes=")) else {
        return Ok(None);
    };
    let Some((first, last)) = range.split_once('-').filter(|_| !range.contains(',')) else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<usize>();
    let (from, to) = match (number(first), number(last)) {
        (Ok(from), Ok(last)) if last >= from => (from, last.saturating_add(1).min(length)),
        (Ok(from), Err(_)) if last.trim().is_empty() => (from, length),
        (Err(_), Ok(tail)) if first.trim().is_empty() => (length.saturating_sub(tail), length),
        _ => return Ok(None),
    };
    match from < to {
        true => Ok(Some((from, to))),
        false => Err(Fault::new(416, format!("the member has {length} bytes"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_within_the_member() {
        let of = |header| range(Some(header), 10).map_err(|fault| fault.status);
        assert_eq!(of("bytes=0-3"), Ok(Some((0, 4))));
        assert_eq!(of("bytes=8-99"), Ok(Some((8, 10))));
        assert_eq!(of("bytes=4-"), Ok(Some((4, 10))));
        assert_eq!(of("bytes=-3"), Ok(Some((7, 10))));
        assert_eq!(of("bytes=10-"), Err(416));
        for other in ["bytes=3-1", "bytes=0-1,4-5", "bytes=x", "lines=1-2"] {
            assert_eq!(of(other), Ok(None), "{other}");
        }
        assert_eq!(range(None, 10), Ok(None));
    }
}
