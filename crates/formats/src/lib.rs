//! What each agent writes: one folder a format.

#![forbid(unsafe_code)]
