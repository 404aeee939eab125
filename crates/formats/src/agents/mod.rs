//! The agents: a folder each, with the tables, the places and the rules of its sessions.

pub(crate) mod claude_code;
pub(crate) mod cline;
pub(crate) mod codewhale;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod cursor;
pub(crate) mod gemini;
pub(crate) mod kilo_code;
pub(crate) mod oh_my_pi;
pub(crate) mod openclaw;
pub(crate) mod opencode;
pub(crate) mod pi;
pub(crate) mod qwen;
pub(crate) mod roo_code;
pub(crate) mod sage;
