//! Tokens and money.

use std::cmp::Reverse;
use std::sync::Arc;

use api::usage::Report;
use operations::usage::price::Prices;
use operations::usage::spending::older_versions;
use operations::usage::{By, Grouping, Spent, Sum, sums};
use session::Sorting as _;

use super::page::filter;
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::reading::fault;

/// The keys of groups.
pub(crate) const KEYS: [By; 9] = [
    By::Day,
    By::Week,
    By::Month,
    By::Block,
    By::Project,
    By::Branch,
    By::Session,
    By::Model,
    By::Agent,
];

/// `/v1/usage`: the sums, as `usage --json` has them.
pub(crate) fn usage(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    with(app, ask, key(ask)?, &mut |report| Reply::json(report))
}

/// The key of the groups that a request names.
fn key(ask: &Ask) -> Result<By, Fault> {
    let Some(name) = ask.value("by") else { return Ok(By::Agent) };
    let known = KEYS.into_iter().find(|by| by.word() == name);
    let names: Vec<&str> = KEYS.iter().map(|by| by.word()).collect();
    known.ok_or_else(|| Fault::new(400, format!("`by` is one of: {}", names.join(", "))))
}

/// Passes the sums to `to`.
pub(crate) fn with<T>(
    app: &App,
    ask: &Ask,
    by: By,
    to: &mut dyn FnMut(&Report<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let filter = filter(app, ask)?;
    let (_, mut usage) = operations::usage(&app.catalog_of(&ask.job), app.within())
        .map_err(|error| fault(&error))?;
    usage.price(&Prices::shipped().map_err(|why| Fault::new(500, why))?);
    let kept = || usage.spent().filter(|spent| filter.takes_spent(spent));
    let grouping = Grouping::of(by, &*app.served.hands.offset, kept());
    let groups = sums(kept(), |spent| grouping.name(spent));
    let mut groups: Vec<(String, Sum)> = groups.into_iter().collect();
    if !by.is_time() {
        let dearest = |sum: &Sum| Reverse((sum.listed.max(sum.recorded), sum.tokens.total()));
        groups.in_order_by_key(|(_, sum)| dearest(sum));
    }
    let report = Report::of(&usage, &filter, by, &groups, ask.value("explain").is_some());
    let archive = app.served.machine.archive.as_ref().filter(|_| app.within().is_empty());
    let (job, takes) = (&ask.job, |spent: &Spent<'_>| filter.takes_spent(spent));
    let older = archive.map(|archive| older_versions(job, archive.rewritten(), &takes));
    let older = older.transpose().map_err(|error| fault(&error))?.flatten();
    to(&Report { older_versions: older.map(Into::into), ..report })
}
