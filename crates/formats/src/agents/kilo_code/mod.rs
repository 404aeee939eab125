//! Kilo Code until March 2026, which was made from Roo Code. Its tasks have the format of the agent
//! that both were made from. Later versions have a database.

use crate::agents::cline::locate::Kind;
use crate::agents::cline::{self, Kin};
use crate::format::FormatData;

mod locate;
mod map;

#[cfg(test)]
mod tests;

/// The format of Kilo Code's session files.
pub(crate) static KILO_CODE: Kin = Kin { data: &DATA, kind: Kind::KiloCode };

/// The name in the registry.
const NAME: &str = "kilo-code";

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    resume: Some(&cline::UNSUPPORTED),
    ..cline::data(NAME, map::ALL)
};
