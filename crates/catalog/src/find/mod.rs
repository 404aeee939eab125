//! Finding: which files of a machine are sessions, and which belong together.

pub mod claim;
pub mod environment;
pub mod found;
pub mod group;
mod known_claim;
pub mod mounts;
pub mod names;
pub mod newest;
pub mod rows;
pub mod scan;
pub mod siblings;
pub mod unread_agents;
pub mod walk;
