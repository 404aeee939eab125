//! Sessions: found, listed and read.

use std::path::Path;

use catalog::{Entry, Opened};
use operations::search::hit::{TalkSection, TextMatch};
use operations::search::pattern::Pattern;
use operations::{FoundTexts, search_checked};
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

/// The mark of a session that was redacted when the index was filled.
const REDACTED: &str = "redacted: the title and lines of the first matches";

/// Greatest number of characters of a title.
const TITLE: usize = 200;

/// Number of matches of a session that are shown.
const SHOWN: usize = 3;

/// A session that is shown.
struct Shown<'e> {
    entry: &'e Entry,
    /// The turns that match.
    turns: Vec<u64>,
    /// Its title and the first matches, if it was redacted before.
    text: Option<String>,
}

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
    facts
}

/// Adds the sessions that there is room for, and says what is left out.
fn put<'e>(
    asked: &Question<'_>,
    (sessions, most, running): (impl Iterator<Item = Shown<'e>>, u64, bool),
    into: &mut Response,
) {
    let (mut shown, mut left, mut live, mut unnamed) = (0, 0, 0, 0);
    for Shown { entry, turns, text } in sessions {
        // An id may hold a secret, and nothing names such a session without it. The index has only
        // sessions whose ids hold none.
        let uid = format!("{}:{}", entry.format, entry.id);
        let is_clean = || clean(asked, &uid).is_some_and(|clean| clean.trim_end() == uid);
        if text.is_none() && !is_clean() {
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
        let mark = if text.is_some() { REDACTED } else { UNCHECKED };
        facts.push(("text", mark.to_owned()));
        if shown < most && into.item(&facts, text.as_deref()) {
            shown += 1;
        } else {
            left += 1;
        }
    }
    into.say(&format!("{shown} sessions, the newest first"));
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
    (entry, hits): (&Entry, &[TextMatch]),
    pattern: &Pattern,
    whole: &mut usize,
) -> Vec<u64> {
    let is_shown = |hit: &&TextMatch| {
        let lines = clean(asked, &hit.lines.join("\n"));
        lines.is_some_and(|lines| pattern.is_in(&lines))
    };
    let mut turns: Vec<u64> = hits.iter().filter(is_shown).map(|hit| hit.turn).collect();
    let is_spread = |hit: &TextMatch| !pattern.is_in(&hit.lines.join("\n"));
    if hits.iter().any(is_spread) && *whole > 0 {
        *whole -= 1;
        let opened = opened(asked, &format!("{}:{}", entry.format, entry.id));
        let found = opened.and_then(|opened| {
            redacted(asked, opened, |session| {
                let all = Transcript::of(session.session(), Detail::Brief).of_turns(None);
                let has = |item: &Item<'_>| item.texts().any(|text| pattern.is_in(&text.text()));
                all.filter(has).map(|item| item.turn).collect::<Vec<u64>>()
            })
        });
        turns.extend(found.unwrap_or_default());
    }
    each_once(turns)
}

fn each_once(mut turns: Vec<u64>) -> Vec<u64> {
    turns.in_order();
    turns.dedup();
    turns
}

/// The title and the first matches of a session without sensitive values.
fn found_text(title: Option<&str>, hits: &[TextMatch]) -> String {
    let title = title.unwrap_or("(no title)").trim();
    let mut text: String = title.lines().next().unwrap_or_default().chars().take(TITLE).collect();
    for hit in hits.iter().filter(|hit| hit.part != TalkSection::Titles).take(SHOWN) {
        text.push_str(&format!("\n\nturn {}, {}:\n", hit.turn, hit.part.word()));
        text.push_str(&hit.lines.join("\n"));
    }
    text
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
    let found = search_checked(&asked.catalog, &asked.within, &pattern, &takes, &asked.rules)
        .map_err(|_| "the sessions can't be read".to_owned())?;
    let mut whole = WHOLE;
    let shown = found.sessions.iter().filter_map(|of| match &of.texts {
        FoundTexts::Clean { title, hits } => {
            let turns = each_once(hits.iter().map(|hit| hit.turn).collect());
            let text = Some(found_text(title.as_deref(), hits));
            Some(Shown { entry: &of.entry, turns, text })
        }
        FoundTexts::NotYet(hits) => {
            let turns = clean_turns(asked, (&of.entry, hits), &pattern, &mut whole);
            (!turns.is_empty()).then_some(Shown { entry: &of.entry, turns, text: None })
        }
    });
    put(asked, (shown, most, running), into);
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
    let listing = asked.catalog.list(&asked.within, false);
    let taken = listing.entries.iter().filter(|entry| filter.takes(entry));
    let shown = taken.map(|entry| Shown { entry, turns: Vec::new(), text: None });
    put(asked, (shown, most, running), into);
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
        .catalog
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
    let (catalog, redactor) = (&asked.catalog, asked.redactor()?);
    let refused = |_| "the session can't be redacted, so it is not shown".to_owned();
    let cut = match opened.session().shared {
        true => operations::cut_out(catalog, opened.session()).map_err(refused)?,
        false => None,
    };
    let redaction = match &cut {
        Some(cut) => operations::redact(catalog, cut, redactor),
        None => operations::redact_opened(catalog, opened, redactor),
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
