//! The tools over HTTP: each `POST` has one message, and gets one answer.
//!
//! Nothing is kept between two messages, so a client that begins in the middle is answered too
//! (Model Context Protocol, Streamable HTTP).

use std::sync::Arc;

use rmcp::model::ProtocolVersion;

use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, JSON, Reply};
use crate::mcp::messages::{Received, bytes};

/// The header with the version of the protocol.
const VERSION: &str = "mcp-protocol-version";

/// The versions that are spoken.
const VERSIONS: [ProtocolVersion; 5] = [
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// `POST /mcp`: one message of a client.
pub(crate) fn post(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let kind = ask.header("content-type").unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some(JSON) {
        return Err(Fault::new(415, "the body is JSON: `Content-Type: application/json`"));
    }
    let is_known = |said: &str| VERSIONS.iter().any(|version| version.as_str() == said);
    if ask.header(VERSION).is_some_and(|said| !is_known(said)) {
        let known: Vec<&str> = VERSIONS.iter().map(ProtocolVersion::as_str).collect();
        let why = format!("`{VERSION}` is not one of {}", known.join(", "));
        return Err(Fault::new(400, why));
    }
    let answer = match Received::of(&ask.body) {
        Received::Ignored => None,
        Received::Refused(answer) => {
            let body = bytes(&answer).map_err(|_| broken())?;
            return Ok(Reply { status: 400, ..Reply::of(JSON, body) });
        }
        Received::Message(message) => {
            let tools = app.tools()?;
            tokio::runtime::Handle::current().block_on(tools.answer(*message))
        }
    };
    match answer {
        Some(answer) => Ok(Reply::of(JSON, bytes(&answer).map_err(|_| broken())?)),
        None => Ok(Reply { status: 202, ..Reply::of(JSON, Vec::new()) }),
    }
}

fn broken() -> Fault {
    Fault::new(500, "the answer can't be written")
}
