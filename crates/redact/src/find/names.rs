//! Names of users, hosts and persons, as paths, prompts of shells and version control show them.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};
use session::Bundle;

use super::sweep::{self, Sought};
use crate::edit::placeholder;
use crate::rules::{Class, Rules, RulesError};

/// The names that texts show.
#[derive(Debug, Default)]
pub(crate) struct Names {
    users: BTreeSet<Vec<u8>>,
    hosts: BTreeSet<Vec<u8>>,
    persons: BTreeSet<Vec<u8>>,
    /// The texts behind `-home-` in a path that is spelled as one name.
    joined: BTreeSet<Vec<u8>>,
}

/// Generic account names.
const NOBODY: &[&str] = &[
    "user",
    "users",
    "root",
    "ubuntu",
    "debian",
    "runner",
    "node",
    "vscode",
    "app",
    "admin",
    "git",
    "shared",
    "public",
    "default",
    "you",
    "me",
    "name",
    "username",
    "yourname",
    "linuxbrew",
    "work",
    "workspace",
    "home",
    "test",
    "example",
    "someone",
    "dev",
    "codespace",
    "gitpod",
    "jenkins",
    "ec2-user",
    "all",
    "www-data",
    "nobody",
    "guest",
    "localhost",
    "host",
];

static HOME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:/home/|/Users/|[A-Za-z]:[/\\]+Users[/\\]+)",
        r"([A-Za-z0-9_\x80-\xff][A-Za-z0-9._\x80-\xff-]{1,127})"
    ))
});
static JOINED: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"-(?:home|Users)-([A-Za-z0-9][A-Za-z0-9._-]{1,63})"));
static PROMPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?:^|[\s\[(\x22'>])([a-z_][a-z0-9_-]{1,31})@([A-Za-z][A-Za-z0-9-]{1,62}):[~/]")
});
static PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:Author|Commit|Committer|Tagger|Co-authored-by|Signed-off-by|Reviewed-by):[ \t]+",
        r"([^<>\n\x22\\]{2,60}?)[ \t]+<([^<>\s@]+)@[^<>\s]+>"
    ))
});
static SETTING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"\buser\.name(?:[ \t]*=[ \t]*|[ \t]+)",
        r"(?:[\x22']([A-Za-z\x80-\xff][^\n\x22'\\=]{1,59})",
        r"|([A-Za-z\x80-\xff][A-Za-z0-9.\x80-\xff-]{1,39}",
        r"(?: [A-Z\x80-\xff][^\s\x22'\\=]{1,20}){0,3}))"
    ))
});

/// A word without which a pattern matches nowhere.
type Word = LazyLock<Finder<'static>>;

static HOMES: Word = LazyLock::new(|| Finder::new("/home/"));
static USERS: Word = LazyLock::new(|| Finder::new("Users"));
static HOMES_JOINED: Word = LazyLock::new(|| Finder::new("-home-"));
static USERS_JOINED: Word = LazyLock::new(|| Finder::new("-Users-"));
static SETTINGS: Word = LazyLock::new(|| Finder::new("user.name"));

fn pattern(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).unicode(false).build().ok()
}

impl Names {
    /// Whether the patterns can be used; they are part of the program.
    pub(crate) fn are_ready() -> bool {
        [&HOME, &JOINED, &PROMPT, &PERSON, &SETTING].iter().all(|pattern| pattern.is_some())
    }

    /// Takes a user's name from the machine.
    pub(crate) fn user(&mut self, name: &[u8]) {
        add(&mut self.users, name);
    }

    /// Takes a host's name from the machine.
    pub(crate) fn host(&mut self, name: &[u8]) {
        add(&mut self.hosts, name);
    }

    /// Takes the names that a text shows, and tells whether it shows any.
    pub(crate) fn learn(&mut self, text: &[u8]) -> bool {
        let mut count = 0;
        if has(&HOMES, text) || has(&USERS, text) {
            count += each(&HOME, text, |found| add(&mut self.users, &found[1]));
        }
        if has(&HOMES_JOINED, text) || has(&USERS_JOINED, text) {
            count += each(&JOINED, text, |found| {
                self.joined.insert(found[1].to_vec());
            });
        }
        if memchr::memchr(b'@', text).is_some() {
            count += each(&PROMPT, text, |found| {
                if !is_nobody(&found[1]) {
                    add(&mut self.users, &found[1]);
                    add(&mut self.hosts, &found[2]);
                }
            });
            count += each(&PERSON, text, |found| {
                if !is_program(&found[1], &found[2]) {
                    add(&mut self.persons, &found[1]);
                }
            });
        }
        if has(&SETTINGS, text) {
            count += each(&SETTING, text, |found| {
                let name = found.get(1).or(found.get(2)).map_or(&b""[..], |name| name.as_bytes());
                if !is_of_prose(name) {
                    add(&mut self.persons, name.trim_ascii_end());
                }
            });
        }
        count > 0
    }

    /// The names as values to look for. A user becomes `user1`, a host `host1`.
    pub(crate) fn known(mut self) -> Vec<KnownName> {
        for joined in std::mem::take(&mut self.joined) {
            let known = self.users.iter().any(|user| joined.starts_with(user));
            if let Some(first) = joined.split(|&byte| byte == b'-').next().filter(|_| !known) {
                add(&mut self.users, first);
            }
        }
        let mut known = Vec::new();
        for (names, class, word) in
            [(&self.users, Class::User, "user"), (&self.hosts, Class::Host, "host")]
        {
            for (number, name) in (1u32..).zip(names) {
                known.push(value(name, class, Some(format!("{word}{number}").into())));
            }
        }
        known.extend(self.persons.iter().map(|name| value(name, Class::Person, None)));
        known
    }
}

