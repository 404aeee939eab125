//! A session as Markdown that can be committed: an item a block, stable from run to run.

use std::io::{self, Write};

use session::{Outcome, Session, Stream};

use super::html::{facts, title};
use super::note::ExportNote;
use super::safe::plain;
use crate::view::human;
use crate::view::transcript::{Answered, Body, Detail, Item, Said, Transcript};

/// Writes a session as Markdown.
///
/// # Errors
/// Those of `out`.
pub fn markdown(session: &Session, note: &ExportNote, out: &mut dyn Write) -> io::Result<()> {
    let title = title(session);
    writeln!(out, "# {}\n\n{}\n", inline(&title), inline(&facts(session)))?;
    writeln!(out, "> {}", inline(&note.sentence()))?;
    let mut items = Transcript::of(session, Detail::Brief);
    let mut stream = &Stream::Main;
    for item in &mut items {
        if item.event.stream() != stream {
            stream = item.event.stream();
            match stream {
                Stream::Main => writeln!(out, "\n*(end of the sub-agent)*")?,
                Stream::Sub(name) => writeln!(out, "\n*(sub-agent {})*", inline(name))?,
            }
        }
        put(&item, out)?;
    }
    let hidden = items.hidden().iter().map(|(hidden, count)| {
        let [one, many] = hidden.words();
        human::counted(*count, one, many)
    });
    let hidden: Vec<String> = hidden.collect();
    if !hidden.is_empty() {
        writeln!(out, "\n---\n\nNot in this file: {}.", hidden.join(", "))?;
    }
    Ok(())
}

fn put(item: &Item<'_>, out: &mut dyn Write) -> io::Result<()> {
    match &item.body {
        Body::Prompt(said) => {
            let time = item.event.time().map(human::moment).unwrap_or_default();
            writeln!(out, "\n## {} {time}\n", item.turn)?;
            quoted(said, out)
        }
        Body::Answer(said) => {
            writeln!(out, "\n{}", text(&said.text))?;
            said.media
                .iter()
                .try_for_each(|one| writeln!(out, "\n*[{}]*", inline(&one.to_string())))
        }
        Body::Injected(said) => folded(item.beside(), &said.text, out),
        Body::Thought(thought) => {
            folded(thought.subject.as_deref().unwrap_or("thinking"), &thought.text, out)
        }
        Body::Call(call) => {
            let name = call.name.as_deref().unwrap_or("tool");
            let target = call.target.as_deref().unwrap_or_default();
            line(name, target, call.answered.as_ref(), out)?;
            if let Some(answered) = call.answered.as_ref().filter(|answered| is_bad(answered)) {
                fenced(&answered.lines().join("\n"), out)?;
            }
            Ok(())
        }
        Body::Result { answered, target, .. } => {
            line("result", target.as_deref().unwrap_or_default(), Some(answered), out)
        }
        Body::Notice(notice) => writeln!(out, "\n*({})*", inline(&notice.name)),
    }
}

fn is_bad(answered: &Answered<'_>) -> bool {
    answered.outcome.is_some_and(Outcome::is_bad)
}

/// A call on one line, with its target and outcome.
fn line(
    name: &str,
    target: &str,
    answered: Option<&Answered<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let brief = answered.map_or("no result", |answered| &answered.brief);
    let mark = if answered.is_some_and(is_bad) { "failed: " } else { "" };
    let target = if target.is_empty() { String::new() } else { format!(" {}", code(target)) };
    writeln!(out, "\n- **{}**{target}: {mark}{}", inline(name), inline(brief))
}

fn quoted(said: &Said<'_>, out: &mut dyn Write) -> io::Result<()> {
    for line in text(&said.text).lines() {
        writeln!(out, "> {line}")?;
    }
    said.media.iter().try_for_each(|one| writeln!(out, "> *[{}]*", inline(&one.to_string())))
}

/// A text that is of less interest.
fn folded(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n*{}*", inline(name))?;
    if text.is_empty() { Ok(()) } else { fenced(text, out) }
}

/// A block of code behind a fence that is longer than any within it (CommonMark, section 4.5).
fn fenced(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let text = plain(text);
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    writeln!(out, "\n{fence}text\n{}\n{fence}", text.trim_end())
}

/// A span of code on one line.
fn code(text: &str) -> String {
    let text = plain(text).replace(['\n', '\t'], " ");
    let short: String = text.chars().take(160).collect();
    let longest = short.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    format!("{marks} {short} {marks}")
}

/// Markdown of the session, in which HTML is text and only known addresses can be followed.
fn text(text: &str) -> String {
    let mut out = String::new();
    let mut fence: Option<usize> = None;
    for line in plain(text).lines() {
        let marks = line.trim_start().bytes().take_while(|&byte| byte == b'`').count();
        match fence {
            Some(open) if marks >= open && line.trim().len() == marks => fence = None,
            None if marks >= 3 => fence = Some(marks),
            _ => {}
        }
        match fence {
            Some(_) => out.push_str(line),
            // A heading of the text is no heading of the file.
            None if line.trim_start().starts_with('#') => {
                out.push_str(&format!("\\{}", harmless(line.trim_start())))
            }
            None => out.push_str(&harmless(line)),
        }
        out.push('\n');
    }
    if let Some(open) = fence {
        out.push_str(&"`".repeat(open));
        out.push('\n');
    }
    out
}

/// A line in which nothing becomes HTML or an address of a script.
fn harmless(line: &str) -> String {
    let line = line.replace('&', "&amp;").replace('<', "&lt;");
    let lower = line.to_ascii_lowercase();
    let schemes = ["javascript:", "data:", "vbscript:", "file:"];
    match schemes.iter().any(|scheme| lower.contains(scheme)) {
        true => line.replace(']', "\\]"),
        false => line.replace("![", "!\\["),
    }
}

/// A text on one line, without marks of Markdown.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for letter in plain(text).chars().take(300) {
        match letter {
            '\n' | '\t' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out.trim().to_owned()
}
