//! A presentation of a signed record as one page, which carries the presentation and can check it.
//!
//! The page is a function of what it carries: `presented.js` draws the same elements from the bytes
//! that it has checked, and so does this module, for readers without scripts and for `verify`,
//! which compares. It trusts no key: the reader gives it a fingerprint.

use std::borrow::Cow;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html as make};
use session::value::unescape;
use session::{Node, Scan, Shape};
use sha2::{Digest as _, Sha256};

use crate::visible::is_hidden;

/// The form of the page. Pages of one form have the same bytes for the same presentation, whichever
/// version of the program made them: another number belongs to every change of these bytes.
pub const PRESENTED_FORM: u32 = 1;

const TITLE: &str = "Signed entries of a session";
const HEADER: &str = include_str!("presented.html");
const STYLE: &str = include_str!("presented.css");
const SCRIPT: &str = include_str!("presented.js");

/// The text before the number of the form.
const GENERATOR: &str = "<meta name=\"generator\" content=\"verbatim presentation ";
/// The texts around the key and the presentation.
const CARRIER: &str = "<script type=\"application/json\" id=\"presentation\" data-key=\"";
const CARRIER_END: &str = "</script>";

/// Greatest depth of a value that is drawn by its parts; what is deeper is drawn as it is written.
const DEPTH: usize = 32;

/// The text in the place of a field that is withheld, and in that of withheld entries.
const FIELD: &str = "withheld: what the file has in its place is not signed";
const RANGE: &str = "withheld: nobody signed who withheld it, or why";

/// The presentation that a page carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedPresentation {
    /// The presentation.
    pub text: String,
    /// The key that the page names, as it is written there.
    pub key: String,
    /// The form of the page; `None` if it names none.
    pub form: Option<u32>,
}

impl CarriedPresentation {
    /// The presentation that the page in a file carries; `None` if the file is no such page.
    #[must_use]
    pub fn of_page(page: &str) -> Option<Self> {
        let (head, rest) = page.split_once(CARRIER)?;
        let form = head.split_once(GENERATOR).and_then(|(_, rest)| rest.split_once('"'));
        let form = form.and_then(|(number, _)| number.parse().ok());
        let (key, rest) = rest.split_once("\">")?;
        // A page that is cut off or has the line ends of Windows is one too, and will fail.
        let text = rest.split_once(CARRIER_END).map_or(rest, |(text, _)| text);
        let text = text.replace("\r\n", "\n");
        let text = text.replace("%3C", "<").replace("%0D", "\r").replace("%25", "%");
        Some(Self { text, key: key.to_owned(), form })
    }
}

/// A page that is written, from its head to its end.
pub struct PresentedPage<'o> {
    out: &'o mut dyn Write,
    scan: Scan,
}

impl std::fmt::Debug for PresentedPage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PresentedPage")
    }
}

/// A line of a section: where a value is, and the value.
struct Row {
    path: String,
    value: RowValue,
}

enum RowValue {
    /// A text.
    Text(String),
    /// Any other value, as it is written.
    Raw(String),
    /// A value that is withheld.
    Withheld,
}

impl<'o> PresentedPage<'o> {
    /// Begins a page.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn begin(out: &'o mut dyn Write) -> io::Result<Self> {
        let (doctype, head) = (DOCTYPE.into_string(), head(&digest(&script())));
        writeln!(out, "{doctype}<html lang=\"en\"><head>{head}</head>\n<body>\n{HEADER}")?;
        write!(out, "<main id=\"record\">")?;
        Ok(Self { out, scan: Scan::without_templates() })
    }

    /// Writes the members of the record outside of its entries, by their path, and those that are
    /// withheld.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn frame<'m>(
        &mut self,
        members: impl Iterator<Item = (&'m str, &'m str)>,
        withheld: impl Iterator<Item = &'m str>,
    ) -> io::Result<()> {
        let name = |path: &'m str| path.strip_prefix('/').unwrap_or(path).to_owned();
        let mut rows = Vec::new();
        for (path, value) in members {
            self.value(name(path), value, &mut rows);
        }
        rows.extend(withheld.map(|path| Row { path: name(path), value: RowValue::Withheld }));
        self.section("frame", "", "The record", &drawn(&rows))
    }

    /// Writes an entry, of which some fields are withheld.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn entry(&mut self, number: u64, entry: &str, withheld: &[&str]) -> io::Result<()> {
        let mut rows = Vec::new();
        if let Ok(doc) = self.scan.read(entry.as_bytes(), 0) {
            for member in doc.root().members() {
                let (name, path) = (unescape(member.name), escaped(member.name));
                match withheld.contains(&&*name) {
                    true => rows.push(Row { path, value: RowValue::Withheld }),
                    false => leaves(path, member.value, 0, &mut rows),
                }
            }
        }
        let kind = rows.iter().find_map(|row| match &row.value {
            RowValue::Text(text) if row.path == "type" => Some(text),
            _ => None,
        });
        let title = kind.map_or_else(|| number.to_string(), |kind| format!("{number} {kind}"));
        self.section(&format!("e{number}"), "", &title, &drawn(&rows))
    }

    /// Writes a range of withheld entries.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn withheld(&mut self, first: u64, last: u64) -> io::Result<()> {
        let title = match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        };
        self.section(&format!("e{first}"), "away", &title, &make! { p { (RANGE) } })
    }

    /// Writes the presentation that the page carries, and the end of the page.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn end(self, presentation: &str, key: &str) -> io::Result<()> {
        // No other character means anything within the element, or is changed by a reader of HTML:
        // JSON has no NUL.
        let text = presentation.replace('%', "%25").replace('<', "%3C").replace('\r', "%0D");
        let (key, script) = (key.render().into_string(), script());
        writeln!(self.out, "</main>")?;
        writeln!(self.out, "{CARRIER}{key}\">{text}{CARRIER_END}")?;
        writeln!(self.out, "<script>{script}</script>\n</body></html>")
    }

    fn section(&mut self, id: &str, kind: &str, title: &str, inner: &Markup) -> io::Result<()> {
        let kind = (!kind.is_empty()).then_some(kind);
        let section = make! {
            section class=[kind] id=(id) { h2 { (Plain(title)) } (inner) }
        };
        writeln!(self.out, "{}", section.into_string())
    }

    /// The rows of a value.
    fn value(&mut self, path: String, value: &str, rows: &mut Vec<Row>) {
        if let Ok(doc) = self.scan.read(value.as_bytes(), 0) {
            leaves(path, doc.root(), 0, rows);
        }
    }
}

