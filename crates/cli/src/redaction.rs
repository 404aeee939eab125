//! RedactionOptions of the commands that redact, and what they take from the machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use redact::rules::{Class, Rules, RulesError};
use redact::{Profile, RedactionOptions, Redactor, TagKey};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::input;

/// Greatest length of a key of tags.
const TAG_KEY: u64 = 1 << 20;

/// Choice of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// Credentials only
    Secrets,
    /// Credentials and personal data: names of users, hosts and persons, addresses, card numbers
    Share,
    /// Also the outputs of tools, and images
    Strict,
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Secrets => Self::Secrets,
            ProfileName::Share => Self::Share,
            ProfileName::Strict => Self::Strict,
        }
    }
}

/// RedactionOptions of a redaction.
#[derive(clap::Args, Default)]
pub(crate) struct RedactionArgs {
    /// Keep values of this class, such as `email` or `person` (may be repeated)
    #[arg(long, value_name = "CLASS", value_parser = class)]
    keep: Vec<Class>,
    /// Take out the outputs of tools too, whatever the profile
    #[arg(long)]
    drop_outputs: bool,
    /// Replace the texts at this path of each record, whatever they say: a JSON pointer, as reports
    /// name it (may be repeated)
    #[arg(long, value_name = "PATH", value_parser = pointer)]
    drop: Vec<String>,
    /// Use this machine's own key for the tags of placeholders, so that equal values have equal
    /// tags in everything that is shared from here (default: a fresh key)
    #[arg(long)]
    stable_tags: bool,
    /// Use the bytes of this file as the key of the tags, for a key that several machines share
    #[arg(long, value_name = "FILE", conflicts_with = "stable_tags")]
    tag_key: Option<PathBuf>,
}

fn class(name: &str) -> Result<Class, String> {
    let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
    Class::named(name).ok_or_else(|| format!("the classes are: {}", names.join(", ")))
}

fn pointer(path: &str) -> Result<String, String> {
    let is_one = path.starts_with('/') && path.len() > 1;
    is_one
        .then(|| path.to_owned())
        .ok_or_else(|| "a path begins with `/`, as `/payload/text`".into())
}

impl RedactionArgs {
    /// The options that keep some classes.
    pub(crate) fn keeping(classes: &[Class]) -> Self {
        let (keep, drop) = (classes.to_vec(), Vec::new());
        Self { keep, drop_outputs: false, drop, stable_tags: false, tag_key: None }
    }

    /// Whether the key of the tags is the same in the next run.
    pub(crate) const fn has_stable_tags(&self) -> bool {
        self.stable_tags || self.tag_key.is_some()
    }

    fn key(&self, env: &Environment<'_>) -> Result<TagKey, Failure> {
        match &self.tag_key {
            Some(path) => key_of(path),
            None if self.stable_tags => Ok(TagKey::new(stable_key(env)?)),
            None => Ok(TagKey::new(fresh_key()?)),
        }
    }

    /// The redactor for these options.
    pub(crate) fn redactor(
        &self,
        profile: Profile,
        env: &Environment<'_>,
    ) -> Result<Redactor, Failure> {
        let (key, rules) = (self.key(env)?, rules()?);
        let mut options = RedactionOptions { key, ..without_tags(profile, env) };
        options.keep = self.keep.iter().copied().collect::<BTreeSet<_>>();
        options.drop_outputs = self.drop_outputs;
        options.drop.clone_from(&self.drop);
        Ok(Redactor::new(rules, options))
    }
}

/// The options of a redaction with the names that this machine knows, and without tags.
pub(crate) fn without_tags(profile: Profile, env: &Environment<'_>) -> RedactionOptions {
    let mut options = RedactionOptions::new(profile, TagKey::none());
    options.users = users(env);
    options.hosts = hosts(env);
    options
}

/// The redactor of which every result depends on the session and on the key alone: it knows no
/// names of this machine and of its user. Without the file of a key, no placeholder has a tag.
pub(crate) fn repeatable(profile: Profile, key: Option<&Path>) -> Result<Redactor, Failure> {
    let key = key.map_or_else(|| Ok(TagKey::none()), key_of)?;
    Ok(Redactor::new(rules()?, RedactionOptions::new(profile, key)))
}

fn rules() -> Result<Rules, Failure> {
    let damaged = |error: RulesError| {
        Failure::Faulty(error.to_string(), "this program was built from damaged rules".into())
    };
    Rules::shipped().map_err(damaged)
}

/// The key in a file.
fn key_of(path: &Path) -> Result<TagKey, Failure> {
    let what = |why: &str| format!("{}: {why}", path.display());
    let hint = || "make a key: `head -c 32 /dev/urandom > FILE`".to_owned();
    if !path.exists() {
        return Err(Failure::Refused(what("there is no such file"), hint()));
    }
    let bytes = input::named_bytes(path, TAG_KEY, "a file with a key")?;
    TagKey::of(&bytes).ok_or_else(|| Failure::Usage(what("a key has at least 16 bytes"), hint()))
}

/// The place of an output, as typed; else standard output, unless that is a terminal: nothing is
/// written to a terminal unasked.
pub(crate) fn output<'o>(
    typed: Option<&'o str>,
    env: &Environment<'_>,
) -> Result<&'o str, Failure> {
    match typed {
        Some(output) => Ok(output),
        None if env.width.is_none() => Ok("-"),
        None => Err(Failure::Usage(
            "the output would fill the terminal".into(),
            "name a file: `-o FILE`, or type `-o -`".into(),
        )),
    }
}

/// The names of the user that the machine knows.
fn users(env: &Environment<'_>) -> Vec<String> {
    let variables = ["USER", "LOGNAME", "USERNAME"].into_iter();
    let named =
        variables.filter_map(|name| env.machine.variable(name)?.to_str().map(str::to_owned));
    let home = env.machine.home.as_deref().and_then(Path::file_name);
    let home = home.and_then(|name| name.to_str()).map(str::to_owned);
    named.chain(home).filter(|name| name.len() > 2).collect()
}

/// The names of the machine.
fn hosts(env: &Environment<'_>) -> Vec<String> {
    let variables = ["HOSTNAME", "HOST", "COMPUTERNAME"].into_iter();
    let named =
        variables.filter_map(|name| env.machine.variable(name)?.to_str().map(str::to_owned));
    let system = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let system = system.map(|name| name.trim().to_owned());
    let short = |name: String| name.split('.').next().unwrap_or_default().to_owned();
    named.chain(system).map(short).filter(|name| name.len() > 2).collect()
}

fn fresh_key() -> Result<[u8; 32], Failure> {
    let mut key = [0; 32];
    let failed = |error: getrandom::Error| Failure::Stream(std::io::Error::other(error));
    getrandom::fill(&mut key).map_err(failed)?;
    Ok(key)
}

/// The key of this machine, which is made once and which only its user can read.
fn stable_key(env: &Environment<'_>) -> Result<[u8; 32], Failure> {
    let Some(folder) = env.machine.state() else {
        let what = "no folder is known for the key of the tags".to_owned();
        return Err(Failure::Usage(what, "set HOME, or leave `--stable-tags` out".into()));
    };
    let path = folder.join("tags.key");
    let read = || std::fs::read(&path).map_err(|error| Failure::File(path.clone(), error));
    if !path.exists() {
        store::save(&path, &fresh_key()?, false)?;
    }
    read()?.try_into().map_err(|_| {
        let what = format!("{}: not a key of 32 bytes", path.display());
        Failure::Refused(what, "remove it, and a new one is made".into())
    })
}
