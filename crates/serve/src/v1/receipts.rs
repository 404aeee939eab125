//! Receipts of turns. A receipt is written compact, so that its digest is that of the body.

use std::sync::Arc;

use catalog::Opened;
use formats::turns::StoreFault;
use operations::attest::{StoreReceiptError, store_receipt, sub_agents_by};
use receipt::{Receipt, SessionTurns};

use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, JSON, Reply};
use crate::reading::fault;

/// `/v1/threads/{thread_id}/turns/{turn_id}/receipt`: of a store with a record for each turn.
pub(crate) fn of_thread(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (thread, turn) = (ask.part("thread_id"), ask.part("turn_id"));
    // An id is checked before anything is looked up: it becomes the name of a file.
    if !is_id(thread) || !is_id(turn) {
        return Err(Fault::new(400, "Invalid thread id or turn id"));
    }
    let unknown = || Fault::unknown("turn");
    let made = store_receipt(thread, turn, app.within(), &app.catalog());
    let receipt = made.map_err(|error| match error {
        // A turn of another thread is answered as an unknown one.
        StoreReceiptError::Catalog(catalog::Error::NoSuch { .. }) => unknown(),
        StoreReceiptError::Catalog(error) => fault(&error),
        StoreReceiptError::Turn(fault @ StoreFault::Unfinished(_)) => {
            Fault::new(409, format!("{fault}; ask again once the turn has ended"))
        }
        StoreReceiptError::Turn(StoreFault::Unknown) => unknown(),
        StoreReceiptError::Turn(fault) => Fault::new(500, fault.to_string()),
    })?;
    reply(&receipt)
}

/// Whether a text can be an id of a store: nothing else is looked up.
fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=128).contains(&text.len()) && text.bytes().all(is_plain)
}

/// `/v1/sessions/{uid}/turns/{n}/receipt`: of a session of any agent.
pub(crate) fn of_session(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let reading = app.reading(ask.part("uid"))?;
    let opened = &reading.opened;
    let (catalog, listing) = (app.catalog(), app.listing());
    let format = opened.session().format;
    let found = sub_agents_by(opened, &mut |id| {
        let entry = listing.entries.iter().find(|one| one.format == format && one.id == id)?;
        catalog.open_listed(entry, app.within()).ok().map(Opened::into_session)
    });
    let turns = SessionTurns::with_sub_agents(opened.session(), &found);
    let number: Option<usize> = ask.part("n").parse().ok();
    let turn = number.and_then(|number| turns.numbered(number));
    let turn = turn.ok_or_else(|| Fault::unknown("turn"))?;
    let made = turns.receipt_of(turn, ask.value("unfinished").is_some());
    let receipt = made.map_err(|fault| match fault {
        receipt::Fault::Unfinished(_) => Fault::new(409, fault.to_string()),
        receipt::Fault::Unknown(_) => Fault::unknown("turn"),
        other => Fault::new(500, other.to_string()),
    })?;
    reply(&receipt)
}

fn reply(receipt: &Receipt) -> Result<Reply, Fault> {
    let failed = |error| Fault::new(500, format!("it can't be written: {error}"));
    Ok(Reply::tagged(JSON, receipt.json(true).map_err(failed)?.into_bytes()))
}
