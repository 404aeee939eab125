//! The use of a page by a reader in a browser: edits are open, a record has its mark, words are
//! marked, the outline follows, blocks are copied, the theme is chosen.

use std::fs;

use serde_json::{Value, json};
use session::Session;
use sha2::{Digest as _, Sha256};
use verbatim_views::export::{ExportNote, html};

use super::devtools::Browser;
use super::pages::{as_it_is, page, pictured, read};
use super::{folder, long};

/// A session with an edit of twenty lines and one of two, each of its own file.
fn edited() -> Session {
    let line = |kind: &str, id: &str, content: Value| {
        let message = json!({ "role": kind, "content": content });
        json!({ "type": kind, "uuid": id, "sessionId": "s1", "cwd": "/home/ana/shop",
            "timestamp": "2026-03-01T10:00:00.000Z", "message": message })
    };
    let edit = |id: &str, path: &str, old: String, new: String| {
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        json!([{ "type": "tool_use", "id": id, "name": "Edit", "input": input }])
    };
    let done = |id: &str| {
        let told = "The file has been updated";
        json!([{ "type": "tool_result", "tool_use_id": id, "content": told }])
    };
    let code = "```rust\n// The <total>.\nlet total = \"12\";\n```";
    let numbers = |word: &str| (0..10).map(|at| format!("{word} {at}\n")).collect::<String>();
    let lines = [
        line("user", "u1", json!("Count the hens")),
        line("assistant", "u2", edit("t1", "/home/ana/shop/a.rs", numbers("old"), numbers("new"))),
        line("user", "u3", done("t1")),
        line("assistant", "u4", edit("t2", "/home/ana/shop/b.rs", "x".into(), "y".into())),
        line("user", "u5", done("t2")),
        line("user", "u6", json!("Count them again")),
        line("assistant", "u7", edit("t3", "/home/ana/shop/b.rs", "y".into(), "z".into())),
        line("user", "u8", done("t3")),
        line("assistant", "u9", json!([{ "type": "text", "text": code }])),
    ];
    read(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// A browser with a page.
fn opened(page: &str) -> Option<(Browser, tempfile::TempDir)> {
    let mut browser = Browser::start()?;
    let folder = folder();
    let file = folder.path().join("page.html");
    fs::write(&file, page).unwrap();
    browser.window(1280, 900, false);
    browser.open(&file);
    Some((browser, folder))
}

/// The number of lines of elements, in the page's language.
const LINES: &str = "(all => all.map(e => e.textContent.split('\\n').length - 1)
  .reduce((one, next) => one + next, 0))";

#[test]
fn edits_are_open_up_to_twelve_lines() {
    let Some((mut browser, _folder)) = opened(&page(&edited())) else { return };
    let shown = browser.value(&format!(
        "[...document.querySelectorAll('.k-edit>details')].map(e => [e.open,
          {LINES}([...e.querySelectorAll('ins,del')].filter(l => l.checkVisibility()))])"
    ));
    assert_eq!(shown, json!([[true, 12], [true, 2], [true, 2]]));
    let all = "[...document.querySelectorAll('.k-edit ins,.k-edit del')]";
    let whole = browser.value(&format!("{LINES}({all})"));
    assert_eq!(whole, json!(24), "the others are folded, and there");
}

#[test]
fn each_changed_file_has_one_diff() {
    let Some((mut browser, _folder)) = opened(&page(&edited())) else { return };
    let diffs = browser.value(&format!(
        "[...document.querySelectorAll('.changes>details')].map(e => [
          e.querySelector('.target').textContent, e.querySelector('.change').textContent,
          {LINES}([...e.querySelectorAll('ins')]), e.open])"
    ));
    let all = json!([
        ["/home/ana/shop/a.rs", "+10 −10", 10, false],
        ["/home/ana/shop/b.rs", "+2 −2", 2, false]
    ]);
    assert_eq!(diffs, all);
    browser.value("document.querySelector('.files').open = true");
    let led = browser.value(
        "new Promise(done => { document.querySelector('.files a[href=\"#f-1\"]').click();
          setTimeout(() => { const e = document.querySelector('#f-1');
            done([e.checkVisibility(), e.getBoundingClientRect().top < innerHeight]) }, 100) })",
    );
    assert_eq!(led, json!([true, true]), "the link opens the diff");
}

