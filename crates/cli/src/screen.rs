//! Lines and tables of styled text. They accept [`Plain`] text only.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use views::visible::{Space, visible};

use crate::terminal::Plain;

mod fold;

/// Style of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Normal,
    Strong,
    Emphasis,
    Faint,
    Good,
    Bad,
    Warn,
    Name,
    Match,
}

impl Style {
    /// The parameter of the SGR control sequence ("select graphic rendition", ECMA-48, section
    /// 8.3.117).
    const fn code(self) -> &'static str {
        match self {
            Self::Normal => "",
            Self::Strong => "1",
            Self::Emphasis => "3",
            Self::Faint => "2",
            Self::Good => "32",
            Self::Bad => "1;31",
            Self::Warn => "33",
            Self::Name => "36",
            Self::Match => "1;33",
        }
    }
}

/// Maximum width of a table cell, in columns. It exceeds any path. Without it, one long name in a
/// hostile session would widen all rows.
const CELL: usize = 4096;

/// Width of a column from which on it is not cut any more.
const NARROWEST: usize = 12;

/// A line of styled pieces, with a link of one of them, and whether it is a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<(Style, Plain)>, Option<(usize, Link)>, bool);

/// The address of a file, as a terminal opens it.
#[derive(Clone, Debug)]
pub(crate) struct Link(String);

impl Link {
    /// The address of an absolute path. All but letters, digits and a few signs is escaped (RFC
    /// 3986), so nothing in it acts on a terminal.
    pub(crate) fn file(path: &Path) -> Option<Self> {
        let path = path.to_str().filter(|_| path.is_absolute())?;
        let mut url = String::from("file://");
        for byte in path.bytes() {
            match byte {
                b'/' | b'-' | b'_' | b'.' | b'~' => url.push(byte as char),
                _ if byte.is_ascii_alphanumeric() => url.push(byte as char),
                _ => url.push_str(&format!("%{byte:02X}")),
            }
        }
        Some(Self(url))
    }
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends a piece of text.
    pub(crate) fn put(mut self, style: Style, text: Plain) -> Self {
        self.0.push((style, text));
        self
    }

    /// Appends a piece of text that opens a file.
    pub(crate) fn link(mut self, style: Style, text: Plain, link: Option<Link>) -> Self {
        self.1 = link.map(|link| (self.0.len(), link));
        self.put(style, text)
    }

    /// Appends text of verbatim itself.
    pub(crate) fn say(self, style: Style, text: &'static str) -> Self {
        self.put(style, Plain::ours(text))
    }

    /// Appends a number, or other text that may contain foreign characters.
    pub(crate) fn tell(self, style: Style, text: &str) -> Self {
        self.put(style, Plain::words(text))
    }

    /// Appends a command, as a person types it.
    pub(crate) fn command(mut self, style: Style, text: &str) -> Self {
        self.2 = true;
        self.tell(style, text)
    }

    /// Prepends text of verbatim itself.
    pub(crate) fn behind(mut self, style: Style, text: &'static str) -> Self {
        self.0.insert(0, (style, Plain::ours(text)));
        self.1 = self.1.map(|(at, link)| (at + 1, link));
        self
    }

    /// The line with the pieces of another one behind its own.
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The line with its last piece truncated to `width` columns.
    pub(crate) fn cut(mut self, width: usize) -> Self {
        if let Some((_, text)) = self.0.last_mut() {
            *text = std::mem::take(text).cut(width);
        }
        self
    }

    /// The line with its last piece truncated so that it fits into a terminal's width.
    pub(crate) fn fit(self, width: Option<usize>) -> Self {
        let Some(width) = width else { return self };
        let last = self.0.last().map_or(0, |(_, text)| text.width());
        let before = self.width() - last;
        self.cut(width.saturating_sub(before).max(1))
    }

    /// The line, truncated to a width.
    fn within(&self, mut room: usize) -> Self {
        let mut pieces = Vec::with_capacity(self.0.len());
        for (style, text) in self.0.iter().filter(|(_, text)| text.width() > 0) {
            if room == 0 {
                break;
            }
            let text = text.clone().cut(room);
            room -= text.width().min(room);
            pieces.push((*style, text));
        }
        Self(pieces, None, self.2)
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
    }

