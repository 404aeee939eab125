//! Peak memory of commands on large input: at most the decompressed session plus 256 MiB, and at
//! most 256 MiB for refused input (SAFETY C4).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// Runs a command, and returns its exit code and the peak of its resident memory in bytes.
fn peak(home: &Path, arguments: &[&str]) -> (i32, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_verbatim"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // `VmHWM` is a running maximum, so only the last milliseconds of the process can be missed.
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(number.unwrap_or_default() * 1024);
        if let Some(code) = child.try_wait().unwrap() {
            return (code.code().unwrap_or(-1), peak);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A session with one line of this many bytes of text.
fn session(path: &Path, length: usize) {
    let line = "The harbour \\\"table\\\" has two high waters in a row.\\n";
    lines(path, |file| {
        write!(file, "\"")?;
        for _ in 0..length / line.len() {
            file.write_all(line.as_bytes())?;
        }
        writeln!(file, "\"}}}}")
    });
}

/// A session with one line of this many small objects.
fn dense(path: &Path, count: usize) {
    lines(path, |file| {
        write!(file, "\"tide\"}},\"toolUseResult\":{{\"rows\":[{{\"first\":true}}")?;
        for _ in 1..count {
            file.write_all(b",{\"index\":1234,\"name\":\"harbour pilot 1\"}")?;
        }
        writeln!(file, "]}}}}")
    });
}

/// A session of two lines. `end` writes the rest of the second line, from its content on.
fn lines(path: &Path, end: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let id = "5b0f2c1e-8f60-4a3b-9a9a-0b3f6f1c2d3e";
    let rest = format!(
        "\"sessionId\":\"{id}\",\"timestamp\":\"2026-03-01T10:00:00Z\",\"cwd\":\"/srv/tide\",\
         \"version\":\"2.1.0\",\"message\":{{\"role\":\"user\",\"content\":"
    );
    writeln!(file, "{{\"type\":\"user\",\"uuid\":\"a\",\"parentUuid\":null,{rest}\"tide\"}}}}")
        .unwrap();
    write!(file, "{{\"type\":\"user\",\"uuid\":\"b\",\"parentUuid\":\"a\",{rest}").unwrap();
    end(&mut file).unwrap();
    file.flush().unwrap();
}

#[test]
fn a_line_of_70_megabytes() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("5b0f2c1e-8f60-4a3b-9a9a-0b3f6f1c2d3e.jsonl");
    session(&path, 70_000_000);
    let source = path.to_str().unwrap();
    let target = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (vac, cbor, stead) = (target("v.vac.json"), target("v.vac.cbor"), target("v.stead.json"));
    let commands: [&[&str]; 9] = [
        &["list", source],
        &["show", source],
        &["usage", source],
        &["check", "--quick", source],
        &["check", source],
        &["validate", source],
        &["convert", source, "--to", "vac", "-o", &vac],
        &["convert", source, "--to", "vac", "--cbor", "-o", &cbor],
        &["convert", source, "--to", "stead", "-o", &stead],
    ];
    for command in commands {
        bounded(place.path(), command, &path);
    }
    for document in [vac, cbor, stead] {
        bounded(place.path(), &["validate", &document], document.as_ref());
    }
}

/// Runs a command that must succeed, with at most the length of its input plus 256 MiB of memory.
fn bounded(home: &Path, command: &[&str], input: &Path) {
    let length = fs::metadata(input).unwrap().len();
    let (code, peak) = peak(home, command);
    assert_eq!(code, 0, "{command:?}");
    assert!(peak <= length + 256 * MIB, "{command:?}: {} MiB", peak / MIB);
}

#[test]
fn a_line_of_many_small_objects() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("5b0f2c1e-8f60-4a3b-9a9a-0b3f6f1c2d3e.jsonl");
    dense(&path, 1_750_000);
    let source = path.to_str().unwrap();
    let stead = place.path().join("v.stead.json");
    let to_stead = ["convert", source, "--to", "stead", "-o", stead.to_str().unwrap()];
    let commands: [&[&str]; 7] = [
        &["list", source],
        &["show", source],
        &["usage", source],
        &["check", "--quick", source],
        &["check", source],
        &["validate", source],
        &to_stead,
    ];
    for command in commands {
        bounded(place.path(), command, &path);
    }
    bounded(place.path(), &["validate", stead.to_str().unwrap()], &stead);
    // The values of a record are kept in memory beside the text, so it can hold fewer of them.
    dense(&path, 1_250_000);
    let vac = place.path().join("v.vac.json");
    let vac = vac.to_str().unwrap();
    bounded(place.path(), &["convert", source, "--to", "vac", "-o", vac], &path);
    bounded(place.path(), &["validate", vac], vac.as_ref());
}

