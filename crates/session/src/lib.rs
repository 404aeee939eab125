//! The heart: bytes in, labelled events out. No input/output, no clock, no environment.

#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]
