//! Pages of presentations: what the page itself says in a browser, and what `verify` says of the
//! same file. Without a browser only the second is tested, and a line says so.

use std::fs;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Machine};
use operations::attest::{
    KeyStanding, KnownKey, PageOfPresentation, SignedRecord, VerifyResult, VerifyTask, Withheld,
    verify_page,
};
use redact::rules::Rules;
use redact::{Profile, RedactionOptions, Redactor, TagKey};
use samples::Dice;
use serde_json::json;
use session::UtcTime;
use sign::{PublicKey, SecretKey};

use crate::changes::{Changed, around, changed, enveloped};
use crate::common::{Place, put};
use crate::devtools::Browser;
use crate::{good, line, place, read};

/// The kind of a page's words about itself (`good`, `bad`, `warn` or nothing), and these words.
type Said = (String, String);

/// Whether the guide has what a page says, with the key of the guide.
fn is_in_guide(text: &str, print: &str) -> bool {
    let guide = fs::read_to_string(samples::workspace().join("docs/prove.md")).unwrap();
    let own = "SHA256:Yk3vXq0Lw8n5RZsTtJ2fUeBcGhAoPdMi7NxKy4W6rQE";
    let line = text.replace(print, own).lines().next().unwrap().to_owned();
    guide.lines().any(|other| other == line)
}

/// The page of a record, of which some parts are withheld, and the fingerprint of its key.
fn page(place: &Place, record: &str, withhold: &[&str]) -> (String, String) {
    let (shown, html) = (format!("{record}.shown.json"), format!("{record}.html"));
    let mut args = vec!["redact", "--force", "--signed", record, "-o", &shown];
    withhold.iter().for_each(|part| args.extend(["--withhold", part]));
    good(&place.run(&args));
    let made = place.run(&["export", &shown, "-o", &html, "--force"]);
    good(&made);
    let print = made.err.split_whitespace().find(|word| word.starts_with("SHA256:")).unwrap();
    (read(place, &html), print.to_owned())
}

/// Opens a page, gives it a fingerprint, and waits for what it says.
fn said(browser: &mut Browser, file: &Path, print: &str) -> Said {
    browser.open(file);
    let before =
        "document.querySelectorAll('.good').length + document.querySelector('#state').className";
    assert_eq!(browser.value(before), json!("0"), "nothing is green before");
    let script = format!(
        "(async () => {{
          document.querySelector('#print').value = '{print}';
          document.querySelector('button').click();
          const state = document.querySelector('#state');
          while (state.textContent.startsWith('Checking'))
            await new Promise(done => setTimeout(done, 5));
          const green = document.querySelectorAll('.good').length;
          if ((state.className === 'good') !== (green === 1)) return ['mixed', state.textContent];
          return [state.className, state.textContent];
        }})()"
    );
    serde_json::from_value(browser.value(&script)).unwrap()
}

#[test]
fn a_changed_page_fails_in_the_browser_and_in_verify() {
    let place = place();
    let withhold = ["1", "4/content"];
    let (page, print) = page(&place, "record.json", &withhold);
    let mut browser = Browser::start();
    let file = place.path().join("changed.html");
    let mut told = 0;
    for Changed { what, page: text, says: (kind, words), code } in changed(&page) {
        assert_eq!(text == page, what == "nothing", "{what}");
        fs::write(&file, &text).unwrap();
        let verified = place.run(&["verify", "changed.html"]);
        assert_eq!(verified.code, code, "{what}: {}{}", verified.out, verified.err);
        if what == "another form" {
            let line = line(&verified, "page");
            assert!(line.contains("FAILED") && line.contains("another version"), "{line}");
        }
        if let Some(browser) = &mut browser {
            let said = said(browser, &file, &print);
            assert!(said.0 == kind && said.1.contains(words), "{what}: {said:?}");
            told += usize::from(is_in_guide(&said.1, &print));
        }
    }
    let verified = place.run(&["verify", "record.json.html"]);
    assert!(line(&verified, "page").contains("shown"), "{}", verified.out);
    assert!(line(&verified, "redactions").contains("entry 1, "), "{}", verified.out);
    // Another key than the signer's, and a word that can't be a fingerprint.
    let Some(browser) = &mut browser else { return };
    assert!(told > 10, "the guide has what pages say: {told}");
    let html = place.path().join("record.json.html");
    let wrong = print.replace("SHA256:", "SHA256:A").get(..50).unwrap().to_owned();
    let (kind, text) = said(browser, &html, &wrong);
    assert!(kind == "warn" && text.starts_with("UNKNOWN KEY"), "{text}");
    assert!(is_in_guide(&text, &wrong), "{text}");
    assert!(said(browser, &html, &print[..49]).1.starts_with("UNCHECKED"));
    let (kind, text) = said(browser, &html, &format!("256 {print} ana (ED25519)"));
    assert_eq!(kind, "good", "a line of ssh-keygen: {text}");
    assert!(text.contains("13 of 14 entries") && text.contains("entry 1, 4/content"), "{text}");
    let asked = browser.events.iter().filter(|(name, _)| name == "Network.requestWillBeSent");
    assert_eq!(asked.count(), 1, "no network but the file itself");
}

