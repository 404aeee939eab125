//! Validation of a file by the rules that it claims to follow. For a published document, this is
//! its schema. For a native session, nothing may be lost, and the agent's own rules must hold.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::open::content::head;
use catalog::{Catalog, Error, member};
use evidence::Verdict;
use evidence::schema::{
    RECORD, SIGNED_RECORD, Schema, Violations, stead_session, stead_session_extended,
};
use evidence::value::{Document, Encoding, Limits, ValueKind};
use formats::{END_BYTES, Finding, Format, Role, Weight};
use session::Sorting as _;
use session::{Bundle, Doc, Session, Transport};

use crate::check::{Depth, prove};

/// The verdict on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Type of the file, in words.
    pub what: String,
    /// Problems of the file, in byte order.
    pub problems: Vec<Problem>,
    /// Whether there are more problems than are listed.
    pub more: bool,
    /// Whether the file exceeds a limit of the validator, which the problem names. Then it may be
    /// valid.
    pub undecided: bool,
    /// The encoding, if it was judged as a verifiable agent record.
    pub record: Option<Encoding>,
}

/// The type of a file that no format claims.
const UNRECOGNIZED: &str = "unrecognized";

impl Judged {
    /// Whether no format claims the file.
    #[must_use]
    pub fn is_unrecognized(&self) -> bool {
        self.what == UNRECOGNIZED
    }

    /// Whether the file is valid. Recommendations break no rule.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.problems.iter().all(|problem| problem.advice)
    }
}

/// A rule that is broken, or a recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path to a value, or a line.
    pub place: String,
    /// The offset of this place in the file, in bytes.
    pub byte: u64,
    /// The rule that is broken.
    pub rule: String,
    /// The value that was found, and the correct form.
    pub hint: String,
    /// Whether it is only a recommendation.
    pub advice: bool,
}

/// Options of a validation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'w> {
    /// Expected format of the file, by name; `None` means that it is detected.
    pub format: Option<&'w str>,
    /// Validate a record against the draft's literal text instead of the corrected schema.
    pub draft: bool,
    /// Validate a stead document against the published schema, without the agents that verbatim
    /// adds to its list.
    pub strict: bool,
    /// Schema rule that a record must match; `None` means that its first bytes decide.
    pub rule: Option<&'w str>,
}

/// Document with a CDDL schema, by its name in the registry.
const RECORDS: &str = "vac";
/// Document with a JSON Schema, by its name in the registry.
const SESSIONS: &str = "stead";
/// First byte of a CBOR tag (RFC 8949, section 3.4). A signed record begins with a tag, an unsigned
/// one does not.
const TAGS: std::ops::RangeInclusive<u8> = 0xc0..=0xdb;

/// Validates the bytes of one file.
///
/// # Errors
/// No format claims them, or the named format does not exist.
pub fn validate(
    catalog: &Catalog<'_>,
    name: &str,
    bytes: Cow<'_, [u8]>,
    wanted: Wanted<'_>,
) -> Result<Judged, Error> {
    validate_seeing(catalog, name, bytes, wanted, &mut |_| ())
}

