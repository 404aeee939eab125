//! Export form: a session of a database of 1.x as `opencode export` prints it and `opencode import`
//! reads it. Rows are copied unchanged. The ledger names the values without a place.

use std::collections::{BTreeMap, HashMap};

use meaning::account::{Cause, Fate, LedgerRow};
use session::Sorting as _;
use session::{Node, Scan, Session, Shape, Transport, value};

use super::map;
use super::order::{Store, Stores};
use crate::documents::shared::file_name;
use crate::documents::shared::out::Out;
use crate::documents::shared::pretty::pretty;
use crate::written::Written;

/// Position of a column's value in the form.
enum Put {
    /// Text. If it looks like JSON, the dump has it as JSON.
    Text(&'static str, &'static str),
    /// A number or JSON.
    Value(&'static str, &'static str),
    /// An object, if one of its members is present.
    Group(&'static str, &'static [Put]),
}
use Put::{Group, Text, Value};

/// The header's members, in OpenCode's order.
const HEADER: &[Put] = &[
    Text("id", "id"),
    Text("slug", "slug"),
    Text("project_id", "projectID"),
    Text("workspace_id", "workspaceID"),
    Text("directory", "directory"),
    Text("path", "path"),
    Text("parent_id", "parentID"),
    Text("title", "title"),
    Text("agent", "agent"),
    Value("model", "model"),
    Text("version", "version"),
    Group(
        "summary",
        &[
            Value("summary_additions", "additions"),
            Value("summary_deletions", "deletions"),
            Value("summary_files", "files"),
            Value("summary_diffs", "diffs"),
        ],
    ),
    Value("cost", "cost"),
    Group(
        "tokens",
        &[
            Value("tokens_input", "input"),
            Value("tokens_output", "output"),
            Value("tokens_reasoning", "reasoning"),
            Group(
                "cache",
                &[Value("tokens_cache_read", "read"), Value("tokens_cache_write", "write")],
            ),
        ],
    ),
    Value("metadata", "metadata"),
    Value("revert", "revert"),
    Value("permission", "permission"),
    Group(
        "time",
        &[
            Value("time_created", "created"),
            Value("time_updated", "updated"),
            Value("time_compacting", "compacting"),
            Value("time_archived", "archived"),
        ],
    ),
];

/// The address that gives access to a shared session; it is left out.
const ADDRESS: &str = "share_url";
/// A written message or part, with its sort key.
struct Piece {
    time: u64,
    id: String,
    text: Vec<u8>,
}

/// The rows of a session.
#[derive(Default)]
struct Rows {
    header: Option<Vec<u8>>,
    messages: Vec<Piece>,
    /// Parts, by their message.
    parts: HashMap<String, Vec<Piece>>,
    /// Values without a place, with the number of rows that have them.
    left: BTreeMap<(String, Cause), u64>,
}

/// The session in the export form; `None` if its conversation is not in a database of 1.x.
pub(super) fn write(session: &Session) -> Option<Written> {
    if Stores::of(session).preferred(session).first() != Some(&Store::First) {
        return None;
    }
    let mut rows = Rows::default();
    let mut scan = Scan::new();
    for record in &session.records {
        let member = session.bundle.members.get(record.member as usize)?;
        if *member.transport() != Transport::Dump {
            rows.leave(&member.name, Cause::Rows);
        } else if let Ok(doc) = scan.read(session.record_bytes(record), 0) {
            rows.add(doc.root());
        }
    }
    let header = rows.header.take()?;
    let text = pretty(&rows.compose(&header));
    Some(Written {
        books: None,
        files: vec![(file_name(&session.id, ".json"), text.into())],
        rows: rows.rows(),
    })
}

impl Rows {
    fn leave(&mut self, what: &str, cause: Cause) {
        *self.left.entry((what.to_owned(), cause)).or_default() += 1;
    }

    fn add(&mut self, line: Node<'_>) {
        let table = line.word(map::TABLE).map(value::unescape).unwrap_or_default();
        let Some(row) = line.at(map::ROW) else { return };
        match &*table {
            "session" if self.header.is_none() => self.header(row),
            "message" => self.message(row),
            "part" => self.part(row),
            _ => self.leave(&table, Cause::Rows),
        }
    }

    fn header(&mut self, row: Node<'_>) {
        let mut out = Out::default();
        out.open();
        HEADER.iter().for_each(|put| put.write(row, &mut out));
        out.close();
        self.header = Some(out.text);
        for member in row.members().filter(|member| !is_null(member.value)) {
            let name = value::unescape(member.name);
            if !HEADER.iter().any(|put| put.takes(&name)) {
                let cause = if name == ADDRESS { Cause::Shared } else { Cause::Rows };
                self.leave(&format!("session.{name}"), cause);
            }
        }
    }

