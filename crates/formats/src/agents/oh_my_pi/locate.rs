//! The folders of oh-my-pi. The format that it shares detects its files.

use crate::place::{Base, Place};

/// `~/.omp/agent`, the profiles beside it, and `omp` in the user's folder for data. The variable
/// that moves the first one is the same as that of the agent that it was made from.
pub(super) const PLACES: &[Place] = &[
    Place { base: Base::Home, folder: ".omp", leaves: &["agent/sessions", "profiles"] },
    Place { base: Base::Data, folder: "omp", leaves: &["sessions", "profiles"] },
];
