//! Transcript: the prompts, answers and tool calls of a session, for people.

pub mod call;
pub mod whole;
