//! Draws findings of real sessions for somebody who judges whether they are true, who should not
//! have written the rules: `cargo run -p verbatim-operations --example judge_findings -- [--each N]
//! [--sheet] PATH...`.
//!
//! Of the sessions below the paths, the findings of the profile `secrets` are taken, each distinct
//! value once. Of each rule the first N (20) are drawn in the order of their keyed tags, which is
//! by chance and the same each time. Without `--sheet`, each is printed with what is around it:
//! these are real values, for this terminal alone, and belong in no file. With `--sheet`, a row is
//! printed for each, without its value: put `true` or `false` in the place of `?`, and keep the
//! rows in `crates/operations/tests/findings.judged`, whose counts are in `docs/share.md`.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use catalog::{Root, bundle, scan};
use redact::rules::Rules;
use redact::{Profile, RedactionOptions, Redactor, TagKey};
use session::{Bundle, Session};
use verbatim_operations::marked;
use views::visible::{Space, visible};

/// The fixed rule by which a finding is judged.
const RULE: &str = "\
Judge each value by itself, by this rule alone:
- true: it gives access to something, or did so, whoever it belongs to. A test account's password,
  an address by which anybody can read what was shared, and a key in a test's file are true.
- false: everything else. A name, a word, a path, a public address, an id, a digest, a placeholder,
  an example from a manual that never worked, and a part of a program are false.
If you cannot tell from what is around it, look at the file. Do not look at the rule's pattern.
";

/// The findings of a rule that are drawn if no number is given.
const EACH: usize = 20;
/// The bytes that are shown on each side of a value.
const AROUND: usize = 240;

/// A distinct value that a rule found.
struct Drawn {
    place: String,
    file: Arc<str>,
    around: String,
    places: u32,
}

/// The findings of each rule, in the order of their tags.
type Findings = BTreeMap<Arc<str>, BTreeMap<String, Drawn>>;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut each, mut is_sheet, mut roots) = (EACH, false, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match &*word {
            "--each" => each = words.next().ok_or("say how many findings of each rule")?.parse()?,
            "--sheet" => is_sheet = true,
            path => roots.push(Root::named(Path::new(path).to_owned())),
        }
    }
    if roots.is_empty() {
        return Err("name files or folders with sessions".into());
    }
    let found = findings(&roots)?;
    print(&found, each, is_sheet, &mut std::io::stdout().lock())?;
    Ok(())
}

/// The distinct findings of credentials in the sessions below some folders.
fn findings(roots: &[Root]) -> Result<Findings, Box<dyn Error>> {
    // The key of the test that reads the judgements, so that its tags are the same.
    let options = RedactionOptions::new(Profile::Secrets, TagKey::new([7; 32]));
    let redactor = Redactor::new(Rules::shipped()?, options);
    let mut found = Findings::new();
    let mut rules: BTreeMap<String, Arc<str>> = BTreeMap::new();
    for source in scan(formats::ALL, roots).sources {
        let sessions = source.format.read(Arc::new(bundle(&source).0));
        let sessions: Vec<&Session> = sessions.iter().collect();
        let Some(first) = sessions.first() else { continue };
        for entry in redactor.scan_report(&sessions, &marked(&sessions))?.entries {
            let tag = entry.tag.to_string();
            // A value counts for the rule that found it first.
            let rule = rules.entry(tag.clone()).or_insert_with(|| Arc::clone(&entry.rule));
            let of_rule = found.entry(Arc::clone(rule)).or_default();
            let drawn = of_rule.entry(tag).or_insert_with(|| Drawn {
                place: format!("{}:{} {}", entry.text.file, entry.line, entry.text.pointer),
                file: Arc::clone(&entry.text.file),
                around: around(&first.bundle, entry.member, entry.bytes),
                places: 0,
            });
            drawn.places += 1;
        }
    }
    Ok(found)
}

/// A value and what is around it, on one line on which nothing acts.
fn around(bundle: &Bundle, member: u32, (start, end): (u32, u32)) -> String {
    let bytes = bundle.bytes(member);
    let part = |from: usize, to: usize| {
        let text = String::from_utf8_lossy(bytes.get(from..to).unwrap_or_default()).into_owned();
        visible(&text, Space::Line).into_owned()
    };
    let (start, end) = (start as usize, (end as usize).min(bytes.len()));
    let before = part(start.saturating_sub(AROUND), start);
    let behind = part(end, (end + AROUND).min(bytes.len()));
    format!("{before} >>>{}<<< {behind}", part(start, end))
}

fn print(
    found: &Findings,
    each: usize,
    is_sheet: bool,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    if !is_sheet {
        writeln!(out, "{RULE}")?;
    }
    let mut number = 0;
    for (rule, values) in found {
        for (tag, Drawn { place, file, around, places }) in values.iter().take(each) {
            number += 1;
            // The names of files and members are texts of others.
            let (place, file) = (visible(place, Space::Line), visible(file, Space::Line));
            if is_sheet {
                writeln!(out, "? {rule} {tag} {file}")?;
                continue;
            }
            writeln!(out, "{number}. {rule}, {tag}, {places} places, first {place}")?;
            writeln!(out, "   {around}\n")?;
        }
    }
    if !is_sheet {
        let all: usize = found.values().map(BTreeMap::len).sum();
        writeln!(out, "{number} of {all} distinct values of {} rules", found.len())?;
    }
    Ok(())
}
