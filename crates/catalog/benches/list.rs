//! Time of `list` on many short sessions, divided by the time of a rival: a program that walks the
//! folder, opens each file and reads its first 16 KiB. The figures are medians of seven pairs. The
//! rival has one thread, `list` one for each core. The goal is for the wall time; the CPU time of
//! all threads is printed beside it.
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;

use verbatim_catalog::Catalog;
use verbatim_catalog::Machine;

/// The number of sessions in the folder that both programs read.
const SESSIONS: usize = 5_000;
/// Number of measured pairs: a run of `list` and a run of the rival.
const PAIRS: usize = 7;
/// The goal: maximum cost of `list`, divided by that of the rival.
const MOST: f64 = 3.0;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join(".claude/projects");
    for at in 0..SESSIONS {
        let folder = home.join(format!("-srv-shop-{}", at % 50));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{at:08x}-1111-4222-8333-444455556666.jsonl")), talk(at))
            .unwrap();
    }
    let catalog = Catalog { formats: formats::ALL, machine: Machine::default() };
    let paths = [home.clone()];
    let ours = || assert_eq!(catalog.list(&paths, false).entries.len(), SESSIONS);
    let rival = || assert_eq!(walk(&home), SESSIONS);
    ours();
    rival();
    let pairs: Vec<[Taken; 2]> = (0..PAIRS).map(|_| [taken(ours), taken(rival)]).collect();
    tell("wall time", &pairs, |taken| taken.wall, &format!(" (the goal is {MOST}x at most)"));
    tell("CPU time", &pairs, |taken| taken.cpu, "");
}

/// Prints the medians of one kind of time, and their quotient.
fn tell(what: &str, pairs: &[[Taken; 2]], time: impl Fn(&Taken) -> f64, note: &str) {
    let median = |of: &dyn Fn(&[Taken; 2]) -> f64| {
        let mut all: Vec<f64> = pairs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let (ours, rival) = (median(&|pair| time(&pair[0])), median(&|pair| time(&pair[1])));
    let _ = writeln!(
        std::io::stdout(),
        "{SESSIONS} short sessions, {what}: list {:.1} ms, open and read 16 KiB {:.1} ms: \
         {:.2}x{note}",
        ours * 1e3,
        rival * 1e3,
        ours / rival
    );
}

/// A short session: a prompt, a call, an answer.
fn talk(at: usize) -> String {
    let mut text = String::new();
    for step in 0..8 {
        let kind = if step % 2 == 0 { "user" } else { "assistant" };
        let of = format!(r#""uuid":"{at}-{step}","parentUuid":null,"sessionId":"{at:08x}""#);
        let time = format!("2026-05-04T08:{:02}:{step:02}.000Z", at % 60);
        let said = format!("Round the price of item {at} to whole cents, step {step}");
        let message = match step % 2 {
            0 => format!(r#"{{"role":"user","content":"{said}"}}"#),
            _ => {
                let content = format!(r#"[{{"type":"text","text":"{said}"}}]"#);
                format!(r#"{{"id":"m{step}","model":"model-1","content":{content}}}"#)
            }
        };
        text.push_str(&format!(
            r#"{{"type":"{kind}",{of},"cwd":"/srv/shop","timestamp":"{time}","message":{message}}}"#
        ));
        text.push('\n');
    }
    text
}

/// The rival: walks the folder, opens each file and reads its beginning.
fn walk(folder: &Path) -> usize {
    let mut room = vec![0; 16 * 1024];
    let (mut folders, mut count) = (vec![folder.to_path_buf()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let mut file = File::open(entry.path()).unwrap();
            let read = file.read(&mut room).unwrap();
            count += usize::from(std::hint::black_box(read) > 0);
        }
    }
    count
}

/// Times of one run, in seconds.
struct Taken {
    wall: f64,
    cpu: f64,
}

fn taken(work: impl Fn()) -> Taken {
    let (begin, cpu) = (Instant::now(), cpu_seconds());
    work();
    Taken { wall: begin.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu }
}

/// The CPU time of all threads of this process. On Windows it is not measured.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    f64::NAN
}
