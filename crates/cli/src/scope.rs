//! The place where a command runs, and the sessions that belong to it.

use std::path::{Path, PathBuf};

use catalog::repository::working_trees;
use catalog::{Entry, Machine};
use operations::filter::{Filter, is_same_folder};
use session::Sorting as _;

use crate::environment::Environment;

/// The folders that "here" means.
pub(crate) struct Here {
    /// The current folder, as the system names it and as the shell does.
    folder: Vec<PathBuf>,
    /// The working tree of the repository that it is in, and all others of this repository.
    /// Without a repository both are empty.
    tree: Vec<PathBuf>,
    trees: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Here {
    /// The place where this command runs.
    pub(crate) fn of(env: &Environment<'_>) -> Option<Self> {
        Self::at(&std::env::current_dir().ok()?, &env.machine)
    }

    /// A folder, as the place where this command runs.
    pub(crate) fn at(folder: &Path, machine: &Machine) -> Option<Self> {
        let current = catalog::paths::real(folder).ok()?;
        let shell = machine.variable("PWD").map(PathBuf::from);
        let shell =
            shell.filter(|path| catalog::paths::real(path).is_ok_and(|path| path == current));
        let home = machine.home.as_deref().and_then(|home| catalog::paths::real(home).ok());
        // A repository of the whole home, as one of settings, is about no project.
        let is_home = |tree: &Path| home.as_deref().is_some_and(|home| home.starts_with(tree));
        let mut trees = working_trees(&current);
        if trees.first().is_some_and(|own| is_home(own)) {
            trees.clear();
        }
        trees.retain(|tree| !is_home(tree));
        let own = trees.first().cloned();
        let above = |own: &PathBuf| {
            let below = current.strip_prefix(own).ok()?.components().count();
            let named = shell.as_deref()?.ancestors().nth(below)?.to_path_buf();
            catalog::paths::real(&named).is_ok_and(|path| path == *own).then_some(named)
        };
        let tree: Vec<PathBuf> = own.iter().flat_map(above).chain(own.clone()).collect();
        let linked = trees.into_iter().skip(1);
        let trees = tree.iter().cloned().chain(linked).collect();
        Some(Self { folder: shell.into_iter().chain([current]).collect(), tree, trees, home })
    }

    /// The folders of the repository, in all of its working trees; outside of one, this folder.
    pub(crate) fn projects(&self) -> Vec<String> {
        names(if self.trees.is_empty() { &self.folder } else { &self.trees })
    }

    /// The filter of the sessions of this very folder, and of those below it.
    pub(crate) fn own(&self) -> Filter {
        Filter { projects: names(&self.folder), ..Filter::default() }
    }

    /// The filter of the sessions that belong here: those of the repository, or of this folder, or
    /// of the nearest one above it that has some. `None` if there are none.
    pub(crate) fn scope(&self, entries: &[Entry]) -> Option<Filter> {
        taken(self.projects(), entries).or_else(|| self.above(entries))
    }

    /// The same for the newest session: those of this folder come first, then those of its working
    /// tree.
    pub(crate) fn nearest(&self, entries: &[Entry]) -> Option<Filter> {
        let near = [&self.folder, &self.tree].into_iter();
        near.map(|folders| names(folders))
            .find_map(|projects| taken(projects, entries))
            .or_else(|| self.scope(entries))
    }

    /// The nearest folder above this one in which sessions ran. Outside of a repository nothing
    /// else says where a project begins.
    fn above(&self, entries: &[Entry]) -> Option<Filter> {
        if !self.trees.is_empty() {
            return None;
        }
        let is_home =
            |folder: &Path| self.home.as_deref().is_some_and(|home| home.starts_with(folder));
        let above = self.folder.iter().flat_map(|folder| folder.ancestors().skip(1));
        let projects = above.filter(|folder| !is_home(folder) && folder.parent().is_some());
        let mut projects: Vec<&Path> = projects.collect();
        projects.in_order_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        let ran = |folder: &str| {
            let folders = entries.iter().filter_map(|entry| entry.folder.as_deref());
            folders.into_iter().any(|of| is_same_folder(of, folder))
        };
        let found = projects.into_iter().map(|folder| folder.to_string_lossy().into_owned());
        let found = found.into_iter().find(|folder| ran(folder))?;
        Some(Filter { projects: vec![found], ..Filter::default() })
    }
}

/// The filter of some folders, if it takes any session.
fn taken(projects: Vec<String>, entries: &[Entry]) -> Option<Filter> {
    let filter = Filter { projects, ..Filter::default() };
    let any = !filter.projects.is_empty() && entries.iter().any(|entry| filter.takes(entry));
    any.then_some(filter)
}

/// Paths as texts, each once.
pub(crate) fn names(paths: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in paths.iter().map(|path| path.to_string_lossy()) {
        if !names.iter().any(|known| *known == name) {
            names.push(name.into_owned());
        }
    }
    names
}
