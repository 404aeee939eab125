//! Which rows of its databases Cursor's conversations stand in. The desktop's databases are shared
//! with all extensions and hold tokens (`cursorAuth/…`): only the keys named here are read.

use super::wire;
use crate::database::{Column, Database, Rows, Table};

/// The databases of the desktop and of the command line.
pub(super) static ALL: &[Database] = &[
    Database {
        name: "a database of the desktop",
        marks: &[&["cursorDiskKV"], &["ItemTable"]],
        tables: &[
            Table {
                name: "cursorDiskKV",
                rows: Rows::Keys {
                    column: "key",
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
    },
    Database {
        name: "a store of the command line",
        marks: &[&["blobs", "meta"]],
        tables: &[
            Table { name: "meta", rows: Rows::All, columns: &[("value", Column::Hex)] },
            Table {
                name: "blobs",
                rows: Rows::All,
                columns: &[("data", Column::View(wire::view))],
            },
        ],
    },
];
