//! Fidelity of conversions: for each pair of agents, how much of a session arrives, by the books.

use std::collections::BTreeMap;

use catalog::find::found::Found;
use catalog::open::source::Source;
use catalog::summary::instant;
use catalog::{Catalog, Error};
use formats::{FateTotals, Format, Options, WriteError};
use session::{Session, UnreadRecord, UtcTime};

/// The sums of the books of all conversions from one agent to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairFidelity {
    /// The sessions that were converted.
    pub sessions: u64,
    /// The sessions without a prompt, which no agent can continue.
    pub silent: u64,
    /// Fields of the sessions that the target has as they are.
    pub carried: u64,
    /// Fields that it has in another form.
    pub mapped: u64,
    /// Fields of which it has something, from which they can't be restored.
    pub in_part: u64,
    /// Fields that it does not have.
    pub dropped: u64,
    /// Fields that are conversation, as opposed to bookkeeping of the agent.
    pub conversation: u64,
    /// Fields among the dropped ones that are conversation.
    pub dropped_conversation: u64,
    /// Values of the target that no field has.
    pub made: u64,
    /// All values of the target.
    pub leaves: u64,
}

impl PairFidelity {
    /// All fields of the sessions.
    #[must_use]
    pub const fn fields(&self) -> u64 {
        self.carried + self.mapped + self.in_part + self.dropped
    }

    /// Adds the books of one conversion.
    pub fn add(&mut self, totals: &FateTotals) {
        self.sessions += 1;
        self.carried += totals.carried;
        self.mapped += totals.mapped.values().sum::<u64>();
        self.in_part += totals.in_part.values().sum::<u64>();
        self.dropped += totals.dropped.values().sum::<u64>();
        self.conversation += totals.conversation;
        self.dropped_conversation += totals.dropped_conversation;
        self.made += totals.made.values().sum::<u64>();
        self.leaves += totals.leaves;
    }
}

/// The fidelity of all pairs of agents, by the names of source and target.
#[derive(Clone, Debug, Default)]
pub struct Fidelity {
    /// The pairs.
    pub pairs: BTreeMap<(&'static str, &'static str), PairFidelity>,
    /// The sources that could not be read, with the reasons.
    pub unread: Vec<String>,
    /// The records that could not be read: they are in no sum.
    pub damaged: Vec<UnreadRecord>,
}

/// Converts each session to each other agent in memory, one at a time, and adds up the books.
/// `from` and `to` name one agent each; without them, all count. `done` receives the size of
/// each source as it ends.
///
/// # Errors
/// [`Error::NoFormat`] if an agent does not exist; [`Error::Cancelled`].
pub fn fidelity(
    catalog: &Catalog<'_>,
    found: &Found,
    from: Option<&str>,
    to: Option<&str>,
    done: &dyn Fn(u64),
) -> Result<Fidelity, Error> {
    let one = |name: Option<&str>| name.map(|name| catalog.format(name)).transpose();
    let (from, to) = (one(from)?, one(to)?);
    let chosen =
        |choice: Option<&dyn Format>, name: &str| choice.is_none_or(|format| format.name() == name);
    let is_target =
        |format: &&dyn Format| format.data().target.is_some() && chosen(to, format.name());
    let targets: Vec<_> = catalog.formats.iter().copied().filter(is_target).collect();
    let mut fidelity = Fidelity::default();
    for source in &found.sources {
        catalog.machine.job.check()?;
        let counts = !source.format.is_document() && chosen(from, source.format.name());
        if counts && let Err(error) = add_source(catalog, source, &targets, &mut fidelity) {
            fidelity.unread.push(error.to_string());
        }
        done(source.length());
    }
    Ok(fidelity)
}

fn add_source(
    catalog: &Catalog<'_>,
    source: &Source,
    targets: &[&'static dyn Format],
    fidelity: &mut Fidelity,
) -> Result<(), Error> {
    let opened = catalog.read(source)?;
    let unread = opened.unread.iter();
    fidelity.unread.extend(unread.map(|one| format!("{}: {}", one.path.display(), one.why)));
    for session in opened.sessions.iter().filter(|session| !session.remainder) {
        fidelity.damaged.extend(session.unread_records());
        for target in targets.iter().filter(|target| target.name() != session.format) {
            let pair = fidelity.pairs.entry((session.format, target.name())).or_default();
            add_session(session, *target, file_time(source), pair)?;
        }
    }
    Ok(())
}

/// The time of a session's first file.
fn file_time(source: &Source) -> Option<UtcTime> {
    source.files.first().and_then(|file| file.modified).and_then(instant)
}

fn add_session(
    session: &Session,
    target: &'static dyn Format,
    untimed: Option<UtcTime>,
    pair: &mut PairFidelity,
) -> Result<(), Error> {
    match formats::write_with(target, session, &Options { untimed, ..Options::default() }) {
        Ok(written) => {
            if let Some(books) = written.books {
                pair.add(&books.totals(session));
            }
            Ok(())
        }
        Err(WriteError::NoPrompt { .. }) => {
            pair.silent += 1;
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
