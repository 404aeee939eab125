//! Search in all sessions.

use std::collections::HashSet;
use std::sync::Arc;

use api::search::Search;
use catalog::{Entry, Job};
use operations::filter::Filter;
use operations::search::hit::TalkSection;
use operations::search::pattern::Pattern;
use operations::{SearchHits, SearchResult};

use super::page::{Page, filter, paged};
use crate::app::App;
use crate::entries::uid;
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
fn found(app: &App, ask: &Ask, pattern: &Pattern) -> Result<SearchResult, Fault> {
    let wanted = Wanted::of(app, ask)?;
    let (catalog, takes) = (app.catalog_of(&ask.job), |entry: &Entry| wanted.filter.takes(entry));
    let result = operations::search(&catalog, app.within(), pattern, &wanted.parts, &takes);
    let mut result = result.map_err(|error| fault(&error))?;
    for of in &mut result.sessions {
        operations::add_listed_titles(&catalog, std::slice::from_mut(&mut of.entry));
    }
    Ok(result)
}

/// The sessions and the parts of them that a request searches.
pub(crate) struct Wanted {
    filter: Filter,
    parts: Vec<TalkSection>,
}

impl Wanted {
    /// The task of a request.
    pub(crate) fn of(app: &App, ask: &Ask) -> Result<Self, Fault> {
        let (filter, mut parts) = (filter(app, ask)?, Vec::new());
        for name in ask.values("only") {
            let known = PARTS.iter().find(|(known, _)| *known == name);
            let no_part = || Fault::new(400, format!("no part is `{name}`"));
            parts.extend_from_slice(known.ok_or_else(no_part)?.1);
        }
        Ok(Self { filter, parts })
    }

    /// Searches from the newest session to the oldest, and passes on each that has a match, as soon
    /// as it is known that no later one comes before it. Ends early when `see` wants no more.
    pub(crate) fn each(
        &self,
        (app, job): (&App, &Job),
        pattern: &Pattern,
        see: &mut dyn FnMut(&SearchHits) -> bool,
    ) -> Result<SearchResult, catalog::Error> {
        let (catalog, mut seen, mut goes_on) = (app.catalog_of(job), HashSet::new(), true);
        let mut pass = |sessions: &mut [SearchHits]| {
            // A search that does not believe the times of files puts sessions before others.
            for of in sessions.iter_mut() {
                if !seen.insert(uid(&of.entry)) {
                    continue;
                }
                operations::add_listed_titles(&catalog, std::slice::from_mut(&mut of.entry));
                goes_on = goes_on && see(of);
                // It was passed on: only its number of matches is still needed.
                of.hits.iter_mut().for_each(|hit| hit.lines.clear());
            }
            !goes_on
        };
        let takes = |entry: &Entry| self.filter.takes(entry);
        let task = (pattern, &*self.parts, &takes as &(dyn Fn(&Entry) -> bool + Sync));
        let result = operations::search_in_order(&catalog, app.within(), task, &mut pass);
        let mut result = result?;
        pass(&mut result.sessions);
        Ok(result)
    }
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
