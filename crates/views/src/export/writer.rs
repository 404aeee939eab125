//! Writer of Markdown: blocks in containers, and text in which nothing is a mark. Every byte of a
//! session passes through here, so that only the writer's callers make elements.

use super::safe::plain;

/// A container of blocks: the document, a quote, an item of a list.
#[derive(Debug, Default)]
struct Container {
    /// The beginning of each of its lines.
    prefix: &'static str,
    /// The width of an item's marker, in place of a prefix.
    indent: usize,
    /// Whether it has a block.
    filled: bool,
    /// Whether its blocks follow each other without an empty line.
    tight: bool,
    /// Whether its last block is text that can continue.
    open: bool,
    /// The mark of the list that ended last, if nothing came after it.
    list: Option<char>,
}

/// Text of a document that is made.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) out: String,
    containers: Vec<Container>,
    /// Whether the line has no text yet.
    fresh: bool,
    /// Whether text is on one line, in a cell of a table.
    pub(super) cell: bool,
    /// Whether text is on one line, in a heading.
    pub(super) heading: bool,
    /// Whether an emphasis has just begun.
    delimited: bool,
}

impl Writer {
    pub(super) fn new() -> Self {
        let document = Container::default();
        let containers = vec![document];
        Self {
            out: String::new(),
            containers,
            fresh: true,
            cell: false,
            heading: false,
            delimited: false,
        }
    }

    fn newline(&mut self) {
        if self.fresh {
            // The prefix of an empty line has no space at its end.
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        self.out.push('\n');
        for container in &self.containers {
            self.out.push_str(container.prefix);
            self.out.extend(std::iter::repeat_n(' ', container.indent));
        }
        self.fresh = true;
    }

    /// Begins a block.
    pub(super) fn block(&mut self) {
        let Some(container) = self.containers.last_mut() else { return };
        container.list = None;
        let (filled, tight) = (container.filled, container.tight);
        (container.filled, container.open) = (true, true);
        if filled {
            self.newline();
            if !tight {
                self.newline();
            }
        }
        self.fresh = true;
    }

    /// Begins a text that has no block of its own: in an item without paragraphs, beside a block.
    pub(super) fn text_block(&mut self) {
        let within = self.cell || self.heading;
        if !within && self.containers.last().is_some_and(|container| !container.open) {
            self.block();
        }
    }

    /// Whether blocks follow each other without an empty line.
    pub(super) fn is_tight(&self) -> bool {
        self.containers.last().is_some_and(|container| container.tight)
    }

    fn enter(&mut self, container: Container) {
        self.containers.push(container);
        self.fresh = true;
    }

    /// Ends a quote or an item.
    pub(super) fn leave(&mut self) {
        self.containers.pop();
        self.close();
    }

    /// Ends a block: text that follows is another one.
    pub(super) fn close(&mut self) {
        if let Some(container) = self.containers.last_mut() {
            container.open = false;
        }
    }

    /// Begins a quote.
    pub(super) fn quote(&mut self) {
        self.block();
        self.out.push_str("> ");
        self.enter(Container { prefix: "> ", ..Container::default() });
    }

    /// The mark of a list that is about to begin: another one than that of a list right before it,
    /// with which it would be one list.
    pub(super) fn mark(&self, ordered: bool) -> char {
        let before = self.containers.last().and_then(|container| container.list);
        match (ordered, before) {
            (false, Some('-')) => '*',
            (false, _) => '-',
            (true, Some('.')) => ')',
            (true, _) => '.',
        }
    }

    /// Begins an item of a list. Its number is that of an ordered list; `close` means that no empty
    /// line is before it.
    pub(super) fn item(&mut self, mark: char, number: Option<u64>, close: bool, tight: bool) {
        let outer = self.containers.last_mut();
        let before = outer.map(|outer| std::mem::replace(&mut outer.tight, close));
        self.block();
        if let (Some(outer), Some(before)) = (self.containers.last_mut(), before) {
            outer.tight = before;
        }
        let marker = match number {
            // The largest number that CommonMark allows.
            Some(number) => format!("{}{mark} ", number.min(999_999_999)),
            None => format!("{mark} "),
        };
        self.out.push_str(&marker);
        self.enter(Container { indent: marker.len(), tight, ..Container::default() });
    }

    /// Ends a list.
    pub(super) fn list(&mut self, mark: char) {
        if let Some(container) = self.containers.last_mut() {
            (container.list, container.open) = (Some(mark), false);
        }
    }

    /// Begins a heading.
    pub(super) fn begin_heading(&mut self, level: usize) {
        self.block();
        self.raw(&"#".repeat(level));
        self.raw(" ");
        self.heading = true;
    }

    /// Begins an emphasis.
    pub(super) fn delimiter(&mut self, mark: &str) {
        self.raw(mark);
        self.delimited = true;
    }

    /// Ends an emphasis: its mark must not follow a space.
    pub(super) fn closing(&mut self, mark: &str) {
        if self.out.ends_with(' ') {
            self.out.pop();
            self.raw("&#32;");
        }
        self.raw(mark);
    }

    /// A mark of Markdown, or a text without any.
    pub(super) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
        (self.fresh, self.delimited) = (false, false);
    }

