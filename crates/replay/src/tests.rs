//! Replays of made-up edits, compared with the resulting text.

use super::*;

fn replay(changes: Vec<Change>) -> WrittenLines {
    let mut replay = Replay::default();
    for (event, change) in (0..).zip(changes) {
        replay.change(event, "a.rs", change);
    }
    replay.finish()
}

fn write(after: &str) -> Change {
    Change::Write { before: Some(String::new()), after: after.to_owned() }
}

fn edit(old: &str, new: &str) -> Replacement {
    Replacement { old: old.to_owned(), new: new.to_owned(), all: false, line: false }
}

fn replace(old: &str, new: &str) -> Change {
    Change::replace(edit(old, new))
}

/// Each line of a file, with the event that wrote it.
fn owners(attribution: &WrittenLines) -> Vec<(usize, usize, u32, String)> {
    let ranges = attribution.files.get("a.rs").cloned().unwrap_or_default();
    ranges.into_iter().map(|range| (range.start, range.end, range.event, range.text)).collect()
}

fn range(start: usize, end: usize, event: u32, text: &str) -> (usize, usize, u32, String) {
    (start, end, event, text.to_owned())
}

#[test]
fn later_edits_shift_earlier_ranges() {
    let left = replay(vec![write("a\nb\nc\n"), replace("b", "b1\nb2"), replace("a\n", "")]);
    assert_eq!(owners(&left), [range(1, 2, 1, "b1\nb2"), range(3, 3, 0, "c")]);
    assert!(left.unknown.is_empty());
}

#[test]
fn what_others_wrote_is_not_ours() {
    let seen = Change::Seen { content: "x\na\ny\nc\n".to_owned() };
    let left = replay(vec![write("a\nb\nc\n"), seen]);
    assert_eq!(owners(&left), [range(2, 2, 0, "a"), range(4, 4, 0, "c")]);
}

#[test]
fn hunks_need_no_whole_text() {
    let diff = "--- a\n+++ b\n@@ -10,3 +10,4 @@\n x\n-y\n+y1\n+y2\n z\n@@ -30,0 +32,1 @@\n+new\n";
    let left =
        replay(vec![Change::Hunks { before: None, hunks: unified(diff), edits: Vec::new() }]);
    assert_eq!(owners(&left), [range(11, 12, 0, "y1\ny2"), range(32, 32, 0, "new")]);
}

/// The line numbers of a hunk refer to the file after somebody else has changed it.
#[test]
fn lines_that_others_moved_are_reported() {
    let hunk = |diff| Change::Hunks { before: None, hunks: unified(diff), edits: Vec::new() };
    let ours = hunk("@@ -5,2 +5,3 @@\n five\n+ours\n six");
    let later = hunk("@@ -8,2 +8,3 @@\n five\n ours\n+more");
    let fits = hunk("@@ -6,1 +6,2 @@\n ours\n+more");
    let moved = replay(vec![ours.clone(), hunk("@@ -6,2 +6,3 @@\n other\n+more\n six")]);
    assert_eq!(owners(&moved), [range(7, 7, 1, "more")]);
    assert_eq!(moved.unknown.len(), 1);
    let seen = Change::Seen { content: "one\ntwo\n".into() };
    assert_eq!(replay(vec![ours.clone(), seen]).unknown.len(), 1);
    assert_eq!(replay(vec![ours.clone(), fits]).unknown, []);
    // Nothing is known about lines that no hunk shows.
    assert_eq!(replay(vec![ours, later]).unknown, []);
}

#[test]
fn a_hunk_has_as_many_lines_as_its_head_counts() {
    let diff = "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n--- a/two\n+++ b/two\n\
                @@ -3 +3,0 @@\n--- gone\n- no more\n@@ -9,0 +9 @@\n++plus\n+nor this\n";
    let line = |text: &str| text.to_owned();
    let hunks = unified(diff);
    let starts: Vec<_> = hunks.iter().map(|hunk| hunk.start).collect();
    assert_eq!(starts, [1, 3, 10]);
    let first = [Line::Same(line("x")), Line::Gone(line("y")), Line::New(line("z"))];
    assert_eq!(hunks[0].lines, first);
    assert_eq!(hunks[1].lines, [Line::Gone(line("-- gone"))]);
    assert_eq!(hunks[2].lines, [Line::New(line("+plus"))]);
    let bare = unified("@@\n-a\n+b\n@@\n+c");
    assert_eq!((bare.len(), bare[0].start, bare[0].lines.len()), (2, 0, 2));
    assert_eq!(unified("@@ -99999999999999999999,1 +1 @@\n-a").len(), 1);
}