fn digest(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// The elements of the page's head. The policy lets this one script run, and uses no other style.
fn head(script: &str) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{script}'; base-uri 'none'; \
         form-action 'none'",
        digest(STYLE)
    );
    let head = make! {
        meta charset="utf-8";
        meta http-equiv="Content-Security-Policy" content=(policy);
        meta name="viewport" content="width=device-width,initial-scale=1";
        meta name="referrer" content="no-referrer";
        (PreEscaped(GENERATOR)) (PRESENTED_FORM) (PreEscaped("\">"))
        title { (TITLE) }
        style { (PreEscaped(STYLE)) }
    };
    head.into_string()
}

/// The script as it is in a page: without the spaces and comments that only its readers need. It
/// knows the digest of everything around the entries, as a browser writes it, but for its own one.
fn script() -> String {
    let fixed = [
        "<html lang=\"en\"></html>".to_owned(),
        head(""),
        "<body></body>".to_owned(),
        HEADER.to_owned(),
    ];
    let fixed = digest(&fixed.concat());
    let lines = SCRIPT.lines().map(str::trim_start);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n").replace("@FIXED@", &fixed)
}

/// A name, escaped in JSON as `raw`, as a part of a path (RFC 6901).
fn escaped(raw: &[u8]) -> String {
    unescape(raw).replace('~', "~0").replace('/', "~1")
}

/// The leaves of a value, each with its path.
fn leaves(path: String, node: Node<'_>, depth: usize, rows: &mut Vec<Row>) {
    if let Some(text) = node.text() {
        rows.push(Row { path, value: RowValue::Text(unescape(text).into_owned()) });
        return;
    }
    let is_container = matches!(node.shape(), Shape::Object | Shape::Array);
    if !is_container || depth == DEPTH || node.is_empty_container() {
        let raw = String::from_utf8_lossy(node.raw()).into_owned();
        rows.push(Row { path, value: RowValue::Raw(raw) });
        return;
    }
    for member in node.members() {
        leaves(format!("{path}/{}", escaped(member.name)), member.value, depth + 1, rows);
    }
    for (at, element) in node.elements().enumerate() {
        leaves(format!("{path}/{at}"), element, depth + 1, rows);
    }
}

fn drawn(rows: &[Row]) -> Markup {
    make! {
        dl {
            @for Row { path, value } in rows {
                div {
                    dt { (Plain(path)) }
                    @match value {
                        RowValue::Text(text) => dd { (Plain(text)) },
                        RowValue::Raw(text) => dd class="raw" { (Plain(text)) },
                        RowValue::Withheld => dd class="away" { (FIELD) },
                    }
                }
            }
        }
    }
}

/// A text without characters that act, by a rule that is simple enough for the script to have it
/// too: unlike `visible`, it does not look at combining marks.
struct Plain<'t>(&'t str);

impl Render for Plain<'_> {
    fn render_to(&self, out: &mut String) {
        let text = match self.0.contains("\r\n") {
            true => Cow::Owned(self.0.replace("\r\n", "\n")),
            false => Cow::Borrowed(self.0),
        };
        let mut before = '\0';
        for letter in text.chars() {
            match letter {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                _ if acts(letter, before) => {
                    out.push_str(&format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(letter)));
                }
                _ => out.push(letter),
            }
            before = letter;
        }
    }
}

/// Whether a character acts. Joiners and variation selectors belong to letters of some scripts and
/// to emoji, and could hide a difference elsewhere.
fn acts(letter: char, before: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => before < '\u{590}',
        '\u{180b}'..='\u{180f}' => true,
        _ => letter.is_control() || is_hidden(letter),
    }
}
