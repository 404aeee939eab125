//! The picker without a terminal: keys and news go in, drawn screens come out.

use std::sync::Arc;

use catalog::{Entry, SessionActs};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use session::UtcTime;

use super::draw;
use super::growth::Growth;
use super::marks::Marks;
use super::picture::picture;
use super::state::{End, Picker};
use super::styled;
use super::work::{Job, News};
use crate::zone::Zone;

const HOUR: i64 = 3_600_000_000;
const NOW: UtcTime = UtcTime(1_780_000_000_000_000);

fn entry(id: &str, title: &str, hours: i64) -> Entry {
    Entry {
        format: "codex",
        id: id.into(),
        title: Some(title.into()),
        prompt: Some("oil the hinges of the gate".into()),
        spawned_by: None,
        forked_from: None,
        folder: Some("/home/ana/garden".into()),
        model: None,
        version: None,
        started: Some(UtcTime(NOW.0 - hours * HOUR)),
        updated: Some(UtcTime(NOW.0 - hours * HOUR)),
        undated: false,
        length: 100,
        files: vec![Arc::from(std::path::Path::new("/home/ana/a.jsonl"))],
        copies: Vec::new(),
        turns: None,
        archived: false,
        damaged: 0,
        acts: None,
    }
}

fn picker(entries: Vec<Entry>, whole: bool) -> Picker {
    let mut picker = Picker::new(None, Zone::utc(), NOW, Marks::default());
    picker.take(News::Listed { entries, whole });
    picker
}

fn three() -> Vec<Entry> {
    vec![
        entry("a1", "Paint the gate", 1),
        entry("b2", "Prune the roses", 30),
        entry("c3", "Mend the fence", 800),
    ]
}

fn press(picker: &mut Picker, code: KeyCode) -> Option<End> {
    picker.press(KeyEvent::new(code, KeyModifiers::NONE))
}

fn type_in(picker: &mut Picker, text: &str) {
    for c in text.chars() {
        assert_eq!(press(picker, KeyCode::Char(c)), None);
    }
}

/// The screen as cells.
fn cells(picker: &mut Picker, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    picker.resized(width.into(), height.into());
    terminal.draw(|frame| draw::draw(picker, frame)).expect("drawn");
    terminal.backend().buffer().clone()
}

/// The screen as lines.
fn drawn(picker: &mut Picker, width: u16, height: u16) -> Vec<String> {
    let buffer = cells(picker, width, height);
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(line).collect()
}

#[test]
fn the_list_has_groups_and_fits_any_width() {
    for width in [40, 60, 80, 120, 200] {
        let mut picker = picker(three(), true);
        let screen = drawn(&mut picker, width, 24);
        let all = screen.join("\n");
        for word in ["3 sessions", "TODAY", "YESTERDAY", "Paint the gate", "Prune", "▸"] {
            assert!(all.contains(word), "{width}: {word}:\n{all}");
        }
    }
}

#[test]
fn what_is_typed_filters_and_enter_reads() {
    let mut picker = picker(three(), true);
    type_in(&mut picker, "rosp");
    assert!(drawn(&mut picker, 80, 24).join("\n").contains("nothing matches"));
    press(&mut picker, KeyCode::Backspace);
    let screen = drawn(&mut picker, 80, 24).join("\n");
    assert!(screen.contains("Prune the roses") && !screen.contains("Paint"), "{screen}");
    assert!(screen.contains("1 of 3"), "{screen}");
    assert_eq!(press(&mut picker, KeyCode::Enter), None);
    let jobs = picker.wants();
    let is_read =
        |job: &Job| matches!(job, Job::Text { args, .. } if args == &["show", "--", "codex:b2"]);
    assert!(jobs.iter().any(is_read), "{jobs:?}");
    assert_eq!(press(&mut picker, KeyCode::Esc), None);
    assert!(picker.reader.is_none());
}

/// Words of a prompt match whole: letters spread over a long prompt mean nothing.
#[test]
fn a_prompt_matches_by_whole_words() {
    let mut picker = picker(three(), true);
    type_in(&mut picker, "hinges");
    assert!(drawn(&mut picker, 80, 24)[0].contains("3 sessions"));
    type_in(&mut picker, "x");
    assert!(drawn(&mut picker, 80, 24)[0].contains("0 of 3"));
}

