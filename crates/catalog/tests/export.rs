//! Exports: no text of a session becomes an element, an attribute, an address or a control
//! sequence, whatever it says and wherever it is; every sample is exported, with its prompts.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::Arc;

use catalog::view::export::{ExportNote, html, markdown};
use catalog::view::transcript::{Body, Detail, Transcript};
use catalog::{Root, bundle, scan};
use regex::Regex;
use serde_json::{Value, json};
use session::{Bundle, Member, Session, Stream};
use verbatim_catalog as catalog;

const NOTE: ExportNote = ExportNote { redacted: None };

fn page(session: &Session) -> String {
    let mut page = Vec::new();
    html(session, &NOTE, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn text(session: &Session) -> String {
    let mut text = Vec::new();
    markdown(session, &NOTE, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// A session of Claude Code with one text in every place.
fn session_of(text: &str) -> Session {
    let base = |kind: &str, id: u32, message: Value| {
        json!({
            "type": kind, "uuid": format!("u{id}"), "sessionId": "s1", "cwd": text, "version": text,
            "gitBranch": text, "timestamp": "2026-03-01T10:00:00.000Z", "message": message,
            "parentUuid": (id > 1).then(|| format!("u{}", id - 1)),
        })
    };
    let call = json!({ "type": "tool_use", "id": "t1", "name": text, "input": {
        "file_path": text, "command": text, "old_string": text, text: text } });
    let failed = json!({ "type": "tool_result", "tool_use_id": "t1", "content": text,
        "is_error": true });
    let answer = json!([
        { "type": "thinking", "thinking": text, "signature": text },
        { "type": "text", "text": text },
        call,
    ]);
    let lines = [
        json!({ "type": "summary", "summary": text, "leafUuid": "u3" }),
        base("user", 1, json!({ "role": "user", "content": text })),
        base("assistant", 2, json!({ "role": "assistant", "model": text, "content": answer })),
        base("user", 3, json!({ "role": "user", "content": [failed] })),
        json!({ "type": text, "text": text, "uuid": "u9" }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    read(lines)
}

fn read(lines: String) -> Session {
    let format = formats::ALL.iter().find(|format| format.name() == "claude-code").unwrap();
    let member = Member::new("s1.jsonl", Stream::Main, lines.into_bytes()).unwrap();
    format.read(Arc::new(Bundle { members: vec![member] })).swap_remove(0)
}

/// The tags of a page that are not of its writer: there must be none.
fn foreign(page: &str) -> Vec<String> {
    let start = page.find("</style>").unwrap();
    let names = "p|h1|h2|h4|h5|h6|ol|ul|li|table|tr|td|em|strong|del|blockquote|pre|code|nav|main|\
                 body|html|head|section|div|span|details|summary|footer|a|style|title";
    let known = Regex::new(&format!(
        "^(?:</(?:{names})>|<(?:{names}|br|hr)>|<details open>\
         |<(?:p|div|span|details|section)(?: class=\"[a-z ]+\")?(?: id=\"turn-[0-9]+\")?>\
         |<a href=\"#turn-[0-9]+\">\
         |<a rel=\"noreferrer noopener nofollow\" href=\"(?i:https?://|mailto:)[^\"<>\\s]*\">)"
    ))
    .unwrap();
    let body = &page[start..];
    let tags = body.match_indices('<').map(|(at, _)| &body[at..]);
    let strange = tags.filter(|tag| !known.is_match(tag));
    strange.map(|tag| tag.chars().take(80).collect()).collect()
}

/// The characters of a text that act on a terminal.
fn acting(text: &str) -> Option<char> {
    text.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'))
}

/// The lines of hostile files, each a session of its own.
fn hostile(file: &str) -> Vec<Session> {
    let Some(path) = samples::shared(&format!("vectors/hostile/{file}")) else { return Vec::new() };
    let lines = fs::read_to_string(path).unwrap();
    lines.lines().map(|line| read(format!("{line}\n"))).collect()
}

#[test]
fn hostile_texts_make_nothing_in_a_page() {
    let made = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</pre></style>",
        "[x](javascript:alert(1))",
        "![x](https://h.example/p)",
        "<!--",
        "]]>",
        "&lt;b&gt;",
        "```\n</code><svg onload=alert(1)>\n```",
        "<a href='//h.example'>x</a>",
        "x\u{1b}[2Jy\u{7}",
        "\u{202e}txt.exe",
        "https://h.example/\"onmouseover=alert(1)",
    ];
    let all = made.iter().map(|&text| session_of(text));
    let all = all.chain(hostile("xss.jsonl")).chain(hostile("terminal.jsonl"));
    let fenced = Regex::new("(?s)(?m)^(`{3,})text\n.*?\n(?:`{3,})$").unwrap();
    let span = Regex::new("`[^`\n]*`").unwrap();
    let script = Regex::new("(?i)<\\s*(?:script|img|svg|iframe|a)\\b").unwrap();
    for session in all {
        let payload = String::from_utf8_lossy(session.bundle.bytes(0)).into_owned();
        let page = page(&session);
        assert_eq!(foreign(&page), [""; 0], "{payload}");
        assert!(page.contains("Content-Security-Policy") && !page.contains("<script"));
        let text = text(&session);
        for out in [&page, &text] {
            assert_eq!(acting(out), None, "{payload}");
        }
        let open = fenced.replace_all(&text, "").into_owned();
        let coded = span.replace_all(&open, "").into_owned();
        assert!(!script.is_match(&coded) || payload.contains('`'), "{payload}: {coded}");
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
