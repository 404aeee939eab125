//! Exports: no text of a session becomes an element, an attribute, an address or a control
//! sequence, whatever it says and wherever it is; every sample is exported, with its prompts.
#![allow(clippy::unwrap_used)]

mod pages;

use std::fs;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use catalog::{Root, bundle, scan};
use pages::{HOSTILE, answered, page, read, samples_with, session_of, text};
use regex::Regex;
use session::{Session, Standing, Stream};
use sha2::{Digest as _, Sha256};
use verbatim_views::export::{CarriedPresentation, PRESENTED_FORM, PresentedPage};
use verbatim_views::transcript::{Body, Detail, Transcript};

/// The tags of a page that are not of its writer: there must be none.
fn foreign(page: &str) -> Vec<String> {
    let start = page.find("</style>").unwrap();
    let names = "p|h[1-6]|ol|ul|li|table|thead|tbody|tr|td|em|strong|del|ins|blockquote|pre|code|\
                 nav|main|body|html|head|header|section|div|span|details|summary|footer|a|style|\
                 title|dl|dt|dd|figure|figcaption|b|time|script";
    let known = Regex::new(&format!(
        "^(?:</(?:{names})>|<(?:{names}|br|hr)>|<details open>\
         |<(?:p|div|span|details|section|li|b|pre|dl)(?: class=\"[a-z0-9 -]+\")?\
         (?: id=\"(?:(?:turn|e|f)-[0-9.-]+|changes)\")?>\
         |<a(?: class=\"rec\")? href=\"#(?:turn|e|f)-[0-9.-]+\"\
         (?: aria-label=\"(?:Turn before|Next turn)\")?>\
         |<a class=\"skip\" href=\"#main\">|<main id=\"main\" tabindex=\"-1\">\
         |<nav aria-label=\"Turns\">|<time(?: class=\"took\")? datetime=\"[0-9TZ:.+-]+\">\
         |<img src=\"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+\" alt=\"picture \
         [A-Za-z0-9 ,.]+\"(?: width=\"[0-9]+\" height=\"[0-9]+\")? loading=\"lazy\">\
         |<ol start=\"[0-9]+\">|<t[dh](?: scope=\"col\")?(?: class=\"(?:center|right)\")?>|</th>\
         |<a rel=\"noreferrer noopener nofollow\" href=\"(?i:https?://|mailto:)[^\"<>\\s]*\">)"
    ))
    .unwrap();
    // Its own script, which is the only one, is no markup. The policy names it by its digest.
    let (before, rest) = page[start..].rsplit_once("<script>").unwrap();
    let (script, rest) = rest.split_once("</script>").unwrap();
    let digest = STANDARD.encode(Sha256::digest(script));
    assert!(page[..start].contains(&format!("script-src 'sha256-{digest}'")));
    let page = format!("{before}<script></script>{rest}");
    let body = page.as_str();
    let tags = body.match_indices('<').map(|(at, _)| &body[at..]);
    let strange = tags.filter(|tag| !known.is_match(tag));
    let mut all: Vec<String> = strange.map(|tag| tag.chars().take(80).collect()).collect();
    if body.matches("<script").count() != 1 || !body.contains("<script></script>") {
        all.push("another script".into());
    }
    all
}

/// The characters of a text that act on a terminal.
fn acting(text: &str) -> Option<char> {
    let moves = |letter: &char| {
        matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
    };
    text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t') || moves(c))
}

/// The lines of hostile files, each a session of its own.
fn hostile(file: &str) -> Vec<Session> {
    let Some(path) = samples::shared(&format!("vectors/hostile/{file}")) else { return Vec::new() };
    let lines = fs::read_to_string(path).unwrap();
    lines.lines().map(|line| read(format!("{line}\n"))).collect()
}

#[test]
fn hostile_texts_make_nothing_in_a_page() {
    let all = HOSTILE.iter().map(|&text| session_of(text));
    let all = all.chain(hostile("xss.jsonl")).chain(hostile("terminal.jsonl"));
    for session in all {
        let payload = String::from_utf8_lossy(session.bundle.bytes(0)).into_owned();
        let page = page(&session);
        assert_eq!(foreign(&page), [""; 0], "{payload}");
        assert!(page.contains("Content-Security-Policy"), "{payload}");
        let text = text(&session);
        for out in [&page, &text] {
            assert_eq!(acting(out), None, "{payload}");
        }
    }
}

#[test]
fn hostile_texts_in_every_sample_make_nothing_in_a_page() {
    for session in samples_with(&HOSTILE.join("\n\n")) {
        let (page, text) = (page(&session), text(&session));
        assert_eq!(foreign(&page), [""; 0], "{}", session.uid());
        assert_eq!((acting(&page), acting(&text)), (None, None), "{}", session.uid());
    }
}

