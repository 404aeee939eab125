//! The state of the picker: what is typed, which session is chosen, what is open. It changes by
//! keys and by news, and knows nothing of the terminal.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use catalog::Entry;
use nucleo_matcher::Matcher;
use operations::filter::Filter;
use ratatui::text::Line;
use session::UtcTime;

use super::growth::Growth;
use super::marks::Marks;
use super::reader::{Choice, Reader};
use super::rows::{Family, Item, Row, Rows, Sort, Wanted, matcher};
use super::work::{Job, News, TextName};
use crate::scope::Here;
use crate::zone::Zone;

/// The end of the picker.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing more is to be done.
    Quit,
    /// A command is to be run on the terminal.
    Command(Vec<String>),
    /// The name of a session is to be printed.
    Print(String),
}

/// The part of the screen that gets the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// Into the box: letters are typed.
    Typing,
    /// To the rows: letters are commands.
    Rows,
}

/// The number of looks at the picker in which nothing was typed, until the chosen session is read
/// for the preview.
const REST: u32 = 3;

/// Greatest number of texts that are kept.
const KEPT: usize = 24;

/// The result of a search of texts.
pub(super) struct Found {
    pub words: Vec<String>,
    pub counts: HashMap<String, usize>,
    /// Whether there may be more.
    pub least: bool,
}

/// The picker.
pub(super) struct Picker {
    pub rows: Rows,
    pub items: Vec<Item>,
    /// Whether all sessions are listed.
    pub is_whole: bool,
    pub input: String,
    pub focus: Focus,
    /// The uid of the chosen session, and its place among the items.
    pub chosen: Option<String>,
    pub at: usize,
    /// The first item on the screen.
    pub top: usize,
    here: Option<Here>,
    pub scope: Option<Filter>,
    pub is_here: bool,
    pub sort: Sort,
    pub marks: Marks,
    pub with_hidden: bool,
    /// The sessions whose forks and sub-agents are shown.
    pub unfolded: HashSet<String>,
    /// The sessions that grow now.
    pub growing: HashSet<String>,
    /// The cost of sessions, in words, where the index knows it.
    pub costs: HashMap<String, String>,
    pub found: Option<Found>,
    /// The words of the search that runs.
    pub searching: Option<Vec<String>>,
    texts: HashMap<TextName, Vec<Line<'static>>>,
    asked: HashSet<TextName>,
    /// Texts of sessions that have grown since: they are shown until the new ones are there.
    stale: HashSet<TextName>,
    pub preview_top: usize,
    pub reader: Option<Reader>,
    pub choice: Option<Choice>,
    pub message: String,
    /// The text that the terminal is to put into the clipboard.
    pub copied: Option<String>,
    pub with_help: bool,
    /// The first line of the help on the screen.
    pub help_top: usize,
    pub(super) jobs: Vec<Job>,
    is_changed: bool,
    quiet: u32,
    pub width: usize,
    pub height: usize,
    pub now: UtcTime,
    pub zone: Zone,
    pub home: Option<PathBuf>,
    pub can_color: bool,
    pub prints: bool,
    pub matcher: Matcher,
}

impl Picker {
    pub(super) fn new(here: Option<Here>, zone: Zone, now: UtcTime, marks: Marks) -> Self {
        Self {
            rows: Rows::default(),
            items: Vec::new(),
            is_whole: false,
            input: String::new(),
            focus: Focus::Typing,
            chosen: None,
            at: 0,
            top: 0,
            here,
            scope: None,
            is_here: true,
            sort: Sort::Updated,
            marks,
            with_hidden: false,
            unfolded: HashSet::new(),
            growing: HashSet::new(),
            costs: HashMap::new(),
            found: None,
            searching: None,
            texts: HashMap::new(),
            asked: HashSet::new(),
            stale: HashSet::new(),
            preview_top: 0,
            reader: None,
            choice: None,
            message: String::new(),
            copied: None,
            with_help: false,
            help_top: 0,
            jobs: Vec::new(),
            is_changed: true,
            quiet: 0,
            width: 80,
            height: 24,
            now,
            zone,
            home: None,
            can_color: true,
            prints: false,
            matcher: matcher(),
        }
    }

