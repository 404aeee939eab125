//! Output of `verbatim convert`: complete files, or standard output. No partial file is left.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use formats::{ClosedBooks, Compose, FateTotals, Files};
use operations::ledger::LedgerDocument;
use redact::Glance;
use session::Session;
use store::{Saved, Writer};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::terminal::Plain;
use crate::watch::Watch;

/// Destination of the files, with the reason if writing failed.
pub(crate) struct Target<'t> {
    to: To<'t>,
    failure: Option<Failure>,
    totals: Option<FateTotals>,
    /// Looks for credentials in what is written.
    glance: Glance,
    /// The file for the books, if they are wanted.
    ledger: Option<Writer<'t>>,
}

/// The result of a conversion that was written.
pub(crate) struct Written {
    /// The files, none of standard output.
    pub files: Vec<Saved>,
    /// The totals of the books, if there are any.
    pub totals: Option<FateTotals>,
    /// The number of credentials in the files.
    pub credentials: usize,
}

enum To<'t> {
    Nowhere,
    Disk(Writer<'t>),
    Stream(&'t mut dyn io::Write),
    Terminal(&'t mut dyn io::Write),
}

impl<'t> Target<'t> {
    /// Output to files at `path`. Existing files are replaced only with `replace`.
    /// `state` is the folder in which it is remembered that they are verbatim's own.
    pub(crate) fn disk(
        path: &'t Path,
        replace: bool,
        owner: store::Owner<'t>,
        state: Option<PathBuf>,
    ) -> Self {
        Self {
            to: To::Disk(Writer::new(path, replace, owner).noting(state)),
            failure: None,
            totals: None,
            glance: Glance::default(),
            ledger: None,
        }
    }

    /// Output to standard output, which takes one file.
    pub(crate) fn stream(env: &'t mut Environment<'_>) -> Self {
        let to = match env.width {
            Some(_) => To::Terminal(&mut *env.out),
            None => To::Stream(&mut *env.out),
        };
        Self { to, failure: None, totals: None, glance: Glance::default(), ledger: None }
    }

    /// No output: only the books of the conversion are written, if they are wanted.
    pub(crate) fn nowhere() -> Self {
        let (failure, totals, glance) = (None, None, Glance::default());
        Self { to: To::Nowhere, failure, totals, glance, ledger: None }
    }

    /// The same, with a file for the books of the conversion.
    pub(crate) fn with_ledger(mut self, ledger: Option<Writer<'t>>) -> Self {
        self.ledger = ledger;
        self
    }

    /// The files and their totals.
    ///
    /// # Errors
    /// The reason why a file could not be written.
    pub(crate) fn end(self) -> Result<Written, Failure> {
        let files = match (self.failure, self.to) {
            (Some(failure), _) => return Err(failure),
            (None, To::Disk(files)) => files.saved,
            (None, _) => Vec::new(),
        };
        Ok(Written { files, totals: self.totals, credentials: self.glance.end() })
    }

    /// Keeps the failure, because an `io::Error` can't hold it.
    fn keep(&mut self, done: Result<(), Failure>) -> io::Result<()> {
        done.map_err(|failure| {
            self.failure = Some(failure);
            io::Error::other("not written")
        })
    }
}

impl Files for Target<'_> {
    fn begin(&mut self, names: &[&str]) -> io::Result<()> {
        let done = match &mut self.to {
            To::Disk(files) => files.begin(names).map_err(Failure::from),
            To::Nowhere => Ok(()),
            _ if names.len() == 1 => Ok(()),
            _ => Err(Failure::Usage(
                format!("the session has {} files, and standard output takes one", names.len()),
                "name a folder: `-o FOLDER`".into(),
            )),
        };
        // The books come last, but whether they can be written is known before anything is.
        let ledger = |()| match &mut self.ledger {
            Some(ledger) => ledger.begin(&["ledger.json"]).map_err(Failure::from),
            None => Ok(()),
        };
        let done = done.and_then(ledger);
        self.keep(done)
    }

    fn file(&mut self, name: &str, compose: Compose<'_>) -> io::Result<()> {
        let glance = &mut self.glance;
        let compose = &mut |out: &mut dyn io::Write| compose(&mut Watch { out, glance });
        let done = match &mut self.to {
            To::Nowhere => Ok(()),
            To::Disk(files) => files.file(name, compose).map_err(Failure::from),
            To::Stream(out) => compose(out).map_err(Failure::from),
            To::Terminal(out) => to_terminal(*out, compose).map_err(Failure::from),
        };
        self.keep(done)
    }

    fn books(&mut self, session: &Session, books: &ClosedBooks) -> io::Result<()> {
        self.totals = Some(books.totals(session));
        let Some(ledger) = &mut self.ledger else { return Ok(()) };
        let document = LedgerDocument::of(session, books);
        let done = ledger.file("ledger.json", &mut |sink| {
            let mut sink = io::BufWriter::new(sink);
            serde_json::to_writer(&mut sink, &document).map_err(io::Error::other)?;
            sink.write_all(b"\n")?;
            sink.flush()
        });
        self.keep(done.map_err(Failure::from))
    }
}

/// Writes to a terminal. Characters that would act on it are made visible.
fn to_terminal(out: &mut dyn io::Write, compose: Compose<'_>) -> io::Result<()> {
    let mut bytes = Vec::new();
    compose(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    out.write_all(Plain::block(&text).as_str().as_bytes())
}
