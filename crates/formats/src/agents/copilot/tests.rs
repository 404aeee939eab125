//! Tests of Copilot's reader.
