//! OpenClaw, which had two other names before: a gateway with agents that were made from Pi. Its
//! sessions have that agent's format, with entries of its own.

use crate::agents::pi::locate::Kind;
use crate::agents::pi::{self, Kin};
use crate::format::FormatData;
use crate::resume::{Resume, StoreAccess};

mod locate;
pub(crate) mod map;

#[cfg(test)]
mod tests;

/// The format of OpenClaw's session files.
pub(crate) static OPENCLAW: Kin = Kin { data: &DATA, kind: Kind::OpenClaw };

/// The name in the registry.
const NAME: &str = "openclaw";

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    resume: Some(&Resume {
        entry: StoreAccess::Unsupported(
            "its gateway continues only the sessions of its register, each for a channel",
        ),
        ..Resume::PLAIN
    }),
    ..pi::data(NAME, map::ALL)
};
