//! Which tables of its databases OpenCode's sessions stand in. `account`, `credential` and the like
//! hold access, and are never read.

use crate::database::{Database, Rows, Table};

const fn of(name: &'static str, column: &'static str) -> Table {
    Table { name, rows: Rows::Of(column), columns: &[] }
}

const fn project(by: &'static str) -> Table {
    let rows = Rows::Named { column: "id", by, id: "id", naming: "project_id" };
    Table { name: "project", rows, columns: &[] }
}

/// The databases of OpenCode, and that of the archived product of the same name.
pub(super) static ALL: &[Database] = &[
    Database {
        name: "a database of OpenCode",
        marks: &[
            &["message", "part"],
            &["session_v2", "session_message"],
            &["session", "session_message"],
        ],
        tables: &[
            project("session"),
            of("session", "id"),
            of("session_v2", "id"),
            of("message", "session_id"),
            of("part", "session_id"),
            of("session_message", "session_id"),
            of("todo", "session_id"),
            of("session_share", "session_id"),
            of("session_input", "session_id"),
            of("session_inbox", "session_id"),
            of("session_pending", "session_id"),
            of("event", "aggregate_id"),
        ],
    },
    Database {
        name: "a database of the archived product",
        marks: &[&["sessions", "messages"]],
        tables: &[of("sessions", "id"), of("messages", "session_id"), of("files", "session_id")],
    },
];
