//! Growth as it happens: a thread looks at the files each second while anybody listens, and tells
//! which sessions grew, came and went.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use catalog::Listing;
use tokio::sync::mpsc::channel;

use crate::app::App;
use crate::entries::uid;
use crate::http::ask::Ask;
use crate::http::reply::{Content, EVENTS, Fault, Reply};

/// The time between two looks.
pub(crate) const LOOK: Duration = Duration::from_millis(700);
/// The number of looks after which those who listen get a sign of life.
const SIGN: u32 = 20;

/// `/v1/live`: server-sent events `grown`, `new` and `gone`, each with the uid of a session.
pub(crate) fn events(app: &Arc<App>, _: &Ask) -> Result<Reply, Fault> {
    let (sender, pieces) = channel(64);
    let failed = || Fault::new(503, "the server ends");
    let _ = sender.try_send(Bytes::from_static(b"retry: 2000\n\n"));
    let first = app.live.add(sender).ok_or_else(failed)?;
    if first {
        let app = app.clone();
        std::thread::spawn(move || watch(&app));
    }
    let mut reply = Reply::of(EVENTS, Vec::new());
    reply.content = Content::Pieces(pieces);
    Ok(reply)
}

/// The length and the time of each session.
type State = BTreeMap<String, (u64, Option<session::UtcTime>)>;

fn state(listing: &Listing) -> State {
    listing.entries.iter().map(|entry| (uid(entry), (entry.length, entry.updated))).collect()
}

/// Looks until nobody listens.
fn watch(app: &App) {
    let mut before = state(&app.listing());
    for look in 1_u32.. {
        std::thread::sleep(LOOK);
        let now = state(&app.listing());
        let mut text = changes(&before, &now);
        before = now;
        if look % SIGN == 0 {
            text.push_str(": still here\n\n");
        }
        // An empty text tells whether anybody listens.
        let text = if text.is_empty() { ":\n\n" } else { &text };
        if !app.live.send(text) {
            return;
        }
    }
}

/// The events between two states. A uid is one line of JSON text.
fn changes(before: &State, now: &State) -> String {
    let mut text = String::new();
    let mut add = |event: &str, uid: &str| {
        let data = serde_json::to_string(uid).unwrap_or_default();
        text.push_str(&format!("event: {event}\ndata: {data}\n\n"));
    };
    for (uid, state) in now {
        match before.get(uid) {
            None => add("new", uid),
            Some(known) if known != state => add("grown", uid),
            Some(_) => {}
        }
    }
    before.keys().filter(|uid| !now.contains_key(*uid)).for_each(|uid| add("gone", uid));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_with_line_breaks_makes_no_event_of_its_own() {
        let state = |uids: &[(&str, u64)]| -> State {
            uids.iter().map(|(uid, length)| ((*uid).to_owned(), (*length, None))).collect()
        };
        let before = state(&[("a:1", 1), ("a:2", 1)]);
        let now = state(&[("a:1", 2), ("a:x\n\nevent: gone\ndata: y", 1)]);
        assert_eq!(
            changes(&before, &now),
            "event: grown\ndata: \"a:1\"\n\nevent: new\ndata: \
             \"a:x\\n\\nevent: gone\\ndata: y\"\n\nevent: gone\ndata: \"a:2\"\n\n"
        );
        assert_eq!(changes(&now, &now), "");
    }
}
