//! Sessions in the agents' own stores: planned, placed, read back, continued and removed again, by
//! files or by the agents' own imports; and an agent's projects in a new form.
//!
//! The catalog plans and reads, the store writes: here they are one operation. Nothing here prints.

#![forbid(unsafe_code)]

mod desk;
mod error;
mod import;
mod migrating;
mod place;
mod program;
mod undo;
mod version;

pub use desk::{Desk, PlacedCopy, PlacementState, PlacingNote};
pub use error::Error;
pub use migrating::{Migrated, MigrationNote, MigrationTask};
pub use place::{Earlier, Placement};
pub use program::{is_startable, start};
pub use store::placing::{Settled, Settlement, StrangeEntry};
pub use undo::{Removal, UndoChoice, undo_words};
