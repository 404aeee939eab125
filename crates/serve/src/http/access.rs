//! Those who may ask: a browser that used the printed address once, or a program that knows the
//! token of a file that only its user can read.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The time for which the printed address works.
const ENTRY: Duration = Duration::from_secs(600);
/// The time for which a browser is known.
const VISIT: Duration = Duration::from_secs(12 * 3600);
/// The greatest length of the file of the token.
const TOKEN: u64 = 4096;
/// The least length of a token: 128 bits in hexadecimal digits.
const LEAST: usize = 32;

/// A random value that nobody can guess: 256 bits.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// A new one.
    pub(crate) fn new() -> io::Result<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(random)))
    }

    /// Its text, for the one who is to know it.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a text is this secret. The time does not depend on where they differ.
    pub(crate) fn is(&self, text: &str) -> bool {
        is_same(self.0.as_bytes(), text.as_bytes())
    }
}

/// Whether two texts are equal, in a time that depends on their lengths alone.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differs = one.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b));
    std::hint::black_box(differs) == 0 && one.len() == other.len()
}

/// A browser that used the printed address.
#[derive(Clone, Debug)]
struct Visitor {
    cookie: Secret,
    /// The word that its requests to act repeat in a header, which no foreign page knows.
    word: Secret,
    until: Instant,
}

/// The one who asks.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    /// A browser with a cookie, and the word that it must repeat to act.
    Browser(Secret),
    /// A program with the token.
    Program,
}

/// The ways in which other clients send a token, where a route is theirs too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clients {
    /// Headers.
    pub(crate) headers: Vec<&'static str>,
    /// Cookies.
    pub(crate) cookies: Vec<&'static str>,
}

/// Those who may ask.
#[derive(Debug)]
pub(crate) struct Access {
    entry: Mutex<Option<(Secret, Instant)>>,
    visitors: Mutex<Vec<Visitor>>,
    token: Option<PathBuf>,
    pub(crate) clients: Clients,
}

impl Access {
    /// Access by a new address, and by the token in a file. Returns the secret of the address.
    pub(crate) fn new(token: Option<PathBuf>, clients: Clients) -> io::Result<(Self, Secret)> {
        let entry = Secret::new()?;
        let entries = Mutex::new(Some((entry.clone(), Instant::now() + ENTRY)));
        Ok((Self { entry: entries, visitors: Mutex::default(), token, clients }, entry))
    }

    /// Takes the secret of the printed address, which works once and in time. Returns the cookie.
    pub(crate) fn enter(&self, secret: &str) -> Option<Secret> {
        let mut entry = self.entry.lock().ok()?;
        let (_, until) = entry.as_ref().filter(|(known, _)| known.is(secret))?;
        let in_time = Instant::now() < *until;
        *entry = None;
        let visitor = Visitor {
            cookie: Secret::new().ok()?,
            word: Secret::new().ok()?,
            until: Instant::now() + VISIT,
        };
        let cookie = visitor.cookie.clone();
        in_time.then(|| self.visitors.lock().ok().map(|mut all| all.push(visitor)))??;
        Some(cookie)
    }

    /// The browser that has this cookie.
    pub(crate) fn browser(&self, cookie: &str) -> Option<Caller> {
        let mut visitors = self.visitors.lock().ok()?;
        visitors.retain(|visitor| Instant::now() < visitor.until);
        let visitor = visitors.iter().find(|visitor| visitor.cookie.is(cookie))?;
        Some(Caller::Browser(visitor.word.clone()))
    }

    /// The program that knows the token. The file is read each time, so that another token counts
    /// at once. A file that others can read has no token.
    pub(crate) fn program(&self, token: &str) -> Option<Caller> {
        let known = read_token(self.token.as_ref()?).ok()?;
        is_same(known.as_bytes(), token.as_bytes()).then_some(Caller::Program)
    }
}

/// The token of a file.
fn read_token(path: &std::path::Path) -> io::Result<String> {
    let refused = |why: &str| Err(io::Error::other(format!("{}: {why}", path.display())));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = path.symlink_metadata()?;
        if !about.is_file() || about.permissions().mode() & 0o077 != 0 {
            return refused("it is not a file that only you can read: `chmod 600` makes it one");
        }
    }
    let bytes = catalog::bounded(path, TOKEN)?;
    let token = String::from_utf8_lossy(&bytes).trim().to_owned();
    let is_token = token.len() >= LEAST && token.bytes().all(|byte| byte.is_ascii_graphic());
    if is_token { Ok(token) } else { refused("it has no token of at least 32 characters") }
}

/// Makes the file of the token, unless it is there.
pub(crate) fn make_token(path: &std::path::Path) -> io::Result<()> {
    match read_token(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let text = format!("{}\n", Secret::new()?.text());
            match store::save(path, text.as_bytes(), false) {
                // Another server may have been faster: its token counts.
                Err(_) if path.exists() => read_token(path).map(drop),
                saved => saved.map(drop).map_err(io::Error::other),
            }
        }
        read => read.map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_works_once() {
        let (access, entry) = Access::new(None, Clients::default()).expect("random");
        assert!(access.enter("").is_none() && access.enter("guess").is_none());
        let cookie = access.enter(entry.text()).expect("entered");
        assert!(access.enter(entry.text()).is_none());
        assert!(matches!(access.browser(cookie.text()), Some(Caller::Browser(_))));
        assert!(access.browser("").is_none() && access.browser(entry.text()).is_none());
    }

    #[test]
    fn an_address_ends() {
        let (access, entry) = Access::new(None, Clients::default()).expect("random");
        let past = Instant::now().checked_sub(Duration::from_secs(1)).expect("a time");
        *access.entry.lock().expect("lock") = Some((entry.clone(), past));
        assert!(access.enter(entry.text()).is_none());
    }

    #[test]
    fn no_wrong_token_is_accepted_and_a_new_one_counts_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        make_token(&path).expect("made");
        make_token(&path).expect("kept");
        let token = read_token(&path).expect("a token");
        assert!(token.len() >= 43, "{}", token.len());
        let (access, _) = Access::new(Some(path.clone()), Clients::default()).expect("random");
        assert!(access.program(&token).is_some());
        for at in 0..token.len() {
            let mut wrong = token.clone().into_bytes();
            wrong[at] ^= 1;
            assert!(access.program(&String::from_utf8_lossy(&wrong)).is_none(), "{at}");
        }
        assert!(access.program("").is_none() && access.program(&token[1..]).is_none());
        std::fs::remove_file(&path).expect("removed");
        assert!(access.program(&token).is_none());
        make_token(&path).expect("made again");
        assert!(access.program(&token).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_has_no_token() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        make_token(&path).expect("made");
        let mode = std::fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let token = read_token(&path).expect("a token");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("set");
        let (access, _) = Access::new(Some(path.clone()), Clients::default()).expect("random");
        assert!(access.program(&token).is_none() && make_token(&path).is_err());
    }
}
