//! Exports in a real browser: nothing in them runs, asks or leads away; they are accessible, do not
//! grow while one scrolls, and can be used by keys. Without a browser these tests are skipped with
//! a word, unless one is required.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod devtools;
#[path = "../pages/mod.rs"]
mod pages;
mod reading;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::show::Show;
use catalog::{Root, bundle, scan};
use devtools::Browser;
use pages::{HOSTILE, page, samples_with, session_of, text};
use serde_json::{Value, json};
use session::Session;
use verbatim_views::transcript::{Detail, Transcript};

/// A folder for pages.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Acts of a page that it must not do: dialogs, requests, navigations, and elements or attributes
/// that act.
fn deeds(browser: &mut Browser, file: &Path, scripts: usize) -> Vec<String> {
    browser.open(file);
    let strange = browser.value(
        "(() => {
          document.querySelectorAll('details').forEach(d => d.open = true);
          document.querySelectorAll('summary,b,p,code,li').forEach(e => {
            for (const t of ['mouseover', 'focus', 'pointerenter'])
              e.dispatchEvent(new Event(t, {bubbles: true}));
          });
          const found = [];
          for (const e of document.querySelectorAll('*')) {
            if (/^(iframe|object|embed|svg|form|base|video|audio|link|template|math)$/i
                .test(e.tagName)) found.push('element ' + e.tagName);
            for (const a of e.attributes) {
              const bad = /^on|^style$|^srcdoc$/.test(a.name)
                || a.name == 'href' && !/^(#|https?:|mailto:)/i.test(a.value)
                || a.name == 'src' && !/^data:image\\/(png|jpeg|gif|webp);/.test(a.value);
              if (bad) found.push('attribute ' + a.name + '=' + a.value.slice(0, 60));
            }
          }
          found.push('scripts ' + document.querySelectorAll('script').length);
          return new Promise(done => setTimeout(() => done(found), 30));
        })()",
    );
    let own = format!("file://{}", file.display());
    let mut found: Vec<String> =
        strange.as_array().unwrap().iter().map(|told| told.as_str().unwrap().to_owned()).collect();
    found.retain(|told| *told != format!("scripts {scripts}"));
    for (method, params) in &browser.events {
        let url = params["request"]["url"].as_str().unwrap_or_default();
        match method.as_str() {
            "Page.javascriptDialogOpening" | "Runtime.exceptionThrown" => {
                found.push(format!("{method}: {params}"));
            }
            "Network.requestWillBeSent" if url != own && !url.starts_with("data:image/") => {
                found.push(format!("request {url}"));
            }
            "Page.frameNavigated" if params["frame"]["url"] != json!(own) => {
                found.push(format!("navigation {}", params["frame"]["url"]));
            }
            _ => {}
        }
    }
    found
}

/// Markdown as two renderers of other projects show it, raw HTML and every address let through.
fn rendered(text: &str) -> [String; 2] {
    let compile = ::markdown::CompileOptions {
        allow_dangerous_html: true,
        allow_dangerous_protocol: true,
        gfm_tagfilter: false,
        ..::markdown::CompileOptions::gfm()
    };
    let options = ::markdown::Options { parse: ::markdown::ParseOptions::gfm(), compile };
    let mut other = comrak::Options::default();
    other.render.r#unsafe = true;
    other.extension.table = true;
    other.extension.autolink = true;
    other.extension.strikethrough = true;
    let html = |body: String| format!("<!doctype html><html><body>{body}</body></html>");
    [
        html(::markdown::to_html_with_options(text, &options).unwrap()),
        html(comrak::markdown_to_html(text, &other)),
    ]
}