    fn message(&mut self, row: Node<'_>) {
        if let Some(piece) =
            self.piece(row, "message", &[("id", "id"), ("session_id", "sessionID")])
        {
            self.messages.push(piece);
        }
    }

    fn part(&mut self, row: Node<'_>) {
        const KEYS: Keys =
            &[("id", "id"), ("session_id", "sessionID"), ("message_id", "messageID")];
        if let Some(piece) = self.piece(row, "part", KEYS) {
            self.parts.entry(word(row, "message_id")).or_default().push(piece);
        }
    }

    /// The body of a row, followed by the columns that belong into it.
    fn piece(&mut self, row: Node<'_>, table: &str, keys: Keys) -> Option<Piece> {
        let body = row.at(&["data"]).filter(|body| body.shape() == Shape::Object);
        let Some(body) = body else {
            self.leave(table, Cause::Rows);
            return None;
        };
        let mut out = Out::default();
        out.open();
        for member in body.members() {
            let name = value::unescape(member.name);
            if !keys.iter().any(|(_, key)| *key == name) {
                out.key(&name);
                out.raw(member.value.raw());
            }
        }
        for (column, key) in keys {
            Text(column, key).write(row, &mut out);
        }
        out.close();
        let created = body.at(&["time", "created"]).map(Node::raw);
        for member in row.members() {
            let name = value::unescape(member.name);
            let told = keys.iter().any(|(column, _)| *column == name)
                || (name == "time_created" && created == Some(member.value.raw()));
            if name != "data" && !told {
                self.leave(&format!("{table}.{name}"), Cause::Rows);
            }
        }
        let time = row.at(&["time_created"]).and_then(|time| value::number(time.raw()));
        Some(Piece { time: time.unwrap_or_default(), id: word(row, "id"), text: out.text })
    }

    /// Orders messages by time and id, and parts by id, as OpenCode does.
    fn compose(&mut self, header: &[u8]) -> Vec<u8> {
        self.messages.in_order_by(|a, b| (a.time, &a.id).cmp(&(b.time, &b.id)));
        let mut out = Out::default();
        out.open();
        out.key("info");
        out.raw(header);
        out.key("messages");
        out.open_array();
        for message in &self.messages {
            out.open();
            out.key("info");
            out.raw(&message.text);
            out.key("parts");
            out.open_array();
            let mut parts = self.parts.remove(&message.id).unwrap_or_default();
            parts.in_order_by(|a, b| a.id.cmp(&b.id));
            parts.iter().for_each(|part| out.raw(&part.text));
            out.close_array();
            out.close();
        }
        out.close_array();
        out.close();
        out.text
    }

    /// The rows of the ledger: the values without a place.
    fn rows(mut self) -> Vec<LedgerRow> {
        let orphans: usize = self.parts.values().map(Vec::len).sum();
        if orphans > 0 {
            *self.left.entry(("part".to_owned(), Cause::Rows)).or_default() += orphans as u64;
        }
        let row = |((what, cause), count): ((String, Cause), u64)| {
            let mut row = LedgerRow::of(what, Fate::Dropped(cause), cause, None);
            row.count = count;
            row
        };
        self.left.into_iter().map(row).collect()
    }
}

/// Columns, and their places in a message or a part.
type Keys = &'static [(&'static str, &'static str)];

fn word(row: Node<'_>, column: &str) -> String {
    row.word(&[column]).map(value::unescape).unwrap_or_default().into_owned()
}

fn is_null(value: Node<'_>) -> bool {
    value.raw() == b"null"
}

impl Put {
    /// Whether the column has a place.
    fn takes(&self, column: &str) -> bool {
        match self {
            Text(name, _) | Value(name, _) => *name == column,
            Group(_, members) => members.iter().any(|member| member.takes(column)),
        }
    }

    fn is_in(&self, row: Node<'_>) -> bool {
        match self {
            Text(name, _) | Value(name, _) => row.at(&[name]).is_some_and(|value| !is_null(value)),
            Group(_, members) => members.iter().any(|member| member.is_in(row)),
        }
    }

