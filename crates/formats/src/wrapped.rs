//! Texts that agents put around a person's prompt: what an editor had open, the state of a turn. A
//! reader of the prompt wants the person's words.

use crate::registry::{AGENTS, agent};
use crate::tagged::element;

/// A prompt without the texts around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwrapped<'t> {
    /// The person's own words.
    pub own: &'t str,
    /// The texts around them, in their order: the name of the tag, and what is in it.
    pub around: Vec<(&'t str, &'t str)>,
}

/// A prompt of a session of this format, without the texts that its agent put around it. A document
/// has sessions of any agent. A prompt that is nothing but such texts is kept as it is.
#[must_use]
pub fn unwrapped<'t>(format: &str, prompt: &'t str) -> Unwrapped<'t> {
    let known = |tag: &str| match agent(format) {
        Some(format) => format.data().wrappers.contains(&tag),
        None => AGENTS.iter().any(|format| format.data().wrappers.contains(&tag)),
    };
    let whole = prompt.trim();
    if let Some(unwrapped) = query(format, whole) {
        return unwrapped;
    }
    let (mut own, mut around, mut behind) = (whole, Vec::new(), Vec::new());
    while let Some((tag, text, rest)) = first(own, known) {
        around.push((tag, text));
        own = rest;
    }
    while let Some((tag, text, rest)) = last(own, known) {
        behind.push((tag, text));
        own = rest;
    }
    if own.is_empty() {
        return Unwrapped { own: whole, around: Vec::new() };
    }
    around.extend(behind.into_iter().rev());
    Unwrapped { own, around }
}

/// A prompt of an agent that puts the person's words into an element of their own, whatever is
/// around it. In a document, whose agent is not known here, the prompt must begin with an element.
fn query<'t>(format: &str, prompt: &'t str) -> Option<Unwrapped<'t>> {
    let [before, own, behind] = match agent(format) {
        Some(format) => format.data().query.iter().find_map(|tag| element(prompt, tag))?,
        None if prompt.starts_with('<') => {
            let tags = AGENTS.iter().flat_map(|format| format.data().query);
            let whole = |parts: &[&str; 3]| parts[2].is_empty();
            tags.filter_map(|tag| element(prompt, tag)).find(whole)?
        }
        None => return None,
    };
    let own = own.trim();
    let mut around = Vec::new();
    for mut rest in [before, behind] {
        rest = rest.trim();
        while let Some((tag, text, behind)) = first(rest, |_| true) {
            around.push((tag, text));
            rest = behind;
        }
        if !rest.is_empty() {
            around.push(("text", rest));
        }
    }
    (!own.is_empty()).then_some(Unwrapped { own, around })
}

/// Whether a text is a greeting and nothing else. It is no title if more follows.
#[must_use]
pub fn is_greeting(text: &str) -> bool {
    const GREETINGS: [&str; 24] = [
        "hi",
        "hello",
        "hey",
        "hiya",
        "yo",
        "howdy",
        "greetings",
        "hallo",
        "moin",
        "servus",
        "hola",
        "salut",
        "bonjour",
        "ciao",
        "ol\u{e1}",
        "hej",
        "ping",
        "test",
        "good morning",
        "good afternoon",
        "good evening",
        "guten morgen",
        "guten tag",
        "buenos d\u{ed}as",
    ];
    const PERSONS: [&str; 4] = ["there", "all", "again", "you"];
    let is_agent =
        |word: &str| AGENTS.iter().any(|format| format.name().split('-').next() == Some(word));
    let plain = |c: char| c.is_alphabetic() || c.is_whitespace();
    if text.len() > 60 {
        return false;
    }
    let said: String = text.chars().filter(|c| plain(*c)).collect::<String>().to_lowercase();
    let mut words: Vec<&str> = said.split_whitespace().collect();
    while words.len() > 1
        && words.last().is_some_and(|last| PERSONS.contains(last) || is_agent(last))
    {
        words.pop();
    }
    GREETINGS.contains(&&*words.join(" "))
}

