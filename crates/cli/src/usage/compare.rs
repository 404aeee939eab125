//! The sums beside those of ccusage: each difference, with its reason.

use std::path::Path;

use operations::usage::{Comparison, CostDifference, Offset, PeerReport, Usage, compare};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{human, input};

/// Prints the comparison with a report.
pub(super) fn print(
    usage: &Usage,
    report: &Path,
    offset: Offset<'_>,
    (json, color): (bool, bool),
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    if json {
        let what = "`--compare` has no JSON form".to_owned();
        return Err(Failure::Usage(what, "leave `--json` out".into()));
    }
    let comparison = compare(usage, &read(report)?, offset);
    let home = env.machine.home.as_ref().map(|home| home.display().to_string());
    let mut screen = Screen::new(env.out, color, env.width);
    let signed = |number: i64| match number {
        0.. => format!("+{}", human::count(number.unsigned_abs())),
        _ => format!("-{}", human::count(number.unsigned_abs())),
    };
    let both = [comparison.theirs, comparison.ours].map(|n| human::count(n.unsigned_abs()));
    let [theirs, ours] = both;
    let sums = match comparison.theirs - comparison.ours {
        0 => format!("{theirs} tokens there, {ours} here"),
        more => format!("{theirs} tokens there, {ours} here: {}", signed(more)),
    };
    screen.line(&Line::new().tell(Style::Strong, &sums))?;
    let equal = human::counted(comparison.equal as u64, "span", "spans");
    let others = human::counted(comparison.differences.len() as u64, "other", "others");
    let text = format!("{equal} of an agent equal to the token, {others}");
    screen.line(&Line::new().tell(Style::Normal, &text))?;
    for difference in &comparison.differences {
        let [theirs, ours] = difference.tokens;
        let text = format!("{}  {}", difference.period, difference.agent);
        let text = format!("{}  {}", text.trim_end(), signed(theirs - ours));
        screen.gap()?;
        screen.line(&Line::new().put(Style::Name, Plain::line(&text)))?;
        for (why, tokens) in &difference.causes {
            let why = match &home {
                Some(home) => why.replace(home, "~"),
                None => why.clone(),
            };
            let text = format!("{}  {why}", signed(*tokens));
            let line = Line::new().say(Style::Normal, "  ");
            screen.line(&line.put(Style::Normal, Plain::line(&text)))?;
        }
        if difference.causes.is_empty() {
            let text = "  no rule that is known makes exactly this difference: `--explain` lists \
                        each number";
            screen.line(&Line::new().say(Style::Warn, text))?;
        }
    }
    money(&comparison, usage, &mut screen)
}

/// Greatest length of a report.
const REPORT: u64 = 1 << 28;

/// Reads a report.
fn read(path: &Path) -> Result<PeerReport, Failure> {
    let name = path.display().to_string();
    let text = match path.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin().lock())?,
        false => input::named_text(path, REPORT, "a report of ccusage")?,
    };
    PeerReport::parse(&text).map_err(|why| {
        let hint = "it is what `ccusage daily --json --by-agent` prints; weekly and monthly are \
                    read too";
        Failure::Refused(format!("{name}: {why}"), hint.into())
    })
}

/// Prints the cost of equal tokens, and agents that only verbatim has.
fn money(comparison: &Comparison, usage: &Usage, screen: &mut Screen<'_>) -> Result<(), Failure> {
    screen.gap()?;
    let same = human::counted(comparison.same_cost as u64, "model", "models");
    let text = format!("cost of equal tokens: the same for {same} of a span");
    screen.line(&Line::new().tell(Style::Normal, &text))?;
    for CostDifference { model, dollars: [theirs, ours], prices, own } in &comparison.costs {
        let text = format!("{model}: ${theirs:.4} there, ${ours:.4} here");
        let line = Line::new().say(Style::Normal, "  ");
        screen.line(&line.put(Style::Name, Plain::line(&text)))?;
        let told = |prices: &[Option<f64>; 4]| {
            let names = ["input", "cache read", "cache write", "output"].into_iter().zip(prices);
            let each = names.filter_map(|(name, price)| Some(format!("{name} {}", (*price)?)));
            each.collect::<Vec<_>>().join(", ")
        };
        if let Some(own) = own {
            let source = match usage.newer_price(model) {
                Some(newer) => newer.to_owned(),
                None => usage.priced_by().unwrap_or_default(),
            };
            let text = format!("$ per million tokens here ({source}): {}", told(own));
            screen.line(
                &Line::new().say(Style::Normal, "    ").put(Style::Normal, Plain::line(&text)),
            )?;
        }
        let text = match prices {
            Some(prices) => {
                format!("$ per million tokens there, from its costs: {}", told(prices))
            }
            None => "the costs there do not follow from one price for each kind".to_owned(),
        };
        screen
            .line(&Line::new().say(Style::Normal, "    ").put(Style::Normal, Plain::line(&text)))?;
    }
    for (agent, tokens) in &comparison.absent {
        let text = format!("not in the report: {} tokens of {agent}", human::count(*tokens));
        screen.line(&Line::new().put(Style::Faint, Plain::line(&text)))?;
    }
    Ok(())
}
