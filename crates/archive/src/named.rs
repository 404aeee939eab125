//! Which version a name means: `ID`, `ID@DIGEST` or `ID@DATE`, with or without `AGENT:` before it.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::run::SessionName;
use crate::state::{Archive, Version};

/// Least number of digits of a digest in a name.
const DIGITS: usize = 6;

impl Archive {
    /// The version that a name means: without a `@` the newest one. `None` if the archive has no
    /// session of this name.
    ///
    /// # Errors
    /// The name means several sessions, or no version of its session or several.
    pub fn named(&self, name: &str) -> Result<Option<&Version>, Error> {
        let (id, which) = match name.rsplit_once('@') {
            Some((id, which)) if !id.is_empty() => (id, Some(which)),
            _ => (name, None),
        };
        let versions = self.versions_of(id)?;
        let Some(which) = which else { return Ok(versions.last().copied()) };
        let Some(session) = versions.first().map(|version| &version.session.name) else {
            return Ok(None);
        };
        let fitting: Vec<&Version> = match is_digest(which) {
            true => {
                let which = which.to_lowercase();
                let of = |v: &&Version| v.session.digest.to_string().starts_with(&which);
                versions.iter().copied().filter(of).collect()
            }
            // What was seen last up to that moment, or up to the end of that day, hour or minute.
            // A content that came back later was there then too.
            false => {
                let which = &*which.replacen(' ', "T", 1);
                let until = |v: &&Version| {
                    v.session.name == *session
                        && v.time.get(..which.len()).is_some_and(|at| at <= which)
                };
                let is_date =
                    which.len() >= 4 && which.as_bytes()[..4].iter().all(u8::is_ascii_digit);
                let mut all = self.versions.iter().filter(until).filter(|_| is_date);
                all.next_back().into_iter().collect()
            }
        };
        match &*fitting {
            [one] => Ok(Some(one)),
            several => Err(Error::Unclear {
                what: match several.len() {
                    0 => format!("no version of {id} is meant by `{which}`"),
                    many => format!("{many} versions of {id} have digests that begin so: {which}"),
                },
                hint: format!("`verbatim archive versions {id}` shows them"),
            }),
        }
    }

    /// The versions of the session with this id, or the only one whose id begins so, the newest
    /// last. Empty if no session has such an id.
    ///
    /// # Errors
    /// Several sessions have ids that begin so.
    pub fn versions_of(&self, id: &str) -> Result<Vec<&Version>, Error> {
        let all = self.versions();
        let split = id.split_once(':');
        let is_agent = |version: &&Version, agent: &str| {
            version.session.name.agent.starts_with(&agent.to_lowercase())
        };
        let takes = |version: &&Version, same: bool| {
            let has = |wanted: &str| {
                let ids = version.session.ids.iter().chain([&version.session.name.group]);
                ids.into_iter().any(|id| match same {
                    true => id.eq_ignore_ascii_case(wanted),
                    false => id.get(..wanted.len()).is_some_and(|i| i.eq_ignore_ascii_case(wanted)),
                })
            };
            let with_agent = split
                .is_some_and(|(agent, id)| is_agent(version, agent) && !id.is_empty() && has(id));
            !id.is_empty() && has(id) || with_agent
        };
        for same in [true, false] {
            let found: Vec<&Version> =
                all.iter().copied().filter(|version| takes(version, same)).collect();
            let names: BTreeSet<&SessionName> = found.iter().map(|v| &v.session.name).collect();
            if names.len() > 1 {
                let uids: Vec<String> = names.iter().take(5).map(|name| name.uid()).collect();
                let what = format!("{} sessions in the archive have ids like `{id}`", names.len());
                let hint = format!("name one of them: {}", uids.join(", "));
                return Err(Error::Unclear { what, hint });
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }
}

impl Archive {
    /// The forgotten session with this id, or the only one whose id begins so.
    ///
    /// # Errors
    /// Several forgotten sessions have ids that begin so.
    pub fn forgotten_name(&self, id: &str) -> Result<Option<SessionName>, Error> {
        let bare = |name: &SessionName| {
            id.strip_prefix(&format!("{}:", name.agent)).unwrap_or(id).to_owned()
        };
        let takes = |(name, ids): &(&SessionName, &[String])| {
            let wanted = bare(name);
            !wanted.is_empty() && ids.iter().chain([&name.group]).any(|id| id.starts_with(&wanted))
        };
        let found: Vec<&SessionName> =
            self.forgotten().filter(takes).map(|(name, _)| name).collect();
        match &*found {
            [] => Ok(None),
            [one] => Ok(Some((*one).clone())),
            several => Err(Error::Unclear {
                what: format!("{} forgotten sessions have ids like `{id}`", several.len()),
                hint: "`verbatim archive status` names them".into(),
            }),
        }
    }
}

impl SessionName {
    /// `<agent>:<group>`.
    #[must_use]
    pub fn uid(&self) -> String {
        format!("{}:{}", self.agent, self.group)
    }
}

/// Whether a text is the beginning of a digest.
fn is_digest(text: &str) -> bool {
    (DIGITS..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
