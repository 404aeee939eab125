//! Rules: each finds its violations at their lines, and nothing else.

use verbatim_tidy::{EXCEPTIONS, RULES, Tree, check, check_all, without_exceptions};

/// The findings of a rule in a tree, as `path:line` each.
fn found(rule: &str, tree: &Tree) -> Vec<String> {
    let rule = RULES.iter().find(|r| r.name == rule).expect("a rule of that name");
    check(rule, tree).iter().map(|f| format!("{}:{}", f.path, f.line)).collect()
}

fn expect(rule: &str, files: &[(&str, &str)], places: &[&str]) {
    assert_eq!(found(rule, &Tree::of(files)), places, "{rule}");
}

#[test]
fn sizes() {
    let long = "//! x\n".repeat(401);
    expect("file-length", &[("a.rs", &long), ("b.rs", &long[6..])], &["a.rs:0"]);
    expect("line-length", &[("a.rs", &"é".repeat(101)), ("b.rs", &"é".repeat(100))], &["a.rs:1"]);

    let body = "\n".repeat(60);
    let over = format!("impl S {{\n    fn f() {{ // }}{body}}}\n}}");
    let in_macro = format!("m! {{ fn f() {{{body}}} }}");
    let fits = format!("fn f() {{{}}}\nfn g() {{}}\n", &body[1..]);
    let files = [("a.rs", &*over), ("b.rs", &fits), ("c.rs", &in_macro), ("d.rs", "fn {")];
    expect("function-length", &files, &["a.rs:2", "c.rs:1", "d.rs:0"]);
}

#[test]
fn heads_and_nouns() {
    expect("module-head", &[("a.rs", "// x"), ("b.rs", "//! x")], &["a.rs:1"]);
    let files = [
        ("a.rs", "struct FooHelper;\nfn process() {}\nfn use_util() {}"),
        ("text_utils.rs", ""),
        ("b.rs", "fn f(helper: u8) -> u8 { \"struct Manager\"; helper }"),
    ];
    expect("nouns", &files, &["a.rs:1", "a.rs:3", "text_utils.rs:0"]);
}

#[test]
fn words() {
    let mut tree = Tree::of(&[
        ("a.md", "from\nhttps://pypi.org/x"),
        ("b.md", "see /builds/verbatim/x"),
        ("c.md", "/home/x/builds/verbatim, /builds/verbatim-2, /builds/verbatims"),
        ("d.md", "\"/builds/verbatim\""),
    ]);
    tree.places.push("/builds/verbatim".to_owned());
    assert_eq!(found("words", &tree), ["a.md:2", "b.md:1", "d.md:1"]);
}

#[test]
fn plain_words() {
    let files = [
        (
            "a.rs",
            "//! What it holds.\n//! Where it is.\n\n/// How many.\nfn f() {}\n// What a why.",
        ),
        ("b.rs", "/// The noun. It stands here.\nfn f() {}\nlet told = \"it stands\";"),
        ("c.md", "it `stands`, outstanding\n```\nit stands\n```\nThis Stands here."),
        ("d.rs", "/// Howitzers, understanding.\nfn f() {}"),
        ("crates/a/src/e.rs", "f(\"it stands here\");\nf(\"of {told}\", \"stands\");"),
    ];
    let places = ["a.rs:1", "a.rs:4", "b.rs:1", "c.md:5", "crates/a/src/e.rs:1"];
    expect("plain-words", &files, &places);
}

#[test]
fn documents() {
    let files = [
        ("README.md", "[a](docs/a.md) [b](docs/b.md#x) [c](https://x.y/z) [d](#here)"),
        ("docs/a.md", "[up](../README.md)\n[out](../no.md) [folder](../docs/)"),
    ];
    expect("links", &files, &["README.md:1", "docs/a.md:2"]);

    let test = "```sh\n$ cargo test --workspace --locked\n```";
    let bare = "cargo test --workspace --locked";
    expect("readme", &[("README.md", bare), (".ci/run", bare)], &["README.md:0"]);
    expect("readme", &[("README.md", test)], &[".ci/run:0"]);
    expect("readme", &[("README.md", test), (".ci/run", bare)], &[]);
    let demo = [("README.md", test), (".ci/run", bare), ("crates/cli/src/demo.rs", "")];
    expect("readme", &demo, &[".ci/run:0", "README.md:0"]);
}

#[test]
fn format_folders() {
    let files = [
        ("crates/formats/src/lib.rs", ""),
        ("crates/formats/src/agents/codex/mod.rs", ""),
        ("crates/formats/src/agents/codex/map.rs", ""),
        ("crates/formats/src/agents/codex/samples/a/x.jsonl", ""),
        ("crates/formats/src/agents/codex/FORMAT.md", ""),
        ("crates/formats/src/documents/vac/mod.rs", ""),
        ("crates/formats/src/documents/vac/map.rs", ""),
        ("crates/formats/src/documents/vac/write.rs", ""),
        ("crates/formats/src/documents/vac/FORMAT.md", ""),
    ];
    let missing = [
        "crates/formats/src/agents/codex/locate.rs:0",
        "crates/formats/src/documents/vac/samples:0",
    ];
    expect("format-files", &files, &missing);
}