/// Rows that arrive later never move the chosen one, neither to another session nor on the screen.
#[test]
fn later_rows_do_not_move_the_chosen_one() {
    let mut picker = picker(three(), false);
    press(&mut picker, KeyCode::Down);
    press(&mut picker, KeyCode::Char('j'));
    let before = drawn(&mut picker, 80, 12);
    let at = before.iter().position(|line| line.contains('▸')).expect("a chosen row");
    assert!(before[at].contains("Prune"));
    let newer = (0..40).map(|n| entry(&format!("n{n}"), "Water the herbs", 0));
    picker.take(News::Listed { entries: newer.chain(three()).collect(), whole: true });
    let after = drawn(&mut picker, 80, 12);
    assert!(after[at].contains('▸') && after[at].contains("Prune"), "{}", after.join("\n"));
}

#[test]
fn letters_are_commands_on_the_rows() {
    let mut picker = picker(three(), true);
    press(&mut picker, KeyCode::Down);
    let Some(End::Command(words)) = press(&mut picker, KeyCode::Char('r')) else {
        panic!("it continues the session");
    };
    assert_eq!(words[..2], ["resume", "--run"]);
    assert_eq!(words.last().map(String::as_str), Some("codex:a1"));
    press(&mut picker, KeyCode::Char('c'));
    let choice = picker.choice.as_ref().expect("a choice of agents");
    assert!(choice.agents.contains(&"claude-code") && !choice.agents.contains(&"codex"));
    press(&mut picker, KeyCode::Esc);
    press(&mut picker, KeyCode::Char('h'));
    assert!(drawn(&mut picker, 80, 24)[0].contains("2 of 3"));
    press(&mut picker, KeyCode::Char('y'));
    assert_eq!(picker.copied.as_deref(), Some("codex:b2"));
    assert_eq!(press(&mut picker, KeyCode::Char('q')), Some(End::Quit));
}

#[test]
fn a_slash_searches_the_texts() {
    let mut picker = picker(three(), true);
    type_in(&mut picker, "/two words");
    let jobs: Vec<Job> = (0..8).flat_map(|_| picker.wants()).collect();
    let words: Vec<String> = vec!["two".into(), "words".into()];
    assert!(jobs.contains(&Job::Search(words.clone())), "{jobs:?}");
    let counts = [("codex:c3".to_owned(), 4)].into();
    picker.take(News::Found { words, counts, least: false });
    let screen = drawn(&mut picker, 80, 24).join("\n");
    assert!(screen.contains("4 hits in 1 session") && screen.contains("Mend"), "{screen}");
    assert!(!screen.contains("Paint"), "{screen}");
}

/// Forks and sub-agents are under the session that they came from, and every session is counted.
#[test]
fn a_family_is_one_row_until_it_is_unfolded() {
    let mut all = three();
    all[0].forked_from = Some("c3".into());
    all[1].spawned_by = Some("a1".into());
    // One that names a session that is not there, and two that name each other.
    all.push(Entry { spawned_by: Some("gone".into()), ..entry("d4", "Rake the leaves", 2) });
    all.push(Entry { forked_from: Some("f6".into()), ..entry("e5", "Stack the wood", 3) });
    all.push(Entry { forked_from: Some("e5".into()), ..entry("f6", "Split the wood", 4) });
    let mut picker = picker(all, true);
    let screen = drawn(&mut picker, 100, 30).join("\n");
    assert!(screen.contains("6 sessions"), "{screen}");
    let fence = screen.lines().find(|line| line.contains("Mend the fence")).expect("a row");
    assert!(fence.contains("⑂2"), "{screen}");
    assert!(!screen.contains("Paint") && !screen.contains("Prune"), "{screen}");
    for title in ["Rake", "Stack", "Split"] {
        assert!(screen.contains(title), "{title}: {screen}");
    }
    // New work in a fork of an old session is where the new sessions are.
    let at = |title: &str| screen.find(title).expect("it is there");
    assert!(at("TODAY") < at("Mend the fence") && at("Mend the fence") < at("Rake"), "{screen}");
    press(&mut picker, KeyCode::Down);
    press(&mut picker, KeyCode::Right);
    let screen = drawn(&mut picker, 100, 30).join("\n");
    assert!(screen.contains("└ Paint") && screen.contains("└ Prune"), "{screen}");
    assert!(screen.contains("6 sessions") && !screen.contains('⑂'), "{screen}");
    press(&mut picker, KeyCode::Char('j'));
    assert_eq!(picker.chosen.as_deref(), Some("codex:a1"));
    press(&mut picker, KeyCode::Left);
    assert_eq!(picker.chosen.as_deref(), Some("codex:c3"));
    // What is typed finds a session that is folded.
    press(&mut picker, KeyCode::Char('i'));
    type_in(&mut picker, "prune");
    assert!(drawn(&mut picker, 100, 30).join("\n").contains("Prune the roses"));
}