    /// Takes something that is done.
    pub(super) fn take(&mut self, news: News) {
        self.touch();
        match news {
            News::Listed { entries, whole } => self.list(entries, whole),
            News::Text { name, lines } => {
                self.asked.remove(&name);
                if self.texts.len() >= KEPT {
                    self.texts.clear();
                }
                self.texts.insert(name, lines);
            }
            News::Found { words, counts, least } => {
                if self.searching.as_ref() == Some(&words) {
                    self.searching = None;
                }
                if self.words().as_ref() == Some(&words) {
                    self.found = Some(Found { words, counts, least });
                    self.arrange();
                }
            }
            News::Said(text) => self.message = text,
            News::Cost(costs) => self.costs = costs,
            News::Grown(growth) => self.grow(growth),
        }
    }

    /// Takes what a look at the files has shown. The rows that were there stay where they are on
    /// the screen, with the chosen one.
    fn grow(&mut self, growth: Growth) {
        self.now = growth.now;
        self.growing = growth.growing;
        if growth.entries.is_empty() {
            return;
        }
        let changed: HashSet<String> = growth.entries.iter().map(Row::uid_of).collect();
        self.stale.extend(self.texts.keys().filter(|name| changed.contains(&name.uid)).cloned());
        if self.chosen.as_ref().is_some_and(|uid| changed.contains(uid)) {
            self.quiet = 0;
        }
        if self.scope.is_none() {
            self.scope = self.here.as_ref().and_then(|here| here.scope(&growth.entries));
        }
        self.rows.merge(growth.entries);
        self.arrange();
    }

    fn list(&mut self, entries: Vec<Entry>, whole: bool) {
        self.scope = self.here.as_ref().and_then(|here| here.scope(&entries));
        self.rows = Rows::of(entries);
        self.is_whole = whole;
        self.arrange();
    }

    /// Makes the lines of the list anew. The chosen session stays chosen, and where it is on the
    /// screen.
    pub(super) fn arrange(&mut self) {
        self.touch();
        let offset = self.at.saturating_sub(self.top);
        let is_text = self.words().is_some();
        let none = HashMap::new();
        let found = is_text.then(|| self.found.as_ref().map_or(&none, |found| &found.counts));
        let wanted = Wanted {
            typed: if is_text { "" } else { &self.input },
            found,
            scope: self.scope.as_ref().filter(|_| self.is_here),
            sort: self.sort,
            marks: &self.marks,
            with_hidden: self.with_hidden,
            unfolded: &self.unfolded,
            now: self.now,
            zone: &self.zone,
        };
        self.items = self.rows.items(&wanted, &mut self.matcher);
        let place = self.chosen.as_deref().and_then(|uid| self.place(uid));
        match place {
            Some(at) => {
                self.at = at;
                self.top = at.saturating_sub(offset);
            }
            None => {
                (self.at, self.top) = (0, 0);
                self.step(0);
            }
        }
    }

    /// The place of a session among the items.
    fn place(&self, uid: &str) -> Option<usize> {
        let is_it =
            |item: &Item| matches!(item, Item::Row { row, .. } if self.rows.all[*row].uid == uid);
        self.items.iter().position(is_it)
    }

    /// The chosen row.
    pub(super) fn row(&self) -> Option<&Row> {
        match self.items.get(self.at)? {
            Item::Row { row, .. } => self.rows.all.get(*row),
            Item::Group(_) => None,
        }
    }

    /// Chooses the row that is this many rows further.
    pub(super) fn step(&mut self, by: isize) {
        let rows = self.items.iter().enumerate();
        let rows: Vec<usize> =
            rows.filter(|(_, item)| matches!(item, Item::Row { .. })).map(|(at, _)| at).collect();
        let now = rows.partition_point(|at| *at < self.at);
        let last = rows.len().saturating_sub(1);
        let next = now.saturating_add_signed(by).min(last);
        match rows.get(next) {
            Some(at) => {
                self.at = *at;
                self.chosen = self.row().map(|row| row.uid.clone());
            }
            None => self.chosen = None,
        }
        self.preview_top = 0;
        self.touch();
    }

    /// Whether the forks and sub-agents of the chosen session are shown, or it is one of them.
    pub(super) fn is_unfolded(&self) -> bool {
        let item = self.items.get(self.at);
        matches!(item, Some(Item::Row { family: Family::Open | Family::Member, .. }))
    }

