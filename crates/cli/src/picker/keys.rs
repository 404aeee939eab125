//! The keys of the picker.

use std::path::Path;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::reader::{Choice, Reader, begins_turn, is_failed};
use super::state::{End, Focus, Picker};
use super::work::Job;

/// The keys, for the help: each with what it does.
pub(super) const HELP: &[(&str, &str)] = &[
    ("letters", "filter by title, prompt, folder, agent and id"),
    ("/ words", "in the empty box: search the texts"),
    ("\"phrase", "search the texts for a phrase"),
    ("Tab", "sessions of this folder, or of all"),
    ("↓ ↑", "choose; from the box, letters are commands then"),
    ("Enter", "read the session"),
    ("r", "continue it in its agent"),
    ("c", "continue it in another agent, after showing what arrives"),
    ("d", "what it changed in files"),
    ("e", "write it as a redacted page"),
    ("y", "copy its id"),
    ("p  h  H", "pin it; hide it; show hidden ones"),
    ("→ ← x", "unfold and fold its forks and sub-agents"),
    ("o", "another order"),
    ("◆", "it grows now: the newest files are looked at every 0.7 s"),
    ("J K", "scroll the preview"),
    ("n p  f F", "reading: next and last prompt, failure"),
    ("m D a b", "reading: mode, diffs, unfold all, the agent's bytes"),
    ("Esc", "back; from the rows it ends"),
    ("Alt", "with a letter: the command, while typing"),
];

