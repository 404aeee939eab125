//! Ids of calls that every provider accepts.

use std::collections::HashMap;

use session::{EventIx, Slot};

use super::pieces::{Body, Piece};

/// The longest id of a call that every provider accepts, in characters: OpenAI's Chat Completions
/// take no longer one.
const LONGEST: usize = 40;

/// The id of each call: its own, if every provider accepts it and no other call has it.
pub(super) fn of(pieces: &[Piece<'_>]) -> HashMap<EventIx, String> {
    let calls = || pieces.iter().filter(|piece| matches!(piece.body, Body::Call(_)));
    let own = |piece: &Piece<'_>| {
        let id = piece.event.text(Slot::Call).filter(|id| is_fit(id))?;
        Some(id.into_owned())
    };
    let mut counts: HashMap<String, u32> = HashMap::new();
    calls().filter_map(own).for_each(|id| *counts.entry(id).or_default() += 1);
    let id = |(number, piece): (usize, &Piece<'_>)| {
        let own = own(piece).filter(|id| counts.get(id) == Some(&1));
        let made = || {
            let mut id = format!("call_{}", number + 1);
            while counts.contains_key(&id) {
                id.push('_');
            }
            id
        };
        (piece.event.index, own.unwrap_or_else(made))
    };
    calls().enumerate().map(id).collect()
}

fn is_fit(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(plain)
}
