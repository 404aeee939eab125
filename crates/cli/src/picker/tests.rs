//! The picker without a terminal: keys and news go in, drawn screens come out.

use std::sync::Arc;

use catalog::Entry;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use session::UtcTime;

use super::draw;
use super::marks::Marks;
use super::state::{End, Picker};
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

/// The screen as lines.
fn drawn(picker: &mut Picker, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    picker.resized(width.into(), height.into());
    terminal.draw(|frame| draw::draw(picker, frame)).expect("drawn");
    let buffer = terminal.backend().buffer();
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
