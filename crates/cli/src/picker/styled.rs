//! The output of a command as styled lines of the screen.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// The lines of a command's output. Of its control sequences only those that set a style (SGR) are
/// taken; a command prints no others, and any other is left out.
pub(super) fn lines(output: &[u8], can_color: bool) -> Vec<Line<'static>> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(|line| styled(line, can_color)).collect()
}

fn styled(line: &str, can_color: bool) -> Line<'static> {
    let (mut spans, mut style, mut rest) = (Vec::new(), Style::default(), line);
    while let Some(at) = rest.find('\x1b') {
        push(&mut spans, &rest[..at], style);
        let behind = &rest[at + 1..];
        let Some(codes) = behind.strip_prefix('[') else {
            rest = behind;
            continue;
        };
        let end = codes.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(codes.len());
        if codes[end..].starts_with('m') {
            style = codes[..end].split(';').fold(style, |style, code| with(style, code, can_color));
        }
        rest = codes.get(end + 1..).unwrap_or_default();
    }
    push(&mut spans, rest, style);
    Line::from(spans)
}

fn push(spans: &mut Vec<Span<'static>>, text: &str, style: Style) {
    if !text.is_empty() {
        spans.push(Span::styled(text.replace('\t', "    "), style));
    }
}

/// A style with what a parameter of SGR (ECMA-48, section 8.3.117) adds.
fn with(style: Style, code: &str, can_color: bool) -> Style {
    let color = |color: Color| if can_color { style.fg(color) } else { style };
    match code {
        "" | "0" => Style::default(),
        "1" => style.add_modifier(Modifier::BOLD),
        "2" => style.add_modifier(Modifier::DIM),
        "3" => style.add_modifier(Modifier::ITALIC),
        "31" => color(Color::Red),
        "32" => color(Color::Green),
        "33" => color(Color::Yellow),
        "36" => color(Color::Cyan),
        _ => style,
    }
}

/// The text of a line, without its styles.
pub(super) fn text(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| &*span.content).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_styles_are_taken_from_an_output() {
        let output = b"\x1b[1mPrompt\x1b[0m \x1b[1;31mfailed\x1b[0m\x1b[2J\x1b]0;x\nnext\n";
        let lines = lines(output, true);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| !text(line).contains('\x1b')));
        assert!(text(&lines[0]).starts_with("Prompt failed"));
        assert_eq!(lines[0].spans[0].style.add_modifier, Modifier::BOLD);
        assert_eq!(lines[0].spans[2].style.fg, Some(Color::Red));
        assert_eq!(styled("\x1b[31mx", false).spans[0].style.fg, None);
    }
}