    /// The lines of a terminal for a line that is wider; `None` if it is not.
    fn folded(&self, width: usize) -> Option<Vec<Self>> {
        let bytes: usize = self.0.iter().map(|(_, text)| text.as_str().len()).sum();
        if bytes <= width || self.width() <= width {
            return None;
        }
        let text: String = self.0.iter().map(|(_, text)| text.as_str()).collect();
        if text.contains('\n') {
            return None;
        }
        let margin = fold::margin(&text);
        let margin = Plain::words(margin).cut(width / 2).and(&Plain::ours("  "));
        let ranges = fold::ranges(&text, (width, margin.width()), self.2);
        let last = ranges.len() - 1;
        let line = |(at, range): (usize, &Range<usize>)| {
            let begun =
                if at > 0 { Self::new().put(Style::Faint, margin.clone()) } else { Self::new() };
            let line = begun.with(self.part(range.clone()));
            if self.2 && at < last { line.say(Style::Faint, " \\") } else { line }
        };
        Some(ranges.iter().enumerate().map(line).collect())
    }

    /// A range of the line's text.
    fn part(&self, range: Range<usize>) -> Self {
        let (mut line, mut from) = (Self::new(), 0);
        for (at, (style, text)) in self.0.iter().enumerate() {
            let length = text.as_str().len();
            let start = range.start.clamp(from, from + length) - from;
            let end = range.end.clamp(from, from + length) - from;
            from += length;
            if start < end {
                let link = self.1.as_ref().filter(|(of, _)| *of == at);
                line.1 = link.map(|(_, link)| (line.0.len(), link.clone())).or(line.1);
                line = line.put(*style, text.part(start..end));
            }
        }
        line
    }
}

/// Output for lines and tables.
pub(crate) struct Screen<'w> {
    out: &'w mut dyn Write,
    color: bool,
    /// The width of the terminal in columns; `None` if the output is not a terminal.
    pub width: Option<usize>,
}

impl<'w> Screen<'w> {
    pub(crate) fn new(out: &'w mut dyn Write, color: bool, width: Option<usize>) -> Self {
        Self { out, color, width }
    }

    /// Prints a line. On a terminal, a line that is too wide is folded between its words.
    pub(crate) fn line(&mut self, line: &Line) -> io::Result<()> {
        match self.width.and_then(|width| line.folded(width)) {
            Some(lines) => lines.iter().try_for_each(|line| self.whole(line)),
            None => self.whole(line),
        }
    }

    /// Prints a line as it is, followed by a line of a file. It is not folded, as no line of a file
    /// is in `git blame`.
    pub(crate) fn before(&mut self, line: &Line, of_file: &str) -> io::Result<()> {
        line.0.iter().try_for_each(|(style, text)| self.piece(*style, text))?;
        match self.width {
            Some(_) => writeln!(self.out, "{}", Plain::block(of_file)),
            None => writeln!(self.out, "{}", visible(of_file, Space::File)),
        }
    }

    fn whole(&mut self, line: &Line) -> io::Result<()> {
        for (at, (style, text)) in line.0.iter().enumerate() {
            match line.1.as_ref().filter(|(of, _)| *of == at) {
                Some((_, Link(url))) => {
                    write!(self.out, "\x1b]8;;{url}\x1b\\")?;
                    self.piece(*style, text)?;
                    self.out.write_all(b"\x1b]8;;\x1b\\")?;
                }
                None => self.piece(*style, text)?,
            }
        }
        self.out.write_all(b"\n")
    }

    /// Prints a text in lines that fit.
    pub(crate) fn text(&mut self, style: Style, text: &str) -> io::Result<()> {
        let lines = Plain::words(text).wrapped(self.width.unwrap_or(usize::MAX));
        lines.into_iter().try_for_each(|line| self.line(&Line::new().put(style, line)))
    }

    fn piece(&mut self, style: Style, text: &Plain) -> io::Result<()> {
        if self.color && style != Style::Normal {
            return write!(self.out, "\x1b[{}m{text}\x1b[0m", style.code());
        }
        write!(self.out, "{text}")
    }

