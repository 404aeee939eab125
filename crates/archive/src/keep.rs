//! Keeps contents: cuts them into pieces, stores new pieces in packs, and writes down which pieces
//! make which content.

use std::collections::HashSet;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;

use session::UtcTime;

use crate::cut;
use crate::digest::{Digest, Hasher};
use crate::error::Error;
use crate::machine::MachineName;
use crate::pack::{self, PackWriter};
use crate::run::{self, Content, Head, Line, Stat};
use crate::state::Archive;

/// Bytes of new pieces after which what was kept so far gets its run: an interrupted run loses no
/// more than that.
const CHECKPOINT: u64 = 96 * 1024 * 1024;

/// Number of attempts to read a file that changes meanwhile.
const TRIES: usize = 4;

/// The reason why a content was not kept.
#[derive(Debug)]
pub(crate) enum Unkept {
    /// Its source can't be read.
    Source(io::Error),
    /// The archive can't be written.
    Archive(Error),
}

impl From<Error> for Unkept {
    fn from(error: Error) -> Self {
        Self::Archive(error)
    }
}

/// A content that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptContent {
    pub digest: Digest,
    pub length: u64,
    /// The state of the file, if that did not change meanwhile.
    pub stat: Option<Stat>,
}

/// Writes to an archive.
pub(crate) struct Keeper<'a> {
    pub archive: &'a mut Archive,
    head: Head,
    now: UtcTime,
    pack: Option<PackWriter>,
    /// The pieces of the pack that is being written.
    fresh: HashSet<Digest>,
    /// The lines that no run file has yet: the first of them begins a run.
    lines: Vec<Line>,
    /// Bytes in new packs since the last run.
    since: u64,
    /// Bytes that were added to packs.
    pub stored: u64,
    /// Contents of which no pack has all pieces.
    lost: HashSet<Digest>,
    /// Number of such contents that were kept again.
    pub healed: usize,
}

impl<'a> Keeper<'a> {
    pub(crate) fn new(archive: &'a mut Archive, now: UtcTime, machine: &MachineName) -> Self {
        let (schema, time) = (run::SCHEMA.to_owned(), archive.time(now).millis());
        let head = Head { schema, time, machine: machine.clone() };
        let (pack, fresh, lines) = (None, HashSet::new(), Vec::new());
        let lost = archive.lost();
        let (since, stored, healed) = (0, 0, 0);
        Self { archive, head, now, pack, fresh, lines, since, stored, lost, healed }
    }

    /// Whether a content is lost: it is kept anew as if the archive had never had it.
    pub(crate) fn is_lost(&self, content: &Digest) -> bool {
        self.lost.contains(content)
    }

    /// Whether a content can be given back.
    fn has(&self, content: &Digest) -> bool {
        self.archive.contents.contains_key(content) && !self.is_lost(content)
    }

    /// Adds a line to the run.
    pub(crate) fn note(&mut self, line: Line) {
        self.begin();
        self.lines.push(line);
    }

    /// Begins the run, which is then written even if nothing is added to it.
    pub(crate) fn begin(&mut self) {
        if self.lines.is_empty() {
            self.lines.push(Line::Run(self.head.clone()));
        }
    }

    /// Begins another run behind the one before, in the same file.
    pub(crate) fn turn(&mut self, head: Head) {
        if head != self.head && !self.lines.is_empty() {
            self.lines.push(Line::Run(head.clone()));
        }
        self.head = head;
    }

    /// Writes a run if much is kept that none has. Only between sessions.
    pub(crate) fn checkpoint(&mut self) -> Result<(), Error> {
        if self.waiting() < CHECKPOINT { Ok(()) } else { self.finish() }
    }

    /// Bytes of new pieces that no run has yet.
    pub(crate) fn waiting(&self) -> u64 {
        self.since + self.pack.as_ref().map_or(0, PackWriter::length)
    }

