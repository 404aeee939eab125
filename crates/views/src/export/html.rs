//! A session as one HTML page. It loads nothing; its policy allows its own style, script and
//! pictures that are in it. It is whole without the script. The elements are made by `maud`, which
//! escapes every text; only Markdown of the session is typeset by `typeset.rs`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use formats::wrapped::is_greeting;
use maud::{DOCTYPE, Markup, PreEscaped, html as make};
use meaning::facts;
use redact::Outgoing;
use session::{Session, Standing, Stream};
use sha2::{Digest as _, Sha256};

use super::changed::ChangedFiles;
use super::head::{facts_list, files, outline};
use super::heading::{heading, split};
use super::named::{class_of, first};
use super::note::ExportNote;
use super::parsed::words;
use super::run::Run;
use super::safe::Words;
use super::sheet::Bodies;
use super::style::{SCRIPT, STYLE};
use crate::human::counted;
use crate::transcript::{Body, Detail, Hidden, Item, ListPrice, Transcript, TurnSum, groups};

/// Writes a session as an HTML page, a turn at a time.
///
/// # Errors
/// Those of `out`.
pub fn html(
    outgoing: &dyn Outgoing,
    note: &ExportNote,
    price: &ListPrice<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (session, note) = (outgoing.session(), &note.of(outgoing));
    let turns = TurnSum::all(session, note.turns, price);
    let mut page = Page::of(session, &turns, out);
    page.run = Some(Run::default());
    page.bodies.bytes = note.bytes;
    page.bodies.changed = Some(ChangedFiles::default());
    page.head(session, note)?;
    let items = Transcript::of(session, Detail::Brief).with_changes().with_spending(price);
    let mut items = items.of_turns(note.turns).by_turn();
    for turn in &mut items {
        page.items(&turn.items)?;
    }
    page.end(items.items())
}

/// Writes some turns of a session as sections, as a page has them, for the owner of the session who
/// looks at it on this machine. `turns` are the facts of these turns. Returns the numbers of items
/// that are left out of them, in words.
///
/// # Errors
/// Those of `out`.
pub fn sections(
    session: &Session,
    turns: &[TurnSum],
    range: (u64, u64),
    out: &mut dyn Write,
) -> io::Result<Vec<String>> {
    let mut page = Page::of(session, turns, out);
    let items = || Transcript::of(session, Detail::Brief).of_turns(Some(range));
    // To read what every call of a long session changed costs more than all else of a page. A
    // result without a call may tell changes too.
    let own = items().map(|item| item.event.index).collect();
    let mut items = items().with_changes_of(&own).with_sums_of(turns);
    let mut turn: Vec<Item<'_>> = Vec::new();
    for item in items.by_ref() {
        if turn.first().is_some_and(|first| first.turn != item.turn) {
            page.items(&turn)?;
            turn.clear();
        }
        turn.push(item);
    }
    page.items(&turn)?;
    page.close()?;
    Ok(hidden(&items))
}

struct Page<'p, 's> {
    out: &'p mut dyn Write,
    turns: &'p [TurnSum],
    /// The place of each turn among them.
    places: BTreeMap<u64, usize>,
    /// The turns that wait for the end of their run; `None` if turns are in no runs.
    run: Option<Run>,
    /// The items of the turn that is open.
    bodies: Bodies,
    turn: Option<u64>,
    /// Whether its prompt has its heading.
    headed: bool,
    /// The number of calls that are open because items of their sub-agents follow.
    open: usize,
    stream: &'s Stream,
    /// Whether a sub-agent's history is all that there is.
    lone: bool,
    /// The number of items right before that a summary replaced.
    compacted: u64,
}

impl<'p, 's> Page<'p, 's> {
    fn of(session: &Session, turns: &'p [TurnSum], out: &'p mut dyn Write) -> Self {
        Self {
            out,
            turns,
            places: turns.iter().enumerate().rev().map(|(at, facts)| (facts.turn, at)).collect(),
            run: None,
            bodies: Bodies::default(),
            turn: None,
            headed: false,
            open: 0,
            stream: &Stream::Main,
            lone: session.bundle.members.iter().all(|member| member.stream != Stream::Main),
            compacted: 0,
        }
    }

