//! Whose a record is: the session that a message or part belongs to, and who speaks in a part.
//! Parts name their message, which may stand behind them in the file.

use std::borrow::Cow;
use std::collections::HashMap;

use session::{EventRef, Kind, Session, Slot, value};

use super::locate;

/// What is known of a message.
struct Message {
    session: Option<String>,
    user: bool,
}

/// The messages of a bundle, and the sessions that its files' names tell of.
pub(super) struct Owners {
    messages: HashMap<String, Message>,
    /// For each member of the bundle.
    paths: Vec<Option<String>>,
    /// The sessions of addresses at which they are shared.
    shares: HashMap<String, String>,
}

impl Owners {
    /// Collects what a bundle says.
    pub(super) fn of(whole: &Session) -> Self {
        let members = &whole.bundle.members;
        let paths = members.iter().map(|member| locate::session_of(&member.name)).collect();
        let mut owners = Self { messages: HashMap::new(), paths, shares: HashMap::new() };
        for event in whole.events() {
            match event.case.name {
                "message" => owners.message(event),
                "session" => {
                    let Some(id) = event.text(Slot::Session) else { continue };
                    owners.shares.extend(shared(event).map(|at| (at, id.clone().into_owned())));
                }
                _ => {}
            }
        }
        owners
    }

    fn message(&mut self, event: EventRef<'_>) {
        let Some(id) = event.text(Slot::Id) else { return };
        let session = self.named(event).map(Cow::into_owned).or_else(|| self.path(event));
        self.messages.insert(id.into_owned(), Message { session, user: event.kind == Kind::User });
    }

    fn named<'s>(&self, event: EventRef<'s>) -> Option<Cow<'s, str>> {
        event.text(Slot::Session).filter(|id| !id.is_empty())
    }

    fn path(&self, event: EventRef<'_>) -> Option<String> {
        self.paths.get(event.origin.member as usize)?.clone()
    }

    fn message_of(&self, event: EventRef<'_>) -> Option<&Message> {
        if let Some(id) = event.text(Slot::Message) {
            return self.messages.get(&*id);
        }
        let member = event.session().bundle.members.get(event.origin.member as usize)?;
        self.messages.get(locate::message_of(&member.name)?)
    }

    /// Kind of each event, and whether no person typed it: text and files are their message's.
    pub(super) fn roles(&self, whole: &Session) -> Vec<(Kind, bool)> {
        let mut roles = Vec::with_capacity(whole.len());
        // The message that stands last in the record at hand, for parts that name none.
        let mut last = (u32::MAX, false);
        for event in whole.events() {
            if last.0 != event.origin.record {
                last = (event.origin.record, false);
            }
            if event.case.name == "message" {
                last.1 = event.kind == Kind::User;
            }
            let user = self.message_of(event).map_or(last.1, |message| message.user);
            let kind = match (event.case.name, user) {
                ("text" | "file", true) => Kind::User,
                ("text", false) => Kind::Assistant,
                ("file", false) if event.kind == Kind::User => Kind::Notice,
                _ => event.kind,
            };
            roles.push((kind, event.injected));
        }
        roles
    }

    fn session(&self, event: EventRef<'_>) -> Option<String> {
        self.named(event)
            .map(Cow::into_owned)
            .or_else(|| self.message_of(event)?.session.clone())
            .or_else(|| self.path(event))
            .or_else(|| shared(event).find_map(|at| self.shares.get(&at).cloned()))
    }

    /// Divides what was read among its sessions. Where a bundle knows of one session only, what
    /// names none is that session's too.
    pub(super) fn divide(self, whole: Session) -> Vec<Session> {
        let mut owners = session::Owners::default();
        whole.events().for_each(|event| owners.push(self.session(event).as_deref()));
        owners.adopt();
        whole.partition(&owners)
    }
}

/// What gives access to a shared session: its address among it.
fn shared(event: EventRef<'_>) -> impl Iterator<Item = String> {
    let fields = event.fields().iter().filter(|field| field.slot == Slot::Secret);
    fields.filter_map(move |field| Some(value::text(event.value(*field))?.into_owned()))
}
