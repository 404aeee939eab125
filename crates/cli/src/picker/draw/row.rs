//! The rows of the list.

use catalog::SessionActs;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use views::transcript::counts_of;

use super::{bold, faint};
use crate::human;
use crate::picker::rows::{Family, Item, Row, places};
use crate::picker::state::{Focus, Picker};

/// Widths from which on a row has room for its project, and for its cost.
const WITH_PROJECT: usize = 76;
/// Width from which on a row has room for what was done.
const WITH_ACTS: usize = 110;

/// A line of the list.
pub(super) fn item(picker: &mut Picker, at: usize, width: usize) -> Line<'static> {
    let (row, hits, family) = match &picker.items[at] {
        Item::Group(name) => return Line::styled(format!("   {name}"), faint()),
        Item::Row { row, hits, family } => (*row, *hits, *family),
    };
    let is_text = picker.words().is_some();
    let input = if is_text { "" } else { picker.input.trim() };
    let row = &picker.rows.all[row];
    let matched =
        if input.is_empty() { Vec::new() } else { places(row, input, &mut picker.matcher) };
    let is_chosen = at == picker.at;
    let is_hidden = picker.marks.hidden.contains(&row.uid);
    let grows = if picker.growing.contains(&row.uid) { "◆" } else { " " };
    let mark = format!("{}{grows}{}", if is_chosen { " ▸" } else { "  " }, indent(family));
    let told = Told {
        hits,
        is_hidden,
        family,
        cost: picker.costs.get(&row.uid).map_or("", String::as_str),
    };
    let right = columns(row, &told, picker.now, width);
    let room = width.saturating_sub(mark.width() + right.width() + 1).max(8);
    let base = match (is_hidden, row.is_named) {
        (true, _) => faint(),
        (false, true) => bold(),
        (false, false) => Style::default(),
    };
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

/// The space before a title: forks and sub-agents are under the session that they belong to.
const fn indent(family: Family) -> &'static str {
    if matches!(family, Family::Member) { " └ " } else { "" }
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

/// Facts of a row beside the entry of its session.
struct Told<'t> {
    hits: Option<usize>,
    is_hidden: bool,
    family: Family,
    cost: &'t str,
}

/// The columns behind the title.
fn columns(row: &Row, told: &Told<'_>, now: session::UtcTime, width: usize) -> String {
    let age = row.entry.updated.map(|time| human::age(now, time)).unwrap_or_default();
    let age = if row.entry.undated { format!("~{age}") } else { age };
    let hits = told.hits.map(|hits| human::counted(hits as u64, "hit", "hits") + "  ");
    let hits = hits.unwrap_or_default();
    let gone = if row.entry.archived { "archived  " } else { "" };
    let hidden = if told.is_hidden { "hidden  " } else { "" };
    let folded = match told.family {
        Family::Folded(count) => format!("⑂{count}  "),
        _ => String::new(),
    };
    let cost = match told.cost {
        "" => String::new(),
        cost if width >= WITH_PROJECT => format!("{cost:>8}  "),
        _ => String::new(),
    };
    let acts = row.entry.acts.as_deref().filter(|_| width >= WITH_ACTS).map(done);
    let acts = acts.unwrap_or_default();
    let agent = fixed(row.entry.format, 11);
    let project =
        if width >= WITH_PROJECT { fixed(&row.project, 14) + "  " } else { String::new() };
    format!("{hits}{hidden}{gone}{folded}{acts}{cost}{project}{agent} {age:>6} ")
}

/// The acts of a session: `3 turns  ✗2  +340 −85`.
fn done(acts: &SessionActs) -> String {
    let turns = human::counted(acts.turns, "turn", "turns");
    let failed = match acts.failed {
        0 => String::new(),
        failed => format!("  ✗{}", human::count(failed)),
    };
    let changed = counts_of(acts.inserted, acts.deleted).map(|changed| format!("  {changed}"));
    turns + &failed + &changed.unwrap_or_default() + "  "
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
