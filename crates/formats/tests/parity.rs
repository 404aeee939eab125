//! Parity with the draft's own translator: verbatim's records of the draft's published sessions
//! (`vectors/vac-reference`) are compared with the translator's. Its entries are an ordered
//! subsequence of those here. Every value of its entries is at the same path here, except for its
//! faults, each by name. A fault that explains nothing any more fails the test too.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use session::{Bundle, Member, Stream};
use verbatim_formats::vac::record;
use verbatim_formats::{Options, by_name};

/// The sessions that the draft publishes, by format and file.
const SESSIONS: &[(&str, &str)] = &[
    ("claude-code", "claude-opus-4-5"),
    ("claude-code", "claude-opus-4-6"),
    ("codex", "codex-gpt-5-2"),
    ("codex", "codex-gpt-5-2-codex"),
    ("opencode", "opencode-claude-opus-4-5"),
    ("opencode", "opencode-claude-opus-4-6"),
    ("opencode", "opencode-gpt-5-2"),
    ("opencode", "opencode-gpt-5-2-codex"),
    ("cursor", "cursor-composer-1-5"),
    ("cursor", "cursor-gpt-5-2"),
    ("cursor", "cursor-gpt-5-3-codex"),
    ("cursor", "cursor-opus-4-6"),
    ("gemini", "gemini-gemini-3-pro-preview"),
];

/// Faults of the reference that we do not repeat, as listed in the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum JsonError {
    /// The id of a record is the session's: two exports of one session are one record.
    RecordIdIsSessionId,
    /// The record claims to be made by the reference.
    RecordingAgent,
    /// If the agent wrote no id, the session has a random one; the file's name is the id in our
    /// record.
    RandomId,
    /// The session starts with the first line's time; the header in it has the true one, which is
    /// earlier.
    LineTimeIsStart,
}

/// All faults, so that each must explain something.
const FAULTS: &[JsonError] = &[
    JsonError::RecordIdIsSessionId,
    JsonError::RecordingAgent,
    JsonError::RandomId,
    JsonError::LineTimeIsStart,
];

/// One value of the reference that is not at its path in our record.
struct Difference<'v> {
    path: String,
    theirs: &'v Value,
    ours: Option<&'v Value>,
}

impl Difference<'_> {
    /// The fault that explains it, if any.
    fn fault(&self, theirs: &Value, stem: &str) -> Option<JsonError> {
        let session = &theirs["session"]["session-id"];
        match self.path.as_str() {
            "/id" if self.theirs == session && session.is_string() => {
                Some(JsonError::RecordIdIsSessionId)
            }
            "/session/session-id" if is_random(self.theirs) && self.ours == Some(&stem.into()) => {
                Some(JsonError::RandomId)
            }
            "/session/session-start" | "/created"
                if stem.starts_with("codex") && self.is_earlier() =>
            {
                Some(JsonError::LineTimeIsStart)
            }
            "/recording-agent/name" | "/recording-agent/version" => Some(JsonError::RecordingAgent),
            _ => None,
        }
    }

    /// Whether our time is before theirs; both are in one form.
    fn is_earlier(&self) -> bool {
        let ours = self.ours.and_then(Value::as_str);
        ours.zip(self.theirs.as_str()).is_some_and(|(ours, theirs)| ours < theirs)
    }

    fn show(&self) -> String {
        let cut = |value: &Value| value.to_string().chars().take(100).collect::<String>();
        format!("{}: {} | {:?}", self.path, cut(self.theirs), self.ours.map(cut))
    }
}

/// Whether it is a UUID of version 4.
fn is_random(id: &Value) -> bool {
    let parts: Vec<&str> = id.as_str().unwrap_or_default().split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts[2].starts_with('4')
}

/// The values of `theirs` that `ours` lacks.
fn compare<'v>(
    path: &str,
    theirs: &'v Value,
    ours: Option<&'v Value>,
    found: &mut Vec<Difference<'v>>,
) {
    match (theirs, ours) {
        (Value::Object(map), Some(Value::Object(other))) => {
            for (key, value) in map {
                compare(&format!("{path}/{key}"), value, other.get(key), found);
            }
        }
        (Value::Array(list), Some(Value::Array(other))) if list.len() == other.len() => {
            for (at, (value, other)) in list.iter().zip(other).enumerate() {
                compare(&format!("{path}/{at}"), value, Some(other), found);
            }
        }
        _ if ours == Some(theirs) => {}
        _ => found.push(Difference { path: path.to_owned(), theirs, ours }),
    }
}

/// The faults that explain every difference, or the differences.
fn explained<'v>(
    theirs: &'v Value,
    ours: &'v Value,
    stem: &str,
) -> Result<Vec<JsonError>, Vec<Difference<'v>>> {
    let mut found = Vec::new();
    compare("", theirs, Some(ours), &mut found);
    let faults: Option<Vec<JsonError>> =
        found.iter().map(|found| found.fault(theirs, stem)).collect();
    faults.ok_or(found)
}

