//! Order of a store's blobs: its latest root lists the messages of the prompt, and the turns as
//! displayed. Blobs that neither reaches belong to an earlier state.

use std::collections::HashMap;

use session::{EventIx, EventRef, Scan, Slot, Standing, value};

use super::chat;
use super::standing::{Class, Place};

/// The positions of a store's events.
pub(super) fn places(events: &[EventRef<'_>]) -> HashMap<EventIx, Place> {
    let chain = Chain::of(events);
    let mut places = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        places.insert(event.index, chain.place(*event, number));
    }
    places
}

struct Chain {
    /// The latest root, if present.
    root: Option<EventIx>,
    prompt: HashMap<String, usize>,
    shown: HashMap<String, usize>,
}

impl Chain {
    fn of(events: &[EventRef<'_>]) -> Self {
        let blobs: HashMap<String, EventRef<'_>> = events
            .iter()
            .filter_map(|event| Some((event.text(Slot::Id)?.into_owned(), *event)))
            .collect();
        let latest = events.iter().rev().find_map(|event| event.text(Slot::Leaf));
        let root = latest.and_then(|id| blobs.get(&*id)).filter(|event| event.case.name == "root");
        let mut chain = Self { root: None, prompt: HashMap::new(), shown: HashMap::new() };
        let Some(root) = root else { return chain };
        chain.root = Some(root.index);
        number(names(*root, Slot::Link), &mut chain.prompt);
        for turn in names(*root, Slot::Target) {
            let steps = blobs.get(&turn).map(|turn| {
                let asked = names(*turn, Slot::Link);
                asked.into_iter().chain(names(*turn, Slot::Target)).collect()
            });
            number(vec![turn], &mut chain.shown);
            number(steps.unwrap_or_default(), &mut chain.shown);
        }
        chain
    }

    fn place(&self, event: EventRef<'_>, number: usize) -> Place {
        let id = event.text(Slot::Id).unwrap_or_default();
        let said = Class::Conversation;
        match event.case.name {
            "meta" | "card" => Place::new(Class::Header, number, Standing::Live),
            "root" if Some(event.index) == self.root => {
                Place::new(Class::Header, number, Standing::Live)
            }
            "root" => Place::new(Class::Beside, number, Standing::Superseded),
            // Without a root the order is unknown, so the rows keep their own.
            _ if self.root.is_none() => Place::new(said, number, Standing::Live),
            "turn" | "shown" => match self.shown.get(&*id) {
                // The prompt has it too.
                Some(&at) if !self.prompt.is_empty() => {
                    Place::new(Class::Shown, at, Standing::Echo)
                }
                Some(&at) => Place::new(said, at, Standing::Live),
                None => Place::new(Class::Beside, number, Standing::OtherBranch),
            },
            "blob" => Place::new(Class::Beside, number, Standing::Live),
            _ => match self.prompt.get(&*id) {
                Some(&at) => Place::new(said, at, Standing::Live),
                None => Place::new(Class::Beside, number, Standing::OtherBranch),
            },
        }
    }
}

/// Numbers blobs on from the previous ones, each at its first mention.
fn number(names: Vec<String>, numbers: &mut HashMap<String, usize>) {
    for name in names {
        let next = numbers.len();
        numbers.entry(name).or_insert(next);
    }
}

/// The blobs that a view names in the field with this slot.
fn names(event: EventRef<'_>, slot: Slot) -> Vec<String> {
    let mut scan = Scan::new();
    let Some(Ok(doc)) = event.raw(slot).map(|raw| scan.read(raw, 0)) else { return Vec::new() };
    let root = doc.root();
    let name = |node: session::Node<'_>| {
        node.word(chat::BLOB_ID).map(|id| value::unescape(id).into_owned())
    };
    name(root).into_iter().chain(root.elements().filter_map(name)).collect()
}
