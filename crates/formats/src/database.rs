//! Database descriptions: the tables and columns that a format reads, as data only. The catalog
//! opens databases and writes the rows as a dump, one JSON object per line,
//! `{"table":"message","row":{…}}`. The format reads the dump like any other member.
//!
//! A row's columns are in the order of the schema. Numbers stay numbers, null stays null. Text that
//! is a JSON object or array becomes that value, any other text a string. Bytes that are such a
//! text are treated as one, any other bytes become `{"base64":"…"}`. A [`Column`] may add more.
//!
//! The other way, a dump that a format's writer made becomes a database ([`Database::schema`]): a
//! value in a column of bytes is its JSON text or its decoded Base64.
//!
//! Tables and keys that are not named are never read. Names of tables and columns are compared
//! without case, as in SQLite; the dump has them as the format writes them.

/// A kind of database.
#[derive(Debug)]
pub struct Database {
    /// Its name, for people.
    pub name: &'static str,
    /// Marks of its databases: a database with one of them is of this kind.
    pub marks: &'static [Signature],
    /// Whether the agent has such a database at this path. There, one table of the kind is enough,
    /// whatever happened to the others.
    pub is_placed: fn(&str) -> bool,
    /// The tables to read, in the order of the dump.
    pub tables: &'static [Table],
    /// Names of tables without sessions; one that ends with `*` is a prefix. Tables that are
    /// neither read nor named here are reported as unknown.
    pub known: &'static [&'static str],
    /// Tables of keys and values. Only some of their keys are read.
    pub keyed: &'static [Keyed],
    /// SQL that makes an empty one. `None` if the agent takes in none that another program made.
    pub schema: Option<&'static str>,
}

/// Signature of a database: tables and their columns.
#[derive(Debug)]
pub struct Signature {
    /// All of these are present.
    pub tables: &'static [(&'static str, &'static [&'static str])],
    /// None of these columns is present: they belong to a similar table of another program.
    pub without: &'static [(&'static str, &'static str)],
    /// Other programs have such tables too, so their rows decide.
    pub shared: bool,
}

/// A table of keys and values.
#[derive(Debug)]
pub struct Keyed {
    /// Its name.
    pub table: &'static str,
    /// The column with the keys.
    pub column: &'static str,
    /// Prefixes of the agent's keys; if empty, all keys are the agent's.
    pub of: &'static [&'static str],
    /// Prefixes of the agent's keys that contain no session.
    pub known: &'static [&'static str],
}

/// A table that is read. A database without it is not a fault.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The rows to read, with their sessions.
    pub rows: Rows,
    /// Columns with a special form, by name.
    pub columns: &'static [(&'static str, Column)],
}

/// The rows of a table that are read, and the session of each.
#[derive(Debug)]
pub enum Rows {
    /// All rows; they belong to the only session of the database.
    All,
    /// All rows with a session's id in the column.
    Of(&'static str),
    /// The rows that a session's own row names: this table's `column` equals `naming` in the row of
    /// `by` whose `id` is the session's.
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
    /// The rows whose key in `column` begins with one of the prefixes. The session's id follows the
    /// prefix, up to the next colon or to the end.
    Keys {
        /// The column with the keys.
        column: &'static str,
        /// The column with the values.
        value: &'static str,
        /// The prefixes, each with its colon.
        prefixes: &'static [&'static str],
    },
    /// The rows with one of the keys in `column`. The `value` is an object with an array of
    /// sessions. The dump has the row with that array empty, followed by the elements, one per
    /// line: `{"table":…,"row":{"key":…},"element":{"of":"tabs","value":{…}}}`.
    Lists {
        /// The column with the keys.
        column: &'static str,
        /// The column with the object.
        value: &'static str,
        /// The keys, the arrays' names, and the names of an element's member with the session's id.
        lists: &'static [(&'static str, &'static str, &'static str)],
    },
}

/// Special form of a column.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// Text that is the hexadecimal form of a JSON object becomes that object, followed by
    /// `"<column>.as":"hex"`.
    Hex,
    /// Bytes that are not JSON are followed by `"<column>.view"`: the function's view of them, as a
    /// JSON text on one line.
    View(fn(&[u8]) -> Option<Vec<u8>>),
}

impl Database {
    /// This kind's spellings of the columns of a table.
    #[must_use]
    pub fn columns(&self, table: &str) -> Vec<&'static str> {
        let of_marks = self.marks.iter().flat_map(|mark| mark.tables);
        let of_marks =
            of_marks.filter(|(name, _)| *name == table).flat_map(|(_, columns)| *columns);
        let mut names: Vec<&'static str> = of_marks.copied().collect();
        for read in self.tables {
            let own = read.name == table;
            match &read.rows {
                Rows::Of(column) if own => names.push(column),
                Rows::Keys { column, value, .. } if own => names.extend([column, value]),
                Rows::Lists { column, value, .. } if own => names.extend([column, value]),
                Rows::Named { by, id, naming, .. } if *by == table => names.extend([id, naming]),
                Rows::Named { column, .. } if own => names.push(column),
                _ => {}
            }
            if own {
                names.extend(read.columns.iter().map(|(name, _)| *name));
            }
        }
        names
    }
}
