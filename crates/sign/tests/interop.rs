//! Libraries of others verify our envelopes, and we theirs; an ssh agent signs for us.
//!
//! The libraries are Python's: `VERBATIM_COSE_PYTHON` names a Python that has `scitt-cose` 0.5,
//! `pycose` and `cbor2` below 6. Without it, or without OpenSSH, the test says that it is skipped.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use verbatim_sign::{
    Claims, Envelope, KeyType, LogProof, LogReceipt, SecretKey, Tree, agent, leaf_hash,
    signature_input,
};

const CONTENT: &[u8] = b"{\"session\":\"one\",\"entries\":[]}\n";

/// Says on the terminal that a test is skipped: the test's runner hides what a good test prints.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

fn claims() -> Claims {
    Claims {
        issuer: Some("https://example.org/ana".into()),
        subject: Some("urn:vac:session:1".into()),
        issued_at: Some(1_790_000_000),
        ..Claims::default()
    }
}

fn python() -> Option<PathBuf> {
    let python = std::env::var_os("VERBATIM_COSE_PYTHON").map(PathBuf::from);
    if python.is_none() {
        skipped("needs a Python with scitt-cose, pycose (VERBATIM_COSE_PYTHON)");
    }
    python
}

fn script(python: &Path, folder: &Path, mode: &str, key: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop.py");
    let files = [key, "content.cose", "content"].map(|name| folder.join(name));
    let ran = Command::new(python).arg(script).arg(mode).args(files).output().unwrap();
    assert!(ran.status.success(), "{mode}: {}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn libraries_of_others() {
    let Some(python) = python() else { return };
    for key_type in [KeyType::Ed25519, KeyType::P256] {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes);
        let secret = SecretKey::new(key_type, &[9; 32]).unwrap();
        let key = secret.public();
        put("secret", secret.pem().unwrap().as_bytes()).unwrap();
        put("public", key.pem().as_bytes()).unwrap();
        put("content", CONTENT).unwrap();
        let protected = Envelope::protected(&key, "application/json", &claims()).unwrap();
        let signature = secret.sign(&signature_input(&protected, &[], CONTENT));
        let ours = Envelope::write(&protected, &signature).unwrap();
        put("content.cose", &ours).unwrap();
        script(&python, folder.path(), "verify", "public");
        script(&python, folder.path(), "scitt", "public");
        script(&python, folder.path(), "sign", "secret");
        let theirs = std::fs::read(folder.path().join("content.cose")).unwrap();
        assert_ne!(theirs, ours);
        let envelope = Envelope::read(&theirs).unwrap();
        let verified = envelope.verify(None, &[], &key).unwrap();
        assert_eq!(verified.content, CONTENT);
        assert_eq!(envelope.unprotected.key_id.as_deref(), Some(&b"theirs"[..]));
    }
}

/// Receipts of a log over six entries, of which the fourth is the one that is proven.
#[test]
fn receipts_of_others() {
    let Some(python) = python() else { return };
    for key_type in [KeyType::Ed25519, KeyType::P256] {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes);
        let secret = SecretKey::new(key_type, &[9; 32]).unwrap();
        let (key, entry) = (secret.public(), [7_u8; 32]);
        put("secret", secret.pem().unwrap().as_bytes()).unwrap();
        put("public", key.pem().as_bytes()).unwrap();
        put("content", &entry).unwrap();
        let mut tree = Tree::default();
        for number in 0..6_u8 {
            tree.push(leaf_hash(&if number == 3 { entry } else { [number; 32] }));
        }
        let root = tree.root(6).unwrap();
        let proof = LogProof::Inclusion { size: 6, index: 3, path: tree.inclusion(3, 6).unwrap() };
        let protected = LogReceipt::protected(&key, &claims()).unwrap();
        let signature = secret.sign(&signature_input(&protected, &[], &root));
        put("content.cose", &LogReceipt::write(&protected, &signature, &proof).unwrap()).unwrap();
        script(&python, folder.path(), "receipt", "public");
        script(&python, folder.path(), "log", "secret");
        let theirs = std::fs::read(folder.path().join("content.cose")).unwrap();
        let theirs = LogReceipt::read(&theirs).unwrap();
        assert!(theirs.includes(&leaf_hash(&entry), &key).is_ok());
        assert!(theirs.includes(&leaf_hash(&[8; 32]), &key).is_err());
    }
}

/// An agent that ends with the test.
struct Agent(Child, PathBuf);

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Agent {
    fn start(folder: &Path) -> Option<Self> {
        let socket = folder.join("agent");
        let mut command = Command::new("ssh-agent");
        command.arg("-D").arg("-a").arg(&socket).stdout(Stdio::null()).stderr(Stdio::null());
        let agent = Self(command.spawn().ok()?, socket);
        for _ in 0..500 {
            if agent.1.exists() {
                return Some(agent);
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        None
    }

    fn ask(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = UnixStream::connect(&self.1).unwrap();
        stream.write_all(request).unwrap();
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        stream.read_exact(&mut answer).unwrap();
        answer
    }
}

#[test]
fn an_ssh_agent_signs() {
    let folder = tempfile::tempdir().unwrap();
    let Some(started) = Agent::start(folder.path()) else { return skipped("needs ssh-agent") };
    for (kind, key_type) in [("ed25519", KeyType::Ed25519), ("ecdsa", KeyType::P256)] {
        let file = folder.path().join(kind);
        let mut made = Command::new("ssh-keygen");
        made.args(["-q", "-t", kind, "-N", "", "-C", "a test", "-f"]).arg(&file);
        assert!(made.status().unwrap().success());
        let mut added = Command::new("ssh-add");
        added.arg("-q").arg(&file).env("SSH_AUTH_SOCK", &started.1).stderr(Stdio::null());
        assert!(added.status().unwrap().success());
        let listed = Command::new("ssh-keygen").arg("-l").arg("-f").arg(&file).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let held = agent::held(&started.ask(&agent::LIST)).unwrap();
        let held = held.iter().find(|it| listed.contains(&it.key.fingerprint())).unwrap();
        assert_eq!((held.key.key_type(), &*held.comment), (key_type, "a test"));
        let line = std::fs::read(file.with_extension("pub")).unwrap();
        assert_eq!(verbatim_sign::PublicKey::read(&line).unwrap(), held.key);
        let protected = Envelope::protected(&held.key, "application/json", &claims()).unwrap();
        let input = signature_input(&protected, &[], CONTENT);
        let signature =
            agent::signature(&started.ask(&agent::ask(&held.blob, &input)), key_type).unwrap();
        let envelope = Envelope::write(&protected, &signature).unwrap();
        let envelope = Envelope::read(&envelope).unwrap();
        assert!(envelope.verify(Some(CONTENT), &[], &held.key).is_some());
        assert!(envelope.verify(Some(b"other"), &[], &held.key).is_none());
        let Some(python) = python() else { continue };
        std::fs::write(folder.path().join("public"), held.key.pem()).unwrap();
        std::fs::write(folder.path().join("content"), CONTENT).unwrap();
        let bytes = Envelope::write(&protected, &signature).unwrap();
        std::fs::write(folder.path().join("content.cose"), bytes).unwrap();
        script(&python, folder.path(), "verify", "public");
    }
}
