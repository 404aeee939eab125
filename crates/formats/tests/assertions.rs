//! Assertions about the goldens, by another JSON parser and without their writers: times, secrets,
//! made values, ids. Each assertion is shown to fail on a golden that was changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::Root;
use serde_json::{Value, json};
use verbatim_formats::secrets;

/// Prefixes of tokens that give access to a service.
const TOKENS: [&str; 13] = [
    "sk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "AKIA",
    "xoxb-",
    "xoxp-",
    "AIza",
    "glpat-",
    "eyJhbGci",
];

/// Calls `see` with each text in a value, names of members included. Texts that are JSON themselves
/// are entered.
fn texts(value: &Value, see: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => {
            see(text);
            if text.starts_with(['{', '['])
                && let Ok(inner) = serde_json::from_str::<Value>(text)
            {
                texts(&inner, see);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| texts(element, see)),
        Value::Object(members) => {
            for (name, value) in members {
                see(name);
                texts(value, see);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A sample: its texts, by another parser, and the values that give access to something.
#[derive(Default)]
struct Sample {
    texts: String,
    secrets: BTreeSet<String>,
    /// The ids of the whole lines.
    ids: BTreeSet<String>,
}

impl Sample {
    fn read(path: &Path) -> Self {
        let mut sample = Self::default();
        for source in catalog::scan(verbatim_formats::ALL, &[Root::named(path)]).sources {
            let bundle = Arc::new(catalog::bundle(&source).0);
            for member in &bundle.members {
                sample.texts += &String::from_utf8_lossy(member.bytes());
                let whole: Vec<Value> =
                    serde_json::from_slice(member.bytes()).into_iter().collect();
                let lines = member.bytes().split(|&byte| byte == b'\n').flat_map(|line| {
                    serde_json::Deserializer::from_slice(line).into_iter().map_while(Result::ok)
                });
                for value in whole.into_iter().chain(lines) {
                    sample.ids.extend(value["id"].as_str().map(str::to_owned));
                    texts(&value, &mut |text| sample.texts += &format!("\n{text}\n"));
                }
            }
            for session in source.format.read(Arc::clone(&bundle)) {
                for secret in secrets::secrets(&session) {
                    let raw = secret.span.of(bundle.bytes(secret.member));
                    let plain = String::from_utf8_lossy(raw).into_owned();
                    let value = serde_json::from_slice(raw).unwrap_or(Value::from(plain));
                    texts(&value, &mut |text| _ = sample.secrets.insert(text.to_owned()));
                }
            }
        }
        sample.secrets.retain(|secret| secret.len() > 5);
        sample
    }

    /// Whether the session has a value: each line of each of its texts.
    fn tells(&self, value: &Value) -> bool {
        let mut told = true;
        texts(value, &mut |text| told &= text.lines().all(|line| self.texts.contains(line)));
        told
    }
}

/// The goldens of one session.
struct Golden {
    name: String,
    record: Value,
    /// A session that is a stead document has no other.
    document: Option<Value>,
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn has(marks: &Value, word: &str) -> bool {
    elements(marks).any(|mark| mark == word)
}

impl Golden {
    /// All entries of the record, the children behind their parent.
    fn entries(&self) -> Vec<&Value> {
        let mut open: Vec<&Value> = elements(&self.record["session"]["entries"]).collect();
        open.reverse();
        let mut entries = Vec::new();
        while let Some(entry) = open.pop() {
            entries.push(entry);
            open.extend(elements(&entry["children"]).collect::<Vec<_>>().into_iter().rev());
        }
        entries
    }

    fn events(&self) -> impl Iterator<Item = &Value> {
        self.document.iter().flat_map(|document| elements(&document["events"]))
    }

    /// Whether a key of an entry is marked as made, by its layout or itself.
    fn is_made(&self, entry: &Value, key: &str) -> bool {
        let kind = entry["type"].as_str().unwrap_or_default();
        let name = match (entry["verbatim"]["case"].as_str(), entry["event-type"].as_str()) {
            (Some(case), _) => case.to_owned(),
            (None, Some(event)) => format!("{kind}/{event}"),
            (None, None) => kind.to_owned(),
        };
        let layout = &self.record["session"]["verbatim"]["paths"][&name];
        has(&layout["made"], key) || has(&entry["verbatim"]["made"], key)
    }

    /// The times of both documents, each with whether it is the session's own.
    fn times(&self) -> Vec<(&str, bool)> {
        let session = &self.record["session"];
        let of_record =
            [&self.record["created"], &session["session-start"], &session["session-end"]];
        let of_entries = self.entries().into_iter().map(|entry| &entry["timestamp"]);
        let mut times: Vec<(&Value, bool)> =
            of_record.into_iter().chain(of_entries).map(|time| (time, true)).collect();
        if let Some(document) = &self.document {
            let made = &document["extensions"]["verbatim"]["made"];
            for key in ["created_at", "updated_at"] {
                let own = !has(made, &format!("metadata.{key}"));
                times.push((&document["metadata"][key], own));
            }
            times.push((&document["source"]["imported_at"], false));
        }
        times.extend(self.events().map(|event| {
            (&event["timestamp"], event["extensions"]["verbatim"]["inferred_time"] != true)
        }));
        times.into_iter().filter_map(|(time, own)| Some((time.as_str()?, own))).collect()
    }

    fn faults(&self, sample: &Sample) -> Vec<String> {
        let mut faults = Vec::new();
        self.judge_times(&mut faults);
        self.judge_secrets(sample, &mut faults);
        self.judge_made(sample, &mut faults);
        self.judge_outcomes(sample, &mut faults);
        self.judge_ids(sample, &mut faults);
        faults
    }

    /// 1970 is nobody's time: a document has it only if the session has no time, and marks it.
    fn judge_times(&self, faults: &mut Vec<String>) {
        let times = self.times();
        let knows = times.iter().any(|(_, own)| *own);
        for (time, own) in times.iter().filter(|(time, _)| time.starts_with("1970")) {
            if knows || *own {
                faults.push(format!("time: {time}"));
            }
        }
    }

    fn judge_secrets(&self, sample: &Sample, faults: &mut Vec<String>) {
        for document in [Some(&self.record), self.document.as_ref()].into_iter().flatten() {
            texts(document, &mut |text| {
                if let Some(secret) = sample.secrets.iter().find(|secret| text.contains(*secret)) {
                    faults.push(format!("secret: {secret}"));
                }
                if let Some(token) = token(text) {
                    faults.push(format!("secret: {token}"));
                }
            });
        }
    }

    /// A model, name, input or output is the session's, or marked.
    fn judge_made(&self, sample: &Sample, faults: &mut Vec<String>) {
        let mut judge = |what: &str, value: &Value, is_marked: bool| {
            if !is_marked && !value.is_null() && !sample.tells(value) {
                faults.push(format!("made: {what} {value}"));
            }
        };
        let session = &self.record["session"];
        let key = "session.agent-meta.model-id";
        let is_marked = has(&session["verbatim"]["made"], key);
        judge(key, &session["agent-meta"]["model-id"], is_marked);
        for entry in self.entries() {
            judge("model-id", &entry["model-id"], false);
            if entry["type"] == "tool-call" || entry["type"] == "tool-result" {
                for key in ["name", "input", "output"] {
                    judge(key, &entry[key], self.is_made(entry, key));
                }
            }
        }
        for event in self.events() {
            let (payload, made) = (&event["payload"], &event["extensions"]["verbatim"]["made"]);
            for key in ["tool_name", "input", "output_text", "error_text"] {
                judge(key, &payload[key], has(made, key));
            }
        }
    }

    /// An outcome is the session's, or marked: both documents, by their own writers, agree.
    fn judge_outcomes(&self, sample: &Sample, faults: &mut Vec<String>) {
        let paths = &self.record["session"]["verbatim"]["paths"];
        let results = self.entries().into_iter().filter(|entry| entry["type"] == "tool-result");
        let told = results.filter(|entry| !entry["status"].is_null());
        let told: Vec<&Value> = told.filter(|entry| !self.is_made(entry, "status")).collect();
        for entry in &told {
            let case = entry["verbatim"]["case"].as_str().unwrap_or("tool-result");
            if paths[case]["keys"]["status"].is_string() && !sample.tells(&entry["status"]) {
                faults.push(format!("outcome: status {}", entry["status"]));
            }
        }
        let results = self.events().filter(|event| event["payload"]["ok"].is_boolean());
        let is_made = |event: &&Value| has(&event["extensions"]["verbatim"]["made"], "ok");
        let own = results.filter(|event| !is_made(event)).count();
        if self.document.is_some() && own != told.len() {
            faults.push(format!("outcome: {} in the record, {own} beside it", told.len()));
        }
    }

    /// The id of a live entry is its own among those of its kind, and each parent exists, unless
    /// the sample lacks its line.
    fn judge_ids(&self, sample: &Sample, faults: &mut Vec<String>) {
        let entries = self.entries();
        let all: Vec<&str> = entries.iter().filter_map(|entry| entry["id"].as_str()).collect();
        let mut live = BTreeSet::new();
        for entry in entries {
            let kind = (entry["type"].as_str(), entry["event-type"].as_str());
            let is_live = entry["verbatim"]["standing"].is_null();
            let id = entry["id"].as_str().filter(|_| is_live);
            if let Some(id) = id.filter(|id| !live.insert((kind, id.to_owned()))) {
                faults.push(format!("id: {id} twice"));
            }
            let is_lost = |id: &str| sample.texts.contains(id) && !sample.ids.contains(id);
            let missing = entry["parent-id"].as_str().filter(|id| !all.contains(id));
            if let Some(parent) = missing.filter(|id| !is_lost(id)) {
                faults.push(format!("id: no parent {parent}"));
            }
        }
        let mut uids = BTreeSet::new();
        for (at, event) in (0_u64..).zip(self.events()) {
            if !uids.insert(event["event_uid"].as_str()) || event["sequence"] != at {
                faults.push(format!("id: {}", event["event_uid"]));
            }
        }
    }
}

/// A token that gives access to a service.
fn token(text: &str) -> Option<&str> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    TOKENS.iter().find_map(|prefix| {
        text.match_indices(prefix).find_map(|(at, _)| {
            let begins = at == 0 || !is_part(text.as_bytes()[at - 1]);
            let rest = &text.as_bytes()[at + prefix.len()..];
            let length = rest.iter().take_while(|byte| is_part(**byte)).count();
            (begins && length >= 12).then(|| &text[at..at + prefix.len() + length])
        })
    })
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths: BTreeSet<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.into_iter().collect()
}

fn parsed(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// Every golden, with its sample.
fn goldens() -> Vec<(Golden, Arc<Sample>)> {
    let crates = samples::workspace().join("crates/formats");
    let mut goldens: Vec<(Golden, Arc<Sample>)> = Vec::new();
    let mut last = (PathBuf::new(), Arc::default());
    for folder in below(&crates.join("goldens")).iter().filter(|path| path.is_dir()) {
        let format = folder.file_name().expect("a name").to_string_lossy().into_owned();
        for path in below(folder) {
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            let Some(name) = file.strip_suffix(".vac.json") else { continue };
            let (sample, _) = name.rsplit_once('-').expect("a number");
            let home = samples::format(&format).join("samples").join(sample);
            if last.0 != home {
                last = (home.clone(), Arc::new(Sample::read(&home)));
            }
            let other = folder.join(format!("{name}.stead.json"));
            let document = other.exists().then(|| parsed(&other));
            let (name, record) = (format!("{format}/{name}"), parsed(&path));
            let golden = Golden { name, record, document };
            goldens.push((golden, Arc::clone(&last.1)));
        }
    }
    goldens
}

#[test]
fn goldens_are_true() {
    let goldens = goldens();
    let of = |(golden, sample): &(Golden, Arc<Sample>)| -> Vec<String> {
        let faults = golden.faults(sample).into_iter();
        faults.map(|fault| format!("{}: {fault}", golden.name)).collect()
    };
    let faults: Vec<String> = goldens.iter().flat_map(of).collect();
    assert!(goldens.len() > 120, "{} goldens", goldens.len());
    let secrets = goldens.iter().flat_map(|(_, sample)| &sample.secrets);
    let secrets: BTreeSet<&String> = secrets.collect();
    assert!(secrets.len() > 2, "the samples have too few secrets: {secrets:?}");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Each assertion fails on a golden that has the fault.
#[test]
fn changed_goldens_are_found_out() {
    let all = goldens().into_iter();
    let mut named = all.filter(|(golden, _)| golden.name == "claude-code/agents-1");
    let (golden, sample) = named.next().expect("a golden");
    let pristine = (golden.record, golden.document.expect("a document"));
    let faults = |change: &dyn Fn(&mut Value, &mut Value)| {
        let (mut record, mut document) = pristine.clone();
        change(&mut record, &mut document);
        let golden = Golden { name: String::new(), record, document: Some(document) };
        golden.faults(&sample)
    };
    assert_eq!(faults(&|_, _| {}), [""; 0]);
    let epoch = || json!("1970-01-01T00:00:00Z");
    let made_up = || json!("made up by nobody");
    let of = |record: &Value, kind: &str| {
        let entries = record["session"]["entries"].as_array().expect("entries");
        entries.iter().position(|entry| entry["type"] == kind).expect("an entry")
    };
    type Change<'c> = &'c dyn Fn(&mut Value, &mut Value);
    let changes: [(&str, Change<'_>); 14] = [
        ("time", &|record, _| record["session"]["session-start"] = epoch()),
        ("time", &|record, _| record["session"]["entries"][1]["timestamp"] = epoch()),
        ("time", &|_, document| document["events"][1]["timestamp"] = epoch()),
        ("time", &|_, document| document["metadata"]["created_at"] = epoch()),
        ("secret", &|record, _| {
            record["session"]["entries"][1]["content"] = json!("use ghp_0123456789abcdef0123");
        }),
        ("secret", &|_, document| {
            document["events"][1]["raw_vendor_payload"] = json!({"k": "sk-ant-0123456789abcdef"});
        }),
        ("made", &|record, _| record["session"]["agent-meta"]["model-id"] = made_up()),
        ("made", &|record, _| {
            let at = of(record, "assistant");
            record["session"]["entries"][at]["children"][0]["name"] = made_up();
        }),
        ("made", &|record, _| {
            let at = of(record, "assistant");
            record["session"]["entries"][at]["children"][0]["input"] = json!({"a": made_up()});
        }),
        ("made", &|_, document| document["events"][0]["payload"]["output_text"] = made_up()),
        ("outcome", &|record, _| {
            let paths = record["session"]["verbatim"]["paths"].as_object_mut().expect("paths");
            paths.values_mut().for_each(|layout| layout["made"] = json!([]));
        }),
        ("id", &|record, _| record["session"]["entries"][1]["parent-id"] = made_up()),
        ("id", &|record, _| {
            let entry = record["session"]["entries"][1].clone();
            record["session"]["entries"].as_array_mut().expect("entries").push(entry);
        }),
        ("id", &|_, document| {
            document["events"][1]["event_uid"] = document["events"][0]["event_uid"].clone();
        }),
    ];
    for (number, (what, change)) in changes.iter().enumerate() {
        let faults = faults(*change);
        let found = faults.iter().any(|fault| fault.starts_with(what));
        assert!(found, "change {number}, {what}: {faults:?}");
    }
}
