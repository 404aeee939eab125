//! Growth as it happens: while anybody listens, a thread looks at the files, and tells which
//! sessions grew, came and went. The files of the newest sessions, which are those that grow, are
//! looked at twice as often as the whole list is made.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::Bytes;
use catalog::Listing;
use session::Sorting as _;
use tokio::sync::mpsc::channel;

use crate::app::App;
use crate::entries::uid;
use crate::http::ask::Ask;
use crate::http::reply::{Content, EVENTS, Fault, Reply};

/// The time between two looks at the whole list.
pub(crate) const LOOK: Duration = Duration::from_millis(700);
/// The number of looks at the newest files for each one at the whole list.
const GLANCES: u32 = 2;
/// The number of the newest sessions whose files are looked at.
const NEWEST: usize = 64;
/// The number of glances after which those who listen get a sign of life.
const SIGN: u32 = 40;

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

/// The files of the newest sessions, each with its length and time.
struct Newest(Vec<(Arc<Path>, Option<Seen>)>);

/// The length and the time of a file.
type Seen = (u64, SystemTime);

impl Newest {
    fn of(listing: &Listing) -> Self {
        let mut entries: Vec<_> = listing.entries.iter().collect();
        entries.in_order_by_key(|entry| Reverse(entry.updated));
        let files = entries.into_iter().take(NEWEST).flat_map(|entry| &entry.files);
        Self(files.map(|file| (file.clone(), seen(file))).collect())
    }

    /// Whether one of them is another one now.
    fn changed(&self) -> bool {
        self.0.iter().any(|(file, before)| seen(file) != *before)
    }
}

fn seen(file: &Path) -> Option<Seen> {
    let meta = std::fs::metadata(file).ok()?;
    Some((meta.len(), meta.modified().ok()?))
}

/// Looks until nobody listens.
fn watch(app: &App) {
    let first = app.listing();
    let (mut before, mut newest) = (state(&first), Newest::of(&first));
    drop(first);
    for glance in 1_u32.. {
        std::thread::sleep(LOOK / GLANCES);
        let mut text = String::new();
        if glance % GLANCES == 0 || newest.changed() {
            let listing = app.listing();
            let now = state(&listing);
            text = changes(&before, &now);
            (before, newest) = (now, Newest::of(&listing));
        }
        if glance % SIGN == 0 {
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

    /// Growth of a file, and its end, are seen at a glance.
    #[test]
    fn a_newest_file_that_changed_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let file: Arc<Path> = folder.path().join("a.jsonl").into();
        std::fs::write(&file, "{}\n").expect("written");
        let newest = || Newest(vec![(file.clone(), seen(&file))]);
        let before = newest();
        assert!(!before.changed());
        std::fs::write(&file, "{}\n{}\n").expect("written");
        assert!(before.changed() && !newest().changed());
        let before = newest();
        std::fs::remove_file(&file).expect("removed");
        assert!(before.changed() && !newest().changed());
    }

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
