//! The folder of keys: own ones in files that nobody else can read, and the trusted ones.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use catalog::Machine;
use sign::{KeyType, PublicKey, SecretKey};

use crate::error::{Error, refused};
use crate::trust::{KnownKey, Standing, line, parse};

/// The keys of a user.
#[derive(Clone, Debug)]
pub struct Keys {
    folder: PathBuf,
}

/// A key of the user in a file.
#[derive(Clone, Debug)]
pub struct OwnKey {
    /// The file of the secret key.
    pub path: PathBuf,
    /// The public key, its name and its issuer.
    pub known: KnownKey,
}

/// Greatest length of a file of keys.
const LIMIT: u64 = 1 << 20;

impl Keys {
    /// The keys of the user of a machine.
    ///
    /// # Errors
    /// The user has no folder.
    pub fn of(machine: &Machine) -> Result<Self, Error> {
        let named = machine.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        let named = named.filter(|path| path.is_absolute());
        let config = named.or_else(|| Some(machine.home.as_ref()?.join(".config")));
        match config {
            Some(config) => Ok(Self { folder: config.join("verbatim") }),
            None => refused("there is no home folder for keys", "set HOME"),
        }
    }

    /// The keys in a folder.
    #[must_use]
    pub fn within(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf() }
    }

    /// The file of trusted keys.
    #[must_use]
    pub fn trust_file(&self) -> PathBuf {
        self.folder.join("trust")
    }

    fn file(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join("keys").join(format!("{name}.{ending}"))
    }

    /// Makes a key of random bytes. No key is ever replaced.
    ///
    /// # Errors
    /// The name or the issuer can't be used, or a file can't be written.
    pub fn make(
        &self,
        name: &str,
        key_type: KeyType,
        issuer: Option<&str>,
        random: &[u8; 32],
    ) -> Result<OwnKey, Error> {
        named(name)?;
        let Ok(secret) = SecretKey::new(key_type, random) else {
            return refused("the random bytes are no key of this type", "run it again");
        };
        let known = known(name, secret.public(), issuer, Standing::Own)?;
        let (path, public) = (self.file(name, "pem"), self.file(name, "pub"));
        if path.exists() || public.exists() {
            let what = format!("there is a key `{name}` already: {}", path.display());
            return refused(what, "choose another name; a key is never replaced");
        }
        let Ok(pem) = secret.pem() else { return refused("the key has no PEM", "report it") };
        store::save(&path, pem.as_bytes(), false)?;
        store::save(&public, line(&known).as_bytes(), false)?;
        Ok(OwnKey { path, known })
    }

    /// The user's own keys, by name.
    ///
    /// # Errors
    /// A file can't be read, or is not one of a key.
    pub fn own(&self) -> Result<Vec<OwnKey>, Error> {
        let folder = self.folder.join("keys");
        let entries = match folder.read_dir() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(Error::Io { path: folder, source }),
            Ok(entries) => entries,
        };
        let mut keys = Vec::new();
        for entry in entries.filter_map(Result::ok) {
            let public = entry.path();
            if public.extension().is_some_and(|ending| ending == "pub") {
                let known = lines(&public, Standing::Own)?;
                let path = public.with_extension("pem");
                keys.extend(known.into_iter().map(|known| OwnKey { path: path.clone(), known }));
            }
        }
        keys.sort_by(|one, other| one.known.name.cmp(&other.known.name));
        Ok(keys)
    }

    /// The secret key in a file that only its owner can read.
    ///
    /// # Errors
    /// Others can read it, or it is no key.
    pub fn secret(path: &Path) -> Result<SecretKey, Error> {
        let io = |source| Error::Io { path: path.into(), source };
        let meta = path.metadata().map_err(io)?;
        if let Some(mode) = readable_by_others(&meta) {
            let what = format!("{}: others can read this key (mode {mode:o})", path.display());
            return refused(what, "close it: `chmod 600 FILE`; if others have it, make another");
        }
        let text = bounded(path)?;
        match SecretKey::read(&text) {
            Ok(key) => Ok(key),
            Err(fault) => {
                refused(format!("{}: {fault}", path.display()), "make one: `verbatim key new NAME`")
            }
        }
    }

    /// The trusted keys.
    ///
    /// # Errors
    /// The file can't be read, or has a line that is no key.
    pub fn trusted(&self) -> Result<Vec<KnownKey>, Error> {
        match self.trust_file().exists() {
            true => lines(&self.trust_file(), Standing::Trusted),
            false => Ok(Vec::new()),
        }
    }

    /// Trusts a key under a name, for an issuer.
    ///
    /// # Errors
    /// The name is taken, or the file can't be written.
    pub fn trust(
        &self,
        name: &str,
        key: PublicKey,
        issuer: Option<&str>,
    ) -> Result<KnownKey, Error> {
        named(name)?;
        let known = known(name, key, issuer, Standing::Trusted)?;
        let trusted = self.trusted()?;
        if let Some(other) = trusted.iter().find(|it| it.name == name || it.key == known.key) {
            let what = format!("the key `{}` is trusted already", other.name);
            return refused(what, "`verbatim key distrust NAME` ends that");
        }
        let file = self.trust_file();
        let text = if file.exists() { bounded(&file)? } else { HEAD.to_owned() };
        let text = format!("{}\n{}", text.trim_end(), line(&known));
        store::save(&file, text.as_bytes(), true)?;
        Ok(known)
    }

    /// Ends the trust in a key, by its name or fingerprint.
    ///
    /// # Errors
    /// No such key is trusted, or the file can't be written.
    pub fn distrust(&self, name: &str) -> Result<KnownKey, Error> {
        let is = |known: &KnownKey| known.name == name || known.key.fingerprint() == name;
        let Some(gone) = self.trusted()?.into_iter().find(is) else {
            return refused(
                format!("no key `{name}` is trusted"),
                "`verbatim key list` lists them",
            );
        };
        let text = bounded(&self.trust_file())?;
        let stays = |line: &&str| {
            !parse(line, Standing::Trusted).is_ok_and(|it| it.is_some_and(|it| is(&it)))
        };
        let text: String = text.lines().filter(stays).map(|line| format!("{line}\n")).collect();
        store::save(&self.trust_file(), text.as_bytes(), true)?;
        Ok(gone)
    }

    /// All keys that signatures are verified with.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn known(&self) -> Result<Vec<KnownKey>, Error> {
        let own = self.own()?.into_iter().map(|own| own.known);
        Ok(self.trusted()?.into_iter().chain(own).collect())
    }
}

