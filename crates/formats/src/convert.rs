//! Conversion of a session for another agent: the conversation that crosses, and the books that
//! account for each field of the source and each leaf of the target.
//!
//! Decided here, once: the pieces that cross, their order, ids, times, and calls in the target's
//! own terms. A writer (`write.rs` of a format) gives them its agent's shape.

mod answer;
mod arguments;
pub(crate) mod books;
pub(crate) mod closed;
mod content;
pub(crate) mod foreign;
mod ids;
pub(crate) mod inverse;
mod media;
mod pieces;
mod result;
mod times;
mod tool;
mod totals;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use meaning::account::{Account, Cause};
use meaning::facts;
use session::{EventIx, EventRef, Kind, Session, Slot, UtcTime};

pub(crate) use answer::{Answer, AnswerPart};
use arguments::{fitting, is_name, object};
pub(crate) use books::{Books, Value};
pub(crate) use closed::TargetBytes;
pub use closed::{ClosedBooks, LeafOrigin, TargetFile, TargetLeaf};
use content::full;
use content::worded as worded_block;
pub(crate) use content::{Block, blocks, data_url, media, text};
pub(crate) use inverse::Hint;
pub(crate) use pieces::{Body, Piece, asked};
pub(crate) use result::Answered;
pub use totals::{FateTotals, TalkLoss};

use crate::digest::derived_uuid;
use crate::tools::{self, Tools};
use crate::worded::WordedOf;
use crate::written::{Options, WriteError};

/// A conversation on its way to another agent.
pub(crate) struct Conversion<'s> {
    pub(crate) session: &'s Session,
    pub(crate) books: Books<'s>,
    pub(crate) pieces: Vec<Piece<'s>>,
    /// The name of the target's format.
    target: &'static str,
    tools: (&'static Tools, &'static Tools),
    words: fn(&str) -> Cow<'_, str>,
    own_words: OwnWords,
    worded: WordedOf,
    /// The target's id of each call.
    calls: HashMap<EventIx, String>,
    /// The model of the session, once an answer without one was met.
    model: Option<String>,
    /// The time of the event before.
    before: Option<UtcTime>,
    /// The time at which the session began, or that of its file, and the cause of a time that an
    /// event does not have.
    began: (Option<UtcTime>, Cause),
    /// The times that the target needs in place of an event's own.
    moved: HashMap<EventIx, UtcTime>,
    /// The folder in which the target continues it, if it is not the session's own.
    moved_to: Option<Arc<str>>,
    /// The time at which it is placed into the target's store, if it is.
    placed_at: Option<UtcTime>,
    /// The name from which its ids are derived too.
    copy: Option<Arc<str>>,
    /// The title by which the source's agent lists it, in a file beside it.
    listed: Option<Arc<str>>,
    /// The provider and the model that the target's next request goes to.
    next: Option<Arc<[String; 2]>>,
}

/// The agent of a session that is converted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Its tools.
    pub(crate) tools: &'static Tools,
    /// The person's own words in the text of a prompt.
    pub(crate) words: fn(&str) -> Cow<'_, str>,
    /// The same in a prompt that has texts of any agent around it.
    pub(crate) own_words: OwnWords,
    /// The text of an item that no single string of its record is.
    pub(crate) worded: WordedOf,
}

/// The person's own words in a text of a prompt, by the name of the session's format; `None` if
/// agents put all of it around others.
type OwnWords = for<'t> fn(&str, &'t str) -> Option<&'t str>;

impl Source {
    /// An agent that verbatim does not know: the session is a document of another program.
    pub(crate) const UNKNOWN: Self = Self {
        tools: &tools::NONE,
        words: |prompt| Cow::Borrowed(prompt),
        own_words: |_, text| Some(text),
        worded: |_| None,
    };
}

/// A format as the target of a conversion.
#[derive(Debug)]
pub struct Target {
    /// The name of the format.
    pub(crate) name: &'static str,
    /// The agent's tools.
    pub(crate) tools: &'static Tools,
    /// Writes the conversation's files.
    pub(crate) compose: fn(&mut Conversion<'_>),
}

impl Target {
    /// Composes the files of a session of another agent.
    ///
    /// # Errors
    /// If the session has no prompt: no agent resumes such a session. If neither the session nor
    /// its file has a time.
    pub(crate) fn compose(
        &self,
        session: &Session,
        source: Source,
        options: &Options,
    ) -> Result<(TargetBytes, ClosedBooks), WriteError> {
        let pieces = pieces::pieces(session, options.all);
        if !pieces.iter().any(|piece| matches!(piece.body, Body::Prompt | Body::Summary)) {
            return Err(WriteError::NoPrompt { to: self.name });
        }
        let mut conversion = Conversion {
            session,
            books: Books::of(Account::of(session)),
            calls: ids::of(&pieces),
            pieces,
            target: self.name,
            tools: (source.tools, self.tools),
            words: source.words,
            own_words: source.own_words,
            worded: source.worded,
            model: None,
            before: None,
            began: match facts::lasted(session).start {
                Some(start) => (Some(start.instant), Cause::Neighbor),
                None => (options.untimed, Cause::File),
            },
            moved: HashMap::new(),
            moved_to: options.folder.clone(),
            placed_at: options.at,
            copy: options.copy.clone(),
            listed: options.listed.clone(),
            next: options.next.clone(),
        };
        conversion.rewind();
        if conversion.before.is_none() {
            return Err(WriteError::Timeless { to: self.name });
        }
        (self.compose)(&mut conversion);
        Ok(conversion.books.close(session))
    }
}

/// The text that is made for a prompt that has only what can't cross.
pub const NOT_CARRIED: &str = "[A part of the conversation that could not be carried over.]";

/// The longest title, in characters.
const TITLE: usize = 100;

impl<'s> Conversion<'s> {
    /// The id of the session in the target: a UUID that is derived from the source, so that the
    /// same session gets the same one again.
    pub(crate) fn id(&self) -> String {
        self.uuid("session", 0)
    }