#[test]
fn hostile_sessions_do_nothing_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let (folder, mut pages) = (folder(), 0);
    let (html, all) = (folder.path().join("page.html"), HOSTILE.join("\n\n"));
    let single = HOSTILE.iter().map(|hostile| session_of(hostile));
    for session in single.chain(some_of(samples_with(&all))) {
        fs::write(&html, page(&session)).unwrap();
        assert_eq!(deeds(&mut browser, &html, 1), [""; 0], "{}", session.uid());
        for body in rendered(&text(&session)) {
            fs::write(&html, &body).unwrap();
            assert_eq!(deeds(&mut browser, &html, 0), [""; 0], "{}: {body}", session.uid());
        }
        pages += 3;
    }
    eprintln!("{pages} pages did nothing");
    assert!(pages > if is_deep() { 300 } else { 250 }, "{pages}");
}

/// Whether the run is a deep one (`CI_DEEP=1`).
fn is_deep() -> bool {
    std::env::var_os("CI_DEEP").is_some()
}

/// Some of the sessions: every third, or all in a deep run.
fn some_of(sessions: Vec<Session>) -> impl Iterator<Item = Session> {
    sessions.into_iter().step_by(if is_deep() { 1 } else { 3 })
}

#[test]
fn the_judge_of_deeds_can_fail() {
    let Some(mut browser) = Browser::start() else { return };
    let (folder, mut seen) = (folder(), Vec::new());
    let file = folder.path().join("page.html");
    for bad in [
        "<script>alert(1)</script>",
        "<img src=http://127.0.0.1:9/x>",
        "<b onclick=x>",
        "<a href='javascript:x'>x</a>",
        "<iframe srcdoc=x></iframe>",
        "<p style='color:red'>",
        "<script>location='about:blank'</script>",
    ] {
        fs::write(&file, format!("<!doctype html><html><body>{bad}</body></html>")).unwrap();
        seen.push(deeds(&mut browser, &file, 0).len());
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn a_page_has_every_item_of_the_transcript_and_fits_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = folder();
    let file = folder.path().join("page.html");
    let mut items = 0;
    for session in samples_with("x") {
        fs::write(&file, page(&session)).unwrap();
        browser.window(390, 800, false);
        browser.open(&file);
        let count = Transcript::of(&session, Detail::Brief).count();
        let shown = browser.value("document.querySelectorAll('.item').length");
        assert_eq!(shown, json!(count), "{}", session.uid());
        for width in [390, 320] {
            browser.window(width, 800, false);
            let wide = browser.value("document.documentElement.scrollWidth");
            assert_eq!(wide, json!(width), "{}", session.uid());
            // What is wider within an item would be cut off.
            let cut = browser.value(
                "[...document.querySelectorAll('.item p,.item summary')]
                  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)",
            );
            assert_eq!(cut, json!([]), "{}", session.uid());
        }
        items += count;
    }
    assert!(items > 500, "{items}");
}

/// Every real session goes out in both forms, and its page has each item that `show --json` tells,
/// once: a seventh of the sessions, and all of them with `CI_DEEP=1`.
#[test]
fn pages_of_real_sessions_have_every_item() {
    let Some(corpus) = samples::corpus() else { return };
    let Some(mut browser) = Browser::start() else { return };
    let step = if is_deep() { 1 } else { 7 };
    let folder = folder();
    let file = folder.path().join("page.html");
    let (mut sessions, mut items, mut prompts) = (0, 0, 0);
    let mut faults: Vec<String> = Vec::new();
    let mut count = |selector: &str, html: &str| {
        fs::write(&file, html).unwrap();
        browser.open(&file);
        let ids = format!("[...document.querySelectorAll('{selector}')].map(e => e.id)");
        let ids = browser.value(&ids);
        let mut ids: Vec<String> = serde_json::from_value(ids).unwrap();
        ids.sort();
        ids
    };
    for source in scan(formats::ALL, &[Root::named(corpus)]).sources.iter().step_by(step) {
        for session in source.format.read(Arc::new(bundle(source).0)) {
            let document = serde_json::to_value(Show::of(&session, &[], true)).unwrap();
            let places = pages::expected(&document);
            let turns = places.iter().filter(|(_, prompt)| *prompt).count();
            let mut places: Vec<String> = places.into_iter().map(|(place, _)| place).collect();
            places.sort();
            let shown = count(".item", &page(&session));
            if shown != places {
                let missing: Vec<_> = places.iter().filter(|it| !shown.contains(it)).collect();
                let more: Vec<_> = shown.iter().filter(|it| !places.contains(it)).collect();
                faults.push(format!("{}: without {missing:?}, with {more:?}", session.uid()));
            }
            let [_, body] = rendered(&text(&session));
            let headings = count("h2", &body).len();
            if headings != turns {
                faults.push(format!("{}: {headings} headings, {turns} turns", session.uid()));
            }
            (sessions, items, prompts) = (sessions + 1, items + places.len(), prompts + turns);
        }
    }
    // The judge can fail: a page without one of its items.
    let whole = page(&pages::pictured());
    let less = whole.replacen("class=\"item ", "class=\"other ", 1);
    assert_eq!(count(".item", &less).len() + 1, count(".item", &whole).len());
    eprintln!(
        "{sessions} sessions: {items} items, {prompts} turns, in the page as in the document"
    );
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(items > 1000, "{items}");
}

