//! JSON output: one document that begins with the name of its schema. Characters that could act on
//! a terminal are escaped.

use std::io::{self, Write};

use api::show::{self, Show};
use serde::Serialize;

use crate::terminal;

/// Writes a value as one JSON document and a line break.
pub(crate) fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    out.write_all(terminal::json(&text).as_bytes())?;
    out.write_all(b"\n")
}

/// Writes a session as one JSON document, an event per line, so that a long session is never whole
/// in memory.
pub(crate) fn stream(out: &mut dyn Write, show: &Show<'_>) -> io::Result<()> {
    write!(out, "{{\"schema\":\"{}\",\"session\":", show::SCHEMA)?;
    put(out, &show.head())?;
    out.write_all(b",\"events\":[")?;
    for (at, event) in show.events().enumerate() {
        out.write_all(if at > 0 { b",\n" } else { b"\n" })?;
        put(out, &event)?;
    }
    out.write_all(b"\n]}\n")
}

fn put(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    out.write_all(terminal::json(&text).as_bytes())
}
