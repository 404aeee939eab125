//! Facts of turns: the status of a call says whether it was allowed.

use crate::turns::TurnRules;

pub(super) static TURNS: TurnRules = TurnRules { refusals: true, ..TurnRules::NONE };
