//! Export of a session: what is handed out, and in which form. Whatever is written here passed the
//! gate ([`redact::Outgoing`]).

use std::io::{BufWriter, Write as _};

use catalog::{Catalog, Error, Opened};
use formats::{Files, Options, WriteError, Written};
use redact::{Outgoing, RedactionReport, Redactor, Unredacted, UnredactedFlag, values};
use session::Session;
use views::export::{ExportNote, html, markdown};

use crate::attest::PageOfPresentation;
use crate::convert::{convert, convert_to, native};
use crate::redact::{Redaction, redact};
use crate::stopped::Stoppable;
use crate::usage::price::ListPrices;

/// Choice of an export: redacted, or as it is because the user typed the flag.
#[derive(Clone, Copy, Debug)]
pub enum ExportChoice<'r> {
    /// Redacted by this redactor.
    Redacted(&'r Redactor),
    /// As it is.
    AsItIs(UnredactedFlag),
}

/// Form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// One page.
    Html,
    /// Markdown.
    Markdown,
    /// A document of the format with this name.
    Document(&'static str),
    /// The session's own format.
    Native,
}

/// A session that may leave the machine, with what its reader must know.
#[derive(Debug)]
pub struct ExportPlan {
    session: Planned,
    note: ExportNote,
    options: Options,
}

#[derive(Debug)]
enum Planned {
    Redacted(Redaction),
    AsItIs(Unredacted<Box<Session>>),
}

/// Plans an export of a session, or of some of its turns; of a document that records an agent's
/// session, of that session. Nothing is written.
///
/// # Errors
/// It can't be redacted, or a document contradicts itself.
pub fn plan_export(
    catalog: &Catalog<'_>,
    opened: Opened,
    choice: ExportChoice<'_>,
    turns: Option<(u64, u64)>,
) -> Result<ExportPlan, Error> {
    let options = |secrets| Options { secrets, ..Options::default() };
    match choice {
        ExportChoice::Redacted(redactor) => {
            let redaction = redact(catalog, opened.session(), redactor)?;
            let count = values::count(&redaction.report.entries);
            let redacted = Some((redactor.options().profile.name().to_owned(), count));
            let note = ExportNote { redacted, turns, bytes: false };
            let session = Planned::Redacted(redaction);
            Ok(ExportPlan { session, note, options: options(false) })
        }
        ExportChoice::AsItIs(flag) => {
            let native = native(catalog, opened.session())?;
            let session = native.unwrap_or_else(|| opened.into_session());
            let note = ExportNote { redacted: None, turns, bytes: false };
            let session = Planned::AsItIs(Unredacted::of(Box::new(session), flag));
            Ok(ExportPlan { session, note, options: options(true) })
        }
    }
}

impl ExportPlan {
    /// The same, whose page has the bytes of each record too, or has not.
    #[must_use]
    pub const fn with_bytes(mut self, bytes: bool) -> Self {
        self.note.bytes = bytes;
        self
    }

    /// The report of what was replaced; `None` if it is not redacted.
    #[must_use]
    pub fn report(&self) -> Option<&RedactionReport> {
        match &self.session {
            Planned::Redacted(redaction) => Some(&redaction.report),
            Planned::AsItIs(_) => None,
        }
    }

    /// Writes the session in a form, and passes each file to `files` as it is written.
    ///
    /// # Errors
    /// The format can't hold it; those of `files`.
    pub fn write(
        &self,
        catalog: &Catalog<'_>,
        form: ExportForm,
        files: &mut dyn Files,
    ) -> Result<(), Error> {
        match &self.session {
            Planned::Redacted(redaction) => {
                write(catalog, &redaction.outgoing(), self, form, files)
            }
            Planned::AsItIs(session) => write(catalog, &session.as_one(), self, form, files),
        }
    }
}

fn write(
    catalog: &Catalog<'_>,
    outgoing: &dyn Outgoing,
    plan: &ExportPlan,
    form: ExportForm,
    files: &mut dyn Files,
) -> Result<(), Error> {
    let note = &plan.note;
    let prices = ListPrices::default();
    let price = |count: &_| prices.of(count);
    let to = match form {
        ExportForm::Html => {
            return page(catalog, files, "session.html", |sink| html(outgoing, note, &price, sink));
        }
        ExportForm::Markdown => {
            return page(catalog, files, "session.md", |sink| {
                markdown(outgoing, note, &price, sink)
            });
        }
        ExportForm::Document(name) => name,
        ExportForm::Native => outgoing.session().format,
    };
    convert_to(catalog, outgoing.session(), to, &plan.options, files).map(drop)
}

/// Writes the page of a presentation, and passes it to `files` as it is written.
///
/// # Errors
/// Those of `files`.
pub fn write_presented(
    catalog: &Catalog<'_>,
    presented: &PageOfPresentation,
    files: &mut dyn Files,
) -> Result<(), Error> {
    page(catalog, files, "presentation.html", |sink| presented.write(sink))
}

/// Writes the only file of an export.
fn page(
    catalog: &Catalog<'_>,
    files: &mut dyn Files,
    name: &str,
    compose: impl Fn(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<(), Error> {
    let job = &catalog.machine.job;
    let mut files = Stoppable::new(job, files);
    let done = files.begin(&[name]).and_then(|()| {
        files.file(name, &mut |sink| {
            let mut sink = BufWriter::with_capacity(1 << 16, sink);
            compose(&mut sink)?;
            sink.flush()
        })
    });
    Stoppable::result(job, done.map_err(|error| WriteError::from(error).into()))
}

/// The files of a session that passed the gate, in its own format.
///
/// # Errors
/// Its format can't write it.
pub fn outgoing_files(catalog: &Catalog<'_>, outgoing: &dyn Outgoing) -> Result<Written, Error> {
    let session = outgoing.session();
    let options = Options { secrets: true, ..Options::default() };
    convert(catalog, session, session.format, &options)
}
