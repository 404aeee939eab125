//! Paths that verbatim may write to: never an agent's file, and an existing file only if the user
//! requests it.

use std::path::Path;

use crate::{Error, Owner};

/// Refuses an agent's file, even one that does not exist yet, and everything that is not a regular
/// file. Without `replace`, it also refuses any other existing file.
pub(crate) fn may_write(target: &Path, replace: bool, owner: Owner<'_>) -> Result<(), Error> {
    let refuse = |what: &str, hint: &str| {
        Err(Error::Refused { what: format!("{} {what}", target.display()), hint: hint.into() })
    };
    let Ok(meta) = target.symlink_metadata() else {
        return match owner(target) {
            None => Ok(()),
            Some(agent) => refuse(
                &format!("would be a file of an agent ({agent})"),
                "write it to another folder; verbatim writes nothing into an agent's own",
            ),
        };
    };
    if !meta.is_file() {
        return refuse(
            "is not a regular file, but a link, a folder, a pipe or a device",
            "name another file; `-o -` writes to standard output",
        );
    }
    if let Some(agent) = owner(target) {
        return refuse(
            &format!("is a file of an agent ({agent})"),
            "name another file; verbatim never changes what an agent wrote",
        );
    }
    match replace {
        true => Ok(()),
        false => refuse("exists already", "name another file, or replace it with `--force`"),
    }
}

/// Whether a path ends with `/`, and so names a folder, even one that does not exist yet.
pub(crate) fn is_named_as_folder(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(std::path::is_separator))
}
