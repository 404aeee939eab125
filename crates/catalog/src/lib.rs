//! This machine's sessions: open, place, scan.

#![forbid(unsafe_code)]
