//! The outputs of calls that ask for values that give access: also those that come in a later call,
//! which names what still runs, and those of a script that an earlier call wrote.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use meaning::Calls;
use session::{EventIx, EventRef, Field, Kind, Session, Slot};

use super::{Output, Treatment};
use crate::calls::{self, Printed, Scripts};
use crate::texts::credential_files;

/// The treatment of a call's output, and the lines that the call prints, if it names a value.
pub(super) type Asked = (Treatment, Option<Arc<Printed>>);

/// The outputs of calls whose input names a file of credentials, or asks for the value of a name.
pub(super) fn outputs(session: &Session) -> Vec<Output> {
    let mut asking = asking(session);
    if asking.is_empty() {
        return Vec::new();
    }
    let calls = Calls::of(session);
    add_later(session, &calls, &mut asking);
    let (mut all, mut records) = (Vec::new(), BTreeMap::new());
    for result in session.events().filter(|event| event.kind == Kind::ToolResult) {
        let Some(call) = calls.call(result.index) else { continue };
        let Some(asked) = asking.get(&call) else { continue };
        let (member, (treatment, printed)) = (result.origin.member, asked);
        for field in result.fields() {
            let is_beside = field.slot == Slot::Detail || is_beside(result, *field);
            let is_output = matches!(field.slot, Slot::Output | Slot::Content);
            if is_output || (is_beside && *treatment == Treatment::Named) {
                all.push((member, field.value, *treatment, printed.clone()));
            }
        }
        if *treatment == Treatment::Named {
            // Some agents keep what they showed of the result beside the call.
            let call = session.event(call);
            let same = (call.origin.member, call.origin.record) == (member, result.origin.record);
            let shown = call.fields().iter().filter(|field| {
                same && is_beside(call, **field) && !field.value.holds(result.span)
            });
            all.extend(shown.map(|field| (member, field.value, *treatment, printed.clone())));
            records.insert((member, result.origin.record), (result.index, result.span, asked));
        }
    }
    // What the agent keeps of the result is in the same record, beside the message.
    for event in session.events() {
        let member = event.origin.member;
        let Some((result, span, asked)) = records.get(&(member, event.origin.record)) else {
            continue;
        };
        let is_other = event.index == *result || event.kind == Kind::ToolCall;
        let fields = event
            .fields()
            .iter()
            .filter(|field| !is_other && is_beside(event, **field) && !field.value.holds(*span));
        all.extend(fields.map(|field| (member, field.value, asked.0, asked.1.clone())));
    }
    all
}

/// The calls whose input asks for such values.
fn asking(session: &Session) -> BTreeMap<EventIx, Asked> {
    let (mut asking, mut scripts) = (BTreeMap::new(), Scripts::default());
    for call in session.events().filter(|event| event.kind == Kind::ToolCall) {
        let Some(input) = call.raw(Slot::Input) else { continue };
        // A call may run what it writes.
        scripts.learn(input);
        asking.extend(of_input(input, &scripts).map(|asked| (call.index, asked)));
    }
    asking
}

/// Adds the calls that ask for the rest of the output of such a call: their input has the id that
/// its result gave to what still runs, such as a session, a task or a process.
fn add_later(session: &Session, calls: &Calls, asking: &mut BTreeMap<EventIx, Asked>) {
    let mut running: HashMap<String, Asked> = HashMap::new();
    for event in session.events() {
        match event.kind {
            Kind::ToolCall => {
                let Some(input) = event.raw(Slot::Input) else { continue };
                let ids = calls::ids(input);
                if let Some(asked) = asking.get(&event.index) {
                    // What is typed into a session is printed there.
                    running.extend(ids.into_iter().map(|id| (id, asked.clone())));
                } else if running.is_empty() {
                    continue;
                } else {
                    let is_read = |id: &&String| ids.contains(id) || calls::reads_output(input, id);
                    let Some(id) = running.keys().find(is_read).cloned() else { continue };
                    match calls::types_command(input) {
                        true => drop(running.remove(&id)),
                        false => {
                            asking.extend(running.get(&id).map(|of| (event.index, of.clone())))
                        }
                    }
                }
            }
            Kind::ToolResult => {
                let Some(call) = calls.call(event.index) else { continue };
                let asked = asking.get(&call);
                if asked.is_none() && running.is_empty() {
                    continue;
                }
                for id in event.fields().iter().filter(|field| is_told(event, **field)).flat_map(
                    |field| calls::ids(session.bundle.slice(event.origin.member, field.value)),
                ) {
                    match asked {
                        Some(asked) => drop(running.insert(id, asked.clone())),
                        None => drop(running.remove(&id)),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether a field of a result is what was printed, or what an agent keeps beside it.
fn is_told(event: EventRef<'_>, field: Field) -> bool {
    matches!(field.slot, Slot::Output | Slot::Content | Slot::Detail) || is_beside(event, field)
}

/// Whether an agent keeps a result in a value beside those that its tables know.
fn is_beside(event: EventRef<'_>, field: Field) -> bool {
    const PARTS: [&[u8]; 6] = [b"result", b"output", b"stdout", b"detail", b"metadata", b"display"];
    let name = || event.name(field).to_ascii_lowercase();
    field.slot == Slot::Native
        && PARTS.iter().any(|part| memchr::memmem::find(&name(), part).is_some())
}

/// The treatment of the output of a call whose input asks for values that give access.
pub(super) fn of_input(input: &[u8], scripts: &Scripts) -> Option<Asked> {
    match calls::names_value(input, scripts) {
        Some(printed) => Some((Treatment::Named, Some(Arc::new(printed)))),
        None => names_credentials(input).then_some((Treatment::Credentials, None)),
    }
}

/// Whether the input of a call names a file of credentials.
pub(super) fn names_credentials(input: &[u8]) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`\\;|&<>()=:,".contains(byte);
    let input = &input[..input.len().min(4096)];
    input.split(is_end).filter(|word| word.len() >= 4).any(credential_files::is_credentials)
}