#[test]
fn the_mark_of_a_record_is_there_on_hover_and_focus() {
    let session = edited();
    let Some((mut browser, _folder)) = opened(&page(&session)) else { return };
    let seen = "(() => { const m = document.querySelector('.k-answer>.rec');
        return [getComputedStyle(m).fontSize != '0px', m.querySelector('span').checkVisibility()]
      })()";
    assert_eq!(browser.value(seen), json!([false, false]));
    browser.value("document.querySelector('.k-answer>.rec').focus()");
    assert_eq!(browser.value(seen), json!([true, true]));
    browser.value("document.activeElement.blur()");
    let place = browser.value(
        "(() => { const r = document.querySelector('.k-answer').getBoundingClientRect();
          return [r.x + 20, r.y + 10] })()",
    );
    let mut to = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
    browser.ask("Input.dispatchMouseEvent", to.clone());
    assert_eq!(browser.value(seen), json!([true, false]));
    to["x"] = json!(1);
    browser.ask("Input.dispatchMouseEvent", to);
    let text = browser.value("document.querySelector('.k-answer>.rec').textContent");
    let line = session.bundle.bytes(0).split(|byte| *byte == b'\n').nth(8).unwrap();
    let digest: String = Sha256::digest(line).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text, json!(format!("#line 9 · sha256 {digest}")));
    assert_eq!(browser.value("document.querySelectorAll('.native').length"), json!(0));
}

/// The bytes of the records are half of a page, and few readers want them.
#[test]
fn a_page_has_bytes_of_records_only_if_they_are_asked_for() {
    let session = edited();
    let mut page = Vec::new();
    let note = ExportNote { redacted: None, turns: None, bytes: true };
    html(&as_it_is(&session), &note, &|_| None, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert_eq!(page.matches("<details class=\"native\">").count(), 6);
    assert!(page.contains("\"uuid\":\"u9\""));
    let plain = super::page(&session);
    assert!(!plain.contains("\"uuid\"") && !plain.contains("class=\"native\""));
}

#[test]
fn code_has_colours() {
    let Some((mut browser, _folder)) = opened(&page(&edited())) else { return };
    let code = browser.value(
        "(() => { const c = document.querySelector('.answer code');
          const of = s => getComputedStyle(c.querySelector(s)).color;
          return [c.textContent, new Set([getComputedStyle(c).color, of('.c'), of('.k'), of('.s')])
            .size] })()",
    );
    assert_eq!(code, json!(["// The <total>.\nlet total = \"12\";\n", 4]));
}

#[test]
fn words_are_marked_and_turns_without_an_item_are_away() {
    let Some((mut browser, _folder)) = opened(&page(&long(60))) else { return };
    browser.press("/");
    for key in ["T", "4", "2", ":"] {
        browser.press(key);
    }
    let marks = "CSS.highlights.get('found').size";
    browser.value(
        "(() => { const b = document.querySelector('input'); b.value = 'pRompt 42:';
        b.dispatchEvent(new Event('input')) })()",
    );
    // In its heading, and in the whole prompt below it.
    assert_eq!(browser.value(marks), json!(2));
    let word = "[...CSS.highlights.get('found')][0].toString()";
    assert_eq!(browser.value(word), json!("Prompt 42:"));
    browser.value(
        "(() => { const b = document.querySelector('input'); b.value = '';
        b.dispatchEvent(new Event('input')) })()",
    );
    assert_eq!(browser.value(marks), json!(0));
    let choose = |browser: &mut Browser, kind: &str| {
        browser.value(&format!(
            "(() => {{ const s = document.querySelector('select'); s.value = '{kind}';
              s.dispatchEvent(new Event('change'));
              const seen = q => [...document.querySelectorAll(q)].filter(e => !e.hidden).length;
              return [seen('.turn'), seen('.outline li')] }})()"
        ))
    };
    assert_eq!(choose(&mut browser, "k-bad"), json!([3, 3]));
    assert_eq!(choose(&mut browser, ""), json!([60, 60]));
}

#[test]
fn the_outline_follows_the_reader() {
    let Some((mut browser, _folder)) = opened(&page(&long(60))) else { return };
    let current = "[...document.querySelectorAll('.outline [aria-current]')].map(a => a.hash)";
    assert_eq!(browser.value(current), json!(["#turn-1"]));
    let scrolled = format!(
        "new Promise(done => {{ document.querySelector('#turn-40').scrollIntoView();
          const from = performance.now(), look = () => {{
            const a = document.querySelector('.outline [aria-current]');
            if (a.hash == '#turn-1' && performance.now() < from + 5000) return setTimeout(look, 50);
            const r = a.getBoundingClientRect();
            done([{current}, r.top >= 0 && r.bottom <= innerHeight]) }};
          look() }})"
    );
    assert_eq!(browser.value(&scrolled), json!([["#turn-40"], true]));
}

