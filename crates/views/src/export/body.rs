//! The items of a page: prompts, answers, thoughts, calls with what they changed and got.

use maud::{PreEscaped, html as make};

use super::coloured::Colours;
use super::heading::split;
use super::named::{anchor, first, is_bad};
use super::parsed::words as typeset_words;
use super::safe::{Words, plain};
use super::sheet::Bodies;
use super::typeset::typeset;
use crate::human::{self, counted};
use crate::transcript::{Body, Item, Said, Thought};

/// The number of lines from which on a prompt is folded.
const LONG: usize = 40;

impl Bodies {
    /// A remark of the page's own.
    pub(super) fn remark(&mut self, text: &str) {
        self.put(make! { p class="when" { (text) } }, 40.0);
    }

    /// The line behind a range that a summary replaced.
    pub(super) fn rule(&mut self, text: &str) {
        self.put(make! { p class="compacted" { (text) } }, 55.0);
    }

    /// Ends the items of a sub-agent, and the call that started it.
    pub(super) fn close_agent(&mut self) {
        self.closed.pop();
        self.put(PreEscaped("</div></details></div>\n".to_owned()), 0.0);
    }

    pub(super) fn item(&mut self, item: &Item<'_>, class: &str) {
        let kind = kind(item);
        let open = format!("<div class=\"{class} {kind}\" id=\"{}\">\n", anchor(item.event));
        self.put(PreEscaped(open), 4.0);
        self.mark(item.event);
        match &item.body {
            Body::Prompt(said) => self.prompt(said),
            Body::Answer(said) => {
                self.prose(&said.text);
                self.media(&said.media);
            }
            Body::Injected(said) => {
                self.folded("notice", item.beside(), &said.text);
                self.media(&said.media);
            }
            Body::Thought(thought) => self.thought(thought),
            Body::Call(call) => {
                self.call(call, item);
                if call.starts {
                    return;
                }
            }
            Body::Result { answered, target, files, .. } => {
                self.result((answered, target.as_deref().unwrap_or_default()), files, item);
            }
            Body::Notice(notice) => self.folded("notice", &notice.name, &notice.text()),
        }
        self.put(PreEscaped("</div>\n".to_owned()), 0.0);
        self.rest();
    }

    /// A text for the person: an answer, a plan, the report of a task.
    pub(super) fn prose(&mut self, text: &str) {
        let html = make! { div class="answer" { (Typeset(text, &self.colours)) } };
        self.put(html, lines(text));
    }

    fn prompt(&mut self, said: &Said<'_>) {
        let head = self.head.take();
        // The heading has the first line: it is not there twice.
        let rest = head.as_ref().and_then(|_| split(&said.text)).map(|(_, rest)| rest);
        let body = rest.unwrap_or(&said.text);
        let count = body.lines().count();
        let text = Typeset(body, &self.colours);
        let html = make! {
            @if let Some(head) = &head { (head) }
            @if !body.trim().is_empty() || head.is_none() { div class="prompt" {
                @if count > LONG {
                    details {
                        summary { "the whole prompt, " (counted(count as u64, "line", "lines")) }
                        (text)
                    }
                } @else { (text) }
            } }
        };
        let height = match (count > LONG, body.is_empty()) {
            (true, _) => 60.0,
            (false, true) => 0.0,
            (false, false) => lines(body) + 20.0,
        };
        self.put(html, height);
        self.media(&said.media);
        for (name, text) in &said.around {
            let size = counted(text.lines().count() as u64, "line", "lines");
            self.folded("notice", &format!("inserted by the agent: {name}, {size}"), text);
        }
    }

    fn thought(&mut self, thought: &Thought<'_>) {
        let raw = thought.subject.as_deref().unwrap_or(&thought.text);
        let words = Some(typeset_words(raw)).filter(|words| !words.is_empty());
        let words = words.unwrap_or_else(|| raw.to_owned());
        match (&*thought.text, thought.encrypted) {
            ("", Some(bytes)) => {
                let size = human::size(bytes as u64);
                let html = make! {
                    p class="thought" {
                        "\u{2234} " (Words(thought.subject.as_deref().unwrap_or("thinking"))) ", "
                        (size) ", sealed by the provider"
                    }
                };
                self.put(html, 30.0);
            }
            // One short line needs no fold.
            (text, _) if is_line(text) => {
                self.put(make! { p class="thought" { "\u{2234} " (Words(text.trim())) } }, 36.0);
            }
            (text, _) => {
                let count = text.split_whitespace().count() as u64;
                let words = format!(
                    "\u{2234} {} \u{b7} {}",
                    first(&words),
                    counted(count, "word", "words")
                );
                self.folded("thought", &words, text);
            }
        }
    }

    fn folded(&mut self, class: &str, name: &str, text: &str) {
        let html = make! {
            @if text.is_empty() {
                p class=(class) { (Words(&first(name))) }
            } @else {
                details class=(class) {
                    summary { (Words(&first(name))) }
                    pre { (Words(text)) }
                }
            }
        };
        self.put(html, 36.0);
    }
}

/// Whether a text is one short line in which nothing is typeset.
fn is_line(text: &str) -> bool {
    text.trim() == first(text) && text.trim() == typeset_words(text)
}

/// Markdown of the session, with its colours.
struct Typeset<'t>(&'t str, &'t Colours);

impl maud::Render for Typeset<'_> {
    fn render_to(&self, out: &mut String) {
        typeset(&plain(self.0), self.1, out);
    }
}

/// The class of an item, by which the page's script filters.
fn kind(item: &Item<'_>) -> &'static str {
    match &item.body {
        Body::Prompt(_) => "k-prompt",
        Body::Answer(_) => "k-answer",
        Body::Thought(_) => "k-thought",
        Body::Call(call) if call.answered.as_ref().is_some_and(is_bad) => "k-call k-bad",
        Body::Call(call) if !call.files.is_empty() => "k-call k-edit",
        Body::Call(_) | Body::Result { .. } => "k-call",
        Body::Injected(_) | Body::Notice(_) => "k-note",
    }
}

/// The height of typeset text in pixels.
fn lines(text: &str) -> f64 {
    let (mut code, mut height) = (false, 16.0);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
            height += 24.0;
            continue;
        }
        let wraps = |width: f64| (line.chars().count() as f64 / width).ceil().max(1.0);
        height += match (code, line.trim().is_empty()) {
            (true, _) => 18.4 * wraps(98.0),
            (false, true) => 15.0,
            (false, false) => 24.8 * wraps(104.0),
        };
    }
    height
}
