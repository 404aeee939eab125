//! The ssh agent of the user: it holds keys, and signs with them.

#[cfg(unix)]
use std::io::{Read as _, Write as _};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
#[cfg(unix)]
use std::time::Duration;

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
pub(crate) fn sign(machine: &Machine, held: &Held, message: &[u8]) -> Result<Vec<u8>, Error> {
    let request = agent::ask(&held.blob, message);
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
    let mut stream = UnixStream::connect(socket).map_err(io)?;
    let patience = Some(Duration::from_secs(seconds));
    stream.set_read_timeout(patience).map_err(io)?;
    stream.set_write_timeout(patience).map_err(io)?;
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

#[cfg(not(unix))]
fn exchange(_: &Machine, _: &[u8], _: u64) -> Result<Vec<u8>, Error> {
    refused("ssh agents are not supported on this system", "name a key in a file")
}
