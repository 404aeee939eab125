//! Facts of turns: of the records in a session, and of the runtime store by itself. The names of
//! events and their payloads are those of the agent's own code (format reference, 2.2): an approval
//! has the id of its tool's call, a time-out is also decided as `deny`.

use std::collections::{BTreeMap, BTreeSet};

use session::{EventRef, Kind, value};

use crate::digest;
use crate::turns::{
    Border, EventFacts, HeldThought, MissingEvents, ShownBorders, StoreFault, StorePart,
    StoreRecords, ThreadFacts, Told, ToolFacts, TurnEnd, TurnFacts, TurnRules, TurnSetting,
    TurnStore, UsageFacts, word,
};

pub(super) static TURNS: TurnRules = TurnRules {
    begins: |_| false,
    end: Some(end),
    settings,
    border,
    shows,
    store: Some(&STORE),
    ..TurnRules::NONE
};

/// The receipts are those of the agent's own note on receipts.
static STORE: TurnStore = TurnStore { schema: super::RECEIPT, part, facts, tokens: super::TOKENS };

/// The status of a turn's record, or an answer that was stopped.
fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    let role = || word(event, &["role"]).or_else(|| word(event, &["message", "role"]));
    match event.kind {
        Kind::Assistant if role().as_deref() == Some("assistant_interrupted") => {
            Some(TurnEnd::Interrupted)
        }
        Kind::Notice if word(event, &["thread_id"]).is_some() => ended(&word(event, &["status"])?),
        _ => None,
    }
}

fn ended(status: &str) -> Option<TurnEnd> {
    match status {
        "completed" => Some(TurnEnd::Completed),
        "failed" => Some(TurnEnd::Failed),
        "interrupted" => Some(TurnEnd::Interrupted),
        "canceled" | "cancelled" => Some(TurnEnd::Canceled),
        _ => None,
    }
}

/// The flags of a thread, or the mode of a saved session.
fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    if event.kind != Kind::Notice {
        return Vec::new();
    }
    let flag = |name: &str| word(event, &[name]).map(|text| text == "true");
    let mode = word(event, &["mode"]).or_else(|| word(event, &["metadata", "mode"]));
    let mut settings: Vec<TurnSetting> = mode.map(TurnSetting::Mode).into_iter().collect();
    settings.extend(flag("auto_approve").map(TurnSetting::AutoApprove));
    settings.extend(flag("trust_mode").map(TurnSetting::TrustMode));
    settings.extend(flag("allow_shell").map(TurnSetting::AllowShell));
    settings
}

/// An event of the store, or a line of a session's approvals.
fn border(event: EventRef<'_>) -> Option<Border> {
    if event.kind != Kind::Notice {
        return None;
    }
    let at = |path: &[&str]| word(event, path);
    if let Some(name) = at(&["event"]) {
        return named(&name, at(&["payload", "decision"]).as_deref());
    }
    match (at(&["phase"])?.as_str(), at(&["outcome", "outcome"]).as_deref()) {
        ("asked", _) => Some(Border::Required),
        ("decided", Some("approved_once" | "retry_with_policy")) => Some(Border::Allowed),
        ("decided", Some("denied")) => Some(Border::Denied),
        _ => None,
    }
}

/// A line of a thread's events tells all of them, a line of a session's approvals all but one.
fn shows(event: EventRef<'_>) -> Option<ShownBorders> {
    let has = |names: [&str; 2]| names.iter().all(|name| word(event, &[name]).is_some());
    match event.kind {
        Kind::Notice if has(["event", "seq"]) => Some((&Border::ALL, "event")),
        Kind::Notice if has(["phase", "approval_id"]) => {
            Some((&[Border::Required, Border::Allowed, Border::Denied], "phase"))
        }
        _ => None,
    }
}

/// An event by its name, with the decision that its payload has.
fn named(event: &str, decision: Option<&str>) -> Option<Border> {
    match (event, decision) {
        ("approval.required", _) => Some(Border::Required),
        ("approval.decided", Some("allow")) => Some(Border::Allowed),
        ("approval.decided", Some("deny")) => Some(Border::Denied),
        ("sandbox.denied", _) => Some(Border::SandboxDenied),
        _ => None,
    }
}