/// Shapes of lines with very many values, in a named field or as the content: the beginning, the
/// part that is repeated, and the end.
const DENSE: [(&str, &str, &str); 3] = [
    ("\"tide\"},\"toolUseResult\":[0", ",{}", "]}"),
    ("\"tide\"},\"toolUseResult\":{\"b\":1", ",\"a\":1", "}}"),
    ("[{\"type\":\"text\",\"text\":\"tide\"}", ",{\"type\":\"text\"}", "]}}"),
];

/// A reader that keeps something for each value needs many times the length of such a line.
#[test]
fn a_line_of_millions_of_tiny_values() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("5b0f2c1e-8f60-4a3b-9a9a-0b3f6f1c2d3e.jsonl");
    for (begin, part, end) in DENSE {
        lines(&path, |file| {
            file.write_all(begin.as_bytes())?;
            for _ in 0..30_000_000 / part.len() {
                file.write_all(part.as_bytes())?;
            }
            writeln!(file, "{end}")
        });
        each_command_is_bounded(place.path(), &path);
    }
}

/// Brackets that no reader enters: the line is kept unread, with a note.
#[test]
fn a_line_of_millions_of_levels() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("5b0f2c1e-8f60-4a3b-9a9a-0b3f6f1c2d3e.jsonl");
    let nested = vec![b'['; 35_000_000];
    let closing = vec![b']'; 35_000_000];
    lines(&path, |file| {
        file.write_all(&nested)?;
        file.write_all(&closing)?;
        writeln!(file, "}}}}")
    });
    each_command_is_bounded(place.path(), &path);
}

/// Runs the commands that read a session, and those that write a document of it.
fn each_command_is_bounded(home: &Path, session: &Path) {
    let source = session.to_str().unwrap();
    let target = |name: &str| home.join(name).to_str().unwrap().to_owned();
    let (vac, stead) = (target("v.vac.json"), target("v.stead.json"));
    let commands: [&[&str]; 5] = [
        &["show", source],
        &["usage", source],
        &["check", source],
        &["convert", source, "--to", "vac", "--force", "-o", &vac],
        &["convert", source, "--to", "stead", "--force", "-o", &stead],
    ];
    for command in commands {
        bounded(home, command, session);
    }
    for document in [source, &vac, &stead] {
        let length = fs::metadata(document).unwrap().len();
        let (code, peak) = peak(home, &["validate", document]);
        // A line that is kept unread is a fault, and a document may have too many values.
        assert!(code == 0 || code == 1, "{document}: {code}");
        assert!(peak <= length + 256 * MIB, "validate {document}: {} MiB", peak / MIB);
    }
}

#[test]
fn a_gigabyte_that_no_agent_wrote() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("notes.jsonl");
    File::create(&path).unwrap().set_len(1 << 30).unwrap();
    let path = path.to_str().unwrap();
    for command in [&["validate", path][..], &["check", path], &["list", path], &["show", path]] {
        let (code, peak) = peak(place.path(), command);
        assert!(code == 1 || code == 3 || code == 0, "{command:?}: {code}");
        assert!(peak <= 256 * MIB, "{command:?}: {} MiB", peak / MIB);
    }
}