/// The person's own words in a text of a prompt; `None` if it is nothing but texts that the agent
/// put around others.
pub(crate) fn own_words<'t>(format: &str, text: &'t str) -> Option<&'t str> {
    let whole = unwrapped(format, text).own;
    let tail = "\n.";
    let is_around =
        whole.starts_with('<') && unwrapped(format, &format!("{text}{tail}")).own == ".";
    (!is_around).then_some(whole)
}

/// The element that a text begins with: its name, its text, and the rest.
fn first(text: &str, known: impl Fn(&str) -> bool) -> Option<(&str, &str, &str)> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find(|c: char| c == '>' || c.is_whitespace())?;
    let tag = &inner[..end];
    if !known(tag) {
        return None;
    }
    let open = inner.find('>')?;
    let close = format!("</{tag}>");
    let at = inner[open..].find(&close)? + open;
    Some((tag, inner[open + 1..at].trim(), inner[at + close.len()..].trim_start()))
}

/// The element that a text ends with: its name, its text, and what is before it.
fn last(text: &str, known: impl Fn(&str) -> bool) -> Option<(&str, &str, &str)> {
    let inner = text.strip_suffix('>')?;
    let at = inner.rfind("</")?;
    let tag = &inner[at + 2..];
    if !known(tag) {
        return None;
    }
    let open = inner[..at].rfind(&format!("<{tag}"))?;
    let begins = inner[open..at].find('>')? + open;
    Some((tag, inner[begins + 1..at].trim(), inner[..open].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_nothing_but_a_greeting() {
        for text in ["hi", "Hello!", "hey there :)", "Good morning, Claude.", "ping"] {
            assert!(is_greeting(text), "{text}");
        }
        for text in ["", "hi, mend the gate", "this", "hello world in Rust", "good idea", "42"] {
            assert!(!is_greeting(text), "{text}");
        }
    }

    #[test]
    fn an_element_of_the_persons_words_is_found_behind_others() {
        let skill = "<manually_attached_skills>\nSkill Name: rounding\n</manually_attached_skills>";
        let prompt = format!("{skill}\nread this\n<user_query>\nround <b>up</b>\n</user_query>");
        let told = unwrapped("cursor", &prompt);
        assert_eq!(told.own, "round <b>up</b>");
        let tags: Vec<&str> = told.around.iter().map(|(tag, _)| *tag).collect();
        assert_eq!(tags, ["manually_attached_skills", "text"]);
        assert_eq!(unwrapped("vac", &prompt).own, "round <b>up</b>");
        // A person may write of the element.
        for kept in ["what is <user_query>x</user_query>?", "<user_query></user_query>"] {
            assert_eq!(unwrapped("vac", kept).own, kept);
        }
        assert_eq!(unwrapped("claude-code", &prompt).own, prompt);
    }

    #[test]
    fn the_words_of_the_person_are_left() {
        let told = |text| unwrapped("claude-code", text);
        let both =
            told("<ide_selection>a</ide_selection>\n<ide_opened_file>b</ide_opened_file>\nfix");
        assert_eq!(both.own, "fix");
        assert_eq!(both.around, [("ide_selection", "a"), ("ide_opened_file", "b")]);
        let behind = told("fix it\n\n<system-reminder>be kind</system-reminder>");
        assert_eq!((behind.own, behind.around.len()), ("fix it", 1));
        for kept in ["<b>x</b> y", "<goal> is open", "<goal>only</goal>", "a <goal>x</goal> b", ""]
        {
            assert_eq!(told(kept), Unwrapped { own: kept, around: Vec::new() });
        }
        assert_eq!(unwrapped("vac", "<ide_selection>a</ide_selection> go").own, "go");
        let own = |text| own_words("claude-code", text);
        assert_eq!(own("<ide_selection>a</ide_selection>\n"), None);
        assert_eq!(own("<ide_selection>a</ide_selection> go"), Some("go"));
        assert_eq!(own("<b>x</b>"), Some("<b>x</b>"));
    }
}
