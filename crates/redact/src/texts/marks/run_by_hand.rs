//! The outputs of commands that a person ran by hand: texts with the command and its output, and
//! records of such a command.

use std::sync::Arc;

use session::{Node, Scan, Session, Shape};

use super::asked::{Asked, names_credentials, of_input};
use super::{Output, Treatment};
use crate::calls::{self, Scripts, by_hand};
use crate::unwrap::view;

/// Names of members that have the output of the command beside them.
const OUTPUTS: [&[u8]; 6] =
    [b"aggregated_output", b"formatted_output", b"output", b"stdout", b"stderr", b"result"];
/// Names of members that have the command.
const COMMANDS: [&[u8]; 2] = [b"command", b"cmd"];
/// Words of which one is in each record of such a command that is no call of a tool.
const SIGNS: [&[u8]; 3] = [b"user_shell", b"userShell", b"bashExecution"];
/// The most values that are within each other.
const DEPTH: usize = 64;

/// The outputs of the commands that a person ran, in a session.
pub(super) fn outputs(session: &Session) -> Vec<Output> {
    let signs = || by_hand::SIGNS.into_iter().chain(SIGNS);
    let has_sign = |text: &[u8]| signs().any(|sign| memchr::memmem::find(text, sign).is_some());
    let mut found = Found { member: 0, before: None, outputs: Vec::new() };
    if !session.bundle.members.iter().any(|member| has_sign(member.bytes())) {
        return found.outputs;
    }
    let mut scan = Scan::new();
    for record in &session.records {
        let bytes = session.record_bytes(record);
        if !has_sign(bytes) {
            continue;
        }
        if let Ok(doc) = scan.read(bytes, record.span.start) {
            found.member = record.member;
            found.of(doc.root(), 0);
        }
    }
    found.outputs
}

struct Found {
    member: u32,
    /// The treatment of the last command's output, which is in a later text.
    before: Option<Asked>,
    outputs: Vec<Output>,
}

impl Found {
    fn of(&mut self, node: Node<'_>, depth: usize) {
        if depth > DEPTH {
            return;
        }
        match node.shape() {
            Shape::Object => {
                self.beside(node);
                node.members().for_each(|member| self.of(member.value, depth + 1));
            }
            Shape::Array => node.elements().for_each(|element| self.of(element, depth + 1)),
            Shape::String => self.text(node),
            _ => {}
        }
    }

    /// A text with a command, its output, or both.
    fn text(&mut self, node: Node<'_>) {
        let Some(raw) = node.text() else { return };
        if !by_hand::SIGNS.iter().any(|sign| memchr::memmem::find(raw, sign).is_some()) {
            return;
        }
        let text = view::unescaped(raw);
        for command in by_hand::commands(&String::from_utf8_lossy(&text)) {
            self.before = treatment(&command);
        }
        if by_hand::printed(&text).is_some()
            && let Some((treatment, printed)) = &self.before
        {
            self.outputs.push((self.member, node.span(), *treatment, printed.clone()));
        }
    }

    /// An object with a command and its output.
    fn beside(&mut self, object: Node<'_>) {
        let of = |names: &[&[u8]], name: &[u8]| names.contains(&name);
        let command = object.members().find(|member| of(&COMMANDS, member.name));
        let Some(command) = command.map(|member| member.value) else { return };
        let treatment = match command.shape() {
            Shape::String => {
                let text = command.text().map(view::unescaped).unwrap_or_default();
                treatment(&String::from_utf8_lossy(&text))
            }
            Shape::Array => {
                let input = [b"{\"command\":", command.raw(), b"}"].concat();
                of_input(&input, &Scripts::default())
            }
            _ => None,
        };
        let Some((treatment, printed)) = treatment else { return };
        for member in object.members().filter(|member| of(&OUTPUTS, member.name)) {
            self.outputs.push((self.member, member.value.span(), treatment, printed.clone()));
        }
    }
}

/// The treatment of the output of a command that prints values that give access.
fn treatment(command: &str) -> Option<Asked> {
    match calls::command_names_value(command) {
        Some(printed) => Some((Treatment::Named, Some(Arc::new(printed)))),
        None => names_credentials(command.as_bytes()).then_some((Treatment::Credentials, None)),
    }
}
