//! Arbitrary bytes as a session, exported as a page and as Markdown: nothing panics, the page has
//! one script and no foreign element; another parser sees no foreign element in the Markdown.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use session::{Bundle, Member, Stream};
use views::export::{ExportNote, html, markdown};

/// Elements that no export has.
const FOREIGN: [&str; 9] =
    ["<iframe", "<object", "<embed", "<svg", "<form", "<base", "<link", "<video", "<img src=\"h"];

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let format = formats::ALL[usize::from(choice) % formats::ALL.len()];
    let Some(member) = Member::new("a.jsonl", Stream::Main, bytes.to_vec()) else { return };
    let member = format.decode(member);
    for session in format.read(Arc::new(Bundle { members: vec![member] })) {
        let note = ExportNote { redacted: None, turns: None, bytes: true };
        let (mut page, mut text) = (Vec::new(), Vec::new());
        html(&as_it_is(&session), &note, &|_| None, &mut page).expect("a page");
        markdown(&as_it_is(&session), &note, &|_| None, &mut text).expect("a text");
        let page = String::from_utf8(page).expect("UTF-8");
        assert_eq!(page.matches("<script").count(), 1);
        let text = String::from_utf8(text).expect("UTF-8");
        let compile = ::markdown::CompileOptions {
            allow_dangerous_html: true,
            ..::markdown::CompileOptions::gfm()
        };
        let options = ::markdown::Options { parse: ::markdown::ParseOptions::gfm(), compile };
        let shown = ::markdown::to_html_with_options(&text, &options).expect("HTML");
        assert_eq!(shown.matches("<script").count(), 0);
        for foreign in FOREIGN {
            assert!(!page.contains(foreign) && !shown.contains(foreign), "{foreign}");
        }
    }
});

/// The session as a user's flag lets it out.
fn as_it_is(session: &session::Session) -> redact::Unredacted<&session::Session> {
    redact::Unredacted::of(session, redact::UnredactedFlag::typed(true).expect("the flag"))
}