/// Sees a text in JSON as it was read.
pub(crate) type See<'s> = &'s mut dyn FnMut(&Doc<'_>);

/// The same, and `see` gets a record in JSON as it was read: the judgement reads it, and so nobody
/// has to read it again.
///
/// # Errors
/// As of [`validate`].
pub(crate) fn validate_seeing(
    catalog: &Catalog<'_>,
    name: &str,
    bytes: Cow<'_, [u8]>,
    wanted: Wanted<'_>,
    see: See<'_>,
) -> Result<Judged, Error> {
    let format = match wanted.format {
        Some(format) => Some(catalog.format(format)?.name()),
        None => None,
    };
    if is_binary(name, &bytes) && format.is_none_or(|format| format == RECORDS) {
        return Ok(record(&bytes, Encoding::Cbor, wanted, see));
    }
    if format == Some(RECORDS) || wanted.rule.is_some() {
        return Ok(record(&bytes, Encoding::Json, wanted, see));
    }
    if format == Some(SESSIONS) {
        return Ok(timeline(&bytes, wanted));
    }
    let detected = match wanted.format {
        Some(format) => Ok(catalog.detect_as(format, name, &bytes)?),
        None => catalog.detect(name, &bytes),
    };
    let (format, role) = match detected {
        Ok(detected) => detected,
        Err(Error::NoSession { why, .. }) => return Ok(unknown(&bytes, &why, wanted, see)),
        Err(error) => return Err(error),
    };
    match format.name() {
        RECORDS => Ok(record(&bytes, Encoding::Json, wanted, see)),
        SESSIONS => Ok(timeline(&bytes, wanted)),
        _ => session(format, &role, name, bytes.into_owned()),
    }
}

/// The verdict on the document that a session was read from; `None` for an agent's own session.
#[must_use]
pub fn document(session: &Session) -> Option<Judged> {
    let member = session.bundle.members.first()?;
    let (wanted, see): (_, See<'_>) = (Wanted::default(), &mut |_| ());
    match (session.format, member.transport()) {
        (RECORDS, Transport::Cbor(bytes)) => Some(record(bytes, Encoding::Cbor, wanted, see)),
        (RECORDS, _) => Some(record(member.bytes(), Encoding::Json, wanted, see)),
        (SESSIONS, _) => Some(timeline(member.bytes(), wanted)),
        _ => None,
    }
}

/// Whether a file is binary, by its name or a first byte that no JSON text begins with. The bytes
/// 0xfe and 0xff begin UTF-16, and never CBOR (RFC 8949, section 3).
fn is_binary(name: &str, bytes: &[u8]) -> bool {
    let named = Path::new(name).extension();
    named.is_some_and(|ending| ending == "cbor" || ending == "cose")
        || (bytes.first().is_some_and(|first| (0x80..0xfe).contains(first))
            && !bytes.starts_with(b"\xef\xbb\xbf"))
}

/// The verdict on a file that is unrecognized by its first bytes, so that a large file costs no
/// memory. `None` if the whole file is needed.
///
/// # Errors
/// If the file can't be read.
pub fn refused(
    catalog: &Catalog<'_>,
    path: &Path,
    wanted: Wanted<'_>,
) -> io::Result<Option<Judged>> {
    let name = path.to_string_lossy();
    let head = head(path, END_BYTES)?;
    let named = wanted.format.is_some() || wanted.rule.is_some();
    if named || head.len() < END_BYTES || is_binary(&name, &head) {
        return Ok(None);
    }
    let Err(Error::NoSession { why, .. }) = catalog.detect(&name, &head) else { return Ok(None) };
    let resembles = session::closed(&head).is_some_and(|head| resembles_record(&head));
    Ok((!resembles).then(|| unrecognized(&why)))
}

/// The verdict on input that no format claims. It is invalid. If it resembles a record, the verdict
/// lists what is missing.
fn unknown(bytes: &[u8], why: &str, wanted: Wanted<'_>, see: See<'_>) -> Judged {
    match resembles_record(bytes) {
        true => record(bytes, Encoding::Json, wanted, see),
        false => unrecognized(why),
    }
}

fn resembles_record(bytes: &[u8]) -> bool {
    Document::read(bytes, Encoding::Json, Limits::default()).is_ok_and(|doc| {
        let has = |name: &str| {
            doc.root().members().any(|(key, _)| key.text().is_some_and(|key| key == name))
        };
        doc.root().kind() == ValueKind::Map && (has("session") || (has("version") && has("id")))
    })
}

fn unrecognized(why: &str) -> Judged {
    let problem = Problem {
        place: "$".to_owned(),
        byte: 0,
        rule: "a known document, or a session of a known agent".to_owned(),
        hint: format!("{why}; `--as FORMAT` validates it as that format"),
        advice: false,
    };
    let (what, problems) = (UNRECOGNIZED.to_owned(), vec![problem]);
    Judged { what, problems, more: false, undecided: false, record: None }
}

fn record(bytes: &[u8], encoding: Encoding, wanted: Wanted<'_>, see: See<'_>) -> Judged {
    let tagged = bytes.first().is_some_and(|first| TAGS.contains(first));
    let signed = tagged && encoding == Encoding::Cbor;
    let rule = wanted.rule.unwrap_or(if signed { SIGNED_RECORD } else { RECORD });
    let schema = if wanted.draft { Schema::draft() } else { Schema::record() };
    let encoded = match encoding {
        Encoding::Json => "JSON",
        Encoding::Cbor => "CBOR",
    };
    let what = match rule {
        RECORD => format!("a verifiable agent record ({encoded})"),
        // The judge is the schema: it has no key.
        SIGNED_RECORD => format!(
            "a signed agent record ({encoded}): its form was judged, and not its signature \
             (`verbatim verify`)"
        ),
        rule => format!("`{rule}` ({encoded})"),
    };
    let record = (rule == RECORD).then_some(encoding);
    Judged { record, ..judged(what, schema.validate_seeing(rule, bytes, encoding, see)) }
}

/// The verdict on a stead document. The published schema lists two agents. Documents of other
/// agents are validated against verbatim's extension of it, and the verdict says so.
fn timeline(bytes: &[u8], wanted: Wanted<'_>) -> Judged {
    let what = "a stead session document".to_owned();
    if wanted.strict || wanted.draft {
        return judged(what, stead_session(bytes));
    }
    let (verdict, beyond) = stead_session_extended(bytes);
    match beyond.filter(|_| verdict.is_good()) {
        None => judged(what, verdict),
        Some(agent) => judged(
            format!(
                "{what}, valid by verbatim's extension of stead 0.1.0: schema 0.1.0 does not list \
                 agent {agent}"
            ),
            verdict,
        ),
    }
}

fn judged(what: String, verdict: Verdict<Violations>) -> Judged {
    let Violations { errors, more } = match verdict {
        Verdict::Good => Violations::default(),
        Verdict::Bad(violations) => violations,
        Verdict::Unknown(why) => return undecided(what, why),
    };
    let problems = errors.into_iter().map(|error| Problem {
        place: error.path,
        byte: error.offset,
        rule: error.rule,
        hint: error.hint,
        advice: false,
    });
    Judged { what, problems: problems.collect(), more, undecided: false, record: None }
}

fn undecided(what: String, why: String) -> Judged {
    let problem = Problem {
        place: "$".to_owned(),
        byte: 0,
        rule: "within the limits of the validator".to_owned(),
        hint: why,
        advice: false,
    };
    Judged { what, problems: vec![problem], more: false, undecided: true, record: None }
}

/// The verdict on a native session: nothing is lost or damaged, and the agent's own rules hold.
fn session(
    format: &'static dyn Format,
    role: &Role,
    name: &str,
    bytes: Vec<u8>,
) -> Result<Judged, Error> {
    let bundle = Arc::new(Bundle::of(member(format, role, name, bytes)?));
    let checked = prove(format, Arc::clone(&bundle), vec![PathBuf::from(name)], Depth::Full);
    let sessions = format.read(bundle);
    let at = |line: u64| format!("line {line}");
    let lost = checked.lost.iter().map(|lost| Problem {
        place: at(lost.line),
        byte: lost.byte,
        rule: "every byte is read".to_owned(),
        hint: lost.what.clone(),
        advice: false,
    });
    let damaged = checked.damaged.iter().map(|damaged| Problem {
        place: at(damaged.line),
        byte: damaged.byte,
        rule: "a record is one JSON value".to_owned(),
        hint: format!("{}; it is kept as it is", damaged.why),
        advice: damaged.mended,
    });
    let stated = sessions.iter().flat_map(|session| stated(format, session));
    let foreign = (!sessions.iter().any(is_known)).then(|| Problem {
        place: "$".to_owned(),
        byte: 0,
        rule: format!("a session of {}", format.name()),
        hint: "no record in it has a name that this agent writes".to_owned(),
        advice: false,
    });
    let mut problems: Vec<Problem> = lost.chain(damaged).chain(stated).chain(foreign).collect();
    problems.in_order_by_key(|problem| problem.byte);
    let count = sessions.iter().filter(|session| !session.remainder).count();
    let many = if count == 1 { "a session".to_owned() } else { format!("{count} sessions") };
    let what = format!("{many} of {}", format.name());
    Ok(Judged { what, problems, more: false, undecided: false, record: None })
}

/// Whether the format's tables name anything in a session.
fn is_known(session: &Session) -> bool {
    let mut events = session.events().filter(|event| !event.case.is_strange());
    events.any(|event| event.fields().iter().any(|field| field.known))
}

fn stated(format: &dyn Format, session: &Session) -> Vec<Problem> {
    let problem = |finding: Finding| Problem {
        place: format!("line {}", finding.origin.line),
        byte: finding.span.start.into(),
        rule: finding.rule.to_owned(),
        hint: String::new(),
        advice: finding.weight == Weight::Advice,
    };
    format
        .data()
        .validate
        .map(|rules| rules(session))
        .unwrap_or_default()
        .into_iter()
        .map(problem)
        .collect()
}
