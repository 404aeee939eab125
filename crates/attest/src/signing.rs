//! Signing bytes with a key of the user.

use std::path::{Path, PathBuf};

use catalog::Machine;
use session::UtcTime;
use sign::agent::Held;
use sign::{Claims, Envelope, SecretKey, canonical, signature_input};

use crate::agent;
use crate::error::{Error, refused};
use crate::keys::Keys;
use crate::trust::{KnownKey, Standing};

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

/// An envelope that was made.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The signed bytes.
    pub content: Vec<u8>,
    /// The envelope.
    pub envelope: Vec<u8>,
}

impl<'m> Signer<'m> {
    /// The key of a name, of a file, or of a fingerprint in the ssh agent. Without a name, the only
    /// own key.
    ///
    /// # Errors
    /// There is no such key, or it must not be used.
    pub fn named(name: Option<&str>, keys: &Keys, machine: &'m Machine) -> Result<Self, Error> {
        let own = keys.own()?;
        if let Some(print) = name.filter(|name| name.starts_with("SHA256:")) {
            return Self::held(print, machine);
        }
        let found = match name {
            None if own.len() == 1 => own.first(),
            None if own.is_empty() => {
                return refused("there is no key", "make one: `verbatim key new NAME`");
            }
            None => {
                return refused(
                    format!("there are {} keys", own.len()),
                    "name one: `--key NAME`; `verbatim key list` lists them",
                );
            }
            Some(name) => own.iter().find(|own| own.known.name == name),
        };
        if let Some(own) = found {
            let secret = Keys::secret(&own.path)?;
            if secret.public() != own.known.key {
                let what = format!("{}: its public file is of another key", own.path.display());
                return refused(what, "put both files back, or make another key");
            }
            return Ok(Self { machine, means: Means::File(secret), known: own.known.clone() });
        }
        let path = Path::new(name.unwrap_or_default());
        if !path.is_file() {
            let what = format!("there is no key `{}`", path.display());
            return refused(what, "`verbatim key list` lists them; `verbatim key new` makes one");
        }
        let secret = Keys::secret(path)?;
        let key = secret.public();
        let (name, issuer) = (path.display().to_string(), key.uri());
        let known = KnownKey { name, key, issuer, standing: Standing::Own };
        Ok(Self { machine, means: Means::File(secret), known })
    }

    fn held(print: &str, machine: &'m Machine) -> Result<Self, Error> {
        let held = agent::held(machine)?;
        let is = |it: &Held| it.key.ssh_fingerprint() == print || it.key.fingerprint() == print;
        let Some(held) = held.into_iter().find(is) else {
            let what = format!("the ssh agent holds no key {print} of Ed25519 or P-256");
            return refused(what, "`ssh-add -l` lists its keys");
        };
        let (key, name) = (held.key.clone(), print.to_owned());
        let issuer = key.uri();
        let known = KnownKey { name, key, issuer, standing: Standing::Own };
        Ok(Self { machine, means: Means::Agent(held), known })
    }

    /// Signs bytes as they stand, or, `as_draft`, in the canonical form that the draft's verifier
    /// makes again.
    ///
    /// # Errors
    /// The canonical form would change a value, or the key does not sign.
    pub fn sign(
        &self,
        content: Vec<u8>,
        as_draft: bool,
        media_type: &str,
        subject: &str,
        now: UtcTime,
    ) -> Result<Signed, Error> {
        let content = match as_draft {
            false => content,
            true => match canonical(&content) {
                Ok(canonical) => canonical,
                Err(fault) => {
                    return refused(
                        format!("the draft's form of it would change it: {fault}"),
                        "sign it as it stands: leave `--as-draft` out",
                    );
                }
            },
        };
        let claims = Claims {
            issuer: Some(self.known.issuer.clone()),
            subject: Some(subject.to_owned()),
            issued_at: Some(now.0.div_euclid(1_000_000).max(0)),
        };
        let broken = |fault: sign::EnvelopeFault| Error::Refused {
            what: format!("no envelope can be made: {fault}"),
            hint: "please report it".into(),
        };
        let protected =
            Envelope::protected(&self.known.key, media_type, &claims).map_err(broken)?;
        let input = signature_input(&protected, &[], &content);
        let signature = match &self.means {
            Means::File(secret) => secret.sign(&input),
            Means::Agent(held) => agent::sign(self.machine, held, &input)?,
        };
        if !self.known.key.verifies(&input, &signature) {
            return refused("the signature that was made is not good", "use another key");
        }
        let envelope = Envelope::write(&protected, &signature).map_err(broken)?;
        Ok(Signed { content, envelope })
    }
}

/// The file of the envelope of a file.
#[must_use]
pub fn companion(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".cose");
    name.into()
}

/// The subject of a session: its id in a URN.
#[must_use]
pub fn subject(id: &str) -> String {
    let mut urn = String::from("urn:vac:session:");
    for byte in id.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte) {
            true => urn.push(char::from(byte)),
            false => urn.push_str(&format!("%{byte:02X}")),
        }
    }
    urn
}
