//! The folder of a new agent: `cargo run -p verbatim-tidy --bin new-agent -- Quill`, at the root of
//! the workspace. It writes a reader of lines of messages with its tables, places, a sample and a
//! test, and the agent's lines in the registry. Then replace what its files are not.
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

/// The files of the folder: their names and their templates.
const FILES: &[(&str, &str)] = &[
    ("mod.rs", include_str!("../../new-agent/mod.rs.txt")),
    ("map.rs", include_str!("../../new-agent/map.rs.txt")),
    ("locate.rs", include_str!("../../new-agent/locate.rs.txt")),
    ("tools.rs", include_str!("../../new-agent/tools.rs.txt")),
    ("tests.rs", include_str!("../../new-agent/tests.rs.txt")),
    ("FORMAT.md", include_str!("../../new-agent/FORMAT.md.txt")),
    ("samples/unmapped.txt", ""),
    (SAMPLE, include_str!("../../new-agent/first.jsonl.txt")),
];
const SAMPLE: &str = "samples/first/.NAME/sessions/6e0c2f0a-4f5b-4d0e-9d5c-0c1d2e3f4a5b.jsonl";

const AGENTS: &str = "crates/formats/src/agents";

/// The ends of the lists that an agent has a line in: the file, the text behind the new line, and
/// the line.
const LISTS: &[(&str, &str, &str)] = &[
    (
        "crates/formats/src/registry.rs",
        "use crate::format::Format;\n",
        "use crate::agents::FOLDER::TYPE;\n",
    ),
    ("crates/formats/src/registry.rs", "&Codex,", "&TYPE, "),
    (
        "crates/formats/src/registry.rs",
        "    (\"stead\", ",
        "    (\"FOLDER\", include_dir!(\"$CARGO_MANIFEST_DIR/src/agents/FOLDER/samples\")),\n",
    ),
];

fn main() -> ExitCode {
    let name = env::args().nth(1).unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric());
    let mut out = io::stderr().lock();
    let done = match is_name {
        true => make(&name).map(|()| next(&name.to_lowercase())),
        false => Err(io::Error::other("name the agent as a type: `new-agent Quill`")),
    };
    let (text, code) = match done {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(error) => (format!("{error}\n"), ExitCode::FAILURE),
    };
    let _ = out.write_all(text.as_bytes());
    code
}

/// The commands that make the generated files.
fn next(folder: &str) -> String {
    format!(
        "wrote {AGENTS}/{folder} and its lines; now\n  cargo fmt --all\n  UPDATE=1 cargo test \
         --workspace --test docs --test goldens\n  cargo test -p verbatim-formats\n"
    )
}

fn make(name: &str) -> io::Result<()> {
    let folder = name.to_lowercase();
    let home = Path::new(AGENTS).join(&folder);
    if home.exists() {
        return Err(io::Error::other(format!("{} exists", home.display())));
    }
    let own = |text: &str| {
        text.replace("FOLDER", &folder)
            .replace("NAME_", &format!("{folder}_"))
            .replace("TYPE", name)
    };
    let named = |text: &str| {
        own(text)
            .replace("\"NAME\"", &format!("\"{folder}\""))
            .replace(".NAME", &format!(".{folder}"))
    };
    // All texts are made before anything is written.
    let mut texts: Vec<(String, String)> = Vec::new();
    for (file, template) in FILES {
        texts.push((format!("{AGENTS}/{folder}/{}", named(file)), named(template)));
    }
    for (path, behind, line) in LISTS {
        let known = texts.iter().position(|(known, _)| known == path);
        let text = match known {
            Some(at) => texts.remove(at).1,
            None => fs::read_to_string(path)?,
        };
        let (before, rest) = text.split_once(behind).ok_or_else(|| {
            io::Error::other(format!("{path} has no {behind:?}: add {:?} by hand", own(line)))
        })?;
        texts.push(((*path).to_owned(), format!("{before}{}{behind}{rest}", own(line))));
    }
    let modules = format!("{AGENTS}/mod.rs");
    let text = fs::read_to_string(&modules)?;
    texts.push((modules, format!("{text}pub(crate) mod {folder};\n")));
    for (path, text) in &texts {
        if let Some(parent) = Path::new(path).parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}
