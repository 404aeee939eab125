//! Files of an operation that can be cancelled while they are written: the file that is being
//! written then does not come to exist.

use std::io::{self, Write};

use catalog::{Error, Job};
use formats::{ClosedBooks, Compose, Files};
use session::Session;

/// Files that are written as long as nobody cancels the job.
pub(crate) struct Stoppable<'f> {
    pub job: &'f Job,
    pub files: &'f mut dyn Files,
}

impl Stoppable<'_> {
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
        self.files.begin(names)
    }

    fn file(&mut self, name: &str, compose: Compose<'_>) -> io::Result<()> {
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
