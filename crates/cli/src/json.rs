//! JSON output: one document, its schema named first, harmless on a terminal.

use std::io::{self, Write};

use serde::Serialize;

use crate::terminal;

/// Writes a value as one JSON document and a line's end.
pub(crate) fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    out.write_all(terminal::json(&text).as_bytes())?;
    out.write_all(b"\n")
}

/// A path as text: JSON has no other way to say it.
pub(crate) fn path(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}
