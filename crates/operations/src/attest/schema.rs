//! The judgement on signed bytes: their kind, and whether they meet its schema. By it `sign`
//! refuses what `verify` would call wrong.

use catalog::Catalog;
use evidence::value::Encoding;

use crate::attest::content::{SignedKind, first_session_id, session_id};
use crate::attest::record_places::RecordPlaces;
use crate::attest::report::VerifyVerdict;
use crate::validate::{Judged, See, Wanted, validate_seeing};

/// The judgement on bytes that are signed, or are to be.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    /// Their kind.
    pub(crate) kind: SignedKind,
    /// Whether they meet their schema.
    pub(crate) verdict: VerifyVerdict,
    /// The schema, or the rule that is broken.
    pub(crate) why: String,
}

impl Judgement {
    /// The judgement on the bytes of a file.
    pub(crate) fn of(file: &str, bytes: &[u8], catalog: &Catalog<'_>) -> Self {
        Self::seeing(file, bytes, catalog, &mut |_| ())
    }

    /// The same, and the places of the parts of a record, which the judgement has read.
    pub(crate) fn with_places(
        file: &str,
        bytes: &[u8],
        catalog: &Catalog<'_>,
    ) -> (Self, Option<RecordPlaces>) {
        let mut places = None;
        let judged = Self::seeing(file, bytes, catalog, &mut |doc| {
            // It is UTF-8: only such a text is seen.
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            places = RecordPlaces::of(text, doc).ok();
        });
        (judged, places)
    }

    fn seeing(file: &str, bytes: &[u8], catalog: &Catalog<'_>, see: See<'_>) -> Self {
        if let Some(SignedKind::Receipts(threads)) = SignedKind::receipts(bytes) {
            let why = match threads.len() {
                1 => "a receipt of a turn, each member as published".to_owned(),
                more => format!("{more} receipts of turns, each member as published"),
            };
            return Self {
                kind: SignedKind::Receipts(threads),
                verdict: VerifyVerdict::Shown,
                why,
            };
        }
        // The name of a signature's file would say that the bytes are CBOR.
        let name = file.strip_suffix(".cose").unwrap_or(file);
        let judged = validate_seeing(catalog, name, bytes.into(), Wanted::default(), see);
        let (verdict, why, record) = match judged {
            Ok(judged) => {
                let (verdict, why) = verdict(&judged);
                (verdict, why, judged.record)
            }
            Err(error) => (VerifyVerdict::NotShown, error.to_string(), None),
        };
        // A valid record has each name once; of others the whole is read.
        let id = match (verdict, record) {
            (VerifyVerdict::Shown, Some(Encoding::Json)) => first_session_id(bytes),
            _ => session_id(bytes),
        };
        Self { kind: SignedKind::Document(id), verdict, why }
    }
}

/// The verdict on a document.
fn verdict(judged: &Judged) -> (VerifyVerdict, String) {
    if judged.is_unrecognized() {
        return (VerifyVerdict::NotShown, "it is no document with a known schema".into());
    }
    if judged.undecided {
        return (VerifyVerdict::NotShown, "it exceeds a limit of the validator".into());
    }
    match judged.problems.iter().find(|problem| !problem.advice) {
        None => (VerifyVerdict::Shown, judged.what.clone()),
        Some(problem) => {
            let why = format!("{}: {}: {}", judged.what, problem.place, problem.rule);
            (VerifyVerdict::Failed, why)
        }
    }
}
