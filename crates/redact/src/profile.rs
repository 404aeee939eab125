//! Profiles: which classes of values may not be shared.

use std::collections::BTreeSet;

use crate::edit::placeholder::TagKey;
use crate::rules::Class;

/// A choice of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Values that give access to something.
    Secrets,
    /// The same, and what tells who somebody is: names of users, hosts and persons, addresses.
    #[default]
    Share,
    /// The same, and the outputs of tools, and images.
    Strict,
}

impl Profile {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Secrets => "secrets",
            Self::Share => "share",
            Self::Strict => "strict",
        }
    }
}

/// The choices of the user.
#[derive(Clone, Debug)]
pub struct RedactionOptions {
    /// The profile.
    pub profile: Profile,
    /// Classes that are kept.
    pub keep: BTreeSet<Class>,
    /// The outputs of tools go, whatever the profile.
    pub drop_outputs: bool,
    /// Paths of values that go, whatever they say, in each record: JSON pointers (RFC 6901).
    pub drop: Vec<String>,
    /// Names of users that the machine knows.
    pub users: Vec<String>,
    /// Names of the machine.
    pub hosts: Vec<String>,
    /// The key of the tags.
    pub key: TagKey,
}

impl RedactionOptions {
    /// A profile as it is, with a key.
    #[must_use]
    pub fn new(profile: Profile, key: TagKey) -> Self {
        let keep = BTreeSet::new();
        let (drop, users, hosts) = (Vec::new(), Vec::new(), Vec::new());
        Self { profile, keep, drop_outputs: false, drop, users, hosts, key }
    }

    /// The name of these choices with rules of this version, without the key.
    #[must_use]
    pub fn findings_name(&self, rules: &str) -> String {
        let Self { profile, keep, drop_outputs, drop, users, hosts, key: _ } = self;
        // The same names may come from several places of a machine, in any order.
        let [users, hosts] = [users, hosts].map(|names| names.iter().collect::<BTreeSet<_>>());
        let profile = profile.name();
        format!("{rules} {profile} {keep:?} {drop_outputs} {drop:?} {users:?} {hosts:?}")
    }

    /// Whether values of a class go.
    pub(super) fn takes(&self, class: Class) -> bool {
        let is_personal = class.is_personal();
        let chosen = match class {
            Class::Output => self.drop_outputs || self.is_strict() || !self.drop.is_empty(),
            Class::Image => self.profile == Profile::Strict,
            _ => !is_personal || self.profile != Profile::Secrets,
        };
        chosen && !self.keep.contains(&class)
    }

    fn is_strict(&self) -> bool {
        self.profile == Profile::Strict
    }

    /// Whether the outputs of tools go, whatever they say.
    pub(super) fn drops_outputs(&self) -> bool {
        (self.drop_outputs || self.is_strict()) && self.takes(Class::Output)
    }

    /// Whether names of users, hosts or persons go.
    pub(super) fn has_names(&self) -> bool {
        [Class::User, Class::Host, Class::Person].into_iter().any(|class| self.takes(class))
    }

    /// Whether outputs of tools or images go.
    pub(super) fn drops(&self) -> bool {
        self.takes(Class::Output) || self.takes(Class::Image)
    }
}