#[test]
fn a_theme_is_chosen_and_print_is_light() {
    let Some((mut browser, _folder)) = opened(&page(&pictured())) else { return };
    let paper = "getComputedStyle(document.body).backgroundColor";
    let press = "(() => { [...document.querySelectorAll('.bar button')].at(-1).click();
        return [document.documentElement.className, getComputedStyle(document.body)
          .backgroundColor] })()";
    let (white, black) = (json!("rgb(255, 255, 255)"), json!("rgb(21, 23, 27)"));
    for dark in [false, true] {
        browser.window(1280, 900, dark);
        assert_eq!(browser.value(paper), if dark { &black } else { &white }.clone());
        assert_eq!(browser.value(press), json!(["light", white]));
        assert_eq!(browser.value(press), json!(["dark", black]));
        browser.ask("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        assert_eq!(browser.value(paper), white);
        let marks = "[...document.querySelectorAll('.rec,.bar')].filter(e => e.checkVisibility())";
        assert_eq!(browser.value(&format!("{marks}.length")), json!(0));
        browser.ask("Emulation.setEmulatedMedia", json!({ "media": "" }));
        browser.window(1280, 900, dark);
        assert_eq!(browser.value(press)[0], json!(""));
    }
}

/// Folds are open on paper: nobody can open them there.
#[test]
fn print_hides_nothing_of_the_session() {
    let Some((mut browser, _folder)) = opened(&page(&edited())) else { return };
    let hidden = "[...document.querySelectorAll('main *,header *,nav *')].filter(e =>
        !e.closest('.native,.rec,.copy,.skip,.ways') && !e.checkVisibility())
        .map(e => e.outerHTML.slice(0, 80))";
    assert_ne!(browser.value(hidden), json!([]), "no fold of the page is closed");
    browser.ask("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    assert_eq!(browser.value(hidden), json!([]));
}

/// By the pointer a block, by keys an item: what is copied has no mark of the page.
#[test]
fn blocks_and_items_are_copied() {
    let Some((mut browser, _folder)) = opened(&page(&edited())) else { return };
    browser.value("navigator.clipboard.writeText = async text => { window.copied = text }");
    browser.value(
        "(() => { const code = document.querySelector('.answer code');
          code.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
          document.querySelector('pre>.copy').click() })()",
    );
    assert_eq!(browser.value("copied"), json!("// The <total>.\nlet total = \"12\";\n"));
    browser.value("document.querySelector('.k-prompt>.rec').focus()");
    browser.press("Tab");
    assert_eq!(browser.value("document.activeElement.className"), json!("copy"));
    browser.press("Enter");
    assert_eq!(browser.value("copied"), json!("Count the hens\n"));
    assert_eq!(browser.value("document.activeElement.textContent"), json!("Copied"));
}

/// The pictures of a page in `docs/pictures`, made by `UPDATE=1`; without it they must be there.
#[test]
fn the_documentation_has_pictures_of_a_page() {
    let folder = samples::workspace().join("docs/pictures");
    let shown = [
        ("phone-light", 390, false),
        ("phone-dark", 390, true),
        ("desktop-light", 1280, false),
        ("desktop-dark", 1280, true),
    ];
    if std::env::var_os("UPDATE").is_some()
        && let Some(mut browser) = Browser::start()
    {
        fs::create_dir_all(&folder).unwrap();
        let file = super::folder();
        let file = file.path().join("page.html");
        fs::write(&file, page(&pictured())).unwrap();
        for (name, width, dark) in shown {
            browser.window(width, 844, dark);
            browser.open(&file);
            browser
                .value("document.querySelectorAll('.k-edit>details').forEach(d => d.open = true)");
            fs::write(folder.join(format!("{name}.png")), browser.picture()).unwrap();
        }
    }
    for (name, ..) in shown {
        assert!(folder.join(format!("{name}.png")).is_file(), "{name}: UPDATE=1 makes it");
    }
}

/// A turn that an address, a link or a key leads to is at the top of the screen, below the bar.
#[test]
fn a_jump_in_a_long_page_ends_at_its_turn() {
    let Some((mut browser, folder)) = opened(&page(&long(400))) else { return };
    let file = folder.path().join("page.html");
    let top = |browser: &mut Browser, turn: usize| {
        let rested = format!(
            "new Promise(done => setTimeout(() => done(
              document.getElementById('turn-{turn}').getBoundingClientRect().top), 700))"
        );
        browser.value(&rested).as_f64().unwrap()
    };
    for (width, room) in [(1280, 0.0..70.0), (390, 0.0..110.0)] {
        browser.window(width, 844, false);
        for turn in [2, 41, 200, 333, 397] {
            browser.visit("about:blank");
            browser.visit(&format!("file://{}#turn-{turn}", file.display()));
            let place = top(&mut browser, turn);
            assert!(room.contains(&place), "{width}: the address of turn {turn}: {place}");
        }
        for turn in [300, 7, 120] {
            browser.value(&format!(
                "document.querySelector('.outline a[href=\"#turn-{turn}\"]').click()"
            ));
            let place = top(&mut browser, turn);
            assert!(room.contains(&place), "{width}: the link to turn {turn}: {place}");
        }
        for turn in [121, 122] {
            browser.press("n");
            let place = top(&mut browser, turn);
            assert!((0.0..600.0).contains(&place), "{width}: the key to turn {turn}: {place}");
        }
    }
}