#[test]
fn what_a_summary_replaced_is_as_legible_as_the_rest_and_marked_once() {
    let faint = Regex::new(r"opacity:\s*0?\.").unwrap();
    let mut marked = 0;
    for session in samples_with("x") {
        let (page, text) = (page(&session), text(&session));
        assert!(!faint.is_match(&page));
        let items = Transcript::of(&session, Detail::Brief);
        let items = items.filter(|item| *item.event.stream() == Stream::Main);
        let old: Vec<bool> = items.map(|item| item.event.standing != Standing::Live).collect();
        let ranges = old.split(|old| !old).filter(|range| !range.is_empty()).count();
        assert_eq!(page.matches("<p class=\"compacted\">").count(), ranges, "{}", session.uid());
        assert_eq!(text.matches("*compacted here: ").count(), ranges, "{}", session.uid());
        marked += ranges;
    }
    assert!(marked > 5, "{marked}");
}

#[test]
fn joiners_of_emoji_and_scripts_stay_and_line_ends_of_windows_are_line_ends() {
    let said = "a coder \u{1f469}\u{200d}\u{1f4bb}, \u{646}\u{648}\u{200c}\u{647}\u{627}\r\nnext";
    let session = answered(said, said);
    for out in [page(&session), text(&session)] {
        assert!(out.contains("\u{1f469}\u{200d}\u{1f4bb}"), "{out}");
        assert!(out.contains("\u{648}\u{200c}\u{647}") && !out.contains('\u{240d}'), "{out}");
    }
}

#[test]
fn the_check_of_pages_can_fail() {
    let good = page(&session_of("a"));
    for bad in ["<script>", "<p onclick=x>", "<img src=x>", "<a href=\"javascript:x\">", "< b"] {
        assert_eq!(foreign(&good.replace("</main>", &format!("{bad}</main>"))).len(), 1, "{bad}");
    }
}

#[test]
fn every_sample_is_exported_with_its_prompts() {
    let roots = [Root::named(samples::workspace().join("crates/formats/src"))];
    let mut count = 0;
    for source in scan(formats::ALL, &roots).sources {
        for session in source.format.read(Arc::new(bundle(&source).0)) {
            let (page, text) = (page(&session), text(&session));
            assert_eq!(foreign(&page), [""; 0], "{}", session.uid());
            assert_eq!((page == self::page(&session), text == self::text(&session)), (true, true));
            let word = |text: &str| -> Option<String> {
                let is_plain =
                    |word: &&str| word.len() > 3 && word.chars().all(char::is_alphanumeric);
                text.split_whitespace().find(is_plain).map(str::to_owned)
            };
            for item in Transcript::of(&session, Detail::Brief) {
                let (Body::Prompt(said) | Body::Answer(said)) = &item.body else { continue };
                if let Some(word) = word(&said.text) {
                    assert!(page.contains(&word) && text.contains(&word), "{word}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 100, "{count}");
}

/// Pages of presentations that were written by earlier versions are compared byte for byte: these
/// bytes belong to the number of the form, and other bytes need another number.
#[test]
fn the_form_of_the_page_of_a_presentation_is_pinned() {
    let mut written = Vec::new();
    let mut presented = PresentedPage::begin(&mut written).unwrap();
    let members = [("/id", "\"r1\""), ("/session/a~1b", "[1e2,{\"x\":\"<b>\\u202e\\r\\n&\"},{}]")];
    presented.frame(members.into_iter(), ["/session/environment"].into_iter()).unwrap();
    presented.entry(1, "{\"type\":\"user\",\"content\":\"hi\",\"data\":[]}", &["data"]).unwrap();
    presented.withheld(2, 2).unwrap();
    presented.withheld(3, 9).unwrap();
    presented.end("{\"a\":\"100 %</script>\"}\r\n", "a key").unwrap();
    let written = String::from_utf8(written).unwrap();
    let digest = Sha256::digest(written.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let pinned = "df93333872d1155aafbd2740cec95175fd63ccf5ae4ce9aa94f789dd837e4c77";
    assert_eq!((PRESENTED_FORM, &*digest), (1, pinned));
    let carried = CarriedPresentation::of_page(&written).unwrap();
    assert_eq!(carried.text, "{\"a\":\"100 %</script>\"}\r\n");
    assert_eq!((&*carried.key, carried.form), ("a key", Some(1)));
    assert!(CarriedPresentation::of_page(&page(&session_of("a"))).is_none());
    let (_, main) = written.split_once("<main").unwrap();
    assert!(main.contains("<dd>&lt;b&gt;⟨U+202E⟩\n&amp;</dd>"), "{main}");
    assert!(main.contains("<dt>session/a~1b/0</dt><dd class=\"raw\">1e2</dd>"), "{main}");
    assert!(main.contains("<section class=\"away\" id=\"e3\"><h2>3 to 9</h2>"), "{main}");
    assert_eq!(main.matches("<script").count(), 2);
}
