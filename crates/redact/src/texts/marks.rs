//! Marks: values of a session that are treated in their own way, by what the format's tables say of
//! them.

use std::collections::BTreeSet;
use std::sync::Arc;

use session::Sorting as _;
use session::{Kind, Session, Slot, Span};

use crate::calls::Printed;

mod asked;
mod run_by_hand;

/// Treatment of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Treatment {
    /// Any rule can find something in it.
    #[default]
    Open,
    /// An id, a time, a name of a schema: only rules that know a credential by its shape count.
    Protected,
    /// Sealed or signed by a provider: the same, and it is never changed in part.
    Sealed,
    /// The output of a call that read a file of credentials: each assigned value is one.
    Credentials,
    /// The output of a call that asks for the value of a name: if it is one value, it is that.
    Named,
}

/// The output of a call or a command: its member and place, how it is treated, and what the command
/// prints, if it names a value.
type Output = (u32, Span, Treatment, Option<Arc<Printed>>);

/// The marks of one bundle, by member and position.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marks: Vec<(u32, Span, Treatment)>,
    longest: u32,
    /// The outputs of tools, in the order of the bytes.
    outputs: Vec<(u32, Span)>,
    /// The lines that calls print, each by the place of the output.
    printed: Vec<(u32, Span, Arc<Printed>)>,
}

/// Names of values that a provider signed or sealed, in lower case.
const SEALED: &[&str] = &[
    "signature",
    "thinkingsignature",
    "thoughtsignature",
    "thought_signature",
    "encrypted_content",
    "encryptedcontent",
    "reasoning_encrypted_content",
];

/// Names of values that say what a record is, in lower case, in the agents' formats: nobody's name
/// is in them.
const STRUCTURE: &[&str] = &[
    "type",
    "role",
    "model",
    "modelid",
    "providerid",
    "provider",
    "subtype",
    "usertype",
    "entrypoint",
    "gitbranch",
    "branch",
    "version",
    "cli_version",
    "originator",
    "status",
    "level",
    "kind",
    "mode",
    "stop_reason",
    "service_tier",
    "permissionmode",
    "uuid",
    "parentuuid",
    "sessionid",
    "timestamp",
];

/// The longest value of such a name.
const WORD: usize = 80;

impl Marks {
    /// The marks of sessions of one bundle.
    pub(crate) fn of(sessions: &[&Session]) -> Self {
        let mut marks = BTreeSet::new();
        let mut asked: Vec<Output> = Vec::new();
        for session in sessions {
            fields(session, &mut marks);
            asked.extend(asked::outputs(session));
            asked.extend(run_by_hand::outputs(session));
        }
        let (mut printed, mut places) = (Vec::new(), Vec::new());
        for (member, span, treatment, lines) in asked {
            marks.insert((member, span, treatment));
            printed.extend(lines.map(|lines| (member, span, lines)));
            if treatment == Treatment::Named {
                places.push((member, span));
            }
        }
        let marks: Vec<_> = marks.into_iter().collect();
        let longest = marks.iter().map(|(_, span, _)| span.len() as u32).max().unwrap_or(0);
        printed.in_order_by_key(|&(member, span, _)| (member, span.start, span.end));
        Self { marks, longest, outputs: outputs_of(sessions, places), printed }
    }

    /// The lines of the call in whose output a value is, if it names a value that gives access.
    pub(crate) fn printed(&self, member: u32, value: Span) -> Option<&Printed> {
        let behind = |&(of, span, _): &(u32, Span, _)| (of, span.start) <= (member, value.start);
        let behind = self.printed.partition_point(behind);
        let near = self.printed[..behind].iter().rev().take_while(|(of, ..)| *of == member);
        let around = near.take(64).find(|(_, span, _)| span.holds(value));
        around.map(|(.., printed)| &**printed)
    }

