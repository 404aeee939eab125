//! The names that only OpenClaw writes. The tables are those of the format that it shares.

use session::Map;

use crate::agents::pi;

/// Beginnings of the kinds of its custom entries.
pub(crate) const CUSTOM: &[&[u8]] = &[b"model-snapshot", b"openclaw"];

/// Its folder, in the path of a session's folder.
pub(crate) const FOLDERS: &[&[u8]] = &[b"/.openclaw", b"/.clawdbot", b"/.moltbot"];

/// The models of messages that its gateway delivered or wrote itself.
pub(crate) const DELIVERED: &[&[u8]] = &[b"delivery-mirror", b"gateway-injected"];

/// The statuses in the details of a result whose call failed.
pub(crate) const FAILED: &[&[u8]] = &[b"error", b"failed", b"timeout", b"forbidden"];

/// Every table of its own, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = pi::map::OPENCLAW;
