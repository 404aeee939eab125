//! Registry: every format, one line each.

use session::Statuses;

use crate::Format;
use crate::claude_code::ClaudeCode;
use crate::codewhale::CodeWhale;
use crate::codex::Codex;
use crate::cursor::Cursor;
use crate::gemini::Gemini;
use crate::opencode::OpenCode;
use crate::sage::Sage;
use crate::stead::Stead;
use crate::vac::Vac;
use crate::{codewhale, codex, cursor, gemini, opencode, sage};

/// The formats that a function may use: the registry, or a test's own list.
pub type Formats<'f> = &'f [&'static dyn Format];

/// Every format, in detection order: most specific signature first.
pub static ALL: &[&dyn Format] =
    &[&Codex, &ClaudeCode, &Gemini, &Sage, &CodeWhale, &OpenCode, &Cursor, &Vac, &Stead];

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
