//! The registry: every format, one line each.

use crate::Format;
use crate::claude_code::ClaudeCode;
use crate::codex::Codex;
use crate::gemini::Gemini;
use crate::opencode::OpenCode;
use crate::sage::Sage;
use crate::stead::Stead;
use crate::vac::Vac;

/// Every format, in the order in which a file is offered to them.
pub static ALL: &[&dyn Format] = &[&ClaudeCode, &Codex, &Gemini, &OpenCode, &Sage, &Vac, &Stead];

/// The format with a name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.name() == name)
}
