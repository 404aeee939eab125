//! The folder of keys: own ones in files that nobody else can read, and the trusted ones.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use catalog::Machine;
use session::Sorting as _;
use sign::{KeyType, PublicKey, SecretKey};
use store::unnamed::{lock_file, private_folder};

use crate::attest::error::{Error, at, refused};
use crate::attest::rights::{closed, mode, own};
use crate::attest::trust::{KeyStanding, KnownKey, known, line, parse};

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

/// The keys of the user in files.
#[derive(Debug, Default)]
pub struct OwnKeys {
    /// The keys, by name.
    pub keys: Vec<OwnKey>,
    /// Files that are no keys to use, which takes nothing from the others.
    pub skipped: Vec<DamagedKey>,
}

/// A file in the folder of keys that is not used.
#[derive(Debug)]
pub struct DamagedKey {
    /// The name of the file, without its ending.
    pub name: String,
    /// Why.
    pub error: Error,
}

/// Greatest length of a file of keys.
const LIMIT: u64 = 1 << 20;

/// The head of a new file of trusted keys.
const HEAD: &str = "# Keys that verbatim trusts. A line each: type, key, issuer, name.";

impl Keys {
    /// The keys of the user of a machine.
    ///
    /// # Errors
    /// The user has no folder.
    pub fn of(machine: &Machine) -> Result<Self, Error> {
        match machine.settings() {
            Some(folder) => Ok(Self { folder }),
            None => refused("there is no home folder for keys", "set HOME"),
        }
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
        let Ok(secret) = SecretKey::new(key_type, random) else {
            return refused("the random bytes are no key of this type", "run it again");
        };
        let known = known(name, secret.public(), issuer, KeyStanding::Own)?;
        let (path, public) = (self.file(name, "pem"), self.file(name, "pub"));
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        let begun = is_there(&path) && !is_there(&public);
        if !begun && (is_there(&path) || is_there(&public)) {
            let what = format!("there is a key `{name}` already: {}", path.display());
            return refused(what, "choose another name; a key is never replaced");
        }
        if let Some(other) = self.trusted()?.into_iter().find(|other| other.name == name) {
            let what = format!("the name `{}` is that of a key that you trust", other.name);
            return refused(what, "choose another name");
        }
        // A run that was ended between the two files has left the secret one: that is the key.
        let known = match begun {
            true => KnownKey { key: begun_key(&path, key_type)?, ..known },
            false => {
                let Ok(pem) = secret.pem() else {
                    return refused("the key has no PEM", "report it");
                };
                store::save(&path, pem.as_bytes(), false)?;
                known
            }
        };
        let issuer = issuer.map_or_else(|| known.key.uri(), str::to_owned);
        let known = KnownKey { issuer, ..known };
        store::save(&public, line(&known).as_bytes(), false)?;
        Ok(OwnKey { path, known })
    }

