//! Turns of a session: what each did, how long it took, and what it used.

use std::collections::BTreeMap;

use meaning::usage::Tokens;
use serde::Serialize;
use session::{EventIx, Session, UtcTime};
use views::transcript::{
    AgentSum, CallGroup, Detail, ListPrice, Spending, Transcript, TurnItems, TurnSum, groups,
};

/// A turn. What the agent did not record is absent or null, never zero.
#[derive(Debug, Serialize)]
pub struct TurnDocument {
    /// Its number, from 1; 0 before the first prompt.
    pub turn: u64,
    /// The prompt.
    pub prompt: String,
    /// Its first time.
    pub started: Option<String>,
    /// Its last time.
    pub ended: Option<String>,
    /// The time between the two, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// The way in which it ended, if the agent recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<&'static str>,
    /// The number of calls, those of sub-agents too.
    pub calls: u64,
    /// The number of those that failed.
    pub failed: u64,
    /// The number of calls by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// The number of sub-agents that it started.
    pub agents: u64,
    /// The number of those whose histories are not in the session, and which are in none of its
    /// sums.
    #[serde(skip_serializing_if = "crate::usage::is_zero")]
    pub agents_apart: u64,
    /// The sums of each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sub_agents: Vec<SubAgentDocument>,
    /// Runs of calls of one kind, or of calls that ran at the same time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupDocument>,
    /// The number of pictures and other media.
    pub pictures: u64,
    /// The paths of the changed files.
    pub files: Vec<String>,
    /// The changed files with their lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeDocument>,
    /// The number of inserted lines.
    pub inserted: usize,
    /// The number of deleted lines.
    pub deleted: usize,
    /// The sum of all tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The use of its answers, those of sub-agents too; absent if no answer recorded anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageDocument>,
    /// Whether a summary replaced what is before it.
    pub compacted: bool,
}

/// The sums of a sub-agent, with those that it started itself.
#[derive(Debug, Serialize)]
pub struct SubAgentDocument {
    /// The number of the event of the call that started it.
    pub call: EventIx,
    /// Its task, as the call names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The number of its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// The number of those that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// Its first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// Its last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The time that it worked, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// The sum of its tokens, where only the result of its call says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The use of its answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageDocument>,
}

/// A run of calls.
#[derive(Debug, Serialize)]
pub struct GroupDocument {
    /// The numbers of the events of its calls.
    pub calls: Vec<EventIx>,
    /// The number of calls by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// The number of those that ran at the same time as another one.
    pub parallel: u64,
    /// The number of those that failed.
    pub failed: u64,
}

/// The changes of one file.
#[derive(Debug, Serialize)]
pub struct ChangeDocument {
    /// Its path, as the agent wrote it.
    pub path: String,
    /// The number of calls that changed it.
    pub calls: u64,
    /// The number of inserted lines.
    pub inserted: usize,
    /// The number of deleted lines.
    pub deleted: usize,
}

/// The use of some answers: tokens and money.
#[derive(Debug, Serialize)]
pub struct UsageDocument {
    /// The number of answers.
    pub answers: u64,
    /// Input without cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Input read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Input written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Output, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Tokens used by tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<u64>,
    /// A sum that the agent does not split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsplit: Option<u64>,
    /// The cost in US dollars that the agent recorded, as a decimal number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_usd: Option<String>,
    /// The cost by list prices of the answers for which it recorded none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed_usd: Option<String>,
    /// The number of answers that have neither.
    pub unpriced: u64,
}

impl UsageDocument {
    fn of(spent: &Spending) -> Option<Self> {
        let Tokens { input, cache_read, cache_write, output, tool, unsplit, .. } = spent.tokens;
        (spent.answers > 0).then(|| Self {
            answers: spent.answers,
            input,
            cache_read,
            cache_write,
            output,
            tool,
            unsplit,
            recorded_usd: spent.recorded.map(|money| money.exact()),
            listed_usd: spent.listed.map(|money| money.exact()),
            unpriced: spent.unpriced,
        })
    }
}

impl SubAgentDocument {
    fn of(call: EventIx, task: Option<&str>, sum: &AgentSum) -> Self {
        Self {
            call,
            task: task.map(str::to_owned),
            calls: sum.calls,
            failed: sum.failed,
            started: sum.time.map(|(from, _)| from.sortable()),
            ended: sum.time.map(|(_, to)| to.sortable()),
            took_ms: sum.took.map(milliseconds),
            tokens: sum.spending.tokens.unsplit.filter(|_| sum.spending.answers == 0),
            usage: UsageDocument::of(&sum.spending),
        }
    }
}

impl TurnDocument {
    /// The document of a turn, without groups of calls.
    #[must_use]
    pub fn of(sum: &TurnSum) -> Self {
        let agents = sum.delegated.iter();
        let changes = sum.files.iter().map(|(path, file)| ChangeDocument {
            path: path.clone(),
            calls: file.calls,
            inserted: file.inserted,
            deleted: file.deleted,
        });
        let time = |at: UtcTime| at.sortable();
        Self {
            turn: sum.turn,
            prompt: sum.prompt.clone(),
            started: sum.time.map(|(from, _)| time(from)),
            ended: sum.time.map(|(_, to)| time(to)),
            took_ms: sum.active.map(milliseconds),
            end: sum.end.map(formats::turns::TurnEnd::word),
            calls: sum.calls,
            failed: sum.failed,
            kinds: sum.kinds.iter().map(|(kind, calls)| (kind.word(), *calls)).collect(),
            agents: sum.agents,
            agents_apart: sum.spending.apart,
            sub_agents: agents
                .map(|(call, task, sum)| SubAgentDocument::of(*call, task.as_deref(), sum))
                .collect(),
            groups: Vec::new(),
            pictures: sum.pictures,
            files: sum.files.keys().cloned().collect(),
            changes: changes.collect(),
            inserted: sum.inserted,
            deleted: sum.deleted,
            tokens: sum.spending.tokens.known_total(),
            usage: UsageDocument::of(&sum.spending),
            compacted: sum.compacted,
        }
    }

    /// The document of a turn with its items.
    fn of_items(turn: &TurnItems<'_>) -> Self {
        let group = |group: &CallGroup| GroupDocument {
            calls: turn.items[group.from..group.from + group.len]
                .iter()
                .map(|item| item.event.index)
                .collect(),
            kinds: group.kinds.iter().map(|(kind, calls)| (kind.word(), *calls)).collect(),
            parallel: group.parallel,
            failed: group.failed,
        };
        Self { groups: groups(&turn.items).iter().map(group).collect(), ..Self::of(&turn.sum) }
    }
}

/// The turns of a session. `price` gives list prices.
#[must_use]
pub fn turns(session: &Session, price: &ListPrice<'_>) -> Vec<TurnDocument> {
    let items = Transcript::of(session, Detail::Brief).with_changes().with_spending(price);
    items.by_turn().map(|turn| TurnDocument::of_items(&turn)).collect()
}

const fn milliseconds(micros: i64) -> i64 {
    micros / 1000
}
