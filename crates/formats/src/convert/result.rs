//! Results of calls as the target's agent gets them. Each call has one: providers refuse a call
//! without a result, and so the whole session.

use meaning::account::Cause;
use session::{EventRef, Slot};

use super::books::{Books, Value};
use super::content::{Block, blocks, full, media};

/// The result of a call.
pub(crate) struct Answered<'s> {
    /// The event that has it; the call's own, if the session has no result.
    pub(crate) event: EventRef<'s>,
    /// The id of the call.
    pub(crate) id: Value<'s>,
    /// Its texts and pictures.
    pub(crate) blocks: Vec<Block<'s>>,
    /// True for a result that says that its call failed; `None` for every other result.
    pub(crate) failed: Option<Value<'s>>,
}

/// The text of a result that the session does not record: an interrupted turn, a search by the
/// provider, an agent that writes no results.
const NOT_RECORDED: &str = "[No result of this call was recorded.]";

impl<'s> Answered<'s> {
    /// The recorded result.
    pub(super) fn told(books: &mut Books<'s>, event: EventRef<'s>, id: Value<'s>) -> Self {
        let slot = if event.field(Slot::Output).is_some() { Slot::Output } else { Slot::Content };
        let mut blocks = blocks(books, event, slot);
        blocks.extend(media(books, event));
        let blocks = full(blocks);
        Self { event, id, blocks, failed: failure(books, event) }
    }

    /// A made result of a call.
    pub(super) fn made(call: EventRef<'s>, id: Value<'s>) -> Self {
        let blocks = vec![Block::Text(Value::made(NOT_RECORDED, Cause::NoResult))];
        Self { event: call, id, blocks, failed: None }
    }
}

/// True for a result that says that its call failed; `None` for every other result.
fn failure<'s>(books: &mut Books<'s>, result: EventRef<'s>) -> Option<Value<'s>> {
    result.outcome().filter(|outcome| outcome.is_bad())?;
    let marks = [Slot::IsError, Slot::Success, Slot::ExitCode, Slot::Status];
    let mark = marks.into_iter().find_map(|slot| books.take(result, slot));
    Some(match mark {
        Some(mark) if mark.peek() == b"true" => Value::carried(mark),
        mark => Value::mapped_json(b"true".to_vec(), mark.into_iter().collect(), Cause::Form),
    })
}