#[test]
fn tabs_may_be_told_as_spaces() {
    let diff = "@@ -1,2 +1,3 @@\n a\n+new\n   b\n";
    let hunks = Change::Hunks { before: None, hunks: unified(diff), edits: Vec::new() };
    let left = replay(vec![write("a\n\tb\nc\n"), hunks.clone()]);
    assert_eq!(
        owners(&left),
        [range(1, 1, 0, "a"), range(2, 2, 1, "new"), range(3, 4, 0, "\tb\nc")]
    );
    // The text at that position differs: somebody else edited the file, so the positions of the
    // session's own lines are unknown.
    let left = replay(vec![write("a\n\tx\nc\n"), hunks]);
    assert_eq!(owners(&left), [range(2, 2, 1, "new")]);
}

#[test]
fn what_was_asked_for_is_more_exact_than_what_is_shown() {
    let hunks = unified("@@ -1,2 +1,2 @@\n-  a\n+  b\n c\n");
    let change = Change::Hunks { before: None, hunks: hunks.clone(), edits: vec![edit("a", "b")] };
    let left = replay(vec![write("\ta\nc\n"), change]);
    assert_eq!(owners(&left), [range(1, 1, 1, "\tb"), range(2, 2, 0, "c")]);
    // The hunks show that the requested edit was not made as requested.
    let change = Change::Hunks { before: None, hunks, edits: vec![edit("a", "b\nb")] };
    let left = replay(vec![write("\ta\nc\n"), change]);
    assert_eq!(owners(&left), [range(1, 1, 1, "  b"), range(2, 2, 0, "c")]);
}

#[test]
fn an_edit_that_takes_a_text_away_may_take_its_line_end_too() {
    let away = |line| Change::replace(Replacement { line, ..edit("b", "") });
    let left = replay(vec![write("a\nb\nc\n"), away(true)]);
    assert_eq!(owners(&left), [range(1, 2, 0, "a\nc")]);
    let left = replay(vec![write("a\nb\nc\n"), away(false)]);
    assert_eq!(owners(&left), [range(1, 1, 0, "a"), range(2, 2, 1, ""), range(3, 3, 0, "c")]);
}

#[test]
fn what_cannot_be_derived_is_said() {
    let twice = replay(vec![write("a\na\n"), replace("a", "b")]);
    assert!(owners(&twice).is_empty());
    assert_eq!(twice.unknown.len(), 1);
    let blind = replay(vec![replace("a", "b")]);
    assert_eq!(blind.unknown[0].why, "an edit to a file whose text is not known at that point");
    let over = replay(vec![Change::Write { before: None, after: "a\n".to_owned() }]);
    assert_eq!((owners(&over).len(), over.unknown.len()), (0, 1));
}

#[test]
fn a_patch_is_placed_by_its_context() {
    let hunk = |lines: &[&str]| {
        let text = format!("@@\n{}", lines.join("\n"));
        Change::Patch { hunks: unified(&text) }
    };
    let left = replay(vec![write("a\nb\nc\nd\n"), hunk(&[" b", "-c", "+C", "+C2", " d"])]);
    let expected = [range(1, 2, 0, "a\nb"), range(3, 4, 1, "C\nC2"), range(5, 5, 0, "d")];
    assert_eq!(owners(&left), expected);
}

#[test]
fn a_patch_text_is_read_as_its_tool_reads_it() {
    let text = "*** Begin Patch\n*** Add File: b.rs\n+one\n+two\n*** Update File: a.rs\n\
                *** Move to: c.rs\n@@ fn second() {\n-    same();\n+    other();\n*** End of File\n\
                *** Delete File: d.rs\n*** End Patch\n";
    let changes = patch(text).expect("a patch");
    let paths: Vec<_> = changes.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["b.rs", "a.rs", "a.rs", "d.rs"]);
    let mut replay = Replay::default();
    let file = "fn first() {\n    same();\n}\nfn second() {\n    same();\n}\n";
    replay.change(0, "a.rs", Change::Seen { content: file.to_owned() });
    for (path, change) in changes {
        replay.change(1, &path, change);
    }
    let left = replay.finish();
    assert!(left.unknown.is_empty());
    assert_eq!(left.files["c.rs"][0].start, 5);
    assert_eq!(left.files["b.rs"][0].text, "one\ntwo");
}

