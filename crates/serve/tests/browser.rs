//! The pages in a real browser, with the script and live growth on: nothing of a session runs, asks
//! or leads away; keys work; nothing is wider than a phone. Without a browser these tests are
//! skipped with a word, unless one is required.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;
#[allow(dead_code)]
#[path = "../../views/tests/browser/devtools.rs"]
mod devtools;
#[path = "../../views/tests/pages/hostile.rs"]
mod payloads;

use common::{FIRST, Server};
use devtools::Browser;
use serde_json::{Value, json};

/// Lets the browser in by the printed address.
fn enter(browser: &mut Browser, server: &Server) {
    browser.visit(&format!("http://{}{}", server.host(), server.entry));
    let place = browser.value("location.pathname");
    assert_eq!(place, json!("/"), "the secret is gone from the address");
}

/// Acts that a page must not do, since it was opened.
fn deeds(browser: &mut Browser, own: &str) -> Vec<String> {
    let found = browser.value(
        "(() => {
          document.querySelectorAll('details').forEach(d => d.open = true);
          document.querySelectorAll('summary,b,p,code,li').forEach(e => {
            for (const t of ['mouseover', 'focus', 'pointerenter'])
              e.dispatchEvent(new Event(t, {bubbles: true}));
          });
          const found = [];
          for (const e of document.querySelectorAll('*')) {
            if (/^(iframe|object|embed|svg|base|video|audio|template|math)$/i.test(e.tagName))
              found.push('element ' + e.tagName);
            for (const a of e.attributes)
              if (/^on|^style$|^srcdoc$/.test(a.name)) found.push('attribute ' + a.name);
          }
          if (document.querySelectorAll('script').length != 1) found.push('scripts');
          return new Promise(done => setTimeout(() => done(found), 60));
        })()",
    );
    let mut found: Vec<String> =
        found.as_array().unwrap().iter().map(|told| told.as_str().unwrap().to_owned()).collect();
    for (method, params) in &browser.events {
        let url = params["request"]["url"].as_str().unwrap_or_default();
        match method.as_str() {
            "Page.javascriptDialogOpening" | "Runtime.exceptionThrown" | "Log.entryAdded" => {
                found.push(format!("{method}: {params}"));
            }
            "Network.requestWillBeSent" if !url.starts_with(own) && !url.starts_with("data:") => {
                found.push(format!("request {url}"));
            }
            "Page.frameNavigated" => {
                let url = params["frame"]["url"].as_str().unwrap_or_default();
                if !url.starts_with(own) {
                    found.push(format!("navigation {url}"));
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn hostile_sessions_do_nothing_on_any_screen() {
    let Some(mut browser) = Browser::start() else { return };
    let home = tempfile::tempdir().unwrap();
    for (at, text) in payloads::HOSTILE.iter().enumerate() {
        let path = format!(".claude/projects/-x/{at:08}-90a1-4c63-9d0e-6b7a6a1f0001.jsonl");
        common::put(&home.path().join(path), &common::hostile(text, at));
    }
    let server = Server::of(home);
    let own = format!("http://{}/", server.host());
    enter(&mut browser, &server);
    let sessions = server.get("/v1/sessions").json();
    let uid = |row: &Value| -> String {
        row["uid"].as_str().unwrap().bytes().map(|byte| format!("%{byte:02X}")).collect()
    };
    let sessions = sessions["sessions"].as_array().unwrap();
    let sessions = sessions.iter().map(|row| format!("s/{}", uid(row)));
    let screens = ["", "search?q=needle", "usage?by=model", "files", "proof", "not-seen"];
    for path in screens.map(str::to_owned).into_iter().chain(sessions) {
        browser.visit(&format!("{own}{path}"));
        assert_eq!(deeds(&mut browser, &own), [""; 0], "{path}");
    }
}

#[test]
fn the_check_of_deeds_can_fail() {
    let Some(mut browser) = Browser::start() else { return };
    let server = Server::start();
    let own = format!("http://{}/", server.host());
    enter(&mut browser, &server);
    browser.visit(&own);
    // The policy lets nothing of this act, and says so.
    browser.value(
        "(() => {
          const e = document.createElement('div');
          e.innerHTML = '<img src=http://127.0.0.1:9/x onerror=alert(1)><iframe></iframe>';
          document.body.append(e);
        })()",
    );
    let found = deeds(&mut browser, &own);
    assert!(
        found.iter().any(|deed| deed.contains("iframe") || deed.contains("IFRAME")),
        "{found:?}"
    );
    assert!(found.iter().any(|deed| deed.contains("Content Security Policy")), "{found:?}");
    assert!(!found.iter().any(|deed| deed.contains("DialogOpening")), "{found:?}");
}

/// The paths of all screens, with those of a session.
fn screens() -> Vec<String> {
    let session = format!("s/{FIRST}");
    let below = ["", "/bytes", "/proof", "/travels"].map(|page| format!("{session}{page}"));
    let all = ["", "search", "search?q=door", "usage", "usage?by=model", "files", "proof"];
    let rest = ["findings", "books", "not-seen", "search?q=door&limit=-1"];
    all.into_iter().chain(rest).map(str::to_owned).chain(below).collect()
}

/// The rules of `axe-core`, if it is installed: `VERBATIM_AXE` names its file.
#[test]
fn every_screen_is_accessible_in_both_themes() {
    let Some(axe) = std::env::var_os("VERBATIM_AXE") else {
        eprintln!("skipped: VERBATIM_AXE does not name the file of axe-core");
        return;
    };
    let Some(mut browser) = Browser::start() else { return };
    let axe = std::fs::read_to_string(axe).unwrap();
    let server = Server::start();
    // A session with a table that is wider than the page.
    let (id, word) = ("0b5c6a52-90a1-4c63-9d0e-6b7a6a1f0007", "unbreakable".repeat(20));
    let row = format!("|{}\\n", format!(" {word} |").repeat(3));
    let wide = format!("{row}|---|---|---|\\n{row}");
    let text = common::talk(id, "Show a table").replace("The frame stays white.", &wide);
    let path = format!(".claude/projects/-home-ana-shop/{id}.jsonl");
    common::put(&server.home.path().join(path), &text);
    let wide = format!("s/claude-code:{id}");
    enter(&mut browser, &server);
    let found = |browser: &mut Browser| {
        browser.value("document.querySelectorAll('details').forEach(d => d.open = true)");
        browser.ask("Runtime.evaluate", json!({ "expression": axe }));
        browser.value(
            "axe.run().then(r => r.violations.filter(v => /serious|critical/.test(v.impact))
              .map(v => v.id + ' ' + v.nodes.length + ' ' + v.nodes[0].html.slice(0, 120)
                + ' ' + (v.nodes[0].any[0] || {}).message))",
        )
    };
    let mut wrong = Vec::new();
    for dark in [false, true] {
        browser.window(1280, 900, dark);
        for path in screens().into_iter().chain([wide.clone()]) {
            browser.visit(&format!("http://{}/{path}", server.host()));
            let told = found(&mut browser);
            if told != json!([]) {
                wrong.push(format!("/{path} dark: {dark}: {told}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    // The rules can fail.
    browser.value("document.querySelector('main').innerHTML = '<img src=\"data:,\">'");
    assert_ne!(found(&mut browser), json!([]));
}

#[test]
fn keys_work_and_nothing_is_wider_than_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let server = Server::start();
    let own = format!("http://{}/", server.host());
    enter(&mut browser, &server);
    browser.window(390, 844, false);
    for path in screens() {
        browser.visit(&format!("{own}{path}"));
        let wide = browser.value("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= 390, "{path}: {wide} pixels");
    }
    browser.window(1280, 900, true);
    browser.visit(&own);
    browser.press("j");
    assert_eq!(browser.value("document.querySelectorAll('.row.chosen').length"), json!(1));
    browser.events.clear();
    browser.press("Enter");
    while !browser.events.iter().any(|(method, _)| method == "Page.loadEventFired") {
        browser.value("1");
    }
    assert!(browser.value("location.pathname").as_str().unwrap().starts_with("/s/"));
    browser.press("n");
    assert_eq!(browser.value("document.querySelectorAll('.turn.hit').length"), json!(1));
    let found = browser.value(
        "(() => {
          const box = document.querySelector('.bar input');
          box.value = 'door';
          box.dispatchEvent(new Event('input'));
          return document.querySelectorAll('main mark').length;
        })()",
    );
    assert!(found.as_u64().unwrap() > 0, "words are marked");
    let wrong: Vec<_> =
        browser.events.iter().filter(|(method, _)| method == "Runtime.exceptionThrown").collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_session_that_grows_grows_on_its_page() {
    let Some(mut browser) = Browser::start() else { return };
    let server = Server::start();
    enter(&mut browser, &server);
    browser.visit(&format!("http://{}/s/{FIRST}", server.host()));
    let count = "document.querySelectorAll('section.turn').length";
    assert_eq!(browser.value(count), json!(2));
    // The first state is taken when the page begins to listen.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let id = FIRST.split_once(':').unwrap().1;
    let path = server.home.path().join(format!(".claude/projects/-home-ana-shop/{id}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    let more = format!(
        "{}\n",
        json!({ "parentUuid": format!("{id}-5"), "type": "user", "uuid": format!("{id}-6"),
            "sessionId": id, "timestamp": "2026-03-01T11:00:00.000Z", "cwd": "/home/ana/shop",
            "message": { "role": "user", "content": "And the roof?" } })
    );
    std::fs::write(&path, text + &more).unwrap();
    let grown = browser.value(&format!(
        "new Promise(done => {{
          let left = 60;
          const look = () => {count} > 2 || !--left ? done({count}) : setTimeout(look, 100);
          look();
        }})"
    ));
    assert_eq!(grown, json!(3));
}

/// The pictures of the viewer in `docs/pictures`, made by `UPDATE=1`; without it, they are there.
#[test]
fn the_documentation_has_pictures_of_the_viewer() {
    let folder = samples::workspace().join("docs/pictures");
    let shown = [("viewer-sessions", String::new()), ("viewer-session", format!("s/{FIRST}"))];
    if std::env::var_os("UPDATE").is_some()
        && let Some(mut browser) = Browser::start()
    {
        let server = Server::of(garden());
        enter(&mut browser, &server);
        browser.window(1280, 800, false);
        for (name, path) in &shown {
            browser.visit(&format!("http://{}/{path}", server.host()));
            std::fs::write(folder.join(format!("{name}.png")), browser.picture()).unwrap();
        }
    }
    for (name, _) in shown {
        assert!(folder.join(format!("{name}.png")).is_file(), "{name}: UPDATE=1 makes it");
    }
}

/// A home with invented sessions of three projects on several days.
fn garden() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let sessions = [
        ("shop", "2026-03-09", "Paint the door green"),
        ("shop", "2026-03-09", "Count the windows that face the street"),
        ("garden", "2026-03-08", "Prune the roses before the frost"),
        ("garden", "2026-03-08", "Why does the pump lose pressure at night?"),
        ("garden", "2026-03-05", "Move the herb bed to the south wall"),
        ("kitchen", "2026-03-02", "Write down the recipe for ten people"),
        ("kitchen", "2026-02-27", "Which of the pans need oil?"),
    ];
    let first = FIRST.split_once(':').unwrap().1;
    for (at, (project, day, prompt)) in sessions.into_iter().enumerate() {
        let id = format!("{}{:04}", &first[..first.len() - 4], at + 1);
        let text = common::talk(&id, prompt).replace("/ana/shop", &format!("/ana/{project}"));
        let path = format!(".claude/projects/-home-ana-{project}/{id}.jsonl");
        common::put(&home.path().join(path), &text.replace("2026-03-01", day));
    }
    home
}
