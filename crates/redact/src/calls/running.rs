//! Commands that run on when their call has ended: the ids that agents give to them, and the calls
//! that read their output.

use serde_json::Value;

/// The longest id, and the most bytes of a text in which ids are looked for.
const LONGEST: usize = 64;
const HEAD: usize = 16 << 10;

/// Folders in which agents keep what runs behind a call prints.
const FOLDERS: &[&[u8]] = &[b"tasks", b"terminals", b"shells", b"background"];

/// The ids in a text: the words behind `ID`, `session_id`, `backgroundTaskId`, `PID`.
pub(crate) fn ids(text: &[u8]) -> Vec<String> {
    let text = &text[..text.len().min(HEAD)];
    let is_end = |byte: &u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let (mut all, mut is_next) = (Vec::new(), false);
    for word in text.split(is_end).filter(|word| !word.is_empty()) {
        // `session ID is 4`.
        let is_between = matches!(word, b"is" | b"of");
        if is_next && !is_between && word.len() <= LONGEST {
            all.push(String::from_utf8_lossy(word).into_owned());
        }
        is_next = is_name(word) || (is_next && is_between);
    }
    all
}

/// Whether a word says that an id follows.
fn is_name(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 4] = [b"id", b"ids", b"pid", b"pids"];
    const ENDS: [&[u8]; 7] = [b"_id", b"-id", b"Id", b"ID", b"_pid", b"Pid", b"PID"];
    WORDS.iter().any(|of| word.eq_ignore_ascii_case(of)) || ENDS.iter().any(|of| word.ends_with(of))
}

/// Whether an input names the file in which an agent keeps the output of what has this id.
pub(crate) fn reads_output(input: &[u8], id: &str) -> bool {
    let is_long = id.len() >= 6 && id.bytes().any(|byte| byte.is_ascii_digit());
    memchr::memmem::find_iter(input, id.as_bytes()).any(|at| {
        let (before, behind) = (&input[..at], input.get(at + id.len()));
        let Some((b'/' | b'\\', folder)) = before.split_last() else { return false };
        let folder = folder.strip_suffix(b"\\").unwrap_or(folder);
        let is_kept = FOLDERS.iter().any(|of| folder.ends_with(of));
        (is_long || is_kept) && !behind.is_some_and(u8::is_ascii_alphanumeric)
    })
}

/// Whether an input types a command into a session that runs, not only a key or an answer.
pub(crate) fn types_command(input: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(input) else { return false };
    let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let value = inner.unwrap_or(value);
    ["chars", "input", "data", "text"].iter().any(|name| {
        let typed = value.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        typed.len() > 1 && typed.starts_with(|of: char| of.is_ascii_alphabetic() || of == '$')
    })
}
