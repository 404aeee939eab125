//! Tool tables: the native names of an agent's tools, and the meaning of their arguments.
//!
//! Each format's folder has one (`tools.rs` there). A call's summary, attribution and conversion
//! read them: a call is another agent's own tool only where [`Tool::fits`] and each of its meanings
//! has an argument there.

mod elements;
mod result;

use std::borrow::Cow;

pub(crate) use elements::{around_elements, of_elements};
pub use result::{ResultOf, Results, Shown, Shows};

use session::{EventRef, Node, Scan, Shape, Slot, value};

/// A tool in the vocabulary that the agents have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Common {
    /// Runs a command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes a file, whole.
    Write,
    /// Replaces texts in a file.
    Edit,
    /// Applies a patch, to any number of files.
    Patch,
    /// Edits a cell of a notebook.
    Notebook,
    /// Deletes a file.
    Delete,
    /// Finds files by their names.
    Glob,
    /// Searches in files.
    Grep,
    /// Lists a folder.
    List,
    /// Fetches a page of the web.
    Fetch,
    /// Searches the web.
    Search,
    /// Keeps the to-do list.
    Todo,
    /// Gives work to another agent.
    Task,
    /// Asks the person.
    Ask,
    /// A tool of a server that speaks the Model Context Protocol.
    Mcp,
    /// A tool of this agent alone.
    Other,
}

/// Meaning of an argument. Two arguments with one meaning have one unit and one encoding; otherwise
/// they have different meanings.
///
/// In this order, the first meaning best shows the subject of an unknown tool's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Means {
    /// A command of the shell, as one text.
    Command,
    /// A command as a list of words.
    Words,
    /// A program's text.
    Code,
    /// The path of the file or folder that it is about.
    Path,
    /// Several paths.
    Paths,
    /// The pattern that is searched: of file names, or of text.
    Pattern,
    /// A query for a search.
    Query,
    /// Several queries.
    Queries,
    /// The address of a page.
    Url,
    /// A few words for people, about the call.
    Description,
    /// The task for another model.
    Prompt,
    /// A title.
    Subject,
    /// The name of a skill, or of a command that the user defined.
    Skill,
    /// A name of something else.
    Name,
    /// Keys or text for a running command.
    Keys,
    /// A patch text.
    Patch,
    /// The whole text of a file.
    Text,
    /// The text that is replaced.
    Old,
    /// The text that takes its place.
    New,
    /// Whether each occurrence is replaced.
    All,
    /// The number of occurrences that are replaced.
    Occurrences,
    /// A list of edits, each with an old and a new text.
    Edits,
    /// The folder in which a command runs.
    Folder,
    /// A limit of time in milliseconds.
    Milliseconds,
    /// A limit of time in seconds.
    Seconds,
    /// Whether the command continues in the background.
    Background,
    /// The first line to read, from 1.
    FirstLine,
    /// The last line to read, from 1, inclusive.
    LastLine,
    /// The place where reading begins, in a count that differs between versions or is not known.
    Offset,
    /// The number of lines to skip before the first one to read.
    SkippedLines,
    /// The greatest number of lines.
    Lines,
    /// The greatest number of results.
    Count,
    /// A pattern of the names of files that are searched.
    Files,
    /// The kind of agent that a task is for.
    Agent,
    /// A model.
    Model,
    /// The to-do list.
    Todos,
    /// Questions for the person.
    Questions,
    /// A plan that the person may accept, as text.
    Plan,
    /// A report for the person, as text: what was done, or an answer.
    Report,
    /// The id of something that an earlier call made.
    Id,
    /// A message for another agent.
    Message,
    /// Known, without a meaning that other agents' tools share.
    Option,
}

/// An argument of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name; empty if the whole input is a text.
    pub name: &'static str,
    /// Its meaning.
    pub means: Means,
    /// Whether every call has it. If several such arguments have one meaning, they are names of
    /// different versions, and one is enough.
    pub required: bool,
}

/// A tool of an agent: one row. Its arguments are ordered by how well they show a call's subject.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its native names, in all versions.
    pub names: &'static [&'static str],
    /// The common tool that it corresponds to.
    pub common: Common,
    /// All its known arguments.
    pub arguments: &'static [Argument],
}

/// The tools of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Tools {
    /// One row per tool. Made by [`crate::tools!`].
    pub rows: &'static [Tool],
    /// Prefixes of the names of servers' tools.
    pub servers: &'static [&'static str],
    /// The names in the results of these tools.
    pub results: Results,
}

/// The table of a format without tools of its own.
pub static NONE: Tools = Tools { rows: &[], servers: &[], results: Results::NONE };

/// Writes the rows of a [`Tools`]: `Shell ["Bash"] { "command" => must(Command), .. }`. `must` is
/// a required argument, `may` an optional one; the name `""` is the input itself, if it is text.
/// The rows of [`Results`] are after the word `results`: `results { "file" / "path" => Path }`.
#[macro_export]
macro_rules! tools {
    (results { $($first:literal $(/ $name:literal)* => $shows:ident),* $(,)? }) => {
        &[$($crate::tools::Shown {
            path: &[$first $(, $name)*],
            shows: $crate::tools::Shows::$shows,
        }),*]
    };
    ($($common:ident [$($name:literal),+ $(,)?] {
        $($argument:literal => $need:ident($means:ident)),* $(,)?
    })*) => {
        &[$($crate::tools::Tool {
            names: &[$($name),+],
            common: $crate::tools::Common::$common,
            arguments: &[$($crate::tools::Argument {
                name: $argument,
                means: $crate::tools::Means::$means,
                required: $crate::tools!(@$need),
            }),*],
        }),*]
    };
    (@must) => { true };
    (@may) => { false };
}

