//! Texts in which one wrapping looks like a part of another, or a value like words: the value is
//! gone, as it is and in what its wrapping spells.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use verbatim_redact::rules::Rules;
use verbatim_redact::{Profile, RedactionOptions, Redactor, TagKey, plain};

/// A value that no rule knows by its shape.
fn value() -> String {
    ["Vw7", "kQ2m", "Zt9", "RbXe"].concat()
}

fn redacted(text: &str) -> String {
    let options = RedactionOptions::new(Profile::Share, TagKey::new([7; 32]));
    let redactor = Redactor::new(Rules::shipped().expect("shipped"), options);
    let session = plain::session("text", text.into()).expect("short");
    let draft = redactor.draft(&[&session], &[]).expect("redacted");
    String::from_utf8(draft.bundle.members[0].bytes().to_vec()).expect("UTF-8")
}

/// The lines of a session with texts, and what is left of them.
fn left(texts: &[String]) -> Vec<String> {
    let line = |text: &String| format!("{}\n", serde_json::json!({ "content": text }));
    let out = redacted(&texts.iter().map(line).collect::<String>());
    out.lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            value["content"].as_str().expect("a text").to_owned()
        })
        .collect()
}

/// Pieces of nine letters.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(9).map(|piece| piece.iter().collect()).collect()
}

