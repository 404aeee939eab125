//! oh-my-pi, which was made from Pi. Its sessions have that agent's format, with entries of its
//! own.

use crate::agents::pi::locate::Kind;
use crate::agents::pi::{self, Kin};
use crate::format::FormatData;
use crate::resume::{Resume, StoreAccess};

mod locate;
pub(crate) mod map;

#[cfg(test)]
mod tests;

/// The format of oh-my-pi's session files.
pub(crate) static OH_MY_PI: Kin = Kin { data: &DATA, kind: Kind::OhMyPi };

/// The name in the registry.
const NAME: &str = "oh-my-pi";

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    resume: Some(&Resume {
        entry: StoreAccess::Unsupported("no session that verbatim wrote was tried with it"),
        ..Resume::PLAIN
    }),
    ..pi::data(NAME, map::ALL)
};