impl Picker {
    /// Answers a key.
    pub(super) fn press(&mut self, key: KeyEvent) -> Option<End> {
        self.disturbed();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return Some(End::Quit);
        }
        if self.with_help {
            self.press_help(key.code);
            return None;
        }
        if self.choice.is_some() {
            return self.press_choice(key.code);
        }
        if self.reader.is_some() {
            return self.press_reader(key.code);
        }
        if control {
            self.edit(key.code);
            return None;
        }
        match (self.focus, key.code) {
            (_, KeyCode::Enter) => self.open(),
            (_, KeyCode::Tab) => {
                self.is_here = !self.is_here;
                self.arrange();
                None
            }
            (_, KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown) => {
                self.walk(key.code);
                None
            }
            (Focus::Typing, KeyCode::Char(c)) if key.modifiers.contains(KeyModifiers::ALT) => {
                self.command(c)
            }
            (Focus::Typing, code) => {
                self.write(code);
                None
            }
            (Focus::Rows, KeyCode::Char(c)) => self.command(c),
            (Focus::Rows, KeyCode::Right) => {
                self.unfold(true);
                None
            }
            (Focus::Rows, KeyCode::Left) => {
                self.unfold(false);
                None
            }
            (Focus::Rows, KeyCode::Esc) => Some(End::Quit),
            (Focus::Rows, KeyCode::Backspace) => {
                self.focus = Focus::Typing;
                None
            }
            _ => None,
        }
    }

    /// A key while the help is open: it scrolls, or it is closed.
    fn press_help(&mut self, code: KeyCode) {
        match code {
            KeyCode::Down | KeyCode::PageDown | KeyCode::Char('j' | ' ') => self.help_top += 1,
            KeyCode::Up | KeyCode::PageUp | KeyCode::Char('k') => {
                self.help_top = self.help_top.saturating_sub(1);
            }
            _ => (self.with_help, self.help_top) = (false, 0),
        }
    }

    /// A key with Ctrl in the box.
    fn edit(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char('u') => self.input.clear(),
            KeyCode::Char('w') => {
                let kept = self.input.trim_end().rfind(' ').map_or(0, |at| at + 1);
                self.input.truncate(kept);
            }
            KeyCode::Char('n') => return self.step(1),
            KeyCode::Char('p') => return self.step(-1),
            _ => return,
        }
        self.retyped();
    }

    /// A key in the box.
    fn write(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char('?') if self.input.is_empty() => self.with_help = true,
            KeyCode::Char(c) => {
                self.input.push(c);
                self.retyped();
            }
            KeyCode::Backspace => {
                self.input.pop();
                self.retyped();
            }
            KeyCode::Esc => self.focus = Focus::Rows,
            _ => {}
        }
    }

    /// The list for what was typed, with its first row chosen.
    fn retyped(&mut self) {
        self.chosen = None;
        self.arrange();
    }

    fn walk(&mut self, code: KeyCode) {
        let page = isize::try_from(self.height / 2).unwrap_or(1).max(1);
        let first = self.focus == Focus::Typing;
        self.focus = Focus::Rows;
        match code {
            KeyCode::Down if first => {}
            KeyCode::Down => self.step(1),
            KeyCode::PageDown => self.step(page),
            KeyCode::PageUp => self.step(-page),
            _ => {
                let before = self.at;
                self.step(-1);
                // Above the first row is the box.
                if self.at == before {
                    self.focus = Focus::Typing;
                }
            }
        }
    }

    /// Reads the chosen session, or prints its name.
    fn open(&mut self) -> Option<End> {
        let uid = self.chosen.clone()?;
        if self.prints {
            return Some(End::Print(uid));
        }
        self.reader = Some(Reader::of(uid));
        None
    }

    /// A letter that is a command for the chosen session.
    fn command(&mut self, letter: char) -> Option<End> {
        match letter {
            'q' => return Some(End::Quit),
            '?' => self.with_help = true,
            'j' => self.step(1),
            'k' => self.step(-1),
            'g' => self.step(isize::MIN / 2),
            'G' => self.step(isize::MAX / 2),
            'J' => self.preview_top += 1,
            'K' => self.preview_top = self.preview_top.saturating_sub(1),
            'o' => {
                self.sort = self.sort.next();
                self.arrange();
                self.message = self.sort.name().into();
            }
            'H' => {
                self.with_hidden = !self.with_hidden;
                self.arrange();
            }
            '/' => {
                self.input = "/".into();
                self.focus = Focus::Typing;
                self.retyped();
            }
            'i' => self.focus = Focus::Typing,
            'x' => self.unfold(!self.is_unfolded()),
            letter => {
                let uid = self.chosen.clone()?;
                return self.act(letter, uid);
            }
        }
        None
    }

    /// A command that does something with a session.
    fn act(&mut self, letter: char, uid: String) -> Option<End> {
        match letter {
            'r' => {
                let folder = self.other_folder(&uid);
                let mut words = vec!["resume", "--run"];
                words.extend(folder.iter().flat_map(|folder| ["--folder", folder]));
                words.extend(["--", &uid]);
                return Some(End::Command(words.into_iter().map(str::to_owned).collect()));
            }
            'c' => self.choice = Some(Choice::of(uid.clone(), self.other_folder(&uid))),
            'd' => self.reader = Some(Reader::of_edits(uid)),
            'e' => {
                self.message = "writing the page …".into();
                let page = page_name(&uid);
                let words = ["export", "-o", &page, "--", &uid].map(str::to_owned);
                let done = format!("{page}: without its secrets; read it before you share it");
                self.jobs.push(Job::Do { args: words.into(), done });
            }
            'y' => {
                self.message = format!("copied: {uid}");
                self.copied = Some(uid);
            }
            'p' => self.mark(|picker| picker.marks.pin(&uid), ["pinned", "not pinned any more"]),
            'h' => self.mark(|picker| picker.marks.hide(&uid), ["hidden: `H` shows it", "shown"]),
            _ => {}
        }
        None
    }

    fn mark(
        &mut self,
        set: impl FnOnce(&mut Self) -> Result<bool, String>,
        [on, off]: [&'static str; 2],
    ) {
        self.message = match set(self) {
            Ok(true) => on.into(),
            Ok(false) => off.into(),
            Err(why) => why,
        };
        self.arrange();
    }

    fn press_reader(&mut self, code: KeyCode) -> Option<End> {
        let mut reader = self.reader.take()?;
        let lines = self.text(&reader.name()).unwrap_or_default();
        let (page, last) = (self.height.saturating_sub(4).max(1), lines.len().saturating_sub(1));
        match code {
            KeyCode::Esc | KeyCode::Char('q') => return None,
            KeyCode::Down | KeyCode::Char('j') => reader.top += 1,
            KeyCode::Up | KeyCode::Char('k') => reader.top = reader.top.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => reader.top += page,
            KeyCode::PageUp => reader.top = reader.top.saturating_sub(page),
            KeyCode::Home | KeyCode::Char('g') => reader.top = 0,
            KeyCode::End | KeyCode::Char('G') => reader.top = last.saturating_sub(page - 1),
            KeyCode::Char('n') => reader.go(lines, false, begins_turn),
            KeyCode::Char('p') => reader.go(lines, true, begins_turn),
            KeyCode::Char('f') => reader.go(lines, false, is_failed),
            KeyCode::Char('F') => reader.go(lines, true, is_failed),
            KeyCode::Char('m') => reader.next_mode(),
            KeyCode::Char('D') => reader.diffs = !reader.diffs,
            KeyCode::Char('a') => reader.unfolds = !reader.unfolds,
            KeyCode::Char('b') => (reader.bytes, reader.top) = (!reader.bytes, 0),
            KeyCode::Char('?') => self.with_help = true,
            KeyCode::Char(letter @ ('r' | 'c' | 'e' | 'y')) => {
                let uid = reader.uid.clone();
                self.reader = Some(reader);
                return self.act(letter, uid);
            }
            _ => {}
        }
        reader.top = reader.top.min(last);
        self.reader = Some(reader);
        None
    }

    /// The current folder, if that of a session is gone: the session can be continued here.
    fn other_folder(&self, uid: &str) -> Option<String> {
        let row = self.rows.all.iter().find(|row| row.uid == uid)?;
        let folder = row.entry.folder.as_deref()?;
        let is_gone = !Path::new(folder).is_dir();
        let here = std::env::current_dir().ok().filter(|_| is_gone)?;
        here.to_str().map(str::to_owned)
    }

    fn press_choice(&mut self, code: KeyCode) -> Option<End> {
        let mut choice = self.choice.take()?;
        match code {
            KeyCode::Esc | KeyCode::Char('q') => return None,
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => {
                choice.at = (choice.at + 1) % choice.agents.len().max(1);
                choice.top = 0;
            }
            KeyCode::Up | KeyCode::Char('k') => {
                let count = choice.agents.len().max(1);
                choice.at = (choice.at + count - 1) % count;
                choice.top = 0;
            }
            KeyCode::PageDown => choice.top += 5,
            KeyCode::PageUp => choice.top = choice.top.saturating_sub(5),
            KeyCode::Enter => {
                return Some(End::Command(choice.args(false)));
            }
            _ => {}
        }
        self.choice = Some(choice);
        None
    }
}

/// The name of the page of a session, in the current folder: an id may be no path.
fn page_name(uid: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let name: String = uid.chars().map(|c| if is_plain(c) { c } else { '-' }).take(100).collect();
    format!("verbatim-{name}.html")
}
