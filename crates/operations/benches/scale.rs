//! `check --quick` at scale: bytes per CPU second, cores in use, peak memory, and whether the cost
//! stays linear.
//!
//! `cargo bench -p verbatim-catalog --bench scale [-- MEGABYTES]` (1000 by default) writes its
//! input into a temporary folder, from the corpus if it is present, else from the samples. Each row
//! is the median of five runs, because the speed of a shared machine changes by a factor of two.
//! Each run is a process of its own, so that its memory is measured alone. The last column is a
//! scan for line ends and UTF-8 over the same bytes in the same process: a busy machine slows both.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use catalog::Catalog;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    match args.first().map(String::as_str) {
        Some("measure") => measure(Path::new(&args[1])),
        megabytes => {
            let megabytes = megabytes.and_then(|text| text.parse().ok()).unwrap_or(1000);
            run(megabytes);
        }
    }
}

fn run(megabytes: usize) {
    let temp = tempfile::tempdir().unwrap();
    println!(
        "{:34}{:>9}{:>9}{:>12}{:>7}{:>9}{:>9}{:>11}",
        "", "MB", "wall s", "MB/CPU-s", "cores", "find s", "RSS MB", "bare scan"
    );
    for part in [megabytes / 100, megabytes / 10, megabytes] {
        let folder = temp.path().join(format!("many-{part}"));
        repeated(&folder, part * 1_000_000, &originals());
        row(&format!("many files, {part} MB"), &folder);
        fs::remove_dir_all(&folder).unwrap();
    }
    let folder = temp.path().join("all");
    repeated(&folder, megabytes * 1_000_000, &of_all_agents());
    row(&format!("the same of all agents, {megabytes} MB"), &folder);
    fs::remove_dir_all(&folder).unwrap();
    let folder = temp.path().join("one");
    put(&folder, &one_file(megabytes * 1_000_000));
    row("one file", &folder);
    fs::remove_dir_all(&folder).unwrap();
    for blocks in [500, 1000, 2000, 4000] {
        let folder = temp.path().join(format!("blocks-{blocks}"));
        put(&folder, &line_of_blocks(blocks, 17_000));
        row(&format!("one line of {blocks} blocks"), &folder);
    }
    for depth in [1_000, 10_000, 100_000] {
        let folder = temp.path().join(format!("depth-{depth}"));
        put(&folder, &nested(depth, 20_000_000));
        row(&format!("lines nested {depth} deep"), &folder);
    }
    for sessions in [500, 1000, 2000, 4000] {
        let folder = temp.path().join(format!("rows-{sessions}"));
        database(&folder, sessions);
        row(&format!("a database of {sessions} sessions"), &folder);
    }
}

const ID: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11";

fn put(folder: &Path, text: &[u8]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(format!("{ID}.jsonl")), text).unwrap();
}

/// Files with their paths below a common folder.
type Originals = Vec<(PathBuf, Vec<u8>)>;

/// The available transcripts of Claude Code and Codex.
fn originals() -> Originals {
    let parts: &[&str] = if samples::corpus().is_some() {
        &["claude-code", "codex"]
    } else {
        &["claude_code", "codex"]
    };
    let mut found = below(parts);
    found.retain(|(path, _)| path.extension().is_some_and(|extension| extension == "jsonl"));
    found
}

/// All files of all agents.
fn of_all_agents() -> Originals {
    let mut found = below(&[""]);
    // The samples are in the source folder.
    let samples = |path: &Path| path.components().any(|part| part.as_os_str() == "samples");
    found.retain(|(path, _)| samples::corpus().is_some() || samples(path));
    found
}

