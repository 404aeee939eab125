//! Unchecked changes: their replay terminates, and its ranges are correct.
#![allow(unreachable_pub)]

use samples::Dice;
use verbatim_replay::{Change, Hunk, Line, Replacement, Replay};

fn line(dice: &mut Dice<'_>) -> String {
    ["", "a", "b", "  a", "\tb", "b ", "ä", "a\rb"][dice.roll(8)].to_owned()
}

fn text(dice: &mut Dice<'_>) -> String {
    let lines: Vec<String> = (0..dice.roll(12)).map(|_| line(dice)).collect();
    lines.join("\n") + ["", "\n"][dice.roll(2)]
}

fn edit(dice: &mut Dice<'_>) -> Replacement {
    let (old, new) = (line(dice), text(dice));
    Replacement { old, new, all: dice.roll(2) > 0, line: dice.roll(2) > 0 }
}

fn hunk(dice: &mut Dice<'_>) -> Hunk {
    let start = [0, 1, dice.roll(14), usize::MAX][dice.roll(4)];
    let lines = (0..dice.roll(6)).map(|_| match dice.roll(3) {
        0 => Line::Same(line(dice)),
        1 => Line::Gone(line(dice)),
        _ => Line::New(line(dice)),
    });
    let lines = lines.collect();
    let anchor = if dice.roll(3) > 0 { None } else { Some(line(dice)) };
    Hunk { start, anchor, end: dice.roll(4) == 0, lines }
}

fn change(dice: &mut Dice<'_>) -> Change {
    let before = if dice.roll(2) > 0 { None } else { Some(text(dice)) };
    let hunks: Vec<Hunk> = (0..dice.roll(4)).map(|_| hunk(dice)).collect();
    match dice.roll(8) {
        0 => Change::Seen { content: text(dice) },
        1 | 2 => Change::Write { before, after: text(dice) },
        3 => Change::Hunks { before, hunks, edits: vec![edit(dice)] },
        4 => Change::Patch { hunks },
        5 => Change::Delete,
        6 => Change::Move { to: ["one", "two"][dice.roll(2)].to_owned() },
        _ => Change::replace(edit(dice)),
    }
}

/// Replays changes, and compares the ranges with the file's content.
pub fn round(dice: &mut Dice<'_>) {
    let mut replay = Replay::default();
    for event in 0..1 + dice.roll(12) as u32 {
        let path = ["one", "two"][dice.roll(2)];
        replay.change(event, path, change(dice));
    }
    // The last content of a file is known if the last change wrote the whole file.
    let last = text(dice);
    replay.change(99, "one", Change::Seen { content: last.clone() });
    let lines = verbatim_replay::lines(&last);
    for (path, ranges) in &replay.finish().files {
        let mut end = 0;
        for range in ranges {
            assert!(range.start > end && range.end >= range.start, "{range:?}");
            end = range.end;
            if path == "one" {
                let found = lines.get(range.start - 1..range.end).map(|lines| lines.join("\n"));
                assert_eq!(found.as_deref(), Some(&*range.text));
            }
        }
    }
}