    /// Whether a value is a text of a tool's output: all of it, or a member with such a name.
    pub(crate) fn is_output(&self, member: u32, value: Span, name: &[u8]) -> bool {
        around(&self.outputs, member, value)
            .is_some_and(|span| span == value || OUTPUTS.contains(&name))
    }

    /// The treatment of a value with this name.
    pub(crate) fn treatment(&self, member: u32, value: Span, name: &[u8]) -> Treatment {
        if SEALED.iter().any(|sealed| name.eq_ignore_ascii_case(sealed.as_bytes())) {
            return Treatment::Sealed;
        }
        let is_short = value.len() <= WORD;
        if is_short && STRUCTURE.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes())) {
            return Treatment::Protected;
        }
        let behind =
            self.marks.partition_point(|(of, span, _)| (*of, span.start) <= (member, value.start));
        let before = self.marks[..behind].iter().rev();
        let near = before
            .take_while(|(of, span, _)| *of == member && value.start - span.start <= self.longest);
        let around = near.take(64).filter(|(_, span, _)| span.holds(value));
        around.map(|(_, _, treatment)| *treatment).max().unwrap_or_default()
    }
}

/// Names of texts within an output.
const OUTPUTS: &[&[u8]] = &[
    b"text",
    b"content",
    b"stdout",
    b"stderr",
    b"output",
    b"result",
    b"data",
    b"diff",
    b"preview",
    b"aggregated_output",
    b"formatted_output",
    b"originalFile",
    b"oldString",
    b"newString",
];

/// The outermost values of the outputs of tools, in the order of the bytes.
fn outputs_of(sessions: &[&Session], asked: Vec<(u32, Span)>) -> Vec<(u32, Span)> {
    let events = sessions.iter().flat_map(|session| session.events());
    let mut all: Vec<(u32, Span)> = events
        .filter(|event| event.kind == Kind::ToolResult)
        .flat_map(|event| {
            let fields = event.fields().iter().filter(|field| {
                matches!(field.slot, Slot::Output | Slot::Content | Slot::Detail | Slot::Changes)
            });
            fields.map(move |field| (event.origin.member, field.value))
        })
        .chain(asked)
        .collect();
    all.in_order_by_key(|&(member, span)| (member, span.start, std::cmp::Reverse(span.end)));
    let mut outer: Vec<(u32, Span)> = Vec::new();
    for (member, span) in all {
        if !outer.last().is_some_and(|&(of, last)| of == member && last.holds(span)) {
            outer.push((member, span));
        }
    }
    outer
}

/// The one of the spans that is around a value.
fn around(spans: &[(u32, Span)], member: u32, value: Span) -> Option<Span> {
    let behind = spans.partition_point(|&(of, span)| (of, span.start) <= (member, value.start));
    let (of, span) = spans[behind.checked_sub(1)?];
    (of == member && span.holds(value)).then_some(span)
}

fn fields(session: &Session, marks: &mut BTreeSet<(u32, Span, Treatment)>) {
    for event in session.events() {
        for field in event.fields() {
            if let Some(treatment) = of_slot(field.slot) {
                marks.insert((event.origin.member, field.value, treatment));
            }
        }
    }
}

const fn of_slot(slot: Slot) -> Option<Treatment> {
    Some(match slot {
        Slot::Encrypted => Treatment::Sealed,
        Slot::Time
        | Slot::Id
        | Slot::Parent
        | Slot::Link
        | Slot::Call
        | Slot::Message
        | Slot::Request
        | Slot::Session
        | Slot::ParentSession
        | Slot::SpawnedBy
        | Slot::Agent
        | Slot::Turn
        | Slot::Leaf
        | Slot::Target
        | Slot::Started
        | Slot::Updated
        | Slot::Saved
        | Slot::Model
        | Slot::Provider
        | Slot::Type
        | Slot::Role
        | Slot::Version
        | Slot::Revision
        | Slot::Finish
        | Slot::Status
        | Slot::Ordinal
        | Slot::Name
        | Slot::Branch
        | Slot::VersionControl => Treatment::Protected,
        _ => return None,
    })
}