#[test]
fn names_of_agents() {
    let code =
        "/// codex\nfn f() { \"codex\"; }\n// codex\n#[cfg(test)] mod t { fn codex() {} }\nmod x;";
    let files = [
        ("crates/formats/src/agents/mod.rs", "mod codex;"),
        ("crates/formats/src/registry.rs", "&[&codex::CODEX]"),
        ("crates/formats/src/agents/codex/mod.rs", "fn codex() { \"claude-code\"; }"),
        ("crates/formats/src/agents/claude_code/mod.rs", "const NAME: &str = \"claude-code\";"),
        ("crates/formats/src/agents/cursor/mod.rs", "fn sage() {} fn usage() {}"),
        ("crates/formats/src/documents/vac/mod.rs", ""),
        ("crates/formats/tests/laws.rs", "use codex::X;"),
        ("crates/session/src/lib.rs", code),
        ("crates/session/src/x.rs", "use vac::CodexReader;\n#[cfg(test)]\nmod claude;"),
        ("crates/session/src/x/claude.rs", "fn claude() {}"),
        ("crates/cli/src/x.rs", "let cursor = Cursor::new();\n\"--from cursor\";"),
    ];
    let places = [
        "crates/cli/src/x.rs:2",
        "crates/formats/src/agents/codex/mod.rs:1",
        "crates/session/src/lib.rs:2",
        "crates/session/src/x.rs:1",
    ];
    expect("agent-names", &files, &places);
}

#[test]
fn lookups() {
    let code = "use serde_json::Value;\nuse serde_json::{to_string, Map};\nuse serde_json as j;\n\
                let v = serde_json::from_str(x);\nlet t = v.get(\"name\");\n\
                serde_json::json!({});\nlet ok = v.get(0);\nmap.get(key);\n\
                serde_json::to_string(Value);\nuse serde_json::to_vec; struct Value;\n\
                \"serde_json::Value\";\n\
                #[test]\nfn f() { x.get(\"a\") }\nfn g() { x.get(\"a\") }";
    let files = [
        ("crates/session/src/json.rs", code),
        ("crates/catalog/src/lib.rs", code),
        ("crates/formats/tests/laws.rs", code),
        ("crates/session/src/deep/tests.rs", code),
        ("crates/session/src/deep/mod.rs", "#[cfg(test)]\nmod tests;"),
    ];
    let lines = [1, 14, 2, 3, 4, 5, 6].map(|n| format!("crates/session/src/json.rs:{n}"));
    let mut places = found("native-lookup", &Tree::of(&files));
    places.sort();
    assert_eq!(places, lines);
}

#[test]
fn crates_keep_to_themselves() {
    let forbid = "#![forbid(unsafe_code)]";
    let files = [
        ("crates/session/src/lib.rs", ""),
        ("crates/session/src/a.rs", "\nunsafe {}"),
        ("crates/session/src/b.rs", "// unsafe\nunsafe {}"),
        ("crates/session/src/c.rs", "\"unsafe\"; #![deny(unsafe_code)]"),
        ("crates/cli/src/main.rs", ""),
        ("crates/formats/src/lib.rs", forbid),
        ("crates/formats/tests/memory.rs", "unsafe impl X for Y {}"),
    ];
    let places = [
        "crates/cli/src/main.rs:0",
        "crates/formats/tests/memory.rs:1",
        "crates/session/src/b.rs:2",
    ];
    expect("unsafe", &files, &places);

    let binding =
        "#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]\n";
    let spoken_of = format!("//! {binding}");
    let files = [
        ("crates/session/src/lib.rs", binding),
        ("crates/meaning/src/lib.rs", binding),
        ("crates/replay/src/lib.rs", binding),
        ("crates/redact/src/lib.rs", binding),
        ("crates/receipt/src/lib.rs", binding),
        ("crates/sign/src/lib.rs", binding),
        ("crates/views/src/lib.rs", binding),
        ("crates/formats/src/lib.rs", &spoken_of),
        ("crates/evidence/src/lib.rs", ""),
    ];
    let places = ["crates/evidence/src/lib.rs:0", "crates/formats/src/lib.rs:0"];
    expect("knows-nothing", &files, &places);

    let formats = "[dependencies]\nsession.workspace = true\nevidence = { path = \"../e\" }\n\
                   memchr.workspace = true\n[dev-dependencies]\ncatalog.workspace = true";
    let files = [
        ("crates/session/Cargo.toml", ""),
        ("crates/evidence/Cargo.toml", ""),
        ("crates/catalog/Cargo.toml", "[dependencies]\nformats.workspace = true"),
        ("crates/formats/Cargo.toml", formats),
        ("crates/cli/Cargo.toml", "[dependencies]\ncatalog.workspace = true"),
    ];
    expect("direction", &files, &["crates/formats/Cargo.toml:3"]);
}

