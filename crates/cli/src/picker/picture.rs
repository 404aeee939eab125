//! A drawn screen as a picture in SVG, for the documentation.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// The width and height of a cell in pixels.
const CELL: (usize, usize) = (8, 17);
/// The space around the screen in pixels.
const AROUND: usize = 12;
const PAPER: &str = "#16181d";
const INK: &str = "#d7dae0";

/// A screen as a picture.
pub(super) fn picture(screen: &Buffer) -> String {
    let (columns, rows) = (usize::from(screen.area.width), usize::from(screen.area.height));
    let (width, height) = (columns * CELL.0 + 2 * AROUND, rows * CELL.1 + 2 * AROUND);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-size=\"13\" \
         font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{PAPER}\"/>\n"
    );
    for (y, row) in screen.content.chunks(columns).enumerate() {
        let top = AROUND + y * CELL.1;
        for run in runs(row) {
            draw(&mut out, &row[run.clone()], (AROUND + run.start * CELL.0, top));
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The ranges of a row's cells that look alike.
fn runs(row: &[Cell]) -> Vec<std::ops::Range<usize>> {
    let (mut runs, mut start) = (Vec::new(), 0);
    for group in row.chunk_by(|a, b| look(a) == look(b)) {
        runs.push(start..start + group.len());
        start += group.len();
    }
    runs
}

fn look(cell: &Cell) -> (Color, Color, Modifier) {
    (cell.fg, cell.bg, cell.modifier)
}

fn draw(out: &mut String, run: &[Cell], (left, top): (usize, usize)) {
    let (fg, _, modifier) = look(&run[0]);
    let is_reversed = modifier.contains(Modifier::REVERSED);
    let (ink, paper) = if is_reversed { (PAPER, named(fg)) } else { (named(fg), PAPER) };
    let (width, height) = (run.len() * CELL.0, CELL.1);
    if is_reversed {
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
             fill=\"{paper}\"/>"
        );
    }
    let text: String = run.iter().map(Cell::symbol).collect();
    let blank = text.len() - text.trim_start().len();
    let text = text.trim().replace('&', "&amp;").replace('<', "&lt;");
    if text.is_empty() {
        return;
    }
    let weight = if modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let faint = if modifier.contains(Modifier::DIM) { " opacity=\"0.6\"" } else { "" };
    // The text is as wide as its cells, whatever the font.
    let (x, y, length) = (left + blank * CELL.0, top + 13, text_cells(run) * CELL.0);
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" fill=\"{ink}\"{weight}{faint} \
         xml:space=\"preserve\">{text}</text>"
    );
}

/// The number of cells of a run between the first and the last one that is not blank.
fn text_cells(run: &[Cell]) -> usize {
    let is_text = |cell: &Cell| cell.symbol() != " ";
    let first = run.iter().position(is_text).unwrap_or_default();
    run.iter().rposition(is_text).map_or(0, |last| last + 1 - first)
}

/// A color of the terminal's palette.
fn named(color: Color) -> &'static str {
    match color {
        Color::Red => "#f07178",
        Color::Green => "#a5d06a",
        Color::Yellow => "#e5c07b",
        Color::Cyan => "#6cc5d8",
        Color::Blue => "#7aa7ff",
        Color::Magenta => "#c59cf0",
        _ => INK,
    }
}