    fn write(&self, row: Node<'_>, out: &mut Out<'_>) {
        if !self.is_in(row) {
            return;
        }
        match *self {
            Text(column, key) | Value(column, key) => {
                let Some(value) = row.at(&[column]) else { return };
                out.key(key);
                let text = matches!(self, Text(..));
                match String::from_utf8_lossy(value.raw()) {
                    json if text && value.text().is_none() => out.string(&json),
                    _ => out.raw(value.raw()),
                }
            }
            Group(key, members) => {
                out.key(key);
                out.open();
                members.iter().for_each(|member| member.write(row, out));
                out.close();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use meaning::account::LedgerRow;
    use session::{Bundle, Member, Session, Stream, Transport};

    use crate::agents::opencode::OpenCode;
    use crate::format::Format;
    use crate::testing;
    use crate::written::{Options, Written};

    fn read(name: &str, transport: Transport) -> Session {
        let path = testing::samples("opencode", "database").join(name);
        let bytes = std::fs::read(path).expect("a sample");
        let member = Member::stored(name, Stream::Main, bytes, transport).expect("short");
        OpenCode.read(Arc::new(Bundle::of(member))).swap_remove(0)
    }

    fn written(session: &Session, rows: bool) -> Written {
        OpenCode.write_with(session, &Options { rows, ..Options::default() }).expect("its own")
    }

    #[test]
    fn a_session_of_a_database_is_written_as_its_agent_takes_it() {
        let session = read("opencode.db.dump.jsonl", Transport::Dump);
        let made = written(&session, false);
        let [(name, text)] = &*made.files else { panic!("one file") };
        assert_eq!(name, "ses_f3a01b2c3ffeRowsA1bC3dE5fG7.json");
        let json: serde_json::Value = serde_json::from_slice(text).expect("JSON");
        let info = &json["info"];
        assert_eq!(info["projectID"], "4b0c9d13f7a28e5560b19c4dd2a7e8f1035c6be1");
        assert_eq!(info["tokens"]["cache"]["read"], 9000);
        assert_eq!(info["revert"]["snapshot"], "9fe1c0");
        assert!(info.get("parentID").is_none() && info.get("share").is_none(), "{info}");
        let messages = json["messages"].as_array().expect("messages");
        let ids: Vec<&str> = messages.iter().filter_map(|m| m["info"]["id"].as_str()).collect();
        assert_eq!(ids[..2], ["msg_0c4506c7b001aB3dE5fG7hJ9kL", "msg_0c450744b001cD4eF6gH8jK0mN"]);
        let parts = messages[0]["parts"].as_array().expect("parts");
        assert_eq!(parts[0]["text"], "VAT is rounded twice, please fix it.\nSee src/vat.rs.");
        assert_eq!(parts[0]["messageID"], ids[0]);
        let ids: Vec<&str> = parts.iter().filter_map(|part| part["id"].as_str()).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        let lost: Vec<String> = made.rows.iter().map(LedgerRow::name).collect();
        let named = [
            "event",
            "message.time_updated (4 values)",
            "part",
            "part.time_created (20 values)",
            "part.time_updated (20 values)",
            "project",
            "session.share_url",
            "session_share",
            "todo",
        ];
        assert_eq!(lost, named);
        // The output is a session again, with the same conversation.
        let bytes = text.to_vec();
        let member = Member::new(name.clone(), Stream::Main, bytes).expect("short");
        let again = OpenCode.read(Arc::new(Bundle::of(member))).swap_remove(0);
        assert_eq!(again.id, session.id);
        let said = |session: &Session| {
            let said = session.events().map(|event| event.said().into_owned());
            said.filter(|said| !said.is_empty()).collect::<BTreeSet<_>>()
        };
        assert_eq!(said(&again), said(&session));
    }

    #[test]
    fn the_rows_are_there_for_who_asks_and_where_no_form_is_known() {
        let session = read("opencode.db.dump.jsonl", Transport::Dump);
        let made = written(&session, true);
        assert!(*made.files[0].1 == *session.bundle.bytes(0));
        assert_eq!(made.rows, []);
        for second in ["opencode-next.db.dump.jsonl", "archived.db.dump.jsonl"] {
            let session = read(second, Transport::Dump);
            let made = written(&session, false);
            assert!(*made.files[0].1 == *session.bundle.bytes(0), "{second}");
            assert_eq!(made.rows.len(), 1, "{second}");
        }
        // A file is restored as stored.
        let session = read("opencode.db.dump.jsonl", Transport::Plain);
        let made = written(&session, false);
        assert!(*made.files[0].1 == *session.bundle.bytes(0) && made.rows.is_empty());
    }

    #[test]
    fn what_is_known_of_the_project_is_a_part_of_the_only_session() {
        let path = testing::samples("opencode", "database").join("opencode.db.dump.jsonl");
        let bytes = std::fs::read(path).expect("a sample");
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        let member = Member::new("opencode.db.dump.jsonl", Stream::Main, bytes).expect("short");
        let sessions = OpenCode.read(Arc::new(Bundle::of(member)));
        let [session] = &*sessions else { panic!("one session") };
        assert_eq!(session.records.len(), lines);
    }
}
