//! Pages with hostile sessions: text of a session makes no element, attribute, address or header.
#![allow(clippy::unwrap_used)]

mod common;

use common::Server;
use regex::Regex;
use serde_json::{Value, json};

#[path = "../../views/tests/pages/hostile.rs"]
mod payloads;

/// The tags of a page that are not those of its writer: there must be none.
fn foreign(page: &str) -> Vec<String> {
    let names = "p|h[1-6]|ol|ul|li|table|thead|tbody|tr|td|th|em|strong|del|ins|blockquote|pre|\
                 code|nav|main|body|html|head|header|section|div|span|details|summary|footer|a|\
                 title|dl|dt|dd|figure|figcaption|b|time|script|aside|form|label|select|option|\
                 button|mark|progress";
    let value = "[^\"<>]*";
    let known = Regex::new(&format!(
        "^(?:<!DOCTYPE html>|</(?:{names})>|<(?:{names}|br|hr)>|<details open>\
         |<(?:p|div|span|details|section|li|b|pre|dl|td|ul|ol)(?: class=\"[a-z0-9 -]+\")?\
         (?: id=\"[a-z0-9.-]+\")?(?: aria-live=\"polite\")?(?: open)?>\
         |<html lang=\"en\">|<body class=\"screens\">|<meta charset=\"utf-8\">\
         |<meta name=\"(?:viewport|referrer)\" content=\"[a-z0-9=,-]+\">\
         |<link rel=\"stylesheet\" href=\"/assets/[0-9a-f]+\\.css\">\
         |<link rel=\"icon\" href=\"data:,\">\
         |<script src=\"/assets/[0-9a-f]+\\.js\" defer>\
         |<a class=\"rec\" href=\"#e-[0-9.]+\">|<a class=\"skip\" href=\"#main\">\
         |<nav class=\"rail\" aria-label=\"Screens\">\
         |<aside aria-label=\"(?:Filters|Turns)\">|<th scope=\"(?:row|col)\">\
         |<(?:main|li|div)(?: class=\"(?:row|found)\")?(?: id=\"(?:main|actions)\")?\
         (?: tabindex=\"-1\")?(?: data-[a-z]+=\"{value}\")*>\
         |<a(?: rel=\"(?:next|prev)\")? href=\"(?:/|#)[A-Za-z0-9/%._~:?=&;#-]*\"\
         (?: class=\"title(?: named)?\")?(?: aria-current=\"(?:page|true)\")?\
         (?: aria-label=\"(?:Turn before|Next turn)\")?>\
         |<form method=\"get\" action=\"/[a-z]+\" role=\"search\">\
         |<input(?: type=\"[a-z]+\")? name=\"[a-z]+\"(?: id=\"search\")?(?: value=\"{value}\")?\
         (?: checked)?>|<select name=\"only\">|<option value=\"[a-z]*\"(?: selected)?>\
         |<progress max=\"[0-9]+\" value=\"[0-9]+\" aria-hidden=\"true\">\
         |<time(?: class=\"took\")? datetime=\"[0-9TZ:.+-]+\">\
         |<img src=\"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+\" alt=\"picture \
         [A-Za-z0-9 ,.]+\"(?: width=\"[0-9]+\" height=\"[0-9]+\")? loading=\"lazy\">\
         |<ol start=\"[0-9]+\">|<t[dh](?: scope=\"col\")?(?: class=\"[a-z]+\")?>\
         |<a rel=\"noreferrer noopener nofollow\" href=\"(?i:https?://|mailto:)[^\"<>\\s]*\">)"
    ))
    .unwrap();
    let tags = page.match_indices('<').map(|(at, _)| &page[at..]);
    let strange = tags.filter(|tag| !known.is_match(tag));
    let mut all: Vec<String> = strange.map(|tag| tag.chars().take(120).collect()).collect();
    if page.matches("<script").count() != 1 {
        all.push("another script".into());
    }
    let acts = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\t')
            || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}')
            || matches!(letter, '\u{2028}'..='\u{202e}')
    };
    all.extend(page.chars().find(|letter| acts(*letter)).map(|letter| format!("{letter:?}")));
    all
}