/// The kind of a store's file, by its folder.
fn part(path: &str) -> Option<StorePart<'_>> {
    let (folder, file) = path.rsplit_once('/')?;
    let folder = folder.rsplit('/').next().unwrap_or(folder);
    let id = |ending| file.strip_suffix(ending);
    match folder {
        "threads" => id(".json").map(StorePart::Thread),
        "turns" => id(".json").map(StorePart::Turn),
        "items" => id(".json").map(StorePart::Item),
        "events" => id(".jsonl").map(StorePart::Events),
        _ => None,
    }
}

/// A record of the store.
#[derive(Clone, Copy)]
struct Record<'b>(&'b [u8]);

impl Record<'_> {
    fn text(self, path: &[&str]) -> Option<String> {
        value::look(self.0, |root| value::text_at(root, path))
    }

    fn number(self, path: &[&str]) -> Option<u64> {
        value::look(self.0, |root| value::number(root.at(path)?.raw()))
    }

    fn flag(self, path: &[&str]) -> Option<bool> {
        value::look(self.0, |root| match root.at(path)?.raw() {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        })
    }

    fn texts(self, path: &[&str]) -> Vec<String> {
        let all = value::look(self.0, |root| {
            Some(root.at(path)?.elements().filter_map(|one| value::text_at(one, &[])).collect())
        });
        all.unwrap_or_default()
    }

    fn is_object(self) -> bool {
        value::look(self.0, |root| (root.shape() == session::Shape::Object).then_some(())).is_some()
    }
}

/// Why a value is not available.
const NOT_STORED: &str = "the store has no value for it";

/// The facts of a turn, from the thread's record, the turn's, the items that the turn names and the
/// thread's events.
fn facts(store: &StoreRecords<'_>, thread: &str, turn: &str) -> Result<TurnFacts, StoreFault> {
    let thread_record = record(store, StorePart::Thread(thread))?.ok_or(StoreFault::Unknown)?;
    let turn_record = record(store, StorePart::Turn(turn))?.ok_or(StoreFault::Unknown)?;
    if turn_record.text(&["thread_id"]).as_deref() != Some(thread) {
        return Err(StoreFault::Unknown);
    }
    let status = turn_record.text(&["status"]).unwrap_or_default();
    if ended(&status).is_none() {
        return Err(StoreFault::Unfinished(status));
    }
    let mut items = BTreeMap::new();
    let mut missing = Vec::new();
    let named = turn_record.texts(&["item_ids"]);
    for id in &named {
        match record(store, StorePart::Item(id))? {
            Some(item) if item.text(&["turn_id"]).as_deref() == Some(turn) => {
                items.insert(id.as_str(), item);
            }
            _ => missing.push(id.clone()),
        }
    }
    let events = Events::of(store, thread, turn);
    let kind = |item: &Record<'_>| item.text(&["kind"]).unwrap_or_default();
    let asked = |wanted: &str| -> Vec<Record<'_>> {
        let is_it = |id: &str, item: &Record<'_>| kind(item) == wanted && !events.denies(id);
        items.iter().filter(|(id, item)| is_it(id, item)).map(|(_, item)| *item).collect()
    };
    let count = |wanted: &str, done: &[&str]| {
        let status = |item: &Record<'_>| item.text(&["status"]).unwrap_or_default();
        let is_done = |item: &Record<'_>| done.contains(&&*status(item));
        Told::Value(asked(wanted).into_iter().filter(is_done).count() as u64)
    };
    let text = |path: &str| Told::or(turn_record.text(&[path]), NOT_STORED);
    Ok(TurnFacts {
        thread: thread_facts(thread, thread_record),
        id: Told::Value(turn.to_owned()),
        status: Told::Value(status),
        started_at: text("started_at"),
        ended_at: text("ended_at"),
        duration_ms: Told::or(turn_record.number(&["duration_ms"]), NOT_STORED),
        reasoning: reasoning(&named, &items),
        tools: tools(&named, &items, &events),
        usage: usage(turn_record),
        events: events.facts(store.elsewhere),
        borders: Border::ALL.map(|kind| events.border(kind)),
        asked: ["command_execution", "file_change"].map(|kind| [asked(kind).len() as u64; 2]),
        // A command that failed ran. An item that waits, goes on or was given up was not done.
        commands: count("command_execution", &["completed", "failed", "interrupted"]),
        file_changes: count("file_change", &["completed"]),
        missing_items: missing,
    })
}

