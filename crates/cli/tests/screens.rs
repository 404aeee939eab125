//! Screens of samples at several widths, in `docs/screens.md`. `UPDATE=1 cargo test -p verbatim-cli
//! --test screens` renews them.
#![allow(clippy::unwrap_used)]

use unicode_width::UnicodeWidthStr;

mod common;
use common::{ID, Place, on_terminal, put, ran_on_terminal, talk};

const OTHER: &str = "0b5c7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";
const ROLLOUT: &str = "019e6100-1000-7000-8000-0000000000a2";

/// A prompt of many lines, with long ones and a word in capital letters.
fn plan() -> String {
    let step = |at| {
        format!(
            "{at}. Sand the frame of door number {at}, let it dry for as long as the weather asks, \
             and paint it in the colour that the plan of the house has for it.\\n"
        )
    };
    format!("Paint the doors by this plan:\\n{}", (1..40).map(step).collect::<String>())
}

/// A home with sessions of two agents, in three folders.
fn place() -> Place {
    let place = Place::new();
    let projects = place.path().join("home/.claude/projects");
    let shop = projects.join("-home-ana-shop");
    let answer = "## What is left\\n\\nThe **front** door is painted. The back door needs a second \
                  coat, because the first one was too thin to cover the old blue, which is visible \
                  in the sun.\\n\\n```\\npaint --green --coats 2\\n```";
    let text = talk(ID, "Paint the doors green", "2026-03-29T10:0");
    put(&shop.join(format!("{ID}.jsonl")), &text.replace("There is no paint.", answer));
    put(&shop.join(format!("{OTHER}.jsonl")), &talk(OTHER, &plan(), "2026-03-27T16:0"));
    for at in 0..5 {
        let id = format!("7c{at}e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33");
        let day = format!("2026-03-1{at}T08:0");
        let text = talk(&id, "Count the windows of the house, and nothing else", &day);
        let text = text.replace("/home/ana/shop", "/home/ana/work/customers/harbour-house/survey");
        put(&projects.join(format!("-survey/{id}.jsonl")), &text);
    }
    let line = |kind: &str, payload: &str| {
        let time = "2026-02-16T10:30:00.000Z";
        format!("{{\"timestamp\":\"{time}\",\"type\":\"{kind}\",\"payload\":{{{payload}}}}}\n")
    };
    let head = format!(r#""id":"{ROLLOUT}","cwd":"/srv/lantern","cli_version":"0.169.0""#);
    let text = r#"{"type":"input_text","text":"Trim the wick, and paint the lantern's door"}"#;
    let said = format!(r#""type":"message","role":"user","content":[{text}]"#);
    let rollout = line("session_meta", &head) + &line("response_item", &said);
    let name =
        format!("home/.codex/sessions/2026/02/16/rollout-2026-02-16T10-30-00-{ROLLOUT}.jsonl");
    put(&place.path().join(name), &rollout);
    place
}

/// Each screen: its width, and the command.
const SCREENS: [(usize, &str); 12] = [
    (60, "list"),
    (80, "list"),
    (120, "list"),
    (200, "list"),
    (100, "list -n 2 -v --dates"),
    (60, "search door"),
    (80, "search 'no paint' --only errors,answers"),
    (60, "show 5f1e7f1e"),
    (80, "show 5f1e7f1e"),
    (80, "show 0b5c --only prompts"),
    (80, "show 7c"),
    (80, "fidelity"),
];

fn screen(place: &Place, width: usize, command: &str) -> String {
    let words: Vec<&str> = command
        .split(['\''])
        .enumerate()
        .flat_map(
            |(at, part)| {
                if at % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
            },
        )
        .collect();
    let args = [&words[..], &["--color", "never"]].concat();
    let (_, out, err) = ran_on_terminal(place, &args, width, &[]);
    let lines: Vec<&str> = out.lines().chain(err.lines()).collect();
    assert!(!lines.is_empty(), "{command}");
    // A command is printed whole, so that it can be copied.
    let text = lines.iter().filter(|line| !line.trim_start().starts_with("verbatim "));
    for line in text.filter(|line| !line.contains(": verbatim ")) {
        assert!(line.width() <= width, "{command} at {width}: {} columns: {line}", line.width());
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn the_guide_shows_screens_that_fit() {
    let place = place();
    let mut text = String::from(
        "# Screens\n\nOutput on terminals of several widths, made by `UPDATE=1 cargo test -p \
         verbatim-cli --test screens`.\n",
    );
    for (width, command) in SCREENS {
        let screen = screen(&place, width, command);
        text.push_str(&format!("\n## `verbatim {command}`, {width} columns\n\n```\n{screen}```\n"));
    }
    let path = samples::workspace().join("docs/screens.md");
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known != text {
        assert!(std::env::var_os("UPDATE").is_some(), "UPDATE=1 renews docs/screens.md:\n{text}");
        std::fs::write(&path, text).unwrap();
    }
}

/// Text breaks between words only, and every word of a prompt is there with `--all`.
#[test]
fn no_word_is_broken() {
    let place = place();
    let words: Vec<String> =
        plan().replace("\\n", " ").split_whitespace().map(str::to_owned).collect();
    for width in [60, 72, 80, 100, 200] {
        let shown = on_terminal(&place, &["show", OTHER, "--all"], width, &[("NO_COLOR", "1")]);
        let prompt: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("▌ ")).collect();
        // The first line is the heading of the turn.
        let found: Vec<&str> =
            prompt[1..].iter().flat_map(|line| line.split_whitespace()).collect();
        assert_eq!(found, words, "{width}");
        let widest = prompt.iter().map(|line| line.width() + 2).max().unwrap();
        assert!(widest <= width.min(100), "{width}: {widest}");
    }
}

#[test]
fn a_long_prompt_is_folded_and_robots_are_one_row() {
    let place = place();
    let shown = on_terminal(&place, &["show", OTHER], 100, &[("NO_COLOR", "1")]);
    assert!(shown.contains("▌ … 20 more lines"), "{shown}");
    let list = |args: &[&str]| {
        let args = [&["list", "--color", "never"], args].concat();
        on_terminal(&place, &args, 100, &[])
    };
    assert_eq!(list(&[]).matches("Count the windows").count(), 1);
    assert!(list(&[]).contains("folded: 4 with the prompt of another"), "{}", list(&[]));
    assert_eq!(list(&["--all"]).matches("Count the windows").count(), 5);
}

#[test]
fn turns_parts_and_matches_can_be_chosen() {
    let place = Place::new();
    let first = talk(ID, "Paint the doors", "2026-03-01T10:0");
    let second = talk(ID, "Sand the windows", "2026-03-01T11:0")
        .replace(&format!("{ID}-"), "second-")
        .replacen("\"parentUuid\":null", &format!("\"parentUuid\":\"{ID}-6\""), 1)
        .replace("msg_", "other_");
    put(&place.path().join("s.jsonl"), &format!("{first}{second}"));
    let show = |args: &[&str]| {
        let args = [&["show", "s.jsonl"], args].concat();
        let ran = place.run(&args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out
    };
    let whole = show(&[]);
    assert!(whole.contains("▌ 1 of 2  2026-03-01 10:00\n"), "{whole}");
    let facts = "└ 6 min · 2 calls: ran 2; 1 failed · 30 in, 15 out · $0.0005 by list price\n";
    assert!(whole.contains(facts), "{whole}");
    assert!(whole.contains("to continue it: verbatim resume 5f1e7f1e"), "{whole}");
    for args in [&["--from", "2"][..], &["--from", "-1"], &["--from=-1"], &["--from", "2..2"]] {
        let shown = show(args);
        assert!(shown.contains("Sand") && !shown.contains("Paint"), "{args:?}: {shown}");
    }
    let shown = show(&["--from", "1..1"]);
    assert!(shown.contains("Paint") && !shown.contains("Sand"), "{shown}");
    let prompts = show(&["--only", "prompts"]);
    assert!(!prompts.contains("→") && prompts.contains("Paint") && prompts.contains("Sand"));
    let errors = show(&["--only", "errors"]);
    assert_eq!(errors.matches("→ Bash").count(), 2, "{errors}");
    assert!(errors.contains("▌ 2 of 2") && !errors.contains("ls doors"), "{errors}");
    let matched = show(&["--grep", "windows|no paint"]);
    assert!(matched.contains("Sand the windows") && !matched.contains("Paint"), "{matched}");
    assert!(place.run(&["show", "s.jsonl", "--grep", "("]).err.contains("regular expression"));
    let tokyo = place.command(&["show", "s.jsonl"]).env("TZ", "Asia/Tokyo").output().unwrap();
    let tokyo = String::from_utf8(tokyo.stdout).unwrap();
    assert!(tokyo.contains("▌ 1 of 2  2026-03-01 19:00") && tokyo.contains(" JST"), "{tokyo}");
    assert!(show(&["--utc"]).contains("10:00 – 11:06 UTC"));
}
