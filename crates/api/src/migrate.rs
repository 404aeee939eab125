//! `verbatim-migrate-1`: the migration of an agent's projects.

use std::path::{Path, PathBuf};

use operations::migrate::{MigratedFile, MigrationPlan};
use serde::Serialize;

use super::text::text;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-migrate-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct Migration {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The agent.
    pub agent: &'static str,
    /// The folder of its projects.
    pub from: String,
    /// The folder that was written.
    pub to: String,
    /// Whether nothing was written yet (`--dry-run`).
    pub planned: bool,
    /// The projects' folders with another name.
    pub renamed: Vec<RenamedFolder>,
    /// The files that got members, by their paths below `to`.
    pub extended: Vec<String>,
    /// Number of all files.
    pub files: usize,
    /// The place of the old folder (`--in-place`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// The files that the agent changed meanwhile, and that were carried over: their paths below
    /// `to`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<String>,
    /// Files of the old folder that the agent changed meanwhile, and that were not carried over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// A folder with another name.
#[derive(Debug, Serialize)]
pub struct RenamedFolder {
    /// The old name.
    pub from: String,
    /// The new name.
    pub to: String,
}

impl Migration {
    /// The document of a migration.
    #[must_use]
    pub fn of(
        agent: &'static str,
        from: &Path,
        to: &Path,
        plan: &MigrationPlan,
        changed: &[MigratedFile],
        planned: bool,
    ) -> Self {
        let renamed = plan.renamed.iter();
        let renamed =
            renamed.map(|(from, to)| RenamedFolder { from: from.clone(), to: to.clone() });
        Self {
            schema: SCHEMA,
            agent,
            from: text(from),
            to: text(to),
            planned,
            renamed: renamed.collect(),
            extended: changed.iter().map(|file| text(&file.to)).collect(),
            files: plan.files.len(),
            backup: None,
            carried: Vec::new(),
            left: Vec::new(),
        }
    }

    /// The same with the place of the old folder, and with what was changed there meanwhile.
    #[must_use]
    pub fn with_backup(
        mut self,
        backup: Option<&Path>,
        carried: &[PathBuf],
        left: &[PathBuf],
    ) -> Self {
        let texts = |paths: &[PathBuf]| paths.iter().map(|path| text(path)).collect();
        self.backup = backup.map(text);
        (self.carried, self.left) = (texts(carried), texts(left));
        self
    }
}
