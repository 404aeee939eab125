//! Sub-agents' conversations in `state/` of a workspace or of the home: case selection and tables.
//! Each agent has a transcript. The register has, for each agent, its prompt, its answer, and the
//! end of its conversation.

use session::{
    Case, EventRef, Injected, Kind, Map, Mark, NO_EVENT, Node, Session, Shape, Slot, Standing, map,
};

use super::saved::{self, message};
use super::standing::is;
use super::{map, names};
use crate::standings::Standings;

/// The first line of a transcript. It names the agent, but no session.
pub(super) static HEADER_MAP: Map = map! {
    "kind" => is(Type),
    "schema_version" => kept,
    "agent_id" => is(Agent),
};

/// Any later line.
pub(super) static LINE_MAP: Map = map! {
    "kind" => is(Type),
    "index" => is(Ordinal),
    "message" => within(Native, &map::MESSAGE),
};

/// `subagents.v1.json`.
pub(super) static REGISTER_MAP: Map = map! {
    kept ["schema_version", "snapshot_sequence"],
    "agents" => each(Native, agent),
    kept ["workers", "coordination"],
};

/// An agent, with its prompt.
pub(super) static AGENT_MAP: Map = map! {
    "id" => is(Agent),
    "session_name" => is(Name),
    "fork_context" => kept,
    "workspace" => is(WorkingDir),
    "agent_type" => kept,
    "prompt" => is(Content),
    "assignment" => kept,
    "model" => is(Model),
    kept ["nickname", "status", "result", "steps_taken"],
    "checkpoint" => within(Native, &CHECKPOINT),
    kept ["needs_input", "duration_ms", "allowed_tools", "updated_at_ms", "session_boot_id"],
    "owner_session_id" => is(SpawnedBy),
};

/// The same agent's answer, if any.
pub(super) static ANSWER_MAP: Map = map! {
    "id" => is(Agent),
    "model" => is(Model),
    "status" => is(Status),
    "result" => is(Content),
    "duration_ms" => is(Duration),
    "updated_at_ms" => is(Time),
};

/// The state of an interrupted agent: the end of its conversation.
pub(super) static CHECKPOINT: Map = map! {
    kept [
        "checkpoint_id", "agent_id", "continuation_handle", "reason", "continuable", "steps_taken",
        "message_count", "created_at_ms",
    ],
    "messages" => each(Native, message),
    "omitted_messages" => kept,
};

pub(super) static HEADER: Case = Case::new("subagent", Kind::Notice, &HEADER_MAP);
pub(super) static REGISTER: Case = Case::new("subagents", Kind::Notice, &REGISTER_MAP);
/// The prompt comes from another agent, not from a person.
static AGENT: Case = Case::new("agent", Kind::User, &AGENT_MAP).injected_as(Injected::Task).top();
static ANSWERED: Case =
    Case::new("agent", Kind::User, &AGENT_MAP).injected_as(Injected::Task).also(&ANSWER).top();
static ANSWER: Case = Case::new("answer", Kind::Assistant, &ANSWER_MAP).top();

pub(super) static USER: Case = Case::new("user", Kind::User, &LINE_MAP);
pub(super) static RESULTS: Case = Case::new("results", Kind::User, &LINE_MAP).injected();
pub(super) static SYSTEM: Case = Case::new("system", Kind::User, &LINE_MAP).injected();
pub(super) static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &LINE_MAP);
pub(super) static CUT_SHORT: Case =
    Case::new("assistant", Kind::Assistant, &LINE_MAP).with(&[(Slot::Finish, "interrupted")]);
pub(super) static ODD: Case = Case::new("message", Kind::Notice, &LINE_MAP);

/// The case of a document or a line; `None` if it is not a sub-agent's.
pub(super) fn record(node: Node<'_>) -> Option<&'static Case> {
    match node.word(names::KIND) {
        Some(b"subagent_transcript_header") => node.at(names::AGENT_ID).map(|_| &HEADER),
        Some(b"message") => {
            let ours = node.at(names::INDEX).is_some() && node.word(names::MESSAGE_ROLE).is_some();
            ours.then(|| saved::line(node))
        }
        Some(_) => None,
        None => is_register(node).then_some(&REGISTER),
    }
}

/// Whether it is a register with at least one agent.
fn is_register(node: Node<'_>) -> bool {
    let first = node.at(names::AGENTS).and_then(|agents| agents.elements().next());
    let marks = [names::PROMPT, names::AGENT_TYPE, names::CHECKPOINT];
    let ours = |agent: Node<'_>| {
        agent.word(names::ID).is_some() && marks.iter().any(|path| agent.at(path).is_some())
    };
    node.at(names::SCHEMA_VERSION).is_some() && first.is_some_and(ours)
}

/// Whether the first agent of a register has more names that only CodeWhale writes, so that the
/// register is known outside of its home too.
pub(super) fn is_marked(node: Node<'_>) -> bool {
    let first = node.at(names::AGENTS).and_then(|agents| agents.elements().next());
    let marks: [&[&str]; 5] = [
        names::AGENT_TYPE,
        names::CHECKPOINT,
        &["steps_taken"],
        &["session_boot_id"],
        &["needs_input"],
    ];
    first.is_some_and(|agent| marks.iter().filter(|path| agent.at(path).is_some()).count() > 2)
}

/// The case of an element of `agents`.
fn agent(node: Node<'_>) -> Option<&'static Case> {
    let answered = node.word(names::RESULT).is_some();
    (node.shape() == Shape::Object).then_some(if answered { &ANSWERED } else { &AGENT })
}

/// The id of a session that is a transcript or a register: from its agent, or its first agent.
pub(super) fn session_id(session: &Session) -> Option<String> {
    let first = session.events().next()?;
    let id = || session.first(Slot::Agent);
    if is(first, &HEADER) {
        id().map(|id| id.into_owned())
    } else if is(first, &REGISTER) {
        id().map(|id| format!("subagents-{id}"))
    } else {
        None
    }
}

/// Sets the echoes of agents. An agent's prompt and answer are repeated in its conversation, as far
/// as that is stored. Then the copies beside the conversation are echoes, and the answer follows
/// it.
pub(super) fn settle(session: &Session, standings: &mut Standings) {
    let top: Vec<EventRef<'_>> =
        session.events().filter(|event| event.parent == NO_EVENT).collect();
    let begins = |event: &EventRef<'_>| is(*event, &AGENT) || is(*event, &ANSWERED);
    for (at, asked) in top.iter().enumerate().filter(|(_, event)| begins(event)) {
        let rest = top[at + 1..].iter().take_while(|event| !begins(event));
        let (answer, messages): (Vec<&EventRef<'_>>, Vec<_>) =
            rest.partition(|event| is(**event, &ANSWER));
        let told: Vec<_> = messages.iter().map(|event| event.said()).collect();
        for event in answer.into_iter().chain([asked]) {
            let words = event.said();
            if !words.trim().is_empty() && told.iter().any(|told| told.contains(words.trim())) {
                standings.set(event.index, Standing::Echo);
            }
        }
    }
}

/// Moves an agent's answer after its conversation.
pub(super) fn place(session: &mut Session) {
    let mut next = u32::try_from(session.len()).unwrap_or(u32::MAX);
    for at in (0..next).rev() {
        let event = session.event(at);
        if std::ptr::eq(event.case, &raw const ANSWER) {
            session.mark(at, Mark::Place(next));
        } else if std::ptr::eq(event.case, &raw const AGENT)
            || std::ptr::eq(event.case, &raw const ANSWERED)
        {
            next = event.place;
        }
    }
}
