//! Rewound and compacted conversation.
//!
//! `thread_rolled_back` removes the last user turns, as Codex does when it rebuilds the context.
//! Later turns without a prompt are removed with them. A turn begins with `task_started`, or else
//! with its prompt.

use std::ops::Range;

use session::Sorting as _;
use session::{EventIx, Injected, Kind, Slot, Standing};

use super::{Mark, Survey, replaced};

/// A turn that is not rewound.
struct Turn {
    begin: Place,
    prompted: bool,
    /// Opened by `task_started`: prompts within it begin no turn.
    open: bool,
}

/// Position of an event in a history: the number of events before it.
type Place = usize;

/// Sets `Rewound` and `Compacted` on the conversation of one history that is still `Live`. With
/// several rollouts, each comes after its base.
pub(super) fn decide(history: &[&Survey<'_>], standings: &mut [Standing]) {
    let mut turns: Vec<Turn> = Vec::new();
    let mut compactions: Vec<(Place, EventIx)> = Vec::new();
    // The ranges are disjoint: one that begins earlier contains the later ones.
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
                Mark::Compacted => compactions.push((at, event)),
                Mark::RolledBack => {
                    let count = survey.session.event(event).number(Slot::Count).unwrap_or(0);
                    if let Some(begin) = roll_back(&mut turns, count) {
                        compactions.truncate(compactions.partition_point(|&(at, _)| at < begin));
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
    let newest = compactions.last();
    let kept = replaced::settle(history, newest.map(|&(_, event)| event), standings);
    let kept: Vec<_> = kept.into_iter().map(|at| (at, standings[at as usize])).collect();
    if let Some(&(newest, _)) = newest {
        set(history, standings, 0..newest, Standing::Compacted);
    }
    kept.into_iter().for_each(|(at, standing)| standings[at as usize] = standing);
}

/// The marks in order, with the prompts that only the UI events have. Marks that a continuing
/// rollout has taken back are left out.
fn marks(survey: &Survey<'_>, standings: &[Standing]) -> Vec<(EventIx, Mark)> {
    let told = survey.mirrors.iter().filter(|&&at| {
        let event = survey.session.event(at);
        event.kind == Kind::User
            && event.injected.is_none()
            && standings[at as usize] == Standing::Live
    });
    let mut marks = survey.marks.clone();
    let count = marks.len();
    marks.extend(told.map(|&at| (at, Mark::Prompt)));
    if marks.len() > count {
        marks.in_order_by_key(|&(at, _)| at);
    }
    marks.retain(|&(at, _)| standings[at as usize] != Standing::Rewound);
    marks
}

/// Removes the last `count` turns with a prompt. Returns the beginning of the first of them.
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

/// Sets the standing of conversation only. Usage, settings and titles remain true.
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
            let event = session.event(at);
            let is_notice = matches!(event.kind, Kind::Notice | Kind::Opaque);
            if is_notice && event.injected != Some(Injected::Summary) {
                continue;
            }
            match now {
                Standing::Live => *now = standing,
                Standing::Copied => *now = standing.copied(),
                _ => {}
            }
        }
        place += all.len();
    }
}