#[test]
fn hostile_sessions_make_nothing_in_a_page_and_no_header() {
    let home = tempfile::tempdir().unwrap();
    for (at, text) in payloads::HOSTILE.iter().enumerate() {
        let path = format!(".claude/projects/-x/{at:08}-90a1-4c63-9d0e-6b7a6a1f0001.jsonl");
        common::put(&home.path().join(path), &common::hostile(text, at));
    }
    let server = Server::of(home);
    let sessions = server.get("/v1/sessions").json();
    let sessions = sessions["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), payloads::HOSTILE.len());
    let mut paths: Vec<String> = [
        "/",
        "/search?q=needle",
        "/search?q=%3Cscript%3Ealert%281%29",
        "/usage?by=model",
        "/usage?by=project",
        "/usage?by=branch",
        "/usage?by=session",
        "/files?path=%22%3E%3Cscript%3E",
        "/files",
        "/files?after=25",
        "/proof",
        "/findings",
        "/books",
        "/not-seen",
        "/?project=%22%3E%3Cb%3E",
        "/nothing%22%3E%3Cb%3E",
    ]
    .map(str::to_owned)
    .to_vec();
    let encoded =
        |uid: &str| -> String { uid.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    for row in sessions {
        let uid = encoded(row["uid"].as_str().unwrap());
        paths.extend(["", "/bytes", "/proof"].map(|page| format!("/s/{uid}{page}")));
        paths.extend(
            ["/events", "/turns", "/files"].map(|page| format!("/v1/sessions/{uid}{page}")),
        );
    }
    for path in &paths {
        let answer = server.get(path);
        assert!(matches!(answer.status, 200 | 404), "{path}: {}", answer.text());
        for line in answer.head.lines().skip(1) {
            let name = line.split(':').next().unwrap();
            assert!(!["x-evil", "set-cookie", "refresh"].contains(&name), "{path}: {line}");
        }
        if path.starts_with("/v1/") {
            assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        } else if answer.status == 200 {
            assert_eq!(foreign(&answer.text()), [""; 0], "{path}");
        }
    }
}

#[test]
fn the_check_of_pages_can_fail() {
    let frame = |body: &str| format!("<body><script src=\"/assets/00.js\" defer></script>{body}");
    assert_eq!(foreign(&frame("<p class=\"when\">x</p>")), [""; 0]);
    for body in [
        "<img src=x>",
        "<a href=\"javascript:x\">",
        "<p onclick=\"x\">",
        "<script>",
        "<a href=\"//h.example\"",
        "\u{202e}",
        "<input name=\"q\" value=\"x\" onfocus=\"y\">",
    ] {
        assert!(!foreign(&frame(body)).is_empty(), "{body}");
    }
}

#[test]
fn a_long_session_is_shown_by_turns_and_every_turn_is_reached() {
    let home = tempfile::tempdir().unwrap();
    let id = "0b5c6a52-90a1-4c63-9d0e-6b7a6a1f0009";
    let mut text = String::new();
    let mut parent = Value::Null;
    for at in 0..2000_u32 {
        let (kind, content) = match at % 2 {
            0 => ("user", json!(format!("Question {}", at / 2 + 1))),
            _ => ("assistant", json!([{ "type": "text", "text": "An answer." }])),
        };
        let line = json!({ "parentUuid": parent, "type": kind, "uuid": format!("u{at}"),
            "sessionId": id, "cwd": "/home/ana/shop", "timestamp": "2026-03-01T10:00:00.000Z",
            "message": { "role": kind, "content": content } });
        parent = line["uuid"].clone();
        text.push_str(&format!("{line}\n"));
    }
    common::put(&home.path().join(format!(".claude/projects/-x/{id}.jsonl")), &text);
    let server = Server::of(home);
    let mut next = Some(format!("/s/claude-code:{id}"));
    let (mut turns, mut pages) = (Vec::new(), 0);
    let number = Regex::new("<section class=\"turn h[0-9]+\" id=\"turn-([0-9]+)\">").unwrap();
    let link = Regex::new("rel=\"next\" href=\"([^\"]+)\"").unwrap();
    while let Some(path) = next {
        let page = server.get(&path);
        assert_eq!(page.status, 200, "{path}");
        let page = page.text();
        assert!(page.matches('<').count() < 2 * 5000 + 4 * 1000, "{}", page.matches('<').count());
        turns.extend(number.captures_iter(&page).map(|found| found[1].parse::<u32>().unwrap()));
        next = link.captures(&page).map(|found| found[1].replace("&amp;", "&"));
        pages += 1;
    }
    assert_eq!(turns, (1..=1000).collect::<Vec<_>>());
    assert_eq!(pages, 50);
    let part = server.get(&format!("/s/claude-code:{id}?turns=40-42&part=1")).text();
    assert_eq!(number.captures_iter(&part).count(), 3);
    assert!(!part.contains("<html") && part.contains("Question 41"));
    assert_eq!(server.get(&format!("/s/claude-code:{id}?turns=x")).status, 400);
}

/// The lines of a session with many turns, each with a long output.
fn long(id: &str, turns: usize) -> String {
    let (mut text, mut parent) = (String::new(), Value::Null);
    let output = "a line of an output that goes on and on\n".repeat(200);
    for at in 0..4 * turns {
        let (kind, content) = match at % 4 {
            0 => ("user", json!(format!("Question {}", at / 4 + 1))),
            1 => (
                "assistant",
                json!([{ "type": "tool_use", "id": format!("t{at}"), "name": "Bash",
                    "input": { "command": "make" } }]),
            ),
            2 => (
                "user",
                json!([{ "type": "tool_result", "tool_use_id": format!("t{}", at - 1),
                    "content": output }]),
            ),
            _ => ("assistant", json!([{ "type": "text", "text": "It is done." }])),
        };
        let line = json!({ "parentUuid": parent, "type": kind, "uuid": format!("u{at}"),
            "sessionId": id, "cwd": "/home/ana/shop",
            "timestamp": format!("2026-03-01T10:{:02}:{:02}.000Z", at / 60 % 60, at % 60),
            "message": { "role": kind, "content": content } });
        parent = line["uuid"].clone();
        text.push_str(&format!("{line}\n"));
    }
    text
}

#[test]
fn the_first_turns_of_a_long_session_come_before_it_is_read() {
    let home = tempfile::tempdir().unwrap();
    let id = "0b5c6a52-90a1-4c63-9d0e-6b7a6a1f0010";
    let (text, turns) = (long(id, 2200), 2200);
    assert!(text.len() > 17 << 20, "{}", text.len());
    common::put(&home.path().join(format!(".claude/projects/-x/{id}.jsonl")), &text);
    let server = Server::of(home);
    let path = format!("/s/claude-code:{id}");
    let number = Regex::new("<section class=\"turn h[0-9]+\" id=\"turn-([0-9]+)\">").unwrap();
    let numbers = |page: &str| -> Vec<u32> {
        number.captures_iter(page).map(|found| found[1].parse().unwrap()).collect()
    };
    let of_all = Regex::new("<dt>turns</dt><dd>([0-9]+)</dd>").unwrap();
    let count = |page: &str| -> u32 { of_all.captures(page).unwrap()[1].parse().unwrap() };
    let first = server.get(&path).text();
    let so_far = count(&first);
    assert!(first.contains("id=\"so-far\"") && first.contains(&format!("of {so_far} so far")));
    assert_eq!(numbers(&first), (1..=20).collect::<Vec<_>>());
    assert!(so_far > 20 && so_far < turns, "{so_far}");
    // The turns follow each other across the end of what was read first.
    let mut next = Some(format!("{path}?turns={}", so_far - 5));
    let (mut all, link) = (Vec::new(), Regex::new("rel=\"next\" href=\"([^\"]+)\"").unwrap());
    for _ in 0..3 {
        let page = server.get(&next.take().unwrap()).text();
        all.extend(numbers(&page));
        next = link.captures(&page).map(|found| found[1].replace("&amp;", "&"));
    }
    let begun = so_far - 5;
    assert_eq!(all, (begun..begun + u32::try_from(all.len()).unwrap()).collect::<Vec<_>>());
    assert!(all.contains(&(so_far + 1)), "{all:?}");
    // All was read for the last of these pages: now the first page has the whole numbers.
    let page = server.get(&path).text();
    assert!(!page.contains("so far") && count(&page) == turns, "{}", count(&page));
    assert_eq!(numbers(&page), numbers(&first));
    assert_eq!(numbers(&server.get(&format!("{path}?turns=2100-2101")).text()), [2100, 2101]);
}

/// The quickest of three answers.
fn quickest(server: &Server, path: &str) -> std::time::Duration {
    let ask = |_| {
        let asked = std::time::Instant::now();
        assert_eq!(server.get(path).status, 200, "{path}");
        asked.elapsed()
    };
    (0..3).map(ask).min().unwrap()
}

#[test]
fn a_late_page_of_a_long_session_costs_what_an_early_one_costs() {
    let home = tempfile::tempdir().unwrap();
    let id = "0b5c6a52-90a1-4c63-9d0e-6b7a6a1f0011";
    common::put(&home.path().join(format!(".claude/projects/-x/{id}.jsonl")), &long(id, 3000));
    let server = Server::of(home);
    let path = format!("/v1/sessions/claude-code:{id}");
    assert_eq!(server.get(&format!("{path}/turns")).status, 200);
    let events = |after| quickest(&server, &format!("{path}/events?limit=40&after={after}"));
    let (first, last) = (events(0), events(11_900));
    assert!(last < first * 3, "{last:?} for the last events, {first:?} for the first ones");
}

/// The pieces of a page in the order in which they were sent.
fn pieces(server: &Server, path: &str) -> Vec<String> {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    let mut stream = server.connect();
    let (host, bearer) = (server.host(), server.bearer());
    let ask = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nConnection: \
         close\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    let mut pieces = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let mut piece = vec![0; usize::from_str_radix(line.trim(), 16).unwrap() + 2];
        reader.read_exact(&mut piece).unwrap();
        if piece.len() == 2 {
            return pieces;
        }
        pieces.push(String::from_utf8(piece).unwrap());
    }
}

#[test]
fn a_search_shows_what_it_finds_piece_by_piece_the_newest_first() {
    let home = tempfile::tempdir().unwrap();
    for at in 0..60_u32 {
        let id = format!("0b5c6a52-90a1-4c63-9d0e-6b7a6a1f{at:04}");
        let day = format!("2026-03-{:02}T{:02}", 1 + at / 20, at % 20);
        let text = common::talk(&id, "Paint the door green").replace("2026-03-01T10", &day);
        common::put(&home.path().join(format!(".claude/projects/-x/{id}.jsonl")), &text);
    }
    let folder = home.path().join(".claude");
    let own = Server::of(home);
    let named = Server::within(tempfile::tempdir().unwrap(), vec![folder]);
    let uid = Regex::new("class=\"row\" data-uid=\"([^\"]+)\"").unwrap();
    for server in [&own, &named] {
        let found = server.get("/v1/search?q=door").json();
        let found = found["sessions"].as_array().unwrap().iter();
        let found: Vec<String> = found.map(|of| of["uid"].as_str().unwrap().to_owned()).collect();
        assert_eq!(found.len(), 60);
        let (first, second) =
            (pieces(server, "/search?q=door"), pieces(server, "/search?q=door&after=50"));
        let rows = |pieces: &[String]| -> Vec<String> {
            let all = pieces.concat();
            uid.captures_iter(&all).map(|row| row[1].to_owned()).collect()
        };
        assert_eq!([rows(&first), rows(&second)].concat(), found);
        assert!(first.len() > 50, "{} pieces", first.len());
        assert!(first[0].contains("Searching") && !first[0].contains("class=\"row\""));
        let last = first.last().unwrap();
        assert!(last.contains("matches in 60 sessions") && last.contains("</html>"), "{last}");
    }
}
