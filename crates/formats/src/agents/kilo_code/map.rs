//! The tables that only Kilo Code needs: none.

use session::Map;

/// Every table of its own, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = &[];
