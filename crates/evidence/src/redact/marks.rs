//! Marks: values of a session that are treated in their own way, by what the format's tables say of
//! them.

use std::collections::BTreeSet;

use session::{Calls, Kind, Session, Slot, Span};

/// Treatment of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Treatment {
    /// Any rule can find something in it.
    #[default]
    Open,
    /// An id, a time, a name of a schema: only rules that know a credential by its shape count.
    Protected,
    /// Sealed or signed by a provider: the same, and it is never changed in part.
    Sealed,
    /// The output of a call that read a file of credentials: each assigned value is one.
    Credentials,
}

/// The marks of one bundle, by member and position.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<(u32, Span, Treatment)>,
    longest: u32,
    /// The outputs of tools, in the order of the bytes.
    outputs: Vec<(u32, Span)>,
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

/// Words in the path of a file of credentials, in lower case.
const CREDENTIAL_FILES: &[&str] = &[
    ".env",
    "credentials",
    "secrets.y",
    "secrets.json",
    "secrets.toml",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    ".pem",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".kube/config",
    ".docker/config",
    ".git-credentials",
    "service-account",
    "service_account",
];

impl Marks {
    /// The marks of sessions of one bundle.
    pub(super) fn of(sessions: &[&Session]) -> Self {
        let mut marks = BTreeSet::new();
        for session in sessions {
            fields(session, &mut marks);
            outputs(session, &mut marks);
        }
        let marks: Vec<_> = marks.into_iter().collect();
        let longest = marks.iter().map(|(_, span, _)| span.len() as u32).max().unwrap_or(0);
        Self { marks, longest, outputs: all_outputs(sessions) }
    }

    /// Whether a value is a text of a tool's output: all of it, or a member with such a name.
    pub(super) fn is_output(&self, member: u32, value: Span, name: &[u8]) -> bool {
        let behind =
            self.outputs.partition_point(|&(of, span)| (of, span.start) <= (member, value.start));
        let around = behind.checked_sub(1).map(|before| self.outputs[before]);
        around.is_some_and(|(of, span)| {
            of == member && span.holds(value) && (span == value || OUTPUTS.contains(&name))
        })
    }

    /// The treatment of a value with this name.
    pub(super) fn treatment(&self, member: u32, value: Span, name: &[u8]) -> Treatment {
        if SEALED.iter().any(|sealed| name.eq_ignore_ascii_case(sealed.as_bytes())) {
            return Treatment::Sealed;
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

/// The outermost values of the outputs of tools.
fn all_outputs(sessions: &[&Session]) -> Vec<(u32, Span)> {
    let results = sessions.iter().flat_map(|session| session.events());
    let results = results.filter(|event| event.kind == Kind::ToolResult);
    let mut all: Vec<(u32, Span)> = results
        .flat_map(|event| {
            let fields = event.fields().iter();
            let outputs = fields.filter(|field| {
                matches!(field.slot, Slot::Output | Slot::Content | Slot::Detail | Slot::Changes)
            });
            outputs.map(move |field| (event.origin.member, field.value))
        })
        .collect();
    all.sort_by_key(|&(member, span)| (member, span.start, std::cmp::Reverse(span.end)));
    let mut outer: Vec<(u32, Span)> = Vec::new();
    for (member, span) in all {
        if !outer.last().is_some_and(|&(of, last)| of == member && last.holds(span)) {
            outer.push((member, span));
        }
    }
    outer
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
        | Slot::Ordinal => Treatment::Protected,
        _ => return None,
    })
}

/// The outputs of calls whose input names a file of credentials.
fn outputs(session: &Session, marks: &mut BTreeSet<(u32, Span, Treatment)>) {
    let mut calls = None;
    for call in session.events().filter(|event| event.kind == Kind::ToolCall) {
        let names = call.raw(Slot::Input).is_some_and(names_credentials);
        if !names {
            continue;
        }
        let calls = calls.get_or_insert_with(|| Calls::of(session));
        if let Some(result) = calls.result(call.index) {
            let result = session.event(result);
            for field in result.fields() {
                if matches!(field.slot, Slot::Output | Slot::Content) {
                    let mark = (result.origin.member, field.value, Treatment::Credentials);
                    marks.insert(mark);
                }
            }
        }
    }
}

/// Whether the input of a call names a file of credentials; not an example of one.
fn names_credentials(input: &[u8]) -> bool {
    let input = input[..input.len().min(4096)].to_ascii_lowercase();
    CREDENTIAL_FILES.iter().any(|name| {
        memchr::memmem::find_iter(&input, name).any(|at| {
            let behind = &input[at + name.len()..];
            let example = [&b".example"[..], b".sample", b".template", b".dist", b".go", b".rs"];
            let is_example = example.iter().any(|end| behind.starts_with(end));
            !is_example && (*name != ".env" || is_env(&input[..at], behind))
        })
    })
}

/// Whether `.env` is a file's name, and not `process.env` or a part of another word.
fn is_env(before: &[u8], behind: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let word = before.iter().rev().take_while(|byte| is_letter(byte)).count();
    let word = &before[before.len() - word..];
    let is_variable = [&b"process"[..], b"meta", b"os", b"deno", b"bun", b"this", b"self"];
    let closes = before.last().is_some_and(|byte| matches!(byte, b')' | b']'));
    let goes_on = behind.first().is_some_and(|byte| is_letter(byte) || matches!(byte, b'[' | b'('));
    !is_variable.contains(&word) && !closes && !goes_on
}
