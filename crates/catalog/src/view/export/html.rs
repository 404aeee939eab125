//! A session as one HTML page. It loads nothing, has no script, and its policy allows nothing but
//! its own style.

use std::borrow::Cow;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use session::{EventRef, Outcome, Session, Standing, Stream, told};
use sha2::{Digest as _, Sha256};

use super::note::ExportNote;
use super::safe::{escape, plain};
use super::typeset::typeset;
use crate::view::human;
use crate::view::transcript::{Answered, Body, Call, Detail, Item, Media, Said, Transcript};

const STYLE: &str = include_str!("page.css");
/// The largest number of bytes of a native record that the page has.
const NATIVE: usize = 4096;
/// The longest entry of the outline, in characters.
const ENTRY: usize = 90;

/// Writes a session as an HTML page, an item at a time.
///
/// # Errors
/// Those of `out`.
pub fn html(session: &Session, note: &ExportNote, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page { out, text: String::new(), turn: 0, stream: &Stream::Main, compacted: 0 };
    page.head(session, note)?;
    let mut items = Transcript::of(session, Detail::Brief);
    for item in &mut items {
        page.item(&item)?;
    }
    page.end(&items)
}

struct Page<'p, 's> {
    out: &'p mut dyn Write,
    /// The part of the page that is being made.
    text: String,
    /// The turn that is open, from 1.
    turn: u64,
    stream: &'s Stream,
    /// The number of items right before that a summary replaced.
    compacted: u64,
}

