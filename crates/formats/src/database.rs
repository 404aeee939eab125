//! What of a database a format reads: data only. The catalog opens databases and writes the rows
//! out as a dump, one JSON object a line, `{"table":"message","row":{…}}`, which the format reads
//! like any other member.
//!
//! A row's columns stand in the order of the schema. Numbers stand as numbers, null as null; text
//! that is a JSON object or array stands as that, any other text as a string; bytes that are such a
//! text stand like one, any others as `{"base64":"…"}`. A column that a [`Column`] speaks of has
//! more to it. No table and no key that is not named is ever read. Names of tables and columns are
//! compared without case, as SQLite does; the dump has them as the format writes them.

/// A kind of database.
pub struct Database {
    /// What it is, for people.
    pub name: &'static str,
    /// What its databases have, and others not: a database that has one of these is of this kind.
    pub marks: &'static [Mark],
    /// Is this the path at which the agent has such a database? There, one table of the kind is
    /// enough, whatever has become of the others.
    pub is_placed: fn(&str) -> bool,
    /// What is read, in the order of the dump.
    pub tables: &'static [Table],
    /// Tables that hold no session, by their names; one that ends with `*` is the beginning of
    /// names. What is neither read nor named here is told as unknown.
    pub known: &'static [&'static str],
    /// Tables of keys and values, of which only some keys are read.
    pub keyed: &'static [Keyed],
}

/// Tables, and their columns, by which a database is known.
pub struct Mark {
    /// All of these are there.
    pub tables: &'static [(&'static str, &'static [&'static str])],
    /// None of these columns is: another program's tables are alike, and have them.
    pub without: &'static [(&'static str, &'static str)],
    /// Other programs have such tables too: what stands in them decides.
    pub shared: bool,
}

/// A table of keys and values.
pub struct Keyed {
    /// Its name.
    pub table: &'static str,
    /// The column with the keys.
    pub column: &'static str,
    /// Only keys that begin so are the agent's; all, where there is none.
    pub of: &'static [&'static str],
    /// The beginnings of the agent's keys that are known to hold no session.
    pub known: &'static [&'static str],
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

impl Database {
    /// The names that this kind has for the columns of a table.
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
                Rows::Keys { column, .. } if own => names.push(column),
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
