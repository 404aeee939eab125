//! Verdicts on a session: that nothing of it is lost, and who signed its files.

use std::sync::Arc;

use api::check::Check;
use catalog::{Entry, Found};
use operations::attest::{VerifyReport, VerifyTask, signature_of, verify};
use operations::check::{Checked, Depth};
use serde::Serialize;

use super::sessions::{entry, sources};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::reading::fault;

/// The schema of the verdicts.
const SCHEMA: &str = "verbatim-verdicts-1";

/// The verdicts on a session.
#[derive(Serialize)]
struct Verdicts<'v> {
    schema: &'static str,
    session: &'v str,
    /// The proof, as `check --json` has it.
    check: Check<'v>,
    /// The reports of the signatures beside its files, as `verify --json` has it.
    signatures: &'v [VerifyReport],
}

/// `/v1/sessions/{uid}/verdicts`.
pub(crate) fn of_session(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let entry = entry(app, ask.part("uid"))?;
    let (checked, found) = checked(app, &entry)?;
    let signatures = signatures(app, &entry)?;
    let check = Check::of(&checked, &found.skipped, Depth::Full);
    let session = ask.part("uid");
    Reply::json(&Verdicts { schema: SCHEMA, session, check, signatures: &signatures })
}

/// Checks a session.
pub(crate) fn checked(app: &App, entry: &Entry) -> Result<(Vec<Checked>, Found), Fault> {
    let found = sources(app, std::slice::from_ref(entry));
    let job = &app.served.machine.job;
    let checked = operations::check(job, &found, Depth::Full, &|_| {});
    Ok((checked.map_err(|error| fault(&error))?, found))
}

/// Verifies the signatures beside the files of a session.
pub(crate) fn signatures(app: &App, entry: &Entry) -> Result<Vec<VerifyReport>, Fault> {
    let signed = entry.files.iter().filter(|file| signature_of(file).is_some());
    let mut signed = signed.peekable();
    if signed.peek().is_none() {
        return Ok(Vec::new());
    }
    let keys = (app.served.hands.keys)().map_err(|why| Fault::new(500, why))?;
    let (catalog, now) = (app.catalog(), App::now());
    let of = |file: &std::path::Path| {
        let task = VerifyTask { signature: None, keys: &keys, as_draft: false, now };
        verify(file, task, &catalog).map_err(|error| Fault::new(500, error.to_string()))
    };
    signed.map(|file| of(file)).collect()
}
