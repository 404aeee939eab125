//! A session as Markdown that can be committed: an item a block, stable from run to run. Its only
//! HTML is its own `<details>`.

use std::io::{self, Write};

use redact::Outgoing;
use session::{Standing, Stream};

use super::html::{compaction, title};
use super::named::{first, is_bad};
use super::note::ExportNote;
use super::parsed::words;
use super::parts::{PATH, Part, parts, parts_of_result, shows};
use super::rewritten::rewritten;
use super::safe::{escape, middle};
use super::summed::{facts, turn_in_words};
use super::writer::Writer;
use crate::human;
use crate::transcript::{
    Answered, Body, Call, CallGroup, Detail, FileDiff, Item, ListPrice, Media, Said, Transcript,
    TurnSum, counts, counts_of, groups,
};

/// The largest number of lines of an output.
const LINES: usize = 60;
/// The largest number of lines of a diff.
const DIFF: usize = 400;

/// Writes a session as Markdown.
///
/// # Errors
/// Those of `out`.
pub fn markdown(
    outgoing: &dyn Outgoing,
    note: &ExportNote,
    price: &ListPrice<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (session, note) = (outgoing.session(), &note.of(outgoing));
    let mut document = Document { writer: Writer::new(), close: false, open: 0, compacted: 0 };
    document.heading(1, &title(session));
    let sum = TurnSum::sum(&TurnSum::all(session, note.turns, price));
    for (name, fact) in facts(session, &sum) {
        document.fact(name, &fact);
    }
    document.files(&sum);
    document.writer.quote();
    document.paragraph(&note.sentence());
    document.writer.leave();
    let items = Transcript::of(session, Detail::Brief).with_changes().with_spending(price);
    let mut items = items.of_turns(note.turns).by_turn();
    let lone = session.bundle.members.iter().all(|member| member.stream != Stream::Main);
    let mut stream = &Stream::Main;
    for turn in &mut items {
        let mut groups = groups(&turn.items).into_iter().peekable();
        for (at, item) in turn.items.iter().enumerate() {
            if item.event.stream() != stream {
                stream = item.event.stream();
                if *stream != Stream::Main && item.depth == 0 && !lone {
                    document.unfold(0);
                    document.remark("sub-agent; the session does not show which call started it");
                }
            }
            if let Some(group) = groups.next_if(|group| group.from == at) {
                document.group(item.depth, &group);
            }
            document.item(item, &turn.sum);
        }
        out.write_all(document.writer.out.as_bytes())?;
        document.writer.out.clear();
    }
    let items = items.items();
    document.unfold(0);
    document.compaction();
    let hidden = items.hidden().iter().map(|(hidden, count)| {
        let [one, many] = hidden.words();
        human::counted(*count, one, many)
    });
    let hidden: Vec<String> = hidden.collect();
    if !hidden.is_empty() {
        document.remark(&format!("Not in this file: {}.", hidden.join(", ")));
    }
    writeln!(out, "{}", document.writer.out)
}

/// The sums of a call's sub-agents, and its duration; else the time at which it began.
fn called(call: &Call<'_>) -> String {
    let mut words = String::new();
    if let Some(agent) = &call.agent {
        words.push_str(&format!(" \u{b7} \u{2442} {}", agent.words()));
    }
    let took = call.timing.took.map(human::span);
    let time = took.or_else(|| Some(call.timing.began?.rfc3339().get(11..19)?.to_owned()));
    words.extend(time.map(|time| format!(" \u{b7} {time}")));
    words
}

struct Document {
    writer: Writer,
    /// Whether the item before was a call on one line, which the next one follows closely.
    close: bool,
    /// The number of calls that are open because items of their sub-agents follow.
    open: usize,
    /// The number of items right before that a summary replaced.
    compacted: u64,
}

