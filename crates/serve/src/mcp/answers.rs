//! The answers of the tools. Each is a function of the question and of the sessions.

use operations::attest::VerifyTask;
use operations::filter::Filter;
use operations::usage::money::Money;
use operations::usage::price::Prices;
use operations::usage::{By, Grouping, sums};
use receipt::SessionTurns;
use rmcp::model::JsonObject;
use session::UtcTime;

use super::arguments::Arguments;
use super::frame::Response;
use super::tools::ToolName;
use super::{Question, history, sessions};

/// Answers a call: the blocks of the response.
///
/// # Errors
/// The reason why there is no answer. It has no text of a session.
pub(super) fn answer(
    asked: &Question<'_>,
    tool: ToolName,
    given: &JsonObject,
) -> Result<Vec<String>, String> {
    let mut response = Response::new((asked.fence)());
    let into = &mut response;
    match tool {
        ToolName::Search => sessions::search(asked, given, into),
        ToolName::List => sessions::list(asked, given, into),
        ToolName::Get => sessions::get(asked, given, into),
        ToolName::History => history::of_file(asked, given, into),
        ToolName::Usage => usage(asked, given, into),
        ToolName::Receipt => receipt(asked, given, into),
        ToolName::Verify => verify(asked, given, into),
    }?;
    Ok(response.end())
}

/// A text by itself without sensitive values.
pub(super) fn clean(asked: &Question<'_>, text: &str) -> Option<String> {
    let bytes = text.as_bytes().to_vec();
    let job = &asked.catalog.machine.job;
    let redaction = operations::redact_text(job, "text", bytes, asked.redactor().ok()?).ok()?;
    let session = redaction.outgoing();
    let bytes = session.bundle.members.first()?.bytes().to_vec();
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The filter of the project's sessions, or of all.
pub(super) fn filter(asked: &Question<'_>, all: bool) -> Filter {
    let projects = if all { Vec::new() } else { asked.projects.clone() };
    Filter { projects, ..Filter::default() }
}

fn usage(asked: &Question<'_>, given: &JsonObject, into: &mut Response) -> Result<(), String> {
    let given = Arguments::of(given, &["by", "limit", "all_projects"])?;
    let by = given.one_of("by", &["day", "agent", "model", "session"])?;
    let most = given.number("limit", (1, 366), 31)?;
    let filter = filter(asked, given.is("all_projects")?);
    let key = match by {
        "agent" => By::Agent,
        "model" => By::Model,
        "session" => By::Session,
        _ => By::Day,
    };
    let found = operations::usage(&asked.catalog, &asked.within);
    let (_, mut usage) = found.map_err(|error| error.to_string())?;
    if let Ok(prices) = Prices::shipped() {
        usage.price(&prices);
    }
    let offset = |_: UtcTime| 0;
    let taken = || usage.spent().filter(|spent| filter.takes_spent(spent));
    let grouping = Grouping::of(key, &offset, taken());
    let sums = sums(taken(), |spent| grouping.name(spent));
    into.say(&format!("usage by {by} (UTC), {} groups", sums.len()));
    let is_time = key == By::Day;
    let rows: Vec<_> =
        if is_time { sums.into_iter().rev().collect() } else { sums.into_iter().collect() };
    let mut left = 0;
    for (at, (name, sum)) in rows.into_iter().enumerate() {
        let tokens = sum.tokens;
        let number =
            |count: Option<u64>| count.map_or("not recorded".to_owned(), |n| n.to_string());
        let dollars = |money: Option<Money>| {
            money.map_or("unknown".to_owned(), |money| format!("{:.4}", money.dollars()))
        };
        let mut facts = vec![
            ("tokens", tokens.total().to_string()),
            ("input", number(tokens.input)),
            ("cache_read", number(tokens.cache_read)),
            ("cache_write", number(tokens.cache_write)),
            ("output", number(tokens.output)),
            ("dollars_recorded", dollars(sum.recorded)),
            ("dollars_at_list_prices", dollars(sum.listed)),
        ];
        // The name of a model is a text of the session.
        let text = if key == By::Model { clean(asked, &name) } else { None };
        match key {
            By::Model => {}
            By::Session => {
                let own = clean(asked, &name).unwrap_or_default();
                facts.insert(0, ("address", session::uid_text(own.trim_end())));
            }
            _ => facts.insert(0, (if is_time { "day" } else { "agent" }, name)),
        }
        if at as u64 >= most || !into.item(&facts, text.as_deref()) {
            left += 1;
        }
    }
    if left > 0 {
        into.say(&format!("left out: {left} more groups"));
    }
    Ok(())
}

fn receipt(asked: &Question<'_>, given: &JsonObject, into: &mut Response) -> Result<(), String> {
    let given = Arguments::of(given, &["session", "turn", "unfinished"])?;
    let number = given.number("turn", (1, u64::from(u32::MAX)), 1)?;
    let unfinished = given.is("unfinished")?;
    let opened = sessions::opened(asked, given.text("session")?)?;
    let catalog = &asked.catalog;
    let found = operations::attest::sub_agents(&opened, &asked.within, catalog);
    let turns = SessionTurns::with_sub_agents(opened.session(), &found);
    let turn = usize::try_from(number).ok().and_then(|number| turns.numbered(number));
    let turn = turn.ok_or_else(|| format!("the session has no turn {number}"))?;
    let receipt = turns
        .receipt_of(turn, unfinished)
        .map_err(|_| format!("turn {number} has no receipt: no record says that it has ended"))?;
    let json = receipt.json(false).map_err(|_| "the receipt can't be written".to_owned())?;
    let json = clean(asked, &json).ok_or("the receipt can't be redacted")?;
    let uid = session::uid_text(&opened.session().uid());
    into.say("1 receipt");
    into.item(&[("address", uid), ("turn", number.to_string())], Some(&json));
    Ok(())
}

fn verify(asked: &Question<'_>, given: &JsonObject, into: &mut Response) -> Result<(), String> {
    let given = Arguments::of(given, &["path"])?;
    let file = asked.file(given.text("path")?).ok_or(NO_FILE)?;
    let task =
        VerifyTask { signature: None, keys: &asked.keys, as_draft: false, now: (asked.now)() };
    let report = operations::attest::verify(&file, task, &asked.catalog)
        .map_err(|_| "the file has no signature that can be read".to_owned())?;
    into.say("what the signature shows");
    for check in &report.checks {
        let facts =
            [("check", check.what.to_owned()), ("verdict", check.verdict.word().to_owned())];
        let why = clean(asked, &check.why);
        if !into.item(&facts, why.as_deref()) {
            into.say("left out: some lines");
        }
    }
    Ok(())
}

/// The reason why a path is not taken.
pub(super) const NO_FILE: &str = "there is no such file in the project's folder";
