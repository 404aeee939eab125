//! The style and the script of a page. A page has them without the space that makes their sources
//! readable.

use std::sync::LazyLock;

/// The style of a page.
pub static STYLE: LazyLock<String> = LazyLock::new(|| {
    let parts = [
        include_str!("colours.css"),
        include_str!("page.css"),
        include_str!("marks.css"),
        include_str!("media.css"),
    ];
    let line = |line: &'static str| Some(line.trim()).filter(|line| !line.starts_with("/*"));
    parts.map(|part| part.lines().filter_map(line).collect::<String>()).concat()
});

/// The script of a page.
pub(super) static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let lines = include_str!("page.js").lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
});