#[test]
fn a_patch_is_placed_where_its_tool_looks() {
    let patched = |text: &str, section: &str| {
        let patch = format!("*** Begin Patch\n*** Update File: a.rs\n{section}*** End Patch");
        let changes = patch_of(&patch).into_iter().map(|(_, change)| change);
        let seen = Change::Seen { content: text.to_owned() };
        let left = replay(std::iter::once(seen).chain(changes).collect());
        (owners(&left).into_iter().map(|range| (range.0, range.1)).collect(), left.unknown.len())
    };
    let text = "a\nx\nb  \nx\n\tc\nx\n";
    // The new line comes after its anchor, or at the end of the file, or at a match that ignores
    // white space; or the hunk has no old lines.
    assert_eq!(patched(text, "@@ b\n-x\n+y\n"), (vec![(4, 4)], 0));
    assert_eq!(patched(text, "@@\n-x\n+y\n*** End of File\n"), (vec![(6, 6)], 0));
    assert_eq!(patched(text, "@@\n b\n-x\n+y\n"), (vec![(4, 4)], 0));
    assert_eq!(patched(text, "@@\n c\n-x\n+y\n"), (vec![(6, 6)], 0));
    assert_eq!(patched(text, "@@ a\n+y\n"), (vec![(7, 7)], 0));
    // An empty line after the last one is not a line.
    assert_eq!(patched(text, "@@\n c\n-x\n+y\n\n"), (vec![(6, 6)], 0));
    // The anchor is missing.
    assert_eq!(patched(text, "@@ z\n-x\n+y\n"), (Vec::<(usize, usize)>::new(), 1));
}

fn patch_of(text: &str) -> Vec<(String, Change)> {
    patch(text).expect("a patch")
}

#[test]
fn moves_and_deletions_follow_the_file() {
    let mut replay = Replay::default();
    replay.change(0, "a", write("1\n"));
    replay.change(1, "a", Change::Move { to: "b".to_owned() });
    replay.change(2, "c", write("2\n"));
    replay.change(3, "c", Change::Delete);
    // A deleted file has no lines: everything written there later is new.
    replay.change(4, "d", Change::Delete);
    replay.change(5, "d", Change::Write { before: None, after: "3\n".to_owned() });
    let left = replay.finish();
    assert_eq!(left.files.keys().collect::<Vec<_>>(), ["b", "d"]);
    assert!(left.unknown.is_empty());
}

/// Hundreds of random edits: the session's own lines have the file's content, and all other lines
/// existed from the beginning.
#[test]
fn random_edits_leave_what_the_file_holds() {
    let mut state = 7u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        (state >> 33) as usize % limit.max(1)
    };
    for _ in 0..40 {
        let mut file: Vec<String> = (0..30).map(|line| format!("old {line}")).collect();
        let mut replay = Replay::default();
        replay.change(0, "a.rs", Change::Seen { content: file.join("\n") + "\n" });
        for event in 1..120u32 {
            let at = next(file.len());
            let gone = next(3).min(file.len() - at);
            let new: Vec<String> = (0..next(4)).map(|line| format!("{event}.{line}")).collect();
            if gone == 0 && new.is_empty() || gone == file.len() {
                continue;
            }
            let before = file.join("\n") + "\n";
            file.splice(at..at + gone, new);
            let after = file.join("\n") + "\n";
            replay.change(event, "a.rs", Change::Write { before: Some(before), after });
        }
        let left = replay.finish();
        let mut ours = vec![false; file.len()];
        for range in &left.files["a.rs"] {
            assert_eq!(range.text, file[range.start - 1..range.end].join("\n"));
            ours[range.start - 1..range.end].fill(true);
        }
        for (line, ours) in file.iter().zip(ours) {
            assert_eq!(ours, !line.starts_with("old"), "{line}");
        }
    }
}

/// Texts with few different lines allow many differences. The result is right with each of them.
#[test]
fn lines_that_are_alike_are_followed_too() {
    let mut state = 5u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        (state >> 33) as usize % limit.max(1)
    };
    const LINES: [&str; 6] = ["", "}", "    }", "\ta", "b", "        c"];
    for round in 0..3000 {
        let mut replay = Replay::default();
        let mut file: Vec<&str> = (0..next(9)).map(|_| LINES[next(6)]).collect();
        let text =
            |file: &[&str]| -> String { file.iter().flat_map(|line| [line, "\n"]).collect() };
        replay.change(0, "a.rs", Change::Seen { content: text(&file) });
        for event in 1..6 {
            let at = next(file.len() + 1);
            let gone = next(file.len() - at + 1);
            let new: Vec<&str> = (0..next(5)).map(|_| LINES[next(6)]).collect();
            file.splice(at..at + gone, new);
            let change = Change::Write { before: None, after: text(&file) };
            replay.change(event, "a.rs", change);
        }
        for range in replay.finish().files.get("a.rs").into_iter().flatten() {
            assert_eq!(range.text, file[range.start - 1..range.end].join("\n"), "round {round}");
        }
    }
}

/// Without equal lines, the time grows linearly with the text.
#[test]
fn long_texts_without_a_line_in_common_take_no_time() {
    let text = |word: &str, count: usize| -> String {
        (0..count).map(|at| format!("{word} {}\n", at * 7919 % 5003)).collect()
    };
    let write = |before: &str, after: &str| Change::Write {
        before: Some(before.to_owned()),
        after: after.to_owned(),
    };
    let (one, two) = (text("x", 40_000), text("y", 40_000));
    let shuffled: String =
        (0..40_000).map(|at| format!("x {}\n", at % 5003 * 4_513 % 5003)).collect();
    let left = replay(vec![write("", &one), write(&one, &two), write(&two, &shuffled)]);
    assert_eq!(owners(&left).iter().map(|range| range.1 - range.0 + 1).sum::<usize>(), 40_000);
}

