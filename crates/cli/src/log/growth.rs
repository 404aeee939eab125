//! `verbatim log check HEAD --grown FILE`: a head beside a proof of growth, without the log.

use std::path::Path;

use operations::attest::{Keys, check_growth};

use super::{CheckedRow, SCHEMA, Shown, forms};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{json, key};

/// Checks a head by a proof of growth.
pub(super) fn check(
    head: &str,
    proof: &Path,
    (global, color): (Global, bool),
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let bytes = catalog::bounded(proof, 1 << 20);
    let bytes = bytes.map_err(|error| Failure::File(proof.to_owned(), error))?;
    let keys = key::known(&Keys::of(&env.machine)?, env)?;
    let [first, others @ ..] = forms(head);
    let checked = others.iter().fold(check_growth(&first, &bytes, &keys), |checked, form| {
        checked.or_else(|error| check_growth(form, &bytes, &keys).map_err(|_| error))
    })?;
    let exit = if checked.signer.is_some() { Exit::Good } else { Exit::Unshown };
    if global.json {
        let row = CheckedRow {
            schema: SCHEMA,
            verdict: if checked.signer.is_some() { "consistent" } else { "not shown" },
            signed_by: checked.signer,
            head_size: checked.head.size,
            size: checked.size,
            witnesses: Vec::new(),
        };
        json::write(env.out, &Shown::Checked(row))?;
        return Ok(exit);
    }
    let (style, word, why) = match &checked.signer {
        Some(name) => {
            let entries = checked.head.size;
            let why = format!("the key `{name}` signed a log that begins with the {entries}");
            (Style::Good, "shown", format!("{why} entries of the head"))
        }
        None => {
            let why = "no key that you know signed that a log with this head only grew";
            (Style::Faint, "not shown", why.to_owned())
        }
    };
    let line = Line::new().tell(Style::Normal, &format!("{:<10} ", "log"));
    let line = line.tell(style, &format!("{word:<10} ")).put(Style::Normal, Plain::line(&why));
    Screen::new(env.out, color, env.width).line(&line)?;
    Ok(exit)
}
