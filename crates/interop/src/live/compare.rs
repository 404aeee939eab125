//! The differences of two lists of items.

/// An item of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// `user`, `answer`, `call`, `result` or `picture`.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
}

/// The side of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Only the request has it.
    Adds,
    /// Only verbatim calls it live.
    Drops,
    /// The request has it once more.
    Doubles,
    /// The request has it in another place.
    Moves,
}

/// An item that one of the lists has.
#[derive(Debug)]
pub(crate) struct Difference {
    pub side: Side,
    pub item: Item,
}

impl Difference {
    pub(crate) fn to_line(&self) -> String {
        let does = match self.side {
            Side::Adds => "the agent sends, and verbatim does not call live",
            Side::Drops => "verbatim calls live, and the agent does not send",
            Side::Moves => "the agent sends it in another place than verbatim shows it",
            Side::Doubles => "the agent sends more often than verbatim calls it live",
        };
        let text: String = self.item.text.chars().filter(|c| !c.is_control()).take(100).collect();
        format!("{does}: {} `{text}`", self.item.kind)
    }
}

/// Every item that one list has and the other has not in its place: a longest common subsequence is
/// what they share.
pub(crate) fn differences(ours: &[Item], theirs: &[Item]) -> Vec<Difference> {
    let width = theirs.len() + 1;
    let mut longest = vec![0_u32; (ours.len() + 1) * width];
    for at in (0..ours.len()).rev() {
        for other in (0..theirs.len()).rev() {
            longest[at * width + other] = if ours[at] == theirs[other] {
                longest[(at + 1) * width + other + 1] + 1
            } else {
                longest[(at + 1) * width + other].max(longest[at * width + other + 1])
            };
        }
    }
    let (mut found, mut at, mut other) = (Vec::new(), 0, 0);
    while at < ours.len() || other < theirs.len() {
        if at < ours.len() && other < theirs.len() && ours[at] == theirs[other] {
            (at, other) = (at + 1, other + 1);
            continue;
        }
        let ours_is_next = other == theirs.len()
            || at < ours.len()
                && longest[(at + 1) * width + other] >= longest[at * width + other + 1];
        if ours_is_next {
            found.push(Difference { side: Side::Drops, item: ours[at].clone() });
            at += 1;
        } else {
            let again = ours.contains(&theirs[other]);
            let side = if again { Side::Doubles } else { Side::Adds };
            found.push(Difference { side, item: theirs[other].clone() });
            other += 1;
        }
    }
    moved(found)
}

/// An item that is missing in one place and too many in another one is one difference: it is moved.
fn moved(mut found: Vec<Difference>) -> Vec<Difference> {
    let mut at = 0;
    while at < found.len() {
        let is_other = |other: &Difference| {
            let sides = [found[at].side, other.side];
            let opposite =
                sides == [Side::Drops, Side::Doubles] || sides == [Side::Doubles, Side::Drops];
            opposite && other.item == found[at].item
        };
        if let Some(other) = found.iter().skip(at + 1).position(is_other) {
            found.remove(at + 1 + other);
            found[at].side = Side::Moves;
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk() -> Vec<Item> {
        let item = |kind, text: &str| Item { kind, text: text.to_owned() };
        vec![
            item("user", "Weigh the melons."),
            item("call", "scale {melons}"),
            item("result", "3 and 4"),
            item("answer", "They weigh seven."),
        ]
    }

    #[test]
    fn the_same_conversation_has_no_difference() {
        assert!(differences(&talk(), &talk()).is_empty());
    }

    /// An item that is missing, sent twice, changed, of another kind or in another place is found.
    #[test]
    fn the_comparison_can_fail() {
        let sides = |theirs: &[Item]| -> Vec<Side> {
            differences(&talk(), theirs).iter().map(|found| found.side).collect()
        };
        for at in 0..talk().len() {
            let mut less = talk();
            less.remove(at);
            assert_eq!(sides(&less), [Side::Drops], "{at} is missing");
            let mut twice = talk();
            twice.insert(at, talk()[at].clone());
            assert_eq!(sides(&twice), [Side::Doubles], "{at} is there twice");
            let mut other = talk();
            other[at].text.push('!');
            assert_eq!(sides(&other), [Side::Drops, Side::Adds], "{at} has another text");
            let mut kind = talk();
            kind[at].kind = "picture";
            assert_eq!(sides(&kind), [Side::Drops, Side::Adds], "{at} is of another kind");
            if at > 0 {
                let mut swapped = talk();
                swapped.swap(at - 1, at);
                assert_eq!(sides(&swapped), [Side::Moves], "{at} is swapped");
            }
        }
    }
}
