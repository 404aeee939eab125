//! The screens of the picker.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::keys::HELP;
use super::rows::{Item, Row, places};
use super::state::{Focus, Picker};
use crate::human;

/// Widths from which on a row has room for its project, and for longer names of agents.
const WITH_PROJECT: usize = 76;

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
        help(frame);
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
    let rows = picker.items.iter().filter(|item| matches!(item, Item::Row { .. })).count();
    let all = picker.rows.all.len();
    let count = if rows == all { human::count(all as u64) } else { format!("{rows} of {all}") };
    let mut left = format!(" verbatim  {count} {}", if all == 1 { "session" } else { "sessions" });
    if !picker.is_whole {
        left.push_str(" so far …");
    } else if picker.rows.empty > 0 {
        left.push_str(&format!(", {} without a word", picker.rows.empty));
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

fn item(picker: &mut Picker, at: usize, width: usize) -> Line<'static> {
    let (row, hits) = match &picker.items[at] {
        Item::Group(name) => return Line::styled(format!("   {name}"), faint()),
        Item::Row { row, hits, .. } => (*row, *hits),
    };
    let is_text = picker.words().is_some();
    let input = if is_text { "" } else { picker.input.trim() };
    let row = &picker.rows.all[row];
    let matched =
        if input.is_empty() { Vec::new() } else { places(row, input, &mut picker.matcher) };
    let is_chosen = at == picker.at;
    let mark = if is_chosen { " ▸ " } else { "   " };
    let right = columns(row, hits, picker.now, width);
    let room = width.saturating_sub(3 + right.width() + 1).max(8);
    let base = if row.is_named { bold() } else { Style::default() };
    let mut spans = vec![Span::styled(mark, bold())];
    let pinned = picker.marks.pinned.contains(&row.uid);
    let (title, used) = title(row, &matched, base, (room, pinned, picker.can_color));
    spans.extend(title);
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used) + 1)));
    spans.push(Span::styled(right, faint()));
    let line = Line::from(spans);
    if is_chosen && picker.focus == Focus::Rows {
        return line.patch_style(Style::default().add_modifier(Modifier::REVERSED));
    }
    line
}

/// The title, cut to its room, with what was typed in bold and underlined; and its width.
fn title(
    row: &Row,
    matched: &[u32],
    base: Style,
    (room, pinned, color): (usize, bool, bool),
) -> (Vec<Span<'static>>, usize) {
    let mut spans = Vec::new();
    let mut used = 0;
    if pinned {
        spans.push(Span::styled("* ", bold()));
        used += 2;
    }
    let mut hit = bold().add_modifier(Modifier::UNDERLINED);
    if color {
        hit = hit.fg(Color::Yellow);
    }
    let (mut run, mut run_is_hit) = (String::new(), false);
    let whole = row.title.width() + used <= room;
    for (at, c) in row.title.chars().enumerate() {
        let width = c.width().unwrap_or(0);
        if used + width > if whole { room } else { room.saturating_sub(1) } {
            break;
        }
        let is_hit = matched.binary_search(&(at as u32)).is_ok();
        if is_hit != run_is_hit && !run.is_empty() {
            let text = std::mem::take(&mut run);
            spans.push(Span::styled(text, if run_is_hit { hit } else { base }));
        }
        run_is_hit = is_hit;
        run.push(c);
        used += width;
    }
    spans.push(Span::styled(run, if run_is_hit { hit } else { base }));
    if !whole {
        spans.push(Span::styled("…", faint()));
        used += 1;
    }
    (spans, used)
}

/// The columns behind the title.
fn columns(row: &Row, hits: Option<usize>, now: session::UtcTime, width: usize) -> String {
    let age = row.entry.updated.map(|time| human::age(now, time)).unwrap_or_default();
    let age = if row.entry.undated { format!("~{age}") } else { age };
    let hits =
        hits.map(|hits| human::counted(hits as u64, "hit", "hits") + "  ").unwrap_or_default();
    let gone = if row.entry.archived { "archived  " } else { "" };
    let agent = fixed(row.entry.format, 11);
    let project =
        if width >= WITH_PROJECT { fixed(&row.project, 14) + "  " } else { String::new() };
    format!("{hits}{gone}{project}{agent} {age:>6} ")
}

/// A text in this many columns.
fn fixed(text: &str, width: usize) -> String {
    let mut kept = String::new();
    let fits = text.width() <= width;
    for c in text.chars() {
        let room = if fits { width } else { width - 1 };
        if kept.width() + c.width().unwrap_or(0) > room {
            break;
        }
        kept.push(c);
    }
    if !fits {
        kept.push('…');
    }
    let space = width.saturating_sub(kept.width());
    kept + &" ".repeat(space)
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

fn help(frame: &mut Frame<'_>) {
    let area = inner(frame.area());
    frame.render_widget(Clear, area);
    let line = |(keys, what): &(&'static str, &'static str)| {
        Line::from(vec![Span::styled(format!(" {keys:<10} "), bold()), Span::raw(*what)])
    };
    let lines: Vec<Line<'_>> = HELP.iter().map(line).collect();
    let block = Block::bordered().title(" Keys ").title_bottom(" any key closes this ");
    frame.render_widget(Paragraph::new(lines).block(block), area);
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
