//! The guides in `docs/` show the output of the commands, run in a folder after `demo`.
//! `UPDATE=1 cargo test` refreshes them.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use catalog::Machine;
use session::UtcTime;
use verbatim_cli::Environment;

mod common;
use common::Place;

/// The blocks of commands, each with its guide, in an order in which each finds the files that it
/// needs.
const BLOCKS: [(&str, &str); 15] = [
    ("documents", "documents"),
    ("books", "carry"),
    ("move", "resume"),
    ("books", "fidelity"),
    ("share", "share"),
    ("migrate", "migrate"),
    ("proof", "proof"),
    ("usage", "usage"),
    ("where", "attribution"),
    ("blame", "blame"),
    ("blame", "query"),
    ("mcp", "config"),
    ("prove", "prove"),
    ("prove", "parts"),
    ("keep", "keep"),
];

/// The text between the marks of a name, with the text before and after it.
fn part<'r>(readme: &'r str, name: &str) -> (&'r str, &'r str, &'r str) {
    let open = format!("<!-- {name}: made by the tests -->\n");
    let start = readme.find(&open).unwrap() + open.len();
    let end = start + readme[start..].find(&format!("<!-- /{name} -->")).unwrap();
    (&readme[..start], &readme[start..end], &readme[end..])
}

/// The commands of a block, and their output.
fn block(place: &Place, shown: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_verbatim")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut printed = String::from("```\n");
    for command in shown.lines().filter(|line| line.starts_with("$ ")) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{} 2>&1", &command[2..])]).current_dir(place.path());
        let ran = shell.env_clear().env("HOME", place.path().join("home")).env("PATH", &path);
        let out = String::from_utf8(ran.output().unwrap().stdout).unwrap();
        let real = place.path().canonicalize().unwrap();
        let out = out.replace(&format!("{}/home", place.path().display()), "/home/ana");
        let out = out.replace(&*real.to_string_lossy(), "/home/ana/project");
        printed.push_str(&format!(
            "{command}\n{}",
            with_fixed_age(&with_fixed_keys(&with_fixed_tags(&out)))
        ));
    }
    printed + "```\n"
}

/// The text with the same tag in each placeholder: tags are of one run only.
fn with_fixed_tags(text: &str) -> String {
    let mut parts = text.split("[REDACTED:");
    let mut fixed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (head, rest) = part.split_once(']').unwrap();
        let class = head.split(':').next().unwrap();
        fixed.push_str(&format!("[REDACTED:{class}:K3J5QZ7RMA]{rest}"));
    }
    fixed
}

/// The text with the same age of the table of prices: it is of one day only.
fn with_fixed_age(text: &str) -> String {
    let Some((head, rest)) = text.split_once(" days old); subscriptions") else {
        return text.to_owned();
    };
    let head = head.trim_end_matches(|it: char| it.is_ascii_digit() || it == ',');
    format!("{head}117 days old); subscriptions{rest}")
}

