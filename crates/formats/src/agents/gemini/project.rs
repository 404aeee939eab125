//! Folder of a project: a session has only its digest, files around it have the path.

use session::{Scan, value};

use super::map;
use crate::digest::digest;

/// The project's folder. A marker in the project's own folder names it (since 0.29), or else the
/// registry of all projects: by the folder's name, or by the digest.
pub(super) fn folder(file: &str, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    let folders: Vec<&str> = file.rsplit('/').skip(1).collect();
    let chats = folders.iter().take(2).position(|folder| *folder == "chats")?;
    let name = folders.get(chats + 1)?;
    let up = "../".repeat(chats + 1);
    if let Some(marker) = read(&format!("{up}.project_root")) {
        let path = String::from_utf8_lossy(&marker).trim().to_owned();
        if !path.is_empty() {
            return Some(path);
        }
    }
    registered(&read(&format!("{up}../../projects.json"))?, name)
}

/// The path of a folder's name in a registry.
fn registered(registry: &[u8], name: &str) -> Option<String> {
    std::str::from_utf8(registry).ok()?;
    let mut scan = Scan::new();
    let doc = scan.read(registry, 0).ok()?;
    let projects = doc.root().at(map::PROJECTS)?;
    let found = projects.members().find(|project| {
        let slug = project.value.text();
        // The digest was the folder's name before 0.29, and still is the `projectHash`.
        slug == Some(name.as_bytes()) || digest(value::unescape(project.name).as_bytes()) == name
    })?;
    Some(value::unescape(found.name).into_owned())
}
