//! Replay of changes that nobody checked: it never ends the program, and what it says holds
//! together. `CI_DEEP=1` goes on for ten minutes; a failure names the seed.

use replay::{Change, Hunk, Line, Replacement, Replay};

/// Numbers that a seed decides (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    fn line(&mut self) -> String {
        ["", "a", "b", "  a", "\tb", "b ", "ä", "a\rb"][self.below(8)].to_owned()
    }

    fn text(&mut self) -> String {
        let lines: Vec<String> = (0..self.below(12)).map(|_| self.line()).collect();
        lines.join("\n") + ["", "\n"][self.below(2)]
    }

    fn edit(&mut self) -> Replacement {
        let (old, new) = (self.line(), self.text());
        Replacement { old, new, all: self.below(2) > 0, line: self.below(2) > 0 }
    }

    fn hunk(&mut self) -> Hunk {
        let start = [0, 1, self.below(14), usize::MAX][self.below(4)];
        let lines = (0..self.below(6)).map(|_| match self.below(3) {
            0 => Line::Same(self.line()),
            1 => Line::Gone(self.line()),
            _ => Line::New(self.line()),
        });
        let lines = lines.collect();
        let anchor = if self.below(3) > 0 { None } else { Some(self.line()) };
        Hunk { start, anchor, end: self.below(4) == 0, lines }
    }

    fn change(&mut self) -> Change {
        let before = if self.below(2) > 0 { None } else { Some(self.text()) };
        let hunks: Vec<Hunk> = (0..self.below(4)).map(|_| self.hunk()).collect();
        match self.below(8) {
            0 => Change::Seen { content: self.text() },
            1 | 2 => Change::Write { before, after: self.text() },
            3 => Change::Hunks { before, hunks, edits: vec![self.edit()] },
            4 => Change::Patch { hunks },
            5 => Change::Delete,
            6 => Change::Move { to: ["one", "two"][self.below(2)].to_owned() },
            _ => Change::Replace(self.edit()),
        }
    }
}

#[test]
fn any_changes_are_followed_or_named() {
    let deep = std::env::var_os("CI_DEEP").is_some();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(600);
    for seed in 1..u64::MAX {
        if if deep { std::time::Instant::now() > until } else { seed > 20_000 } {
            break;
        }
        let replayed = std::panic::catch_unwind(|| {
            let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut replay = Replay::default();
            for event in 0..1 + numbers.below(12) as u32 {
                let path = ["one", "two"][numbers.below(2)];
                replay.change(event, path, numbers.change());
            }
            // What a file holds at the end is known where it was written at the end.
            let last = numbers.text();
            replay.change(99, "one", Change::Seen { content: last.clone() });
            (replay.finish(), last)
        });
        let Ok((left, last)) = replayed else { panic!("seed {seed}") };
        let lines = replay::lines(&last);
        for (path, ranges) in &left.files {
            let mut end = 0;
            for range in ranges {
                assert!(range.start > end && range.end >= range.start, "seed {seed}");
                end = range.end;
                if path == "one" {
                    let told = lines.get(range.start - 1..range.end).map(|lines| lines.join("\n"));
                    assert_eq!(told.as_deref(), Some(&*range.text), "seed {seed}");
                }
            }
        }
    }
}
