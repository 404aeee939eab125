//! Titles of sessions for people: the agent's own, or else the first line of the first prompt.

use catalog::Entry;
use formats::wrapped::is_greeting;

/// The title of a session, and whether it is derived: the first line of its first prompt that says
/// something.
pub(crate) fn title(entry: &Entry) -> (String, bool) {
    match (&entry.title, &entry.prompt) {
        (Some(title), _) if !title.trim().is_empty() => (first_line(title).to_owned(), false),
        (_, Some(prompt)) => (format!("› {}", first_line(prompt)), true),
        _ => (String::new(), true),
    }
}

/// The title for other programs: one that is recorded is whole.
pub(crate) fn whole(entry: &Entry) -> String {
    let recorded = entry.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    recorded.map_or_else(|| title(entry).0, str::to_owned)
}

/// The greatest number of characters of a prompt's first line that is shown as a title.
const SHOWN: usize = 200;

/// Leaves of a session's prompt what its title is made of: a list may be long, and so may prompts.
pub(crate) fn shorten(entry: &mut Entry) {
    let Some(prompt) = &mut entry.prompt else { return };
    let line = first_line(prompt);
    let most = line.char_indices().nth(SHOWN).map_or(line.len(), |(at, _)| at);
    let cut = if most < line.len() { "\u{2026}" } else { "" };
    *prompt = format!("{}{cut}", &line[..most]).into();
}

/// The beginning of an editor's heading of a request, behind those of what it adds.
const REQUEST: &str = "## My request for ";

/// The text behind the heading of the request, if an editor's headings are in front of it.
fn request(text: &str) -> &str {
    let text = text.trim_start();
    let first = text.lines().next().unwrap_or_default().trim_end();
    let is_headed = first.starts_with("# ") && first.ends_with(':') || first.starts_with("## ");
    let at = is_headed.then(|| text.find(&format!("\n{REQUEST}"))).flatten();
    let behind = at.and_then(|at| text[at + 1..].split_once('\n')).map(|(_, behind)| behind);
    behind.filter(|behind| !behind.trim().is_empty()).unwrap_or(text)
}

/// The first line that is not a tag, because some programs put tags around the prompt, and headings
/// in front of it.
pub(crate) fn first_line(text: &str) -> &str {
    let text = request(text);
    let tag = |line: &&str| {
        line.starts_with('<') && line.ends_with('>') && !line.contains(' ') || is_element(line)
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut said = lines.clone().filter(|line| !tag(line));
    let first = said.next().or_else(|| lines.next()).unwrap_or_default();
    // A greeting is no title if more follows.
    bare(if is_greeting(first) { said.next().unwrap_or(first) } else { first })
}

/// A line without the tag that it begins with, if the element ends on another line. Some programs
/// write the line break behind it as an escape, within a quoted text.
fn bare(line: &str) -> &str {
    let inner =
        line.trim_start_matches('"').strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let Some((name, rest)) = inner else { return line };
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let broken = rest.starts_with("\\n");
    let rest = rest.trim_start_matches("\\n").trim();
    let is_open = is_name && !rest.is_empty() && (broken || !rest.contains(&format!("</{name}>")));
    if is_open { rest } else { line }
}

/// Whether a line is an element: `<name>…</name>`.
fn is_element(line: &str) -> bool {
    let name = line.strip_prefix('<').and_then(|rest| rest.split(['>', ' ']).next());
    let before = line.strip_suffix('>').zip(name).and_then(|(rest, name)| rest.strip_suffix(name));
    before.is_some_and(|rest| rest.ends_with("</"))
}

#[cfg(test)]
mod tests {
    use catalog::Entry;

    use super::{first_line, shorten, title, whole};

    #[test]
    fn a_prompt_is_cut_and_a_recorded_title_is_whole() {
        let long = "oil ".repeat(100);
        let mut entry = Entry { prompt: Some(format!("{long}\nmore").into()), ..Entry::default() };
        shorten(&mut entry);
        let (shown, derived) = title(&entry);
        assert_eq!((shown.chars().count(), derived), ("› ".chars().count() + 200 + 1, true));
        let recorded = format!("{long}of the gate");
        entry.title = Some(recorded.clone().into());
        shorten(&mut entry);
        assert_eq!(whole(&entry), recorded);
    }

    #[test]
    fn a_title_is_not_the_tag_around_the_prompt() {
        assert_eq!(first_line("<user_query>\n\n  Fix it \n</user_query>"), "Fix it");
        assert_eq!(first_line("  <b>bold</b> is fine\nsecond"), "<b>bold</b> is fine");
        assert_eq!(first_line("\n<only>\n"), "<only>");
        assert_eq!(first_line("<at>Monday, 4 PM</at>\n<user_query>\nFix\n"), "Fix");
        assert_eq!(first_line("<at>Monday, 4 PM</at>"), "<at>Monday, 4 PM</at>");
        assert_eq!(first_line("<a href='x'> or <b>\nsecond"), "<a href='x'> or <b>");
        assert_eq!(first_line(" \n"), "");
        assert_eq!(first_line("Hi!\n\nOil the hinge\n"), "Oil the hinge");
        assert_eq!(first_line("hello\n"), "hello");
        assert_eq!(first_line("<task>Oil the hinge\nand the lock</task>"), "Oil the hinge");
        assert_eq!(first_line("\"<context>\\nIt is shut</context>"), "It is shut</context>");
        let headed = "# Context from my IDE setup:\n\n## Active file: src/door.rs\n\n\
                      ## My request for Codex:\nOil the hinge\n";
        assert_eq!(first_line(headed), "Oil the hinge");
        let files =
            headed.replace("# Context from my IDE setup:", "# Files mentioned by the user:");
        assert_eq!(first_line(&files), "Oil the hinge");
        assert_eq!(first_line(&headed[30..]), "Oil the hinge");
        assert_eq!(first_line("# Plan:\nfirst\n"), "# Plan:");
        assert_eq!(first_line("Say\n## My request for X:\nno"), "Say");
    }
}
