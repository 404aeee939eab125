//! Words of the conversation that the reader overlooked. The books, and the comparison of what is
//! read back, ask the reader which events are conversation. This walk asks the raw JSON alone which
//! texts are messages: each long one is in the target, or is named by the books, or the reader says
//! why the agent's next request does not have it.

use evidence::witness::{Bracket, JsonTokens, Token, readable};
use formats::ClosedBooks;
use meaning::conversation::{self, Outside, TalkContent, TalkPart};
use session::Sorting as _;
use session::{EventRef, Field, Hold, Injected, Kind, Record, Session, Span};

/// The shortest text that counts, in bytes. Shorter ones are names, numbers and fillers.
const SHORTEST: usize = 40;

/// The texts of messages that are in no item of the conversation, in words.
pub(super) fn faults(session: &Session, books: &ClosedBooks) -> Vec<String> {
    let mut faults = Vec::new();
    // A document has the records of its source as they were, beside its own entries.
    if formats::by_name(session.format).is_none_or(|format| format.is_document()) {
        return faults;
    }
    let known = known(session, books);
    for record in &session.records {
        for text in texts(session.record_bytes(record)) {
            let at = record.span.start + text.start;
            let end = record.span.start + text.end;
            let before = known
                .partition_point(|(member, span)| (*member, span.start) <= (record.member, at));
            let within = before.checked_sub(1).map(|at| known[at]);
            if !within.is_some_and(|(member, span)| member == record.member && end <= span.end) {
                faults.push(fault(session, record, at));
            }
        }
    }
    faults
}

fn fault(session: &Session, record: &Record, at: u32) -> String {
    let file = session.bundle.members.get(record.member as usize);
    let name = file.map_or("", |member| member.name.as_str());
    format!("{name}, line {}, byte {at}: the text of a message is in no item", record.line)
}

/// The places of which it is known what becomes of them, by member: those that the target has,
/// those of the conversation, and those that the next request does not have.
fn known(session: &Session, books: &ClosedBooks) -> Vec<(u32, Span)> {
    let mut fields = 0;
    let mut firsts = Vec::with_capacity(session.len());
    for event in session.events() {
        firsts.push(fields);
        fields += event.fields().len();
    }
    let mut crosses = vec![false; fields];
    let leaves = books.files.iter().flat_map(|file| &file.leaves);
    leaves.flat_map(|leaf| leaf.origin.fields()).for_each(|field| crosses[field] = true);
    let mut known = Vec::new();
    for (event, first) in session.events().zip(firsts) {
        let part = conversation::of(event).part;
        let (content, excused) = (TalkContent::of(event, part), is_excused(event, part));
        let is_known = |(at, field): &(usize, &Field)| {
            field.hold != Hold::Open && (excused || crosses[*at] || content.has(**field))
        };
        let fields = (first..).zip(event.fields()).filter(is_known);
        known.extend(fields.map(|(_, field)| (event.origin.member, field.value)));
    }
    known.in_order_by_key(|(member, span)| (*member, span.start, span.end));
    // A place within another one needs none of its own.
    known.dedup_by(|next, before| next.0 == before.0 && next.1.end <= before.1.end);
    known
}

/// Whether the next request does not have an event, by what the reader says of it: its standing, or
/// that the agent itself wrote it.
fn is_excused(event: EventRef<'_>, part: TalkPart) -> bool {
    let is_said = matches!(event.kind, Kind::User | Kind::Assistant);
    let own = match part {
        TalkPart::Nothing(Outside::Context) => is_said,
        TalkPart::Nothing(Outside::Bookkeeping) => event.injected == Some(Injected::Context),
        _ => false,
    };
    own || !event.standing().is_live() || !conversation::is_own(event)
}

/// The name of a member, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    /// The text of a message, or the list of its parts.
    Content,
    /// The text of a part.
    Text,
    /// The side that a message is from.
    Role,
    /// The facts of a message, whose parts are beside them.
    Info,
    Other,
}

impl Name {
    fn of(name: &str) -> Self {
        match name {
            "content" | "parts" => Self::Content,
            "text" => Self::Text,
            "role" | "type" => Self::Role,
            "info" => Self::Info,
            _ => Self::Other,
        }
    }
}

/// A container that is open.
struct Open {
    is_list: bool,
    /// The member that it is.
    name: Name,
    /// In an object: the member that comes.
    next: Name,
    /// Whether it is a message of the user or of the model.
    is_message: bool,
    /// The texts in it, if it is a message.
    texts: Vec<Span>,
}

