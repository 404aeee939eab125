//! The turns that `--turn` names.

use receipt::{Fault, SessionTurns, TurnAt};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::notes;
use crate::terminal::Plain;

/// The turns that a user asks for.
pub(super) enum Which {
    /// The last one that has ended.
    Ended,
    /// The session's last.
    Last,
    /// Every turn of the live branch.
    All,
    /// Every turn that was taken back since.
    Rewound,
    /// From one number to another; the bounds that are written.
    Range(Option<usize>, Option<usize>),
    /// One, by its number or the agent's own id of it.
    Named(String),
}

impl Which {
    /// Reads the argument. A range whose numbers are in no order is a wrong one.
    pub(super) fn read(turn: Option<&str>) -> Result<Self, Failure> {
        let Some(turn) = turn else { return Ok(Self::Ended) };
        match turn {
            "all" => return Ok(Self::All),
            "last" => return Ok(Self::Last),
            "rewound" => return Ok(Self::Rewound),
            _ => {}
        }
        let bound = |text: &str| match text {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        let bounds = turn.split_once("..").and_then(|(a, b)| bound(a).zip(bound(b)));
        let Some((from, to)) = bounds else { return Ok(Self::Named(turn.to_owned())) };
        let (first, last) = (from.unwrap_or(1), to.unwrap_or(usize::MAX));
        if first == 0 || last == 0 {
            return Err(wrong(turn, "the first turn has the number 1"));
        }
        if first > last {
            return Err(wrong(turn, "a range begins with the smaller number, such as 2..5"));
        }
        Ok(Self::Range(from, to))
    }

    /// The turns of a session, and whether the argument may name several.
    pub(super) fn of(
        &self,
        turns: &SessionTurns<'_>,
        unfinished: bool,
        env: &mut Environment<'_>,
    ) -> Result<(Vec<TurnAt>, bool), Failure> {
        let one = |number: usize| {
            let turn = turns.numbered(number);
            turn.map(|turn| (vec![turn], false)).ok_or_else(|| unknown(&number.to_string()))
        };
        let rewound = turns.rewound();
        if turns.is_empty() && rewound.is_empty() {
            let hint = "only a session with a prompt has turns";
            return Err(Failure::Refused("the session has no turn".into(), hint.into()));
        }
        match self {
            Self::Ended => one(last_ended(turns, unfinished, env)?),
            Self::Last => one(turns.len()),
            Self::All => {
                left_out(turns, &rewound, env)?;
                Ok(((1..=turns.len()).filter_map(|at| turns.numbered(at)).collect(), true))
            }
            Self::Rewound if rewound.is_empty() => {
                let hint = "`--turn all` makes the receipts of its turns";
                Err(Failure::Refused("no turn of the session was rewound".into(), hint.into()))
            }
            Self::Rewound => Ok((rewound, true)),
            Self::Range(from, to) => {
                let (from, to) = (from.unwrap_or(1), to.unwrap_or(turns.len()));
                if to > turns.len() || from > to {
                    return Err(unknown(&from.max(to).to_string()));
                }
                Ok(((from..=to).filter_map(|at| turns.numbered(at)).collect(), true))
            }
            Self::Named(name) => {
                let number = name.parse().ok().and_then(|number| turns.numbered(number));
                let turn = number.or_else(|| turns.named(name)).ok_or_else(|| unknown(name))?;
                if turns.is_rewound(turn) {
                    let what = named(turns, turn);
                    let note = format!("note: {what} was rewound: its branch is not the live one.");
                    notes::say(Plain::line(&note), env)?;
                }
                Ok((vec![turn], false))
            }
        }
    }
}

fn wrong(turn: &str, hint: &str) -> Failure {
    let what = format!("`--turn {}` is no range of turns", Plain::line(turn).as_str());
    Failure::Usage(what, hint.into())
}

fn unknown(name: &str) -> Failure {
    refused(&Fault::Unknown(Plain::line(name).as_str().to_owned()))
}

/// A turn that has no receipt.
pub(super) fn refused(fault: &Fault) -> Failure {
    match fault {
        Fault::Unfinished(_) => Failure::Faulty(
            fault.to_string(),
            "`--unfinished` makes a receipt of it as it is".into(),
        ),
        _ => Failure::Refused(fault.to_string(), "`verbatim show` numbers the turns".into()),
    }
}

/// A turn, for people: its number and its id.
fn named(turns: &SessionTurns<'_>, turn: TurnAt) -> String {
    match turns.name(turn) {
        (number, Some(id)) => format!("turn {number} ({id})"),
        (number, None) => format!("turn {number}"),
    }
}

/// The number of turns that a note names.
const MOST_NAMED: usize = 5;

/// Says which turns are left out because they were taken back.
fn left_out(
    turns: &SessionTurns<'_>,
    rewound: &[TurnAt],
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let what = match rewound.len() {
        0 => return Ok(()),
        1 => "1 turn was rewound and is left out".to_owned(),
        count => format!("{count} turns were rewound and are left out"),
    };
    let mut names: Vec<String> =
        rewound.iter().take(MOST_NAMED).map(|turn| named(turns, *turn)).collect();
    if rewound.len() > MOST_NAMED {
        names.push(format!("{} more", rewound.len() - MOST_NAMED));
    }
    let note = format!(
        "note: {what}: {}. `--turn rewound` makes the receipts of such turns.",
        names.join(", ")
    );
    Ok(notes::say(Plain::line(&note), env)?)
}

/// The last turn that has ended. If it is not the session's last, a line says so.
fn last_ended(
    turns: &SessionTurns<'_>,
    unfinished: bool,
    env: &mut Environment<'_>,
) -> Result<usize, Failure> {
    let last = turns.len();
    if unfinished || turns.has_ended(last) || last == 0 {
        return Ok(last);
    }
    let fault = Fault::Unfinished(last);
    match last - 1 {
        0 => Err(refused(&fault)),
        ended => {
            let note = format!("note: {fault}. This is the receipt of turn {ended}.");
            notes::say(Plain::line(&note), env)?;
            Ok(ended)
        }
    }
}
