//! The state of a server: what it shows, and what it read of it before. Nothing of it is on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, UNIX_EPOCH};

use catalog::{Catalog, Entry, Formats, Job, Listing, Machine, MaybeIndex};
use operations::attest::KnownKey;
use operations::resume::ResumePlan;
use operations::usage::Sum;
use redact::Redactor;
use session::UtcTime;

use crate::http::access::Access;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::kept::Kept;
use crate::listeners::Listeners;
use crate::mcp::{Asked, Tools};
use crate::once::Once;
use crate::reading::{Reading, TurnFiles};
use crate::remembered::Remembered;
use crate::seen::Seen;

/// The sessions that a server shows, the port that it listens on, and what it can do.
pub struct Served {
    /// The formats that it knows.
    pub formats: Formats<'static>,
    /// The machine whose sessions it shows.
    pub machine: Machine,
    /// The folders that it looks in, instead of the agents' own ones.
    pub within: Vec<PathBuf>,
    /// The port; 0 lets the system choose a free one.
    pub port: u16,
    /// The file of the token with which programs may ask.
    pub token: Option<PathBuf>,
    /// The abilities that the command line has.
    pub hands: Hands,
}

/// A function that a server gets from its caller.
pub type Ability<T> = Box<dyn Fn() -> Result<T, String> + Send + Sync>;

/// The abilities that depend on the environment: the caller of a server hands them in.
pub struct Hands {
    /// The offset of the user's time zone from UTC at a time, in seconds east.
    pub offset: Box<dyn Fn(UtcTime) -> i32 + Send + Sync>,
    /// The command that continues a session, as a line for a shell.
    pub line: fn(&ResumePlan) -> Option<String>,
    /// A redactor of what is shared.
    pub redactor: Ability<Redactor>,
    /// The keys that are known.
    pub keys: Ability<Vec<KnownKey>>,
    /// The index as it is now, if there is one: for the work of one request.
    pub index: Box<dyn Fn() -> MaybeIndex + Send + Sync>,
    /// All that the answers to agents need.
    pub asked: Ability<Asked>,
}

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").field("within", &self.within).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Hands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hands").finish_non_exhaustive()
    }
}

/// An answer to a request.
pub(crate) type Answer = fn(&Arc<App>, &Ask) -> Result<Reply, Fault>;

/// The time for which a listing counts without another search for files that are new.
const FRESH: Duration = Duration::from_secs(2);
/// The same as a multiple of the time that it took: a page that listens costs a small share of a
/// core, however many sessions there are.
const SHARE: u32 = 20;
/// The number of bytes from which on a session is long: its beginning is shown first.
const LONG: u64 = 16 << 20;
/// The lengths of beginnings that are read until there is a whole turn.
const BEGINNINGS: [usize; 3] = [1 << 20, 4 << 20, 12 << 20];

/// A listing, and the state of the files that it is of.
struct Listed {
    listing: Arc<Listing>,
    seen: Seen,
    at: Instant,
    took: Duration,
}

/// The sums of tokens and money of sessions, by their uids.
pub(crate) type SessionSums = BTreeMap<String, Sum>;

/// The state of a server.
pub(crate) struct App {
    pub(crate) served: Served,
    pub(crate) access: Access,
    pub(crate) port: u16,
    listed: Mutex<Option<Listed>>,
    /// The sessions that were read.
    pub(crate) kept: Kept<Reading>,
    /// The sessions that are being read.
    reads: Once,
    /// Whoever reads a long session: one is read after the other.
    long: Mutex<()>,
    /// The cost of the sessions of a listing.
    spent: Mutex<Option<(Arc<Listing>, Arc<SessionSums>)>>,
    /// The costs that are being counted.
    counts: Once,
    /// The changes of files that sessions made, as far as they were read.
    pub(crate) changes: Remembered<Vec<TurnFiles>>,
    /// Those who listen for growth.
    pub(crate) live: Listeners,
    tools: OnceLock<Tools>,
}

impl App {
    /// The state of a server that has read nothing yet.
    pub(crate) fn new(served: Served, access: Access, port: u16) -> Self {
        Self {
            served,
            access,
            port,
            listed: Mutex::default(),
            kept: Kept::default(),
            reads: Once::default(),
            long: Mutex::default(),
            spent: Mutex::default(),
            counts: Once::default(),
            changes: Remembered::default(),
            live: Listeners::default(),
            tools: OnceLock::new(),
        }
    }

    /// The tools for agents.
    pub(crate) fn tools(&self) -> Result<Tools, Fault> {
        if let Some(tools) = self.tools.get() {
            return Ok(tools.clone());
        }
        let asked = (self.served.hands.asked)().map_err(|why| Fault::new(500, why))?;
        Ok(self.tools.get_or_init(|| Tools::new(asked)).clone())
    }

