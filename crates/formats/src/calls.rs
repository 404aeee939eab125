//! The tool of a call, and its subject, in a session of any agent.

use session::{EventRef, Node, Shape, Slot, value};

use crate::registry::{AGENTS, agent};
use crate::tools::{Common, Means, Tool, input, words};

/// The tool of a call, by the table of its format. A document has sessions of any agent: the first
/// table with the name decides.
#[must_use]
pub fn of(call: EventRef<'_>) -> Option<&'static Tool> {
    let name = call.text(Slot::Name)?;
    match agent(call.session().format) {
        Some(format) => format.data().tools.named(&name),
        None => AGENTS.iter().find_map(|format| format.data().tools.named(&name)),
    }
}

/// The server and the tool of a call, if its tool is a server's: its name has both.
#[must_use]
pub fn served(call: EventRef<'_>) -> Option<(String, String)> {
    let name = call.text(Slot::Name)?;
    let parts = match agent(call.session().format) {
        Some(format) => format.data().tools.served(&name),
        None => AGENTS.iter().find_map(|format| format.data().tools.served(&name)),
    };
    parts.map(|(server, tool)| (server.to_owned(), tool.to_owned()))
}

/// The meaning that most tables give to an argument's name, for unknown tools.
#[must_use]
pub fn meaning(argument: &str) -> Option<Means> {
    let rows = || AGENTS.iter().flat_map(|format| format.data().tools.rows);
    let means = rows().filter_map(|tool| tool.argument(argument)).map(|row| row.means);
    means.filter(|means| *means != Means::Option).min()
}

/// The argument that best shows a call's subject, as text; `None` if it has no text.
#[must_use]
pub fn subject(call: EventRef<'_>) -> Option<String> {
    let tool = of(call);
    input(call, |root| {
        if root.shape() != Shape::Object {
            return words(root);
        }
        let said = tool.and_then(|tool| {
            tool.arguments.iter().filter(|row| !row.name.is_empty()).find_map(|row| {
                let value = root.at(&[row.name])?;
                words(value)
            })
        });
        said.or_else(|| guessed(root))
    })
}

/// The text that a call shows to the person: a plan, or the report of a finished task. With some
/// agents it is the answer, since each of their answers is a call.
#[must_use]
pub fn report(call: EventRef<'_>) -> Option<String> {
    let rows = of(call)?.arguments.iter();
    let mut rows = rows.filter(|row| matches!(row.means, Means::Plan | Means::Report));
    input(call, |root| rows.find_map(|row| words(root.at(&[row.name])?)))
}

/// The subject of an unknown tool's call: by argument names of other tables, else the first text.
fn guessed(root: Node<'_>) -> Option<String> {
    let ranked = root.members().filter_map(|member| {
        let means = meaning(&value::unescape(member.name))?;
        Some((means, words(member.value)?))
    });
    let told = ranked.filter(|(means, _)| *means <= Means::Name).min_by_key(|(means, _)| *means);
    let first = || root.members().find_map(|member| words(member.value));
    told.map(|(_, text)| text).or_else(first)
}

/// The tool of a call in the words that agents have in common: also a server's, which no table
/// names.
#[must_use]
pub fn common(call: EventRef<'_>) -> Option<Common> {
    let name = call.text(Slot::Name)?;
    let common = match agent(call.session().format) {
        Some(format) => format.data().tools.common(&name),
        None => AGENTS.iter().find_map(|format| format.data().tools.common(&name)),
    };
    match common {
        Some(Common::Edit) => {
            of(call).and_then(|tool| input(call, |root| Some(tool.does(root)))).or(common)
        }
        common => common,
    }
}
