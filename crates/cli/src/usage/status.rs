//! One line for a status bar.

use operations::filter::Filter;
use operations::usage::{BLOCK, By, Counted, Grouping, Offset, Sum, Usage, blocks, sums};
use session::UtcTime;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human;
use crate::terminal::Plain;

/// Prints the usage of today and of the current block.
pub(super) fn print(
    usage: &Usage,
    filter: &Filter,
    offset: Offset<'_>,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let kept = || usage.spent().filter(|spent| filter.takes_spent(spent));
    let days = Grouping::of(By::Day, offset, []);
    let today = days.day(env.now);
    let days = sums(kept(), |spent| days.name(spent));
    let today = today.and_then(|today| days.get(&today).cloned()).unwrap_or_default();
    let mut text = format!("today {}", amount(&today));
    let counted = kept().filter(|spent| spent.counted == Counted::Yes);
    let begins = blocks(counted.filter_map(|spent| spent.time).collect());
    let current = begins.last().filter(|begin| env.now.0.saturating_sub(begin.0) < BLOCK);
    if let Some(begin) = current {
        let within = |time: Option<UtcTime>| time.is_some_and(|time| time >= *begin);
        let block = sums(kept().filter(|spent| within(spent.time)), |_| String::new());
        let block = block.into_values().next().unwrap_or_default();
        let left = (begin.0 + BLOCK - env.now.0) / 60_000_000;
        let (hours, minutes) = (left / 60, left % 60);
        text.push_str(&format!(" · block {}, {hours} h {minutes} min left", amount(&block)));
    }
    Ok(writeln!(env.out, "{}", Plain::line(&text))?)
}

/// The cost at list prices and the tokens.
fn amount(sum: &Sum) -> String {
    let tokens = human::counted(sum.tokens.total(), "token", "tokens");
    match sum.listed {
        Some(cost) if sum.without_listed > 0 => format!("{cost} + ? ({tokens})"),
        Some(cost) => format!("{cost} ({tokens})"),
        None => tokens,
    }
}
