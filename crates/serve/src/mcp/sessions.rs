//! Sessions: found, listed and read.

use std::path::Path;

use catalog::{Entry, Opened};
use operations::SearchHits;
use operations::search::hit::TextMatch;
use operations::search::pattern::Pattern;
use redact::{Clean, Outgoing as _};
use rmcp::model::JsonObject;
use session::Sorting as _;
use session::{EventAddress, Session, UtcTime};
use views::transcript::{Detail, Item, Transcript};

use super::Question;
use super::answers::{clean, filter};
use super::arguments::Arguments;
use super::frame::Response;

/// The mark of a session whose texts were not redacted, so that none is shown.
const UNCHECKED: &str = "not yet checked: get_session redacts it and shows its text";

/// Whether the files of a session were written after the server was started: it is being written,
/// perhaps by the agent that asks.
fn is_running(asked: &Question<'_>, entry: &Entry) -> bool {
    let modified = |path: &Path| path.metadata().ok()?.modified().ok();
    let times = entry.files.iter().filter_map(|file| modified(file));
    let written = times.filter_map(catalog::summary::instant).max();
    written.or(entry.updated).is_some_and(|time| time >= asked.since)
}

/// The facts of a session that no text of it is in.
fn facts(asked: &Question<'_>, entry: &Entry) -> Vec<(&'static str, String)> {
    let uid = format!("{}:{}", entry.format, entry.id);
    let mut facts = vec![("address", session::uid_text(&uid)), ("agent", entry.format.to_owned())];
    let time = |time: Option<UtcTime>| time.map(UtcTime::rfc3339);
    facts.extend(time(entry.started).map(|time| ("started", time)));
    facts.extend(time(entry.updated).map(|time| ("updated", time)));
    facts.push(("bytes", entry.length.to_string()));
    if entry.archived {
        facts.push(("archived", "yes".to_owned()));
    }
    if is_running(asked, entry) {
        facts.push(("running", "it is being written now, perhaps by you".to_owned()));
    }
    facts.push(("text", UNCHECKED.to_owned()));
    facts
}

