//! Baseline: the findings of an earlier scan, by their fingerprints.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::sarif::FINGERPRINT;
use crate::exit::Failure;
use crate::input;

/// Greatest length of a baseline.
const LONGEST: u64 = 1 << 28;

/// The fingerprints in an output of `scan --json` or `scan --sarif`.
pub(super) fn read(path: &Path) -> Result<HashSet<String>, Failure> {
    let bytes = input::named_bytes(path, LONGEST, "the output of an earlier scan")?;
    let document: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let rows = list(&document["sources"]).flat_map(|source| list(&source["findings"]));
    let results = list(&document["runs"]).flat_map(|run| list(&run["results"]));
    let of_rows = rows.map(|row| &row["fingerprint"]);
    let known = of_rows.chain(results.map(|result| &result["partialFingerprints"][FINGERPRINT]));
    if !document["sources"].is_array() && !document["runs"].is_array() {
        let what = format!("{} is no output of a scan", path.display());
        return Err(Failure::Usage(what, "make one: `verbatim scan --json PATHS > FILE`".into()));
    }
    Ok(known.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
