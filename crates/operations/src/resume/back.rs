//! Reading a placed session back, as its agent would.

use std::sync::Arc;

use catalog::{Catalog, Error};
use formats::Format;
use session::{Bundle, Member, Session, Stream};

use super::{PlacementPlan, ResumePlan};
use crate::prove::said::digest;

/// Reads a placed session back; says what is wrong with it.
///
/// # Errors
/// The fault, in words.
pub fn read_back(catalog: &Catalog<'_>, plan: &ResumePlan) -> Result<(), String> {
    let opened = match &plan.way {
        PlacementPlan::AlreadyInStore => return Ok(()),
        PlacementPlan::Files(files) => {
            let Some((path, _)) = files.last() else { return Ok(()) };
            catalog.open(path, &[])
        }
        PlacementPlan::Import { .. } => {
            let format = catalog.format(plan.agent).map_err(|error| error.to_string())?;
            let places = catalog.machine.places(format).into_iter().map(|place| place.path);
            catalog.open(&plan.id, &places.filter(|path| path.exists()).collect::<Vec<_>>())
        }
    };
    let opened = opened.map_err(|error| format!("it is not read back: {error}"))?;
    let session = opened.session();
    if session.format != plan.agent || session.id != plan.id {
        return Err(format!("it is read back as {}, not {}", session.uid(), plan.id));
    }
    let said = plan.said.as_ref().and_then(|said| said.difference(&said.read(session)));
    match (&plan.way, said) {
        (_, Some(what)) => Err(format!("its conversation is read back differently: {what}")),
        (PlacementPlan::Import { content, .. }, None) if digest(session) != *content => {
            Err("its conversation is read back differently".into())
        }
        _ => Ok(()),
    }
}

/// Reads written bytes as the agent's session.
pub(super) fn read_as(
    format: &'static dyn Format,
    name: &str,
    bytes: &[u8],
) -> Result<Session, Error> {
    let none = |why: &str| Error::NoSession { path: name.into(), why: why.into() };
    let member = Member::new(name, Stream::Main, bytes.to_vec());
    let member = format.decode(member.ok_or_else(|| none("too long"))?);
    let sessions = format.read(Arc::new(Bundle { members: vec![member] }));
    sessions.into_iter().next().ok_or_else(|| none("no session could be read from it"))
}
