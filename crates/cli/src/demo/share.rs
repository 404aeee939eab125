//! The part of `demo` about sharing: credentials are planted in a sample, found and replaced.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::redact::RedactRow;
use catalog::Catalog;
use operations::Redaction;
use operations::usage::price::ListPrices;
use redact::rules::Rules;
use redact::{Profile, RedactionOptions, Redactor, TagKey};
use session::edit::{Edit, apply};
use session::{Bundle, Kind, Session, Slot, Span};
use views::export::ExportNote;

use crate::exit::Failure;
use crate::screen::{Screen, Style};

/// Credentials as a tool might print them. They are put together here, so that no scanner takes
/// the program's own source for a leak.
fn planted() -> String {
    let token = ["s_Zq7", "Lk2Vn8Xc4", "Rt9Wb3Md6", "Ph1Yf5Gj0Sa"].concat();
    let lines = [
        format!("https://x-access-token:gh{token}Ke8@github.com/ana/lantern.git"),
        format!("DB_PASSWORD={}", ["kD8", "wQz5", "rT1x"].concat()),
        format!("Cookie: session={}", ["7f3K9q", "B2v8Lx", "1Nc6Rz"].concat()),
    ];
    lines.join("\\n")
}

/// Plants credentials in a copy of a session, redacts it, and prints what was found.
pub(super) fn share(
    catalog: &Catalog<'_>,
    session: &Session,
    folder: &Path,
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    let Some(bundle) = plant(session) else { return Ok(()) };
    let format = catalog.format(session.format)?;
    let sessions = format.read(Arc::new(bundle));
    let Some(planted) = sessions.iter().find(|other| other.id == session.id) else { return Ok(()) };
    // The demo prints the same each time: a real share takes a fresh key.
    let options = RedactionOptions::new(Profile::Share, TagKey::new([0x5a; 32]));
    let broken = |error: redact::rules::RulesError| {
        Failure::Faulty(error.to_string(), "this program was built from damaged rules".into())
    };
    let redactor = Redactor::new(Rules::shipped().map_err(broken)?, options);
    let redaction = operations::redact(catalog, planted, &redactor)?;
    let row = RedactRow::of(String::new(), Vec::new(), &redaction.report);
    let classes = row.by_class();
    let found = classes.iter().map(|(class, (values, _))| format!("{class} {values}"));
    let found: Vec<String> = found.collect();
    screen.text(Style::Normal, &format!("replaced, by class: {}", found.join(", ")))?;
    let mut saved = None;
    for member in &redaction.session().bundle.members {
        let path: PathBuf = folder.join(store::relative(&member.name));
        saved = Some(store::save(&path, member.bytes(), true)?);
        let text = String::from_utf8_lossy(member.bytes()).into_owned();
        if let Some(line) = shown(&text) {
            line.lines().try_for_each(|line| screen.text(Style::Faint, line))?;
        }
    }
    if let Some(saved) = saved {
        let folder = saved.path.parent().unwrap_or(folder).display();
        screen.text(Style::Good, &format!("read again, scanned again, and written: {folder}"))?;
    }
    page(&redaction, folder, screen)
}

/// The redacted session as a page for people.
fn page(redaction: &Redaction, folder: &Path, screen: &mut Screen<'_>) -> Result<(), Failure> {
    let count = redaction.report.entries.len();
    let redacted = Some((Profile::Share.name().to_owned(), count));
    let mut html = Vec::new();
    let note = ExportNote { redacted, turns: None, bytes: false };
    let prices = ListPrices::default();
    let price = |count: &_| prices.of(count);
    let outgoing = redaction.outgoing();
    views::export::html(&outgoing, &note, &price, &mut html).map_err(Failure::Stream)?;
    let saved = store::save(&folder.join("session.html"), &html, true)?;
    let text = format!("as a page for a browser: {}", saved.path.display());
    Ok(screen.text(Style::Good, &text)?)
}

/// The session's bundle with credentials at the end of the first output of a tool.
fn plant(session: &Session) -> Option<Bundle> {
    let results = session.events().filter(|event| event.kind == Kind::ToolResult);
    let mut outputs = results.filter_map(|event| {
        let field = event.field(Slot::Output).or_else(|| event.field(Slot::Content))?;
        event.value(field).starts_with(b"\"").then_some((event.origin.member, field.value))
    });
    let (member, value) = outputs.next()?;
    let span = Span::new(value.end - 1, value.end - 1);
    let with = format!("\\n{}", planted()).into_bytes();
    apply(&session.bundle, &mut [Edit { member, span, with }]).ok()
}

/// The text around the first placeholder of a credential.
fn shown(text: &str) -> Option<String> {
    let at = text.find("x-access-token:[REDACTED")?;
    let start = text[..at].rfind("\\n").map_or(at, |before| before + 2);
    let end = text[at..].find("\"").map_or(text.len(), |length| at + length);
    Some(text[start..end].replace("\\n", "\n"))
}
