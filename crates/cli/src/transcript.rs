//! Printing of a transcript: prompts are headings, and a tool call is one line.

use std::collections::BTreeMap;
use std::io;

use meaning::conversation::TalkPart;
use operations::usage::price::ListPrices;
use session::{EventIx, EventRef, Kind, Session, Standing, Stream};
use views::export::turn_in_words;
use views::inline::{LineKind, typeset};
use views::transcript::{
    Body, Detail, Item, Media, Notice, Said, Thought, Transcript, TurnItems, TurnSum, groups,
};

use crate::human::{self, counted};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::view::{Turns, View};

mod called;
mod markdown;
mod range;
mod sums;

use range::{Range, named};

/// Prints the transcript of a session. Returns the kinds of omitted items with their numbers: `12
/// notices`. `agents` has the ids of the sessions that calls started.
pub(crate) fn print(
    session: &Session,
    agents: &BTreeMap<EventIx, Vec<String>>,
    view: &View,
    screen: &mut Screen<'_>,
) -> io::Result<Vec<String>> {
    let detail = if view.all { Detail::Whole } else { Detail::Brief };
    let prices = ListPrices::default();
    let items = Transcript::of(session, detail).with_changes();
    let mut by_turn = items.with_spending(&|count| prices.of(count)).by_turn();
    let turns = Turns::of(session);
    let shown = view.range(turns.count);
    let (all, stream) = (view.all, &Stream::Main);
    let (close, headed, range) = (false, 0, Range::default());
    let mut printer = Printer { screen, agents, view, turns, all, stream, close, headed, range };
    let (mut none, mut sums) = (true, Vec::new());
    for TurnItems { sum, items } in &mut by_turn {
        if sum.turn > *shown.end() {
            break;
        }
        if shown.contains(&sum.turn) {
            none &= !printer.turn(&sum, &items)?;
        }
        sums.push(sum);
    }
    if none && view.is_narrow() {
        printer.screen.gap()?;
        printer.screen.line(
            &Line::new()
                .say(Style::Faint, "nothing of the session is shown: no part of it matches"),
        )?;
    }
    if !view.is_narrow() {
        sums::print(session, &sums, all, printer.screen)?;
    }
    let hidden = by_turn.items().hidden().iter().map(|(hidden, count)| {
        let [one, many] = hidden.words();
        counted(*count, one, many)
    });
    Ok(hidden.collect())
}

/// Printer of a transcript.
struct Printer<'p, 's, 'w> {
    screen: &'p mut Screen<'w>,
    agents: &'p BTreeMap<EventIx, Vec<String>>,
    view: &'p View,
    turns: Turns,
    all: bool,
    /// The stream of the previous item.
    stream: &'s Stream,
    /// Whether the previous item was a step of a turn, after which the next step follows without an
    /// empty line.
    close: bool,
    /// The turn of the last heading.
    headed: u64,
    /// The standing of the range that the last item is in.
    range: Range,
}

/// Greatest width of text, in columns: longer lines are hard to read.
const READABLE: usize = 100;

/// Number of lines from which on a prompt is folded, and of those that are shown.
const LONG: usize = 24;
const FOLDED: usize = 20;

