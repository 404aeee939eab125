//! Every format: the agents' own, and the documents.

use crate::documents::stead::Stead;
use crate::documents::vac::Vac;
use crate::format::Format;
use crate::registry::AGENTS;

const DOCUMENTS: [&dyn Format; 2] = [&Vac, &Stead];

/// Every format, in detection order.
pub static ALL: &[&dyn Format] = &{
    let mut all = [DOCUMENTS[0]; AGENTS.len() + DOCUMENTS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < AGENTS.len() { AGENTS[at] } else { DOCUMENTS[at - AGENTS.len()] };
        at += 1;
    }
    all
};

/// The format with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.name() == name)
}
