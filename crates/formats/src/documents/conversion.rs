//! Conversion to a document: the values that it withholds, its account, the rows that it reports.

use meaning::account::{Account, Cause, Fate, Ledger, LedgerRow};
use meaning::secret::Secret;
use session::Session;

use crate::secrets;
use crate::written::Options;

/// The session as a document may show it, unless its secrets are requested, and the names of the
/// withheld values, without duplicates.
pub(crate) fn shown(session: &Session, options: &Options) -> (Option<Session>, Vec<LedgerRow>) {
    let covered = if options.secrets { None } else { secrets::withheld(session) };
    let Some((covered, secrets)) = covered else { return (None, Vec::new()) };
    let mut rows: Vec<LedgerRow> = Vec::new();
    for Secret { path, member, span, .. } in secrets {
        match rows.iter_mut().find(|known| known.what == path) {
            Some(known) => known.count += 1,
            None => {
                let fate = Fate::Dropped(Cause::Secret);
                rows.push(LedgerRow::of(path, fate, Cause::Secret, Some((member, span))));
            }
        }
    }
    (Some(covered), rows)
}

/// Opens the account of a conversion. `stored` is the session with the values that are withheld.
pub(crate) fn opened<'s>(
    session: &'s Session,
    stored: &Session,
    withheld: &[LedgerRow],
) -> Account<'s> {
    let mut account = Account::of(session);
    if !withheld.is_empty() {
        account.withhold(&secrets::secrets(stored));
    }
    account
}

/// The rows of a conversion: the values that it withholds, and those of its ledger.
pub(crate) fn all_rows(
    ledger: &Ledger,
    session: &Session,
    withheld: Vec<LedgerRow>,
) -> Vec<LedgerRow> {
    withheld.into_iter().chain(ledger.rows(session)).collect()
}
