//! The screens of the picker.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use unicode_width::UnicodeWidthStr;

use super::rows::{Family, Item};
use super::state::{Focus, Picker};
use crate::human;

mod help;
mod row;

use help::help;
use row::item;

/// Heights from which on there is room for a preview.
const WITH_PREVIEW: u16 = 16;

fn faint() -> Style {
    Style::default().add_modifier(Modifier::DIM)
}

fn bold() -> Style {
    Style::default().add_modifier(Modifier::BOLD)
}

/// Draws what is open.
pub(super) fn draw(picker: &mut Picker, frame: &mut Frame<'_>) {
    match picker.reader.is_some() {
        true => reader(picker, frame),
        false => list(picker, frame),
    }
    if picker.choice.is_some() {
        choice(picker, frame);
    }
    if picker.with_help {
        help(picker, frame);
    }
}

fn list(picker: &mut Picker, frame: &mut Frame<'_>) {
    let area = frame.area();
    let below = if area.height >= WITH_PREVIEW { area.height * 2 / 5 } else { 0 };
    let parts = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(below),
        Constraint::Length(1),
    ]);
    let [head, input, rows, preview, foot] = parts.areas(area);
    frame.render_widget(Paragraph::new(heading(picker, head.width)), head);
    frame.render_widget(Paragraph::new(typed(picker)), input);
    if picker.focus == Focus::Typing && picker.choice.is_none() && !picker.with_help {
        let column = 3 + picker.input.width();
        frame.set_cursor_position((
            u16::try_from(column).unwrap_or(u16::MAX).min(area.width - 1),
            1,
        ));
    }
    items(picker, frame, rows);
    if below > 0 {
        draw_preview(picker, frame, preview);
    }
    frame.render_widget(Paragraph::new(footer(picker, foot.width)), foot);
}

/// The first line: the place, and how many sessions there are.
fn heading(picker: &Picker, width: u16) -> Line<'static> {
    let shown = |item: &Item| match item {
        Item::Group(_) => 0,
        Item::Row { family: Family::Folded(count), .. } => 1 + count,
        Item::Row { .. } => 1,
    };
    let rows: usize = picker.items.iter().map(shown).sum();
    let all = picker.rows.all.len();
    let count = if rows == all { human::count(all as u64) } else { format!("{rows} of {all}") };
    let mut left = format!(" verbatim  {count} {}", if all == 1 { "session" } else { "sessions" });
    if !picker.is_whole {
        left.push_str(" so far …");
    } else if picker.rows.empty > 0 {
        left.push_str(&format!(", {} without a word", picker.rows.empty));
    }
    if !picker.growing.is_empty() {
        left.push_str(&format!(", {} growing", picker.growing.len()));
    }
    let is_here = picker.is_here && picker.scope.is_some();
    let (here, everywhere) =
        if is_here { ("[this folder]", " all ") } else { (" this folder ", "[all]") };
    let right = if picker.scope.is_some() {
        format!("{here} {everywhere}  ? help ")
    } else {
        "? help ".into()
    };
    let room = usize::from(width).saturating_sub(left.width() + right.width());
    Line::from(vec![
        Span::styled(left, bold()),
        Span::raw(" ".repeat(room)),
        Span::styled(right, faint()),
    ])
}

fn typed(picker: &Picker) -> Line<'static> {
    let mark = if picker.focus == Focus::Typing { bold() } else { faint() };
    let mut spans = vec![Span::styled(" > ", mark)];
    match picker.input.is_empty() {
        true => spans.push(Span::styled("type to filter, / to search the texts", faint())),
        false => spans.push(Span::raw(picker.input.clone())),
    }
    let told = match (picker.words(), &picker.searching, &picker.found) {
        (None, ..) => None,
        (Some(_), Some(_), _) => Some("  searching …".to_owned()),
        (Some(words), None, Some(found)) if found.words == words => {
            let least = if found.least { "at least " } else { "" };
            let hits: usize = found.counts.values().sum();
            let hits = human::counted(hits as u64, "hit", "hits");
            let sessions = human::counted(found.counts.len() as u64, "session", "sessions");
            Some(format!("  {least}{hits} in {sessions}"))
        }
        _ => None,
    };
    spans.extend(told.map(|told| Span::styled(told, faint())));
    Line::from(spans)
}

