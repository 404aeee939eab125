//! The tool tables against the calls of all samples and of the real sessions: each name of a tool
//! and of an argument, and each status word, is in a table, or is listed as unknown with the
//! reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use catalog::Root;
use meaning::Calls;
use session::{Bundle, EventRef, Kind, Slot, value};
use verbatim_formats::tools::{self, Common, Means, Results, Tools};

/// Names that no table has: format, tool or `tool.argument`, reason.
const UNKNOWN: &str = include_str!("tools/unknown.txt");

fn unknown() -> BTreeSet<String> {
    let lines = UNKNOWN.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" ")).collect()
}

/// The names of a call that the table of its format lacks. An input that is a text has no names.
fn missing(call: EventRef<'_>, table: &Tools) -> Vec<String> {
    let Some(name) = call.text(Slot::Name) else { return Vec::new() };
    let Some(tool) = table.named(&name) else {
        return table.common(&name).is_none().then(|| name.into_owned()).into_iter().collect();
    };
    let found = tools::input(call, |input| {
        let names = input.members().map(|member| value::unescape(member.name).into_owned());
        let mut names: Vec<String> = names.collect();
        names.retain(|name| tool.argument(name).is_none());
        Some(names)
    });
    found.unwrap_or_default().iter().map(|argument| format!("{name}.{argument}")).collect()
}

/// The tools whose results attribution reads.
const READ: &[Common] = &[
    Common::Shell,
    Common::Read,
    Common::Write,
    Common::Edit,
    Common::Patch,
    Common::Notebook,
    Common::Delete,
];

/// The names in the result beside the model's copy that the table of results lacks. Some results
/// are an object for each file.
fn missing_in_result(event: EventRef<'_>, calls: &Calls, table: &Tools) -> Vec<String> {
    let call = calls.call(event.index).map_or(event, |call| event.session().event(call));
    let tool = call.text(Slot::Name).and_then(|name| table.named(&name));
    let Some(tool) = tool.filter(|tool| READ.contains(&tool.common)) else { return Vec::new() };
    let Some(raw) = (table.results.of)(event) else { return Vec::new() };
    let names = value::look(raw, |result| {
        let by_file = result.members().all(|member| member.name.contains(&b'/'));
        let each = || result.members().flat_map(|file| table.results.unknown(file.value));
        Some(if by_file { each().collect() } else { table.results.unknown(result) })
    });
    let names = names.unwrap_or_default().into_iter();
    names.map(|name| format!("{}.result.{name}", tool.names[0])).collect()
}

/// A result's status that the format does not know.
fn strange_status(result: EventRef<'_>) -> Option<String> {
    let word = result.text(Slot::Status).filter(|word| !word.is_empty())?;
    let known = result.session().statuses.outcome(&word).is_some();
    (!known).then(|| format!("status.{word}"))
}

fn missing_under(path: &Path, all: &mut BTreeMap<String, String>) {
    for source in catalog::scan(verbatim_formats::ALL, &[Root::named(path)]).sources {
        let format = source.format;
        if format.is_document() {
            continue;
        }
        let bundle = catalog::bundle(&source).0;
        let members = bundle.members.into_iter().map(|member| format.decode(member)).collect();
        for session in format.read(Arc::new(Bundle { members })) {
            for call in session.events().filter(|event| event.kind == Kind::ToolCall) {
                for name in missing(call, format.data().tools) {
                    let key = format!("{} {name}", format.name());
                    all.entry(key).or_insert_with(|| source.group.clone());
                }
            }
            let calls = Calls::of(&session);
            for event in session.events() {
                for name in missing_in_result(event, &calls, format.data().tools) {
                    let key = format!("{} {name}", format.name());
                    all.entry(key).or_insert_with(|| source.group.clone());
                }
            }
            let results = session.events().filter(|event| event.kind == Kind::ToolResult);
            for word in results.filter_map(strange_status) {
                let key = format!("{} {word}", format.name());
                all.entry(key).or_insert_with(|| source.group.clone());
            }
        }
    }
}

#[test]
fn every_tool_argument_result_and_status_is_in_a_table() {
    let mut all = BTreeMap::new();
    missing_under(&samples::workspace().join("crates/formats/src"), &mut all);
    let corpora = samples::corpora();
    for corpus in corpora.iter().flatten() {
        missing_under(corpus, &mut all);
    }
    let listed = unknown();
    let new: Vec<_> = all.iter().filter(|(name, _)| !listed.contains(*name)).collect();
    assert!(new.is_empty(), "in no table and not in tools/unknown.txt: {new:#?}");
    let unused: Vec<_> = listed.iter().filter(|name| !all.contains_key(*name)).collect();
    assert!(corpora.is_none() || unused.is_empty(), "not met any more: {unused:#?}");
}

#[test]
fn a_name_is_in_one_row_of_its_table() {
    for format in verbatim_formats::ALL {
        let mut met = BTreeSet::new();
        for tool in format.data().tools.rows {
            for name in tool.names {
                assert!(met.insert(name), "{}: {name} twice", format.name());
            }
            let mut arguments = BTreeSet::new();
            for argument in tool.arguments {
                assert!(arguments.insert(argument.name), "{}: {tool:?}", format.name());
            }
        }
    }
}

/// An agent with tool calls has a tool table.
#[test]
fn every_agent_has_a_table_with_a_shell_and_a_reader() {
    for format in verbatim_formats::ALL.iter().filter(|format| !format.is_document()) {
        let has = |common| format.data().tools.rows.iter().any(|tool| tool.common == common);
        assert!(has(Common::Shell) && has(Common::Read), "{}", format.name());
    }
}

#[test]
fn a_call_fits_where_each_argument_is_known_and_none_is_missing() {
    let rows = verbatim_formats::tools! {
        Edit ["edit"] {
            "path" => must(Path),
            "file_path" => must(Path),
            "edits" => must(Edits),
            "note" => may(Description),
        }
        Patch ["patch"] {
            "" => must(Patch),
            "input" => must(Patch),
        }
    };
    let table = Tools { rows, servers: &["mcp__"], results: Results::NONE };
    let fits = |name: &str, input: &str| {
        let tool = table.named(name).expect("a row");
        value::look(input.as_bytes(), |input| Some(tool.fits(input))).expect("JSON")
    };
    assert!(fits("edit", r#"{"path":"a","edits":[]}"#));
    assert!(fits("edit", r#"{"file_path":"a","edits":[],"note":"b"}"#));
    assert!(!fits("edit", r#"{"path":"a"}"#));
    assert!(!fits("edit", r#"{"edits":[],"note":"b"}"#));
    assert!(!fits("edit", r#"{"path":"a","edits":[],"other":1}"#));
    assert!(!fits("edit", r#""text""#));
    assert!(fits("patch", r#""text""#));
    assert!(fits("patch", r#"{"input":"text"}"#));
    assert!(!fits("patch", "{}"));
    assert!(!fits("patch", "[]"));
    assert_eq!(table.common("mcp__disk__write"), Some(Common::Mcp));
    assert_eq!(table.common("other"), None);
    let edit = table.named("edit").expect("a row");
    let path = |input: &[u8]| value::look(input, |input| edit.text(Means::Path, input));
    assert_eq!(path(br#"{"file_path":"a\/b"}"#).as_deref(), Some("a/b"));
}
