//! Goldens: the documents of every sample in `crates/formats/goldens/<format>/`, with one entry per
//! line, so that a diff shows the changed entries. `goldens/cbor.tsv` has digests of the same
//! records in CBOR. `UPDATE=1 cargo test -p verbatim-formats --test goldens` regenerates them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::{Root, Source};
use evidence::cbor;
use evidence::value::Limits;
use serde_json::Value;
use session::Session;
use sha2::{Digest as _, Sha256};
use verbatim_formats::{Format, Options, stead, vac};

/// Objects down to this depth have one line per member; an array always has one per element.
const DEPTH: usize = 4;

fn folder() -> PathBuf {
    samples::workspace().join("crates/formats/goldens")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Formats a document for comparison by people.
fn lay(value: &Value, depth: usize, out: &mut String) {
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth));
    };
    match value {
        Value::Object(members) if depth < DEPTH && !members.is_empty() => {
            out.push('{');
            for (number, (key, value)) in members.iter().enumerate() {
                out.push_str(if number > 0 { "," } else { "" });
                indent(out, depth + 1);
                let _ = write!(out, "{}: ", Value::from(key.as_str()));
                lay(value, depth + 1, out);
            }
            indent(out, depth);
            out.push('}');
        }
        Value::Array(elements) if depth < DEPTH && !elements.is_empty() => {
            out.push('[');
            for (number, element) in elements.iter().enumerate() {
                out.push_str(if number > 0 { "," } else { "" });
                indent(out, depth + 1);
                let _ = write!(out, "{element}");
            }
            indent(out, depth);
            out.push(']');
        }
        _ => {
            let _ = write!(out, "{value}");
        }
    }
}

fn laid(document: &[u8]) -> String {
    let value: Value = serde_json::from_slice(document).expect("a document is JSON");
    let mut out = String::new();
    lay(&value, 0, &mut out);
    out + "\n"
}

/// Expected contents of the goldens' folder.
#[derive(Default)]
struct Goldens {
    files: BTreeMap<String, String>,
    packed: BTreeMap<String, String>,
}

impl Goldens {
    fn add(&mut self, name: &str, session: &Session) {
        let record = vac::record(session, &Options::default());
        let packed = cbor::from_json(&record, Limits::default()).expect("convertible");
        let digest: String =
            Sha256::digest(&packed).iter().map(|byte| format!("{byte:02x}")).collect();
        self.packed.insert(name.to_owned(), format!("{name}\t{}\t{digest}\n", packed.len()));
        self.files.insert(format!("{name}.vac.json"), laid(&record));
        if session.format != stead::NAME {
            let mut document = Vec::new();
            stead::write_document(session, &Options::default(), &mut document).expect("memory");
            self.files.insert(format!("{name}.stead.json"), laid(&document));
        }
    }

    fn sample(&mut self, format: &'static dyn Format, path: &Path) {
        let found = catalog::scan(verbatim_formats::ALL, &[Root::named(path)]).sources;
        let mine = found.into_iter().filter(|source| source.format.name() == format.name());
        let mut sessions: Vec<Session> = Vec::new();
        for source in mine {
            sessions.extend(read(&source));
        }
        let names = |session: &Session| -> Vec<String> {
            session.bundle.members.iter().map(|member| member.name.clone()).collect()
        };
        sessions.sort_by_cached_key(|session| (session.uid(), names(session)));
        let sample = path.file_name().expect("a name").to_string_lossy();
        for (number, session) in (1..).zip(&sessions) {
            self.add(&format!("{}/{sample}-{number}", format.name()), session);
        }
    }
}

fn read(source: &Source) -> Vec<Session> {
    let (bundle, unread) = catalog::bundle(source);
    assert!(unread.is_empty(), "{unread:?}");
    source.format.read(Arc::new(bundle))
}

#[test]
fn every_sample_has_the_documents_that_it_had() {
    let mut goldens = Goldens::default();
    for format in verbatim_formats::ALL.iter().filter(|format| format.name() != vac::NAME) {
        let samples = samples::format(format.name()).join("samples");
        for path in below(&samples).iter().filter(|path| path.is_dir()) {
            goldens.sample(*format, path);
        }
    }
    let head = "record\tbytes in CBOR\tSHA-256\n".to_owned();
    let packed = goldens.packed.into_values().fold(head, |all, line| all + &line);
    goldens.files.insert("cbor.tsv".to_owned(), packed);
    if std::env::var_os("UPDATE").is_some() {
        let _ = std::fs::remove_dir_all(folder());
        for (name, text) in &goldens.files {
            let path = folder().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a golden can be written");
        }
    }
    let there = below(&folder()).into_iter().flat_map(|path| match path.is_dir() {
        true => below(&path),
        false => vec![path],
    });
    let there: BTreeSet<PathBuf> = there.collect();
    let expected: BTreeSet<PathBuf> =
        goldens.files.keys().map(|name| folder().join(name)).collect();
    assert_eq!(there, expected, "UPDATE=1 renews the goldens");
    for (name, text) in &goldens.files {
        let golden = std::fs::read_to_string(folder().join(name)).expect("a golden");
        let differs = golden.lines().zip(text.lines()).position(|(old, new)| old != new);
        assert!(golden == *text, "{name}, line {differs:?} differs; UPDATE=1 renews the goldens");
    }
}
