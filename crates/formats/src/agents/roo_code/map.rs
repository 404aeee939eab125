//! The tables that only Roo Code needs. They are made where the shared ones are.

use session::Map;

use crate::agents::cline::map;

/// Every table of its own, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = map::ROO_CODE;
