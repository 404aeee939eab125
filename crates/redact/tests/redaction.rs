//! Redaction of made texts: credentials in every wrapping are gone, fully decoded; ids, numbers
//! and sealed values stay; reports and placeholders tell nothing.

mod wrapped;

use std::collections::BTreeSet;

use session::{Bundle, Member, Stream};
use verbatim_redact::rules::Rules;
use verbatim_redact::{
    Failure, Fault, Profile, RedactionDraft, RedactionOptions, Redactor, TagKey, plain,
};
use wrapped::more::{MORE, Traced};
use wrapped::{WRAPPINGS, credentials, is_left};

fn redactor(profile: Profile, key: u8) -> Redactor {
    let mut options = RedactionOptions::new(profile, TagKey::new([key; 32]));
    options.users = vec!["alice-q7".into()];
    options.hosts = vec!["zeb-host-9".into()];
    Redactor::new(Rules::shipped().expect("shipped"), options)
}

fn draft(redactor: &Redactor, text: &str) -> RedactionDraft {
    let session = plain::session("text", text.into()).expect("short");
    redactor.draft(&[&session], &[]).expect("redacted")
}

fn redacted(redactor: &Redactor, text: &str) -> String {
    let bytes = draft(redactor, text).bundle.members[0].bytes().to_vec();
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn credentials_are_gone_from_every_wrapping() {
    let redactor = redactor(Profile::Share, 1);
    let (mut all, mut left) = (0, Vec::new());
    for (kind, secret, text) in credentials() {
        for (name, wrap) in WRAPPINGS {
            let document = wrap(&text, &secret);
            assert!(is_left(&document, &secret), "{kind} in {name} is seen before: {document}");
            let out = redacted(&redactor, &document);
            all += 1;
            if is_left(&out, &secret) {
                left.push(format!(
                    "{kind} in {name}: {}",
                    out.chars().take(300).collect::<String>()
                ));
            }
        }
    }
    assert!(left.is_empty(), "{} of {all}: {left:#?}", left.len());
}

#[test]
fn credentials_are_gone_from_more_wrappings() {
    let redactor = redactor(Profile::Secrets, 1);
    let mut left = Vec::new();
    for (name, wrap) in MORE {
        let made: Vec<_> =
            credentials().iter().map(|(kind, secret, text)| (*kind, wrap(text, secret))).collect();
        let line = |(_, (text, _)): &(&str, Traced)| {
            format!("{}\n", serde_json::json!({ "content": text }))
        };
        let document: String = made.iter().map(line).collect();
        let out = redacted(&redactor, &document);
        for (line, (kind, (text, traces))) in out.lines().zip(&made) {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let kept = value["content"].as_str().expect("a text");
            assert!(traces.iter().all(|trace| text.contains(trace)), "{kind} in {name}");
            if traces.iter().any(|trace| kept.contains(trace)) {
                left.push(format!("{kind} in {name}: {kept}"));
            }
        }
    }
    assert!(left.is_empty(), "{}: {left:#?}", left.len());
}

#[test]
fn a_second_pass_finds_nothing_and_each_line_stays_json() {
    let redactor = redactor(Profile::Share, 1);
    for (kind, secret, text) in credentials() {
        for (name, wrap) in WRAPPINGS {
            let document = wrap(&text, &secret);
            let out = redacted(&redactor, &document);
            assert_eq!(redacted(&redactor, &out), out, "{kind} in {name}");
            let is_json = |text: &str| {
                text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
            };
            assert_eq!(is_json(&document), is_json(&out), "{kind} in {name}: {out}");
        }
    }
}

#[test]
fn tags_are_of_one_share_only() {
    let (_, secret, text) = credentials().remove(0);
    let document = WRAPPINGS[0].1(&text, &secret);
    let out = |key: u8| redacted(&redactor(Profile::Share, key), &document);
    assert_eq!(out(1), out(1));
    let tags = |text: &str| -> BTreeSet<String> {
        let parts = text.split("[REDACTED:").skip(1);
        parts.filter_map(|part| Some(part.split(']').next()?.to_owned())).collect()
    };
    assert!(!tags(&out(1)).is_empty());
    assert!(tags(&out(1)).is_disjoint(&tags(&out(2))));
}

#[test]
fn a_value_that_was_found_once_is_gone_where_no_rule_knows_it() {
    let (_, secret, text) = credentials().remove(0);
    let line = |text: &str| format!("{}\n", serde_json::json!({ "text": text }));
    let echo = format!("it printed {secret} and <{secret}>");
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let document = [&*text, &echo, &hex, &percent].map(line).concat();
    let out = redacted(&redactor(Profile::Secrets, 1), &document);
    assert!(!is_left(&out, &secret) && !out.contains(&hex) && !out.contains(&percent), "{out}");
}

#[test]
fn reports_have_no_part_of_a_value() {
    let redactor = redactor(Profile::Share, 1);
    for (kind, secret, text) in credentials() {
        for (name, wrap) in WRAPPINGS {
            let draft = draft(&redactor, &wrap(&text, &secret));
            let shown = format!("{draft:?}");
            let report = format!("{shown} {:?}", redactor.report(draft));
            let part = secret.as_bytes().windows(6).find(|part| {
                // Six letters of a rule's own name are no part of a value.
                part.iter().any(u8::is_ascii_digit)
                    && report.contains(&*String::from_utf8_lossy(part))
            });
            assert_eq!(part, None, "{kind} in {name}");
        }
    }
}

#[test]
fn names_of_users_and_hosts_are_gone_in_every_encoding() {
    let redactor = redactor(Profile::Share, 1);
    for name in ["alice-q7", "zeb-host-9"] {
        let text = format!("see /srv/{name}/src, file:///home/{name}/x and -home-{name}-git-x");
        for (kind, wrap) in WRAPPINGS {
            let out = redacted(&redactor, &wrap(&text, name));
            assert!(!is_left(&out, name), "{name} in {kind}: {out}");
        }
    }
    let out = redacted(&redactor, "{\"cwd\":\"/home/alice-q7/src\"}");
    assert_eq!(out, "{\"cwd\":\"/home/user1/src\"}");
}

#[test]
fn ids_numbers_and_sealed_values_stay() {
    let redactor = redactor(Profile::Share, 1);
    let sealed = "EqQBCkYIBRgCKkBr9Xk1cVq7Xz0aH8sk-Qm5gAAAAABo".repeat(20);
    for text in [
        format!("{{\"signature\":\"{sealed}\",\"usage\":{{\"input_tokens\":3739,\"x\":1.0}}}}"),
        format!("{{\"encrypted_content\":\"{sealed}\"}}"),
        "{\"uuid\":\"0b5093eb-f69d-4a57-9f00-3bd117005642\"}".to_owned(),
        "{\"id\":\"toolu_01A09q90qw90lq917835lq9\"}".to_owned(),
        "{\"n\":1E5,\"m\":9007199254740993,\"s\":\"caf\\u00e9 \\/ x\",\"s\":1}".to_owned(),
    ] {
        assert_eq!(redacted(&redactor, &text), text);
    }
    let (_, secret, _) = credentials().remove(0);
    let text = format!("{{\"signature\":\"{sealed}. {secret} .\",\"k\":1}}");
    let out = redacted(&redactor, &text);
    assert!(
        out.starts_with("{\"signature\":\"[REDACTED:") && out.ends_with("]\",\"k\":1}"),
        "{out}"
    );
}

#[test]
fn a_list_with_a_text_in_it_stays_a_list() {
    use base64::Engine as _;
    let token = format!("ghp_{}", "q7Wn2Rk9Lx4Tz8Vb3Mc6Yd1Hf5Gj0Ps2Ua4z");
    let run = base64::engine::general_purpose::STANDARD.encode(format!("token={token}"));
    for (before, behind) in [("[0.5, {\"a\": \"", "\"}, 7]"), ("[12, 5, \"", "\"]")] {
        let text =
            redacted(&redactor(Profile::Share, 1), &format!("{{\"r\": {before}{run}{behind}}}"));
        assert!(text.contains(before) && text.contains(behind), "{text}");
        assert!(!text.contains(&run[12..36]), "{text}");
    }
}

#[test]
fn the_texts_at_a_chosen_path_go_and_no_others() {
    let mut options = RedactionOptions::new(Profile::Secrets, TagKey::new([1; 32]));
    options.drop = vec!["/a/0".into(), "/b".into()];
    let redactor = Redactor::new(Rules::shipped().expect("shipped"), options);
    let text = r#"{"a":["one","one"],"b":{"c":["one",1]},"bc":"one","one":"x"}"#;
    let out = redacted(&redactor, text);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let is_gone = |pointer: &str| {
        value
            .pointer(pointer)
            .and_then(|text| text.as_str())
            .expect("a text")
            .starts_with("[REDACTED:")
    };
    assert!(is_gone("/a/0") && is_gone("/b/c/0"), "{out}");
    assert!(!is_gone("/a/1") && !is_gone("/bc") && !is_gone("/one"), "{out}");
    assert_eq!(redacted(&redactor, &out), out);
}

#[test]
fn a_value_that_was_asked_for_is_gone() {
    let secret = format!("Tr{}!x", "0ub4dor7");
    let line = |text: &str| format!("{}\n", serde_json::json!({ "role": "x", "content": text }));
    let document = line("What is the database password?") + &line(&secret) + &line("Thank you.");
    let out = redacted(&redactor(Profile::Secrets, 1), &document);
    assert!(!is_left(&out, &secret), "{out}");
}

#[test]
fn a_value_that_was_cut_by_a_width_or_a_limit_is_gone() {
    let redactor = redactor(Profile::Secrets, 1);
    for (kind, secret, text) in credentials() {
        for width in [64, 76, 80, 120] {
            let letters: Vec<char> = text.replace('\n', " ").chars().collect();
            let lines: Vec<String> =
                letters.chunks(width).map(|line| line.iter().collect()).collect();
            let document = format!("{}\n", serde_json::json!({ "out": lines.join("\n") }));
            let out = redacted(&redactor, &document);
            assert!(
                kind.contains("private key") || !is_left(&out, &secret),
                "{kind}, {width}: {out}"
            );
        }
        if secret.len() >= 40 && !secret.contains('\n') {
            let at = text.find(&secret).expect("there") + secret.len() / 2;
            let document =
                format!("{}\n", serde_json::json!({ "out": format!("{}...", &text[..at]) }));
            let out = redacted(&redactor, &document);
            assert!(!is_left(&out, &secret), "{kind}, cut: {out}");
        }
    }
}

#[test]
fn what_repeats_is_looked_at_again_wherever_it_may_have_something() {
    let redactor = redactor(Profile::Secrets, 1);
    // The assignment counts in a note, and not in what a format calls a version.
    let value = format!("deploy with password={} and nothing else than this one", "Kx7-qwertz-9");
    let clean = "the same output of a tool, without anything that is to be found in it, again";
    for value in [&value[..], &value[12..40]] {
        let line =
            |name: &str, value: &str| format!("{{\"{name}\":\"{value}\",\"o\":\"{clean}\"}}\n");
        let names = ["version", "note", "version", "text", "note"];
        let text: String = names.iter().map(|name| line(name, value)).collect();
        let lines: Vec<u32> = draft(&redactor, &text).findings.iter().map(|of| of.line).collect();
        let seen: BTreeSet<u32> = lines.into_iter().collect();
        assert!([2, 4, 5].iter().all(|line| seen.contains(line)), "{value}: {seen:?}");
    }
}

#[test]
fn the_rest_of_a_placeholder_is_no_value() {
    let redactor = redactor(Profile::Share, 1);
    let placeholder = "[REDACTED:password:K3J5QZ7RMA]";
    for length in 470..530 {
        let text = format!("password={placeholder}]]] a{}%41%42 b", "x".repeat(length));
        assert_eq!(redacted(&redactor, &text), text, "{length}");
    }
}

#[test]
fn of_a_stream_each_string_that_has_a_value_can_go_as_a_whole() {
    let redactor = redactor(Profile::Share, 1);
    let line =
        |delta: &str| format!("{}\n", serde_json::json!({ "type": "text_delta", "delta": delta }));
    let pieces = ["it \"is\" TOK", "EN=kW7vQz5r", "T1x9pLm4hG2s and \\", "more of it"];
    let text: String = pieces.iter().map(|piece| line(piece)).collect();
    let session = plain::session("text", text.into_bytes()).expect("short");
    let draft = redactor.wide_draft(&[&session], &[]).expect("redacted");
    let out = String::from_utf8_lossy(draft.bundle.members[0].bytes()).into_owned();
    let values: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let texts: Vec<&str> = values.iter().filter_map(|value| value["delta"].as_str()).collect();
    assert!(texts[1].starts_with("[REDACTED:") && texts[1].ends_with(']'), "{texts:?}");
    assert_eq!([texts[0], texts[2], texts[3]], [pieces[0], "", pieces[3]]);
}

/// A key of several lines, and what must not be left of it.
fn putty(seed: u64) -> (String, String) {
    let digits = wrapped::made(seed, "ABCDEFGHJKLMNPQRabcdefghijkmnpqr23456789", 48);
    let head = "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n";
    (format!("{head}{digits}"), digits)
}

#[test]
fn a_key_that_follows_another_is_gone() {
    let redactor = redactor(Profile::Share, 1);
    for seed in 1..6 {
        let ((one, first), (two, second)) = (putty(seed), putty(seed + 20));
        let out = redacted(&redactor, &format!("{one} {two} {one}"));
        assert!(!out.contains(&first) && !out.contains(&second), "{out}");
    }
}

#[test]
fn a_key_whose_lines_are_in_several_texts_is_gone() {
    let redactor = redactor(Profile::Share, 1);
    let (key, digits) = putty(3);
    for (at, _) in key.match_indices('\n') {
        for at in [at, at + 1] {
            let blocks = [&key[..at], &key[at..]].map(|text| serde_json::json!({ "text": text }));
            let line = format!("{}\n", serde_json::json!({ "content": blocks }));
            let out = redacted(&redactor, &line);
            assert!(!out.contains(&digits), "{out}");
        }
    }
}

#[test]
fn a_stream_that_others_interrupt_begins_anew_and_goes_on() {
    let redactor = redactor(Profile::Share, 1);
    let line = |kind: &str, text: &str| {
        format!("{}\n", serde_json::json!({ "type": kind, "delta": text }))
    };
    let deltas = |text: &str| -> String {
        let pieces = text.as_bytes().chunks(7).map(|piece| std::str::from_utf8(piece));
        pieces.map(|piece| line("text_delta", piece.expect("ASCII"))).collect()
    };
    let other = line("message", "all of it");
    let token = "pul-8184f0fa3def814aa07701b04b8f6d90d689f7f7";
    let (head, tail) = token.split_at(20);
    for (first, second) in [("the end", token), (token, "begin"), (&*format!("to {head}"), tail)] {
        let out = redacted(&redactor, &format!("{}{other}{}", deltas(first), deltas(second)));
        let values = out.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let text: String = values
            .filter(|value: &serde_json::Value| value["type"] == "text_delta")
            .map(|value| value["delta"].as_str().expect("a text").to_owned())
            .collect();
        assert!(!text.contains("814aa07701b04") && text.contains("[REDACTED:"), "{text}");
    }
}

#[test]
fn a_value_behind_a_name_is_gone_wherever_other_names_are() {
    let redactor = redactor(Profile::Share, 7);
    let far = "the build ran and it was fine. ".repeat(12);
    for (text, value) in [
        ("service account 9fK2mQz81LpTx0Vb7R, its secret is there", "9fK2mQz81LpTx0Vb7R"),
        ("Log in with client 9fK2mQz81LpTx0Vb7R now", "9fK2mQz81LpTx0Vb7R"),
        ("host: build\naccount: hGj4XYZ8UKEq0EeKzmKC\n", "hGj4XYZ8UKEq0EeKzmKC"),
        (
            &format!("SECRET EKWqMNqcOEQbnPodjQPVZafX\n{far}0123456789abcdef01"),
            "EKWqMNqcOEQbnPodjQ",
        ),
        ("access: \"mdwlQRtCCMqyXQxYBX\"", "mdwlQRtCCMqyXQxYBX"),
        ("MY_TOKEN is unset\nSESSIONCOOKIE=ab12cd34ef", "ab12cd34ef"),
        ("XAUTH=aaspdwbusrf9 # of the host", "aaspdwbusrf9"),
        ("export MYBEARER=ab12cd34ef", "ab12cd34ef"),
        ("A_TOKENPASSPHRASE=ab12cd34ef", "ab12cd34ef"),
    ] {
        let redacted = redacted(&redactor, text);
        assert!(!redacted.contains(value), "{redacted}");
    }
}

#[test]
fn a_copy_with_another_byte_than_those_of_its_edits_is_refused() {
    let redactor = redactor(Profile::Secrets, 7);
    let key =
        |seed: &str| format!("AKIA{}", format!("QZ7RWXK3J5TNV2LB{seed}").split_off(seed.len()));
    let text = format!("first {} then {} end\nlast\n", key("M4"), key("PY6"));
    let session = plain::session("text", text.into()).expect("short");
    let verified = |harm: &dyn Fn(String) -> String| {
        let mut draft = redactor.draft(&[&session], &[]).expect("redacted");
        let good = String::from_utf8(draft.bundle.members[0].bytes().to_vec()).expect("UTF-8");
        assert_eq!(good.matches("[REDACTED:").count(), 2, "{good}");
        let harmed = Member::new("text", Stream::Main, harm(good).into_bytes()).expect("short");
        draft.bundle = Bundle { members: vec![harmed] };
        let after = vec![plain::again(&draft.bundle)];
        redactor.verified(&draft, &[&session], after, &[]).map(drop).map_err(|(failure, _)| failure)
    };
    assert!(verified(&|good| good).is_ok());
    for (harm, with) in [
        ("first", "other"),
        ("then", "than"),
        ("last\n", "lasts\n"),
        ("last\n", "las\n"),
        ("D:", "d:"),
    ] {
        let failure = verified(&|good| good.replacen(harm, with, 1));
        let is_seen = matches!(failure, Err(Failure::Verify(Fault::Byte { .. })));
        assert!(is_seen, "{harm}: {failure:?}");
    }
}
