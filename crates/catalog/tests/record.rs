//! Every record that is made meets the schema: of every sample and of every real session, as JSON
//! and as CBOR, by the project's schema and by the draft's own text.

use std::path::PathBuf;
use std::sync::Arc;

use catalog::bundle;
use catalog::recipe::Catalog;
use evidence::cbor;
use evidence::schema::Schema;
use evidence::value::{Encoding, Limits};
use formats::{Options, vac};
use session::Session;

const RULE: &str = "verifiable-agent-record";

fn meets(session: &Session) -> Result<(), String> {
    let record = vac::record(session, &Options::default());
    let packed = cbor::from_json(&record, Limits::default())
        .map_err(|error| format!("{}: no CBOR: {error}", session.uid()))?;
    for (name, schema) in [("ours", Schema::record()), ("draft", Schema::draft())] {
        for (document, encoding) in [(&record, Encoding::Json), (&packed, Encoding::Cbor)] {
            let verdict = schema.validate(RULE, document, encoding);
            if let Some(error) = verdict.errors.first() {
                return Err(format!(
                    "{} ({name}, {encoding:?}): {}: {}; {}",
                    session.uid(),
                    error.path,
                    error.rule,
                    error.hint
                ));
            }
        }
    }
    Ok(())
}

#[test]
fn every_record_meets_the_schema() {
    let mut paths: Vec<PathBuf> = vec![samples::workspace().join("crates/formats/src")];
    paths.extend(samples::corpus());
    let catalog = Catalog::here();
    let mut wrong = Vec::new();
    let mut count = 0;
    for source in catalog.find(&paths).sources {
        let bundle = Arc::new(bundle(&source).0);
        for session in source.format.read(bundle) {
            count += 1;
            wrong.extend(meets(&session).err());
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(count > 20, "{count} sessions");
}