    /// The id of something in the target: a UUID that is derived from the source and this name.
    pub(crate) fn uuid(&self, what: &str, number: usize) -> String {
        let (uid, number) = (self.session.uid(), number.to_string());
        let names = [self.target, &*uid, what, &*number];
        let copy = self.copy.as_deref();
        derived_uuid(&names.into_iter().chain(copy).collect::<Vec<_>>())
    }

    /// The same as a value.
    pub(crate) fn derived(&self, what: &str, number: usize) -> Value<'s> {
        Value::made(&self.uuid(what, number), Cause::Derived)
    }

    /// The event that an event is within.
    pub(crate) fn parent(&self, event: EventRef<'s>) -> Option<EventRef<'s>> {
        (event.parent != session::NO_EVENT).then(|| self.session.event(event.parent))
    }

    /// The first value of a slot in the session that is not empty.
    pub(crate) fn first(&mut self, slot: Slot) -> Option<Value<'s>> {
        let says = |event: &EventRef<'_>| event.text(slot).is_some_and(|text| !text.is_empty());
        let event = self.session.events().find(says)?;
        self.books.take(event, slot).map(Value::carried)
    }

    /// The time at which it is placed into the target's store, if it is.
    pub(crate) fn placed_at(&self) -> Option<Value<'s>> {
        self.placed_at.map(|at| Value::made(&at.millis(), Cause::Placed))
    }

    /// The same in milliseconds since 1970.
    pub(crate) fn placed_epoch(&self) -> Option<Value<'s>> {
        let at = self.placed_at?;
        Some(Value::made_json((at.0 / 1000).to_string().into_bytes(), Cause::Placed))
    }

    /// The working directory.
    pub(crate) fn folder(&mut self) -> Value<'s> {
        if let Some(folder) = &self.moved_to {
            return Value::made(folder, Cause::Moved);
        }
        let own = self.first(Slot::WorkingDir);
        let beside = || self.session.beside.folder.as_deref();
        own.or_else(|| beside().map(|folder| Value::made(folder, Cause::Beside)))
            .unwrap_or_else(|| Value::made("/", Cause::Required))
    }

    /// The title that a person or the agent gave it.
    pub(crate) fn title(&mut self) -> Option<Value<'s>> {
        let given = facts::title(self.session);
        let own = given.and_then(|(event, slot)| self.books.take(event, slot).map(Value::carried));
        own.or_else(|| Some(Value::made(self.listed.as_deref()?, Cause::Beside)))
    }

    /// The session's title, or the beginning of its first prompt.
    pub(crate) fn heading(&mut self, first: &Piece<'s>) -> Value<'s> {
        let own = self.title().or_else(|| text(self.event_content(first.event)));
        let Some(own) = own else { return Value::made("", Cause::Required) };
        let whole = own.text().unwrap_or_default().into_owned();
        let words = self.own_words(&whole).unwrap_or(&whole);
        let line = words.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let line: String = line.chars().take(TITLE).collect();
        if line == whole { own } else { own.as_text(&line) }
    }

    /// The person's own words in a text of a prompt; `None` if agents put all of it around others.
    pub(crate) fn own_words<'t>(&self, text: &'t str) -> Option<&'t str> {
        (self.own_words)(self.session.format, text)
    }

    /// The provider and the model that the target's next request goes to, if they are known.
    pub(crate) fn next(&self) -> Option<[Value<'s>; 2]> {
        let [provider, model] = &**self.next.as_ref()?;
        Some([provider, model].map(|name| Value::made(name, Cause::Required)))
    }

    /// The model of an answer: its own, else that of the session.
    pub(crate) fn model(&mut self, event: EventRef<'s>) -> Value<'s> {
        let own = [Some(event), self.parent(event)].into_iter().flatten();
        let named = |event: &EventRef<'_>| {
            event.text(Slot::Model).is_some_and(|model| facts::is_model(&model))
        };
        let own: Vec<_> = own.filter(named).collect();
        let own = own.first().and_then(|event| self.books.take(*event, Slot::Model));
        own.map(Value::carried).unwrap_or_else(|| {
            // The session is searched once: it may be long, and without a model at all.
            let known = || facts::model(self.session).unwrap_or_default();
            match &**self.model.get_or_insert_with(known) {
                "" => Value::made("unknown", Cause::Required),
                model => Value::made(model, Cause::Neighbor),
            }
        })
    }

    /// The content of a piece for an agent whose files do not mark the texts of an agent: a
    /// tag around it does.
    pub(crate) fn marked_content(&mut self, piece: &Piece<'s>) -> Vec<Block<'s>> {
        let blocks = self.content(piece);
        match piece.body {
            Body::Told => blocks.into_iter().map(Block::reminding).collect(),
            _ => blocks,
        }
    }

    /// The content of a piece, which is never empty: of a prompt that has only what can't cross, a
    /// made text says so. The text that a prompt's command expands to follows the prompt's own
    /// text.
    pub(crate) fn content(&mut self, piece: &Piece<'s>) -> Vec<Block<'s>> {
        let mut blocks = self.event_content(piece.event);
        let Some(expansion) = piece.expansion else { return blocks };
        for block in self.event_content(expansion) {
            match (blocks.pop(), block) {
                (Some(Block::Text(own)), Block::Text(more)) => {
                    blocks.push(Block::Text(own.join(more)));
                }
                (last, block) => blocks.extend(last.into_iter().chain([block])),
            }
        }
        blocks
    }

    fn event_content(&mut self, event: EventRef<'s>) -> Vec<Block<'s>> {
        let mut blocks = match (self.worded)(event) {
            Some(worded) => worded_block(&mut self.books, event, worded),
            None => blocks(&mut self.books, event, Slot::Content),
        };
        blocks.extend(media(&mut self.books, event));
        let mut blocks = full(blocks);
        if blocks.is_empty() {
            blocks.push(Block::Text(Value::made(NOT_CARRIED, Cause::Empty)));
        }
        if event.kind == Kind::User {
            for block in &mut blocks {
                let Block::Text(text) = block else { continue };
                let whole = text.text().unwrap_or_default();
                let words = (self.words)(&whole);
                if words.len() < whole.len() {
                    *text = text.as_text(&words);
                }
            }
        }
        blocks
    }

    /// The id of a call, for the call and for its result.
    pub(crate) fn call_id(&mut self, call: EventRef<'s>, said_by: EventRef<'s>) -> Value<'s> {
        let id = self.calls.get(&call.index).map_or("", |id| &**id).to_owned();
        match self.books.take(said_by, Slot::Call) {
            Some(own) if session::value::text(own.peek()).is_some_and(|own| own == id) => {
                Value::carried(own)
            }
            Some(own) => Value::mapped(&id, vec![own], Cause::Derived),
            None => Value::made(&id, Cause::Derived),
        }
    }

    /// The result of a call; a made one, if the session has none.
    pub(crate) fn answered(
        &mut self,
        call: EventRef<'s>,
        result: Option<EventRef<'s>>,
    ) -> Answered<'s> {
        let id = self.call_id(call, result.unwrap_or(call));
        match result {
            Some(result) => Answered::told(&mut self.books, result, id),
            None => Answered::made(call, id),
        }
    }

    /// The name and the arguments (a JSON object) of a call: the target's own tool where all
    /// arguments have a place, else as they are.
    pub(crate) fn call(&mut self, call: EventRef<'s>) -> (Value<'s>, Value<'s>) {
        let name = self.books.take(call, Slot::Name);
        let input = self.books.take(call, Slot::Input);
        let (from, to) = self.tools;
        if let Some(own) = tool::translated(call, from, to) {
            let name = Value::mapped(own.name, name.into_iter().collect(), Cause::Form);
            let input = Value::mapped_json(own.input, input.into_iter().collect(), Cause::Form);
            return (name.hinted(Hint::Tool(from, to)), input.hinted(Hint::Renamed(own.names)));
        }
        let name = match name {
            Some(name) if is_name(&session::value::text(name.peek()).unwrap_or_default()) => {
                Value::carried(name)
            }
            name => {
                let text = call.text(Slot::Name).unwrap_or_else(|| "unknown".into());
                Value::mapped(&fitting(&text), name.into_iter().collect(), Cause::Cleaned)
            }
        };
        let input = match (input, tools::of_elements(call)) {
            (Some(input), Some(json)) => Value::mapped_json(json, vec![input], Cause::Form),
            (input, _) => input.map_or(Value::frame(b"{}"), object),
        };
        (name, input)
    }

    /// The only object of a file.
    pub(crate) fn document(&mut self, fill: impl FnOnce(&mut Self)) {
        self.books.begin();
        fill(self);
        self.books.end();
        self.books.end_line();
    }
}