    fn head(&mut self, session: &Session, note: &ExportNote) -> io::Result<()> {
        let title = title(session);
        let digest = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
        let policy = format!(
            "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; \
             base-uri 'none'; form-action 'none'",
            digest(&STYLE),
            digest(&SCRIPT)
        );
        let head = make! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="referrer" content="no-referrer";
                    title { (Words(&title)) }
                    style { (PreEscaped(&*STYLE)) }
                }
            }
        };
        let head = head.into_string().replace("</html>", "");
        writeln!(self.out, "{head}\n<body>")?;
        let sum = TurnSum::sum(self.turns);
        let intro = make! {
            a class="skip" href="#main" { "To the first turn" }
            header {
                h1 { (Words(&title)) }
                (facts_list(session, &sum))
                (files(&sum))
                p class=(if note.redacted.is_some() { "note" } else { "note open" }) {
                    (Words(&note.sentence()))
                    @if sum.pictures > 0 { (PICTURES) }
                }
            }
            (outline(self.turns, &sum))
        };
        writeln!(self.out, "{}\n<main id=\"main\" tabindex=\"-1\">", intro.into_string())
    }

    /// The items of a turn, with the groups of its calls.
    fn items(&mut self, items: &[Item<'s>]) -> io::Result<()> {
        let mut groups = groups(items).into_iter().peekable();
        let mut end = usize::MAX;
        for (at, item) in items.iter().enumerate() {
            self.leave(item.depth);
            let group = groups.next_if(|group| group.from == at);
            if let Some(group) = &group {
                self.prepare(item)?;
                self.bodies.begin_group(group);
                end = at + group.len;
            }
            self.item(item)?;
            if at + 1 == end {
                self.bodies.end_group();
                end = usize::MAX;
            }
        }
        Ok(())
    }

    /// Ends the calls of sub-agents whose items are over.
    fn leave(&mut self, depth: usize) {
        while self.open > depth {
            self.bodies.close_agent();
            self.open -= 1;
        }
    }

    /// Writes the end of the turn before an item, a rule, or a remark.
    fn prepare(&mut self, item: &Item<'s>) -> io::Result<()> {
        let event = item.event;
        if self.turn != Some(item.turn) {
            self.section()?;
            self.turn = Some(item.turn);
        }
        if *event.stream() == Stream::Main && event.held_standing() == Standing::Live {
            self.compaction();
        }
        if event.stream() != self.stream {
            self.stream = event.stream();
            if *self.stream != Stream::Main && item.depth == 0 && !self.lone {
                self.bodies.remark("sub-agent; the session does not show which call started it");
            }
        }
        Ok(())
    }

    fn item(&mut self, item: &Item<'s>) -> io::Result<()> {
        self.prepare(item)?;
        let event = item.event;
        if *event.stream() == Stream::Main && event.held_standing() != Standing::Live {
            self.compacted += 1;
        }
        let alone = item.depth == 0 && *event.stream() != Stream::Main && !self.lone;
        let class = match (alone, event.held_standing()) {
            (true, _) => "item agent",
            (false, Standing::Live) => "item",
            (false, _) => "item old",
        };
        if let Body::Prompt(said) = &item.body
            && !self.headed
        {
            let line = split(&said.text).map(|(line, _)| line);
            self.bodies.head = self.head_of_turn(item.turn, line);
            self.headed = self.bodies.head.is_some();
        }
        self.bodies.item(item, class);
        if matches!(&item.body, Body::Call(call) if call.starts) {
            self.open += 1;
        }
        Ok(())
    }

    /// The heading of a turn, with its facts, and the line that its prompt does not repeat.
    fn head_of_turn(&self, turn: u64, line: Option<&str>) -> Option<Markup> {
        let facts_of = |turn: u64| self.places.get(&turn).map(|&at| &self.turns[at]);
        let has = |turn: u64| turn > 0 && facts_of(turn).is_some();
        let facts = facts_of(turn).filter(|facts| facts.turn > 0)?;
        Some(heading(facts, line, has(turn.saturating_sub(1)), has(turn + 1)))
    }

    /// Ends the turn that is open.
    fn section(&mut self) -> io::Result<()> {
        let (text, height) = self.bodies.take();
        let Some(turn) = self.turn else { return self.out.write_all(text.as_bytes()) };
        let class = format!("turn h{}", class_of(height));
        let head = match std::mem::take(&mut self.headed) {
            true => PreEscaped(String::new()),
            false => self.head_of_turn(turn, None).unwrap_or_default(),
        };
        let head = head.into_string();
        let section =
            format!("<section class=\"{class}\" id=\"turn-{turn}\">\n{head}\n{text}</section>\n");
        match &mut self.run {
            Some(run) => self.out.write_all(run.add(&section, height).as_bytes()),
            None => self.out.write_all(section.as_bytes()),
        }
    }

    /// The rule behind a range that a summary replaced.
    fn compaction(&mut self) {
        if let Some(line) = compaction(std::mem::take(&mut self.compacted)) {
            self.bodies.rule(&line);
        }
    }

    /// Ends the items that are open.
    fn close(&mut self) -> io::Result<()> {
        self.leave(0);
        self.compaction();
        self.section()?;
        let rest = self.run.as_mut().map(Run::end).unwrap_or_default();
        self.out.write_all(rest.as_bytes())
    }

    fn end(&mut self, items: &Transcript<'_>) -> io::Result<()> {
        self.close()?;
        if let Some(changed) = self.bodies.changed.take() {
            let changes = changed.draw(&TurnSum::sum(self.turns).files);
            writeln!(self.out, "{}", changes.into_string())?;
        }
        let hidden = hidden(items);
        let footer = make! {
            footer {
                @if !hidden.is_empty() { (format!("Not on this page: {}. ", hidden.join(", "))) }
                "Made by verbatim. Times are UTC. The # beside an item names its record: the line, \
                 and the SHA-256 digest of its bytes, as they are in this export."
            }
        };
        writeln!(self.out, "{}</main>", footer.into_string())?;
        writeln!(self.out, "<script>{}</script>\n</body></html>", *SCRIPT)
    }
}

