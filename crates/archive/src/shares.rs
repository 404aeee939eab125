//! The bytes that each agent's sessions take in an archive.

use std::collections::{BTreeMap, HashSet};

use session::Sorting as _;

use crate::state::Archive;

/// The part of an archive that one agent's sessions take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentShare {
    /// The agent.
    pub agent: String,
    /// Its sessions.
    pub sessions: usize,
    /// Bytes of their newest versions.
    pub bytes: u64,
    /// Bytes of the pieces of all of their versions, as they are stored. A piece that sessions of
    /// several agents have counts for each.
    pub stored: u64,
}

impl Archive {
    /// The part of each agent, the greatest first.
    #[must_use]
    pub fn shares(&self) -> Vec<AgentShare> {
        let mut shares: BTreeMap<&str, AgentShare> = BTreeMap::new();
        let (mut seen, mut counted) = (HashSet::new(), HashSet::new());
        for version in &self.versions {
            let agent = &*version.session.name.agent;
            let share = shares.entry(agent).or_default();
            for file in &version.session.files {
                // Contents share the pieces of their beginnings.
                let mut next = Some(file.content);
                while let Some(content) = next.filter(|content| seen.insert((agent, *content))) {
                    let Some(content) = self.contents.get(&content) else { break };
                    let new =
                        content.pieces.iter().filter(|piece| counted.insert((agent, **piece)));
                    let stored = new.filter_map(|piece| Some(self.pieces.get(piece)?.piece.stored));
                    share.stored += stored.sum::<u64>();
                    next = content.base;
                }
            }
        }
        for (name, version) in self.newest() {
            let share = shares.entry(&name.agent).or_default();
            share.sessions += 1;
            share.bytes += version.session.files.iter().map(|file| file.length).sum::<u64>();
        }
        let named =
            |(agent, share): (&str, AgentShare)| AgentShare { agent: agent.into(), ..share };
        let mut shares: Vec<AgentShare> = shares.into_iter().map(named).collect();
        shares.in_order_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.agent.cmp(&b.agent)));
        shares
    }
}
