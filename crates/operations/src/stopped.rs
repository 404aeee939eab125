//! Files of an operation that can be cancelled while they are written: the file that is being
//! written then does not come to exist.

use std::io::{self, Write};

use catalog::{Error, Job};
use formats::{ClosedBooks, Compose, Files};
use session::Session;

/// Files that are not written if somebody cancels the job. The only file of an operation can be
/// given up while it is written. Several files are all written once the first is begun: a part of
/// them would be no result.
pub(crate) struct Stoppable<'f> {
    job: &'f Job,
    files: &'f mut dyn Files,
    is_one: bool,
}

impl<'f> Stoppable<'f> {
    pub(crate) fn new(job: &'f Job, files: &'f mut dyn Files) -> Self {
        Self { job, files, is_one: false }
    }

    /// The result of an operation that wrote into these files. If the job was cancelled, that is
    /// why it failed.
    pub(crate) fn result<T>(job: &Job, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| if job.is_cancelled() { Error::Cancelled } else { error })
    }
}

fn check(job: &Job) -> io::Result<()> {
    job.check().map_err(io::Error::other)
}

impl Files for Stoppable<'_> {
    fn begin(&mut self, names: &[&str]) -> io::Result<()> {
        check(self.job)?;
        self.is_one = names.len() == 1;
        self.files.begin(names)
    }

    fn file(&mut self, name: &str, compose: Compose<'_>) -> io::Result<()> {
        if !self.is_one {
            return self.files.file(name, compose);
        }
        check(self.job)?;
        let job = self.job;
        self.files.file(name, &mut |sink| {
            compose(&mut StoppableSink { job, sink })?;
            // The last question before the file gets its name.
            check(job)
        })
    }

    fn books(&mut self, session: &Session, books: &ClosedBooks) -> io::Result<()> {
        self.files.books(session, books)
    }
}

struct StoppableSink<'s> {
    job: &'s Job,
    sink: &'s mut dyn Write,
}

impl Write for StoppableSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check(self.job)?;
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
