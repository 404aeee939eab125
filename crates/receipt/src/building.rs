//! The receipt of facts.

use formats::turns::{
    EventFacts, HeldThought, MissingEvents, ThreadFacts, Told, TurnFacts, UsageFacts,
};

use crate::account::Account;
use crate::available::Available;
use crate::document::{
    Boundary, CEILING, Custody, Lineage, MissingItem, MissingNumbers, MissingRange, NoEvents,
    Numbered, Receipt, Thread, Tools, Turn, Usage, UsageTokens,
};
use crate::place::{Evidence, Unavailable};

impl Receipt {
    /// The receipt of facts. The account and the evidence belong to receipts of sessions only; one
    /// of an agent's own store has exactly the members of that agent's note.
    #[must_use]
    pub fn of(schema: &str, facts: &TurnFacts, session: Option<(Account, Evidence)>) -> Self {
        let mut why = Vec::new();
        let thread = thread(&facts.thread, &mut why);
        let mut keep = Keep(&mut why);
        let turn = Turn {
            id: keep.value("/turn/id", &facts.id),
            status: keep.value("/turn/status", &facts.status),
            started_at: keep.value("/turn/started_at", &facts.started_at),
            ended_at: keep.value("/turn/ended_at", &facts.ended_at),
            duration_ms: keep.value("/turn/duration_ms", &facts.duration_ms),
        };
        let side_effect_boundary = boundary(facts, &mut keep);
        let of_store = session.is_none();
        let tool_lineage = tools(facts, session.as_ref().map(|(account, _)| account));
        let (account, evidence) = session.unzip();
        let evidence = evidence.map(|evidence| Evidence { unavailable: why, ..evidence });
        Self {
            schema_id: schema.to_owned(),
            thread,
            turn,
            reasoning_custody: custody(facts),
            tool_lineage,
            usage_evidence: usage(&facts.usage, of_store),
            source_event_lineage: lineage(&facts.events, &facts.missing_items, of_store),
            side_effect_boundary,
            claim_ceiling: CEILING.iter().map(|claim| (*claim).to_owned()).collect(),
            account,
            evidence,
            inclusion_proof: None,
        }
    }
}

fn tools(facts: &TurnFacts, account: Option<&Account>) -> Tools {
    let counts = match account {
        Some(account) => [&account.tool_calls, &account.tool_results].map(|it| it.count.clone()),
        None => [facts.tools.calls, facts.tools.results].map(Available::Value),
    };
    let [tool_call_count, tool_result_count] = counts;
    Tools {
        tool_call_count,
        tool_result_count,
        unmatched_tool_call_ids: facts.tools.open_calls.clone(),
        unmatched_tool_result_ids: facts.tools.stray_results.clone(),
    }
}

/// Collects why values are not available.
struct Keep<'w>(&'w mut Vec<Unavailable>);

impl Keep<'_> {
    fn value<T: Clone>(&mut self, field: &str, told: &Told<T>) -> Available<T> {
        match told {
            Told::Value(value) => Available::Value(value.clone()),
            Told::Unavailable(reason) => {
                self.0.push(Unavailable { field: field.into(), reason: (*reason).into() });
                Available::No
            }
        }
    }
}

fn thread(facts: &ThreadFacts, why: &mut Vec<Unavailable>) -> Thread {
    let mut keep = Keep(why);
    Thread {
        id: facts.id.clone(),
        model: keep.value("/thread/model", &facts.model),
        mode: keep.value("/thread/mode", &facts.mode),
        auto_approve: keep.value("/thread/auto_approve", &facts.auto_approve),
        trust_mode: keep.value("/thread/trust_mode", &facts.trust_mode),
        allow_shell: keep.value("/thread/allow_shell", &facts.allow_shell),
    }
}

fn boundary(facts: &TurnFacts, keep: &mut Keep<'_>) -> Boundary {
    let mut at =
        |name: &str, told: &Told<u64>| keep.value(&format!("/side_effect_boundary/{name}"), told);
    let [required, allowed, denied, sandbox] = &facts.borders;
    Boundary {
        approval_required_count: at("approval_required_count", required),
        approval_allowed_count: at("approval_allowed_count", allowed),
        approval_denied_count: at("approval_denied_count", denied),
        command_execution_count: at("command_execution_count", &facts.commands),
        file_change_count: at("file_change_count", &facts.file_changes),
        sandbox_denied_count: at("sandbox_denied_count", sandbox),
    }
}

fn custody(facts: &TurnFacts) -> Custody {
    let (available, reason) = match &facts.reasoning {
        Told::Unavailable(reason) => (false, (*reason).to_owned()),
        Told::Value(held) => {
            let digest = |thought: &HeldThought| {
                let id = thought.id.as_deref().unwrap_or("without id");
                format!("{id} sha256:{}", thought.sha256)
            };
            let all: Vec<String> = held.iter().map(digest).collect();
            (true, format!("held by the source, not exported: {}: {}", held.len(), all.join(", ")))
        }
    };
    Custody { raw_reasoning_exported: false, available, reason }
}

fn usage(told: &Told<UsageFacts>, of_store: bool) -> Usage {
    let number = |told: Option<u64>| told.map_or(Available::No, Available::Value);
    match told {
        Told::Value(usage) => Usage {
            available: true,
            usage: Some(UsageTokens {
                prompt_tokens: number(usage.prompt),
                completion_tokens: number(usage.completion),
            }),
            provider_cache_breakdown_available: usage.cache,
            reason: None,
        },
        Told::Unavailable(reason) => Usage {
            available: false,
            usage: of_store.then_some(UsageTokens {
                prompt_tokens: Available::No,
                completion_tokens: Available::No,
            }),
            provider_cache_breakdown_available: false,
            reason: (!of_store).then(|| (*reason).to_owned()),
        },
    }
}

fn lineage(told: &Told<EventFacts>, items: &[String], of_store: bool) -> Lineage {
    let item = |id: &String| {
        let reason = "the turn names it, the store lacks it".to_owned();
        MissingRange::Item(MissingItem { item_id: id.clone(), reason })
    };
    let items = items.iter().map(item);
    match told {
        Told::Unavailable(_) if of_store => Lineage::Numbered(Numbered {
            first_seq: Available::No,
            last_seq: Available::No,
            event_count: Available::No,
            missing_event_ranges: items.collect(),
        }),
        Told::Unavailable(reason) => Lineage::Unavailable(NoEvents {
            available: false,
            reason: (*reason).to_owned(),
            missing_event_ranges: items.collect(),
        }),
        Told::Value(events) => {
            let range = |missing: &MissingEvents| {
                let reason = if missing.damaged { "damaged line" } else { "in no thread" };
                MissingRange::Events(MissingNumbers {
                    first_seq: missing.first,
                    last_seq: missing.last,
                    reason: reason.to_owned(),
                })
            };
            Lineage::Numbered(Numbered {
                first_seq: Available::Value(events.first),
                last_seq: Available::Value(events.last),
                event_count: Available::Value(events.count),
                missing_event_ranges: events.missing.iter().map(range).chain(items).collect(),
            })
        }
    }
}