#[test]
fn the_flag_of_unredacted_exports_is_read_in_one_place() {
    let code = "fn f() { UnredactedFlag::typed(true); }";
    let files = [
        ("crates/cli/src/export.rs", code),
        ("crates/operations/src/export.rs", code),
        ("crates/views/tests/pages.rs", code),
        ("crates/redact/src/gate.rs", "impl UnredactedFlag { fn typed() {} }"),
    ];
    expect("typed-flag", &files, &["crates/operations/src/export.rs:1"]);
}

#[test]
fn public_types_have_names_of_their_own() {
    let files = [
        ("crates/formats/src/a.rs", "pub struct Row;\npub enum Error {}\nstruct Own;"),
        ("crates/session/src/b.rs", "pub trait Row {}\npub enum Error {}\npub(crate) struct Own;"),
        ("crates/cli/src/c.rs", "pub struct Row;"),
    ];
    expect("type-names", &files, &["crates/formats/src/a.rs:1"]);
}

#[test]
fn imports_point_downwards() {
    let layers = "```layers x\nlow low2\nmid/a\nmid/b top\n```\n```layers y\nlow gone\n```\nlow";
    let code = "use crate::low::{self, deep::Item, Other as Name};\nuse super::a::Item;\n\
                #[cfg(test)]\nuse crate::top::Item;\nfn f() { crate::top::g() }";
    let files = [
        ("crates/tidy/layers.md", layers),
        ("crates/x/src/lib.rs", "use crate::top::Item;"),
        ("crates/x/src/low.rs", "use crate::{Item, low2};"),
        ("crates/x/src/low/deep.rs", "use super::Item;"),
        ("crates/x/src/low2.rs", "\nuse crate::mid::{Item, b};"),
        ("crates/x/src/mid/mod.rs", "mod b;\npub use self::b::Item;\nuse crate::low::Item;"),
        ("crates/x/src/mid/a.rs", "use super::Item;"),
        ("crates/x/src/mid/b.rs", code),
        ("crates/x/src/top.rs", "use crate::mid::a::{Item};"),
        ("crates/x/src/new.rs", ""),
        ("crates/y/src/low.rs", ""),
        ("crates/z/src/low.rs", "use crate::Item;"),
    ];
    let mut places = vec![
        "crates/tidy/layers.md:7",
        "crates/x/src/low.rs:1",
        "crates/x/src/low.rs:1",
        "crates/x/src/low2.rs:2",
        "crates/x/src/low2.rs:2",
        "crates/x/src/mid/a.rs:1",
        "crates/x/src/mid/b.rs:5",
        "crates/x/src/new.rs:0",
    ];
    places.sort_unstable();
    expect("layers", &files, &places);
}

#[test]
fn the_commands_of_the_evidence_exist() {
    let list = "| Claim | Command |\n|---|---|\n\
                | a | `cargo test -p verbatim-x --test good` |\n\
                | b | `cargo test -p verbatim-x --test gone` |\n\
                | c | `cargo bench -p verbatim-y` |\n\
                | d | the same |\n| e | it is so |\n| f | `tool/run kept`, `x/none` |\n\
                | g | `cargo test -p verbatim-x --test good --bench slow` |";
    let files = [
        ("docs/evidence.md", list),
        ("crates/x/Cargo.toml", ""),
        ("crates/x/tests/good/main.rs", ""),
        ("tool/run", ""),
    ];
    let lines = [4, 5, 7, 8, 9].map(|line| format!("docs/evidence.md:{line}"));
    expect("evidence", &files, &lines.each_ref().map(String::as_str));
}

#[test]
fn exceptions_cover_their_path_and_rule_and_must_be_needed() {
    let tree = Tree::of(&[("a.rs", "x"), ("b/c.rs", "x"), ("b/d.rs", "x")]);
    let heads = || check_all(&tree).into_iter().filter(|f| f.rule == "module-head").collect();
    let open = |list: &str| -> Vec<String> {
        let left = without_exceptions(heads(), list);
        left.iter().map(|f| format!("{}:{}", f.path, f.line)).collect()
    };
    assert_eq!(open("# none\n"), ["a.rs:1", "b/c.rs:1", "b/d.rs:1"]);
    assert_eq!(open("b/ module-head they are generated\na.rs module-head so is it"), [""; 0]);
    let faulty =
        "a.rs module-head\nb/ no-such-rule because\n\nb/ words because\nb module-head because";
    let faults = [1, 2, 4, 5].map(|n| format!("{EXCEPTIONS}:{n}"));
    let left = open(faulty);
    assert_eq!(left[..3], ["a.rs:1", "b/c.rs:1", "b/d.rs:1"]);
    assert_eq!(left[3..], faults);
}

#[test]
fn every_rule_is_shown_to_fail_here() {
    let here = include_str!("rules.rs");
    for rule in RULES {
        let name = format!("\"{}\"", rule.name);
        assert!(here.contains(&name), "{name} is not shown to find anything");
    }
}
