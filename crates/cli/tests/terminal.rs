//! Output on a terminal: colours unless they are switched off, and lines that fit.
#![allow(clippy::unwrap_used)]

use catalog::Machine;
use session::UtcTime;
use unicode_width::UnicodeWidthStr;
use verbatim_cli::Environment;

mod common;
use common::{ID, Place, put, talk};

/// The output of a command on a terminal of `width` columns.
fn on_terminal(place: &Place, args: &[&str], width: usize, variables: &[(&str, &str)]) -> String {
    let (code, out, err) = ran_on_terminal(place, args, width, variables);
    assert_eq!(code, 0, "{err}");
    out
}

/// The exit code and both outputs of a command on a terminal.
fn ran_on_terminal(
    place: &Place,
    args: &[&str],
    width: usize,
    variables: &[(&str, &str)],
) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let variables =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let home = Some(place.path().join("home"));
    let mut env = Environment {
        formats: formats::ALL,
        machine: Machine { home, variables, ..Machine::default() },
        now: UtcTime(1_775_000_000_000_000),
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        width: Some(width),
        err_terminal: true,
    };
    let args = ["verbatim"].iter().chain(args).map(Into::into);
    let code = verbatim_cli::run(args, &mut env);
    (code, String::from_utf8(out).unwrap(), String::from_utf8_lossy(&err).into_owned())
}

#[test]
fn a_terminal_has_colours_unless_they_are_unwanted() {
    let place = Place::with_sessions();
    let coloured =
        |args: &[&str], set: &[(&str, &str)]| on_terminal(&place, args, 120, set).contains("\x1b[");
    assert!(coloured(&["list"], &[]));
    assert!(coloured(&["list"], &[("NO_COLOR", "")]), "an empty NO_COLOR is none");
    assert!(!coloured(&["list"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["list"], &[("TERM", "dumb")]));
    assert!(coloured(&["list", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["list", "--color", "never"], &[]));
}

#[test]
fn a_list_fits_into_the_terminal_and_its_ids_name_one_session() {
    let place = Place::with_sessions();
    for width in [100, 120, 200] {
        let list = on_terminal(&place, &["list", "--color", "never"], width, &[]);
        assert!(list.lines().all(|line| line.width() <= width), "{width}:\n{list}");
        for line in list.lines().skip(1) {
            let id = line.rsplit(' ').next().unwrap();
            assert_eq!(place.run(&["show", id]).code, 0, "{id}");
        }
    }
}

#[test]
fn raw_records_are_shown_and_not_obeyed() {
    let place = Place::new();
    let text = talk(ID, "\u{9b}2J", "2026-03-01T10:0");
    put(&place.path().join("x/one.jsonl"), &text);
    let path = place.path().join("x/one.jsonl");
    for args in [&["show", "--raw"][..], &["convert", "--to", "claude-code"]] {
        let args: Vec<&str> = args.iter().copied().chain([path.to_str().unwrap()]).collect();
        let shown = on_terminal(&place, &args, 100, &[]);
        assert!(!shown.contains('\u{9b}') && shown.contains("⟨U+009B⟩2J"), "{shown}");
    }
}

#[test]
fn what_is_made_to_be_shared_fills_no_terminal_unasked() {
    let place = Place::new();
    put(&place.path().join("s.jsonl"), &talk(ID, "hello", "2026-03-01T10:0"));
    let session = place.path().join("s.jsonl").display().to_string();
    for command in ["export", "redact"] {
        let (code, out, err) = ran_on_terminal(&place, &[command, &session], 100, &[]);
        assert_eq!((code, &*out, err.contains("-o FILE")), (2, "", true), "{command}: {err}");
        let asked = on_terminal(&place, &[command, &session, "-o", "-"], 100, &[]);
        assert!(asked.contains("hello"), "{command}: {asked}");
    }
}