    /// Shows the forks and sub-agents of the chosen session, or folds the family that it is in.
    pub(super) fn unfold(&mut self, opens: bool) {
        let is_first =
            |item: &&Item| matches!(item, Item::Row { family, .. } if *family != Family::Member);
        let first = self.items.iter().take(self.at + 1).rev().find(is_first);
        let Some(Item::Row { row, .. }) = first else { return };
        let uid = self.rows.all[*row].uid.clone();
        match opens {
            true => _ = self.unfolded.insert(uid),
            false => {
                self.unfolded.remove(&uid);
                self.chosen = Some(uid);
            }
        }
        self.arrange();
    }

    /// The words of a search of texts, if that is what was typed: behind `/`, or a phrase behind a
    /// quotation mark.
    pub(super) fn words(&self) -> Option<Vec<String>> {
        if let Some(words) = self.input.strip_prefix('/') {
            return Some(words.split_whitespace().map(str::to_owned).collect());
        }
        let phrase = self.input.strip_prefix('"')?.trim_end_matches('"');
        Some(Some(phrase.to_owned()).filter(|phrase| !phrase.is_empty()).into_iter().collect())
    }

    /// The jobs that the screen needs.
    pub(super) fn wants(&mut self) -> Vec<Job> {
        self.quiet = self.quiet.saturating_add(1);
        let mut jobs = std::mem::take(&mut self.jobs);
        if self.quiet == REST {
            jobs.extend(self.search_job());
            jobs.extend(self.preview_name().and_then(|name| {
                let args = ["show", "--turn", "last", "--", &name.uid];
                self.text_job(&name, args.map(str::to_owned).into(), self.width)
            }));
        }
        if let Some(reader) = &self.reader {
            let (name, args) = (reader.name(), reader.args());
            jobs.extend(self.text_job(&name, args, self.width));
        }
        if let Some(choice) = &self.choice {
            let (name, args) = (choice.name(), choice.args(true));
            jobs.extend(self.text_job(&name, args, self.width.saturating_sub(4)));
        }
        jobs
    }

    fn search_job(&mut self) -> Option<Job> {
        let words = self.words().filter(|words| !words.is_empty())?;
        let is_known = self.found.as_ref().is_some_and(|found| found.words == words);
        // One search at a time: the next one begins when it has ended.
        if is_known || self.searching.is_some() {
            self.quiet = if is_known { self.quiet } else { 0 };
            return None;
        }
        self.searching = Some(words.clone());
        Some(Job::Search(words))
    }

    fn text_job(&mut self, name: &TextName, args: Vec<String>, width: usize) -> Option<Job> {
        let is_fresh = self.texts.contains_key(name) && !self.stale.remove(name);
        let is_known = is_fresh || !self.asked.insert(name.clone());
        (!is_known).then(|| Job::Text { name: name.clone(), args, width })
    }

    /// The name of the preview's text.
    pub(super) fn preview_name(&self) -> Option<TextName> {
        let uid = self.chosen.clone()?;
        Some(TextName { uid, way: "preview".into() })
    }

    /// The lines of a text, if they are there.
    pub(super) fn text(&self, name: &TextName) -> Option<&[Line<'static>]> {
        self.texts.get(name).map(Vec::as_slice)
    }

    /// Takes the size of the terminal. The texts of another width are made anew.
    pub(super) fn resized(&mut self, width: usize, height: usize) {
        if self.width != width {
            self.texts.clear();
            self.asked.clear();
            self.quiet = 0;
        }
        if (self.width, self.height) != (width, height) {
            (self.width, self.height) = (width, height);
            self.touch();
        }
    }

    /// Takes pasted text: its line breaks are no keys.
    pub(super) fn paste(&mut self, text: &str) {
        if self.reader.is_none() && self.choice.is_none() {
            self.input.extend(text.chars().filter(|c| !c.is_control()));
            self.focus = Focus::Typing;
            self.arrange();
        }
        self.quiet = 0;
    }

    /// Notes that the screen is not what it should be.
    pub(super) fn touch(&mut self) {
        self.is_changed = true;
    }

    /// Whether the screen has to be drawn anew.
    pub(super) fn is_changed(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }

    /// Notes that a key was pressed.
    pub(super) fn disturbed(&mut self) {
        self.quiet = 0;
        self.message.clear();
        self.touch();
    }
}