/// Fails if one of the texts still has a trace.
fn assert_gone(texts: &[String], traces: &[&str]) {
    for text in texts {
        assert!(traces.iter().any(|trace| text.contains(trace)), "{text} has none of {traces:?}");
    }
    let left = left(texts);
    let is_left = |text: &&String| traces.iter().any(|trace| text.contains(trace));
    let left: Vec<&String> = left.iter().filter(is_left).collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn quotes_within_strings_that_are_joined_are_letters() {
    let command = format!("run([\"vault\", \"login\", \"--password\", \"{}\"])", value());
    let mysql = format!("[\"mysql\", \"-u\", \"root\", \"-p{}\", \"shop\"]", value());
    let single = |text: &String| format!("'{text}'");
    let double = |text: &String| serde_json::json!(text).to_string();
    let list = |text: &str, put: &dyn Fn(&String) -> String| {
        pieces(text).iter().map(put).collect::<Vec<_>>().join(", ")
    };
    let shell = |text: &str| -> String {
        let put =
            |(at, text): (usize, &String)| if at % 2 == 0 { double(text) } else { single(text) };
        pieces(text).iter().enumerate().map(put).collect()
    };
    let mut texts = Vec::new();
    for text in [&command, &mysql] {
        texts.push(format!("''.join({})", list(text, &single)));
        texts.push(format!("[{}].join('')", list(text, &single)));
        texts.push(format!("concat!({})", list(text, &double)));
        texts.push(shell(text));
    }
    let value = value();
    let traces: Vec<&str> = (0..value.len() - 4).map(|at| &value[at..at + 4]).collect();
    assert_gone(&texts, &traces);
}

#[test]
fn signs_of_html_that_are_spelled_are_no_tags() {
    let text = format!("<password>{}</password>", value());
    let put =
        |text: &String| format!("<span>{}</span>", text.replace('<', "&lt;").replace('>', "&gt;"));
    let html: String = pieces(&text).iter().map(put).collect();
    let value = value();
    assert_gone(&[html], &[&value[..5], &value[value.len() - 5..]]);
}

#[test]
fn a_width_cuts_the_name_of_a_value_within_quotes() {
    let text = format!("run([\"vault\", \"login\", \"--pass\nword\", \"{}\"])", value());
    let name = format!("x\nexport NEW_DATABASE_PASS\nWORD={}\n", value());
    assert_gone(&[text, name], &[&value()]);
}

/// A long token is no first line of the assignments behind it: these stay, byte for byte.
#[test]
fn lines_behind_a_long_token_stay() {
    let token = [&*value(), "qH3xPz8LmT5v", "GdJ4sWn6YbKf"].concat() + "2C";
    assert_eq!(token.len(), 40);
    for (before, behind) in [
        ("CLOUD_SECRET_ACCESS_KEY=", "\nPORT=8443\nAPP_MODE=staging\nLOG=y\n"),
        ("export CLOUD_SECRET_KEY=", "\nexport PORT=8443\nexport APP_MODE=staging\n"),
        ("cloud_secret_access_key: ", "\nport: 8443\nmode: staging\n"),
        ("cloud_secret_access_key = ", "\nport = 8443\nmode = staging\n"),
        ("Authorization: Bearer ", "\nHost: shop.example\nAccept: text/html\n"),
        ("CLOUD_API_KEY=", "\nPASSES=\nLOG=y\n"),
    ] {
        let out = redacted(&format!("{before}{token}{behind}"));
        assert!(out.starts_with(before) && out.ends_with(behind), "{out}");
        assert!(!out.contains(&token[..8]) && !out.contains(&token[32..]), "{out}");
    }
}

#[test]
fn a_key_has_times_between_its_lines() {
    let line = ["kYJ91mvVRHPSPy8wy8Pc", "aN/7tIOQWMgA6hX6hgUPvyirVVeZ"].concat();
    let head = ["PuTTY-User-Key", "-File-3: ssh-ed25519"].concat();
    let key = [&*head, "Encryption: none", "Private-Lines: 1", &*line];
    let logged: Vec<String> = (key.iter().enumerate())
        .map(|(at, line)| format!("2026-03-01T10:00:{:02}Z app | {line}", at + 7))
        .collect();
    let html = format!("{{&quot;a&quot;: &quot;{}&quot;}}", key.join("\\n"));
    assert_gone(&[logged.join("\n"), html], &[&line[..12], &line[36..]]);
}

#[test]
fn the_last_line_of_a_logged_run_ends_with_its_string() {
    let uuid = ["0ea42003-09c8-4ef2", "907a-644aaf2dead8"];
    let run = STANDARD.encode(format!("LANGFUSE_SECRET_KEY=sk-lf-{}", uuid.join("-")));
    let (first, last) = run.split_at(60);
    let logged = format!("10:00:07Z app | {first}\n10:00:08Z app | {last}");
    let call = serde_json::json!({ "command": ["bash", "-lc", logged] }).to_string();
    assert_gone(&[logged.clone(), call, format!("'{logged}'")], &[&first[32..], &last[4..]]);
}

#[test]
fn a_password_of_letters_may_look_like_words() {
    let words = [["TAaCufEpl", "EpvxE"], ["EhMppHat", "NebLls"], ["lPdhiCVx", "AtctEg"]];
    for word in words.map(|parts| parts.concat()) {
        let text = format!("$config['password'] = '{word}';");
        let python = format!("     7\tPASSWORD = \"{word}\"");
        assert_gone(&[text, python], &[&word]);
    }
}

#[test]
fn bytes_that_are_no_letters_end_a_string() {
    let token = ["ABSK", &"8aqzCWLpM7dp8PTr".repeat(8)].concat();
    let text = format!("AWS_BEARER_TOKEN_BEDROCK={token}");
    let bytes = [b"\x08\x01\x12\x80", text.as_bytes(), b"\x80\x81\x82\x83"].concat();
    let coded = STANDARD.encode(bytes);
    assert_gone(std::slice::from_ref(&coded), &[&coded[48..96]]);
}

#[test]
fn numbers_of_letters_may_look_like_decimal_ones_or_be_short() {
    let hex =
        |text: &str| -> Vec<String> { text.bytes().map(|byte| format!("{byte:x}")).collect() };
    let trace = hex(&value()[4..9]).join(" ");
    let first = hex(&format!("first texts at DB_PASSWORD={}", value())).join(" ");
    let ruby = hex(&format!("A=1\n\nDB_PASSWORD={}\nB=2", value())).join(" ");
    assert_gone(&[first, format!("puts \"\\u{{{ruby}}}\"")], &[&trace]);
}

/// A pass-phrase of words is one only up to the quote at its end.
#[test]
fn the_quote_at_the_end_of_words_is_read() {
    let template = "`BACKUP_PA${\"SSPHRASE=\"}\"zvhzrq s${\"uygzdy nk\"}upp ljeos${\"ffa\\\"\"}`";
    assert_gone(&[template.into()], &["zvhzrq", "uygzdy", "upp"]);
}

#[test]
fn ends_of_lines_that_are_shown_are_no_part_of_a_key() {
    let line = ["kYJ91mvVRHPSPy8wy8Pc", "aN/7tIOQWMgA6hX6hgUPvyirVVeZ"].concat();
    let head = ["PuTTY-User-Key", "-File-3: ssh-ed25519"].concat();
    let key = format!("{head}$\nEncryption: none$\nPrivate-Lines: 2$\n{line}$\n{line}$");
    let text = STANDARD.encode(format!("A=some words before it\nDB_PASSWORD={}\n", value()));
    let run = format!("{}$\n{}$\n", &text[..40], &text[40..]);
    assert_gone(&[key, run], &[&line[..12], &line[36..], &text[44..56]]);
}

/// All of a run is replaced for each value in it, and each value is sought in the other records.
#[test]
fn each_value_of_a_run_is_looked_for_elsewhere() {
    let values = [value(), ["Jq4", "hT8s", "Lw2", "NcYp"].concat()];
    let text = format!("DB_PASSWORD={}\nREDIS_PASSWORD={}\n", values[0], values[1]);
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let numbers = format!("{:?}", text.as_bytes());
    let base64 = STANDARD.encode(&text);
    let line = |value: &String| format!("{{\"content\":\"it is {value} there\"}}\n");
    let plain: String = values.iter().map(line).collect();
    for coded in [format!("\"{base64}\""), format!("\"{hex}\""), numbers] {
        let out = redacted(&format!("{{\"data\":{coded}}}\n{plain}"));
        assert!(values.iter().all(|value| !out.contains(&**value)), "{out}");
    }
}