    /// A line break within a paragraph.
    pub(super) fn line_break(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        match self.cell || self.heading {
            true => self.out.push(' '),
            false => self.newline(),
        }
    }

    /// A block of code, exactly as it is: the fence is longer than any run of its mark within
    /// (CommonMark, section 4.5).
    pub(super) fn code_block(&mut self, language: &str, text: &str) {
        self.block();
        let text = plain(text);
        let fence = "`".repeat(longest_run(&text).max(2) + 1);
        self.raw(&fence);
        self.raw(language);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        if !text.is_empty() {
            for line in text.split('\n') {
                self.newline();
                self.out.push_str(line);
                self.fresh = line.is_empty();
            }
        }
        self.newline();
        self.raw(&fence);
        self.close();
    }

    /// A span of code, exactly as it is.
    pub(super) fn code(&mut self, text: &str) {
        let text = plain(text).replace(['\n', '\t'], " ");
        // A cell's bar is escaped even in code, and a backslash before it would escape that.
        if text.is_empty() || self.cell && (text.contains("\\|") || text.ends_with('\\')) {
            return self.text(&text);
        }
        let marks = "`".repeat(longest_run(&text) + 1);
        let blank = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
        let pad = if blank || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        if self.out.ends_with('`') && !self.fresh {
            self.out.push(' ');
        }
        let text = if self.cell { text.replace('|', "\\|") } else { text };
        for part in [&*marks, pad, &*text, pad, &*marks] {
            self.raw(part);
        }
    }

    /// Text in which nothing is a mark.
    pub(super) fn text(&mut self, text: &str) {
        let text = plain(text);
        let mut rest = text.char_indices().peekable();
        while let Some((at, letter)) = rest.next() {
            let next = rest.peek().map(|(_, next)| *next);
            match letter {
                '\n' => self.line_break(),
                ' ' | '\t' if self.fresh => {}
                ' ' | '\t' if self.delimited => self.raw("&#32;"),
                '\t' => self.out.push(' '),
                _ => {
                    if self.fresh && begins_block(letter, next) {
                        self.out.push('\\');
                    }
                    self.letter(letter, next, &text[at..]);
                }
            }
        }
    }

    fn letter(&mut self, letter: char, next: Option<char>, rest: &str) {
        let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        match letter {
            '<' => self.out.push_str("&lt;"),
            // Parsers link bare addresses as they are written, so an `&` in one stays as it is.
            '&' if begins_entity(rest) => self.out.push_str("&amp;"),
            '|' if self.cell => self.out.push_str("&#124;"),
            '\\' | '`' | '*' | '[' | ']' | '~' | '|' | '$' => self.out.extend(['\\', letter]),
            // Only in a word it is no mark.
            '_' if is_word(self.out.chars().next_back()) && is_word(next) && !self.fresh => {
                self.out.push('_');
            }
            '_' => self.out.push_str("\\_"),
            '!' if matches!(next, None | Some('[')) => self.out.push_str("\\!"),
            '#' if self.heading => self.out.push_str("\\#"),
            '.' | ')' if next.is_none_or(char::is_whitespace) && self.is_number() => {
                self.out.extend(['\\', letter])
            }
            // Some parsers make links of addresses.
            ':' if rest.starts_with("://") && !self.is_page() => self.out.push_str("&#58;"),
            _ => self.out.push(letter),
        }
        (self.fresh, self.delimited) = (false, false);
    }

    /// Whether the line has only a number so far.
    fn is_number(&self) -> bool {
        let digits = self.out.len() - self.out.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let before = self.out.get(..self.out.len() - digits).unwrap_or_default();
        (1..10).contains(&digits) && before.rsplit('\n').next().is_some_and(is_prefix)
    }

    /// Whether the scheme before a colon is that of a page.
    fn is_page(&self) -> bool {
        let tail = self.out.as_bytes();
        let tail = &tail[tail.len().saturating_sub(5)..];
        let tail = String::from_utf8_lossy(tail).to_ascii_lowercase();
        tail.ends_with("http") || tail.ends_with("https")
    }
}

/// Whether a letter would begin a block, or a line under a heading, at the beginning of a line.
fn begins_block(letter: char, next: Option<char>) -> bool {
    match letter {
        '#' | '>' | '=' => true,
        '+' | '-' => next.is_none_or(|next| next == letter || next == ':' || next.is_whitespace()),
        ':' => next.is_none_or(|next| next == '-'),
        _ => false,
    }
}

/// Whether a text begins with a character reference, which a parser would resolve (CommonMark,
/// section 2.5): `&amp;`, `&#38;`, `&#x26;`.
fn begins_entity(text: &str) -> bool {
    let body = text.get(1..).unwrap_or_default();
    let body = body.strip_prefix('#').unwrap_or(body);
    let length = body.bytes().take_while(u8::is_ascii_alphanumeric).count();
    length > 0 && body.as_bytes().get(length) == Some(&b';')
}

/// Whether the beginning of a line has marks of containers only.
fn is_prefix(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | '>' | '-' | '*' | '.' | ')') || c.is_ascii_digit())
}

/// The longest run of the mark of code.
fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}