fn value(name: &[u8], class: Class, alias: Option<Arc<str>>) -> KnownName {
    KnownName { class, value: name.to_vec(), alias, is_name: true }
}

/// A name that texts show.
#[derive(Debug)]
pub(crate) struct KnownName {
    pub(crate) class: Class,
    value: Vec<u8>,
    /// The replacement, where it is no placeholder.
    alias: Option<Arc<str>>,
    /// Whether it is a name of a user, host or person, and not a value in the name of a file.
    is_name: bool,
}

impl KnownName {
    /// The name as a value to look for.
    pub(crate) fn sought(&self) -> Sought<'_> {
        let Self { class, value, alias, is_name } = self;
        Sought { value, alias: alias.as_ref(), class: *class, is_name: *is_name }
    }

    /// The values that rules find in the names of a bundle's files.
    ///
    /// # Errors
    /// Those of the rules.
    pub(crate) fn in_files(rules: &Rules, bundle: &Bundle) -> Result<Vec<Self>, RulesError> {
        let mut known = Vec::new();
        for member in &bundle.members {
            let (name, mut hits) = (member.name.as_bytes(), Vec::new());
            rules.find(name, &mut hits)?;
            for hit in hits {
                let value = name.get(hit.start..hit.end).unwrap_or_default();
                if sweep::is_worth(value) {
                    let class = rules.rule(hit.rule).class;
                    known.push(Self { class, value: value.to_vec(), alias: None, is_name: false });
                }
            }
        }
        Ok(known)
    }
}

fn each(
    pattern: &LazyLock<Option<Regex>>,
    text: &[u8],
    mut take: impl FnMut(&regex::bytes::Captures<'_>),
) -> usize {
    let Some(pattern) = pattern.as_ref() else { return 0 };
    pattern.captures_iter(text).map(|found| take(&found)).count()
}

fn has(word: &Word, text: &[u8]) -> bool {
    word.find(text).is_some()
}

/// The letters of a name: it ends where a mark of punctuation does, in any script.
fn letters(name: &[u8]) -> &[u8] {
    let valid = match std::str::from_utf8(name) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&name[..error.valid_up_to()]).unwrap_or_default(),
    };
    let is_part = |letter: char| letter.is_alphanumeric() || ". _-'".contains(letter);
    let end = valid.find(|letter| !is_part(letter)).unwrap_or(valid.len());
    &valid.as_bytes()[..end]
}

fn add(names: &mut BTreeSet<Vec<u8>>, name: &[u8]) {
    let name = letters(name);
    let name = name.strip_suffix(b".").unwrap_or(name);
    let replaced = placeholder::is_replaced(name, 0, name.len()) || is_alias(name);
    if name.len() >= 2 && !is_nobody(name) && !replaced {
        names.insert(name.to_vec());
    }
}

/// Whether an author is a program: its address takes no mail, or its name has a version or says so.
fn is_program(name: &[u8], mail: &[u8]) -> bool {
    let is_version = |pair: &[u8]| pair[0].is_ascii_digit() && matches!(pair[1], b'.' | b'-');
    let bots = [&b"[bot]"[..], b"-bot", b" bot"];
    let name = name.to_ascii_lowercase();
    [&b"noreply"[..], b"no-reply", b"bot", b"donotreply"].contains(&mail)
        || name.windows(2).any(is_version)
        || bots.iter().any(|bot| name.ends_with(bot))
}

/// Whether a word goes on with a sentence about the setting.
fn is_of_prose(word: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[
        b"and", b"or", b"to", b"is", b"in", b"from", b"for", b"the", b"with", b"if", b"as", b"of",
        b"not", b"are", b"was", b"must", b"should", b"setting", b"value", b"config", b"on",
        b"that",
    ];
    WORDS.contains(&word)
}

fn is_nobody(name: &[u8]) -> bool {
    NOBODY.iter().any(|nobody| name.eq_ignore_ascii_case(nobody.as_bytes()))
}

/// `user1`, `host12`.
fn is_alias(name: &[u8]) -> bool {
    let rest = name.strip_prefix(b"user").or_else(|| name.strip_prefix(b"host"));
    rest.is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_learned_from_paths_prompts_and_commits() {
        assert!(Names::are_ready());
        let mut names = Names::default();
        for text in [
            "see /home/ana-q7/work and /home/runner/x, /Users/b.c/",
            r"C:\Users\Dora\src",
            "-home-ana-q7-work-x -Users-eva-src",
            "finn@zeb-9:~/src$ ls; git@example:/srv; /home/user1/x",
            "Author: Gil Hu <gil@example.org>",
            "git config user.name \"Ida Jo\"",
            "git config user.name Kim and `git config user.name` and user.email, user.name from it",
            "Co-Authored-By: Model Sonnet 4.6 <noreply@acme.test>",
            "Author: renewer[bot] <12+renewer[bot]@acme.test>",
        ] {
            names.learn(text.as_bytes());
        }
        let known = names.known();
        let all: Vec<(String, Option<&str>)> = known
            .iter()
            .map(|known| (String::from_utf8_lossy(&known.value).into(), known.alias.as_deref()))
            .collect();
        let all: Vec<(&str, Option<&str>)> = all.iter().map(|(name, to)| (&**name, *to)).collect();
        assert_eq!(
            all,
            [
                ("Dora", Some("user1")),
                ("ana-q7", Some("user2")),
                ("b.c", Some("user3")),
                ("eva", Some("user4")),
                ("finn", Some("user5")),
                ("zeb-9", Some("host1")),
                ("Gil Hu", None),
                ("Ida Jo", None),
                ("Kim", None),
            ]
        );
    }
}
