//! The entries of a source as an index keeps them.

use session::UtcTime;

use super::Entry;
use crate::acts::SessionActs;
use crate::open::source::Source;
use crate::packed::{PackedReader, PackedWriter};

/// The greatest length in bytes of a title or a prompt in an index, which is no place for texts.
/// The entries of a session with a longer one are read from its files.
const LONGEST: usize = 4096;

/// The entries of a source as bytes. The project's folder is not among them: it may be in a file
/// beside those of the session. `None` if a text is too long.
pub(super) fn pack(source: &Source, entries: &[Entry]) -> Option<Vec<u8>> {
    let mut packed = PackedWriter::default();
    packed.number(entries.len() as u64);
    for entry in entries {
        packed.text(Some(&entry.id));
        for text in texts(entry) {
            let text = text.as_deref();
            if text.is_some_and(|text| text.len() > LONGEST) {
                return None;
            }
            packed.text(text);
        }
        for time in [entry.started, entry.updated] {
            packed.number(u64::from(time.is_some()));
            packed.signed(time.map_or(0, |time| time.0));
        }
        packed.number(u64::from(entry.undated));
        packed.number(entry.damaged.into());
        packed.number(entry.files.len() as u64);
        for file in &entry.files {
            let at = source.files.iter().position(|known| known.path == *file)?;
            packed.number(at as u64);
        }
        packed.number(u64::from(entry.acts.is_some()));
        entry.acts.iter().for_each(|acts| acts.pack(&mut packed));
    }
    Some(packed.end())
}

/// The texts of an entry. All of its members are named, so that a new one is not forgotten; those
/// behind `files` are not in an index.
fn texts(entry: &Entry) -> [&Option<Box<str>>; 7] {
    let Entry {
        format: _,
        id: _,
        title,
        prompt,
        spawned_by,
        forked_from,
        folder,
        model,
        version,
        started: _,
        updated: _,
        undated: _,
        damaged: _,
        length: _,
        files: _,
        copies: _,
        turns: _,
        archived: _,
        acts: _,
    } = entry;
    [title, prompt, spawned_by, forked_from, folder, model, version]
}

/// The entries of a source in these bytes.
pub(super) fn unpack(source: &Source, bytes: &[u8]) -> Option<Vec<Entry>> {
    let mut packed = PackedReader::of(bytes);
    let mut entries = Vec::with_capacity(packed.count()?);
    for _ in 0..entries.capacity() {
        entries.push(entry(source, &mut packed)?);
    }
    packed.is_done().then_some(entries)
}

fn entry(source: &Source, packed: &mut PackedReader<'_>) -> Option<Entry> {
    let id = packed.text()??.to_owned();
    let mut text = || Some(packed.text()?.map(Box::from));
    let [title, prompt, spawned_by, forked_from] = [text()?, text()?, text()?, text()?];
    let [folder, model, version] = [text()?, text()?, text()?];
    let mut time = || {
        let is_known = packed.number()? == 1;
        let time = packed.signed()?;
        Some(is_known.then_some(UtcTime(time)))
    };
    let [started, updated] = [time()?, time()?];
    let undated = packed.number()? == 1;
    let damaged = packed.small()?;
    let mut entry = Entry {
        format: source.format.name(),
        id,
        title,
        prompt,
        spawned_by,
        forked_from,
        folder,
        model,
        version,
        started,
        updated,
        undated,
        damaged,
        ..Entry::default()
    };
    for _ in 0..packed.count()? {
        let file = source.files.get(packed.small()? as usize)?;
        entry.files.push(file.path.clone());
        entry.length += file.length;
    }
    if packed.number()? == 1 {
        entry.acts = Some(Box::new(SessionActs::unpack(packed)?));
    }
    Some(entry)
}
