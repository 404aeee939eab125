//! Owner of a record: the session of a message or part, and the role of a part. Parts name their
//! message, which may come later in the file.

use std::borrow::Cow;
use std::collections::HashMap;

use meaning::identity::Messages;
use session::{EventIx, EventRef, Injected, Kind, Session, Slot, value};

use super::locate;

/// Facts about a message.
struct Message {
    session: Option<String>,
    user: bool,
    /// It is the summary that replaced the conversation before it.
    summary: bool,
}

/// The messages of a bundle, and the sessions in its files' names.
pub(super) struct Owners {
    /// Which message holds a part: several may have one id.
    holders: Messages,
    messages: HashMap<EventIx, Message>,
    /// The session or message in the name of each member.
    paths: Vec<Option<String>>,
    /// Sessions, by the address at which they are shared.
    shares: HashMap<String, String>,
}

impl Owners {
    /// Collects the owners of a bundle.
    pub(super) fn of(whole: &Session) -> Self {
        let members = &whole.bundle.members;
        let paths = members.iter().map(|member| locate::session_of(&member.name)).collect();
        let messages = whole.events().filter(|event| event.case.name == "message");
        let holders = Messages::of(messages);
        let mut owners = Self { holders, messages: HashMap::new(), paths, shares: HashMap::new() };
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
        let session = self.named(event).map(Cow::into_owned).or_else(|| self.path(event));
        let (user, summary) = (event.kind == Kind::User, event.is_true(Slot::CompactSummary));
        self.messages.insert(event.index, Message { session, user, summary });
    }

    fn named<'s>(&self, event: EventRef<'s>) -> Option<Cow<'s, str>> {
        event.text(Slot::Session).filter(|id| !id.is_empty())
    }

    fn path(&self, event: EventRef<'_>) -> Option<String> {
        self.paths.get(event.origin.member as usize)?.clone()
    }

    fn message_of(&self, event: EventRef<'_>) -> Option<&Message> {
        if event.field(Slot::Message).is_some() {
            return self.messages.get(&self.holders.holder(event)?.0);
        }
        let member = event.session().bundle.members.get(event.origin.member as usize)?;
        self.messages.get(&self.holders.named(locate::message_of(&member.name)?)?)
    }

    /// Kind of each event, and whether it is injected. Text and files have the role of their
    /// message.
    pub(super) fn roles(&self, whole: &Session) -> Vec<(Kind, Option<Injected>)> {
        let mut roles = Vec::with_capacity(whole.len());
        // The last message of the current record, for parts that name none.
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
            let sums_up = kind == Kind::Assistant
                && event.case.name == "text"
                && self.message_of(event).is_some_and(|message| message.summary);
            roles.push((kind, if sums_up { Some(Injected::Summary) } else { event.injected }));
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

    /// Splits a reading into its sessions. If a bundle has only one session, records without a name
    /// belong to it.
    pub(super) fn divide(self, whole: Session) -> Vec<Session> {
        let mut owners = session::Owners::default();
        whole.events().for_each(|event| owners.push(self.session(event).as_deref()));
        owners.adopt();
        whole.partition(&owners)
    }
}

/// The values that give access to a shared session, its address among them.
fn shared(event: EventRef<'_>) -> impl Iterator<Item = String> {
    let fields = event.fields().iter().filter(|field| field.slot == Slot::Secret);
    fields.filter_map(move |field| Some(value::text(event.value(*field))?.into_owned()))
}
