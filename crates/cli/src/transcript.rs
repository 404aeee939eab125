//! A session as a person reads it: prompts, answers, tool calls with their outcome.

use std::collections::{BTreeMap, HashMap};
use std::io;

use session::{EventIx, EventRef, Instant, Kind, Session, Slot, Standing, Stream, turn};

use crate::human::{self, counted};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

mod call;

use call::{Outcome, outcome, target};

/// What a transcript left out, and how often.
#[derive(Debug, Default)]
pub(crate) struct Hidden(BTreeMap<[&'static str; 2], u64>);

impl Hidden {
    fn add(&mut self, what: [&'static str; 2]) {
        *self.0.entry(what).or_default() += 1;
    }

    /// `12 notices`.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|([one, many], count)| counted(*count, one, many))
    }
}

/// A session on its way to a screen.
pub(crate) struct Transcript<'t, 's, 'w> {
    session: &'s Session,
    screen: &'t mut Screen<'w>,
    all: bool,
    /// The event that answers a call, by the call's id.
    results: HashMap<Vec<u8>, EventIx>,
    /// Results that were told with their call.
    told: Vec<bool>,
    hidden: Hidden,
    prompts: u64,
    /// The stream of the line before.
    stream: &'s Stream,
    /// What was printed before stands close to what comes.
    close: bool,
}

impl<'t, 's, 'w> Transcript<'t, 's, 'w> {
    pub(crate) fn new(session: &'s Session, all: bool, screen: &'t mut Screen<'w>) -> Self {
        let mut results = HashMap::new();
        for event in session.events().filter(|event| event.kind == Kind::ToolResult) {
            if let Some(call) = event.raw(Slot::Call)
                && (event.standing.is_conversation() || all)
            {
                results.entry(call.to_vec()).or_insert(event.index);
            }
        }
        let told = vec![false; session.len()];
        let hidden = Hidden::default();
        let (prompts, stream, close) = (0, &Stream::Main, false);
        Self { session, screen, all, results, told, hidden, prompts, stream, close }
    }

    /// Prints all of it; tells what it left out.
    pub(crate) fn print(mut self) -> io::Result<Hidden> {
        for event in self.session.top() {
            self.event(event)?;
        }
        Ok(self.hidden)
    }

    fn event(&mut self, event: EventRef<'s>) -> io::Result<()> {
        if !event.standing.is_conversation() && !self.all {
            self.hidden.add(match event.standing {
                Standing::Echo => ["echo", "echoes"],
                Standing::Superseded => ["superseded event", "superseded events"],
                Standing::Rewound => ["rewound event", "rewound events"],
                Standing::OtherBranch => ["event of another branch", "events of other branches"],
                _ => ["copied event", "copied events"],
            });
            return Ok(());
        }
        match event.kind {
            Kind::User if turn::opens(event) => self.prompt(event)?,
            Kind::User | Kind::Assistant => self.said(event)?,
            Kind::Reasoning => self.thought(event)?,
            Kind::ToolCall => self.call(event)?,
            Kind::ToolResult => self.result(event)?,
            Kind::Notice | Kind::Opaque => self.notice(event)?,
        }
        // The children of a long message are many; they are no deeper than its blocks.
        for child in event.children() {
            self.event(child)?;
        }
        Ok(())
    }

    fn prompt(&mut self, event: EventRef<'s>) -> io::Result<()> {
        self.prompts += 1;
        self.close = false;
        self.apart(event)?;
        let style = if is_faint(event) { Style::Faint } else { Style::Strong };
        let number = Plain::line(&format!("▌ {}", self.prompts));
        let mut line = Line::new().put(style, number);
        if let Some(time) = event.raw(Slot::Time).and_then(Instant::read) {
            line = line.tell(Style::Faint, &format!("  {}", human::moment(time)));
        }
        self.line(event, &named(line, event))?;
        let text = Plain::block(event.said().trim());
        if text.as_str().is_empty() {
            self.line(event, &Line::new().say(Style::Faint, "▌ (no text)"))?;
        }
        for text in text.lines() {
            self.line(event, &Line::new().say(style, "▌ ").put(style, text))?;
        }
        Ok(())
    }

    /// What the model said; or text that no person typed.
    fn said(&mut self, event: EventRef<'s>) -> io::Result<()> {
        let said = event.said();
        let text = said.trim();
        if text.is_empty() {
            return Ok(());
        }
        if event.kind == Kind::User && *event.stream() == Stream::Main && !self.all {
            self.hidden.add(["injected text", "injected texts"]);
            return Ok(());
        }
        self.close = false;
        self.apart(event)?;
        let style =
            if is_faint(event) || event.kind == Kind::User { Style::Faint } else { Style::Normal };
        let standing = named(Line::new(), event);
        if standing.width() > 0 {
            self.line(event, &standing)?;
        }
        for line in Plain::block(text).lines() {
            self.line(event, &Line::new().put(style, line))?;
        }
        Ok(())
    }

    fn thought(&mut self, event: EventRef<'s>) -> io::Result<()> {
        let text = event.said();
        let size = match (text.trim().len(), event.raw(Slot::Encrypted)) {
            (0, Some(secret)) => {
                format!("{} only the provider can read", human::size(secret.len() as u64))
            }
            (0, None) => return Ok(()),
            (length, _) => human::size(length as u64),
        };
        self.apart(event)?;
        let mut line = Line::new().say(Style::Faint, "∴ thinking · ").tell(Style::Faint, &size);
        if let Some(subject) = event.text(Slot::Subject) {
            line = line.say(Style::Faint, " · ").put(Style::Faint, Plain::line(&subject).cut(60));
        }
        self.line(event, &named(line, event))?;
        if self.all {
            self.indented(event, text.trim())?;
        }
        Ok(())
    }

    fn call(&mut self, event: EventRef<'s>) -> io::Result<()> {
        self.apart(event)?;
        let style = if is_faint(event) { Style::Faint } else { Style::Name };
        let name = event.text(Slot::Name);
        let name = Plain::line(name.as_deref().unwrap_or("tool"));
        let mut line = Line::new().say(style, "→ ").put(style, name.cut(40));
        let room = self.screen.width.map_or(100, |width| width.saturating_sub(50).clamp(20, 120));
        if let Some(target) = target(event) {
            line = line.say(Style::Normal, "  ").put(Style::Normal, Plain::line(&target).cut(room));
        }
        let result = self.result_of(event);
        line = match result.map(outcome) {
            None => line.say(Style::Faint, "  · no result"),
            Some(Outcome::Good(size)) => {
                line.say(Style::Good, "  ✓ ").put(Style::Faint, Plain::line(&size))
            }
            Some(Outcome::Bad(why)) => {
                line.say(Style::Bad, "  ✗ ").put(Style::Bad, Plain::line(&why).cut(60))
            }
        };
        self.line(event, &named(line, event))?;
        if let Some(result) = result {
            self.told[result.index as usize] = true;
            if self.all {
                self.indented(event, &call::output(result))?;
            }
        }
        Ok(())
    }

    /// The answer to a call: by its id, or because both were made of one value.
    fn result_of(&self, call: EventRef<'s>) -> Option<EventRef<'s>> {
        if let Some(id) = call.raw(Slot::Call)
            && let Some(&result) = self.results.get(id)
        {
            return Some(self.session.event(result));
        }
        let fused =
            |event: &EventRef<'_>| event.kind == Kind::ToolResult && event.span == call.span;
        let behind = (call.index + 1..self.session.len() as u32).map(|at| self.session.event(at));
        let within = |event: &EventRef<'_>| {
            event.origin.record == call.origin.record && call.span.holds(event.span)
        };
        behind.take_while(within).find(fused)
    }

    /// A result without a call.
    fn result(&mut self, event: EventRef<'s>) -> io::Result<()> {
        if self.told[event.index as usize] {
            return Ok(());
        }
        self.apart(event)?;
        let (mark, style, text) = match outcome(event) {
            Outcome::Good(size) => ("← result without a call · ", Style::Faint, size),
            Outcome::Bad(why) => ("← failed, without a call · ", Style::Bad, why),
        };
        let line = Line::new().say(style, mark).put(style, Plain::line(&text).cut(60));
        self.line(event, &named(line, event))?;
        if self.all { self.indented(event, &call::output(event)) } else { Ok(()) }
    }

    fn notice(&mut self, event: EventRef<'s>) -> io::Result<()> {
        let summary = event.is_true(Slot::CompactSummary);
        if !self.all && !summary {
            self.hidden.add(match event.kind {
                Kind::Opaque => ["unreadable record", "unreadable records"],
                _ => ["notice", "notices"],
            });
            return Ok(());
        }
        self.apart(event)?;
        let word = event.text(Slot::Name).or_else(|| event.text(Slot::Type));
        let word = word.unwrap_or(std::borrow::Cow::Borrowed(event.case.name));
        let mut line =
            Line::new().say(Style::Faint, "· ").put(Style::Faint, Plain::line(&word).cut(40));
        let text = match event.kind {
            Kind::Opaque => String::from_utf8_lossy(event.bytes()),
            _ => event.said(),
        };
        let text = Plain::line(&text).cut(80);
        if !text.as_str().is_empty() {
            line = line.say(Style::Faint, "  ").put(Style::Faint, text);
        }
        self.line(event, &named(line, event))
    }

    fn indented(&mut self, event: EventRef<'s>, text: &str) -> io::Result<()> {
        for line in Plain::block(text.trim_end()).lines() {
            let line = Line::new().say(Style::Faint, "    ").put(Style::Faint, line);
            self.line(event, &line)?;
        }
        Ok(())
    }

    /// An empty line before what does not stand close to the line before.
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

    fn line(&mut self, event: EventRef<'s>, line: &Line) -> io::Result<()> {
        match event.stream() {
            Stream::Main => self.screen.line(line),
            Stream::Sub(_) => self.screen.line(&line.clone().behind(Style::Faint, "  │ ")),
        }
    }
}

fn is_faint(event: EventRef<'_>) -> bool {
    event.standing != Standing::Live
}

/// A line, with the standing behind it where that is not "live".
fn named(line: Line, event: EventRef<'_>) -> Line {
    match event.standing {
        Standing::Live => line,
        standing => {
            line.say(Style::Faint, "  (").say(Style::Faint, standing.word()).say(Style::Faint, ")")
        }
    }
}

/// `42 lines`, or the size of what has no lines.
fn measure(text: &str) -> String {
    match text.lines().count() as u64 {
        0 => "nothing".into(),
        1 if text.len() <= 60 => text.to_owned(),
        lines => counted(lines, "line", "lines"),
    }
}
