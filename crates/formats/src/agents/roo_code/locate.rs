//! The folders of Roo Code. The format that it shares detects its files.

use crate::agents::cline::locate::editors;
use crate::place::Place;

/// The extension in each editor. Its setting `customStoragePath` names other folders, which a user
/// has to name too.
pub(super) const PLACES: &[Place] = editors!("rooveterinaryinc.roo-cline");
