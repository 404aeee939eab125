//! Totals of the books of a conversion, for people.

use std::collections::BTreeMap;

use formats::FateTotals;
use meaning::account::Cause;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::counted;

/// The totals of the books, a line for each fate.
pub(crate) fn print_totals(totals: &FateTotals, env: &mut Environment<'_>) -> Result<(), Failure> {
    let count = |causes: &BTreeMap<Cause, u64>| causes.values().sum::<u64>();
    let table = [
        ("carried", totals.carried, None),
        ("mapped", count(&totals.mapped), Some(&totals.mapped)),
        ("in part", count(&totals.in_part), Some(&totals.in_part)),
        ("left out", count(&totals.dropped), Some(&totals.dropped)),
        ("made", count(&totals.made), Some(&totals.made)),
    ];
    for (what, count, causes) in table {
        if what == "in part" && count == 0 {
            continue;
        }
        let of_it = match what {
            "left out" => Some(totals.dropped_conversation),
            "in part" => Some(totals.in_part_conversation),
            _ => None,
        };
        // A count of nothing would be said by the code that may have missed it.
        let said = match of_it {
            Some(said @ 1..) => format!(", {} of the conversation", crate::human::count(said)),
            _ => String::new(),
        };
        writeln!(env.err, "{what}: {}{said}", counted(count, "value", "values"))?;
        for (cause, count) in causes.into_iter().flatten() {
            writeln!(env.err, "  {}: {}", cause.words(), crate::human::count(*count))?;
        }
    }
    print_items(totals, env)
}

/// The items of the agent's own next request that the target does not have whole, a line for each
/// kind and cause.
pub(crate) fn print_items(totals: &FateTotals, env: &mut Environment<'_>) -> Result<(), Failure> {
    for (loss, count) in &totals.items {
        let (one, several) = loss.part.names();
        let how = if loss.whole { "not there" } else { "not whole there" };
        let cause = loss.cause.words();
        writeln!(env.err, "{how}: {} ({cause})", counted(*count, one, several))?;
    }
    Ok(())
}
