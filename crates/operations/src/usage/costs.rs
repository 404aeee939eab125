//! Comparison of the costs of equal tokens with those of another counter, and the prices that they
//! follow from.

use std::collections::BTreeMap;

use super::Usage;
use super::compare::{Comparison, CostDifference, Groups};
use super::peer::Kinds;

/// Dollars that are equal: a report has binary fractions.
const EQUAL: f64 = 1e-6;

/// Compares the cost where the tokens are equal.
pub(super) fn compare(usage: &Usage, groups: &Groups<'_>, comparison: &mut Comparison) {
    let mut models: BTreeMap<&str, Vec<(Kinds, [f64; 2])>> = BTreeMap::new();
    for group in groups.values() {
        for (model, kinds) in &group.theirs {
            let cost = group.costs.get(model).copied();
            if let Some([Some(theirs), Some(ours)]) = cost
                && group.ours.get(model) == Some(kinds)
            {
                models.entry(model).or_default().push((*kinds, [theirs, ours]));
            }
        }
    }
    for (model, cells) in models {
        let differs = |[theirs, ours]: [f64; 2]| (theirs - ours).abs() > EQUAL * ours.max(1.0);
        let others: Vec<_> = cells.iter().filter(|(_, cost)| differs(*cost)).collect();
        comparison.same_cost += cells.len() - others.len();
        if !others.is_empty() {
            let sum = |side: usize| others.iter().map(|(_, cost)| cost[side]).sum();
            comparison.costs.push(CostDifference {
                model: model.to_owned(),
                dollars: [sum(0), sum(1)],
                prices: solved(&cells.iter().map(|(of, cost)| (*of, cost[0])).collect::<Vec<_>>()),
                own: usage.per_million(model),
            });
        }
    }
}

/// The prices per million tokens from which these costs follow, if they follow from one price for
/// each kind of tokens.
fn solved(cells: &[(Kinds, f64)]) -> Option<[Option<f64>; 4]> {
    let millions = |of: &Kinds| of.map(|number| number as f64 / 1e6);
    let used: Vec<usize> = (0..4).filter(|&at| cells.iter().any(|(of, _)| of[at] != 0)).collect();
    // The normal equations of least squares, solved by elimination.
    let mut rows: Vec<Vec<f64>> = used
        .iter()
        .map(|&a| {
            let sum = |of: &dyn Fn(&(Kinds, f64)) -> f64| -> f64 {
                cells.iter().map(|cell| millions(&cell.0)[a] * of(cell)).sum()
            };
            let mut row: Vec<f64> =
                used.iter().map(|&b| sum(&|cell| millions(&cell.0)[b])).collect();
            row.push(sum(&|cell| cell.1));
            row
        })
        .collect();
    for at in 0..rows.len() {
        let best =
            (at..rows.len()).max_by(|&a, &b| rows[a][at].abs().total_cmp(&rows[b][at].abs()));
        rows.swap(at, best?);
        let pivot = rows[at][at];
        if pivot.abs() < 1e-12 {
            return None;
        }
        rows[at].iter_mut().for_each(|number| *number /= pivot);
        let own = rows[at].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = row[at];
            row.iter_mut().zip(&own).for_each(|(number, own)| *number -= factor * own);
        }
    }
    let mut prices = [None; 4];
    for (&at, row) in used.iter().zip(&rows) {
        prices[at] = Some((row.last()? * 1e6).round() / 1e6);
    }
    let follows = |(of, cost): &(Kinds, f64)| {
        let parts = millions(of).into_iter().zip(prices);
        let sum: f64 = parts.map(|(tokens, price)| tokens * price.unwrap_or(0.0)).sum();
        (sum - cost).abs() <= EQUAL * cost.max(1.0)
    };
    cells.iter().all(follows).then_some(prices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_follow_from_enough_costs() {
        let cost =
            |of: Kinds| (of, of[0] as f64 * 4e-6 + of[1] as f64 * 4e-7 + of[3] as f64 * 2e-5);
        let cells = [[10_000, 5, 0, 7], [3, 70_000, 0, 1], [9, 1, 0, 9_000], [1, 2, 0, 3]];
        let cells: Vec<_> = cells.into_iter().map(cost).collect();
        assert_eq!(solved(&cells), Some([Some(4.0), Some(0.4), None, Some(20.0)]));
        assert_eq!(solved(&cells[..2]), None);
        let mut wrong = cells;
        wrong[0].1 += 1.0;
        assert_eq!(solved(&wrong), None);
    }
}