/// The head of a new file of trusted keys.
const HEAD: &str = "# Keys that verbatim trusts. A line each: type, key, issuer, name.";

/// A key with its issuer: a URI without spaces, or the name that the key gives itself.
fn known(
    name: &str,
    key: PublicKey,
    issuer: Option<&str>,
    standing: Standing,
) -> Result<KnownKey, Error> {
    let issuer = issuer.map_or_else(|| key.uri(), str::to_owned);
    if issuer.is_empty() || issuer.len() > 500 || !issuer.bytes().all(|it| it.is_ascii_graphic()) {
        return refused("the issuer is no URI", "name one, as `https://example.org/ana`");
    }
    Ok(KnownKey { name: name.into(), key, issuer, standing })
}

/// Refuses a name that is no plain word.
fn named(name: &str) -> Result<(), Error> {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
    let first = name.bytes().next().is_some_and(|it| it.is_ascii_alphanumeric());
    match first && name.len() <= 64 && name.bytes().all(is_plain) {
        true => Ok(()),
        false => refused(
            "the name of a key is a word of letters, digits, `-`, `_` and `.`",
            "choose another, as `work`",
        ),
    }
}

/// The keys of the lines of a file.
fn lines(path: &Path, standing: Standing) -> Result<Vec<KnownKey>, Error> {
    let text = bounded(path)?;
    let mut keys = Vec::new();
    for (number, line) in text.lines().enumerate() {
        match parse(line, standing) {
            Ok(known) => keys.extend(known),
            Err(why) => {
                let what = format!("{}: line {}: {why}", path.display(), number + 1);
                return refused(what, "mend the line, or take it out");
            }
        }
    }
    Ok(keys)
}

/// The text of a file that is not large.
fn bounded(path: &Path) -> Result<String, Error> {
    let io = |source| Error::Io { path: path.into(), source };
    if path.metadata().map_err(io)?.len() > LIMIT {
        return refused(format!("{}: too large for keys", path.display()), "name another file");
    }
    std::fs::read_to_string(path).map_err(io)
}

#[cfg(unix)]
fn readable_by_others(meta: &Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
const fn readable_by_others(_: &Metadata) -> Option<u32> {
    None
}
