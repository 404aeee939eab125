//! The agents' programs: versions, packages, and installation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::{Ending, Process};

/// Time limit of an installation.
const LIMIT: Duration = Duration::from_secs(150);

/// The text of the table: one line per package.
const TABLE: &str = include_str!("../../../interop/agents.txt");

/// One line of the table.
pub(crate) struct Package {
    /// The agent's name, or `node`.
    pub agent: &'static str,
    name: &'static str,
    /// Its version.
    pub version: &'static str,
    program: &'static str,
}

/// The packages of the table.
pub(crate) fn table() -> Vec<Package> {
    let lines = TABLE.lines().filter(|line| !line.trim_start().starts_with('#'));
    let row = |line: &'static str| {
        let mut words = line.split_whitespace();
        let (agent, name) = (words.next()?, words.next()?);
        Some(Package { agent, name, version: words.next()?, program: words.next()? })
    };
    lines.filter_map(row).collect()
}

impl Package {
    fn folder(&self, cache: &Path) -> PathBuf {
        cache.join(format!("{}-{}", self.agent, self.version))
    }

    /// The program's path, relative to the cache folder.
    pub(crate) fn program(&self, cache: &Path) -> PathBuf {
        self.folder(cache).join("node_modules").join(self.program)
    }

    /// Installs the package with `npm`, without its install scripts.
    pub(crate) fn install(&self, cache: &Path) -> Result<PathBuf, String> {
        let program = self.program(cache);
        if program.is_file() {
            return Ok(program);
        }
        let folder = self.folder(cache);
        let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(wrong)?;
        fs::write(folder.join("package.json"), "{\"private\":true}\n").map_err(wrong)?;
        let options =
            ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--no-package-lock"];
        let mut npm = Command::new("npm");
        npm.arg("install").args(options).arg(format!("{}@{}", self.name, self.version));
        npm.args(["--loglevel=error", "--fetch-retries=1"]).current_dir(&folder);
        let process = Process::start(&mut npm, "", &folder, "npm").map_err(|error| {
            format!("npm could not be started ({error}); it comes with Node.js")
        })?;
        match process.end(LIMIT) {
            Ending::Left(_) if program.is_file() => Ok(program),
            Ending::Left(status) => {
                let said = fs::read_to_string(folder.join("npm.stderr")).unwrap_or_default();
                let first = said.lines().next().unwrap_or("nothing was said");
                Err(format!("{}@{}: npm left with {status}: {first}", self.name, self.version))
            }
            Ending::Killed => Err(format!("{}@{}: npm took too long", self.name, self.version)),
        }
    }
}
