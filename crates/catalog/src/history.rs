//! The history that a session continues in the files of another session.

use std::path::PathBuf;
use std::sync::Arc;

use session::{Bundle, Member, Session};

use crate::catalog::Catalog;
use crate::opened::Opened;

/// Greatest number of sessions that continue each other.
const LONGEST: usize = 64;

impl Catalog<'_> {
    /// A session with the history that it continues in other sessions' files, and the id of a
    /// session that would have to be there and is not. `None` if its own files have all of it.
    /// The others are searched below `within`, or in the agents' own places.
    #[must_use]
    pub fn with_history(
        &self,
        opened: &Opened,
        within: &[PathBuf],
    ) -> (Option<Session>, Option<String>) {
        self.with_history_by(opened, &|uid| self.open(uid, within).ok())
    }

    /// The same; `open` reads the other sessions by their uids.
    #[must_use]
    pub fn with_history_by(
        &self,
        opened: &Opened,
        open: &dyn Fn(&str) -> Option<Opened>,
    ) -> (Option<Session>, Option<String>) {
        let session = opened.session();
        let Ok(format) = self.format(session.format) else { return (None, None) };
        let mut bundle: Option<Bundle> = None;
        for _ in 0..LONGEST {
            let Some(history) = (format.data().history)(bundle.as_ref().unwrap_or(&session.bundle))
            else {
                break;
            };
            let query = format!("{}:{}", session.format, history.session);
            let mut members: Vec<Member> = match open(&query) {
                Some(other) => other.session().bundle.members.clone(),
                None => Vec::new(),
            };
            members.retain(|member| member.name.contains(&history.file));
            if members.is_empty() {
                return (None, Some(history.session));
            }
            // The session's own files come first.
            let mut own = bundle.map_or_else(|| session.bundle.members.clone(), |own| own.members);
            own.extend(members);
            bundle = Some(Bundle { members: own });
        }
        let Some(bundle) = bundle else { return (None, None) };
        let Some(mut whole) = format.read(Arc::new(bundle)).into_iter().next() else {
            return (None, None);
        };
        whole.id.clone_from(&session.id);
        whole.beside = session.beside.clone();
        (Some(whole), None)
    }
}
