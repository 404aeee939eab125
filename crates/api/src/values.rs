//! Values that must not be shared, each once, with all of its places; and numbers as ranges.

pub use redact::values::{ValuePlace, places};

/// Numbers as ranges: `3-5`, `9`.
#[must_use]
pub fn ranges(numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last == number || *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn lines_are_ranges() {
        assert_eq!(ranges([3, 4, 4, 5, 9]), ["3-5", "9"]);
        assert!(ranges([]).is_empty());
    }
}
