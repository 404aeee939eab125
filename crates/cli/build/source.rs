//! The commit of the source, from what git, `git archive` and cargo write down about it.

/// The commit that the program is built from, as far as it is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    commit: Option<String>,
    date: Option<String>,
    is_changed: bool,
}

impl Source {
    /// Reads `COMMIT DATE`, and `changed` behind it if the files are not exactly those of the
    /// commit. `git archive` writes this in the place of `$Format:%H %cs$`.
    pub(crate) fn told(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let commit = words.next().filter(|word| is_commit(word))?.to_owned();
        let date = words.next().filter(|word| is_date(word))?.to_owned();
        let is_changed = match words.next() {
            None => false,
            Some("changed") => true,
            Some(_) => return None,
        };
        Some(Self { commit: Some(commit), date: Some(date), is_changed })
    }

    /// Reads the file that `cargo package` writes. It has the commit, but no date.
    pub(crate) fn packaged(json: &str) -> Option<Self> {
        let behind = |name: &str| Some(json.split_once(name)?.1.trim_start_matches([':', ' ']));
        let commit = behind("\"sha1\"")?.trim_start_matches('"').split('"').next()?;
        let is_changed = behind("\"dirty\"").is_some_and(|value| value.starts_with("true"));
        is_commit(commit).then(|| Self { commit: Some(commit.to_owned()), date: None, is_changed })
    }

    /// The version with what is known of the commit: `0.1.0 (12f3edad0 2026-11-27)`.
    pub(crate) fn version(&self, version: &str) -> String {
        let Some(commit) = &self.commit else { return version.to_owned() };
        let date = self.date.as_ref().map(|date| format!(" {date}")).unwrap_or_default();
        let changed = if self.is_changed { ", with changes" } else { "" };
        format!("{version} ({}{date}{changed})", &commit[..SHORT])
    }
}

/// Number of digits of a commit that are shown.
const SHORT: usize = 9;

fn is_commit(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_date(word: &str) -> bool {
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    word.len() == 10 && word.bytes().enumerate().all(shape)
}
