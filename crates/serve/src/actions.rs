//! The two actions: a session is placed into another agent's store, and a session is handed out
//! redacted. Both need a word that the user typed. The server starts no program.

use std::sync::Arc;

use api::resume::Resumed;
use formats::Content as Written;
use operations::placing::{Desk, Error};
use operations::{ExportChoice, ExportForm, ResumeChoice, plan_export};
use serde::Deserialize;

use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, HTML, JSON, Reply};
use crate::reading::fault;

/// The words that a user types to confirm.
pub(crate) const PLACE: &str = "place";
pub(crate) const EXPORT: &str = "export";

/// A request to continue a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Resume {
    session: String,
    /// The agent; without it, the session's own.
    to: Option<String>,
    folder: Option<String>,
    /// `place`; without it, nothing is placed and the plan is answered.
    confirm: Option<String>,
}

/// A request for a redacted copy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Export {
    session: String,
    /// `html`, `markdown`, `vac` or `stead`.
    to: String,
    /// `export`.
    confirm: String,
}

fn read<'b, T: Deserialize<'b>>(ask: &'b Ask) -> Result<T, Fault> {
    let kind = ask.header("content-type").unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some(JSON) {
        return Err(Fault::new(415, "the body is JSON: `Content-Type: application/json`"));
    }
    serde_json::from_slice(&ask.body)
        .map_err(|error| Fault::new(400, format!("the body is not what it should be: {error}")))
}

/// `POST /v1/resume`: the plan with its books; with the confirmation, the session is placed. The
/// answer has the command to type.
pub(crate) fn resume(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let task: Resume = read(ask)?;
    let acts = match task.confirm.as_deref() {
        None => false,
        Some(PLACE) => true,
        Some(_) => return Err(unconfirmed(PLACE)),
    };
    let catalog = app.catalog();
    let to = task.to.as_deref().map(|to| operations::agent(&catalog, to)).transpose();
    let to = to.map_err(|error| fault(&error))?;
    let reading = app.reading(&task.session)?;
    let mut opened = catalog.open_named(&task.session, app.within()).map_err(|e| fault(&e))?;
    if to.is_some()
        && let (Some(whole), _) = catalog.with_history(&opened, app.within())
    {
        opened.history_from = Some(opened.session().bundle.members.len());
        *opened.session_mut() = whole;
    }
    let folder = task.folder.as_deref().map(std::path::Path::new);
    let choice = ResumeChoice {
        to: to.map(|format| format.name()),
        folder,
        home: None,
        all: false,
        anew: false,
        untimed: reading.opened.paths.first().and_then(|path| modified(path)),
        at: Some(App::now()),
        copy: None,
        ours: &[],
        repair: false,
        here: None,
    };
    let refused = |error: Error| match error {
        Error::Catalog(error) => conflict(&error),
        Error::Refused { what, hint }
        | Error::Faulty { what, hint }
        | Error::Unclear { what, hint } => Fault::new(409, format!("{what}; {hint}")),
        error => Fault::new(409, error.to_string()),
    };
    let mut desk = Desk::new(&catalog, None).map_err(refused)?;
    let placement = match acts {
        true => desk.place(&opened, choice),
        false => desk.plan(&opened, choice),
    };
    let placement = placement.map_err(refused)?;
    let line = (app.served.hands.line)(&placement.plan);
    let (plan, earlier) = (&placement.plan, placement.earlier.as_ref());
    Reply::json(&Resumed::of((plan, earlier), placement.state.word(), line.as_deref()))
}

/// The time of the last change of a file.
fn modified(path: &std::path::Path) -> Option<session::UtcTime> {
    let modified = path.metadata().ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(session::UtcTime)
}

/// The refusal of an action: the server works, and this session can't be acted on so.
fn conflict(error: &catalog::Error) -> Fault {
    let fault = fault(error);
    Fault { status: if fault.status == 500 { 409 } else { fault.status }, ..fault }
}

fn unconfirmed(word: &str) -> Fault {
    Fault::new(400, format!("nothing was done: `confirm` is the typed word `{word}`"))
}

/// `POST /v1/export`: a redacted copy of a session, as the body. Nothing is written to disk.
pub(crate) fn export(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let task: Export = read(ask)?;
    if task.confirm != EXPORT {
        return Err(unconfirmed(EXPORT));
    }
    let (form, kind, ending) = match task.to.as_str() {
        "html" => (ExportForm::Html, HTML, "html"),
        "markdown" => (ExportForm::Markdown, "text/markdown; charset=utf-8", "md"),
        "vac" => (ExportForm::Document("vac"), JSON, "vac.json"),
        "stead" => (ExportForm::Document("stead"), JSON, "stead.json"),
        _ => return Err(Fault::new(400, "`to` is html, markdown, vac or stead")),
    };
    app.reading(&task.session)?;
    let catalog = app.catalog();
    let opened = catalog.open_named(&task.session, app.within()).map_err(|e| fault(&e))?;
    let redactor = (app.served.hands.redactor)().map_err(|why| Fault::new(500, why))?;
    let plan = plan_export(&catalog, opened, ExportChoice::Redacted(&redactor), None);
    let plan = plan.map_err(|error| conflict(&error))?;
    let mut files: Vec<(String, Written)> = Vec::new();
    plan.write(&catalog, form, &mut files).map_err(|error| conflict(&error))?;
    let (_, content) = files.into_iter().next().ok_or_else(|| Fault::new(500, "no file"))?;
    let mut reply = Reply::of(kind, content.to_vec());
    let name = format!("attachment; filename=\"session.{ending}\"");
    reply.more.push(("content-disposition", name));
    Ok(reply)
}
