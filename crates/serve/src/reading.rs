//! A session that was read for its owner: as it is, with the history that it continues, without the
//! credentials that its own format marks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use catalog::{Catalog, Entry, Error, Listed, Listing, Opened, ReadBefore, Trust};
use operations::placing::Desk;
use operations::usage::price::ListPrices;
use session::{Session, UtcTime};
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

/// The files that a turn changed.
#[derive(Debug)]
pub(crate) struct TurnFiles {
    pub(crate) turn: u64,
    /// The time of its end.
    pub(crate) time: Option<UtcTime>,
    pub(crate) files: BTreeSet<String>,
}

impl Reading {
    /// Reads the session of a list, and continues from what was read before of it. The sessions
    /// that belong to it are looked up in the list too: no other file is looked at.
    pub(crate) fn open(
        catalog: &Catalog<'_>,
        within: &[PathBuf],
        (entry, listing): (&Entry, &Listing),
        before: Option<ReadBefore>,
    ) -> Result<Self, Fault> {
        let opened = match catalog.open_listed_from(entry, within, before) {
            // Copies have the same id: the newest is the one that lists have.
            Err(Error::Ambiguous { .. }) => match entry.files.first() {
                Some(file) => catalog.open(&**file, &[]),
                None => return Err(Fault::unknown("session")),
            },
            opened => opened,
        };
        let mut opened = opened.map_err(|error| fault(&error))?;
        opened.found = listed(listing);
        if let Ok(mut desk) = Desk::new(catalog, None) {
            let id = opened.session().id.clone();
            let made_from = desk.made_from(opened.session().format, &id).unwrap_or_default();
            opened.session_mut().beside.made_from = made_from;
        }
        let open = |name: &str| {
            let entry = listing.entries.iter().find(|entry| uid(entry) == name)?;
            catalog.open_listed(entry, within).ok()
        };
        let (whole, _) = catalog.with_history_by(&opened, &open);
        Ok(Self::of(opened, whole))
    }

    /// Reads the beginning of the session of a list: the first `most` bytes of its main file.
    pub(crate) fn beginning(catalog: &Catalog<'_>, entry: &Entry, most: usize) -> Option<Self> {
        Some(Self::of(catalog.open_beginning(entry, most)?, None))
    }

    /// A session, with its history if it has one elsewhere.
    fn of(opened: Opened, whole: Option<Session>) -> Self {
        let of = whole.as_ref().unwrap_or_else(|| opened.session());
        let covered = formats::secrets::withheld(of).map(|(session, _)| session);
        Self { shown: covered.or(whole), opened, sums: OnceLock::new() }
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

    /// The number of bytes of the files that it holds.
    pub(crate) fn bytes(&self) -> u64 {
        let sessions = self.opened.sessions.iter().chain(&self.shown);
        // Sessions of one file hold it together.
        let bundles: BTreeMap<_, _> =
            sessions.map(|of| (Arc::as_ptr(&of.bundle), &of.bundle.members)).collect();
        bundles.into_values().flatten().map(|member| member.length() as u64).sum()
    }

    /// The facts of its turns.
    pub(crate) fn sums(&self) -> &[TurnSum] {
        let prices = ListPrices::default();
        let all = || TurnSum::all(self.session(), None, &|count| prices.of(count));
        self.sums.get_or_init(all)
    }

    /// The turns that changed files.
    pub(crate) fn changes(&self) -> Vec<TurnFiles> {
        let of = |sum: &TurnSum| TurnFiles {
            turn: sum.turn,
            time: sum.time.map(|(_, to)| to),
            files: sum.files.keys().cloned().collect(),
        };
        self.sums().iter().filter(|sum| !sum.files.is_empty()).map(of).collect()
    }

    /// The number of its turns.
    pub(crate) fn turns(&self) -> u64 {
        self.sums().last().map_or(0, |turn| turn.turn)
    }
}

/// The sessions of a list, by their names and those that started them.
fn listed(listing: &Listing) -> Vec<Listed> {
    let one = |entry: &Entry| Listed {
        format: entry.format,
        id: entry.id.clone(),
        spawned_by: entry.spawned_by.as_deref().map(str::to_owned),
    };
    listing.entries.iter().map(one).collect()
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
