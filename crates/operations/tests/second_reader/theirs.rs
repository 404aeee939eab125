//! Items as the second reader finds them: a Python program beside the real files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::items::Item;

/// The second reader: the folder of its program.
pub(crate) struct SecondReader(PathBuf);

impl SecondReader {
    /// The second reader; without it, or without Python, the test is skipped, and says so.
    pub(crate) fn find() -> Option<Self> {
        let folder = samples::shared("judges")?;
        let python = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
        if python.is_ok_and(|status| status.success()) {
            return Some(Self(folder));
        }
        let _ = writeln!(std::io::stderr(), "skipped: needs python3");
        None
    }
}

/// Reads many files in one process. Pictures have their bytes instead of a digest.
const PROGRAM: &str = r#"
import json, sys
import second_reader_told as reader
reader.h = lambda data: "".join(data.split())
read = reader.SRC[sys.argv[1]]
for line in sys.stdin:
    try: items = read(json.loads(line))
    except Exception as fault: items = None
    sys.stdout.write(json.dumps(items) + "\n")
"#;

/// The items of each file; `None` if the second reader does not take it.
pub(crate) fn read_all(
    reader: &SecondReader,
    agent: &str,
    paths: &[PathBuf],
) -> Vec<Option<Vec<Item>>> {
    let list: String = paths.iter().map(|path| line(path)).collect();
    let mut program = Command::new("python3")
        .args(["-B", "-c", PROGRAM, agent])
        .env("PYTHONPATH", &reader.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    let mut input = program.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || input.write_all(list.as_bytes()));
    let output = program.wait_with_output().expect("its output");
    writer.join().expect("a thread").expect("all paths are written");
    assert!(output.status.success(), "the second reader failed");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<_> = text.lines().map(items).collect();
    assert_eq!(answers.len(), paths.len());
    answers
}

fn line(path: &Path) -> String {
    format!("{}\n", Value::from(path.to_str().expect("UTF-8")))
}

fn items(line: &str) -> Option<Vec<Item>> {
    let value: Value = serde_json::from_str(line).expect("JSON");
    value.as_array().map(|items| items.iter().filter_map(item).collect())
}

fn item(item: &Value) -> Option<Item> {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let (kind, tag) = (text("kind"), text("tag"));
    Some(match kind {
        // Thoughts, documents and sealed values are in one of the two readers only.
        "think" | "sealed" | "document" => return None,
        // The answer of a tool that its call has too.
        "result" if tag == "dup" => return None,
        "user" | "own" => {
            Item::new("user", text("text"), if tag == "own" || kind == "own" { "own" } else { "" })
        }
        "text" => Item::new("text", text("text"), tag),
        "image" => Item::new("image", text("hash"), tag),
        "call" => Item::call(&item["args"], tag),
        _ => Item::new("result", text("text"), tag),
    })
}