    /// The user's own keys.
    ///
    /// # Errors
    /// The folder can't be read, or others can write to it.
    pub fn own(&self) -> Result<OwnKeys, Error> {
        let folder = self.folder.join("keys");
        let entries = match folder.read_dir() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(OwnKeys::default());
            }
            Err(source) => return Err(Error::Io { path: folder, source }),
            Ok(entries) => entries,
        };
        closed(&folder)?;
        let mut own = OwnKeys::default();
        for entry in entries {
            let public = entry.map_err(at(&folder))?.path();
            let path = public.with_extension("pem");
            // A public key alone is nobody's: only who has the secret one is its owner.
            if public.extension().is_some_and(|ending| ending == "pub") && path.is_file() {
                let key = |known| OwnKey { path: path.clone(), known };
                match pair(&public, &path) {
                    Ok(known) => own.keys.extend(known.into_iter().map(key)),
                    Err(error) => {
                        let name = public.file_stem().unwrap_or_default();
                        let name = name.to_string_lossy().into_owned();
                        own.skipped.push(DamagedKey { name, error });
                    }
                }
            }
        }
        own.keys.in_order_by(|one, other| one.known.name.cmp(&other.known.name));
        own.skipped.in_order_by(|one, other| one.name.cmp(&other.name));
        Ok(own)
    }

    /// The secret key in a file that only its owner can read.
    ///
    /// # Errors
    /// Others can read it, or it is no key.
    pub fn secret(path: &Path) -> Result<SecretKey, Error> {
        let (text, meta) = bounded(path)?;
        if let Some(mode) = mode(&meta).filter(|mode| mode & 0o077 != 0) {
            let mode = mode & 0o777;
            let what = format!("{}: others can use this key (mode {mode:o})", path.display());
            let hint = format!(
                "`chmod 600 {}` closes it; if others may have read it, make another",
                path.display()
            );
            return refused(what, hint);
        }
        match SecretKey::read(&text) {
            Ok(key) => Ok(key),
            Err(fault) => {
                let hint = "`verbatim key new NAME` makes one; one with a passphrase stays in an \
                            ssh agent: `--key SHA256:…`";
                refused(format!("{}: {fault}", path.display()), hint)
            }
        }
    }

    /// The trusted keys.
    ///
    /// # Errors
    /// The file can't be read, others can write to it, or it has a line that is no key.
    pub fn trusted(&self) -> Result<Vec<KnownKey>, Error> {
        match lines(&self.trust_file(), KeyStanding::Trusted) {
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(Vec::new())
            }
            other => other,
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
        let known = known(name, key, issuer, KeyStanding::Trusted)?;
        let _lock = self.locked()?;
        let is = |it: &&KnownKey| it.name == name || it.key == known.key;
        if let Some(other) = self.trusted()?.iter().find(is) {
            let what = format!("the key `{}` is trusted already", other.name);
            return refused(what, "`verbatim key distrust NAME` ends that");
        }
        let own = self.own()?.keys.into_iter().map(|own| own.known);
        if let Some(other) = own.into_iter().find(|it| it.name == name && it.key != known.key) {
            let what = format!("the name `{}` is that of your own key", other.name);
            return refused(what, "choose another name");
        }
        let file = self.trust_file();
        let text = if file.exists() { bounded(&file)?.0 } else { HEAD.to_owned() };
        let text = format!("{}\n{}", text.trim_end(), line(&known));
        store::save(&file, text.as_bytes(), true)?;
        Ok(known)
    }

    /// Ends the trust in a key, by its name or fingerprint.
    ///
    /// # Errors
    /// No such key is trusted, or the file can't be written.
    pub fn distrust(&self, name: &str) -> Result<KnownKey, Error> {
        let _lock = self.locked()?;
        let Some(gone) = self.trusted()?.into_iter().find(|known| known.is_called(name)) else {
            let what = format!("no key `{name}` is trusted");
            return refused(what, "`verbatim key list` lists them");
        };
        let (text, _) = bounded(&self.trust_file())?;
        let read = |line: &str| parse(line, KeyStanding::Trusted).ok().flatten();
        let goes = |line: &str| read(line).is_some_and(|it| it.key == gone.key);
        let stays = text.lines().filter(|line| !goes(line));
        let text: String = stays.map(|line| format!("{line}\n")).collect();
        store::save(&self.trust_file(), text.as_bytes(), true)?;
        Ok(gone)
    }

    /// A lock on the file of trusted keys: two processes that change it lose no line.
    fn locked(&self) -> Result<File, Error> {
        let path = self.folder.join("trust.lock");
        private_folder(&self.folder).map_err(at(&self.folder))?;
        let file = lock_file(&path).map_err(at(&path))?;
        file.lock().map_err(at(&path))?;
        Ok(file)
    }

    /// All keys that signatures are verified with, and the files that are not used.
    ///
    /// # Errors
    /// The list of trusted keys can't be used, or the folder of keys.
    pub fn known(&self) -> Result<(Vec<KnownKey>, Vec<DamagedKey>), Error> {
        let OwnKeys { keys, skipped } = self.own()?;
        let own = keys.into_iter().map(|own| own.known);
        Ok((self.trusted()?.into_iter().chain(own).collect(), skipped))
    }

    /// The public key in a file.
    ///
    /// # Errors
    /// It can't be read, or has no public key.
    pub fn public(path: &Path) -> Result<PublicKey, Error> {
        let (text, _) = bounded(path)?;
        if let Ok(Some(known)) = parse(text.trim(), KeyStanding::Given) {
            return Ok(known.key);
        }
        PublicKey::read(text.as_bytes()).or_else(|fault| {
            let what = format!("{}: {fault}", path.display());
            refused(what, "`verbatim key show NAME` prints one")
        })
    }
}

/// The key of a secret file whose public one was never written.
fn begun_key(path: &Path, key_type: KeyType) -> Result<PublicKey, Error> {
    let key = Keys::secret(path)?.public();
    if key.key_type() != key_type {
        let what = format!("{} is a key of {}", path.display(), key.key_type().name());
        return refused(what, "name that type, or choose another name; a key is never replaced");
    }
    Ok(key)
}

/// The keys of a public file, each of which is that of the secret file beside it.
fn pair(public: &Path, secret: &Path) -> Result<Vec<KnownKey>, Error> {
    let known = lines(public, KeyStanding::Own)?;
    let key = SecretKey::read(&bounded(secret)?.0).map(|secret| secret.public());
    match key {
        Ok(key) if known.iter().all(|known| known.key == key) => Ok(known),
        Ok(_) => {
            let what = format!("{}: its public file is of another key", secret.display());
            refused(what, "put both files back, or make another key")
        }
        Err(fault) => {
            refused(format!("{}: {fault}", secret.display()), "put the key's own file back")
        }
    }
}

/// The keys of the lines of a file. Nobody else may be able to write it.
fn lines(path: &Path, standing: KeyStanding) -> Result<Vec<KnownKey>, Error> {
    let (text, meta) = bounded(path)?;
    if let Some(mode) = mode(&meta).filter(|mode| mode & 0o022 != 0) {
        let mode = mode & 0o777;
        let what = format!("{}: others can write this file (mode {mode:o})", path.display());
        let hint = format!("look at its lines, then close it: `chmod 600 {}`", path.display());
        return refused(what, hint);
    }
    let folder = path.parent().unwrap_or(path);
    closed(folder)?;
    own(path, &meta)?;
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

/// The text of a file that is not large, and the metadata of the opened file: a path may be
/// replaced between two looks at it.
fn bounded(path: &Path) -> Result<(String, Metadata), Error> {
    let io = at(path);
    if !path.metadata().map_err(io)?.is_file() {
        return refused(format!("{}: not a regular file", path.display()), "name the key's file");
    }
    let file = File::open(path).map_err(io)?;
    let meta = file.metadata().map_err(io)?;
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > LIMIT {
        return refused(format!("{}: too large for keys", path.display()), "name another file");
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, meta)),
        Err(_) => refused(format!("{}: it is no text", path.display()), "a key is PEM"),
    }
}