/// The numbers of items that a transcript has left out, in words.
fn hidden(items: &Transcript<'_>) -> Vec<String> {
    let words = |(hidden, count): (&Hidden, &u64)| {
        let [one, many] = hidden.words();
        counted(*count, one, many)
    };
    items.hidden().iter().map(words).collect()
}

const PICTURES: &str = " What pictures show was not checked.";

/// The line about a number of items that a summary replaced, if there are any.
pub(super) fn compaction(items: u64) -> Option<String> {
    let verb = if items == 1 { "was" } else { "were" };
    let items = (items > 0).then(|| counted(items, "item", "items"))?;
    Some(format!("compacted here: {items} above {verb} replaced by a summary"))
}

/// The title of a session, else the first words of its first prompt, else its uid.
#[must_use]
pub fn title(session: &Session) -> String {
    let titled = facts::title_text(session).map(|title| {
        let title = formats::wrapped::unwrapped(session.format, &title).own.to_owned();
        first(&words(&title))
    });
    titled.filter(|title| !title.is_empty()).unwrap_or_else(|| {
        let prompts = Transcript::of(session, Detail::Brief).filter_map(|item| match item.body {
            Body::Prompt(said) => Some(first(&words(&said.text))),
            _ => None,
        });
        let mut said = prompts.filter(|text| !text.is_empty());
        let first = said.next();
        match first.clone().filter(|first| is_greeting(first)) {
            Some(greeting) => said.find(|text| !is_greeting(text)).unwrap_or(greeting),
            None => first.unwrap_or_else(|| session.uid()),
        }
    })
}