    pub(crate) fn gap(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// Writes bytes unchanged. It is used only if the output is not a terminal.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Prints an error message, and the next step.
    pub(crate) fn error(&mut self, what: &str, hint: Option<&str>) -> io::Result<()> {
        self.line(&Line::new().say(Style::Bad, "error: ").put(Style::Normal, Plain::words(what)))?;
        match hint {
            Some(hint) => self
                .line(&Line::new().say(Style::Faint, "  ").put(Style::Faint, Plain::words(hint))),
            None => Ok(()),
        }
    }

    /// Prints rows with aligned columns, two spaces between them. `right` lists the right-aligned
    /// columns.
    pub(crate) fn table(&mut self, rows: &[Vec<Line>], right: &[usize]) -> io::Result<()> {
        self.table_with(rows, right, &[])
    }

    /// The rows with the widest columns of text cut, so that they fit into the terminal.
    fn fitting(
        &self,
        rows: Vec<Vec<Line>>,
        widths: &mut [usize],
        right: &[usize],
    ) -> Vec<Vec<Line>> {
        let Some(room) = self.width else { return rows };
        let gaps = 2 * widths.len().saturating_sub(1);
        let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(room);
        while over > 0 {
            let text = (0..widths.len()).filter(|at| !right.contains(at));
            let Some(widest) = text.max_by_key(|at| widths[*at]) else { break };
            // Equal columns are cut together, a column at a time.
            let cut = over.min(widths[widest].saturating_sub(NARROWEST)).min(8);
            if cut == 0 {
                break;
            }
            widths[widest] -= cut;
            over -= cut;
        }
        let cell = |(at, cell): (usize, Line)| match cell.width() > widths[at] {
            true => cell.within(widths[at]),
            false => cell,
        };
        rows.into_iter().map(|row| row.into_iter().enumerate().map(cell).collect()).collect()
    }

    /// The columns with which a row continues on a further line, because the terminal has no room
    /// for them beside the others; and the columns in front of these lines.
    fn starts(&self, widths: &[usize]) -> (Vec<usize>, usize) {
        let (Some(room), Some(first)) = (self.width, widths.first()) else { return (vec![], 0) };
        let indent = if *first <= room / 3 { first + 2 } else { 4 };
        let (mut starts, mut used) = (Vec::new(), *first);
        for (at, width) in widths.iter().enumerate().skip(1) {
            if used + 2 + width > room {
                starts.push(at);
                used = indent + width;
            } else {
                used += 2 + width;
            }
        }
        (starts, indent)
    }

    /// The same, with lines below each row, also below the first, which is the head.
    pub(crate) fn table_with(
        &mut self,
        rows: &[Vec<Line>],
        right: &[usize],
        below: &[Vec<Line>],
    ) -> io::Result<()> {
        let rows: Vec<Vec<Line>> =
            rows.iter().map(|row| row.iter().map(|cell| cell.within(CELL)).collect()).collect();
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(Line::width).max().unwrap_or_default()
        };
        let mut widths: Vec<usize> = (0..columns).map(width).collect();
        let rows = self.fitting(rows, &mut widths, right);
        let (starts, indent) = self.starts(&widths);
        for (index, row) in rows.iter().enumerate() {
            let mut gap = 0;
            for (at, cell) in row.iter().enumerate() {
                if starts.contains(&at) {
                    if row[at..].iter().all(|cell| cell.width() == 0) {
                        break;
                    }
                    self.out.write_all(b"\n")?;
                    gap = indent;
                }
                let space = widths[at] - cell.width();
                let (before, after) = if right.contains(&at) { (space, 0) } else { (0, space) };
                self.out.write_all(" ".repeat(gap + before).as_bytes())?;
                for (style, text) in &cell.0 {
                    self.piece(*style, text)?;
                }
                gap = after + 2;
            }
            self.out.write_all(b"\n")?;
            below.get(index).into_iter().flatten().try_for_each(|line| self.line(line))?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_nothing_that_acts_on_a_terminal() {
        let path = Path::new("/home/ana/a b\u{1b}\\\u{9b}é.rs");
        let link = Link::file(path).map(|link| link.0);
        assert_eq!(link.as_deref(), Some("file:///home/ana/a%20b%1B%5C%C2%9B%C3%A9.rs"));
        assert!(Link::file(Path::new("a.rs")).is_none());
        let mut out = Vec::new();
        let line = Line::new().say(Style::Normal, "→ ").link(
            Style::Normal,
            Plain::line("a.rs"),
            Link::file(Path::new("/a.rs")),
        );
        let line = line.behind(Style::Normal, "│ ");
        Screen::new(&mut out, false, None).line(&line).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "│ → \u{1b}]8;;file:///a.rs\u{1b}\\a.rs\u{1b}]8;;\u{1b}\\\n");
    }
}