impl Document {
    fn item(&mut self, item: &Item<'_>, turn: &TurnSum) {
        self.unfold(item.depth);
        match (item.event.stream(), item.event.held_standing()) {
            (Stream::Main, Standing::Live) => self.compaction(),
            (Stream::Main, _) => self.compacted += 1,
            (Stream::Sub(_), _) => {}
        }
        let close = std::mem::take(&mut self.close);
        match &item.body {
            Body::Prompt(said) => {
                let time = item.event.when().map(human::moment).unwrap_or_default();
                let words = first(&words(&said.text));
                let words = match (words.is_empty(), said.media.is_empty()) {
                    (false, _) => words,
                    (true, false) => "\u{25a3} picture".to_owned(),
                    (true, true) => "(no text)".to_owned(),
                };
                self.heading(2, &format!("{} {words} ({time})", item.turn));
                self.writer.quote();
                self.said(said);
                self.writer.leave();
                let facts = turn_in_words(turn);
                if !facts.is_empty() && item.turn > 0 {
                    self.say(&facts);
                }
                for (name, text) in &said.around {
                    self.folded(&format!("inserted by the agent: {name}"), text);
                }
            }
            Body::Answer(said) => self.said(said),
            Body::Injected(said) => {
                self.folded(item.beside(), &said.text);
                self.media(&said.media);
            }
            Body::Thought(thought) => {
                let words = thought.subject.as_deref().unwrap_or(&thought.text);
                match (&*thought.text, thought.encrypted) {
                    ("", Some(bytes)) => {
                        let size = human::size(bytes as u64);
                        self.remark(&format!("\u{2234} thinking, {size}, sealed by the provider"));
                    }
                    (text, _) => self.folded(&format!("\u{2234} {}", first(words)), text),
                }
            }
            Body::Call(call) => self.call(call, close),
            Body::Result { answered, target, files, .. } => {
                self.line(("result", target.as_deref(), ""), (Some(answered), ""), files, close);
                self.fold(&parts_of_result(answered, files));
                self.media(&answered.media());
                self.end_line();
            }
            Body::Notice(notice) => self.folded(&notice.name, &notice.text()),
        }
    }

    /// The line before a group of calls, which follow.
    fn group(&mut self, depth: usize, group: &CallGroup) {
        self.unfold(depth);
        self.say(&group.words());
    }

    /// The files that the session changed, each with its lines.
    fn files(&mut self, sum: &TurnSum) {
        if sum.files.is_empty() {
            return;
        }
        let lines: Vec<String> = sum
            .files
            .iter()
            .map(|(path, file)| {
                let lines = counts_of(file.inserted, file.deleted).unwrap_or_default();
                format!("{lines:>12}  {path}")
            })
            .collect();
        let name = format!("Files changed ({})", sum.files.len());
        self.details(&name, |document| document.writer.code_block("text", &lines.join("\n")));
    }

    /// The remark behind a range that a summary replaced.
    fn compaction(&mut self) {
        if let Some(line) = compaction(std::mem::take(&mut self.compacted)) {
            self.remark(&line);
        }
    }

    fn call(&mut self, call: &Call<'_>, close: bool) {
        let name = call.name.as_deref().unwrap_or("tool");
        let answered = call.answered.as_ref();
        let facts = called(call);
        // A report needs no answer.
        let unanswered = if call.report.is_some() { "" } else { "no result" };
        let told = (answered, unanswered);
        self.line((name, call.target.as_deref(), &facts), told, &call.files, close);
        self.fold(&parts(call));
        let shown = answered.filter(|answered| shows(&call.files, answered));
        self.media(&shown.map(Answered::media).unwrap_or_default());
        match call.starts {
            true => {
                self.begin_details("what the sub-agent did");
                self.open += 1;
            }
            false => self.end_line(),
        }
        if let Some(text) = &call.report {
            self.close = false;
            rewritten(text, &mut self.writer);
        }
    }

    /// Ends the calls whose sub-agents were written.
    fn unfold(&mut self, depth: usize) {
        while self.open > depth {
            self.open -= 1;
            self.end_details();
            self.end_line();
        }
    }

