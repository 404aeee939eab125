//! Filters of sessions and of their usages: one meaning for every command.

use catalog::summary::Entry;
use session::UtcTime;
use unicode_normalization::UnicodeNormalization as _;

use crate::usage::Spent;

/// A filter. An empty list takes everything; of a list, one match is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Names of formats.
    pub agents: Vec<String>,
    /// Projects: the path of a folder, which takes the folders below it too, or the name of any
    /// folder of the path, in any case.
    pub projects: Vec<String>,
    /// Parts of a model's name, in any case.
    pub models: Vec<String>,
    /// The time from which on.
    pub since: Option<UtcTime>,
    /// The time before which.
    pub until: Option<UtcTime>,
}

impl Filter {
    /// Whether it takes a session: one of these agents, projects and models that was active within
    /// the time. A session without a time is not within any.
    #[must_use]
    pub fn takes(&self, entry: &Entry) -> bool {
        let begun = entry.started.or(entry.updated);
        let ended = entry.updated.or(entry.started);
        let within = self.since.is_none_or(|since| ended.is_some_and(|ended| ended >= since))
            && self.until.is_none_or(|until| begun.is_some_and(|begun| begun < until));
        within && self.takes_facts(entry.format, entry.folder.as_deref(), entry.model.as_deref())
    }

    /// Whether it takes a usage.
    #[must_use]
    pub fn takes_spent(&self, spent: &Spent<'_>) -> bool {
        let within = self.since.is_none_or(|since| spent.time.is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| spent.time.is_some_and(|time| time < until));
        within && self.takes_facts(spent.format, spent.folder, spent.model)
    }

    fn takes_facts(&self, agent: &str, folder: Option<&str>, model: Option<&str>) -> bool {
        let any = |names: &[String], is: &dyn Fn(&str) -> bool| {
            names.is_empty() || names.iter().any(|name| is(name))
        };
        let has = |text: Option<&str>, part: &str| {
            text.is_some_and(|text| text.to_lowercase().contains(&part.to_lowercase()))
        };
        any(&self.agents, &|name| name == agent)
            && any(&self.projects, &|name| folder.is_some_and(|folder| is_in(folder, name)))
            && any(&self.models, &|name| has(model, name))
    }
}

/// Whether a folder is the project, or below it.
fn is_in(folder: &str, project: &str) -> bool {
    let parts = |path| str::split(path, ['/', '\\']).filter(|part| !part.is_empty());
    let (mut folder, mut wanted) = (parts(folder), parts(project));
    if project.contains(['/', '\\']) {
        return wanted.all(|name| folder.next().is_some_and(|part| is_same(part, name)));
    }
    wanted.next().is_some_and(|name| folder.any(|part| is_same(part, name)))
}

/// Whether two paths name the same folder, in any case and with either separator.
#[must_use]
pub fn is_same_folder(one: &str, other: &str) -> bool {
    let parts = |path| str::split(path, ['/', '\\']).filter(|part: &&str| !part.is_empty()).count();
    parts(one) == parts(other) && one.contains(['/', '\\']) && is_in(other, one)
}

/// Whether two names are equal in any case, with composed or decomposed characters: some systems
/// write names of files decomposed, and people type them composed. A list compares very many.
fn is_same(a: &str, b: &str) -> bool {
    match a.is_ascii() && b.is_ascii() {
        true => a.eq_ignore_ascii_case(b),
        false => a.to_lowercase().nfc().eq(b.to_lowercase().nfc()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_a_path_or_the_name_of_a_folder() {
        assert!(is_in("/home/ana/shop", "shop"));
        assert!(is_in("/home/ana/shop/web", "Shop"));
        assert!(is_in(r"C:\Users\ana\shop", "shop"));
        assert!(is_in("/home/ana/shop/web", "/home/ana/shop/"));
        assert!(!is_in("/home/ana/workshop", "shop"));
        assert!(!is_in("/home/ana/shop", "/home/ana/shop/web"));
        assert!(!is_in("/home/ana/shop2", "/home/ana/shop"));
        assert!(!is_in("/home/ana", ""));
        assert!(is_in("/home/ana/MÜLL", "müll") && is_in("/home/ana", "/"));
        assert!(is_in("/home/ana/cafe\u{301}", "Caf\u{e9}"));
        assert!(is_in("/home/ana/caf\u{e9}/web", "/home/ana/cafe\u{301}"));
        assert!(!is_in("/home/ana/cafe", "caf\u{e9}"));
    }

    #[test]
    fn a_session_is_within_a_time_if_it_was_active_then() {
        let at = |hour: i64| Some(UtcTime(hour * 3_600_000_000));
        let session = Entry { started: at(10), updated: at(20), ..Entry::default() };
        let takes = |since, until| Filter { since, until, ..Filter::default() }.takes(&session);
        assert!(takes(None, None) && takes(at(20), None) && takes(at(12), at(13)));
        assert!(!takes(at(21), None) && !takes(None, at(10)));
        let dateless = Entry::default();
        assert!(!Filter { since: at(1), ..Filter::default() }.takes(&dateless));
        assert!(Filter::default().takes(&dateless));
    }
}