/// Words that say in a message which side it is from. An agent's own name is that of the model's.
const SIDES: [&str; 5] = ["user", "assistant", "human", "model", "ai"];

/// The places of the long texts of messages in a record: objects with a side and a content, in the
/// forms of the providers' interfaces. None of a record that is no JSON.
fn texts(record: &[u8]) -> Vec<Span> {
    let readable = readable(record);
    let mut tokens = JsonTokens::readable(&readable, record);
    let (mut open, mut found): (Vec<Open>, Vec<Span>) = (Vec::new(), Vec::new());
    let mut is_side = false;
    let mut is_long = false;
    loop {
        let token = match tokens.step() {
            Ok(Some(token)) => token,
            Ok(None) => return found,
            // The book of unreadable records has all of it.
            Err(_) => return Vec::new(),
        };
        let (mut opens, mut closes, mut is_text) = (None, None, false);
        match token {
            Token::Key(name) => {
                let name = Name::of(name);
                if let Some(object) = open.last_mut() {
                    object.next = name;
                }
            }
            Token::Text(text) => {
                is_side = SIDES.contains(&text) || formats::by_name(text).is_some();
                is_long = text.trim().len() >= SHORTEST;
                is_text = true;
            }
            Token::Open(bracket) => opens = Some(bracket),
            Token::Close(bracket) => closes = Some(bracket),
            _ => {}
        }
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span::new(place(tokens.start()), place(tokens.at()));
        if opens.is_some() {
            let name = open.last().map_or(Name::Other, |last| last.next);
            let (is_list, next) = (opens == Some(Bracket::Array), Name::Other);
            open.push(Open { is_list, name, next, is_message: false, texts: Vec::new() });
        } else if closes.is_some() {
            let Some(done) = open.pop() else { continue };
            if done.is_message {
                found.extend(done.texts);
            }
            if let Some(outer) = open.last_mut().filter(|_| done.name == Name::Info) {
                outer.is_message |= done.is_message;
            }
        } else if is_text {
            said(&mut open, span, is_side, is_long);
        }
    }
}

/// Notes a text: whose the message is, or what it says.
fn said(open: &mut [Open], span: Span, is_side: bool, is_long: bool) {
    let depth = open.len();
    let list = |at: usize| open.get(at).is_some_and(|one| one.is_list && one.name == Name::Content);
    let Some(inner) = open.last() else { return };
    let message = match inner.next {
        _ if list(depth - 1) => depth.checked_sub(2),
        Name::Content => Some(depth - 1),
        // The text of a part is one of the message in whose list the part is.
        Name::Text if depth > 2 && list(depth - 2) => Some(depth - 3),
        Name::Role => {
            open[depth - 1].is_message |= is_side;
            return;
        }
        _ => None,
    };
    if let Some(message) = message.filter(|_| is_long) {
        open[message].texts.push(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_messages_are_found_in_each_form() {
        let words = "The lighthouse keeper wants the lamp oil before the next tide.";
        for (form, count) in [
            (r#"{"type":"user","message":{"content":"W","role":"user"}}"#, 1),
            (r#"{"message":{"role":"assistant","content":[{"type":"text","text":"W"}]}}"#, 1),
            (r#"{"role":"model","parts":[{"text":"W"},{"text":"W"}]}"#, 2),
            (r#"{"parts":[{"text":"W"}],"info":{"role":"user","id":"a"}}"#, 1),
            (r#"{"id":"a","type":"gemini","content":"W"}"#, 1),
            (r#"{"id":"a","type":"user","content":["W"]}"#, 1),
            (r#"{"payload":{"role":"user","content":[{"type":"x","content":"W"}]}}"#, 0),
            (r#"{"role":"tool","content":"W"}"#, 0),
            (r#"{"role":"user","title":"W"}"#, 0),
            (r#"{"role":"user","content":"short"}"#, 0),
            (r#"{"role":"user","content":"W""#, 0),
        ] {
            let record = form.replace('W', words);
            let found = texts(record.as_bytes());
            assert_eq!(found.len(), count, "{form}");
            let quoted = format!("\"{words}\"");
            assert!(found.iter().all(|span| span.of(record.as_bytes()) == quoted.as_bytes()));
        }
    }
}