impl<'s> Printer<'_, 's, '_> {
    /// Prints the items of a turn that the view takes. Returns whether there are any.
    fn turn(&mut self, sum: &TurnSum, items: &[Item<'s>]) -> io::Result<bool> {
        let mut any = false;
        let mut groups = groups(items).into_iter().peekable();
        for (at, item) in items.iter().enumerate() {
            let group = groups.next_if(|group| group.from == at);
            if !self.view.takes(item) {
                continue;
            }
            any = true;
            if let Some(group) = group.filter(|_| !self.view.is_narrow()) {
                self.apart(item.event)?;
                let line = Line::new().say(Style::Faint, "┄ ").tell(Style::Faint, &group.words());
                self.line(item.event, &line)?;
            }
            self.item(item, sum)?;
        }
        Ok(any)
    }

    fn item(&mut self, item: &Item<'s>, sum: &TurnSum) -> io::Result<()> {
        let event = item.event;
        if self.view.is_narrow()
            && item.turn != self.headed
            && !matches!(item.body, Body::Prompt(_))
        {
            self.screen.gap()?;
            let head = self.heading(event, sum, Style::Faint);
            self.screen.line(&head)?;
        }
        self.apart(event)?;
        if let Some(line) = self.range.next(event) {
            self.screen.line(&line)?;
            self.screen.gap()?;
        }
        match &item.body {
            Body::Prompt(said) => self.prompt(event, sum, said),
            Body::Injected(said) if matches!(item.part, TalkPart::Told | TalkPart::Expansion) => {
                self.passed(event, item.beside(), said)
            }
            Body::Answer(said) | Body::Injected(said) => self.said(event, said),
            Body::Thought(thought) => self.thought(event, thought),
            Body::Call(call) => self.call(event, call),
            Body::Result { answered, further, target, files } => {
                self.result((answered, *further), target.as_deref(), files)
            }
            Body::Notice(notice) => self.notice(event, notice),
        }
    }

    fn prompt(&mut self, event: EventRef<'_>, turn: &TurnSum, said: &Said<'_>) -> io::Result<()> {
        let style = if is_faint(event) { Style::Faint } else { Style::Strong };
        let line = self.heading(event, turn, style);
        self.line(event, &named(line, event))?;
        let text = Plain::block(&said.text);
        if text.as_str().is_empty() && said.media.is_empty() {
            self.line(event, &Line::new().say(Style::Faint, "▌ (no text)"))?;
        }
        let lines = text.lines().count();
        let is_long = lines > LONG && !self.all && self.view.grep.is_none();
        let most = if is_long { FOLDED } else { usize::MAX };
        for text in text.lines().take(most).chain(plain(&said.media)) {
            for text in text.wrapped(self.room(event, 2)) {
                self.line(event, &Line::new().say(style, "▌ ").put(style, text))?;
            }
        }
        if is_long {
            let more = format!("… {} more lines", lines - FOLDED);
            self.line(event, &Line::new().say(style, "▌ ").tell(Style::Faint, &more))?;
        }
        self.facts(event, turn)
    }

    /// Prints what a turn did and used, between its prompt and the answer.
    fn facts(&mut self, event: EventRef<'_>, turn: &TurnSum) -> io::Result<()> {
        let facts = Plain::line(&turn_in_words(turn));
        if facts.as_str().is_empty() {
            return Ok(());
        }
        let mut mark = "└ ";
        for facts in facts.wrapped(self.room(event, 2)) {
            self.line(event, &Line::new().say(Style::Faint, mark).put(Style::Faint, facts))?;
            mark = "  ";
        }
        Ok(())
    }

    /// The heading of a turn: its number and its time.
    fn heading(&mut self, event: EventRef<'_>, sum: &TurnSum, style: Style) -> Line {
        let turn = sum.turn;
        self.headed = turn;
        let mut line = Line::new().put(style, Plain::line(&format!("▌ {turn}")));
        if self.turns.count > 1 && turn > 0 {
            line = line.tell(Style::Faint, &format!(" of {}", self.turns.count));
        }
        if let Some(time) = event.time() {
            line = line.tell(Style::Faint, &format!("  {}", self.view.zone.moment(time)));
        }
        line
    }

    /// The width for text behind a margin. Without a terminal, lines are as long as they are.
    fn room(&self, event: EventRef<'_>, margin: usize) -> usize {
        let stream = if matches!(event.stream(), Stream::Main) { 0 } else { 4 };
        let room = |width: usize| width.min(READABLE).saturating_sub(margin + stream);
        self.screen.width.map_or(usize::MAX, room)
    }

    /// Prints an answer of the model, or text that no person typed.
    fn said(&mut self, event: EventRef<'_>, said: &Said<'_>) -> io::Result<()> {
        self.report(event, &said.text)?;
        let style = style_of_text(event);
        for line in plain(&said.media) {
            self.line(event, &Line::new().put(style, line))?;
        }
        Ok(())
    }

    /// Prints a text for the person: an answer, a plan, the report of a task.
    fn report(&mut self, event: EventRef<'_>, text: &str) -> io::Result<()> {
        let style = style_of_text(event);
        let text = Plain::block(text);
        if self.screen.width.is_none() {
            text.lines().try_for_each(|line| self.line(event, &Line::new().put(style, line)))?;
        } else {
            for (kind, pieces) in typeset(text.as_str()) {
                let (style, width) = match kind {
                    LineKind::Words => (style, self.room(event, 0)),
                    LineKind::Code => (style, usize::MAX),
                    LineKind::Fence => (Style::Faint, usize::MAX),
                };
                for line in markdown::lines(pieces, width, style) {
                    self.line(event, &line)?;
                }
            }
        }
        Ok(())
    }

    /// Prints a text that the agent passed to the model: its kind, its size and its beginning; with
    /// everything, all of it.
    fn passed(&mut self, event: EventRef<'_>, name: &str, said: &Said<'_>) -> io::Result<()> {
        let size = human::size(said.text.len() as u64);
        let line = Line::new().say(Style::Faint, "+ ").tell(Style::Faint, name);
        let mut line = line.say(Style::Faint, " · ").tell(Style::Faint, &size);
        if !self.all {
            let text = Plain::line(&formats::told::bare(&said.text)).cut(60);
            line = line.say(Style::Faint, " · ").put(Style::Faint, text);
        }
        self.line(event, &named(line, event))?;
        if self.all {
            self.block(event, &said.text)?;
        }
        for line in plain(&said.media) {
            self.line(event, &Line::new().put(Style::Faint, line))?;
        }
        Ok(())
    }

    fn thought(&mut self, event: EventRef<'_>, thought: &Thought<'_>) -> io::Result<()> {
        let size = match (thought.text.len(), thought.encrypted) {
            (0, Some(bytes)) => {
                format!("{}, encrypted for the provider", human::size(bytes as u64))
            }
            (length, _) => human::size(length as u64),
        };
        let mut line = Line::new().say(Style::Faint, "∴ thinking · ").tell(Style::Faint, &size);
        if let Some(subject) = &thought.subject {
            line = line.say(Style::Faint, " · ").put(Style::Faint, Plain::line(subject).cut(60));
        }
        self.line(event, &named(line, event))?;
        match self.all {
            true => self.block(event, &thought.text),
            false => Ok(()),
        }
    }

    fn notice(&mut self, event: EventRef<'_>, notice: &Notice<'_>) -> io::Result<()> {
        let name = Plain::line(&notice.name).cut(40);
        let mut line = Line::new().say(Style::Faint, "· ").put(Style::Faint, name);
        if !self.all {
            let text = Plain::line(&notice.text()).cut(80);
            line = line.say(Style::Faint, "  ").put(Style::Faint, text);
        }
        self.line(event, &named(line, event))?;
        match self.all {
            true => self.indented(event, &notice.lines()),
            false => Ok(()),
        }
    }

    fn indented(&mut self, event: EventRef<'_>, texts: &[String]) -> io::Result<()> {
        texts.iter().try_for_each(|text| self.block(event, text))
    }

    fn block(&mut self, event: EventRef<'_>, text: &str) -> io::Result<()> {
        for text in Plain::block(text).lines() {
            let room = self.screen.width.map_or(usize::MAX, |width| width.saturating_sub(8));
            for line in text.wrapped(room) {
                let line = Line::new().say(Style::Faint, "    ").put(Style::Faint, line);
                self.line(event, &line)?;
            }
        }
        Ok(())
    }

    /// Separates an item from the one before: an empty line, except between the steps of a turn,
    /// and a heading where a sub-agent's stream begins.
    fn apart(&mut self, event: EventRef<'s>) -> io::Result<()> {
        let stream = event.stream();
        let changes = *stream != *self.stream;
        let is_step = matches!(event.kind, Kind::ToolCall | Kind::ToolResult | Kind::Reasoning);
        if !self.close || changes || !is_step {
            self.screen.gap()?;
        }
        self.close = is_step;
        if changes {
            self.stream = stream;
            if let Stream::Sub(stem) = stream {
                let line = Line::new().say(Style::Faint, "  ┌ sub-agent ").tell(Style::Faint, stem);
                self.screen.line(&line)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, event: EventRef<'_>, line: &Line) -> io::Result<()> {
        match event.stream() {
            Stream::Main => self.screen.line(line),
            Stream::Sub(_) => self.screen.line(&line.clone().behind(Style::Faint, "  │ ")),
        }
    }
}

fn plain(media: &[Media]) -> impl Iterator<Item = Plain> {
    media.iter().map(|media| Plain::line(&media.to_string()))
}

/// The style of a text for the person: one that no person typed and no model said is faint.
fn style_of_text(event: EventRef<'_>) -> Style {
    let is_told = event.kind == Kind::User;
    if is_told || is_faint(event) { Style::Faint } else { Style::Normal }
}

fn is_faint(event: EventRef<'_>) -> bool {
    event.standing != Standing::Live
}