#[test]
fn hostile_changes_end_in_words() {
    let all = |old: &str, new: &str| Change::replace(Replacement { all: true, ..edit(old, new) });
    let long = "a".repeat(1 << 20);
    let left = replay(vec![write(&long), all("a", &long)]);
    assert_eq!((owners(&left).len(), left.unknown.len()), (0, 1));
    let left = replay(std::iter::once(write("a")).chain((0..60).map(|_| all("a", "aa"))).collect());
    assert!(!left.unknown.is_empty());
    for start in [usize::MAX, usize::MAX - 1, 1 << 41] {
        let lines = vec![Line::Gone("a".to_owned()), Line::New("b".to_owned())];
        let hunk = Hunk { start, anchor: None, end: false, lines };
        let hunks = vec![hunk.clone(), hunk];
        let change = Change::Hunks { before: None, hunks, edits: Vec::new() };
        assert_eq!(replay(vec![change.clone()]).unknown.len(), 1);
        assert_eq!(replay(vec![write("a\n"), change]).unknown.len(), 1);
    }
    // Overlapping positions, and a position after the end.
    let diff = "@@ -1,2 +1,2 @@\n-a\n-b\n+1\n+2\n@@ -2 +2 @@\n-b\n+3\n@@ -9,0 +9 @@\n+4\n";
    let hunks = Change::Hunks { before: None, hunks: unified(diff), edits: Vec::new() };
    let left = replay(vec![write("a\nb\nc\n"), hunks]);
    assert!(owners(&left).iter().all(|range| range.1 <= 5), "{:?}", owners(&left));
}

/// Few bytes of changes give few bytes of text, or are refused. Each edit here makes the text 64
/// times as long.
#[test]
fn replacements_that_multiply_a_text_are_refused() {
    let many = "a\n".repeat(64);
    let all = || Change::replace(Replacement { all: true, ..edit("a\n", &many) });
    let left = replay(std::iter::once(write("a\n")).chain((0..6).map(|_| all())).collect());
    let spent = left.unknown.iter().filter(|unknown| unknown.why.starts_with("too many edits"));
    assert_eq!((spent.count(), left.unknown.len()), (1, 4), "then its text is no longer known");
    assert!(left.files.is_empty());
}

#[test]
fn many_places_of_a_long_file_take_no_time() {
    let text = |step: usize| -> String {
        let line = |at: usize| {
            if at.is_multiple_of(2) { format!("{at}\n") } else { format!("{at} {step}\n") }
        };
        (0..60_000).map(line).collect()
    };
    let writes = (0..4).map(|step| Change::Write { before: None, after: text(step) });
    let none = Change::Seen { content: String::new() };
    let left = replay(std::iter::once(none).chain(writes).collect());
    assert_eq!(owners(&left).len(), 60_000);
}

/// The cost of a comparison depends on the changed lines. Unchanged lines cost almost nothing.
#[test]
fn many_edits_at_both_ends_of_a_long_file_are_followed() {
    let text = |step: usize| -> String {
        let lines = (0..3_000).map(|at| ["    }\n", "\n", "x\n"][at * at % 3]);
        std::iter::once(format!("{step}\n")).chain(lines.map(str::to_owned)).collect::<String>()
            + &format!("end {step}\n")
    };
    let writes = (1..400).map(|step| Change::Write { before: None, after: text(step) });
    let left = replay(std::iter::once(write(&text(0))).chain(writes).collect());
    assert!(left.unknown.is_empty(), "{} not derived", left.unknown.len());
    let places: Vec<_> = owners(&left).iter().map(|range| (range.0, range.1, range.2)).collect();
    assert_eq!(places, [(1, 1, 399), (2, 3_001, 0), (3_002, 3_002, 399)]);
}

/// Replacements that multiply the lines of a text, found by a fuzzer: a single comparison of the
/// longest texts took a second. They are replayed up to about ten thousand lines.
#[test]
fn lines_that_replacements_multiply_are_followed_up_to_a_number() {
    let new = "a\rb\n".repeat(7);
    let all = Change::replace(Replacement { all: true, line: true, ..edit("a\rb", &new) });
    let seen = Change::Seen { content: "a\rb\n".repeat(8) };
    let left = replay(std::iter::once(seen).chain(std::iter::repeat_n(all, 6)).collect());
    let unknown: Vec<_> = left.unknown.iter().map(|unknown| unknown.event).collect();
    assert_eq!((unknown, owners(&left).len()), (vec![4, 5, 6], 0));
}
