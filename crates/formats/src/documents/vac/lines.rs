//! `file-attribution`: the lines of files that the session wrote, by model.

use crate::attribution::{AttributedFile, AttributedRange, Attribution};
use crate::documents::shared::out::Out;

/// Writes the member. What can't be derived is left out.
pub(super) fn write(attribution: &Attribution, out: &mut Out<'_>) {
    out.open();
    out.key("files");
    out.open_array();
    for file in &attribution.files {
        out.open();
        out.member("path", &file.path);
        out.key("conversations");
        out.open_array();
        for model in models(file) {
            let ranges = file.ranges.iter().filter(|range| range.model.as_deref() == model);
            conversation(model, ranges, out);
        }
        out.close_array();
        out.close();
    }
    out.close_array();
    out.close();
}

/// The models of a file's lines, in the order of their first line.
fn models(file: &AttributedFile) -> Vec<Option<&str>> {
    let mut models = Vec::new();
    for range in &file.ranges {
        let model = range.model.as_deref();
        if !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

/// The lines of one model. The schema's default for `content-hash-alg` is SHA-256.
fn conversation<'r>(
    model: Option<&str>,
    ranges: impl Iterator<Item = &'r AttributedRange>,
    out: &mut Out<'_>,
) {
    out.open();
    out.key("contributor");
    out.open();
    out.member("type", "ai");
    if let Some(model) = model {
        out.member("model-id", model);
    }
    out.close();
    out.key("ranges");
    out.open_array();
    for range in ranges {
        out.open();
        out.key("start-line");
        out.number(range.start as u64);
        out.key("end-line");
        out.number(range.end as u64);
        out.member("content-hash", &range.hash);
        out.close();
    }
    out.close_array();
    out.close();
}