/// The record of a file; `None` without such a file.
fn record<'b>(
    store: &StoreRecords<'b>,
    wanted: StorePart<'_>,
) -> Result<Option<Record<'b>>, StoreFault> {
    let Some((path, bytes)) = store.files.iter().find(|(path, _)| part(path) == Some(wanted))
    else {
        return Ok(None);
    };
    let record = Record(bytes);
    if record.is_object() { Ok(Some(record)) } else { Err(StoreFault::Unreadable((*path).into())) }
}

fn thread_facts(id: &str, record: Record<'_>) -> ThreadFacts {
    let flag = |name: &str| Told::or(record.flag(&[name]), NOT_STORED);
    ThreadFacts {
        id: id.to_owned(),
        model: Told::or(record.text(&["model"]), NOT_STORED),
        mode: Told::or(record.text(&["mode"]), NOT_STORED),
        auto_approve: flag("auto_approve"),
        trust_mode: flag("trust_mode"),
        allow_shell: flag("allow_shell"),
    }
}

fn reasoning(named: &[String], items: &BTreeMap<&str, Record<'_>>) -> Told<Vec<HeldThought>> {
    let mut held = Vec::new();
    for id in named {
        let Some(item) = items.get(id.as_str()) else { continue };
        if item.text(&["kind"]).as_deref() != Some("agent_reasoning") {
            continue;
        }
        let said = |name| item.text(&[name]).filter(|text| !text.is_empty());
        let Some(text) = said("detail").or_else(|| said("summary")) else { continue };
        held.push(HeldThought {
            id: Some(id.clone()),
            sha256: digest::digest(text.as_bytes()),
            bytes: text.len() as u64,
        });
    }
    if held.is_empty() {
        return Told::Unavailable("the turn names no item with reasoning");
    }
    Told::Value(held)
}

/// Kinds of items that are the call of a tool.
const TOOLS: [&str; 3] = ["tool_call", "command_execution", "file_change"];

fn tools(named: &[String], items: &BTreeMap<&str, Record<'_>>, events: &Events) -> ToolFacts {
    let mut facts = ToolFacts::default();
    for id in named {
        let Some(item) = items.get(id.as_str()) else { continue };
        if !TOOLS.contains(&&*item.text(&["kind"]).unwrap_or_default()) {
            continue;
        }
        let status = item.text(&["status"]).unwrap_or_default();
        let answered = matches!(&*status, "completed" | "failed");
        let called = events.calls.contains_key(id) || !events.present;
        facts.calls += u64::from(called);
        facts.results += u64::from(answered);
        let name = || events.calls.get(id).cloned().flatten().unwrap_or_else(|| id.clone());
        match (called, answered) {
            (true, false) => facts.open_calls.push(name()),
            (false, true) => facts.stray_results.push(name()),
            _ => {}
        }
    }
    facts
}

fn usage(turn: Record<'_>) -> Told<UsageFacts> {
    let counter = |name: &str| turn.number(&["usage", name]);
    let told = counter("input_tokens").zip(counter("output_tokens"));
    let cache = counter("prompt_cache_hit_tokens").is_some()
        || counter("prompt_cache_write_tokens").is_some();
    let usage = told.map(|(prompt, completion)| UsageFacts {
        prompt: Some(prompt),
        completion: Some(completion),
        total: prompt.saturating_add(completion),
        tool: 0,
        cache,
    });
    Told::or(usage, "the turn's record has no usage")
}

