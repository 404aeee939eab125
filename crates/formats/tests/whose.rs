//! The law of recognition: whose a file is does not depend on where the window of detection ends.
//!
//! Every file of every sample, and every file that a writer makes of one, is cut off and padded so
//! that the window ends at any byte of it, within any kind of text. It is known as what it is, or
//! as nothing; it is never another format's. Who made a file is known from its maker here, not from
//! the claims.

use std::sync::Arc;

use catalog::Root;
use samples::Dice;
use session::{Bundle, Memory, Session, UtcTime};
use verbatim_formats::{
    ALL, Candidate, Claim, Detected, END_BYTES, Format, FormatData, Formats, Options, Role, Tail,
    detect, stead, vac,
};

/// A file, and the name of the format that it is of.
struct Made {
    path: String,
    bytes: Vec<u8>,
    of: &'static str,
}

impl Made {
    /// Whether a format claims it under this name as it is.
    fn is_known(&self) -> bool {
        told(ALL, &self.path, &self.bytes) == Some(self.of)
    }
}

/// The options of a document.
fn options(embed: bool, pretty: bool) -> Options {
    let untimed = Some(UtcTime(1_780_000_000_000_000));
    Options { embed, pretty, untimed, ..Options::default() }
}

/// The files of the samples, and under a name that says nothing.
fn files(format: &'static dyn Format) -> Vec<Made> {
    let folder = samples::format(format.name()).join("samples");
    let found = catalog::scan(ALL, &[Root::named(&folder)]);
    let files = found.sources.into_iter().flat_map(|source| source.files);
    let mut made = Vec::new();
    for file in files.filter(|file| file.rows.is_none()) {
        let bytes = std::fs::read(&file.path).expect("a file");
        let path = file.path.to_string_lossy().into_owned();
        let plain = format!("x/file.{}", path.rsplit('.').next().unwrap_or_default());
        made.push(Made { path: plain, bytes: bytes.clone(), of: format.name() });
        made.push(Made { path, bytes, of: format.name() });
    }
    // A file that needs its name to be known, or is packed, says nothing by its bytes.
    made.retain(Made::is_known);
    made
}

/// The files that writers make of a session.
fn written(session: &Session, all: bool, dice: &mut Dice<'_>) -> Vec<Made> {
    let mut made = Vec::new();
    for target in ALL.iter().filter(|target| target.name() != session.format) {
        let document = [vac::NAME, stead::NAME].contains(&target.name());
        let forms: &[(bool, bool)] = if document {
            &[(false, false), (true, false), (false, true)]
        } else {
            &[(false, false)]
        };
        for (embed, pretty) in forms {
            // Documents are what travels, so they are always tried.
            if !all && !document && dice.roll(6) != 0 {
                continue;
            }
            let written = target.write_with(session, &options(*embed, *pretty));
            let written = written.or_else(|_| {
                verbatim_formats::write_with(*target, session, &options(*embed, *pretty))
            });
            for (name, content) in written.into_iter().flat_map(|written| written.files) {
                made.push(Made {
                    path: format!("x/{name}"),
                    bytes: content.to_vec(),
                    of: target.name(),
                });
            }
        }
    }
    made
}

fn sessions(format: &'static dyn Format) -> Vec<Session> {
    let folder = samples::format(format.name()).join("samples");
    let sources = catalog::scan(ALL, &[Root::named(&folder)]).sources;
    let read = |source: catalog::Source| {
        let (bundle, _) = catalog::bundle(&source);
        let decode = |member| source.format.decode(member);
        let members = bundle.members.into_iter().map(decode).collect();
        source.format.read(Arc::new(Bundle { members }))
    };
    sources.into_iter().flat_map(read).filter(|session| !session.remainder).collect()
}

/// The decision about a file: a format or an agent, or nothing.
fn told(formats: Formats<'_>, path: &str, bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(END_BYTES)];
    let tail = &bytes[bytes.len().saturating_sub(END_BYTES).max(head.len())..];
    let length = bytes.len() as u64;
    let file = Candidate { path, head, tail: Tail::Is(tail), length };
    match detect(formats, None, &file) {
        Detected::Part { format, .. } | Detected::NoSession(format, _) => Some(format.name()),
        Detected::Foreign(agent) => Some(agent),
        Detected::Unknown => None,
    }
}

