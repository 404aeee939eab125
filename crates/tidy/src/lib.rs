//! The habits of the project that a test can hold.

#![forbid(unsafe_code)]
