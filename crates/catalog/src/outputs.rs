//! Files that verbatim has written beside the session that they were made from: they have its id,
//! and are no part of it.

use std::path::Path;

use formats::Role;

use crate::catalog::Catalog;
use crate::find::found::Found;
use crate::open::source::{Source, SourceFile};

impl Catalog<'_> {
    /// Takes verbatim's own outputs out of the sources of a search, each as a source of its own. Of
    /// a source that is taken apart, only the parts with one of the `named` files stay, if any
    /// files are named.
    pub(super) fn set_outputs_apart(&self, found: &mut Found, named: &[&Path]) {
        let mut apart = Vec::new();
        for source in &mut found.sources {
            let outputs = self.outputs(source);
            if outputs.is_empty() {
                continue;
            }
            let (format, group) = (source.format, source.group.clone());
            let alone = |file| Source { format, group: group.clone(), files: vec![file] };
            apart.extend(outputs.into_iter().map(alone));
            if !named.is_empty() && !holds(source, named) {
                source.files.clear();
            }
        }
        if !named.is_empty() {
            apart.retain(|source| holds(source, named));
        }
        found.sources.retain(|source| !source.files.is_empty());
        found.sources.extend(apart);
    }

    /// Takes the main files that verbatim wrote out of a source, if it has others.
    fn outputs(&self, source: &mut Source) -> Vec<SourceFile> {
        let is_main = |file: &SourceFile| file.role == Role::Main && file.rows.is_none();
        if self.machine.wrote.is_none() || source.files.iter().filter(|f| is_main(f)).count() < 2 {
            return Vec::new();
        }
        let is_output = |file: &SourceFile| is_main(file) && self.machine.has_written(&file.path);
        if source.files.iter().all(|file| !is_main(file) || is_output(file)) {
            return Vec::new();
        }
        source.files.extract_if(.., |file| is_output(file)).collect()
    }
}

fn holds(source: &Source, named: &[&Path]) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let is_named = |file: &SourceFile| named.iter().any(|path| real(path) == real(&file.path));
    source.files.iter().any(is_named)
}
