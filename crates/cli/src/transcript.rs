//! A session as a person reads it: prompts, answers, tool calls with their outcome.

use std::collections::BTreeMap;
use std::io;

use catalog::view::transcript::call::{self, How, how, target};
use catalog::view::transcript::whole;
use session::{Calls, EventRef, Kind, Session, Slot, Standing, Stream, turn};

use crate::human::{self, counted};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

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
    calls: Calls,
    /// Results that were told with their call, and their calls.
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
        let calls = Calls::of(session);
        let told = vec![false; session.len()];
        let hidden = Hidden::default();
        let (prompts, stream, close) = (0, &Stream::Main, false);
        Self { session, screen, all, calls, told, hidden, prompts, stream, close }
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
        if let Some(time) = event.time() {
            line = line.tell(Style::Faint, &format!("  {}", human::moment(time)));
        }
        self.line(event, &named(line, event))?;
        let text = Plain::block(event.said().trim());
        let pictures = whole::pictures(event);
        if text.as_str().is_empty() && pictures.is_empty() {
            self.line(event, &Line::new().say(Style::Faint, "▌ (no text)"))?;
        }
        for text in text.lines().chain(pictures.iter().map(|text| Plain::line(text))) {
            self.line(event, &Line::new().say(style, "▌ ").put(style, text))?;
        }
        Ok(())
    }

    /// What the model said; or text that no person typed.
    fn said(&mut self, event: EventRef<'s>) -> io::Result<()> {
        let said = event.said();
        let (text, pictures) = (said.trim(), whole::pictures(event));
        if text.is_empty() && pictures.is_empty() {
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
        let pictures = pictures.iter().map(|text| Plain::line(text));
        for line in Plain::block(text).lines().chain(pictures) {
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
            self.indented(event, &[text.trim().to_owned()])?;
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
        let result = self.calls.result(event.index).map(|result| self.session.event(result));
        // What is left out of the transcript answers nothing in it.
        let result = result.filter(|result| self.all || result.standing.is_conversation());
        line = match result.map(how) {
            None => line.say(Style::Faint, "  · no result"),
            Some(how) => end(line, how),
        };
        self.line(event, &named(line, event))?;
        self.told[event.index as usize] = true;
        if self.all {
            self.indented(event, &event.raw(Slot::Input).map(whole::lines).unwrap_or_default())?;
        }
        let Some(result) = result else { return Ok(()) };
        self.told[result.index as usize] = true;
        self.answer(event, result)
    }

    /// What a tool answered: its pictures, or all of it.
    fn answer(&mut self, event: EventRef<'s>, result: EventRef<'s>) -> io::Result<()> {
        match self.all {
            true => self.indented(event, &call::answer(result)),
            false => self.indented(event, &whole::pictures(result)),
        }
    }

    /// A result that was not told with its call.
    fn result(&mut self, event: EventRef<'s>) -> io::Result<()> {
        if self.told[event.index as usize] {
            return Ok(());
        }
        let answers = self.calls.call(event.index).is_some_and(|call| self.told[call as usize]);
        if answers && !self.all {
            self.hidden.add(["further result of a call", "further results of calls"]);
            return Ok(());
        }
        self.apart(event)?;
        let line = match (answers, target(event)) {
            (true, _) => Line::new().say(Style::Faint, "↳ one more result"),
            // It says itself what was done: an agent may keep the call where it keeps no session.
            (false, Some(target)) => {
                Line::new().say(Style::Name, "↳ ").put(Style::Normal, Plain::line(&target).cut(100))
            }
            (false, None) => Line::new().say(Style::Faint, "← result without a call"),
        };
        self.line(event, &named(end(line, how(event)), event))?;
        self.answer(event, event)
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
        if !self.all {
            let text = Plain::line(&event.said()).cut(80);
            line = line.say(Style::Faint, "  ").put(Style::Faint, text);
        }
        self.line(event, &named(line, event))?;
        match (self.all, event.kind) {
            (false, _) => Ok(()),
            (true, Kind::Opaque) => {
                self.indented(event, &[String::from_utf8_lossy(event.bytes()).into_owned()])
            }
            (true, _) => self.indented(event, &whole::fields(event)),
        }
    }

    fn indented(&mut self, event: EventRef<'s>, texts: &[String]) -> io::Result<()> {
        for text in texts {
            for line in Plain::block(text).lines() {
                let line = Line::new().say(Style::Faint, "    ").put(Style::Faint, line);
                self.line(event, &line)?;
            }
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

/// A line with how the call went at its end.
fn end(line: Line, how: How) -> Line {
    match how {
        How::Good(size) => line.say(Style::Good, "  ✓ ").put(Style::Faint, Plain::line(&size)),
        How::Bad(why) => line.say(Style::Bad, "  ✗ ").put(Style::Bad, Plain::line(&why).cut(60)),
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
