//! The files beside sessions, and the sessions that have left their agents' folders.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use catalog::{Found, Source, SourceFile};
use formats::Role;

use super::{Run, stat_of};
use crate::digest::Digest;
use crate::error::Error;
use crate::keep::{self, Unkept};
use crate::machine::MachineName;
use crate::roles;
use crate::run::{Line, PathText, SessionName, VersionFile};
use crate::sealed::is_credentials;
use crate::sidecars::{Sidecar, has_id};

impl Run<'_, '_> {
    /// Whether a file beside sessions belongs to a forgotten one.
    fn is_forgotten(&self, agent: &str, name: &str) -> bool {
        let mut ids = self.forgotten_ids.iter().filter(|(of, _)| of == agent);
        ids.any(|(_, id)| has_id(name, id))
    }

    /// Keeps the files beside sessions, and those of agents that are not read.
    pub(super) fn others(&mut self, files: &[Sidecar], machine: &MachineName) -> Result<(), Error> {
        let known = self.keeper.archive.other_files(machine);
        for Sidecar { agent, path, name } in files {
            let is_sealed = self.sealed.has(path) || is_credentials(path);
            if self.excluded.has(path) || is_sealed || self.is_forgotten(agent, name) {
                self.report.left_out += 1;
                continue;
            }
            let meta = std::fs::metadata(path);
            let file = SourceFile {
                path: Arc::from(&**path),
                name: name.clone(),
                role: Role::Beside(None),
                length: meta.as_ref().map_or(0, std::fs::Metadata::len),
                modified: meta.ok().and_then(|meta| meta.modified().ok()),
                rows: None,
                archived: None,
            };
            let before = known.get(&PathText::of(path));
            let is_kept = before.is_some_and(|before| self.is_kept(before, stat_of(&file)));
            let is_forgotten = |digest: Digest| self.forgotten.contains(&digest);
            if !is_kept && !self.forgotten.is_empty() && keep::digest(path).is_ok_and(is_forgotten)
            {
                continue;
            }
            let kept = match self.file(&file, before) {
                Ok(kept) => kept,
                Err(Unkept::Archive(error)) => return Err(error),
                Err(Unkept::Source(error)) => {
                    self.report.unread.push((path.clone(), error.to_string()));
                    continue;
                }
            };
            if before == Some(&kept) || self.forgotten.contains(&kept.content) {
                continue;
            }
            self.report.others +=
                usize::from(before.is_none_or(|before| before.content != kept.content));
            let agent = (*agent).to_owned();
            self.keeper.note(Line::File(crate::run::OtherFile { agent, file: kept }));
            self.keeper.checkpoint()?;
        }
        Ok(())
    }

    /// Notes the sessions that have left their agents' folders: all of their files are gone, or
    /// their database was read and has them no more.
    pub(super) fn vanished(&mut self, found: &Found, gone: &HashSet<SessionName>) {
        let name = |source: &Source| SessionName {
            agent: source.format.name().into(),
            group: source.group.clone(),
        };
        let is_whole = |source: &&Source| source.files.iter().any(|file| file.role == Role::Main);
        let there = found.sources.iter().filter(is_whole).map(name);
        let kept = |name| self.names.get(&name).cloned().unwrap_or(name);
        let there: HashSet<SessionName> = there.map(kept).collect();
        let files = found.sources.iter().flat_map(|source| &source.files);
        let databases: HashSet<&Path> =
            files.filter(|file| file.rows.is_some()).map(|file| &*file.path).collect();
        for (name, version) in &self.newest {
            let left = |file: &VersionFile| {
                let path = file.path.path();
                roles::is_gone(&path) || file.rows && databases.contains(&*path)
            };
            let is_new = !there.contains(name) && !gone.contains(name);
            if is_new && roles::has_left(&version.files, left) {
                self.report.gone += 1;
                self.keeper.note(Line::Gone(name.clone()));
            }
        }
    }
}
