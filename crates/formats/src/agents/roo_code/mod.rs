//! Roo Code, which was made from Cline. Its tasks have that agent's format, with an entry of the
//! list of tasks in each folder, and with marks of what a summary replaced.

use crate::agents::cline::locate::Kind;
use crate::agents::cline::{self, Kin};
use crate::format::FormatData;

mod locate;
mod map;

#[cfg(test)]
mod tests;

/// The format of Roo Code's session files.
pub(crate) static ROO_CODE: Kin = Kin { data: &DATA, kind: Kind::RooCode };

/// The name in the registry.
const NAME: &str = "roo-code";

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    resume: Some(&cline::UNSUPPORTED),
    ..cline::data(NAME, map::ALL)
};
