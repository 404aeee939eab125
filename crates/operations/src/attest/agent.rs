//! The ssh agent of the user: it holds keys, and signs with them.

#[cfg(unix)]
use std::io::{Read as _, Write as _};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
#[cfg(unix)]
use std::time::{Duration, Instant};

use catalog::Machine;
use sign::agent::{self, Held};

use crate::attest::error::{Error, refused};

/// Greatest length of a message, in both directions: what the agent of OpenSSH takes.
const LIMIT: usize = 256 * 1024;

/// Seconds that the agent has to list its keys.
const TO_LIST: u64 = 5;

/// Seconds that the agent has to sign: a person may have to confirm.
const TO_SIGN: u64 = 120;

/// Whether the user has an agent.
pub(crate) fn is_there(machine: &Machine) -> bool {
    machine.variable("SSH_AUTH_SOCK").is_some()
}

/// The keys that the agent holds.
pub(crate) fn held(machine: &Machine) -> Result<Vec<Held>, Error> {
    let answer = exchange(machine, &agent::LIST, TO_LIST)?;
    match agent::held(&answer) {
        Some(held) => Ok(held),
        None => refused("the ssh agent does not list its keys", "`ssh-add -l` shows them"),
    }
}

/// A signature by the agent.
pub(crate) fn sign(machine: &Machine, held: &Held, message: &[&[u8]]) -> Result<Vec<u8>, Error> {
    let request = agent::ask(&held.blob, &message.concat());
    if request.len() > LIMIT {
        let what =
            format!("an ssh agent signs at most {LIMIT} bytes, and these are {}", request.len());
        return refused(what, "sign with a key in a file, or a receipt in place of the record");
    }
    let answer = exchange(machine, &request, TO_SIGN)?;
    match agent::signature(&answer, held.key.key_type()) {
        Some(signature) => Ok(signature),
        None => refused(
            "the ssh agent did not sign",
            "it is locked, or it asked and was refused; `ssh-add -l` shows its keys",
        ),
    }
}

#[cfg(unix)]
fn exchange(machine: &Machine, request: &[u8], seconds: u64) -> Result<Vec<u8>, Error> {
    let Some(socket) = machine.variable("SSH_AUTH_SOCK") else {
        return refused("no ssh agent is running (SSH_AUTH_SOCK)", "name a key in a file");
    };
    let io = |source| Error::Io { path: socket.into(), source };
    let stream = UnixStream::connect(socket).map_err(io)?;
    let mut stream = Timed { stream, end: Instant::now() + Duration::from_secs(seconds) };
    stream.write_all(request).map_err(io)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(io)?;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > LIMIT {
        return refused("the answer of the ssh agent is too long", "name a key in a file");
    }
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer).map_err(io)?;
    Ok(answer)
}

/// A stream that ends at a moment: a limit for each read would let an agent answer for ever, a byte
/// at a time.
#[cfg(unix)]
struct Timed {
    stream: UnixStream,
    end: Instant,
}

#[cfg(unix)]
impl Timed {
    /// The time that is left, which is never nothing.
    fn left(&self) -> std::io::Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(late()),
            false => Ok(Some(left)),
        }
    }
}

/// The error of an agent that takes too long. The system's own is "try again".
#[cfg(unix)]
fn late() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::TimedOut, "the ssh agent took too long to answer")
}

/// The same error, if a call ended because the time was over.
#[cfg(unix)]
fn ended(error: std::io::Error) -> std::io::Error {
    match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => late(),
        _ => error,
    }
}

#[cfg(unix)]
impl std::io::Read for Timed {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes).map_err(ended)
    }
}

#[cfg(unix)]
impl std::io::Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes).map_err(ended)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
fn exchange(_: &Machine, _: &[u8], _: u64) -> Result<Vec<u8>, Error> {
    refused("ssh agents are not supported on this system", "name a key in a file")
}
