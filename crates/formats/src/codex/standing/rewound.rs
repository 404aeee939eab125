//! What was taken back, and what a compaction replaced.
//!
//! `thread_rolled_back` takes the last user turns back, as Codex does when it builds the context
//! again: turns without a prompt that stand behind them go with them. A turn begins with
//! `task_started` where there is one, else with its prompt.

use std::ops::Range;

use session::{EventIx, Kind, Slot, Standing};

use super::{Mark, Survey};

/// A turn that has not been taken back.
struct Turn {
    begin: Place,
    prompted: bool,
    /// `task_started` opened it: prompts within do not begin turns.
    open: bool,
}

/// Where an event stands in a history: how many stand before it.
type Place = usize;

/// Sets `Rewound` and `Compacted` on the conversation of one history that is still `Live`: that of
/// several rollouts, each behind the one that it goes on from.
pub(super) fn decide(history: &[&Survey<'_>], standings: &mut [Standing]) {
    let mut turns: Vec<Turn> = Vec::new();
    let mut compactions: Vec<Place> = Vec::new();
    // Apart from each other: one that begins earlier holds those behind it.
    let mut back: Vec<Range<Place>> = Vec::new();
    let mut place = 0;
    for survey in history {
        for (event, mark) in marks(survey, standings) {
            let at = place + (event - survey.range.start) as Place;
            match mark {
                Mark::Started => turns.push(Turn { begin: at, prompted: false, open: true }),
                Mark::Ended => turns.last_mut().into_iter().for_each(|turn| turn.open = false),
                Mark::Prompt => match turns.last_mut() {
                    Some(turn) if turn.open => turn.prompted = true,
                    _ => turns.push(Turn { begin: at, prompted: true, open: false }),
                },
                Mark::Compacted => compactions.push(at),
                Mark::RolledBack => {
                    let count = survey.session.event(event).number(Slot::Count).unwrap_or(0);
                    if let Some(begin) = roll_back(&mut turns, count) {
                        compactions.truncate(compactions.partition_point(|&at| at < begin));
                        back.truncate(back.partition_point(|range| range.start < begin));
                        back.push(begin..at);
                    }
                }
                Mark::Context => {}
            }
        }
        place += survey.range.len();
    }
    back.into_iter().for_each(|range| set(history, standings, range, Standing::Rewound));
    if let Some(&newest) = compactions.last() {
        set(history, standings, 0..newest, Standing::Compacted);
    }
}

/// The marks in order, with the prompts that only the screen was told; none of what a rollout that
/// goes on from this one has taken back.
fn marks(survey: &Survey<'_>, standings: &[Standing]) -> Vec<(EventIx, Mark)> {
    let told = survey.mirrors.iter().filter(|&&at| {
        let event = survey.session.event(at);
        event.kind == Kind::User && !event.injected && standings[at as usize] == Standing::Live
    });
    let mut marks = survey.marks.clone();
    let count = marks.len();
    marks.extend(told.map(|&at| (at, Mark::Prompt)));
    if marks.len() > count {
        marks.sort_unstable_by_key(|&(at, _)| at);
    }
    marks.retain(|&(at, _)| standings[at as usize] != Standing::Rewound);
    marks
}

/// Takes the last `count` turns with a prompt; gives where they begin.
fn roll_back(turns: &mut Vec<Turn>, count: u64) -> Option<Place> {
    let mut begin = None;
    let mut left = count;
    while left > 0
        && let Some(turn) = turns.pop()
    {
        begin = Some(turn.begin);
        left -= u64::from(turn.prompted);
    }
    begin
}

/// Conversation alone: counters were spent, settings hold on.
fn set(
    history: &[&Survey<'_>],
    standings: &mut [Standing],
    range: Range<Place>,
    standing: Standing,
) {
    let mut place = 0;
    for Survey { session, range: all, .. } in history {
        let within = |at: Place| all.start + at.saturating_sub(place).min(all.len()) as EventIx;
        for at in within(range.start)..within(range.end) {
            let now = &mut standings[at as usize];
            let kind = session.event(at).kind;
            if *now == Standing::Live && !matches!(kind, Kind::Notice | Kind::Opaque) {
                *now = standing;
            }
        }
        place += all.len();
    }
}
