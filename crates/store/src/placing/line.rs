//! A line in a file in which an agent lists its sessions: added at its end in one write, as the
//! agent itself does, and taken out again. Other lines stay, also those that the agent adds
//! meanwhile.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::remove_unchanged;
use super::state::is_gone;
use super::swap::gone;
use crate::journal::{AddedLine, PlacedFile};
use crate::{Error, atomic};

/// The greatest length of an agent's list, in bytes: a longer one is left alone.
const LONGEST: u64 = 256 << 20;
/// Number of times that a list is looked at again, if the agent writes into it meanwhile.
const LOOKS: usize = 8;

/// Adds a line, unless it is there, or the list is not one that ends with a whole line.
pub(super) fn add(line: &AddedLine) -> Result<(), Error> {
    let io = |source| Error::Io { path: line.path.clone(), source };
    let folder = line.path.parent().unwrap_or(Path::new("."));
    atomic::folders(folder).map_err(io)?;
    match line.path.symlink_metadata() {
        Err(error) if is_gone(&error) => {
            let text = format!("{}\n", line.text);
            let put = atomic::put(&line.path, &mut |sink| sink.write_all(text.as_bytes()), false);
            match put {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => append(line),
                other => other.map(drop),
            }
        }
        Err(error) => Err(error),
        Ok(meta) if meta.is_file() && meta.len() <= LONGEST => append(line),
        Ok(_) => Ok(()),
    }
    .map_err(io)
}

fn append(line: &AddedLine) -> io::Result<()> {
    let mut file = File::options().read(true).append(true).open(&line.path)?;
    let length = file.metadata()?.len();
    if length > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            return Ok(());
        }
    }
    let text = format!("{}\n", line.text);
    let written = file.write(text.as_bytes())?;
    if written < text.len() {
        // A part of a line would be taken for the beginning of the agent's next one.
        if file.metadata()?.len() == length + written as u64 {
            file.set_len(length)?;
        }
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.sync_all()
}

/// Takes a line out of its file. A file with nothing else is removed.
pub(super) fn take_out(line: &AddedLine) -> Result<(), Error> {
    let io = |source| Error::Io { path: line.path.clone(), source };
    let (new, kept) = (beside(line, "new"), beside(line, "kept"));
    if kept.exists() {
        settle(line, &new, &kept).map_err(io)?;
    }
    gone(fs::remove_file(&new)).map_err(io)?;
    if line.path.symlink_metadata().is_ok_and(|meta| !meta.is_file() || meta.len() > LONGEST) {
        return Ok(());
    }
    for _ in 0..LOOKS {
        let all = match fs::read(&line.path) {
            Err(error) if is_gone(&error) => return Ok(()),
            other => other.map_err(io)?,
        };
        let Some(rest) = without(&all, &line.text) else { return Ok(()) };
        if !rest.is_empty() {
            return exchange(line, &rest, (&new, &kept)).map_err(io);
        }
        match remove_unchanged(&PlacedFile::new(&line.path, &all)) {
            Err(Error::Continued { .. }) => {}
            other => return other,
        }
    }
    Ok(())
}

/// Puts the other lines in the place of the list.
fn exchange(line: &AddedLine, rest: &[u8], (new, kept): (&Path, &Path)) -> io::Result<()> {
    atomic::put(new, &mut |sink| sink.write_all(rest), false)?;
    if let Ok(meta) = line.path.metadata() {
        let _ = fs::set_permissions(new, meta.permissions());
    }
    fs::hard_link(&line.path, kept)?;
    fs::rename(new, &line.path)?;
    settle(line, new, kept)
}

/// Ends an exchange, at whatever point it was ended: what the agent has added to the old list
/// meanwhile is added to the new one.
fn settle(line: &AddedLine, new: &Path, kept: &Path) -> io::Result<()> {
    if new.exists() {
        // The old list has its place still.
        fs::remove_file(new)?;
        return fs::remove_file(kept);
    }
    for _ in 0..LOOKS {
        let old = fs::read(kept)?;
        let rest = without(&old, &line.text).unwrap_or_else(|| old.clone());
        let now = fs::read(&line.path)?;
        if let Some(more) = rest.strip_prefix(&*now) {
            if !more.is_empty() {
                File::options().append(true).open(&line.path)?.write_all(more)?;
            }
        } else if !now.starts_with(&rest) && now != old {
            let Some(more) = only_in(&rest, &now) else {
                // The agent has written both anew: both stay.
                return Ok(());
            };
            File::options().append(true).open(&line.path)?.write_all(&more)?;
        }
        match remove_unchanged(&PlacedFile::new(kept, &old)) {
            Err(Error::Continued { .. }) => {}
            Err(Error::Io { source, .. }) => return Err(source),
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// The lines that a list has behind what it shares with another one, and that the other one has
/// nowhere: one process of the agent has added to the old list, another one to the new list. `None`
/// if they share nothing.
fn only_in(list: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let lines = |text| <[u8]>::split_inclusive(text, |byte| *byte == b'\n');
    let shared = lines(list).zip(lines(other)).take_while(|(one, other)| one == other).count();
    let known: HashSet<&[u8]> = lines(other).collect();
    let more = lines(list).skip(shared).filter(|one| !known.contains(one));
    (shared > 0 && other.ends_with(b"\n")).then(|| more.collect::<Vec<_>>().concat())
}

fn beside(line: &AddedLine, what: &str) -> PathBuf {
    let name = line.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    line.path.with_file_name(format!(".verbatim-{name}.{what}"))
}

/// A text without the last one of its lines that is this one.
fn without(all: &[u8], line: &str) -> Option<Vec<u8>> {
    let mut at = 0;
    let mut found = None;
    for one in all.split_inclusive(|byte| *byte == b'\n') {
        if one.strip_suffix(b"\n") == Some(line.as_bytes()) {
            found = Some(at..at + one.len());
        }
        at += one.len();
    }
    found.map(|found| [&all[..found.start], &all[found.end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_added_and_taken_out() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("list.jsonl");
        let line = |text: &str| AddedLine { path: path.clone(), text: text.to_owned() };
        add(&line("one")).unwrap();
        add(&line("two")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        take_out(&line("one")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
        take_out(&line("other")).unwrap();
        take_out(&line("two")).unwrap();
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
        // The agent was killed in the middle of a line.
        fs::write(&path, "half").unwrap();
        add(&line("one")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "half");
    }

    /// Lines that the agent adds to the old list, while the new one takes its place, are not lost.
    #[test]
    fn lines_of_the_agent_are_carried_over() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("list.jsonl");
        let line = AddedLine { path: path.clone(), text: "ours".into() };
        let kept = beside(&line, "kept");
        for (now, old, wanted) in [
            ("a\n", "a\nours\nb\n", "a\nb\n"),
            ("a\n", "a\nours\n", "a\n"),
            ("a\nc\n", "a\nours\n", "a\nc\n"),
            // One process of the agent has the old list open, another one opens the new list.
            ("a\nc\n", "a\nours\nb\n", "a\nc\nb\n"),
            ("a\nb\nc\n", "a\nours\nd\nb\n", "a\nb\nc\nd\n"),
        ] {
            fs::write(&path, now).unwrap();
            fs::write(&kept, old).unwrap();
            take_out(&line).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), wanted);
            assert!(!kept.exists());
        }
    }
}
