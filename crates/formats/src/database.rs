//! What of a database a format reads: data only. The catalog opens databases and writes the rows
//! out as a dump, one JSON object a line, `{"table":"message","row":{…}}`, which the format reads
//! like any other member.
//!
//! A row's columns stand in the order of the schema. Numbers stand as numbers, null as null; text
//! that is a JSON object or array stands as that, any other text as a string; bytes that are such a
//! text stand like one, any others as `{"base64":"…"}`. A column that a [`Column`] speaks of has
//! more to it. No table and no key that is not named is ever read.

/// A kind of database.
pub struct Database {
    /// What it is, for people.
    pub name: &'static str,
    /// Sets of tables; a database that has all of one set is of this kind.
    pub marks: &'static [&'static [&'static str]],
    /// What is read, in the order of the dump.
    pub tables: &'static [Table],
}

/// A table that is read; one that a database has not is no fault.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Which rows are read, and whose they are.
    pub rows: Rows,
    /// What is special about columns, by name.
    pub columns: &'static [(&'static str, Column)],
}

/// Which rows of a table are read, and to which session each belongs.
pub enum Rows {
    /// All; they belong to the one session that the database holds.
    All,
    /// All that have a session's id in the column.
    Of(&'static str),
    /// Those that a session's own row names: this table's `column` is what `by` has in `naming`,
    /// in the row whose `id` is the session's.
    Named {
        /// The column of this table.
        column: &'static str,
        /// The table of sessions.
        by: &'static str,
        /// The column of that table with the session's id.
        id: &'static str,
        /// The column of that table that names the row.
        naming: &'static str,
    },
    /// Those whose key in `column` begins with one of the prefixes; behind it stands the session's
    /// id, to the next colon or to the end.
    Keys {
        /// The column with the keys.
        column: &'static str,
        /// The prefixes, each with its colon.
        prefixes: &'static [&'static str],
    },
    /// Those with one of the keys in `column`. The `value` is an object with an array of sessions:
    /// the row stands in the dump with that array empty, and behind it, a line each, the elements:
    /// `{"table":…,"row":{"key":…},"element":{"of":"tabs","value":{…}}}`.
    Lists {
        /// The column with the keys.
        column: &'static str,
        /// The column with the object.
        value: &'static str,
        /// The keys, the arrays' names, and the names of an element's member with the session's id.
        lists: &'static [(&'static str, &'static str, &'static str)],
    },
}

/// What is special about a column.
#[derive(Clone, Copy)]
pub enum Column {
    /// Text that is the hexadecimal form of a JSON object stands as that, and behind it
    /// `"<column>.as":"hex"`.
    Hex,
    /// Behind bytes that are no JSON stands `"<column>.view"`: what the function shows of them, as
    /// a JSON text on one line.
    View(fn(&[u8]) -> Option<Vec<u8>>),
}