    /// The catalog of the machine, with the index as it is now.
    pub(crate) fn catalog(&self) -> Catalog<'static> {
        let index = (self.served.hands.index)();
        let machine = Machine { index, ..self.served.machine.clone() };
        Catalog { formats: self.served.formats, machine }
    }

    /// The same for the work of one request: if nobody waits for its answer, its job is cancelled.
    pub(crate) fn catalog_of(&self, job: &Job) -> Catalog<'static> {
        let mut catalog = self.catalog();
        catalog.machine.job = job.clone();
        catalog
    }

    /// The folders that are looked in.
    pub(crate) fn within(&self) -> &[PathBuf] {
        &self.served.within
    }

    /// The time.
    pub(crate) fn now() -> UtcTime {
        let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UtcTime(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    /// All sessions, the newest first. A listing counts for a moment while its files are as they
    /// were.
    pub(crate) fn listing(&self) -> Arc<Listing> {
        // Whoever comes while it is made waits for it: many requests cost one search.
        let Ok(mut listed) = self.listed.lock() else { return Arc::new(self.list()) };
        if let Some(known) = listed.as_ref()
            && known.at.elapsed() < FRESH.max(known.took * SHARE)
            && known.seen.is_as_it_was()
        {
            return known.listing.clone();
        }
        // What changes while it is made is noticed the next time.
        let at = Instant::now();
        let listing = Arc::new(self.list());
        let paths = listing.entries.iter().flat_map(|entry| &entry.files).map(|path| &**path);
        let seen = Seen::of(paths);
        *listed = Some(Listed { listing: listing.clone(), seen, at, took: at.elapsed() });
        listing
    }

    /// The cost of each session of a listing, if there is an index: without one, all sessions would
    /// have to be read.
    pub(crate) fn spent(&self, listing: &Arc<Listing>) -> Arc<SessionSums> {
        let catalog = self.catalog();
        if catalog.machine.index.is_none() {
            return Arc::default();
        }
        let known = || {
            let spent = self.spent.lock().ok()?;
            let (_, sums) = spent.as_ref().filter(|(of, _)| Arc::ptr_eq(of, listing))?;
            Some(sums.clone())
        };
        self.counts.get("", known, || {
            // A fault is no sum: the next page asks again.
            let Ok(sums) = operations::usage::of_sessions(&catalog, self.within()) else {
                return Arc::default();
            };
            let sums = Arc::new(sums);
            if let Ok(mut spent) = self.spent.lock() {
                *spent = Some((listing.clone(), sums.clone()));
            }
            sums
        })
    }

    fn list(&self) -> Listing {
        let catalog = self.catalog();
        let mut listing = catalog.list(self.within(), false);
        operations::add_listed_titles(&catalog, &mut listing.entries);
        listing
    }

    /// The session with this uid, which is `format:id` as a list has it. Nothing else is a name.
    pub(crate) fn reading(&self, uid: &str) -> Result<Arc<Reading>, Fault> {
        let listing = self.listing();
        let entry = listing.entries.iter().find(|entry| crate::entries::uid(entry) == uid);
        let entry = entry.ok_or_else(|| Fault::unknown("session"))?;
        // A session is read once, however many ask for it.
        let known = || self.kept.known(uid).map(Ok);
        self.reads.get(uid, known, || self.read_to_keep((entry, &listing)))
    }

    /// Reads a session of a list, and keeps it.
    fn read_to_keep(&self, of: (&Entry, &Listing)) -> Result<Arc<Reading>, Fault> {
        let (entry, uid) = (of.0, &*crate::entries::uid(of.0));
        // Several long ones at once would need the memory of all of them.
        let long = (entry.length > LONG).then(|| self.long.lock());
        let seen = Seen::of(entry.files.iter().map(|path| &**path));
        let before = self.kept.take(uid).and_then(Reading::into_before);
        self.kept.make_room(entry.length);
        let reading = Arc::new(Reading::open(&self.catalog(), self.within(), of, before)?);
        let seen = seen.and(reading.opened.paths.iter().map(PathBuf::as_path));
        self.kept.keep(uid, (reading.clone(), reading.bytes()), seen);
        drop(long);
        Ok(reading)
    }

    /// Reads a session of a list, and does not keep it.
    pub(crate) fn read(&self, of: (&Entry, &Listing)) -> Result<Reading, Fault> {
        Reading::open(&self.catalog(), self.within(), of, None)
    }

    /// The part of a session that can be shown at once: all of it if it is short or was read
    /// before, else its beginning. Says whether it is all.
    pub(crate) fn first(&self, uid: &str) -> Result<(Arc<Reading>, bool), Fault> {
        let listing = self.listing();
        let entry = listing.entries.iter().find(|entry| crate::entries::uid(entry) == uid);
        let entry = entry.ok_or_else(|| Fault::unknown("session"))?;
        // One that was read before is continued, which is quick.
        if entry.length > LONG && !self.kept.has(uid) {
            let most = BEGINNINGS.into_iter();
            let begun = most.map_while(|most| Reading::beginning(&self.catalog(), entry, most));
            // The last turn may go on behind it.
            if let Some(begun) = begun.into_iter().find(|begun| begun.turns() > 1) {
                return Ok((Arc::new(begun), false));
            }
        }
        Ok((self.reading(uid)?, true))
    }

    /// The home folder of the user.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.served.machine.home.as_deref()
    }
}