/// Adds the sessions that there is room for, and says what is left out.
fn put<'e>(
    asked: &Question<'_>,
    (entries, most, running): (impl Iterator<Item = (&'e Entry, Vec<u64>)>, u64, bool),
    into: &mut Response,
) {
    let (mut shown, mut left, mut live, mut unnamed) = (0, 0, 0, 0);
    for (entry, turns) in entries {
        // An id may hold a secret, and nothing names such a session without it.
        let uid = format!("{}:{}", entry.format, entry.id);
        if clean(asked, &uid).is_none_or(|clean| clean.trim_end() != uid) {
            unnamed += 1;
            continue;
        }
        if !running && is_running(asked, entry) {
            live += 1;
            continue;
        }
        let mut facts = facts(asked, entry);
        if !turns.is_empty() {
            let turns: Vec<String> = turns.iter().take(50).map(u64::to_string).collect();
            facts.push(("turns_that_match", turns.join(" ")));
        }
        if shown < most && into.item(&facts, None) {
            shown += 1;
        } else {
            left += 1;
        }
    }
    into.say(&format!("{shown} sessions"));
    if left > 0 {
        into.say(&format!("left out: {left} more sessions; ask for more with limit"));
    }
    if unnamed > 0 {
        into.say(&format!("left out: {unnamed} sessions whose id holds a secret"));
    }
    if live > 0 {
        into.say(&format!("left out: {live} sessions that are being written (include_running)"));
    }
}

/// The number of sessions that a search redacts whole, to know what of them is found.
const WHOLE: usize = 8;

/// The turns in which a session has the words outside of what redaction takes out: else a client
/// could ask for a secret letter by letter. Mostly the found line shows it; where the words are on
/// several lines, the whole session is redacted, up to `whole` of them.
fn clean_turns(
    asked: &Question<'_>,
    of: &SearchHits,
    pattern: &Pattern,
    whole: &mut usize,
) -> Vec<u64> {
    let is_shown = |hit: &&TextMatch| {
        let lines = clean(asked, &hit.lines.join("\n"));
        lines.is_some_and(|lines| pattern.is_in(&lines))
    };
    let mut turns: Vec<u64> = of.hits.iter().filter(is_shown).map(|hit| hit.turn).collect();
    let is_spread = |hit: &TextMatch| !pattern.is_in(&hit.lines.join("\n"));
    if of.hits.iter().any(is_spread) && *whole > 0 {
        *whole -= 1;
        let opened = opened(asked, &format!("{}:{}", of.entry.format, of.entry.id));
        let found = opened.and_then(|opened| {
            redacted(asked, opened, |session| {
                let all = Transcript::of(session.session(), Detail::Brief).of_turns(None);
                let has = |item: &Item<'_>| item.texts().any(|text| pattern.is_in(&text.text()));
                all.filter(has).map(|item| item.turn).collect::<Vec<u64>>()
            })
        });
        turns.extend(found.unwrap_or_default());
    }
    turns.in_order();
    turns.dedup();
    turns
}

/// Answers in which sessions all words of a query are.
pub(super) fn search(
    asked: &Question<'_>,
    given: &JsonObject,
    into: &mut Response,
) -> Result<(), String> {
    let given = Arguments::of(given, &["query", "limit", "all_projects", "include_running"])?;
    let words: Vec<String> = given.text("query")?.split_whitespace().map(str::to_owned).collect();
    let (most, running) = (given.number("limit", (1, 100), 20)?, given.is("include_running")?);
    let filter = filter(asked, given.is("all_projects")?);
    let pattern = Pattern::words(&words)?;
    let takes = |entry: &Entry| filter.takes(entry);
    let found = operations::search(&asked.catalog(), &asked.within, &pattern, &[], &takes)
        .map_err(|_| "the sessions can't be read".to_owned())?;
    let mut whole = WHOLE;
    let hits = found.sessions.iter().filter_map(|of| {
        let turns = clean_turns(asked, of, &pattern, &mut whole);
        (!turns.is_empty()).then_some((&of.entry, turns))
    });
    put(asked, (hits, most, running), into);
    if !found.skipped.is_empty() {
        into.say(&format!("{} files could not be looked through", found.skipped.len()));
    }
    Ok(())
}

/// Answers which sessions there are.
pub(super) fn list(
    asked: &Question<'_>,
    given: &JsonObject,
    into: &mut Response,
) -> Result<(), String> {
    let given = Arguments::of(given, &["limit", "all_projects", "include_running"])?;
    let (most, running) = (given.number("limit", (1, 100), 20)?, given.is("include_running")?);
    let filter = filter(asked, given.is("all_projects")?);
    let listing = asked.catalog().list(&asked.within, false);
    let taken = listing.entries.iter().filter(|entry| filter.takes(entry));
    put(asked, (taken.map(|entry| (entry, Vec::new())), most, running), into);
    Ok(())
}

/// Opens the session that an address or an id names. A path names none.
pub(super) fn opened(asked: &Question<'_>, name: &str) -> Result<Opened, String> {
    let uid = match name.parse::<EventAddress>() {
        Ok(address) => address.uid,
        Err(_) => session::uid_of_text(name).unwrap_or_else(|| name.to_owned()),
    };
    let agent = uid.split_once(':').map(|(agent, _)| agent);
    let is_known = asked.formats.iter().any(|format| Some(format.name()) == agent);
    if !is_known || Path::new(&uid).exists() {
        return Err("a session is named by its address, as search_sessions gives it".to_owned());
    }
    asked
        .catalog()
        .open(Path::new(&uid), &asked.within)
        .map_err(|_| "there is no session with this address, or several".to_owned())
}

/// Answers with the items of some turns of a session, redacted.
pub(super) fn get(
    asked: &Question<'_>,
    given: &JsonObject,
    into: &mut Response,
) -> Result<(), String> {
    let known = ["session", "from_turn", "to_turn", "from_item"];
    let given = Arguments::of(given, &known)?;
    let turns = (
        given.number("from_turn", (0, u64::MAX), 0)?,
        given.number("to_turn", (0, u64::MAX), u64::MAX)?,
    );
    let first = given.number("from_item", (0, u64::MAX), 0)?;
    let opened = opened(asked, given.text("session")?)?;
    redacted(asked, opened, |session| items(session, turns, first, into))
}

/// Redacts a session, and does something with the clean one.
fn redacted<T>(
    asked: &Question<'_>,
    opened: Opened,
    work: impl FnOnce(&Clean<&Session>) -> T,
) -> Result<T, String> {
    let catalog = asked.catalog();
    let refused = |_| "the session can't be redacted, so it is not shown".to_owned();
    let cut = match opened.session().shared {
        true => operations::cut_out(&catalog, opened.session()).map_err(refused)?,
        false => None,
    };
    let redaction = match &cut {
        Some(cut) => operations::redact(&catalog, cut, &asked.redactor),
        None => operations::redact_opened(&catalog, opened, &asked.redactor),
    };
    Ok(work(&redaction.map_err(refused)?.outgoing()))
}

/// Adds the items of a session. There is no other way to the text of one than a clean session.
fn items(session: &Clean<&Session>, turns: (u64, u64), first: u64, into: &mut Response) {
    let (mut shown, mut seen) = (0, 0);
    let mut next: Option<(u64, u64)> = None;
    let mut left = 0;
    let mut of_turn = (0, 0);
    for item in Transcript::of(session.session(), Detail::Brief).of_turns(Some(turns)) {
        if item.turn != of_turn.0 {
            of_turn = (item.turn, 0);
        }
        for text in item.texts() {
            let number = of_turn.1;
            of_turn.1 += 1;
            seen += 1;
            if seen <= first {
                continue;
            }
            if next.is_some() {
                left += 1;
                continue;
            }
            let mut facts = vec![
                ("address", text.event.address().to_string()),
                ("turn", item.turn.to_string()),
                ("part", text.part.word().to_owned()),
            ];
            facts.extend(text.event.when().map(|time| ("time", time.rfc3339())));
            if into.item(&facts, Some(&text.text())) {
                shown += 1;
            } else {
                next = Some((item.turn, number));
                left += 1;
            }
        }
    }
    into.say(&format!("session {}", session::uid_text(&session.session().uid())));
    into.say(&format!("{shown} items of turns, redacted"));
    if let Some((turn, item)) = next {
        into.say(&format!(
            "left out: {left} more items; the next is from_turn {turn} from_item {item}"
        ));
    }
}
