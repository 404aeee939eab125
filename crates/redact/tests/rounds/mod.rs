//! Rounds on any bytes, for the tests and the fuzz targets: the scan, a redaction, and its judge.

#![allow(dead_code)]

use super::redact::rules::Rules;
use super::redact::{Profile, RedactionOptions, Redactor, TagKey, plain};

fn redactor() -> Redactor {
    let options = RedactionOptions::new(Profile::Share, TagKey::new([9; 32]));
    Redactor::new(Rules::shipped().expect("shipped"), options)
}

thread_local! {
    static REDACTOR: Redactor = redactor();
}

/// A scan of any bytes ends, and says the same again.
pub(crate) fn scan(bytes: &[u8]) {
    let Some(session) = plain::session("a", bytes.to_vec()) else { return };
    let scan = || REDACTOR.with(|redactor| redactor.scan(&[&session], &[]).expect("scanned"));
    assert!(scan() == scan());
}

/// A redaction of any bytes keeps each record, and is the same again for a redactor that knows the
/// session. A redaction of the result has nothing to do.
pub(crate) fn redact(bytes: &[u8]) {
    let Some(session) = plain::session("a", bytes.to_vec()) else { return };
    let draft =
        |session| REDACTOR.with(|redactor| redactor.draft(&[session], &[]).expect("drafted"));
    let once = draft(&session);
    assert_eq!(draft(&session).bundle.members[0].bytes(), once.bundle.members[0].bytes());
    let after = plain::again(&once.bundle);
    assert_eq!(after.records.len(), session.records.len());
    let second = draft(&after);
    let third = draft(&plain::again(&second.bundle));
    assert_eq!(third.bundle.members[0].bytes(), second.bundle.members[0].bytes());
}

/// A redaction of any bytes with a planted value passes its verification, which fails for the bytes
/// as they were.
pub(crate) fn verify(bytes: &[u8]) {
    let planted = [bytes, b"\nTOKEN=kW7vQz5rT1x9pLm4hG2s\n"].concat();
    let Some(session) = plain::session("a", planted) else { return };
    REDACTOR.with(|redactor| {
        let draft = redactor.draft(&[&session], &[]).expect("drafted");
        let same = plain::again(&session.bundle);
        assert!(redactor.verified(&draft, &[&session], vec![same], &[]).is_err());
    });
}