/// Kinds of text around the end of the window: what is trimmed, what ends or escapes something, and
/// what is longer than a byte.
const FILLS: [&str; 12] =
    [" ", "x", "\\\"", "\\\\", "{", "}", "[", ",\\n", "\u{e9}", "\u{5b57}", "\u{1f600}", "a b\\t"];

/// White space between the tokens of JSON.
const SPACES: [&str; 3] = [" ", "\t", "\n"];

/// The bytes with so much of a text inserted at `at` that the byte at `place`, behind that, is the
/// last one in the window, or is as near to it as the text allows.
fn grown(bytes: &[u8], at: usize, place: usize, fill: &str) -> Vec<u8> {
    let missing = END_BYTES.saturating_sub(place + 1);
    let mut more = fill.repeat(missing / fill.len());
    more.push_str(&"x".repeat(if fill.trim().is_empty() { 0 } else { missing % fill.len() }));
    [&bytes[..at], more.as_bytes(), &bytes[at..]].concat()
}

/// The insides of strings that are values before `place`: where text can be inserted.
fn texts(bytes: &[u8], place: usize) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(open) = memchr::memchr(b'"', &bytes[at..place]).map(|open| at + open) {
        let mut end = open + 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += 1 + usize::from(bytes[end] == b'\\');
        }
        let before = bytes[..open].trim_ascii_end().strip_suffix(b":");
        // The type of a line is a word of the format, and another word says something else.
        let is_type = before.is_some_and(|name| name.trim_ascii_end().ends_with(b"\"type\""));
        let is_value = before.is_some() && !is_type && end < place && end > open + 12;
        // Before the closing quote, and outside of an escape.
        if is_value && bytes[end - 1].is_ascii_alphanumeric() && !bytes[open..end].contains(&b'\\')
        {
            found.push(end);
        }
        at = end + 1;
        if at >= place {
            break;
        }
    }
    found
}

/// A variant of a file in which the window ends at the byte `place` of it.
fn variant(file: &Made, place: usize, dice: &mut Dice<'_>) -> Vec<u8> {
    let bytes = &file.bytes;
    let texts = texts(bytes, place);
    // Names and ids say whose a file is, so mostly a long text grows, and else white space.
    match texts.is_empty() || dice.roll(3) == 0 {
        true => {
            let is_lines = memchr::memchr_iter(b'\n', bytes).count() > 0 && bytes[0] == b'{';
            let first = bytes.iter().position(|byte| b"{[".contains(byte)).map_or(0, |at| at + 1);
            let spaces = if is_lines { &SPACES[..2] } else { &SPACES[..] };
            grown(bytes, first.min(place), place, spaces[dice.roll(spaces.len())])
        }
        false => {
            let at = texts[dice.roll(texts.len())];
            let fill = FILLS[dice.roll(FILLS.len())];
            // The window ends at the place, or within what was inserted.
            let place = if dice.roll(2) == 0 { place } else { at + dice.roll(4) };
            let mut grown = grown(bytes, at, place.max(at), fill);
            if place < bytes.len() && dice.roll(2) == 0 {
                let behind = at + (grown.len() - bytes.len());
                grown.splice(behind..behind, fill.repeat(40).into_bytes());
            }
            grown
        }
    }
}

/// The violations, and how many of the variants are known at all.
fn judge(
    formats: Formats<'_>,
    files: &[Made],
    rounds: usize,
    dice: &mut Dice<'_>,
) -> (Vec<String>, f64) {
    let (mut wrong, mut known, mut asked) = (Vec::new(), 0usize, 0usize);
    for file in files {
        for round in 0..rounds {
            let place = match rounds > file.bytes.len() {
                true => round % file.bytes.len(),
                false => dice.roll(file.bytes.len()),
            };
            let text = variant(file, place, dice);
            let cut = &file.bytes[..place];
            for (what, bytes) in [("grown", &text[..]), ("cut off", cut)] {
                let told = told(formats, &file.path, bytes);
                if told.is_some_and(|told| told != file.of) {
                    let (path, of, from) = (&file.path, file.of, text.len() - file.bytes.len());
                    let near = &bytes[..bytes.len().min(END_BYTES)];
                    let near = near[near.len().saturating_sub(60)..].escape_ascii();
                    wrong.push(format!(
                        "{path} of {of}, {what} at {place} (+{from}): {told:?} …{near}"
                    ));
                }
                known += usize::from(told.is_some() && what == "grown");
            }
            asked += 1;
        }
    }
    (wrong, known as f64 / asked.max(1) as f64)
}

