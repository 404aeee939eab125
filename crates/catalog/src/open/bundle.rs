//! Bundle of a source: its files and database rows, read and decompressed.

use std::io;
use std::path::PathBuf;

use formats::Format;
use session::{Bundle, Member, Transport};

use crate::open::archived::ArchivedFile;
use crate::open::before::{FileRead, ReadBefore};
use crate::open::bytes::{long, stable};
use crate::open::database::Selection;
use crate::open::ends::Kept;
use crate::open::source::{Source, SourceFile};
use crate::open::unpack::is_zstd;
use crate::open::{cbor_record, unpack};

/// A file of a session that could not be read.
#[derive(Debug)]
pub struct Unread {
    /// Path of the file.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
    /// True if the file existed when it was found, and was moved or removed since.
    pub gone: bool,
}

/// Reads the files of a source into a bundle. Files that can't be read are returned separately.
#[must_use]
pub fn bundle(source: &Source) -> (Bundle, Vec<Unread>) {
    bundle_of(source, &Kept::nothing())
}

/// The same, from whole files that were kept.
pub fn bundle_of(source: &Source, kept: &Kept) -> (Bundle, Vec<Unread>) {
    let (bundle, unread, _) = bundle_from(source, kept, None);
    (bundle, unread)
}

/// The same, where the files that were read before are only read on. The state of each file is
/// given too.
pub(crate) fn bundle_from(
    source: &Source,
    kept: &Kept,
    mut before: Option<&mut ReadBefore>,
) -> (Bundle, Vec<Unread>, Vec<FileRead>) {
    let mut bundle = Bundle::default();
    let (mut unread, mut files) = (Vec::new(), Vec::new());
    for file in &source.files {
        let own = file.archived.is_none() && file.rows.is_none();
        let meta = own.then(|| std::fs::metadata(&file.path).ok()).flatten();
        let before = before.as_mut().zip(meta.as_ref());
        let known = before.and_then(|(before, meta)| before.member(file, meta));
        let read = match (known, &file.archived, &file.rows) {
            (Some(known), ..) => Ok(known),
            (None, Some(archived), _) => whole(source, archived_member(file, archived)),
            (None, None, Some(rows)) => whole(source, rows_of(file, rows, &mut unread)),
            (None, None, None) => whole(source, member(file, kept)),
        };
        match read {
            Ok(member) => {
                files.extend(meta.and_then(|meta| FileRead::of(file, &meta, &member)));
                bundle.members.push(member);
            }
            Err(error) => {
                let gone = error.kind() == io::ErrorKind::NotFound;
                unread.push(Unread { path: file.path.to_path_buf(), why: error.to_string(), gone });
            }
        }
    }
    bundle.settle();
    (bundle, unread, files)
}

/// A member that was read from its beginning, in the form that its format reads.
fn whole(source: &Source, read: io::Result<Member>) -> io::Result<Member> {
    read.and_then(|member| decode(source.format, member))
}

/// The member in the form that its format reads: a CBOR record becomes JSON.
pub(crate) fn decode(format: &dyn Format, member: Member) -> io::Result<Member> {
    cbor_record::decode(format, member).map_err(io::Error::other)
}

fn member(file: &SourceFile, kept: &Kept) -> io::Result<Member> {
    let (bytes, transport) = match is_zstd(&file.path) {
        true => {
            let admitted = unpack::admit(&file.path)?;
            let stored = stable(&file.path)?;
            (unpack::whole(&stored, &admitted)?, Transport::Zstd(stored))
        }
        false => {
            let known = kept.take_whole(&file.path);
            (known.map_or_else(|| stable(&file.path), Ok)?, Transport::Plain)
        }
    };
    Member::stored(&*file.name, file.role.stream(), bytes, transport).ok_or_else(long)
}

fn archived_member(file: &SourceFile, archived: &ArchivedFile) -> io::Result<Member> {
    let (bytes, transport) = archived.content(&file.path)?;
    Member::stored(&*file.name, file.role.stream(), bytes, transport).ok_or_else(long)
}

/// The rows of a session in a database. Unreadable rows are reported.
fn rows_of(file: &SourceFile, rows: &Selection, unread: &mut Vec<Unread>) -> io::Result<Member> {
    let dump = rows.store.dump(&rows.session, None).map_err(io::Error::other)?;
    for why in dump.unread {
        unread.push(Unread { path: file.path.to_path_buf(), why, gone: false });
    }
    let stream = file.role.stream();
    Member::stored(&*file.name, stream, dump.bytes, Transport::Dump).ok_or_else(long)
}
