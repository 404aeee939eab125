//! Scan of the staged files as they are staged, which `git commit` would commit, from Git itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use operations::{ScanResult, SkippedFile};
use redact::Redactor;

use crate::environment::Environment;
use crate::exit::Failure;

/// A staged file: its path in the repository, and the name of its content.
struct Staged {
    path: String,
    object: String,
}

/// Scans the staged files; returns the top of the repository too.
pub(super) fn scan(
    here: &Path,
    redactor: &Redactor,
    env: &Environment<'_>,
) -> Result<(ScanResult, PathBuf), Failure> {
    let top = git(here, &["rev-parse", "--show-toplevel"])?;
    let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end_matches(['\n', '\r']));
    let listed = git(
        &top,
        &["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT"],
    )?;
    let staged = listed_files(&listed);
    let (mut result, catalog) = (ScanResult::default(), env.catalog());
    contents(&top, &staged, &mut |file, content| {
        let scanned = match content {
            Some(bytes) => operations::scan_bytes(&catalog, &file.path, bytes, redactor),
            None => Err(unread(file)),
        };
        match scanned {
            Ok(source) => result.sources.push(source),
            Err(file) => result.skipped.push(file),
        }
    })?;
    Ok((result, top))
}

fn unread(file: &Staged) -> SkippedFile {
    let why = "Git has no content of it".into();
    SkippedFile { path: (&*file.path).into(), why, open: true }
}

/// The files in an output of `git diff --raw -z`: `:MODE MODE OBJECT OBJECT STATUS`, then the path.
fn listed_files(listed: &[u8]) -> Vec<Staged> {
    let mut fields = listed.split(|&byte| byte == 0);
    let mut staged = Vec::new();
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        let about = String::from_utf8_lossy(about);
        let about: Vec<&str> = about.split(' ').collect();
        let [_, mode, _, object, _] = *about else { continue };
        // A repository within this one has commits of its own.
        if mode == "160000" {
            continue;
        }
        let path = String::from_utf8_lossy(path).into_owned();
        staged.push(Staged { path, object: object.to_owned() });
    }
    staged
}

/// Gives the content of each file, one after the other, by one process.
fn contents(
    top: &Path,
    staged: &[Staged],
    see: &mut dyn FnMut(&Staged, Option<Vec<u8>>),
) -> Result<(), Failure> {
    if staged.is_empty() {
        return Ok(());
    }
    let mut command = Command::new("git");
    command.arg("-C").arg(top).args(["cat-file", "--batch"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let closed = || std::io::Error::other("`git cat-file` has no streams");
    let mut input = child.stdin.take().ok_or_else(closed)?;
    let mut output = BufReader::new(child.stdout.take().ok_or_else(closed)?);
    for file in staged {
        input.write_all(format!("{}\n", file.object).as_bytes())?;
        input.flush()?;
        let mut head = String::new();
        output.read_line(&mut head)?;
        // `OBJECT blob LENGTH`, or `OBJECT missing`.
        let length = head.trim_end().rsplit(' ').next().and_then(|last| last.parse().ok());
        let Some(length) = length else {
            see(file, None);
            continue;
        };
        let mut bytes = vec![0; length];
        output.read_exact(&mut bytes)?;
        output.read_exact(&mut [0])?;
        see(file, Some(bytes));
    }
    drop(input);
    child.wait()?;
    Ok(())
}

/// The output of a command of Git.
fn git(folder: &Path, args: &[&str]) -> Result<Vec<u8>, Failure> {
    let refused = |what: String| {
        Failure::Refused(what, "`--staged` is for a Git repository; name files instead".into())
    };
    let ran = Command::new("git").arg("-C").arg(folder).args(args).output();
    let ran = ran.map_err(|error| refused(format!("`git` can't be run: {error}")))?;
    match ran.status.success() {
        true => Ok(ran.stdout),
        false => Err(refused(String::from_utf8_lossy(&ran.stderr).trim().to_owned())),
    }
}