fn rounds(plain: usize) -> usize {
    if std::env::var_os("CI_DEEP").is_some_and(|deep| deep == "1") { 3_000 } else { plain }
}

/// Every sample, under its own name and under one that says nothing.
#[test]
fn a_sample_is_never_taken_for_another_formats_file() {
    of_each_format(48, |format, dice| {
        let files = files(format);
        assert!(!files.is_empty(), "{}", format.name());
        let (wrong, known) = judge(ALL, &files, rounds(6), dice);
        assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
        assert!(known > 0.6, "{}: only {known:.2} of the variants are known", format.name());
    });
}

/// Everything that a writer makes. A document says what it is in its first bytes, so it is known
/// wherever the window ends behind them.
#[test]
fn what_writers_make_is_never_taken_for_another_formats_file() {
    let deep = rounds(0) > 0;
    of_each_format(49, |format, dice| {
        let is_document = |session: &Session| [vac::NAME, stead::NAME].contains(&session.format);
        for session in sessions(format).into_iter().filter(|session| !is_document(session)) {
            let files = written(&session, deep, dice);
            let (wrong, _) = judge(ALL, &files, if deep { 200 } else { 2 }, dice);
            let (uid, count) = (session.uid(), wrong.len());
            assert!(wrong.is_empty(), "{uid}: {count} cases:\n{}", wrong.join("\n"));
        }
    });
}

/// Judges the formats side by side, each with dice of its own.
fn of_each_format(seed: u64, judged: impl Fn(&'static dyn Format, &mut Dice<'_>) + Sync) {
    let judged = &judged;
    std::thread::scope(|scope| {
        for (at, format) in (0..).zip(ALL) {
            scope.spawn(move || judged(*format, &mut Dice::seeded(seed + 100 * at)));
        }
    });
}

/// The two documents, with the window ending behind each byte of a text with every kind of
/// character.
#[test]
fn a_document_is_known_wherever_the_window_ends() {
    let session = sessions(ALL[1]).into_iter().max_by_key(Session::len).expect("a session");
    for (format, embed) in [(vac::NAME, false), (vac::NAME, true), (stead::NAME, false)] {
        let target = verbatim_formats::by_name(format).expect("a format");
        let written = target.write_with(&session, &options(embed, false)).expect("written");
        let bytes = &written.files[0].1;
        let text = *texts(bytes, bytes.len()).last().expect("a text");
        for fill in FILLS.iter().chain(&[" \\\" {\\\\ }\u{e9}\u{1f600}\\n"]) {
            for behind in 0..fill.len() + 8 {
                let place = text.saturating_sub(behind);
                let grown = grown(bytes, place.min(text), text, fill);
                let grown = if std::str::from_utf8(&grown).is_ok() { grown } else { continue };
                assert_eq!(told(ALL, "x/d.json", &grown), Some(format), "{fill:?} {behind}");
                let at = END_BYTES + behind;
                let longer = grown_to(bytes, text, at, fill);
                assert_eq!(told(ALL, "x/d.json", &longer), Some(format), "{fill:?} {behind}");
            }
        }
    }
}

/// The bytes with a text that begins before the end of the window and goes on behind it.
fn grown_to(bytes: &[u8], at: usize, end: usize, fill: &str) -> Vec<u8> {
    let more = fill.repeat(end.saturating_sub(at) / fill.len() + 2);
    [&bytes[..at], more.as_bytes(), &bytes[at..]].concat()
}

/// A format that decides by the last byte of the window, as one did.
struct Trims;

static DATA: FormatData = FormatData::of("trims", &[]);

impl Format for Trims {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        match file.head.last() {
            Some(b' ') => Claim::Part { group: file.path.to_owned(), role: Role::Main },
            _ => Claim::No,
        }
    }

    fn read_with(&self, _: Arc<Bundle>, _: &mut Memory) -> Vec<Session> {
        Vec::new()
    }
}

/// The law finds such a format.
#[test]
fn the_law_can_fail() {
    let formats: Vec<&'static dyn Format> =
        [&Trims as &dyn Format].into_iter().chain(ALL.iter().copied()).collect();
    let files: Vec<Made> = files(ALL[0]);
    let (wrong, _) = judge(&formats, &files, 40, &mut Dice::seeded(50));
    assert!(wrong.iter().any(|what| what.contains("trims")), "{}", wrong.len());
}
