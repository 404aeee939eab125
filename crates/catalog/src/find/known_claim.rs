//! Claims to files as an index keeps them.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use formats::{Formats, Role};

use crate::find::environment::Root;
use crate::find::found::{Claimed, Claims, SkipReason};
use crate::open::source::SourceFile;
use crate::packed::{PackedReader, PackedWriter};

/// A claim to a file of an agent's own place as bytes. `None` if it is not the file alone that
/// decides of it: a database has its log beside it.
pub(crate) fn pack(root: &Root, claims: &Result<Claims, SkipReason>) -> Option<Vec<u8>> {
    let mut packed = PackedWriter::default();
    packed.text(Some(root.format?.name()));
    match claims {
        Err(SkipReason::Unknown) => packed.text(None),
        Ok(Claims { files, notes }) if notes.is_empty() => {
            let [Claimed { format, group, above, file }] = &**files else { return None };
            if file.rows.is_some() {
                return None;
            }
            packed.text(Some(format.name()));
            packed.text(Some(group));
            packed.text(above.as_deref());
            let (role, stem) = match &file.role {
                Role::Main => (0, None),
                Role::Sub(stem) => (1, Some(stem)),
                Role::Beside(stem) => (2, stem.as_ref()),
            };
            packed.number(role);
            packed.text(stem.map(String::as_str));
        }
        _ => return None,
    }
    Some(packed.end())
}

/// The claim in these bytes to a file with these metadata, if it was made below such a root.
pub(crate) fn unpack(
    formats: Formats<'_>,
    root: &Root,
    path: &Arc<Path>,
    (bytes, meta): (&[u8], &Metadata),
) -> Option<Result<Claims, SkipReason>> {
    let mut packed = PackedReader::of(bytes);
    if packed.text()? != Some(root.format?.name()) {
        return None;
    }
    let Some(name) = packed.text()? else {
        return packed.is_done().then_some(Err(SkipReason::Unknown));
    };
    let format = formats.iter().copied().find(|format| format.name() == name)?;
    let group = packed.text()??.to_owned();
    let above = packed.text()?.map(str::to_owned);
    let role = (packed.number()?, packed.text()?.map(str::to_owned));
    let role = match role {
        (0, None) => Role::Main,
        (1, Some(stem)) => Role::Sub(stem),
        (2, stem) => Role::Beside(stem),
        _ => return None,
    };
    if !packed.is_done() {
        return None;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (length, modified) = (meta.len(), meta.modified().ok());
    let (path, rows, archived) = (Arc::clone(path), None, None);
    let file = SourceFile { path, name, role, length, modified, rows, archived };
    Some(Ok(Claims { files: vec![Claimed { format, group, above, file }], notes: Vec::new() }))
}