    /// The parts of a call that are more than its line, in one fold.
    fn fold(&mut self, parts: &[Part<'_>]) {
        let (whole, short): (Vec<&Part<'_>>, Vec<&Part<'_>>) =
            parts.iter().partition(|part| !part.is_short());
        short.iter().for_each(|part| self.remark(&part.name));
        let diffs = whole.iter().filter(|part| part.diff.is_some()).count();
        let texts = whole.iter().filter(|part| part.diff.is_none() || diffs == 1);
        let mut names: Vec<String> = texts.map(|part| part.name.clone()).collect();
        if diffs > 1 {
            names.insert(0, human::counted(diffs as u64, "file", "files"));
        }
        if whole.is_empty() {
            return;
        }
        self.details(&names.join(" \u{b7} "), |document| {
            for part in &whole {
                if whole.len() > 1 {
                    document.remark(&part.name);
                }
                match part.diff {
                    Some(file) => document.diff(file),
                    None => document.output(&part.lines),
                }
            }
        });
    }

    /// The change of a file by a call.
    fn diff(&mut self, file: &FileDiff) {
        let shown = &file.lines[..file.lines.len().min(DIFF)];
        let text: Vec<String> = shown
            .iter()
            .map(|line| match line.sign {
                '@' => line.text.clone(),
                sign => format!("{sign}{}", line.text),
            })
            .collect();
        self.writer.code_block("diff", &text.join("\n"));
        if let more @ 1.. = file.lines.len() - shown.len() {
            let more = human::counted(more as u64, "more line", "more lines");
            self.remark(&format!("and {more}"));
        }
    }

    /// A call on one line, with its target and outcome. Its item stays open.
    fn line(
        &mut self,
        (name, target, facts): (&str, Option<&str>, &str),
        (answered, unanswered): (Option<&Answered<'_>>, &str),
        files: &[FileDiff],
        close: bool,
    ) {
        self.writer.item('-', None, close, false);
        self.close = true;
        let bad = answered.is_some_and(is_bad);
        self.writer.block();
        self.writer.text(match answered {
            None => "\u{2026} ",
            Some(_) if bad => "\u{2717} ",
            Some(_) => "\u{2713} ",
        });
        self.writer.delimiter("**");
        self.writer.text(&first(name));
        self.writer.closing("**");
        if let Some(target) = target.filter(|target| !target.is_empty()) {
            self.writer.text(" ");
            self.writer.code(&middle(target, PATH));
        }
        let brief = answered.map_or(unanswered, |answered| &answered.brief);
        match counts(files).filter(|_| answered.is_some() && !bad) {
            Some(counts) => self.writer.text(&format!(" {counts}")),
            None if brief.is_empty() => {}
            None => self.writer.text(&format!(" \u{b7} {}", first(brief))),
        }
        self.writer.text(facts);
        self.writer.close();
    }

    fn end_line(&mut self) {
        self.writer.leave();
        self.writer.list('-');
    }

    fn output(&mut self, lines: &[String]) {
        let shown = &lines[..lines.len().min(LINES)];
        self.writer.code_block("text", &shown.join("\n"));
        if let Some(more @ 1..) = lines.len().checked_sub(LINES) {
            self.remark(&format!("and {} more", human::counted(more as u64, "line", "lines")));
        }
    }

    fn said(&mut self, said: &Said<'_>) {
        rewritten(&said.text, &mut self.writer);
        self.media(&said.media);
    }

    fn media(&mut self, media: &[Media]) {
        media.iter().for_each(|one| self.remark(&one.to_string()));
    }

    /// A text that is of less interest, behind a line.
    fn folded(&mut self, name: &str, text: &str) {
        match text.is_empty() {
            true => self.remark(&first(name)),
            false => self.details(&first(name), |document| {
                document.writer.code_block("text", text);
            }),
        }
    }

    /// A part that is folded. The line before it is HTML.
    fn details(&mut self, name: &str, put: impl FnOnce(&mut Self)) {
        self.begin_details(name);
        put(self);
        self.end_details();
    }

    fn begin_details(&mut self, name: &str) {
        self.close = false;
        let mut summary = String::from("<details><summary>");
        escape(name, &mut summary);
        summary.push_str("</summary>");
        self.writer.block();
        self.writer.raw(&summary);
        self.writer.close();
    }

    fn end_details(&mut self) {
        self.close = false;
        self.writer.block();
        self.writer.raw("</details>");
        self.writer.close();
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.writer.begin_heading(level);
        self.writer.text(text.trim());
        self.writer.heading = false;
        self.writer.close();
    }

    /// A fact of the session, in a list.
    fn fact(&mut self, name: &str, fact: &str) {
        self.writer.item('-', None, name != "agent", true);
        self.writer.block();
        self.writer.text(&format!("{name}: {fact}"));
        self.writer.close();
        self.writer.leave();
        self.writer.list('-');
    }

    fn paragraph(&mut self, text: &str) {
        self.writer.block();
        self.writer.text(text);
        self.writer.close();
    }

    /// A remark of the document's own, in italics.
    fn remark(&mut self, text: &str) {
        self.say(&first(text));
    }

    /// The same, of words of the document alone, which are never cut.
    fn say(&mut self, text: &str) {
        self.close = false;
        self.writer.block();
        self.writer.delimiter("*");
        self.writer.text(text);
        self.writer.closing("*");
        self.writer.close();
    }
}