/// The events of a turn, in its thread's file.
#[derive(Default)]
struct Events {
    /// Whether the thread has a file of events.
    present: bool,
    /// The numbers of this turn's events.
    own: BTreeSet<u64>,
    /// The numbers of the thread's other events.
    others: BTreeSet<u64>,
    /// Numbers before which a line can't be read.
    damaged: BTreeSet<u64>,
    /// Approvals and the sandbox, in the order of [`Border::ALL`].
    borders: [u64; 4],
    /// The ids of calls that were denied.
    denied: BTreeSet<String>,
    /// Items that began as a tool's call, with the call's id.
    calls: BTreeMap<String, Option<String>>,
}

impl Events {
    fn of(store: &StoreRecords<'_>, thread: &str, turn: &str) -> Self {
        let mut events = Self::default();
        let wanted = Some(StorePart::Events(thread));
        let Some((_, bytes)) = store.files.iter().find(|(path, _)| part(path) == wanted) else {
            return events;
        };
        events.present = true;
        // The newline is the commit mark: the agent cuts off what is behind the last one.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut broken = false;
        for line in bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let record = Record(line);
            let Some(seq) = record.number(&["seq"]) else {
                broken = true;
                continue;
            };
            if std::mem::take(&mut broken) {
                events.damaged.insert(seq);
            }
            if record.text(&["turn_id"]).as_deref() == Some(turn)
                && record.text(&["thread_id"]).as_deref() == Some(thread)
            {
                events.own.insert(seq);
                events.add(record);
            } else {
                events.others.insert(seq);
            }
        }
        events
    }

    fn add(&mut self, record: Record<'_>) {
        let name = record.text(&["event"]).unwrap_or_default();
        let payload = |name: &str| record.text(&["payload", name]);
        if let Some(border) = named(&name, payload("decision").as_deref()) {
            let at = Border::ALL.iter().position(|kind| *kind == border);
            if let Some(count) = at.and_then(|at| self.borders.get_mut(at)) {
                *count += 1;
            }
            if border == Border::Denied {
                self.denied.extend(payload("approval_id").or_else(|| payload("id")));
            }
        }
        if name == "item.started"
            && let Some(item) = record.text(&["item_id"])
            && record.text(&["payload", "tool", "name"]).is_some()
        {
            self.calls.insert(item, record.text(&["payload", "tool", "id"]));
        }
    }

    /// Whether the call of an item was denied.
    fn denies(&self, item: &str) -> bool {
        let call = self.calls.get(item).cloned().flatten();
        call.is_some_and(|id| self.denied.contains(&id)) || self.denied.contains(item)
    }

    fn border(&self, kind: Border) -> Told<u64> {
        let at = Border::ALL.iter().position(|other| *other == kind);
        let count = at.and_then(|at| self.borders.get(at)).copied();
        Told::or(count.filter(|_| self.present), "the store has no events of the thread")
    }

    /// The range of the turn's numbers. They count over the whole store: a number in between that
    /// no thread has is missing, and so is one where a line of this thread is damaged. Without the
    /// other threads only the second is known.
    fn facts(&self, elsewhere: Option<&[u64]>) -> Told<EventFacts> {
        let (Some(&first), Some(&last)) = (self.own.first(), self.own.last()) else {
            return Told::Unavailable("the store has no events of the turn");
        };
        let mut known: BTreeSet<u64> = self.own.union(&self.others).copied().collect();
        known.extend(elsewhere.unwrap_or_default());
        let mut missing: Vec<MissingEvents> = Vec::new();
        let mut before = first;
        for &seq in known.range(first..=last) {
            let here = self.own.range(seq..).chain(self.others.range(seq..)).min();
            let damaged = here.is_some_and(|at| self.damaged.contains(at));
            if seq > before + 1 && (damaged || elsewhere.is_some()) {
                missing.push(MissingEvents { first: before + 1, last: seq - 1, damaged });
            }
            before = seq;
        }
        Told::Value(EventFacts { first, last, count: self.own.len() as u64, missing })
    }
}
