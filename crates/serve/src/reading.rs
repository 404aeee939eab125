//! A session that was read for its owner: as it is, with the history that it continues, without the
//! credentials that its own format marks.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use catalog::{Catalog, Entry, Error, Opened, ReadBefore, Trust};
use operations::placing::Desk;
use session::Session;
use views::transcript::TurnSum;

use crate::entries::uid;
use crate::http::reply::Fault;

/// A session that was read.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The session, from its own files alone.
    pub(crate) opened: Opened,
    /// The session as `show` has it; `None` if that is the same.
    shown: Option<Session>,
    sums: OnceLock<Vec<TurnSum>>,
}

impl Reading {
    /// Reads the session of a list, and continues from what was read before of it.
    pub(crate) fn open(
        catalog: &Catalog<'_>,
        within: &[PathBuf],
        entry: &Entry,
        before: Option<ReadBefore>,
    ) -> Result<Self, Fault> {
        let named = catalog.open_named_from(&uid(entry), within, before);
        let opened = match named {
            // Copies have the same id: the newest is the one that lists have.
            Err(Error::Ambiguous { .. }) => match entry.files.first() {
                Some(file) => catalog.open(&**file, &[]),
                None => return Err(Fault::unknown("session")),
            },
            named => named,
        };
        let mut opened = opened.map_err(|error| fault(&error))?;
        if let Ok(mut desk) = Desk::new(catalog, None) {
            let id = opened.session().id.clone();
            let made_from = desk.made_from(opened.session().format, &id).unwrap_or_default();
            opened.session_mut().beside.made_from = made_from;
        }
        let (mut whole, missing) = catalog.with_history(&opened, within);
        if missing.is_some() {
            let beside = opened.paths.iter().filter_map(|path| path.parent());
            let beside: Vec<PathBuf> = beside.map(PathBuf::from).collect();
            whole = catalog.with_history(&opened, &beside).0;
        }
        let of = whole.as_ref().unwrap_or_else(|| opened.session());
        let covered = formats::secrets::withheld(of).map(|(session, _)| session);
        Ok(Self { shown: covered.or(whole), opened, sums: OnceLock::new() })
    }

    /// The session as it was read, for the next reading to continue from: who looks at a session
    /// looks again soon, so the state of its files is believed.
    pub(crate) fn into_before(self: Arc<Self>) -> Option<ReadBefore> {
        match Arc::try_unwrap(self) {
            Ok(Self { opened, .. }) => opened.into_before(Trust::Trusted),
            // Another request still shows it.
            Err(shared) => shared.opened.before(Trust::Trusted),
        }
    }

    /// The session as `show` has it.
    pub(crate) fn session(&self) -> &Session {
        self.shown.as_ref().unwrap_or_else(|| self.opened.session())
    }

    /// The facts of its turns.
    pub(crate) fn sums(&self) -> &[TurnSum] {
        self.sums.get_or_init(|| TurnSum::all(self.session(), None))
    }

    /// The number of its turns.
    pub(crate) fn turns(&self) -> u64 {
        self.sums().last().map_or(0, |turn| turn.turn)
    }
}

/// A failure of the catalog as an answer.
pub(crate) fn fault(error: &Error) -> Fault {
    let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
    let status = match error {
        Error::NoSuch { .. } => 404,
        Error::NoFormat { .. } | Error::NoAgent { .. } => 400,
        _ => 500,
    };
    Fault::new(status, format!("{error}{hint}"))
}
