//! Search in all sessions.

use std::sync::Arc;

use api::search::Search;
use operations::SearchResult;
use operations::search::hit::TalkSection;
use operations::search::pattern::Pattern;

use super::page::{Page, filter, paged};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::reading::fault;

/// The parts that can be searched, by the names that the command has for them.
pub(crate) const PARTS: [(&str, &[TalkSection]); 8] = [
    ("prompts", &[TalkSection::Prompts]),
    ("answers", &[TalkSection::Answers]),
    ("thoughts", &[TalkSection::Thoughts]),
    ("tools", &[TalkSection::Calls, TalkSection::Outputs]),
    ("calls", &[TalkSection::Calls]),
    ("outputs", &[TalkSection::Outputs]),
    ("edits", &[TalkSection::Edits]),
    ("errors", &[TalkSection::Errors]),
];

/// `/v1/search`: the sessions with a match, the newest first, as `search --json` has them.
pub(crate) fn search(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let page = Page::of(ask)?;
    let pattern =
        pattern(ask)?.ok_or_else(|| Fault::new(400, "`q` has the words to search for"))?;
    let mut result = found(app, ask, &pattern)?;
    let total = result.sessions.len();
    result.sessions = result.sessions.into_iter().skip(page.from).take(page.most).collect();
    let (shown, next) = (result.sessions.len(), page.next(result.sessions.len(), total));
    let more = total.saturating_sub(page.from.saturating_add(shown));
    let document = Search { more, ..Search::of(&result) };
    Ok(paged(ask, Reply::json(&document)?, total, next.as_deref()))
}

/// The pattern of a request; `None` if it has no words.
pub(crate) fn pattern(ask: &Ask) -> Result<Option<Pattern>, Fault> {
    let Some(text) = ask.value("q") else { return Ok(None) };
    let made = match ask.value("regex") {
        Some(_) => Pattern::expression(text),
        None => Pattern::words(&words(text)),
    };
    let why = |why: String| Fault::new(400, format!("this can't be searched for: {why}"));
    made.map(Some).map_err(why)
}

/// The words of a text; those between quotation marks are one phrase.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (at, part) in text.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.trim().to_owned()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The sessions that match.
pub(crate) fn found(app: &App, ask: &Ask, pattern: &Pattern) -> Result<SearchResult, Fault> {
    let filter = filter(app, ask)?;
    let mut parts: Vec<TalkSection> = Vec::new();
    for name in ask.values("only") {
        let known = PARTS.iter().find(|(known, _)| *known == name);
        let (_, known) = known.ok_or_else(|| Fault::new(400, format!("no part is `{name}`")))?;
        parts.extend_from_slice(known);
    }
    let catalog = app.catalog();
    let takes = |entry: &catalog::Entry| filter.takes(entry);
    let result = operations::search(&catalog, app.within(), pattern, &parts, &takes);
    let mut result = result.map_err(|error| fault(&error))?;
    for of in &mut result.sessions {
        operations::add_listed_titles(&catalog, std::slice::from_mut(&mut of.entry));
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn quotation_marks_make_a_phrase() {
        assert_eq!(words("a \"b  c\" d"), ["a", "b  c", "d"]);
        assert_eq!(words("\"open end"), ["open end"]);
        assert!(words(" \"\" ").is_empty());
    }
}
