//! The objects of an archive as statements of custody name them: each file with its digest, and the
//! objects that a run needs.

use session::Sorting as _;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::digest::Digest;
use crate::error::Error;
use crate::machine::MachineName;
use crate::pack;
use crate::place::ArchiveFolder;
use crate::run::{self, Line};
use crate::state::Archive;

/// The ending of the name of a statement.
pub const STATEMENT: &str = ".cose";

/// A run file as a statement names it.
#[derive(Clone, Debug)]
pub struct RunObjects {
    /// The machines on which its sessions were seen.
    pub machines: Vec<MachineName>,
    /// The paths of its packs within the archive.
    pub packs: BTreeSet<String>,
}

impl ArchiveFolder {
    /// The folder of statements of custody.
    #[must_use]
    pub fn custody(&self) -> PathBuf {
        self.folder.join("custody")
    }

    /// The names of the statements of custody, sorted.
    ///
    /// # Errors
    /// The folder can't be listed.
    pub fn statements(&self) -> Result<Vec<String>, Error> {
        run::names(&self.custody(), STATEMENT)
    }

    /// The SHA-256 of an object, and its length.
    ///
    /// # Errors
    /// It can't be read.
    pub fn object(&self, path: &str) -> Result<(Digest, u64), Error> {
        let path = self.folder.join(path);
        let length = path.metadata().map_err(Error::io(&path))?.len();
        Ok((pack::digest(&path)?, length))
    }

    /// The paths of files in the folder that are no objects, no statements, and not the archive's
    /// own.
    ///
    /// # Errors
    /// A folder can't be listed.
    pub fn strangers(&self) -> Result<Vec<String>, Error> {
        let own = ["archive.json", "lock", "export.key"];
        let objects: BTreeSet<String> = self.objects()?.into_iter().collect();
        let mut strangers = Vec::new();
        let mut folders = vec![(self.folder.clone(), String::new())];
        while let Some((folder, above)) = folders.pop() {
            for entry in folder.read_dir().map_err(Error::io(&folder))? {
                let entry = entry.map_err(Error::io(&folder))?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = format!("{above}{name}");
                let is_folder = entry.file_type().map_err(Error::io(&folder))?.is_dir();
                let is_own = above.is_empty() && own.contains(&&*name)
                    || objects.contains(&path)
                    || above == "custody/" && name.ends_with(STATEMENT)
                    // What a program has not finished is no object yet.
                    || name.starts_with(".verbatim-");
                match is_folder {
                    true => folders.push((entry.path(), format!("{path}/"))),
                    false if is_own => {}
                    false => strangers.push(path),
                }
            }
        }
        strangers.in_order();
        Ok(strangers)
    }
}

impl Archive {
    /// The machines and the packs of a run file.
    ///
    /// # Errors
    /// The file is damaged, or a pack is missing.
    pub fn run_objects(&self, name: &str) -> Result<RunObjects, Error> {
        let (mut machines, mut packs) = (Vec::new(), BTreeSet::new());
        for line in run::read(&self.place.runs().join(name))? {
            match line {
                Line::Run(head) if !machines.contains(&head.machine) => machines.push(head.machine),
                Line::Content(content) => {
                    for piece in content.pieces {
                        let missing = || Error::Damaged {
                            path: self.place.packs(),
                            what: format!("no pack has the piece {piece}"),
                        };
                        let found = self.pieces.get(&piece).ok_or_else(missing)?;
                        packs.insert(format!("packs/{}", self.packs[found.pack]));
                    }
                }
                _ => {}
            }
        }
        Ok(RunObjects { machines, packs })
    }
}

/// The digest in the name of an object.
#[must_use]
pub fn named_digest(path: &str) -> Option<Digest> {
    let name = Path::new(path).file_name()?.to_str()?;
    let stem = name.split('.').next()?;
    Digest::read(stem.rsplit_once('-').map_or(stem, |(_, digest)| digest))
}