fn below(parts: &[&str]) -> Originals {
    let root = samples::corpus().unwrap_or_else(|| samples::workspace().join("crates/formats/src"));
    let mut found = Vec::new();
    let mut todo: Vec<PathBuf> = parts.iter().map(|part| root.join(part)).collect();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let below = path.strip_prefix(&root).unwrap().to_path_buf();
            found.push((below, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Writes the originals repeatedly under new names.
fn repeated(folder: &Path, size: usize, originals: &Originals) {
    let mut written = 0;
    for round in 0.. {
        for (path, bytes) in originals {
            if written >= size {
                return;
            }
            let path = folder.join(round.to_string()).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
            written += bytes.len();
        }
    }
}

/// Writes a database of Cursor: a list of all sessions, and a row for each session and message.
fn database(folder: &Path, sessions: usize) {
    fs::create_dir_all(folder).unwrap();
    let mut connection = rusqlite::Connection::open(folder.join("state.vscdb")).unwrap();
    let tables = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);
        CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB);";
    connection.execute_batch(tables).unwrap();
    let rows = connection.transaction().unwrap();
    let put = |table: &str, key: &str, value: &str| {
        rows.execute(&format!("INSERT INTO {table} VALUES (?1, ?2)"), [key, value]).unwrap();
    };
    let mut listed = Vec::new();
    for number in 0..sessions {
        let id = format!("{number:08}-1111-4222-8333-444455556666");
        let words = "what was asked first, and more of it. ".repeat(16);
        let (name, bubbles) = (format!("\"composerId\":\"{id}\",\"name\":\"{words}\""), [1, 2]);
        listed.push(format!("{{{name},\"createdAt\":1731784700000}}"));
        let headers = bubbles.map(|kind| format!("{{\"bubbleId\":\"b{kind}\",\"type\":{kind}}}"));
        let composer =
            format!("{{{name},\"fullConversationHeadersOnly\":[{}]}}", headers.join(","));
        put("cursorDiskKV", &format!("composerData:{id}"), &composer);
        for kind in bubbles {
            let bubble =
                format!("{{\"type\":{kind},\"bubbleId\":\"b{kind}\",\"text\":\"{words}\"}}");
            put("cursorDiskKV", &format!("bubbleId:{id}:b{kind}"), &bubble);
        }
    }
    let list = format!("{{\"allComposers\":[{}]}}", listed.join(","));
    put("ItemTable", "composer.composerData", &list);
    rows.commit().unwrap();
}

/// A file with the lines of all originals of one format.
fn one_file(size: usize) -> Vec<u8> {
    let originals = originals();
    let lines = originals.iter().filter(|(path, _)| path.starts_with("claude-code"));
    let mut text = Vec::with_capacity(size + (1 << 24));
    for (_, bytes) in lines.cycle() {
        text.extend_from_slice(bytes);
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        if text.len() >= size {
            break;
        }
    }
    text
}

fn line(content: &str) -> String {
    format!(
        "{{\"parentUuid\":null,\"sessionId\":\"{ID}\",\"type\":\"user\",\"uuid\":\"u\",\
         \"timestamp\":\"2026-03-01T10:00:00Z\",\
         \"message\":{{\"role\":\"user\",\"content\":{content}}}}}\n"
    )
}

fn line_of_blocks(blocks: usize, size: usize) -> Vec<u8> {
    let block = |at: usize| {
        let text = "x".repeat(size);
        format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"t{at}\",\"content\":\"{text}\"}}")
    };
    let all: Vec<String> = (0..blocks).map(block).collect();
    line(&format!("[{}]", all.join(","))).into_bytes()
}

fn nested(depth: usize, size: usize) -> Vec<u8> {
    let value = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let content = format!(
        "[{{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{{\"deep\":{value}}}}}]"
    );
    let line = line(&content);
    line.repeat((size / line.len()).max(1)).into_bytes()
}

/// Number of runs for a row.
const TIMES: usize = 5;

/// Measures a folder, in separate processes.
fn row(name: &str, folder: &Path) {
    let once = |_| {
        let program = std::env::current_exe().unwrap();
        let output = Command::new(program).arg("measure").arg(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let mut rows: Vec<String> = (0..TIMES).map(once).collect();
    let speed = |row: &String| -> f64 { row.split_whitespace().nth(2).unwrap().parse().unwrap() };
    rows.sort_by(|a, b| speed(a).total_cmp(&speed(b)));
    println!("{name:34}{}", rows[TIMES / 2].trim_end());
}

/// Checks a folder and prints the cost.
fn measure(folder: &Path) {
    let catalog = Catalog::here();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let found = catalog.find(&[folder.to_path_buf()]);
    let finding = cpu_seconds() - cpu;
    let (job, depth) = (&catalog.machine.job, verbatim_operations::check::Depth::Quick);
    let checked = verbatim_operations::check(job, &found, depth, &|_| {}).expect("no signal");
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let bytes: u64 = checked.iter().map(|checked| checked.bytes()).sum();
    assert!(bytes > 0 && checked.iter().all(|checked| checked.lost.is_empty()));
    let (size, memory) = (bytes as f64 / 1e6, memory_high());
    drop(checked);
    let bare = bare_scan(&found);
    println!(
        "{size:>9.0}{wall:>9.2}{:>12.0}{:>7.1}{finding:>9.2}{memory:>9.0}{bare:>11.0}",
        size / cpu,
        cpu / wall
    );
}

/// Scans the same files for line ends and UTF-8; the speed in MB per CPU second.
fn bare_scan(found: &catalog::Found) -> f64 {
    let (mut size, mut cpu) = (0, 0.0);
    for file in found.sources.iter().flat_map(|source| &source.files) {
        if file.rows.is_some() {
            continue;
        }
        let bytes = fs::read(&file.path).unwrap();
        size += bytes.len();
        let start = Instant::now();
        std::hint::black_box(memchr::memchr_iter(b'\n', &bytes).count());
        std::hint::black_box(simdutf8::compat::from_utf8(&bytes).is_ok());
        cpu += start.elapsed().as_secs_f64();
    }
    if size == 0 { 0.0 } else { size as f64 / 1e6 / cpu }
}

/// The CPU time of all threads of this process on Linux; elsewhere the wall time.
fn cpu_seconds() -> f64 {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else {
        use std::sync::OnceLock;
        static START: OnceLock<Instant> = OnceLock::new();
        return START.get_or_init(Instant::now).elapsed().as_secs_f64();
    };
    // proc_pid_stat(5): fields 14 and 15, after the name, are in ticks of 1/100 s.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

/// Peak memory of this process in MB on Linux; elsewhere 0.
fn memory_high() -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1000.0 * 1.024
}
