//! A key of the user that signs, found by its name, its file or its fingerprint.

use std::path::Path;

use catalog::Machine;
use sign::SecretKey;
use sign::agent::Held;

use crate::attest::agent;
use crate::attest::error::{Error, refused};
use crate::attest::keys::{DamagedKey, Keys, OwnKeys};
use crate::attest::trust::{KeyStanding, KnownKey};

/// Beginning of every fingerprint.
const FINGERPRINT: &str = "SHA256:";

/// A key that signs.
#[derive(Debug)]
pub struct Signer<'m> {
    machine: &'m Machine,
    means: Means,
    /// The public key, its name and its issuer.
    pub known: KnownKey,
}

#[derive(Debug)]
enum Means {
    File(SecretKey),
    Agent(Held),
}

impl<'m> Signer<'m> {
    /// The key of a name, of a file, or of a fingerprint in the ssh agent. Without a name, the only
    /// own key.
    ///
    /// # Errors
    /// There is no such key, or it must not be used.
    pub fn named(name: Option<&str>, keys: &Keys, machine: &'m Machine) -> Result<Self, Error> {
        let OwnKeys { keys: own, skipped } = keys.own()?;
        if let Some(print) = name.filter(|name| name.starts_with(FINGERPRINT)) {
            let Some(own) = own.iter().find(|own| own.known.is_called(print)) else {
                return Self::held(print, keys, machine);
            };
            return Self::of_file(&own.path, own.known.clone(), machine);
        }
        // A damaged file may be that of the key that is meant.
        let meant = |damaged: &DamagedKey| name.is_none_or(|name| name == damaged.name);
        if let Some(damaged) = skipped.into_iter().find(meant) {
            return Err(damaged.error);
        }
        let found = match name {
            None if own.len() == 1 => own.first(),
            None if own.is_empty() => {
                return refused("there is no key", "make one: `verbatim key new NAME`");
            }
            None => {
                let what = format!("there are {} keys", own.len());
                return refused(what, "name one: `--key NAME`; `verbatim key list` lists them");
            }
            Some(name) => own.iter().find(|own| own.known.name == name),
        };
        if let Some(own) = found {
            return Self::of_file(&own.path, own.known.clone(), machine);
        }
        let path = Path::new(name.unwrap_or_default());
        if !path.is_file() {
            let what = format!("there is no key `{}`", path.display());
            return refused(what, "`verbatim key list` lists them; `verbatim key new` makes one");
        }
        let signer = Self::of(Keys::secret(path)?, &path.display().to_string(), machine);
        Ok(Self { known: with_issuer(signer.known, keys)?, ..signer })
    }

    /// A secret key that is at hand, under a name.
    #[must_use]
    pub fn of(secret: SecretKey, name: &str, machine: &'m Machine) -> Self {
        let key = secret.public();
        let issuer = key.uri();
        let known = KnownKey { name: name.into(), key, issuer, standing: KeyStanding::Own };
        Self { machine, means: Means::File(secret), known }
    }

    /// The key in a file, which must be the one that is known by its name.
    fn of_file(path: &Path, known: KnownKey, machine: &'m Machine) -> Result<Self, Error> {
        let secret = Keys::secret(path)?;
        if secret.public() != known.key {
            let what = format!("{}: its public file is of another key", path.display());
            return refused(what, "put both files back, or make another key");
        }
        Ok(Self { machine, means: Means::File(secret), known })
    }

    fn held(print: &str, keys: &Keys, machine: &'m Machine) -> Result<Self, Error> {
        let held = agent::held(machine)?.into_iter().map(|held| (agent_key(&held), held));
        let Some((known, held)) = held.into_iter().find(|(known, _)| known.is_called(print)) else {
            let what = format!("the ssh agent holds no key {print} of Ed25519 or P-256");
            return refused(what, "`ssh-add -l` lists its keys");
        };
        let known = with_issuer(known, keys)?;
        Ok(Self { machine, means: Means::Agent(held), known })
    }

    /// Signs a message.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.sign_parts(&[message])
    }

    /// Signs a message in parts.
    pub(crate) fn sign_parts(&self, message: &[&[u8]]) -> Result<Vec<u8>, Error> {
        let held = match &self.means {
            // Its public half was made of it, and to verify costs half as much as to sign.
            Means::File(secret) => return Ok(secret.sign_parts(message)),
            Means::Agent(held) => held,
        };
        let signature = agent::sign(self.machine, held, message)?;
        match self.known.key.verifies_parts(message, &signature) {
            true => Ok(signature),
            false => refused("the signature that the agent made is not good", "use another key"),
        }
    }
}

impl Keys {
    /// The keys in the user's ssh agent that can sign; none without an agent.
    ///
    /// # Errors
    /// The agent does not answer.
    pub fn held(machine: &Machine) -> Result<Vec<KnownKey>, Error> {
        match agent::is_there(machine) {
            true => Ok(agent::held(machine)?.iter().map(agent_key).collect()),
            false => Ok(Vec::new()),
        }
    }
}

/// A key of the agent. Its name is its fingerprint: a comment is no name.
fn agent_key(held: &Held) -> KnownKey {
    let (name, issuer) = (held.key.fingerprint(), held.key.uri());
    KnownKey { name, key: held.key.clone(), issuer, standing: KeyStanding::Agent }
}

/// A key with the issuer that the user has given it by trusting it, if they have.
fn with_issuer(known: KnownKey, keys: &Keys) -> Result<KnownKey, Error> {
    let trusted = keys.trusted()?.into_iter().find(|other| other.key == known.key);
    Ok(match trusted {
        Some(trusted) => KnownKey { issuer: trusted.issuer, name: trusted.name, ..known },
        None => known,
    })
}