/// A hidden session that is shown again does not look like the others.
#[test]
fn hidden_rows_say_that_they_are_hidden() {
    let mut picker = picker(three(), true);
    press(&mut picker, KeyCode::Down);
    press(&mut picker, KeyCode::Char('h'));
    press(&mut picker, KeyCode::Char('H'));
    press(&mut picker, KeyCode::Char('g'));
    let screen = drawn(&mut picker, 80, 24);
    let row = |title: &str| screen.iter().find(|line| line.contains(title)).expect("a row");
    assert!(row("Paint the gate").contains("hidden") && !row("Prune").contains("hidden"));
}

/// The help is whole on a screen of any size: it scrolls.
#[test]
fn the_help_can_be_read_on_a_small_screen() {
    for (width, height) in [(20, 5), (40, 8), (80, 24)] {
        let mut picker = picker(three(), true);
        press(&mut picker, KeyCode::Char('?'));
        let mut seen = String::new();
        for _ in 0..120 {
            seen.extend(drawn(&mut picker, width, height));
            press(&mut picker, KeyCode::Down);
        }
        for word in ["letters", "pin it", "redacted", "while", "typing"] {
            assert!(seen.contains(word), "{width}x{height}: {word}");
        }
        press(&mut picker, KeyCode::Esc);
        assert!(!picker.with_help);
    }
}

/// A session that grows is marked, and its texts are read again while the old ones are shown.
#[test]
fn growth_marks_rows_and_reads_their_texts_again() {
    let mut picker = picker(three(), true);
    press(&mut picker, KeyCode::Down);
    press(&mut picker, KeyCode::Enter);
    let is_read =
        |job: &Job| matches!(job, Job::Text { args, .. } if args.contains(&"codex:a1".into()));
    let name = match picker.wants().into_iter().find(is_read) {
        Some(Job::Text { name, .. }) => name,
        _ => panic!("it is read"),
    };
    picker.take(News::Text { name: name.clone(), lines: vec!["the old text".into()] });
    assert!(!picker.wants().iter().any(is_read));
    let grown = Entry { updated: Some(NOW), ..entry("a1", "Paint the gate", 1) };
    let growing = ["codex:a1".to_owned(), "codex:n7".to_owned()].into();
    let entries = vec![entry("n7", "Sow the beans", 0), grown];
    picker.take(News::Grown(Growth { entries, growing, now: NOW }));
    assert!(picker.wants().iter().any(is_read), "it is read again");
    assert!(drawn(&mut picker, 80, 24).join("\n").contains("the old text"));
    press(&mut picker, KeyCode::Esc);
    let screen = drawn(&mut picker, 80, 24);
    let row = |title: &str| screen.iter().find(|line| line.contains(title)).expect("a row");
    assert!(row("Paint the gate").contains('◆') && row("Sow the beans").contains('◆'));
    assert!(!row("Prune the roses").contains('◆') && screen[0].contains("4 sessions, 2 growing"));
}

/// The cost of a session is in its row where it is known.
#[test]
fn rows_have_the_cost_that_is_known() {
    let mut picker = picker(three(), true);
    picker.take(News::Cost([("codex:b2".to_owned(), "$0.42".to_owned())].into()));
    let screen = drawn(&mut picker, 100, 24);
    assert_eq!(screen.iter().filter(|line| line.contains('$')).count(), 1);
    let row = screen.iter().find(|line| line.contains("Prune")).expect("a row");
    assert!(row.contains("$0.42"), "{row}");
}

