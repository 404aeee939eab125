//! Registry: every format, one line each.

#[cfg(feature = "samples")]
use include_dir::{Dir, include_dir};
use session::Statuses;

use crate::claude_code::ClaudeCode;
use crate::codewhale::CodeWhale;
use crate::codex::Codex;
use crate::cursor::Cursor;
use crate::format::Format;
use crate::gemini::Gemini;
use crate::opencode::OpenCode;
use crate::sage::Sage;
use crate::stead::Stead;
use crate::vac::Vac;
use crate::{codewhale, codex, cursor, gemini, opencode, sage};

/// Every format, in detection order: most specific signature first.
pub static ALL: &[&dyn Format] =
    &[&Codex, &ClaudeCode, &Gemini, &Sage, &CodeWhale, &OpenCode, &Cursor, &Vac, &Stead];

/// The folders of samples, each by the name of its format's folder.
#[cfg(feature = "samples")]
pub(crate) static SAMPLES: &[(&str, Dir<'_>)] = &[
    ("claude_code", include_dir!("$CARGO_MANIFEST_DIR/src/claude_code/samples")),
    ("codewhale", include_dir!("$CARGO_MANIFEST_DIR/src/codewhale/samples")),
    ("codex", include_dir!("$CARGO_MANIFEST_DIR/src/codex/samples")),
    ("cursor", include_dir!("$CARGO_MANIFEST_DIR/src/cursor/samples")),
    ("gemini", include_dir!("$CARGO_MANIFEST_DIR/src/gemini/samples")),
    ("opencode", include_dir!("$CARGO_MANIFEST_DIR/src/opencode/samples")),
    ("sage", include_dir!("$CARGO_MANIFEST_DIR/src/sage/samples")),
    ("stead", include_dir!("$CARGO_MANIFEST_DIR/src/stead/samples")),
    ("vac", include_dir!("$CARGO_MANIFEST_DIR/src/vac/samples")),
];

/// The status words of each agent.
pub(crate) static STATUSES: &[&Statuses] = &[
    &codex::tools::STATUSES,
    &gemini::tools::STATUSES,
    &sage::tools::STATUSES,
    &codewhale::tools::STATUSES,
    &opencode::tools::STATUSES,
    &cursor::tools::STATUSES,
];

/// The format with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.name() == name)
}