/// A session like real ones: prompts, answers of different length, code, calls with outputs.
fn long(turns: usize) -> Session {
    let base = |kind: &str, id: String, content: Value| {
        json!({ "type": kind, "uuid": id, "sessionId": "s1", "cwd": "/w",
            "timestamp": "2026-03-01T10:00:00.000Z",
            "message": { "role": kind, "model": "m", "content": content } })
    };
    let mut lines = String::new();
    let mut put = |line: Value| lines.push_str(&format!("{line}\n"));
    for turn in 0..turns {
        let said = "a few words about the thing that is asked for here, ".repeat(turn * 7 % 9 + 1);
        let code = "let price = total * rate;\n".repeat(turn * 5 % 13);
        put(base("user", format!("p{turn}"), json!(format!("Prompt {turn}: {said}"))));
        for call in 0..turn * 3 % 5 {
            let id = format!("c{turn}-{call}");
            let input =
                json!({ "file_path": "/w/a.rs", "old_string": "a\nb", "new_string": "a\nc" });
            let asked = json!([{ "type": "tool_use", "id": id, "name": "Edit", "input": input }]);
            let bad = turn % 20 == 3 && call == 0;
            let told = json!([{ "type": "tool_result", "tool_use_id": id, "is_error": bad,
                "content": "line of output\n".repeat(turn % 12) }]);
            put(base("assistant", format!("a{id}"), asked));
            put(base("user", format!("r{id}"), told));
        }
        let answer =
            format!("{said}\n\n{}\n\n```rust\n{code}```\n\n- one\n- two\n", said.repeat(2));
        put(base("assistant", format!("e{turn}"), json!([{ "type": "text", "text": answer }])));
    }
    pages::read(lines)
}

#[test]
fn a_long_page_paints_soon_and_does_not_grow() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = folder();
    let mut paints = Vec::new();
    for turns in [17, 1700] {
        let file = folder.path().join(format!("{turns}.html"));
        fs::write(&file, page(&long(turns))).unwrap();
        browser.window(1280, 900, false);
        let mut times = Vec::new();
        for _ in 0..5 {
            browser.open(&file);
            let paint = "new Promise(done => { const look = () => {
                const p = performance.getEntriesByName('first-contentful-paint')[0];
                p ? done(p.startTime) : setTimeout(look, 20) }; look() })";
            times.push(browser.value(paint).as_f64().unwrap());
        }
        times.sort_by(f64::total_cmp);
        paints.push(times[2]);
    }
    let grown = browser.value(
        "(async () => {
          const root = document.documentElement, frame = () => new Promise(requestAnimationFrame);
          const first = root.scrollHeight;
          let slow = 0, steps = 0, most = first;
          for (let y = 0; y < root.scrollHeight; y += Math.max(900, root.scrollHeight / 80)) {
            const from = performance.now();
            scrollTo(0, y);
            await frame(); await frame();
            steps++;
            slow += performance.now() - from > 50 + 34;
            most = Math.max(most, root.scrollHeight);
          }
          return {first, most, last: root.scrollHeight, steps, slow};
        })()",
    );
    // A browser looks at each element whose layout it may leave out, and walks the whole page for a
    // counter.
    let near = browser.value(
        "[document.querySelectorAll('main>*').length, document.querySelectorAll('.turn').length,
          document.querySelectorAll('.outline ol').length,
          getComputedStyle(document.querySelector('.item summary')).counterIncrement]",
    );
    assert_eq!(near, json!([45, 1700, 34, "none"]));
    let height = |name: &str| grown[name].as_f64().unwrap();
    let growth = height("most") / height("first");
    eprintln!("first paint of {} ms and {} ms; {grown}; growth {growth:.3}", paints[0], paints[1]);
    assert!(growth < 1.1, "{grown}");
    assert!(height("last") / height("first") > 0.8, "{grown}");
}

