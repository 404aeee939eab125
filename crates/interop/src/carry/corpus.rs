//! Real sessions for the matrix, chosen by a rule: of each agent's sessions that have a prompt and
//! are not larger than a model's context, ordered by size, as many as asked for in equal distances.
//! Then the same of those alone whose bytes have a picture or the name of a tool that starts a
//! sub-agent. The matrix names them by their ids alone.

use std::path::{Path, PathBuf};

use super::sources::Given;
use crate::judge::{Listed, Verbatim};

/// The agents of which there are real sessions.
const AGENTS: [&str; 6] = ["claude-code", "codex", "gemini", "opencode", "codewhale", "cursor"];

/// The largest session that is chosen, in bytes of its files: a larger one is shortened by the
/// agent that resumes it, before it sends anything.
const LARGEST: u64 = 400_000;

/// The bytes that begin a picture in Base64 (PNG, JPEG), and the names of tools that start a
/// sub-agent, as the agents write them.
const PICTURES_AND_REPORTS: [&str; 8] = [
    "iVBORw0KGgo",
    "/9j/4AAQ",
    "\"name\":\"Task\"",
    "\"name\":\"Agent\"",
    "\"name\": \"Task\"",
    "\"name\":\"spawn_agent\"",
    "\"tool\":\"task\"",
    "\"tool\": \"task\"",
];

/// The folder with the real files and the judges from outside, if there is one.
pub(crate) fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("VERBATIM_SHARED").map(PathBuf::from);
    named.or_else(|| Some("../shared".into())).filter(|folder| folder.join("corpus").is_dir())
}

/// The chosen sessions, at most `count` of each agent.
pub(crate) fn real(verbatim: &Verbatim, shared: &Path, count: usize) -> Vec<Given> {
    let mut chosen = Vec::new();
    for agent in AGENTS {
        let listed = verbatim.listed_in(&shared.join("corpus").join(agent), agent);
        let mut fit: Vec<Listed> = listed.into_iter().filter(|one| one.bytes <= LARGEST).collect();
        fit.sort_by(|one, other| (one.bytes, &one.id).cmp(&(other.bytes, &other.id)));
        let mut places: Vec<usize> = spread(fit.len(), count).collect();
        let special: Vec<usize> = (0..fit.len()).filter(|&at| is_special(&fit[at].file)).collect();
        places.extend(spread(special.len(), count).map(|at| special[at]));
        places.sort_unstable();
        places.dedup();
        chosen.extend(places.iter().map(|&at| Given::real(agent, &fit[at])));
    }
    chosen
}

/// Whether the bytes of a session's first file have a picture or a sub-agent.
fn is_special(file: &Path) -> bool {
    let bytes = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    PICTURES_AND_REPORTS.iter().any(|sign| text.contains(sign))
}

/// As many places as asked for in a list of this length, in equal distances.
fn spread(length: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.min(length);
    (0..count).map(move |at| (2 * at + 1) * length / (2 * count))
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn the_chosen_places_are_spread_over_the_list() {
        let places = |length, count| spread(length, count).collect::<Vec<_>>();
        assert_eq!(places(130, 1), [65]);
        assert_eq!(places(16, 8), [1, 3, 5, 7, 9, 11, 13, 15]);
        assert_eq!(places(3, 8), [0, 1, 2]);
        assert_eq!(places(0, 8), [0; 0]);
    }
}
