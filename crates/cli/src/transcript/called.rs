//! Calls of a transcript: a line each, and what they changed.

use std::io;

use session::EventRef;
use views::transcript::{Answered, Call, FileDiff, Media, counts};

use super::range::named;
use super::{Printer, is_faint};
use crate::screen::{Line, Style};
use crate::terminal::Plain;

impl Printer<'_, '_, '_> {
    pub(super) fn call(&mut self, event: EventRef<'_>, call: &Call<'_>) -> io::Result<()> {
        let style = if is_faint(event) { Style::Faint } else { Style::Name };
        let (name, server) = match &call.served {
            Some((server, tool)) => (&**tool, Some(&**server)),
            None => (call.name.as_deref().unwrap_or("tool"), None),
        };
        let mut line = Line::new().say(style, "→ ").put(style, Plain::line(name).cut(40));
        if let Some(server) = server {
            line = line.say(Style::Normal, "  ").put(Style::Faint, Plain::line(server).cut(24));
        }
        let ending = match &call.answered {
            // A report needs no answer.
            None if call.report.is_some() => Line::new(),
            None => Line::new().say(Style::Faint, "  · no result"),
            Some(answered) => end(Line::new(), answered, counts(&call.files)),
        };
        let time = call.timing.took.map(views::human::span);
        let time = time.or_else(|| Some(self.view.zone.clock(call.timing.began?)));
        let ending = match time {
            Some(time) => ending.say(Style::Faint, "  ").tell(Style::Faint, &time),
            None => ending,
        };
        let ending = named(ending, event);
        if let Some(target) = &call.target {
            let margin = line.width() + 2 + ending.width();
            let room = self.screen.width.map_or(100, |width| width.saturating_sub(margin)).max(12);
            let room = if self.view.all { usize::MAX } else { room.min(120) };
            let text = Plain::line(target);
            let text = match text.as_str().contains('/') && !text.as_str().contains(' ') {
                true => text.cut_middle(room),
                false => text.cut(room),
            };
            let link = if self.view.links { self.turns.link(target) } else { None };
            line = line.say(Style::Normal, "  ").link(Style::Normal, text, link);
        }
        self.line(event, &line.with(ending))?;
        let agents = self.agents;
        let agents = agents.get(&event.index).into_iter().flatten();
        let mut lines: Vec<String> = agents.map(|id| format!("sub-agent: {id}")).collect();
        lines.extend(call.agent.as_ref().map(|sum| format!("⑂ {}", sum.words())));
        self.indented(event, &lines)?;
        if self.all && call.files.is_empty() {
            self.indented(event, &call.arguments())?;
        }
        if let Some(text) = &call.report {
            self.screen.gap()?;
            self.report(event, text)?;
            self.close = false;
        }
        self.diffs(event, &call.files)?;
        match &call.answered {
            Some(answered) => self.answer(event, answered),
            None => Ok(()),
        }
    }

    fn diffs(&mut self, event: EventRef<'_>, files: &[FileDiff]) -> io::Result<()> {
        let mut files = files.iter().filter(|_| self.view.diff);
        files.try_for_each(|file| self.diff(event, file))
    }

    /// Prints what a call changed in a file. The signs are text, so that it reads without colours.
    fn diff(&mut self, event: EventRef<'_>, file: &FileDiff) -> io::Result<()> {
        let words = [counts(std::slice::from_ref(file)), file.fate_words()];
        let words: Vec<String> = words.into_iter().flatten().collect();
        let head = Line::new().say(Style::Faint, "    ").put(Style::Name, Plain::line(&file.path));
        self.line(event, &head.say(Style::Faint, "  ").tell(Style::Faint, &words.join(" · ")))?;
        let room = self.screen.width.map_or(usize::MAX, |width| width.saturating_sub(8));
        for line in &file.lines {
            let (style, text) = match line.sign {
                '+' => (Style::Good, format!("+{}", line.text)),
                '-' => (Style::Bad, format!("-{}", line.text)),
                '@' => (Style::Faint, line.text.clone()),
                _ => (Style::Normal, format!(" {}", line.text)),
            };
            for text in Plain::block(&text).lines().flat_map(|text| text.wrapped(room)) {
                self.line(event, &Line::new().say(Style::Normal, "    ").put(style, text))?;
            }
        }
        Ok(())
    }

    /// Prints the answer of a tool: its media, or its whole text.
    fn answer(&mut self, event: EventRef<'_>, answered: &Answered<'_>) -> io::Result<()> {
        let lines = match self.all {
            true => answered.lines(),
            false => answered.media().iter().map(Media::to_string).collect(),
        };
        self.indented(event, &lines)
    }

    /// Prints a result that is not printed with its call.
    pub(super) fn result(
        &mut self,
        (answered, further): (&Answered<'_>, bool),
        target: Option<&str>,
        files: &[FileDiff],
    ) -> io::Result<()> {
        let line = match (further, target) {
            (true, _) => Line::new().say(Style::Faint, "↳ one more result"),
            (false, Some(target)) => {
                Line::new().say(Style::Name, "↳ ").put(Style::Normal, Plain::line(target).cut(100))
            }
            (false, None) => Line::new().say(Style::Faint, "← result without a call"),
        };
        let event = answered.event;
        self.line(event, &named(end(line, answered, counts(files)), event))?;
        self.diffs(event, files)?;
        self.answer(event, answered)
    }
}

/// Appends the outcome of a call to its line: of a good one that changed files, the numbers of
/// lines.
fn end(line: Line, answered: &Answered<'_>, counts: Option<String>) -> Line {
    let brief = Plain::line(&answered.brief);
    match answered.outcome {
        Some(outcome) if outcome.is_bad() => {
            line.say(Style::Bad, "  ✗ ").put(Style::Bad, brief.cut(60))
        }
        _ => {
            let said = counts.map_or(brief, |counts| Plain::line(&counts));
            line.say(Style::Good, "  ✓ ").put(Style::Faint, said)
        }
    }
}
