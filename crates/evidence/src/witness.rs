//! The witness of a proof: another parser of JSON, which shares no code with our readers. It says
//! what a text holds, token by token; `replay` compares what was read of a record with that.

mod readable;
mod replay;
mod tokens;

pub use readable::{has_lone_surrogate, readable};
pub use replay::{Compared, WitnessReplay};
pub use tokens::{Bracket, Fault, JsonTokens, Token, is_json};
