//! Lines and tables of styled text. They accept [`Plain`] text only.

use std::io::{self, Write};

use crate::terminal::Plain;

/// Style of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Normal,
    Strong,
    Faint,
    Good,
    Bad,
    Warn,
    Name,
}

impl Style {
    /// The parameter of the SGR control sequence ("select graphic rendition", ECMA-48, section
    /// 8.3.117).
    const fn code(self) -> &'static str {
        match self {
            Self::Normal => "",
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Good => "32",
            Self::Bad => "1;31",
            Self::Warn => "33",
            Self::Name => "36",
        }
    }
}

/// Maximum width of a table cell, in columns. It exceeds any path. Without it, one long name in a
/// hostile session would widen all rows.
const CELL: usize = 4096;

/// A line of styled pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<(Style, Plain)>);

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends a piece of text.
    pub(crate) fn put(mut self, style: Style, text: Plain) -> Self {
        self.0.push((style, text));
        self
    }

    /// Appends text of verbatim itself.
    pub(crate) fn say(self, style: Style, text: &'static str) -> Self {
        self.put(style, Plain::ours(text))
    }

    /// Appends a number, or other text that may contain foreign characters.
    pub(crate) fn tell(self, style: Style, text: &str) -> Self {
        self.put(style, Plain::words(text))
    }

    /// Prepends text of verbatim itself.
    pub(crate) fn behind(mut self, style: Style, text: &'static str) -> Self {
        self.0.insert(0, (style, Plain::ours(text)));
        self
    }

    /// The line with its last piece truncated to `width` columns.
    pub(crate) fn cut(mut self, width: usize) -> Self {
        if let Some((_, text)) = self.0.last_mut() {
            *text = std::mem::take(text).cut(width);
        }
        self
    }

    /// The line, truncated to the maximum width of a cell.
    fn within(&self) -> Self {
        let mut room = CELL;
        let mut pieces = Vec::with_capacity(self.0.len());
        for (style, text) in self.0.iter().filter(|(_, text)| text.width() > 0) {
            if room == 0 {
                break;
            }
            let text = text.clone().cut(room);
            room -= text.width().min(room);
            pieces.push((*style, text));
        }
        Self(pieces)
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
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

    pub(crate) fn line(&mut self, line: &Line) -> io::Result<()> {
        for (style, text) in &line.0 {
            self.piece(*style, text)?;
        }
        self.out.write_all(b"\n")
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
        let rows: Vec<Vec<Line>> =
            rows.iter().map(|row| row.iter().map(Line::within).collect()).collect();
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(Line::width).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &rows {
            for (at, cell) in row.iter().enumerate() {
                let space = widths[at] - cell.width();
                let (before, after) = if right.contains(&at) { (space, 0) } else { (0, space) };
                self.out.write_all(" ".repeat(before).as_bytes())?;
                for (style, text) in &cell.0 {
                    self.piece(*style, text)?;
                }
                if at + 1 < row.len() {
                    self.out.write_all(" ".repeat(after + 2).as_bytes())?;
                }
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
}
