//! The repository follows every convention, except for the listed exceptions.

use std::env;

use verbatim_tidy::{EXCEPTIONS, Tree, check_all, without_exceptions};

#[test]
fn the_workspace_holds_its_habits() {
    let root = samples::workspace();
    let mut tree = Tree::read(&root).expect("the workspace can be read");
    assert!(tree.files.iter().any(|f| f.path == file!()), "{} files", tree.files.len());

    // Only the complete check searches for paths of its own machine. Elsewhere, a made-up path in a
    // sample may equal the folder of somebody's clone.
    if env::var_os("VERBATIM_REQUIRE_CORPUS").is_some_and(|v| v == "1") {
        let root = root.canonicalize().expect("the workspace has a place");
        let named = root.ancestors().take(2).filter(|p| p.parent().is_some());
        let own = named.filter(|p| !env::temp_dir().starts_with(p));
        tree.places.extend(own.map(|p| p.display().to_string()));
    }

    let list = tree.text(EXCEPTIONS).expect("the list of exceptions").to_owned();
    let findings = without_exceptions(check_all(&tree), &list);
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} findings:\n{}\n", lines.len(), lines.join("\n"));
}
