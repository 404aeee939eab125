//! Heads of logs in the form of C2SP: a checkpoint says how many entries a log has, and their root.
//! A proof that a log has an entry is a checkpoint with the path to it (C2SP `tlog-proof`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::note::{Note, NoteFault, NoteSignature};
use crate::tree::Hash;

/// The first line of a proof that a log has an entry.
const PROOF: &str = "c2sp.org/tlog-proof@v1";

/// Greatest number of hashes of a path: one for each level of a tree.
const PATH: usize = 63;

/// A head of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log.
    pub origin: String,
    /// The number of entries.
    pub size: u64,
    /// The root of their tree.
    pub root: Hash,
    /// Lines behind these, which are signed too.
    pub rest: String,
}

impl Checkpoint {
    /// Reads the text of a checkpoint.
    ///
    /// # Errors
    /// It has another form. The root has to be of SHA-256.
    pub fn read(text: &str) -> Result<Self, NoteFault> {
        let form = NoteFault::Form;
        let mut lines = text.splitn(4, '\n');
        let (origin, size, root) = (lines.next(), lines.next(), lines.next());
        let (Some(origin), Some(size), Some(root)) = (origin, size, root) else {
            return Err(form("a checkpoint has three lines"));
        };
        let Some(rest) = lines.next() else { return Err(form("the line of the root is open")) };
        if origin.is_empty() {
            return Err(form("it names no log"));
        }
        let size = number(size).ok_or(form("its size is no number"))?;
        let root = hash(root).ok_or(form("its root is not SHA-256 in base64"))?;
        Ok(Self { origin: origin.to_owned(), size, root, rest: rest.to_owned() })
    }

    /// The text, which is what is signed.
    #[must_use]
    pub fn text(&self) -> String {
        let root = STANDARD.encode(self.root);
        format!("{}\n{}\n{root}\n{}", self.origin, self.size, self.rest)
    }

    /// Reads a signed checkpoint: its note as it is, or in one line.
    ///
    /// # Errors
    /// It has another form.
    pub fn signed(text: &str) -> Result<(Self, Note), NoteFault> {
        let note = match one_line(text.trim()) {
            Some(note) => note,
            None => Note::read(text)?,
        };
        Ok((Self::read(&note.text)?, note))
    }

    /// A checkpoint and its signature in one line, to be pasted and read again. `None` if it can't
    /// be in one: a name has a space, or more is signed.
    #[must_use]
    pub fn line(&self, signature: &NoteSignature) -> Option<String> {
        let one = self.rest.is_empty() && !self.origin.contains(char::is_whitespace);
        let bytes = [&signature.id[..], &signature.bytes].concat();
        let (root, bytes) = (STANDARD.encode(self.root), STANDARD.encode(bytes));
        let name = &signature.name;
        one.then(|| format!("{} {} {root} {name} {bytes}", self.origin, self.size))
    }
}

/// The note of a checkpoint in one line.
fn one_line(line: &str) -> Option<Note> {
    let words: Vec<&str> = line.split(' ').collect();
    let [origin, size, root, name, signature] = *words else { return None };
    let dash = '\u{2014}';
    Note::read(&format!("{origin}\n{size}\n{root}\n\n{dash} {name} {signature}\n")).ok()
}

/// A proof that a log has an entry, with the head that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryProof {
    /// The place of the entry, from 0.
    pub index: u64,
    /// The hashes that lead from it to the root.
    pub path: Vec<Hash>,
    /// Other data that the log adds; nothing shows it.
    pub extra: Option<Vec<u8>>,
    /// The signed checkpoint.
    pub checkpoint: String,
}

impl EntryProof {
    /// Whether a text says that it is such a proof.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        text.split('\n').next() == Some(PROOF)
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// It has another form.
    pub fn read(text: &str) -> Result<Self, NoteFault> {
        let form = NoteFault::Form;
        let (head, checkpoint) =
            text.split_once("\n\n").ok_or(form("no empty line is before the checkpoint"))?;
        let mut lines = head.split('\n').peekable();
        if lines.next() != Some(PROOF) {
            return Err(form("its first line is another"));
        }
        let extra = lines.next_if(|line| line.starts_with("extra "));
        let extra = extra.and_then(|line| line.strip_prefix("extra "));
        let extra = extra.map(|text| STANDARD.decode(text)).transpose();
        let extra = extra.map_err(|_| form("its extra data is not base64"))?;
        let index = lines.next().and_then(|line| number(line.strip_prefix("index ")?));
        let index = index.ok_or(form("it names no index"))?;
        let path: Option<Vec<Hash>> = lines.map(hash).collect();
        let path = path.filter(|path| path.len() <= PATH).ok_or(form("its path is no hashes"))?;
        Ok(Self { index, path, extra, checkpoint: checkpoint.to_owned() })
    }

    /// The proof as it is written.
    #[must_use]
    pub fn text(&self) -> String {
        let extra = self.extra.as_ref().map(|it| format!("extra {}\n", STANDARD.encode(it)));
        let path: String = self.path.iter().map(|it| STANDARD.encode(it) + "\n").collect();
        let (extra, index) = (extra.unwrap_or_default(), self.index);
        format!("{PROOF}\n{extra}index {index}\n{path}\n{}", self.checkpoint)
    }
}

/// A number in its only spelling.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

fn hash(text: &str) -> Option<Hash> {
    STANDARD.decode(text).ok()?.try_into().ok()
}
