//! Tables of OpenCode's databases that contain sessions. `account`, `credential` and the like
//! contain access keys, and are never read.

use crate::database::{Database, Rows, Signature, Table};

const fn of(name: &'static str, column: &'static str) -> Table {
    Table { name, rows: Rows::Of(column), columns: &[] }
}

const fn project(by: &'static str) -> Table {
    let rows = Rows::Named { column: "id", by, id: "id", naming: "project_id" };
    Table { name: "project", rows, columns: &[] }
}

/// Whether a path is `opencode.db`, or `opencode-<channel>.db`, in a folder of the agent's.
fn is_placed(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    name.starts_with("opencode")
        && name.ends_with(".db")
        && parts.any(|folder| matches!(folder, "opencode" | ".opencode"))
}

/// The databases of OpenCode, and that of the archived product of the same name.
pub(super) static ALL: &[Database] = &[
    Database {
        name: "a database of OpenCode",
        marks: &[
            mark(&[
                ("message", &["id", "session_id", "time_created", "data"]),
                ("part", &["id", "message_id", "session_id", "time_created", "data"]),
            ]),
            mark(&[
                ("session", &["id", "project_id", "directory", "time_created"]),
                ("message", &["session_id", "data"]),
            ]),
            mark(&[
                ("session", &["id", "project_id", "directory", "time_created"]),
                ("part", &["message_id", "data"]),
            ]),
            mark(&[("session_message", &["id", "session_id", "type", "seq", "data"])]),
            mark(&[("session_v2", &["id", "project_id", "directory", "time_created"])]),
        ],
        is_placed,
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
            of("session_context_epoch", "session_id"),
            of("event", "aggregate_id"),
        ],
        known: &[
            "account",
            "account_state",
            "control_account",
            "credential",
            "data_migration",
            "event_sequence",
            "instruction_blob",
            "instruction_entry",
            "instruction_state",
            "kv",
            "migration",
            "permission",
            "project_directory",
            "workspace",
            "worktree",
            "__drizzle_migrations",
        ],
        keyed: &[],
        schema: None,
    },
    Database {
        name: "a database of the archived product",
        marks: &[Signature {
            tables: &[
                (
                    "sessions",
                    &["id", "title", "message_count", "prompt_tokens", "completion_tokens", "cost"],
                ),
                ("messages", &["id", "session_id", "role", "parts", "model", "finished_at"]),
            ],
            // The product's successor has these.
            without: &[("messages", "provider"), ("messages", "is_summary_message")],
            shared: false,
        }],
        is_placed,
        tables: &[of("sessions", "id"), of("messages", "session_id"), of("files", "session_id")],
        known: &["goose_db_version", "logs"],
        keyed: &[],
        schema: None,
    },
];

const fn mark(tables: &'static [(&'static str, &'static [&'static str])]) -> Signature {
    Signature { tables, without: &[], shared: false }
}