    /// Ends the pack, and then writes the run that names its pieces.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        self.end_pack()?;
        self.since = 0;
        if self.lines.is_empty() {
            return Ok(());
        }
        let lines = std::mem::take(&mut self.lines);
        let name = run::write(&self.archive.place.runs(), &self.head.time, &lines)?;
        let mut head = self.head.clone();
        for line in lines {
            if let Line::Run(own) = &line {
                head = own.clone();
            }
            self.archive.add(&head, &name, line);
        }
        self.archive.runs.push(name);
        Ok(())
    }

    pub(crate) fn end_pack(&mut self) -> Result<(), Error> {
        let Some(pack) = self.pack.take() else { return Ok(()) };
        self.since += pack.length();
        self.stored += pack.length();
        let (name, pieces) = pack.finish()?;
        let known = self.archive.packs.iter().position(|known| *known == name);
        let at = known.unwrap_or(self.archive.packs.len());
        if known.is_none() {
            self.archive.packs.push(name);
        }
        self.archive.add_pieces(at, pieces);
        self.fresh.clear();
        Ok(())
    }

    /// Stores a piece, unless the archive has it.
    fn piece(&mut self, bytes: &[u8]) -> Result<Digest, Error> {
        let digest = Digest::of(bytes);
        if self.archive.pieces.contains_key(&digest) || !self.fresh.insert(digest) {
            return Ok(digest);
        }
        let pack = match &mut self.pack {
            Some(pack) => pack,
            none => none.insert(PackWriter::create(&self.archive.place.packs())?),
        };
        pack.add(digest, bytes)?;
        if pack.length() >= pack::FULL {
            self.end_pack()?;
        }
        Ok(digest)
    }

    /// Keeps what a reader gives, behind a beginning that is kept already.
    fn stream(
        &mut self,
        mut reader: impl Read,
        (mut hasher, base): (Hasher, Option<(Digest, u64)>),
    ) -> Result<KeptContent, Unkept> {
        let (mut room, mut pieces) = (Vec::new(), Vec::new());
        let mut length = base.map_or(0, |(_, length)| length);
        loop {
            let more = (2 * cut::MOST - room.len()) as u64;
            let read = (&mut reader).take(more).read_to_end(&mut room).map_err(Unkept::Source)?;
            if room.is_empty() {
                break;
            }
            let is_end = (read as u64) < more;
            let mut from = 0;
            while from < room.len() && (is_end || room.len() - from >= cut::MOST) {
                let piece = &room[from..from + cut::first(&room[from..])];
                hasher.add(piece);
                length += piece.len() as u64;
                pieces.push(self.piece(piece)?);
                from += piece.len();
            }
            room.drain(..from);
        }
        let digest = hasher.end();
        let base = base.map(|(digest, _)| digest).filter(|base| *base != digest);
        let is_new = !self.has(&digest)
            && !self
                .lines
                .iter()
                .rev()
                .take(64)
                .any(|line| matches!(line, Line::Content(known) if known.digest == digest));
        if is_new {
            self.healed += usize::from(self.lost.remove(&digest));
            self.note(Line::Content(Content { digest, length, base, pieces }));
        }
        Ok(KeptContent { digest, length, stat: None })
    }

    /// Keeps these bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<KeptContent, Unkept> {
        self.stream(bytes, (Hasher::default(), None))
    }

    /// Keeps these bytes. If they begin with a content that is kept, only the rest of them becomes
    /// new pieces.
    pub(crate) fn grown(
        &mut self,
        bytes: &[u8],
        known: Option<(Digest, u64)>,
    ) -> Result<KeptContent, Unkept> {
        let begins = known.and_then(|(digest, length)| {
            let beginning = bytes.get(..usize::try_from(length).ok()?)?;
            let mut hasher = Hasher::default();
            hasher.add(beginning);
            let is_one = length > 0 && self.has(&digest) && hasher.clone().end() == digest;
            is_one.then_some((hasher, digest, length))
        });
        match begins {
            None => self.bytes(bytes),
            Some((hasher, digest, length)) => {
                let rest = bytes.get(length as usize..).unwrap_or_default();
                self.stream(rest, (hasher, Some((digest, length))))
            }
        }
    }

    /// Keeps a file as it is at one moment. If it begins with a content that is kept, only the rest
    /// of it becomes new pieces.
    pub(crate) fn file(
        &mut self,
        path: &Path,
        known: Option<(Digest, u64)>,
    ) -> Result<KeptContent, Unkept> {
        let known = known.filter(|(digest, length)| *length > 0 && self.has(digest));
        let mut kept = None;
        for _ in 0..TRIES {
            let (mut file, before) = catalog::open::bytes::seen(path).map_err(Unkept::Source)?;
            let length = before.len();
            let mut start = (Hasher::default(), None);
            if let Some((digest, beginning)) = known.filter(|(_, known)| *known <= length) {
                let mut hasher = Hasher::default();
                feed((&mut file).take(beginning), &mut hasher).map_err(Unkept::Source)?;
                match hasher.clone().end() == digest {
                    true => start = (hasher, Some((digest, beginning))),
                    false => {
                        file.seek(SeekFrom::Start(0)).map_err(Unkept::Source)?;
                    }
                }
            }
            let had = start.1.map_or(0, |(_, length)| length);
            let read = self.stream((&mut file).take(length - had), start)?;
            let after = file.metadata().map_err(Unkept::Source)?;
            let (was, is) = (Stat::of(&before), Stat::of(&after));
            if was.is_some() && was == is && read.length == length {
                let stat = is.and_then(|stat| stat.settled(self.now));
                return Ok(KeptContent { stat, ..read });
            }
            kept = Some(read);
            // What only grew was read as it was.
            if after.len() > length && read.length == length {
                break;
            }
        }
        kept.ok_or_else(|| Unkept::Source(io::Error::other("it was never read")))
    }
}

/// The digest of a file as it is now.
pub(crate) fn digest(path: &Path) -> io::Result<Digest> {
    let (file, meta) = catalog::open::bytes::seen(path)?;
    let mut hasher = Hasher::default();
    feed(file.take(meta.len()), &mut hasher)?;
    Ok(hasher.end())
}

/// Adds the bytes of a reader to a digest.
fn feed(mut reader: impl Read, hasher: &mut Hasher) -> io::Result<()> {
    let mut room = vec![0; 1 << 16];
    loop {
        match reader.read(&mut room) {
            Ok(0) => return Ok(()),
            Ok(read) => hasher.add(&room[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