impl<'s> Page<'_, 's> {
    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    fn put(&mut self, html: &str) -> &mut Self {
        self.text.push_str(html);
        self
    }

    fn say(&mut self, text: &str) -> &mut Self {
        escape(text, &mut self.text);
        self
    }

    fn head(&mut self, session: &Session, note: &ExportNote) -> io::Result<()> {
        let title = title(session);
        let digest = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        self.put("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
        self.put("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
        self.put("style-src 'sha256-")
            .put(&digest)
            .put("'; base-uri 'none'; form-action 'none'\">");
        self.put("\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
        self.put("<meta name=\"referrer\" content=\"no-referrer\">\n<title>").say(&first(&title));
        self.put("</title>\n<style>").put(STYLE).put("</style></head>\n<body><main>\n<h1>");
        self.say(&first(&title)).put("</h1>\n<p class=\"facts\">").say(&facts(session));
        let class = if note.redacted.is_some() { "note" } else { "note open" };
        self.put("</p>\n<p class=\"").put(class).put("\">").say(&note.sentence()).put("</p>\n");
        self.outline(session)?;
        self.flush()
    }

    /// The prompts, as links to their turns.
    fn outline(&mut self, session: &Session) -> io::Result<()> {
        self.put("<nav><details open><summary>Prompts</summary><ol>\n");
        for item in Transcript::of(session, Detail::Brief) {
            let (Body::Prompt(said), Stream::Main) = (&item.body, item.event.stream()) else {
                continue;
            };
            self.put(&format!("<li><a href=\"#turn-{}\">", item.turn));
            self.say(&first(&said.text)).put("</a></li>\n");
            self.flush()?;
        }
        self.put("</ol></details></nav>\n");
        Ok(())
    }

    fn item(&mut self, item: &Item<'s>) -> io::Result<()> {
        let event = item.event;
        if item.turn != self.turn {
            self.put(if self.turn > 0 { "</section>\n" } else { "" });
            self.put(&format!("<section class=\"turn\" id=\"turn-{}\">\n", item.turn));
            self.turn = item.turn;
        }
        match (event.stream(), event.standing) {
            (Stream::Main, Standing::Live) => self.compaction(),
            (Stream::Main, _) => self.compacted += 1,
            (Stream::Sub(_), _) => {}
        }
        let class = match (event.stream(), event.standing) {
            (Stream::Sub(_), _) => "agent",
            (Stream::Main, Standing::Live) => "item",
            (Stream::Main, _) => "item old",
        };
        self.put("<div class=\"").put(class).put("\">\n");
        if event.stream() != self.stream {
            self.stream = event.stream();
            if let Stream::Sub(name) = self.stream {
                self.put("<p class=\"when\">sub-agent ").say(name).put("</p>\n");
            }
        }
        self.body(item);
        self.put("</div>\n");
        self.flush()
    }

    /// The rule behind a range that a summary replaced.
    fn compaction(&mut self) {
        if let Some(line) = compaction(std::mem::take(&mut self.compacted)) {
            self.put("<p class=\"compacted\">").say(&line).put("</p>\n");
        }
    }

    fn body(&mut self, item: &Item<'s>) {
        let event = item.event;
        match &item.body {
            Body::Prompt(said) => {
                self.put(&format!("<h2>{}", item.turn)).when(event).put("</h2>\n");
                self.put("<div class=\"prompt\">").say(&said.text).put("</div>\n");
                self.media(&said.media);
            }
            Body::Answer(said) => self.answer(said),
            Body::Injected(said) => {
                self.folded("notice", item.beside(), &said.text);
                self.media(&said.media);
            }
            Body::Thought(thought) => {
                let subject = thought.subject.as_deref().unwrap_or("thinking");
                match (&*thought.text, thought.encrypted) {
                    ("", Some(bytes)) => {
                        let size = human::size(bytes as u64);
                        self.put("<p class=\"thought\">\u{2234} ").say(subject);
                        self.put(", ").say(&size).put(", sealed by the provider</p>\n");
                    }
                    (text, _) => self.folded("thought", subject, text),
                }
            }
            Body::Call(call) => self.call(event, call),
            Body::Result { answered, target, .. } => {
                let target = target.as_deref().unwrap_or_default();
                self.unfolding("result", target, Some(answered), &[], event);
            }
            Body::Notice(notice) => {
                let (name, text) = (&*notice.name, notice.text());
                self.folded("notice", name, if text.is_empty() { "" } else { &text });
            }
        }
    }

    fn answer(&mut self, said: &Said<'_>) {
        self.put("<div class=\"answer\">");
        typeset(&plain(&said.text), &mut self.text);
        self.put("</div>\n");
        self.media(&said.media);
    }

    fn call(&mut self, event: EventRef<'_>, call: &Call<'_>) {
        let name = call.name.as_deref().unwrap_or("tool");
        let target = call.target.as_deref().unwrap_or_default();
        self.unfolding(name, target, call.answered.as_ref(), &call.arguments(), event);
    }

    /// A call on one line, with its input and output behind it. A failed one is open.
    fn unfolding(
        &mut self,
        name: &str,
        target: &str,
        answered: Option<&Answered<'_>>,
        arguments: &[String],
        event: EventRef<'_>,
    ) {
        let bad = answered.and_then(|answered| answered.outcome).is_some_and(Outcome::is_bad);
        self.put(if bad { "<details open>" } else { "<details>" });
        self.put("<summary><span class=\"name\">").say(name).put("</span> ").say(&first(target));
        match answered {
            None => self.put(" <span class=\"when\">no result</span>"),
            Some(answered) => {
                let class = if bad { "bad" } else { "when" };
                self.put(" <span class=\"").put(class).put("\">").say(&first(&answered.brief));
                self.put("</span>")
            }
        };
        self.put("</summary>\n");
        self.block(arguments);
        if let Some(answered) = answered {
            self.block(&answered.lines());
            self.media(&answered.media());
        }
        self.native(event);
        self.put("</details>\n");
    }

    /// The beginning of the agent's own record.
    fn native(&mut self, event: EventRef<'_>) {
        let bytes = event.bytes();
        let shown = &bytes[..bytes.len().min(NATIVE)];
        self.put("<details><summary>the agent's record</summary><pre>");
        self.say(&String::from_utf8_lossy(shown));
        if let Some(rest) = bytes.len().checked_sub(NATIVE).filter(|rest| *rest > 0) {
            self.say(&format!("\n\u{2026} and {} more", human::size(rest as u64)));
        }
        self.put("</pre></details>\n");
    }

    fn folded(&mut self, class: &'static str, name: &str, text: &str) {
        self.put("<details class=\"").put(class).put("\"><summary>").say(&first(name));
        self.put("</summary><pre>").say(text).put("</pre></details>\n");
    }

    fn block(&mut self, lines: &[String]) {
        if !lines.is_empty() {
            self.put("<pre>").say(&lines.join("\n")).put("</pre>\n");
        }
    }

    fn media(&mut self, media: &[Media]) {
        for one in media {
            self.put("<p class=\"media\">").say(&one.to_string()).put("</p>\n");
        }
    }

    fn when(&mut self, event: EventRef<'_>) -> &mut Self {
        if let Some(time) = event.time() {
            self.put(" \u{b7} ").say(&human::moment(time));
        }
        self
    }

    fn end(&mut self, items: &Transcript<'_>) -> io::Result<()> {
        self.compaction();
        self.put(if self.turn > 0 { "</section>\n<footer>" } else { "<footer>" });
        let hidden = items.hidden().iter().map(|(hidden, count)| {
            let [one, many] = hidden.words();
            human::counted(*count, one, many)
        });
        let hidden: Vec<String> = hidden.collect();
        if !hidden.is_empty() {
            self.say(&format!("Not on this page: {}. ", hidden.join(", ")));
        }
        self.say("Made by verbatim.").put("</footer>\n</main></body></html>\n");
        self.flush()
    }
}

/// The line about a number of items that a summary replaced, if there are any.
pub(super) fn compaction(items: u64) -> Option<String> {
    let verb = if items == 1 { "was" } else { "were" };
    let items = (items > 0).then(|| human::counted(items, "item", "items"))?;
    Some(format!("compacted here: {items} above {verb} replaced by a summary"))
}

/// The first line of a text, cut.
pub(super) fn first(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(ENTRY).collect();
    if short.len() < line.len() {
        short.push('\u{2026}');
    }
    short
}

/// The title of a session, else its first prompt, else its uid.
pub(super) fn title(session: &Session) -> String {
    let titled = told::title_text(session);
    let titled = titled.filter(|title| !title.trim().is_empty());
    titled.map(Cow::into_owned).unwrap_or_else(|| {
        let prompt = Transcript::of(session, Detail::Brief).find_map(|item| match item.body {
            Body::Prompt(said) => Some(said.text.into_owned()),
            _ => None,
        });
        prompt.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| session.uid())
    })
}

/// Agent, id, model, folder and time of a session.
pub(super) fn facts(session: &Session) -> String {
    let mut facts = vec![session.uid()];
    facts.extend(told::model(session).map(|model| plain(&model).into_owned()));
    facts.extend(told::folder(session).map(|folder| plain(&folder).into_owned()));
    if let Some(start) = told::lasted(session).start {
        facts.push(format!("{} UTC", human::moment(start.instant)));
    }
    facts.join(" \u{b7} ")
}
