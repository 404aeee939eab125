//! Numbers and paths in human-readable form.

pub(crate) use catalog::view::human::{age, count, counted, moment, size};

use crate::terminal::Plain;

/// A folder, with `~` for the home.
pub(crate) fn folder(path: &str, home: Option<&std::path::Path>) -> Plain {
    let short =
        home.and_then(|home| std::path::Path::new(path).strip_prefix(home).ok()).map(|rest| {
            if rest.as_os_str().is_empty() { "~".into() } else { format!("~/{}", rest.display()) }
        });
    Plain::line(&short.unwrap_or_else(|| path.to_owned()))
}