impl Tools {
    /// The tool with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&'static Tool> {
        self.rows.iter().find(|tool| tool.names.contains(&name))
    }

    /// The common tool with this native name; `None` if no table has it.
    #[must_use]
    pub fn common(&self, name: &str) -> Option<Common> {
        let served = || self.servers.iter().any(|start| name.starts_with(start));
        self.named(name).map(|tool| tool.common).or_else(|| served().then_some(Common::Mcp))
    }

    /// The server and the tool in the name of a server's tool: `mcp__disk__write_file`.
    #[must_use]
    pub fn served<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let split = |start: &&str| {
            let between = start.get(start.len().checked_sub(2)?..)?;
            name.strip_prefix(start)?.split_once(between)
        };
        let parts = self.servers.iter().find_map(split)?;
        Some(parts).filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    }

    /// The name of the same tool in the table of another agent.
    #[must_use]
    pub fn same_in(&self, other: &Tools, name: &str) -> Option<&'static str> {
        let common = self.named(name)?.common;
        let same = other.rows.iter().find(|tool| tool.common == common)?;
        same.names.first().copied()
    }
}

impl Tool {
    /// The argument with this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&'static Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// The value with a meaning in a call's arguments: of several names the first that is present.
    #[must_use]
    pub fn value<'a>(&self, means: Means, input: Node<'a>) -> Option<Node<'a>> {
        let rows = self.arguments.iter().filter(|row| row.means == means);
        rows.filter(|row| !row.name.is_empty()).find_map(|row| input.at(&[row.name]))
    }

    /// The text with a meaning in a call's arguments.
    #[must_use]
    pub fn text(&self, means: Means, input: Node<'_>) -> Option<String> {
        value::text_at(self.value(means, input)?, &[])
    }

    /// Whether a call has an argument with a meaning.
    #[must_use]
    pub fn has(&self, means: Means, input: Node<'_>) -> bool {
        self.value(means, input).is_some()
    }

    /// The common tool of a call. One tool may read, write and edit files: a call without a text
    /// for a file reads.
    #[must_use]
    pub fn does(&self, input: Node<'_>) -> Common {
        let texts = [Means::Text, Means::New];
        let takes = |means: &Means| self.arguments.iter().any(|row| row.means == *means);
        let is_both = self.common == Common::Edit && texts.iter().all(takes);
        match is_both && !texts.iter().any(|means| self.has(*means, input)) {
            true => Common::Read,
            false => self.common,
        }
    }

    /// Whether the argument with a meaning is `true`.
    #[must_use]
    pub fn is_true(&self, means: Means, input: Node<'_>) -> bool {
        self.value(means, input).is_some_and(|value| value.raw() == b"true")
    }

    /// Whether the table covers all of a call's arguments: each is known, and none is missing.
    #[must_use]
    pub fn fits(&self, input: Node<'_>) -> bool {
        let whole = self.argument("").is_some();
        if input.shape() != Shape::Object {
            return whole && input.shape() == Shape::String;
        }
        let given = |row: &Argument| match row.name {
            "" => false,
            name => input.at(&[name]).is_some(),
        };
        let known = |name: &[u8]| self.argument(&value::unescape(name)).is_some();
        let met = |row: &Argument| {
            self.arguments.iter().any(|other| other.means == row.means && given(other))
        };
        input.members().all(|member| known(member.name))
            && self.arguments.iter().filter(|row| row.required).all(met)
    }
}

/// Parses a call's arguments: an object, JSON within a string, or elements within a text. Any other
/// text is a JSON string.
pub fn input<T>(call: EventRef<'_>, look: impl FnOnce(Node<'_>) -> Option<T>) -> Option<T> {
    let raw = call.raw(Slot::Input)?;
    let inner = (raw.first() == Some(&b'"')).then(|| value::text(raw)).flatten();
    let text = inner.as_deref().map_or(raw, str::as_bytes);
    let mut scan = Scan::new();
    if let Ok(doc) = scan.read(text, 0)
        && doc.root().shape() == Shape::Object
    {
        return look(doc.root());
    }
    match of_elements(call) {
        Some(arguments) => value::look(&arguments, look),
        None => value::look(raw, look),
    }
}

/// A string, or an array of strings (a command and its words), as one text; `None` if it is empty.
#[must_use]
pub fn words(node: Node<'_>) -> Option<String> {
    let all: Cow<'_, str> = match node.shape() {
        Shape::Array => {
            let words = node.elements().map(|word| word.text().map(value::unescape));
            Cow::Owned(words.collect::<Option<Vec<_>>>()?.join(" "))
        }
        _ => value::unescape(node.text()?),
    };
    (!all.trim().is_empty()).then(|| all.trim().to_owned())
}
