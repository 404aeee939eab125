//! The folders of OpenClaw. The format that it shares detects its files.

use crate::place::{Base, Place};

const LEAVES: &[&str] = &["agents"];

/// `$OPENCLAW_STATE_DIR`, or `~/.openclaw`; before its names changed, `~/.clawdbot` and
/// `~/.moltbot`.
pub(super) const PLACES: &[Place] = &[
    Place { base: Base::Added("OPENCLAW_STATE_DIR"), folder: "", leaves: LEAVES },
    Place { base: Base::Added("CLAWDBOT_STATE_DIR"), folder: "", leaves: LEAVES },
    Place { base: Base::Home, folder: ".openclaw", leaves: LEAVES },
    Place { base: Base::Home, folder: ".clawdbot", leaves: LEAVES },
    Place { base: Base::Home, folder: ".moltbot", leaves: LEAVES },
];