/// Our records of a file: one per session.
fn ours(shared: &Path, format: &str, stem: &str) -> Vec<Value> {
    let name = format!("{stem}.jsonl");
    let folder = shared.join("corpus").join(format);
    let path =
        folder.join("xor-hardener+draft-birkholz-verifiable-agent-conversations").join(&name);
    let bytes = std::fs::read(&path).expect("the draft's session");
    let member = Member::new(name, Stream::Main, bytes).expect("a short file");
    let format = by_name(format).expect("a format in the registry");
    let sessions = format.read(Arc::new(Bundle::of(member)));
    let records = sessions.iter().map(|session| record(session, &Options::default()));
    records.map(|text| serde_json::from_slice(&text).expect("a record is JSON")).collect()
}

/// Removes a record's entries and returns them.
fn take_entries(record: &mut Value) -> Vec<Value> {
    let entries = record.pointer_mut("/session/entries").map(Value::take);
    match entries {
        Some(Value::Array(entries)) => entries,
        other => panic!("no entries: {other:?}"),
    }
}

/// Finds each of their entries after the previous one in the same session: the reference makes one
/// session of a file, which may have several. Reports the nearest entry to a missing one.
fn subsequence(theirs: &[Value], ours: &[Vec<Value>]) -> Result<Vec<JsonError>, String> {
    let mut used = Vec::new();
    let mut rest: Vec<&[Value]> = ours.iter().map(Vec::as_slice).collect();
    for (number, entry) in theirs.iter().enumerate() {
        let mut near: Vec<(usize, String)> = Vec::new();
        let longest = rest.iter().map(|rest| rest.len()).max().unwrap_or(0);
        let sessions = rest.len();
        let places = (0..longest).flat_map(|at| (0..sessions).map(move |session| (session, at)));
        let found = places.filter(|&(session, at)| at < rest[session].len()).find_map(|place| {
            match explained(entry, &rest[place.0][place.1], "") {
                Ok(faults) => Some((place, faults)),
                Err(differences) => {
                    let shown: Vec<_> = differences.iter().map(Difference::show).collect();
                    near.push((shown.len(), shown.join("\n    ")));
                    near.sort();
                    near.truncate(2);
                    None
                }
            }
        });
        match found {
            Some(((session, at), faults)) => {
                used.extend(faults);
                rest[session] = &rest[session][at + 1..];
            }
            None => {
                let near: Vec<_> = near.into_iter().map(|(_, text)| text).collect();
                return Err(format!("entry {number} is missing; near:\n  {}", near.join("\n  ")));
            }
        }
    }
    Ok(used)
}

#[test]
fn the_reference_says_nothing_that_we_do_not() {
    let Some(vectors) = samples::shared("vectors/vac-reference") else { return };
    let Some(shared) = samples::shared("") else { return };
    let mut used: BTreeMap<JsonError, usize> = BTreeMap::new();
    for (format, stem) in SESSIONS {
        let text = std::fs::read(vectors.join(format!("{stem}.spec.json"))).expect("a reference");
        let mut theirs: Value = serde_json::from_slice(&text).expect("JSON");
        let mut ours = ours(&shared, format, stem);
        let their_entries = take_entries(&mut theirs);
        let our_entries: Vec<Vec<Value>> = ours.iter_mut().map(take_entries).collect();
        let mut faults = subsequence(&their_entries, &our_entries)
            .unwrap_or_else(|missing| panic!("{stem}: {missing}"));
        if let [ours] = ours.as_slice() {
            faults.extend(explained(&theirs, ours, stem).unwrap_or_else(|differences| {
                let shown: Vec<_> = differences.iter().map(Difference::show).collect();
                panic!("{stem}: the record differs:\n  {}", shown.join("\n  "))
            }));
        }
        for fault in faults {
            *used.entry(fault).or_default() += 1;
        }
    }
    for fault in FAULTS {
        assert!(used.contains_key(fault), "{fault:?} explains nothing: take it out");
    }
}

#[test]
fn a_missing_or_changed_value_is_seen() {
    let value = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    let theirs = [value(r#"{"a":1,"b":[1,{"c":null}]}"#), value(r#"{"a":2}"#)];
    let good = vec![value(r#"{"x":0}"#), theirs[0].clone(), value(r#"{"a":2,"more":true}"#)];
    assert_eq!(subsequence(&theirs, std::slice::from_ref(&good)), Ok(Vec::new()));
    let swapped = vec![good[2].clone(), good[1].clone()];
    assert!(subsequence(&theirs, std::slice::from_ref(&swapped)).is_err());
    let apart = swapped.into_iter().map(|entry| vec![entry]).collect::<Vec<_>>();
    assert_eq!(subsequence(&theirs, &apart), Ok(Vec::new()));
    for changed in [r#"{"a":1,"b":[1,{}]}"#, r#"{"a":1,"b":[1]}"#, r#"{"a":1,"b":[1,{"c":0}]}"#] {
        let changed = vec![value(changed), good[2].clone()];
        assert!(subsequence(&theirs, &[changed]).is_err());
    }
}
