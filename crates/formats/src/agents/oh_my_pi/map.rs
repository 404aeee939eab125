//! The names that only oh-my-pi writes. The tables are those of the format that it shares.

use session::Map;

use crate::agents::pi;

/// Types of its entries.
pub(crate) const TYPES: &[&[u8]] = &[
    b"title",
    b"title_change",
    b"session_init",
    b"model_usage",
    b"mode_change",
    b"ttsr_injection",
    b"service_tier_change",
    b"credential_pin",
    b"reset_boundary",
];

/// Every table of its own, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = pi::map::OH_MY_PI;
