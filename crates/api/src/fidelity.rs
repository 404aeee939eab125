//! `verbatim-fidelity-1`: how much of the sessions of each agent arrives at each other one.

use operations::fidelity::Fidelity;
use serde::Serialize;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-fidelity-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct FidelityDocument<'f> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The pairs of agents, by source and target.
    pub pairs: Vec<FidelityRow>,
    /// The sources that could not be read, with the reasons.
    pub not_read: &'f [String],
}

/// The sums of the books of all conversions from one agent to another.
#[derive(Debug, Serialize)]
pub struct FidelityRow {
    /// The agent that wrote the sessions.
    pub from: &'static str,
    /// The agent that continues them.
    pub to: &'static str,
    /// The sessions that were converted.
    pub sessions: u64,
    /// The sessions without a prompt, which no agent can continue.
    pub silent: u64,
    /// All fields of the sessions.
    pub fields: u64,
    /// Those that the target has as they are.
    pub carried: u64,
    /// Those that it has in another form.
    pub mapped: u64,
    /// Those of which it has something, from which they can't be restored.
    pub in_part: u64,
    /// Those that it does not have.
    pub dropped: u64,
    /// The fields that are conversation, as opposed to bookkeeping of the agent.
    pub conversation: u64,
    /// Those that the target does not have.
    pub dropped_conversation: u64,
    /// All values of the written files.
    pub values: u64,
    /// Those that no field has.
    pub made: u64,
}

impl<'f> FidelityDocument<'f> {
    /// The document of these sums.
    #[must_use]
    pub fn of(fidelity: &'f Fidelity) -> Self {
        let row = |((from, to), pair): (&(&'static str, &'static str), _)| {
            let pair: &operations::fidelity::PairFidelity = pair;
            FidelityRow {
                from,
                to,
                sessions: pair.sessions,
                silent: pair.silent,
                fields: pair.fields(),
                carried: pair.carried,
                mapped: pair.mapped,
                in_part: pair.in_part,
                dropped: pair.dropped,
                conversation: pair.conversation,
                dropped_conversation: pair.dropped_conversation,
                values: pair.leaves,
                made: pair.made,
            }
        };
        let pairs = fidelity.pairs.iter().map(row).collect();
        Self { schema: SCHEMA, pairs, not_read: &fidelity.unread }
    }
}
