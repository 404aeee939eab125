//! The standing of items: a line where a range of them begins or ends, or else a word on each.

use session::{EventRef, Standing, Stream};

use crate::screen::{Line, Style};

/// The range that the last item is in, by its standing.
#[derive(Debug)]
pub(super) struct Range(Standing);

impl Default for Range {
    fn default() -> Self {
        Self(Standing::Live)
    }
}

impl Range {
    /// The line before an item with which another range begins.
    pub(super) fn next(&mut self, event: EventRef<'_>) -> Option<Line> {
        let standing = match event.standing {
            standing if is_range(standing) => standing,
            _ => Standing::Live,
        };
        if *event.stream() != Stream::Main || standing == self.0 {
            return None;
        }
        self.0 = standing;
        let line = Line::new().say(Style::Faint, "── ").say(Style::Faint, standing.word());
        let line = line.say(Style::Faint, " from here on");
        Some(match standing {
            Standing::Live => line,
            _ if standing.is_live() => line.say(Style::Faint, ": the agent sends it"),
            _ => line.say(Style::Faint, ": the agent no longer sends it"),
        })
    }
}

/// Whether events of a standing follow each other in ranges, which a line separates.
const fn is_range(standing: Standing) -> bool {
    use Standing::{Compacted, Copied, CopiedCompacted, CopiedLeft, OtherBranch, Rewound};
    matches!(standing, Compacted | Rewound | OtherBranch | Copied | CopiedCompacted | CopiedLeft)
}

/// Appends the event's standing to a line, unless it is live or that of its whole range.
pub(super) fn named(line: Line, event: EventRef<'_>) -> Line {
    match event.standing {
        Standing::Live => line,
        standing if *event.stream() == Stream::Main && is_range(standing) => line,
        standing => {
            line.say(Style::Faint, "  (").say(Style::Faint, standing.word()).say(Style::Faint, ")")
        }
    }
}
