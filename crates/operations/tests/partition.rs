//! Sums of the parts of a home: for any partition of its files they add up to the sum of the whole,
//! but for the answers that the whole tells as copies.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::{Found, Root, Source, scan};
use verbatim_operations::usage::price::Prices;
use verbatim_operations::usage::{Counted, Spent, Usage, usage};

/// A number by its place: one line may tell several.
type Place = (PathBuf, u32, u32, String);

/// The tokens of each counted number, with its price in units of 10^-12 dollars.
fn counted(usage: &Usage) -> BTreeMap<Place, (u64, i128)> {
    let mut counted = BTreeMap::new();
    for spent in usage.spent().filter(|spent| spent.counted == Counted::Yes) {
        let price = spent.listed.map_or(0, |(money, _)| money.0);
        let sum: &mut (u64, i128) = counted.entry(place(&spent)).or_default();
        *sum = (sum.0 + spent.tokens.total(), sum.1 + price);
    }
    counted
}

fn place(spent: &Spent<'_>) -> Place {
    let model = spent.model.unwrap_or_default().to_owned();
    (spent.path.to_path_buf(), spent.line, spent.byte, model)
}

fn priced(sources: Vec<Source>) -> Usage {
    let mut usage = usage(&Found { sources, ..Found::default() });
    usage.price(&Prices::shipped().unwrap());
    usage
}

#[test]
fn parts_add_up_to_the_whole_but_for_copies() {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpus());
    let roots: Vec<Root> = roots.iter().map(Root::named).collect();
    let all = scan(formats::ALL, &roots).sources;
    // A document repeats another session as a whole, whatever its answers are.
    let all: Vec<Source> = all.into_iter().filter(|it| !it.format.is_document()).collect();
    let whole = priced(all.clone());
    let of_whole = counted(&whole);
    let told: BTreeMap<Place, &'static str> =
        whole.spent().filter_map(|spent| Some((place(&spent), spent.counted.reason()?))).collect();
    let moved = AtomicUsize::new(0);
    samples::rounds(3, |dice| {
        let parts = 2 + dice.roll(6);
        let mut split: Vec<Vec<Source>> = vec![Vec::new(); parts];
        for source in &all {
            split[dice.roll(parts)].push(source.clone());
        }
        let (mut sum, mut copies) = ((0_u64, 0_i128), (0_u64, 0_i128));
        for part in split {
            for (place, (tokens, price)) in counted(&priced(part)) {
                sum = (sum.0 + tokens, sum.1 + price);
                if !of_whole.contains_key(&place) {
                    let why = told.get(&place).unwrap_or_else(|| panic!("{place:?}"));
                    assert!(why.contains("repeats another"), "{place:?}: {why}");
                    copies = (copies.0 + tokens, copies.1 + price);
                    moved.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let wanted = of_whole.values().fold((0, 0), |a: (u64, i128), b| (a.0 + b.0, a.1 + b.1));
        assert_eq!((sum.0 - copies.0, sum.1 - copies.1), wanted, "{parts} parts");
        assert!(wanted.0 > 0 && wanted.1 > 0, "{wanted:?}");
    });
    assert!(moved.into_inner() > 0, "no copies were split");
}