#[test]
fn a_page_is_made_only_of_what_may_leave() {
    let place = place();
    let session = fs::read_to_string(place.session()).unwrap();
    let session = session.replacen("Paint the **door**", "Write to ines.moreau@atelier-nord.fr", 1);
    put(&place.path().join("mine/session.jsonl"), &session);
    good(&place.run(&["sign", "mine/session.jsonl", "-o", "own.json"]));
    let kept = ["redact", "--signed", "own.json", "--keep", "email", "-o", "kept.json"];
    good(&place.run(&kept));
    assert!(read(&place, "kept.json").contains("ines.moreau@"));
    let refused = |place: &Place, args: &[&str], code: i32, why: &str| {
        let ran = place.run(&[&["export", "-o", "out.html"], args].concat());
        assert!(ran.code == code && ran.err.contains(why), "{why}: {} {}", ran.code, ran.err);
        assert!(!place.path().join("out.html").exists());
    };
    refused(&place, &["kept.json"], 3, "must not be shown");
    refused(&place, &["kept.json", "--turn", "1"], 2, "all that the presentation shows");
    for flag in [&["--keep", "email"][..], &["--unredacted"]] {
        good(&place.run(&[&["export", "kept.json", "-o", "kept.html", "--force"], flag].concat()));
    }
    let kept = read(&place, "kept.json");
    let other = Place::new();
    put(&other.path().join("kept.json"), &kept);
    refused(&other, &["kept.json", "--unredacted"], 3, "no key that you know signed");
    put(&place.path().join("kept.json"), &kept.replacen("ines.moreau", "lena.moreau", 1));
    refused(&place, &["kept.json"], 3, "FAILED");
    // Other forms of a presentation are exports as of any record.
    good(&place.run(&["export", "own.json", "-o", "own.html"]));
    assert!(!read(&place, "own.html").contains("presentation"));
    put(&place.path().join("kept.json"), &kept);
    good(&place.run(&["export", "kept.json", "-o", "kept.md"]));
}

