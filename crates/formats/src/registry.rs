//! The registry: one line for each agent. Documents contain sessions of any of them, so they are
//! not here, but in `all.rs`.

#[cfg(feature = "samples")]
use include_dir::{Dir, include_dir};
use session::Statuses;

use crate::agents::claude_code::ClaudeCode;
use crate::agents::cline::{self, CLINE};
use crate::agents::codewhale::{self, CodeWhale};
use crate::agents::codex::{self, Codex};
use crate::agents::copilot::{self, Copilot};
use crate::agents::cursor::{self, Cursor};
use crate::agents::gemini::{self, Gemini};
use crate::agents::kilo_code::KILO_CODE;
use crate::agents::oh_my_pi::OH_MY_PI;
use crate::agents::openclaw::OPENCLAW;
use crate::agents::opencode::{self, OpenCode};
use crate::agents::pi::{self, Pi};
use crate::agents::qwen::Qwen;
use crate::agents::roo_code::ROO_CODE;
use crate::agents::sage::{self, Sage};
use crate::format::Format;

/// The format of each agent, in detection order: most specific signature first.
pub(crate) const AGENTS: &[&dyn Format] = &[
    &Copilot,
    &Codex,
    &ClaudeCode,
    &Gemini,
    &Qwen,
    &Pi,
    &OPENCLAW,
    &OH_MY_PI,
    &CLINE,
    &ROO_CODE,
    &KILO_CODE,
    &Sage,
    &CodeWhale,
    &OpenCode,
    &Cursor,
];

/// The agent's format with this name; `None` for a document.
pub(crate) fn agent(name: &str) -> Option<&'static dyn Format> {
    AGENTS.iter().copied().find(|format| format.name() == name)
}

/// The folders of samples, each by the name of its format's folder.
#[cfg(feature = "samples")]
pub(crate) static SAMPLES: &[(&str, Dir<'_>)] = &[
    ("claude_code", include_dir!("$CARGO_MANIFEST_DIR/src/agents/claude_code/samples")),
    ("cline", include_dir!("$CARGO_MANIFEST_DIR/src/agents/cline/samples")),
    ("codewhale", include_dir!("$CARGO_MANIFEST_DIR/src/agents/codewhale/samples")),
    ("codex", include_dir!("$CARGO_MANIFEST_DIR/src/agents/codex/samples")),
    ("copilot", include_dir!("$CARGO_MANIFEST_DIR/src/agents/copilot/samples")),
    ("cursor", include_dir!("$CARGO_MANIFEST_DIR/src/agents/cursor/samples")),
    ("gemini", include_dir!("$CARGO_MANIFEST_DIR/src/agents/gemini/samples")),
    ("kilo_code", include_dir!("$CARGO_MANIFEST_DIR/src/agents/kilo_code/samples")),
    ("oh_my_pi", include_dir!("$CARGO_MANIFEST_DIR/src/agents/oh_my_pi/samples")),
    ("openclaw", include_dir!("$CARGO_MANIFEST_DIR/src/agents/openclaw/samples")),
    ("opencode", include_dir!("$CARGO_MANIFEST_DIR/src/agents/opencode/samples")),
    ("pi", include_dir!("$CARGO_MANIFEST_DIR/src/agents/pi/samples")),
    ("qwen", include_dir!("$CARGO_MANIFEST_DIR/src/agents/qwen/samples")),
    ("roo_code", include_dir!("$CARGO_MANIFEST_DIR/src/agents/roo_code/samples")),
    ("sage", include_dir!("$CARGO_MANIFEST_DIR/src/agents/sage/samples")),
    ("stead", include_dir!("$CARGO_MANIFEST_DIR/src/documents/stead/samples")),
    ("vac", include_dir!("$CARGO_MANIFEST_DIR/src/documents/vac/samples")),
];

/// The status words of each agent.
static STATUSES: &[&Statuses] = &[
    &codex::tools::STATUSES,
    &gemini::tools::STATUSES,
    &pi::tools::STATUSES,
    &cline::tools::STATUSES,
    &sage::tools::STATUSES,
    &codewhale::tools::STATUSES,
    &opencode::tools::STATUSES,
    &cursor::tools::STATUSES,
    &copilot::tools::STATUSES,
];

/// Status words in documents: those of any program, and those of the agents whose sessions
/// documents contain.
pub(crate) static DOCUMENT_STATUSES: Statuses = Statuses {
    good: &["success", "completed", "ok", "done"],
    failed: &["error", "errored", "failed", "failure", "timed_out", "timed-out", "timeout"],
    declined: &["declined", "denied", "rejected"],
    incomplete: &["aborted", "cancelled", "canceled", "incomplete", "interrupted"],
    open: &["in_progress", "in-progress", "pending", "queued", "running", "started"],
    others: STATUSES,
    ..Statuses::NONE
};

/// The schemas of the receipts of agents' own stores.
pub fn receipt_schemas() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().filter_map(|format| format.data().turns.store).map(|store| store.schema)
}
