//! Tables and keys of Cursor's databases that contain conversations. All extensions share the
//! desktop's databases and keep tokens there (`cursorAuth/…`): only the keys named here are read.

use super::{protobuf, store};
use crate::database::{Column, Database, Keyed, Rows, Signature, Table};

/// The databases of the desktop and of the command line.
pub(super) static ALL: &[Database] = &[
    Database {
        name: "a database of the desktop",
        marks: &[
            mark(&[("cursorDiskKV", &["key", "value"])], false),
            // Every editor of this family has one.
            mark(&[("ItemTable", &["key", "value"])], true),
        ],
        is_placed: in_desktop,
        tables: &[
            Table {
                name: "cursorDiskKV",
                rows: Rows::Keys {
                    column: "key",
                    value: "value",
                    prefixes: &[
                        "composerData:",
                        "bubbleId:",
                        "checkpointId:",
                        "messageRequestContext:",
                    ],
                },
                columns: &[],
            },
            Table { name: "composerHeaders", rows: Rows::Of("composerId"), columns: &[] },
            Table {
                name: "ItemTable",
                rows: Rows::Lists {
                    column: "key",
                    value: "value",
                    lists: &[
                        ("composer.composerData", "allComposers", "composerId"),
                        ("composer.composerHeaders", "allComposers", "composerId"),
                        ("workbench.panel.aichat.view.aichat.chatdata", "tabs", "tabId"),
                    ],
                },
                columns: &[],
            },
        ],
        known: &[],
        keyed: &[
            Keyed { table: "cursorDiskKV", column: "key", of: &[], known: KEYS },
            Keyed { table: "ItemTable", column: "key", of: LISTS, known: SETTINGS },
        ],
        schema: None,
    },
    Database {
        name: "a store of the command line",
        marks: &[mark(&[("blobs", &["id", "data"]), ("meta", &["key", "value"])], true)],
        is_placed: in_chats,
        tables: &[
            Table { name: "meta", rows: Rows::All, columns: &[("value", Column::Hex)] },
            Table {
                name: "blobs",
                rows: Rows::All,
                columns: &[("data", Column::View(protobuf::view))],
            },
        ],
        known: &[],
        keyed: &[],
        schema: Some(store::SCHEMA),
    },
];

/// Prefixes of the desktop's keys about conversations and the editor: messages as sent to models,
/// states of files, and display settings.
const KEYS: &[&str] = &[
    "agentKv",
    "backgroundComposer",
    "bcCachedDetails",
    "codeBlockDiff",
    "codeBlockPartialInlineDiffFates",
    "composer.content.",
    "composerDraft",
    "composerRootWriterDiagnostic",
    "composerVirtualRowHeights",
    "inlineDiff",
    "localAgentMailboxCursor",
    "notepad",
    "ofsContent",
];

/// Prefixes of the keys with lists of conversations. The other keys of this table belong to the
/// editor and to all its extensions.
const LISTS: &[&str] = &["composer.composer", "workbench.panel.aichat.view.aichat."];

/// Keys with such a prefix, but without a list.
const SETTINGS: &[&str] =
    &["composer.composerHeaders.", "workbench.panel.aichat.view.aichat.numberOfVisibleViews"];

const fn mark(
    tables: &'static [(&'static str, &'static [&'static str])],
    shared: bool,
) -> Signature {
    Signature { tables, without: &[], shared }
}

fn in_desktop(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let named = parts.next().is_some_and(|name| name.starts_with("state.vscdb"));
    named && parts.any(|folder| folder.starts_with("Cursor") || folder.starts_with(".cursor"))
}

fn in_chats(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let named = parts.next() == Some("store.db");
    named && parts.take(3).any(|folder| matches!(folder, "chats" | "acp-sessions"))
}
