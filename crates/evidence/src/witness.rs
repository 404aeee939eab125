//! The witness of a proof: another parser of JSON, which shares no code with our readers. It says
//! what a text holds, token by token; `replay` compares what was read of a record with that.

mod replay;
mod tokens;

pub use replay::{Replay, Told};
pub use tokens::{Bracket, Fault, Token, Tokens, has_lone_surrogate, is_json, readable};
