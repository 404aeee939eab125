//! Does a file meet the rules that it claims to follow: a published document its schema, a native
//! session the promise that nothing of it is lost and the rules that its agent states.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evidence::Verdict;
use evidence::schema::{RECORD, SIGNED_RECORD, Schema, Violations};
use evidence::schema::{stead_session, stead_session_extended};
use evidence::value::{Document, Encoding, Limits, ValueKind};
use formats::{END_BYTES, Finding, Format, Role, Weight};
use session::{Bundle, Session, Transport};

use crate::catalog::{Catalog, member};
use crate::error::Error;
use crate::open::content::head;
use crate::prove::check::{Depth, prove};

/// The verdict on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Type of the file, in words.
    pub what: String,
    /// Problems of the file, in its own order.
    pub problems: Vec<Problem>,
    /// There are more problems than are named.
    pub more: bool,
    /// The file is beyond the limits of the validator, so that it may be valid; the problem says
    /// which limit.
    pub undecided: bool,
}

impl Judged {
    /// Does it meet its rules? Advice breaks none.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.problems.iter().all(|problem| problem.advice)
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a path to a value, or a line.
    pub place: String,
    /// The same place in bytes from the start of the file.
    pub byte: u64,
    /// The rule that is broken.
    pub rule: String,
    /// The finding, and the correct form.
    pub hint: String,
    /// A recommendation only.
    pub advice: bool,
}

/// Options of a verdict.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'w> {
    /// Expected format of the file, by name; else it is detected.
    pub format: Option<&'w str>,
    /// Hold a record to the draft's literal text instead of the corrected schema.
    pub draft: bool,
    /// Validate a stead document against the published schema, without verbatim's list of more
    /// agents.
    pub strict: bool,
    /// The rule of the schema that a record is held to; else the one that fits its beginning.
    pub rule: Option<&'w str>,
}

/// The document that the record's schema describes, by its name in the registry.
const RECORDS: &str = "vac";
/// The document with a JSON Schema of its own.
const SESSIONS: &str = "stead";
/// First byte of a tag (RFC 8949, section 3.4). A signed record is a tag, an unsigned one is not.
const TAGS: std::ops::RangeInclusive<u8> = 0xc0..=0xdb;

/// Validates the bytes of one file.
///
/// # Errors
/// No format claims them, or the named format does not exist.
pub fn validate(
    catalog: &Catalog<'_>,
    name: &str,
    bytes: Vec<u8>,
    wanted: Wanted<'_>,
) -> Result<Judged, Error> {
    let format = match wanted.format {
        Some(format) => Some(catalog.format(format)?.name()),
        None => None,
    };
    if is_binary(name, &bytes) && format.is_none_or(|format| format == RECORDS) {
        return Ok(record(&bytes, Encoding::Cbor, wanted));
    }
    if format == Some(RECORDS) || wanted.rule.is_some() {
        return Ok(record(&bytes, Encoding::Json, wanted));
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
        Err(Error::NoSession { why, .. }) => return Ok(unknown(&bytes, &why, wanted)),
        Err(error) => return Err(error),
    };
    match format.name() {
        RECORDS => Ok(record(&bytes, Encoding::Json, wanted)),
        SESSIONS => Ok(timeline(&bytes, wanted)),
        _ => session(format, &role, name, bytes),
    }
}

/// The verdict on the document that a session was read from; `None` for an agent's own session.
#[must_use]
pub fn document(session: &Session) -> Option<Judged> {
    let member = session.bundle.members.first()?;
    let wanted = Wanted::default();
    match (session.format, member.transport()) {
        (RECORDS, Transport::Cbor(bytes)) => Some(record(bytes, Encoding::Cbor, wanted)),
        (RECORDS, _) => Some(record(member.bytes(), Encoding::Json, wanted)),
        (SESSIONS, _) => Some(timeline(member.bytes(), wanted)),
        _ => None,
    }
}

/// Test for files that are no text: by name, or by a first byte that begins no JSON text. No CBOR
/// begins with the bytes 0xfe and 0xff (RFC 8949, section 3), but UTF-16 does.
fn is_binary(name: &str, bytes: &[u8]) -> bool {
    let named = Path::new(name).extension();
    named.is_some_and(|ending| ending == "cbor" || ending == "cose")
        || (bytes.first().is_some_and(|first| (0x80..0xfe).contains(first))
            && !bytes.starts_with(b"\xef\xbb\xbf"))
}

/// The verdict on a file that its first bytes show to be unrecognized, so that a large one costs no
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

/// Input that no format claims is invalid. If it resembles a record, the verdict names what is
/// missing.
fn unknown(bytes: &[u8], why: &str, wanted: Wanted<'_>) -> Judged {
    match resembles_record(bytes) {
        true => record(bytes, Encoding::Json, wanted),
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
        hint: format!("{why}; `--as FORMAT` checks it as one"),
        advice: false,
    };
    Judged {
        what: "unrecognized".to_owned(),
        problems: vec![problem],
        more: false,
        undecided: false,
    }
}

fn record(bytes: &[u8], encoding: Encoding, wanted: Wanted<'_>) -> Judged {
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
        SIGNED_RECORD => format!("a signed agent record ({encoded})"),
        rule => format!("`{rule}` ({encoded})"),
    };
    judged(what, schema.validate(rule, bytes, encoding))
}

/// A stead document. The published schema lists two agents. Others are validated against verbatim's
/// extension of it, and the verdict says so.
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
    Judged { what, problems: problems.collect(), more, undecided: false }
}

fn undecided(what: String, why: String) -> Judged {
    let problem = Problem {
        place: "$".to_owned(),
        byte: 0,
        rule: "within the limits of the validator".to_owned(),
        hint: why,
        advice: false,
    };
    Judged { what, problems: vec![problem], more: false, undecided: true }
}

/// A native session: nothing lost, nothing damaged, and the agent's own rules.
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
    problems.sort_by_key(|problem| problem.byte);
    let count = sessions.iter().filter(|session| !session.remainder).count();
    let many = if count == 1 { "a session".to_owned() } else { format!("{count} sessions") };
    let what = format!("{many} of {}", format.name());
    Ok(Judged { what, problems, more: false, undecided: false })
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
    format.validate(session).unwrap_or_default().into_iter().map(problem).collect()
}
