//! Labelled texts, true and false: recall and precision of the rules by class, in a table of
//! `rules/RECALL.md` (`UPDATE=1` renews it).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use verbatim_redact::rules::Rules;
use verbatim_redact::{Profile, RedactionOptions, Redactor, TagKey, plain};

const LIST: &str = include_str!("labelled/list.txt");
/// The number of texts that are made of each line.
const EACH: u64 = 10;

/// Characters by chance that is always the same.
fn made(state: &mut u64, alphabet: &[u8], length: usize) -> String {
    let mut next = || {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        char::from(alphabet[(*state >> 11) as usize % alphabet.len()])
    };
    (0..length).map(|_| next()).collect()
}

/// A line of the list with its characters by chance.
fn filled(line: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    made(&mut state, b"x", 9);
    let mut parts = line.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((spec, rest)) = part.split_once('}') else {
            out.push('{');
            out.push_str(part);
            continue;
        };
        let (kind, count) = spec.split_at(spec.chars().next().map_or(0, char::len_utf8));
        let count = count.parse();
        let alphabet: &[u8] = match kind {
            "A" => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            "h" => b"0123456789abcdef",
            "l" => b"bcdfghjklmnpqrstvwxz",
            "d" => b"0123456789",
            "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            _ => b"",
        };
        match count {
            Ok(count) if !alphabet.is_empty() => out.push_str(&made(&mut state, alphabet, count)),
            // It keeps a text from being taken for a credential.
            _ if matches!(spec, "_" | "x") => {}
            _ => write!(out, "{{{spec}}}").expect("memory"),
        }
        out.push_str(rest);
    }
    out.replace('¶', "\n")
}

/// Of one class: the values that are found, all of them, and the false texts with a finding.
#[derive(Default)]
struct Counts {
    found: u32,
    all: u32,
    wrong: u32,
    clean: u32,
}

fn counts() -> (BTreeMap<&'static str, Counts>, Vec<String>) {
    let options = RedactionOptions::new(Profile::Secrets, TagKey::new([3; 32]));
    let redactor = Redactor::new(Rules::shipped().expect("shipped"), options);
    let (mut classes, mut faults): (BTreeMap<&str, Counts>, Vec<String>) = Default::default();
    for line in LIST.lines().filter(|line| !line.starts_with('#')) {
        let (class, rest) = line.split_once(' ').expect("a class");
        let (label, text) = rest.split_once(' ').expect("a label");
        let counts = classes.entry(class).or_default();
        for seed in 1..=EACH {
            let text = filled(text, seed);
            let value = text.split_once('«').and_then(|(_, rest)| Some(rest.split_once('»')?.0));
            let plain = text.replace(['«', '»'], "");
            let session = plain::session("a", plain.clone().into_bytes()).expect("short");
            let draft = redactor.draft(&[&session], &[]).expect("drafted");
            let out = String::from_utf8_lossy(draft.bundle.members[0].bytes()).into_owned();
            if label == "+" {
                let is_found = !out.contains(value.expect("a value"));
                counts.all += 1;
                counts.found += u32::from(is_found);
                if !is_found && seed == 1 {
                    faults.push(format!("kept: {line}"));
                }
            } else {
                let is_wrong = !draft.findings.is_empty();
                counts.clean += 1;
                counts.wrong += u32::from(is_wrong);
                if is_wrong {
                    faults.push(format!("false: {plain} {:?}", draft.findings[0]));
                }
            }
        }
    }
    (classes, faults)
}

/// The judged findings over real sessions, and the document with their table.
const JUDGED: &str = "../operations/tests/findings.judged";
const DOCUMENT: &str = "../../docs/share.md";
const BEGIN: &str = "<!-- judged: made by the tests -->\n";
const END: &str = "<!-- /judged -->";

/// The number of findings of each rule that are true and false, in a table.
fn judged(rows: &str) -> String {
    let mut rules: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let mut words = row.split(' ');
        let is_false = words.next() == Some("false");
        let rule = words.next().expect("a rule");
        rules.entry(rule).or_default()[usize::from(is_false)] += 1;
    }
    let mut table = String::from("| rule | values | true | false |\n|---|---|---|---|\n");
    let mut all = [0, 0];
    for (rule, [good, wrong]) in &rules {
        writeln!(table, "| {rule} | {} | {good} | {wrong} |", good + wrong).expect("memory");
        all = [all[0] + good, all[1] + wrong];
    }
    let [good, wrong] = all;
    writeln!(table, "| all | {} | {good} | {wrong} |", good + wrong).expect("memory");
    table
}

#[test]
fn the_table_of_judged_findings_is_that_of_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path));
    let (Ok(rows), Ok(document)) = (read(JUDGED), read(DOCUMENT)) else {
        println!("skipped: the documents are not in the package");
        return;
    };
    let (before, rest) = document.split_once(BEGIN).expect("a mark");
    let (table, behind) = rest.split_once(END).expect("the other mark");
    let made = judged(&rows);
    if std::env::var_os("UPDATE").is_some() {
        let document = format!("{before}{BEGIN}{made}{END}{behind}");
        std::fs::write(root.join(DOCUMENT), document).expect("writable");
        return;
    }
    assert_eq!(table, made, "UPDATE=1 renews it");
}

#[test]
fn recall_and_precision_by_class_are_those_of_the_table() {
    let (classes, faults) = counts();
    let mut table = String::from(
        "# Recall and precision of the rules\n\nMade by `UPDATE=1 cargo test -p verbatim-redact \
         --test labelled` of the labelled texts in\n`tests/labelled/list.txt`.\n\n\
         | class | values | found | recall | false texts | with a finding | precision |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for (class, Counts { found, all, wrong, clean }) in &classes {
        let recall = 100.0 * f64::from(*found) / f64::from((*all).max(1));
        let precision = 100.0 * f64::from(*found) / f64::from((found + wrong).max(1));
        writeln!(
            table,
            "| {class} | {all} | {found} | {recall:.1} % | {clean} | {wrong} | {precision:.1} % |"
        )
        .expect("memory");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/RECALL.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &table).expect("writable");
    }
    println!("{}", faults.join("\n"));
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), table, "UPDATE=1 renews it");
    for (class, Counts { found, all, wrong, clean }) in &classes {
        assert!(found * 100 >= all * 95, "{class}: {found} of {all}");
        assert!(wrong * 100 <= clean * 5, "{class}: {wrong} of {clean} false");
    }
}
