//! The Markdown of sessions, judged by other renderers: whatever a session says, no element,
//! attribute or address comes of it, and code and text are as they were.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod pages;

use std::io::Write as _;
use std::process::{Command, Stdio};

use ::markdown::mdast::Node;
use ::markdown::{CompileOptions, Constructs, Options, ParseOptions, to_html_with_options};
use pages::{HOSTILE, answered, samples_with, session_of, text};
use regex::Regex;
use verbatim_views as _;

/// A renderer: Markdown to HTML, with raw HTML and every address let through.
type Renderer = Box<dyn Fn(&str) -> String>;

fn parse() -> ParseOptions {
    ParseOptions { constructs: Constructs::gfm(), ..ParseOptions::gfm() }
}

fn in_process(text: &str) -> String {
    let compile = CompileOptions {
        allow_dangerous_html: true,
        allow_dangerous_protocol: true,
        gfm_tagfilter: false,
        ..CompileOptions::gfm()
    };
    to_html_with_options(text, &Options { parse: parse(), compile }).unwrap()
}

/// The renderers that are there. Those of other projects are skipped with a word where they are
/// not installed.
fn renderers() -> Vec<(&'static str, Renderer)> {
    let markdown_it = "import sys\nfrom markdown_it import MarkdownIt\n\
        m = MarkdownIt('commonmark', {'html': True}).enable(['table', 'strikethrough'])\n\
        m.validateLink = lambda url: True\nsys.stdout.write(m.render(sys.stdin.read()))";
    let gfm = ["--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"];
    let commands: [(&str, &str, Vec<&str>); 2] = [
        ("cmark-gfm", "cmark-gfm", gfm.to_vec()),
        ("markdown-it", "/usr/bin/python3", vec!["-c", markdown_it]),
    ];
    let mut all: Vec<(&'static str, Renderer)> = vec![("markdown", Box::new(in_process))];
    for (name, program, arguments) in commands {
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let render = move |text: &str| rendered(program, &arguments, text);
        match render("*a*") {
            Some(_) => all.push((name, Box::new(move |text| render(text).unwrap()))),
            None => eprintln!("skipped: {name} is not installed"),
        }
    }
    all
}

fn rendered(program: &str, arguments: &[String], text: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let (mut input, text) = (child.stdin.take()?, text.to_owned());
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The tags of a rendered text that are not of its writer: there must be none.
fn foreign(html: &str) -> Vec<String> {
    let names = "p|h[1-6]|ol|ul|li|table|thead|tbody|tr|td|th|em|strong|del|s|blockquote|pre|code|\
                 details|summary";
    let known = Regex::new(&format!(
        "^(?:</(?:{names}|a)>|<(?:{names})>|<(?:br|hr) ?/?>|<code class=\"language-[\\w+#.-]+\">\
         |<ol start=\"[0-9]+\">|<t[hd] (?:align|style)=\"[a-z:-]+\">\
         |<a href=\"(?i:https?://|mailto:)[^\"<>\\s]*\">)"
    ))
    .unwrap();
    let tags = html.match_indices('<').map(|(at, _)| &html[at..]);
    let strange = tags.filter(|tag| !known.is_match(tag));
    let mut all: Vec<String> = strange.map(|tag| tag.chars().take(80).collect()).collect();
    let count = |tag: &str| html.matches(tag).count();
    if count("<details>") != count("</details>") || count("<summary>") != count("<details>") {
        all.push("details that are open".into());
    }
    all
}

#[test]
fn hostile_texts_make_nothing_in_rendered_markdown() {
    for (name, render) in renderers() {
        for hostile in HOSTILE {
            let text = text(&session_of(hostile));
            let html = render(&text);
            assert_eq!(foreign(&html), [""; 0], "{name}: {hostile:?}:\n{text}");
        }
    }
}

#[test]
fn hostile_texts_in_every_sample_make_nothing_in_rendered_markdown() {
    let all = HOSTILE.join("\n\n");
    let sessions = samples_with(&all);
    let mut agents: Vec<&str> = sessions.iter().map(|session| session.format).collect();
    agents.dedup();
    assert!(agents.len() >= 7, "{agents:?}");
    let texts: Vec<String> = sessions.iter().map(text).collect();
    assert!(texts.iter().filter(|text| text.contains("alert")).count() > 60);
    for (name, render) in renderers() {
        for (text, session) in texts.iter().zip(&sessions) {
            assert_eq!(foreign(&render(text)), [""; 0], "{name}: {}:\n{text}", session.uid());
        }
    }
}

#[test]
fn the_judge_of_rendered_markdown_can_fail() {
    for bad in [
        "<b>",
        "<img src=x>",
        "[x](javascript:x)",
        "![x](https://h.example/p)",
        "<!-- x -->",
        "<details>",
        "[x](//h.example)",
        "<p onclick=x>",
    ] {
        for (name, render) in renderers() {
            assert_ne!(foreign(&render(bad)), [""; 0], "{name}: {bad}");
        }
    }
}

/// The pieces of code and the words of a text, as another parser sees them.
fn told(text: &str) -> (Vec<String>, String) {
    fn walk(node: &Node, codes: &mut Vec<String>, words: &mut String) {
        match node {
            Node::InlineCode(code) => codes.push(code.value.clone()),
            Node::Code(code) => codes.push(code.value.clone()),
            Node::Text(text) => words.push_str(&text.value),
            Node::Html(html) => words.push_str(&html.value),
            _ => {}
        }
        node.children().into_iter().flatten().for_each(|child| walk(child, codes, words));
    }
    let (mut codes, mut words) = (Vec::new(), String::new());
    walk(&::markdown::to_mdast(text, &parse()).unwrap(), &mut codes, &mut words);
    words.retain(|c| !c.is_whitespace());
    (codes, words)
}

#[test]
fn code_and_text_are_as_they_were() {
    for source in [
        "Use `Vec<u8>` & `a & b` here, `&lt;` too",
        "~~~rust\nlet a: Vec<u8> = b && c;\n\n    indented\n~~~",
        "code:\n\n    if a < b && c { }\n\n    arr[0]\n",
        "> ```c\n> a < b && c\n> ```\n> said",
        "the data: `arr[0]` is file: `b[1]` [not] a link",
        "`` a`b `` and ``` `` ``` and `` `x` ``",
        "````\n```\ninner\n```\n````",
        "- one\n- two `x<y>`\n  ```sh\n  a | b\n\n  c\n  ```\n- three\n\n  para\n\n1. a\n2. b",
        "| a | `b<c>` |\n|---|:-:|\n| `x \\| y` | 1 < 2 |",
        "snake_case_name, 2 * 3 * 4, a_ _b, ~tilde~, #1, C#, 1. no list, $x$",
        "1\\. not a list\n\n\\- nor this\n\n\\# nor that\n\n+1\n\n-1\n\n= x\n\nx\n\\---",
        "**bold *both*** *em*phasis, a**b**c, ~~gone~~",
        "- a\n- b\n\n* c\n* d\n\n1. e\n\n1) f",
        "# One\n\n### Two `x`\n\ntext #\n\n## C# ##",
        "5. five\n6. six\n\n   more",
        "a\\\nb  \nc\nd",
        "code:\n\n\tx\ttab\n\n```\n\ta\tb\n  \n```",
    ] {
        let whole = text(&answered("p", source));
        let (_, made) = whole.split_once("\n> p\n").unwrap();
        assert_eq!(told(made), told(source), "{source}\n=====\n{made}");
    }
}

#[test]
fn headings_of_an_answer_are_below_those_of_the_file() {
    let made = text(&answered("Add the tax", "Title\n===\n\n# Other\n\n### Below"));
    let heads: Vec<&str> = made.lines().filter(|line| line.starts_with('#')).collect();
    let expected = [
        "# Add the tax",
        "## 1 Add the tax (2026-03-01 10:00)",
        "### Title",
        "### Other",
        "#### Below",
    ];
    assert_eq!(heads, expected);
    assert!(!made.contains("\n\n\n"), "{made}");
}

#[test]
fn thoughts_are_folded_under_their_first_words() {
    let session = session_of("Count the rows\nand the columns");
    let made = text(&session);
    assert!(made.contains("<details><summary>\u{2234} Count the rows</summary>\n\n```"), "{made}");
}
