//! Numbers and paths in human-readable form.

pub(crate) use views::human::{age, count, counted, size};

use session::Sorting as _;

use crate::terminal::Plain;

/// A path, with `~` for the home folder.
pub(crate) fn folder(path: &str, home: Option<&std::path::Path>) -> Plain {
    let short =
        home.and_then(|home| std::path::Path::new(path).strip_prefix(home).ok()).map(|rest| {
            if rest.as_os_str().is_empty() { "~".into() } else { format!("~/{}", rest.display()) }
        });
    Plain::line(&short.unwrap_or_else(|| path.to_owned()))
}

/// For each id, the length in bytes of its shortest unique prefix, and at least 8.
pub(crate) fn unique(ids: &[&str]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.in_order_by_key(|&at| ids[at]);
    let shared = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let mut lengths = vec![8; ids.len()];
    for pair in order.windows(2) {
        let need = shared(ids[pair[0]], ids[pair[1]]) + 1;
        for &at in pair {
            lengths[at] = lengths[at].max(need);
        }
    }
    lengths.into_iter().zip(ids).map(|(length, id)| id.ceil_char_boundary(length)).collect()
}

#[cfg(test)]
mod tests {
    use super::unique;

    #[test]
    fn ids_are_as_long_as_they_must_be() {
        let ids = ["0123456789a", "0123456789b", "01234567", "zz"];
        assert_eq!(unique(&ids), [11, 11, 8, 2]);
    }
}
