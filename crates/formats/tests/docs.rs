//! Generated documentation: the fields in each `FORMAT.md` from the tables, the table of
//! `docs/formats.md` from the real files. `UPDATE=1 cargo test` regenerates both.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use catalog::{Catalog, Machine, Root, scan};
use session::{Map, Named, Row, Slot};
use verbatim_formats::{Format, Options, WriteError};

/// Compares the part of a file between two marks with the generated text.
fn hold(path: &Path, mark: &str, made: &str) {
    let text = std::fs::read_to_string(path).expect("a document");
    let (begin, end) = (format!("<!-- {mark}: made by the tests -->"), format!("<!-- /{mark} -->"));
    let told = path.display();
    let (head, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{told}: no `{begin}`"));
    let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("{told}: no `{end}`"));
    let wanted = format!("{head}{begin}\n\n{made}\n{end}{tail}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &wanted).expect("a document");
    } else {
        assert!(text == wanted, "{told} is not up to date; `UPDATE=1 cargo test` refreshes it");
    }
}

#[test]
fn the_fields_are_those_of_the_tables() {
    for format in verbatim_formats::ALL {
        let path = samples::format(format.name()).join("FORMAT.md");
        hold(&path, "fields", &fields(*format));
    }
}

/// Every table of a format: each name with its meaning; names without one together at the end.
fn fields(format: &dyn Format) -> String {
    let mut out = String::from("| table | field | meaning |\n|---|---|---|\n");
    for (name, map) in format.data().maps {
        let mut kept = Vec::new();
        for Named { text: field, row, .. } in map.rows {
            match meaning(format, *row) {
                Some(meaning) => writeln!(out, "| {name} | `{field}` | {meaning} |"),
                None => {
                    kept.push(format!("`{field}`"));
                    Ok(())
                }
            }
            .expect("a string takes it");
        }
        if !kept.is_empty() {
            writeln!(out, "| {name} | {} | kept |", kept.join(", ")).expect("a string takes it");
        }
    }
    out
}

/// The meaning of a row, in words; `None` if the row only makes the name known.
fn meaning(format: &dyn Format, row: Row) -> Option<String> {
    let table = |map: &'static Map| {
        let named = format.data().maps.iter().find(|(_, other)| std::ptr::eq(*other, map));
        named.map_or("a table of its own", |(name, _)| name).to_owned()
    };
    let with = |slot: Slot, more: String| match slot {
        Slot::Native => more,
        slot => format!("{}; {more}", words(slot)),
    };
    Some(match row {
        Row::Kept => return None,
        Row::Is(slot) => words(slot),
        Row::Within(slot, map) => with(slot, format!("its members: {}", table(map))),
        Row::View(slot, map) => with(slot, format!("kept whole; read in it: {}", table(map))),
        Row::Each(slot, _) => with(slot, "its elements are events".to_owned()),
        Row::One(slot, _) => with(slot, "an event of its own".to_owned()),
    })
}

/// `WorkingDir` is "working dir".
fn words(slot: Slot) -> String {
    let mut words = String::new();
    for letter in format!("{slot:?}").chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[test]
fn the_readme_names_every_format() {
    let Some(corpora) = samples::corpora() else { return };
    let roots: Vec<Root> = corpora.iter().map(Root::named).collect();
    let mut real: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for source in scan(verbatim_formats::ALL, &roots).sources {
        let (sessions, files) = real.entry(source.format.name()).or_default();
        let read = source.format.read(catalog::bundle(&source).0.into());
        *sessions += read.iter().filter(|session| !session.remainder).count();
        *files += source.files.iter().filter(|file| file.rows.is_none()).count();
        *files += usize::from(source.files.iter().any(|file| file.rows.is_some()));
    }
    // A copy is no session of its own.
    let catalog = Catalog { formats: verbatim_formats::ALL, machine: Machine::default() };
    for entry in catalog.list(&corpora, false).entries {
        let (sessions, _) = real.entry(entry.format).or_default();
        *sessions -= entry.copies.len();
    }
    let mut table = String::from("| format | status | read | write | tested on real files |\n");
    table.push_str("|---|---|---|---|---|\n");
    for format in verbatim_formats::ALL {
        let folder = samples::format(format.name());
        let folder = folder.strip_prefix(samples::workspace()).expect("in the workspace").display();
        let name = format!("[{}](../{folder}/FORMAT.md)", format.name());
        let is_document = format.data().places.is_empty();
        let (status, tested) = match real.get(format.name()) {
            _ if is_document => ("published", "every session above, written and read".to_owned()),
            Some((sessions, files)) => {
                let status = if *sessions < 50 { "tried" } else { "proven" };
                (status, format!("{}, {}", counted(*sessions, "session"), counted(*files, "file")))
            }
            None => ("by its reference", "none: samples only".to_owned()),
        };
        let read = if format.data().databases.is_empty() { "files" } else { "files, databases" };
        let write = match () {
            () if takes_any(*format) => "any session",
            () if format.data().target.is_some() => "its own, byte for byte; other agents'",
            () => "its own, byte for byte",
        };
        writeln!(table, "| {name} | {status} | {read} | {write} | {tested} |").expect("a string");
    }
    hold(&samples::workspace().join("docs/formats.md"), "formats", &table);
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Whether sessions of other formats can be written in this one.
fn takes_any(format: &dyn Format) -> bool {
    let mut memory = session::Memory::default();
    let bundle = session::Bundle::default().into();
    let foreign = session::Reading::new("another", &bundle, &mut memory).finish();
    let written = format.write_with(&foreign, &Options::default());
    !matches!(written, Err(WriteError::Foreign { .. }))
}
