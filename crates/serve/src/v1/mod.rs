//! The interface for programs, under `/v1`: the same documents as the commands' `--json`, in pages.

pub(crate) mod files;
pub(crate) mod members;
pub(crate) mod page;
pub(crate) mod receipts;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod turns;
pub(crate) mod usage;
pub(crate) mod verdicts;

use std::sync::Arc;

use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, JSON, Reply};

/// The description of the interface (OpenAPI 3.1).
const DOCUMENT: &str = include_str!("../../openapi.json");

/// `/v1/openapi.json`.
pub(crate) fn openapi(_: &Arc<App>, _: &Ask) -> Result<Reply, Fault> {
    Ok(Reply::tagged(JSON, DOCUMENT.as_bytes().to_vec()))
}
