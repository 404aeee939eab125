//! Conversion to a document: the values that it withholds, its account, the losses that it names.

use session::Session;
use session::account::{Account, Fate, Ledger};
use session::secret::Secret;

use crate::secrets;
use crate::written::{Carried, Loss, Losses, Options};

/// The session as a document may show it, unless its secrets are requested, and the names of the
/// withheld values, without duplicates.
pub(crate) fn shown(session: &Session, options: &Options) -> (Option<Session>, Losses) {
    let covered = if options.secrets { None } else { secrets::withheld(session) };
    let Some((covered, secrets)) = covered else { return (None, Losses::new()) };
    let mut losses: Vec<(Loss, usize)> = Vec::new();
    for Secret { path, member, span, .. } in secrets {
        match losses.iter_mut().find(|(known, _)| known.what == path) {
            Some((_, count)) => *count += 1,
            None => {
                let at = Some((member, span));
                let why = "gives access to something";
                losses.push((Loss { what: path, carried: Carried::Withheld, why, at }, 1));
            }
        }
    }
    let told = losses.into_iter().map(|(mut loss, count)| {
        if count > 1 {
            loss.what = format!("{} ({count} values)", loss.what);
        }
        loss
    });
    (Some(covered), told.collect())
}

/// Opens the account of a conversion. `stored` is the session with the values that are withheld.
pub(crate) fn opened<'s>(session: &'s Session, stored: &Session, withheld: &Losses) -> Account<'s> {
    let mut account = Account::of(session);
    if !withheld.is_empty() {
        account.withhold(&secrets::secrets(stored));
    }
    account
}

/// The losses of a conversion: the values that it withholds, and the rows of its ledger.
pub(crate) fn rows(ledger: &Ledger, session: &Session, withheld: Losses) -> Losses {
    let rows = ledger.rows(session).into_iter().map(|row| {
        let carried = match row.fate {
            None => Carried::Synthesised,
            Some(Fate::Dropped(_)) => Carried::Dropped,
            Some(Fate::InPart(_)) => Carried::InPart,
            Some(_) => Carried::Mapped,
        };
        let what = match row.count {
            1 => row.what,
            count => format!("{} ({count} values)", row.what),
        };
        Loss { what, carried, why: row.cause.words(), at: row.at }
    });
    withheld.into_iter().chain(rows).collect()
}