/// The text with the same key and the same time of a signature: they are of one run only.
fn with_fixed_keys(text: &str) -> String {
    let digest = "Yk3vXq0Lw8n5RZsTtJ2fUeBcGhAoPdMi7NxKy4W6rQE";
    let parts = ["SHA256:", "sha-256:", "signed at   "];
    let fixed = [digest, digest, "2026-11-25T12:00:00Z"];
    let line = |line: &str| {
        let base64 = |it: char| it.is_ascii_alphanumeric() || "+/=".contains(it);
        if line.len() > 40 && line.chars().all(base64) {
            return format!("MCowBQYDK2VwAyEA{digest}=");
        }
        parts.iter().zip(fixed).fold(line.to_owned(), |line, (name, value)| {
            let Some(at) = line.find(name) else { return line };
            let from = at + name.len();
            let rest = line[from..].find([' ', ',', ')']).map_or(line.len(), |end| from + end);
            format!("{}{value}{}", &line[..from], &line[rest..])
        })
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The beginning of the record, up to its second entry.
fn record(place: &Place) -> String {
    let ran = place.run(&["convert", "record.json", "--to", "vac", "--pretty"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wide = ran.out;
    let end = wide.find("\n      },\n").unwrap();
    format!("```json\n{}\n      }},\n```\n", &wide[..end])
}

/// The beginning of the output of `demo`, at a fixed time. Its files are kept for the other
/// commands.
fn demo(place: &Place) -> String {
    std::env::set_current_dir(place.path()).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut env = Environment {
        formats: formats::ALL,
        machine: Machine::default(),
        now: UtcTime(1_795_000_000_000_000),
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        width: None,
        links: false,
        err_terminal: false,
    };
    let args = ["verbatim", "demo"].into_iter().map(Into::into);
    assert_eq!(verbatim_cli::run(args, &mut env), 0, "{}", String::from_utf8_lossy(&err));
    let out = String::from_utf8(out).unwrap();
    let end = out.find("\n3  ").unwrap();
    format!("```\n{}```\n", &out[..end])
}

/// The file that a session of the demo edited, as it left it, and with a line of a person since.
fn edited(place: &Place) {
    let text = "//! Value added tax.\n\n/// The rate in hundredths of a percent.\npub struct \
                Rate(pub u32);\n\n/// The tax on a net amount in cents, rounded.\npub fn tax(net: \
                i64, rate: &Rate) -> i64 {\n    round(net * i64::from(rate.0))\n}\n\n/// The tax \
                on all lines of a bill.\n#[must_use]\npub fn on_bill(lines: &[(i64, Rate)]) -> i64 \
                {\n    round(lines.iter().map(|(net, rate)| net * i64::from(rate.0)).sum())\n}\n\n\
                /// Hundredths of a percent of cents to cents: half a cent goes up.\nfn \
                round(exact: i64) -> i64 {\n    (exact + 5_000).div_euclid(10_000)\n}\n";
    let path = place.path().join("vat.rs");
    std::fs::write(&path, text).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_000_000);
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
}

fn guide(name: &str) -> PathBuf {
    samples::workspace().join(format!("docs/{name}.md"))
}

#[test]
fn the_guides_show_what_the_commands_print() {
    let place = Place::new();
    let begins = demo(&place);
    edited(&place);
    let shown = |(file, name)| {
        let text = std::fs::read_to_string(guide(file)).unwrap();
        (file, name, block(&place, part(&text, name).1))
    };
    let blocks = BLOCKS.map(shown);
    let mut texts = vec![("proof", "demo", begins), ("documents", "record", record(&place))];
    texts.extend(blocks);
    for (file, name, text) in texts {
        let path = guide(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        let (before, shown, behind) = part(&whole, name);
        if shown != text {
            assert!(std::env::var_os("UPDATE").is_some(), "{name}: UPDATE=1 renews docs/{file}.md");
            std::fs::write(&path, format!("{before}{text}{behind}")).unwrap();
        }
    }
    // Each record that the demo writes is valid.
    let records = place.path().join("verbatim-demo/records");
    let files = std::fs::read_dir(records).unwrap().map(|file| file.unwrap().path());
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    assert!(files.len() > 100 && files.iter().all(|file| file.ends_with(".json")));
    let args: Vec<&str> =
        ["validate"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let ran = place.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

/// The README is one page: what a reader takes in at once, in a window of 96 columns.
#[test]
fn the_readme_is_one_page() {
    let readme = std::fs::read_to_string(samples::workspace().join("README.md")).unwrap();
    let words = readme.split_whitespace().count();
    assert!(words <= 1200, "{words} words");
    let wide = readme.lines().find(|line| line.chars().count() > 96);
    assert_eq!(wide, None, "wider than 96 columns");
}

/// The table of commands has a row for each command of the help.
#[test]
fn the_readme_lists_every_command() {
    let readme = std::fs::read_to_string(samples::workspace().join("README.md")).unwrap();
    let help = std::fs::read_to_string(samples::workspace().join("crates/cli/help.txt")).unwrap();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    // A line that continues a description begins further in.
    let rows = commands.lines().filter(|line| !line.starts_with("    "));
    let names = rows.filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        let row = format!("| `verbatim {name}");
        assert!(readme.lines().any(|line| line.starts_with(&row)), "{name} has no row");
    }
}