fn items(picker: &mut Picker, frame: &mut Frame<'_>, area: Rect) {
    let height = usize::from(area.height).max(1);
    // The heading of the first group is seen with its first row.
    let first = if picker.at <= 1 { 0 } else { picker.at };
    picker.top = picker.top.min(first).max((picker.at + 1).saturating_sub(height));
    let mut lines = Vec::with_capacity(height);
    let shown: Vec<usize> = (picker.top..picker.items.len()).take(height).collect();
    for at in shown {
        lines.push(item(picker, at, usize::from(area.width)));
    }
    if picker.items.is_empty() {
        let text = match picker.is_whole {
            false => "   reading …",
            true if picker.rows.all.is_empty() => {
                "   no sessions: `verbatim list` says where it looked"
            }
            true => "   nothing matches: Backspace takes a letter back, Tab shows all folders",
        };
        lines.push(Line::styled(text, faint()));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// The last turn of the chosen session.
fn draw_preview(picker: &mut Picker, frame: &mut Frame<'_>, area: Rect) {
    let rule = Line::styled("─".repeat(usize::from(area.width)), faint());
    let mut lines = vec![rule];
    let name = picker.preview_name();
    let text = name.as_ref().and_then(|name| picker.text(name));
    match (name.is_some(), text) {
        (_, Some(text)) => {
            let last = text.len().saturating_sub(1);
            let top = picker.preview_top.min(last);
            lines.extend(text[top..].iter().take(usize::from(area.height)).cloned());
            picker.preview_top = top;
        }
        (true, None) => lines.push(Line::styled(" …", faint())),
        (false, None) => {}
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn footer(picker: &Picker, width: u16) -> Line<'static> {
    if !picker.message.is_empty() {
        return Line::from(Span::styled(format!(" {}", picker.message), bold()));
    }
    const KEYS: [&str; 9] = [
        "Enter read",
        "r continue",
        "c elsewhere…",
        "d changes",
        "e page",
        "y copy",
        "/ in texts",
        "o order",
        "Esc end",
    ];
    let alt = if picker.focus == Focus::Typing { " Alt +" } else { "" };
    let mut text = alt.to_owned();
    for key in KEYS {
        if text.width() + key.width() + 2 > usize::from(width) {
            break;
        }
        text.push_str("  ");
        text.push_str(key);
    }
    Line::styled(text, faint())
}

fn reader(picker: &mut Picker, frame: &mut Frame<'_>) {
    let parts = Layout::vertical([Constraint::Min(1), Constraint::Length(1)]);
    let [body, foot] = parts.areas(frame.area());
    let Some(reader) = &picker.reader else { return };
    let (name, mode, top) = (reader.name(), reader.mode(), reader.top);
    let foot_text = match picker.text(&name) {
        Some(lines) => {
            let shown = lines.iter().skip(top).take(usize::from(body.height)).cloned();
            frame.render_widget(Paragraph::new(shown.collect::<Vec<_>>()), body);
            let end = (top + usize::from(body.height)).min(lines.len());
            format!(
                " {mode}  {end}/{}  n p turn  f failure  m mode  D diffs  a all  b bytes  Esc back",
                lines.len()
            )
        }
        None => {
            frame.render_widget(Paragraph::new(Line::styled(" reading …", faint())), body);
            " Esc back".to_owned()
        }
    };
    let foot_text =
        if picker.message.is_empty() { foot_text } else { format!(" {}", picker.message) };
    frame.render_widget(Paragraph::new(Line::styled(foot_text, faint())), foot);
}

fn choice(picker: &Picker, frame: &mut Frame<'_>) {
    let Some(choice) = &picker.choice else { return };
    let area = inner(frame.area());
    frame.render_widget(Clear, area);
    let mut lines = vec![Line::from(
        choice
            .agents
            .iter()
            .enumerate()
            .flat_map(|(at, agent)| {
                let style = if at == choice.at {
                    Style::default().add_modifier(Modifier::REVERSED)
                } else {
                    Style::default()
                };
                [Span::styled(format!(" {agent} "), style), Span::raw(" ")]
            })
            .collect::<Vec<_>>(),
    )];
    lines.push(Line::default());
    match picker.text(&choice.name()) {
        Some(text) => lines.extend(text.iter().skip(choice.top).cloned()),
        None => lines.push(Line::styled("looking what arrives …", faint())),
    }
    let title = match &choice.folder {
        Some(_) => " Continue in another agent, in this folder: its own is gone ",
        None => " Continue in another agent ",
    };
    let block = Block::bordered()
        .title(title)
        .title_bottom(" ↓ ↑ agent   Enter places it there   Esc back ");
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

/// The middle of the screen.
fn inner(area: Rect) -> Rect {
    let margin = if area.width > 70 && area.height > 26 { 2 } else { 0 };
    Rect {
        x: area.x + margin,
        y: area.y + margin,
        width: area.width - 2 * margin,
        height: area.height - 2 * margin,
    }
}