#[test]
fn nothing_is_green_where_a_browser_can_not_check() {
    let Some(mut browser) = Browser::start() else { return };
    let place = place();
    let (page, print) = page(&place, "record.json", &["4"]);
    let html = place.path().join("record.json.html");
    // Without scripts: the entries can be read, and the page says that they are unchecked.
    browser.ask("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.open(&html);
    browser.ask("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
    let text = browser.value(
        "document.querySelector('header').innerText + document.querySelector('main').textContent",
    );
    let text = text.as_str().unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.contains("can lie about itself") && first.contains("verbatim verify"), "{first}");
    for word in ["UNCHECKED", "There is no paint.", "withheld: nobody signed"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("Fingerprint"), "no form that does nothing: {text}");
    assert_eq!(page.matches(" class=\"good\"").count(), 0);
    for lack in [
        "crypto.subtle.importKey = async () => { throw new DOMException('', 'NotSupportedError') }",
        "Object.defineProperty(window, 'crypto', { value: {} })",
    ] {
        let script = json!({ "source": lack });
        let added = browser.ask("Page.addScriptToEvaluateOnNewDocument", script);
        let (kind, text) = said(&mut browser, &html, &print);
        assert_eq!(kind, "warn", "{text}");
        assert!(text.starts_with("UNCHECKED") && is_in_guide(&text, &print), "{text}");
        browser.ask("Page.removeScriptToEvaluateOnNewDocument", added);
    }
    assert_eq!(said(&mut browser, &html, &print).0, "good");
}

#[test]
fn a_page_accepts_no_envelope_that_verify_refuses() {
    let place = place();
    let (page, print) = page(&place, "record.json", &["4"]);
    let pem = read(&place, "home/.config/verbatim/keys/work.pem");
    let secret = SecretKey::read(&pem).unwrap();
    let mut browser = Browser::start();
    let file = place.path().join("changed.html");
    for (what, text, good) in enveloped(&page, &secret) {
        fs::write(&file, &text).unwrap();
        let verified = place.run(&["verify", "changed.html"]);
        assert_eq!(verified.code, i32::from(!good), "{what}: {}", verified.out);
        if let Some(browser) = &mut browser {
            let (kind, text) = said(browser, &file, &print);
            assert_eq!(kind, if good { "good" } else { "bad" }, "{what}: {text}");
        }
    }
}

/// Text that acts, or that is easily written in two ways.
const HOSTILE: &str = "<script>alert(1)<\\/script></script><!-- <img src=x onerror=alert(1)> \
    %3C %25 % &amp; &#60; \\u202egreen\\u202c \\ud800 \\udc00\\ud83d \\ud83d\\ude00 \
    1\\ufe0f\\u20e3 \\u2764\\ufe0f a\\u200db\\u0000\\u001b[31m\\r\\n\\ttab\\r\\u2028\\ufeff\\u0085 \
    \\\"quoted\\\" \\\\ \\/ ~0 ]}}} ,\\\"verbatim\\\":{\\\"presentation\\\":";

#[test]
fn hostile_text_is_drawn_alike_by_the_program_and_by_the_page() {
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work", "--p256"]));
    let session = fs::read_to_string(place.session()).unwrap();
    let session = session.replace("There is no paint.", HOSTILE).replace("ls doors", HOSTILE);
    put(&place.path().join("mine/session.jsonl"), &session);
    good(&place.run(&["sign", "mine/session.jsonl", "-o", "own.json"]));
    let (page, print) = page(&place, "own.json", &["1"]);
    assert_eq!(page.matches("<script").count(), 2);
    let (visible, carried, _) = around(&page);
    assert!(!visible.contains(['\u{202e}', '\r', '\u{1b}']) && visible.contains("⟨U+202E⟩"));
    assert!(!carried.contains(['<', '\r']));
    good(&place.run(&["verify", "own.json.html"]));
    let Some(mut browser) = Browser::start() else { return };
    let said = said(&mut browser, &place.path().join("own.json.html"), &print);
    assert_eq!(said.0, "good", "a key of P-256: {}", said.1);
    let strange = ["Page.javascriptDialogOpening", "Runtime.exceptionThrown"];
    assert!(!browser.events.iter().any(|(name, _)| strange.contains(&&**name)));
    let text = browser.value("document.querySelector('main').textContent");
    let text = text.as_str().unwrap();
    assert!(text.contains("<script>alert(1)") && text.contains("\u{2764}\u{fe0f}"), "{text}");
}

#[test]
fn a_page_of_a_thousand_entries_is_checked_soon() {
    let place = Place::new();
    let projects = place.path().join("mine/session.jsonl");
    let turn = |turn: usize| {
        let id = format!("5f1e7f1e-2a0b-4a55-8f3e-{turn:012}");
        let text = "A few words about the door, its frame and its colour. ".repeat(turn % 20 + 1);
        let talk = crate::common::talk(&id, &text, "2026-03-01T10:0");
        talk.replace(&format!("\"sessionId\":\"{id}\""), "\"sessionId\":\"one\"")
    };
    put(&projects, &(0..145).map(turn).collect::<String>());
    good(&place.run(&["key", "new", "work"]));
    good(&place.run(&["sign", "mine/session.jsonl", "-o", "record.json"]));
    let (page, print) = page(&place, "record.json", &["100..199", "3/content"]);
    let sections = page.matches("<section ").count();
    assert!(sections > 900, "{sections}");
    good(&place.run(&["verify", "record.json.html"]));
    let Some(mut browser) = Browser::start() else { return };
    let file = place.path().join("record.json.html");
    browser.open(&file);
    let start = std::time::Instant::now();
    let said = said(&mut browser, &file, &print);
    let took = start.elapsed();
    assert_eq!(said.0, "good", "{}", said.1);
    eprintln!("{sections} sections, {} bytes: checked in {took:?}", page.len());
    assert!(took.as_secs() < 10, "{took:?}");
}

/// Whatever is withheld, the page holds; whichever byte of it is another one, it does not.
#[test]
fn any_part_can_be_withheld_and_no_byte_changed() {
    let place = place();
    let pem = place.run(&["key", "show", "work"]).out;
    let key = PublicKey::read(pem.as_bytes()).unwrap();
    let (issuer, print) = (key.uri(), key.fingerprint());
    let keys = [KnownKey { name: "ana".into(), key, issuer, standing: KeyStanding::Trusted }];
    let (record, now) = (place.path().join("record.json"), UtcTime(1_800_000_000_000_000));
    let task = VerifyTask { signature: None, keys: &keys, as_draft: false, now };
    let catalog = Catalog { formats: formats::ALL, machine: Machine::default() };
    let options = RedactionOptions::new(Profile::Share, TagKey::none());
    let redactor = Redactor::new(Rules::shipped().unwrap(), options);
    let record = SignedRecord::open(&record).unwrap();
    let mut browser = Browser::start();
    let file = place.path().join("page.html");
    let (mut dice, mut failed) = (Dice::seeded(586), 0);
    for round in 0..8 {
        let mut named = Withheld::default();
        named.entries.extend((1..=record.entries()).filter(|_| dice.roll(8) < round));
        let text = record.present(&named, &redactor, &catalog).unwrap().text;
        let made = PageOfPresentation::of(("p", text), Some(&redactor), task, &catalog).unwrap();
        let mut page = Vec::new();
        made.write(&mut page).unwrap();
        let holds = |page: &[u8]| {
            let report = verify_page("page.html", page, task, &catalog);
            report.is_some_and(|report| report.result == VerifyResult::Signed)
        };
        assert!(holds(&page));
        failed += no_byte_changed(&mut page, &mut dice, holds, |page| {
            fs::write(&file, page).unwrap();
            let browser = browser.as_mut()?;
            let kind = said(browser, &file, &print).0;
            Some((kind, browser.value("document.querySelector('main')?.textContent")))
        });
    }
    assert!(failed > 150, "{failed}");
}

/// Changes single bytes of a page: it holds no more, and the browser shows no other entries as
/// good. `browser` gives the kind of what the page says, and the text of its entries then. Returns
/// the number of changes.
fn no_byte_changed(
    page: &mut [u8],
    dice: &mut Dice,
    holds: impl Fn(&[u8]) -> bool,
    mut browser: impl FnMut(&[u8]) -> Option<(String, serde_json::Value)>,
) -> usize {
    let good = browser(page);
    assert!(good.as_ref().is_none_or(|(kind, _)| kind == "good"));
    let whole = String::from_utf8(page.to_vec()).unwrap();
    let (from, to) = (whole.find("<main").unwrap(), whole.rfind("<script>").unwrap());
    let mut changed = 0;
    for turn in 0..30 {
        // The browser opens pages with other entries alone: the rest of a page is its own word.
        let has_browser = turn % 6 == 0;
        let range = if has_browser { from..to } else { 0..page.len() };
        let at = range.start + dice.roll(range.len());
        let (old, new) = (page[at], b'!' + u8::try_from(dice.roll(90)).unwrap());
        if !old.is_ascii() || old == new {
            continue;
        }
        page[at] = new;
        assert!(!holds(page), "byte {at}: {} is {}", char::from(old), char::from(new));
        // A byte of a tag need not mean anything: then the entries are the same.
        let other = has_browser.then(|| browser(page)).flatten();
        let other = other.filter(|(kind, _)| kind == "good");
        assert!(other.is_none() || other == good, "byte {at}: {old} is {new}");
        page[at] = old;
        changed += 1;
    }
    changed
}

/// The rules of `axe-core`, if it is installed: `VERBATIM_AXE` names its file.
#[test]
fn a_page_is_accessible() {
    let Some(axe) = std::env::var_os("VERBATIM_AXE").map(PathBuf::from) else {
        eprintln!("skipped: VERBATIM_AXE does not name the file of axe-core");
        return;
    };
    let Some(mut browser) = Browser::start() else { return };
    let axe = fs::read_to_string(axe).unwrap();
    let place = place();
    let (_, print) = page(&place, "record.json", &["1", "4/content"]);
    let file = place.path().join("record.json.html");
    for dark in [false, true] {
        browser.window(390, 800, dark);
        for print in [&*print, "SHA256:none", "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
        {
            said(&mut browser, &file, print);
            browser.ask("Runtime.evaluate", json!({ "expression": axe }));
            let found = browser.value(
                "axe.run().then(r => r.violations.filter(v => /serious|critical/.test(v.impact))
                  .map(v => v.id + ' ' + v.nodes[0].html.slice(0, 120)))",
            );
            assert_eq!(found, json!([]), "{print}, dark: {dark}");
        }
        assert_eq!(browser.value("document.documentElement.scrollWidth"), json!(390));
    }
}
