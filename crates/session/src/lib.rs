//! The heart: bytes in, labelled events out. No input/output, no clock, no environment.
