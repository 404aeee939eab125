//! The help: each key with what it does.

use ratatui::Frame;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::{bold, inner};
use crate::picker::keys::HELP;
use crate::picker::state::Picker;

/// Width of the column of keys in the help, from the width of a screen on that has room for it.
const KEYS: usize = 11;
const WITH_KEYS: u16 = 48;

/// Draws the help. On a small screen it scrolls.
pub(super) fn help(picker: &mut Picker, frame: &mut Frame<'_>) {
    let area = inner(frame.area());
    frame.render_widget(Clear, area);
    let width = usize::from(area.width.saturating_sub(2)).max(8);
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (keys, what) in HELP {
        let beside = area.width >= WITH_KEYS;
        let indent = if beside { KEYS + 1 } else { 2 };
        let mut first = Span::styled(format!(" {keys:<width$}", width = KEYS), bold());
        if !beside {
            lines.push(Line::styled(format!(" {keys}"), bold()));
            first = Span::raw("  ");
        }
        for text in wrapped(what, width.saturating_sub(indent)) {
            lines.push(Line::from(vec![first, Span::raw(text)]));
            first = Span::raw(" ".repeat(indent));
        }
    }
    let height = usize::from(area.height.saturating_sub(2));
    let most = lines.len().saturating_sub(height);
    picker.help_top = picker.help_top.min(most);
    let shown: Vec<Line<'_>> = lines.into_iter().skip(picker.help_top).collect();
    let foot = if most > 0 { " ↓ ↑ more, Esc back " } else { " any key closes this " };
    let block = Block::bordered().title(" Keys ").title_bottom(foot);
    frame.render_widget(Paragraph::new(shown).block(block), area);
}

/// A text in lines of at most this width.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().map_or(0, |line| line.width());
        if last > 0 && last + 1 + word.width() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