/// The acts of a session are in its row where there is room for it.
#[test]
fn rows_have_what_was_done_where_it_is_known() {
    let mut entries = three();
    let acts = SessionActs { turns: 3, failed: 2, inserted: 340, ..SessionActs::default() };
    entries[1].acts = Some(Box::new(acts));
    let mut picker = picker(entries, true);
    let has = |lines: &[String]| lines.iter().filter(|line| line.contains("turns")).count();
    let screen = drawn(&mut picker, 120, 24);
    let row = screen.iter().find(|line| line.contains("Prune")).expect("a row");
    assert!(row.contains("3 turns  ✗2  +340 −0"), "{row}");
    assert_eq!((has(&screen), has(&drawn(&mut picker, 100, 24))), (1, 0));
}

/// A title acts on no terminal, whatever is in it.
#[test]
fn hostile_titles_are_text() {
    let hostile = "a\u{1b}[2Jb\u{202e}c\u{7}d\u{9b}31me\r\nf";
    let mut picker = picker(vec![entry("h", hostile, 1)], true);
    for focus in [KeyCode::Null, KeyCode::Down, KeyCode::Enter] {
        press(&mut picker, focus);
        let screen = drawn(&mut picker, 80, 24).join("");
        let acts = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!screen.contains(acts), "{screen:?}");
    }
}

/// The picture of the picker in `docs/pictures`, made by `UPDATE=1`; without it, it is compared.
#[test]
fn the_documentation_has_a_picture_of_the_picker() {
    let of = |format, id, title, hours, turns, inserted| {
        let deleted = inserted / 3;
        let acts = SessionActs { turns, inserted, deleted, ..SessionActs::default() };
        Entry { format, acts: Some(Box::new(acts)), ..entry(id, title, hours) }
    };
    let mut picker = picker(
        vec![
            of("claude-code", "a1", "Paint the gate and oil its hinges", 1, 12, 340),
            of("codex", "b2", "Why does the pump lose pressure?", 3, 4, 18),
            of("gemini", "c3", "Prune the roses before the frost", 26, 7, 96),
            of("opencode", "d4", "Move the herb bed to the south wall", 29, 21, 512),
            of("cursor", "e5", "Count the apples of each tree", 51, 2, 40),
            of("qwen", "f6", "Mend the fence behind the shed", 400, 9, 122),
        ],
        true,
    );
    let costs = [("claude-code:a1", "$1.84"), ("codex:b2", "$0.21"), ("opencode:d4", "$3.02")];
    let costs = costs.map(|(uid, cost)| (uid.to_owned(), cost.to_owned()));
    picker.take(News::Cost(costs.into()));
    press(&mut picker, KeyCode::Down);
    let _ = cells(&mut picker, 120, 26);
    // The preview waits until nobody has pressed a key for a while.
    for job in (0..8).flat_map(|_| picker.wants()).collect::<Vec<_>>() {
        if let Job::Text { name, .. } = job {
            picker.take(News::Text { name, lines: styled::lines(PREVIEWED.as_bytes(), true) });
        }
    }
    let made = picture(&cells(&mut picker, 120, 26));
    let path = samples::workspace().join("docs/pictures/picker.svg");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).expect("written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == made, "UPDATE=1 makes {}", path.display());
}

/// The lines that `show` prints of an invented session.
const PREVIEWED: &str = "\
\x1b[1m\u{258c} 12  2026-05-28 19:26\x1b[0m
\x1b[1m\u{258c} The hinges still squeak. Oil them, and paint what you touched.\x1b[0m

\x1b[32m\u{2713}\x1b[0m Edit  gate/hinges.md  \x1b[32m+14\x1b[0m \x1b[31m\u{2212}3\x1b[0m
\x1b[31m\u{2717}\x1b[0m Bash  make check  \x1b[2mexit 1: the lower hinge is bent\x1b[0m
\x1b[32m\u{2713}\x1b[0m Bash  make check

Both hinges are oiled, and the lower one is straight again.
";