#[test]
fn a_page_is_used_by_keys_alone() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = folder();
    let file = folder.path().join("page.html");
    fs::write(&file, page(&long(60))).unwrap();
    browser.window(1280, 900, false);
    browser.open(&file);
    browser.press("Tab");
    assert_eq!(browser.value("document.activeElement.className"), json!("skip"));
    browser.press("Enter");
    assert_eq!(browser.value("location.hash"), json!("#main"));
    let focused = "document.activeElement.closest('section')?.id ?? ''";
    browser.press("n");
    let first = browser.value(focused);
    browser.press("n");
    assert_ne!(browser.value(focused), first);
    browser.press("p");
    assert_eq!(browser.value(focused), first);
    browser.press("f");
    let failed = browser.value("document.activeElement.classList.contains('k-bad')");
    assert_eq!(failed, json!(true));
    browser.press("/");
    assert_eq!(browser.value("document.activeElement.type"), json!("search"));
    for key in ["4", "2", ":"] {
        browser.press(key);
    }
    browser.press("Enter");
    assert_eq!(browser.value("document.querySelector('output').textContent"), json!("1 of 1"));
    let text = browser.value("document.querySelector('.hit').textContent");
    assert!(text.as_str().unwrap().contains("Prompt 42:"), "{text}");
}

/// The rules of `axe-core`, if it is installed: `VERBATIM_AXE` names its file.
#[test]
fn pages_are_accessible() {
    let Some(axe) = std::env::var_os("VERBATIM_AXE").map(PathBuf::from) else {
        eprintln!("skipped: VERBATIM_AXE does not name the file of axe-core");
        return;
    };
    let Some(mut browser) = Browser::start() else { return };
    let (axe, folder) = (fs::read_to_string(axe).unwrap(), folder());
    let file = folder.path().join("page.html");
    let mut compacted = 0;
    let table = "| a | b |\n|---|--:|\n| 1 | 2 |\n\n# Head\n\n[link](https://h.example/)";
    for (at, session) in some_of(samples_with(table)).enumerate() {
        let html = page(&session);
        let schemes: &[bool] = if at % 5 == 0 { &[false, true] } else { &[false] };
        compacted += usize::from(html.contains("<p class=\"compacted\">"));
        fs::write(&file, html).unwrap();
        for dark in schemes.iter().copied() {
            browser.window(1280, 900, dark);
            browser.open(&file);
            browser.value("document.querySelectorAll('details').forEach(d => d.open = true)");
            browser.ask("Runtime.evaluate", json!({ "expression": axe }));
            let found = browser.value(
                "axe.run().then(r => r.violations.filter(v => /serious|critical/.test(v.impact))
                  .map(v => v.id + ' ' + v.nodes.length + ' ' + v.nodes[0].html.slice(0, 120)
                    + ' ' + (v.nodes[0].any[0] || {}).message))",
            );
            assert_eq!(found, json!([]), "{} dark: {dark}", session.uid());
        }
    }
    assert!(compacted > if is_deep() { 3 } else { 0 }, "{compacted}");
}
