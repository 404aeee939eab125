//! The folders of Kilo Code. The format that it shares detects its files.

use crate::agents::cline::locate::editors;
use crate::place::Place;

/// The extension in each editor.
pub(super) const PLACES: &[Place] = editors!("kilocode.kilo-code");
