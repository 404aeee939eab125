//! The drawings of the forms of a transcript: changes as diffs, pictures, sub-agents within their
//! call, and prompts without what the agent put around them.
#![allow(clippy::unwrap_used)]

mod pages;

use std::sync::Arc;

use pages::{page, text};
use regex::Regex;
use serde_json::{Value, json};
use session::{Bundle, Member, Session, Stream};
use verbatim_views::export::sections;
use verbatim_views::transcript::{Body, Detail, Transcript, TurnSum, counts};

/// A PNG of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9\
                   awAAAABJRU5ErkJggg==";

fn session(format: &str, members: &[(&str, Stream, Vec<Value>)]) -> Session {
    let format = formats::ALL.iter().find(|known| known.name() == format).unwrap();
    let members = members.iter().map(|(name, stream, lines)| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Member::new((*name).to_owned(), stream.clone(), text.into_bytes()).unwrap()
    });
    format.read(Arc::new(Bundle { members: members.collect() })).swap_remove(0)
}

/// A line of Claude Code; the first letter of its id tells its file.
fn line(kind: &str, id: &str, content: Value) -> Value {
    json!({ "type": kind, "uuid": id, "sessionId": "s1", "cwd": "/w",
        "timestamp": "2026-03-01T10:00:00.000Z", "message": { "role": kind, "content": content } })
}

fn claude(lines: Vec<Value>) -> Session {
    session("claude-code", &[("s1.jsonl", Stream::Main, lines)])
}

fn called(name: &str, input: Value, answer: Value) -> Session {
    claude(vec![
        line("user", "m1", json!("go")),
        line(
            "assistant",
            "m2",
            json!([{ "type": "tool_use", "id": "t1", "name": name,
            "input": input }]),
        ),
        line("user", "m3", json!([answer])),
    ])
}

fn result(content: Value, bad: bool) -> Value {
    json!({ "type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": bad })
}

fn pictured(data: &str) -> Value {
    json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png",
        "data": data } })
}

/// A plan that the person may accept is typeset as an answer is, not folded as an input.
#[test]
fn what_a_call_shows_to_the_person_is_text() {
    let plan = json!({ "plan": "# The lamp\n\n- find **the wire**\n- mend it" });
    let session = called("ExitPlanMode", plan, result(json!("accepted"), false));
    let page = page(&session);
    assert!(page.contains("<li>find <strong>the wire</strong></li>"), "{page}");
    let call = page.split("ExitPlanMode").next().unwrap().rsplit("<details").next().unwrap();
    assert!(call.starts_with(" open>"), "{call}");
    assert!(!page.contains("no result"), "{page}");
    let text = text(&session);
    assert!(text.contains("\n- find **the wire**\n"), "{text}");
    assert!(!text.contains("plan:"), "{text}");
    // What else the call says is not lost.
    let both = json!({ "plan": "mend it", "allowedPrompts": ["run the tests"] });
    let both = called("ExitPlanMode", both, result(json!("accepted"), false));
    for form in [pages::page(&both), pages::text(&both)] {
        assert!(form.contains("run the tests") && form.matches("mend it").count() == 1, "{form}");
    }
    // The end of a task of Cline, which nothing answers.
    let said = "It blinks:\n\n1. *once*\n2. twice";
    let done = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "t1",
        "name": "attempt_completion", "input": { "result": said } }] });
    let task =
        json!({ "role": "user", "content": [{ "type": "text", "text": "<task>\ngo\n</task>" }] });
    let all = format!("[{task},{done}]");
    let name = "tasks/1/api_conversation_history.json";
    let member = Member::new(name.to_owned(), Stream::Main, all.into_bytes()).unwrap();
    let format = formats::ALL.iter().find(|format| format.name() == "cline").unwrap();
    let session = format.read(Arc::new(Bundle { members: vec![member] })).swap_remove(0);
    let page = pages::page(&session);
    assert!(page.contains("<li><em>once</em></li>") && !page.contains("no result"), "{page}");
    let text = pages::text(&session);
    assert!(text.contains("\n1. *once*\n") && !text.contains("no result"), "{text}");
}

#[test]
fn a_picture_is_in_the_page_by_its_own_bytes() {
    let prompt = json!([{ "type": "text", "text": "look" }, pictured(PNG)]);
    let beside =
        called("Read", json!({ "file_path": "/w/a.png" }), result(json!([pictured(PNG)]), false));
    let img = Regex::new(
        "<img src=\"data:image/png;base64,[A-Za-z0-9+/=]+\" alt=\"picture 1 of 1, png, 70 B\" \
         width=\"1\" height=\"1\" loading=\"lazy\">",
    );
    let img = img.unwrap();
    for session in [claude(vec![line("user", "m1", prompt)]), beside] {
        let page = page(&session);
        assert!(img.is_match(&page) && page.contains("img-src data:"), "{page}");
        assert!(text(&session).contains("\u{25a3} image png"));
    }
    // A drawing can hold scripts: it is no picture, whatever type is declared.
    use base64::Engine as _;
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    let svg = base64::engine::general_purpose::STANDARD.encode(svg);
    let page = page(&claude(vec![line("user", "m1", json!([pictured(&svg)]))]));
    assert!(!page.contains("<img") && page.contains("\u{25a3} image png"), "{page}");
}

#[test]
fn an_edit_is_a_diff_with_counts() {
    let input = json!({ "file_path": "/w/src/price.rs", "old_string": "let a = 1;\nlet b = 1;",
        "new_string": "let a = 2;\nlet b = 1;" });
    let good = called("Edit", input.clone(), result(json!("The file has been updated"), false));
    let (html, markdown) = (page(&good), text(&good));
    assert!(
        html.contains("<del>-let a = 1;\n</del><ins>+let a = 2;\n</ins> let b = 1;\n"),
        "{html}"
    );
    assert!(html.contains("<span class=\"change\">+1 \u{2212}1</span>"), "{html}");
    assert!(html.contains("<span class=\"target\">src/price.rs</span>"), "{html}");
    let diff = "  ```diff\n  -let a = 1;\n  +let a = 2;\n   let b = 1;\n  ```";
    assert!(markdown.contains(diff), "{markdown}");
    assert!(markdown.contains("\u{2713} **Edit** `src/price.rs` +1 \u{2212}1"), "{markdown}");
    // One that failed changed nothing: it shows what was asked, and why it failed.
    let bad = called("Edit", input, result(json!("no such text"), true));
    let html = page(&bad);
    assert!(html.contains("as the call asks") && html.contains("no such text"), "{html}");
    assert!(!html.contains("1 file +1"), "{html}");
}

#[test]
fn a_patch_of_another_agent_is_the_same_diff() {
    let patch = "*** Begin Patch\n*** Update File: src/price.rs\n@@\n-let a = 1;\n+let a = 2;\n\
                 *** End Patch";
    let item = |payload: Value| {
        json!({ "timestamp": "2026-02-23T21:58:00.000Z", "type": "response_item",
            "payload": payload })
    };
    let meta = json!({ "timestamp": "2026-02-23T21:57:32.000Z", "type": "session_meta",
        "payload": { "id": "019c69e3-e30f-7ee3-9643-335577d8d31d", "cwd": "/w",
            "timestamp": "2026-02-23T21:57:32.000Z", "originator": "x", "cli_version": "0.1" } });
    let said = json!({ "type": "message", "role": "user",
        "content": [{ "type": "input_text", "text": "hi" }] });
    let call = json!({ "type": "custom_tool_call", "call_id": "c", "name": "apply_patch",
        "input": patch });
    let output = json!({ "type": "custom_tool_call_output", "call_id": "c", "output": "Done" });
    let lines = vec![meta, item(said), item(call), item(output)];
    let session = session("codex", &[("rollout-a.jsonl", Stream::Main, lines)]);
    assert!(text(&session).contains("\n  -let a = 1;\n  +let a = 2;\n"), "{}", text(&session));
    assert!(page(&session).contains("<del>-let a = 1;\n</del><ins>+let a = 2;\n</ins>"));
}

#[test]
fn a_sub_agent_is_told_within_its_call_by_its_task() {
    let task = json!({ "description": "Look at prices", "prompt": "look", "subagent_type": "X" });
    let mut answer = line("user", "m3", json!([result(json!("seen"), false)]));
    answer["toolUseResult"] = json!({ "agentId": "ad74e41b", "status": "completed" });
    let call = json!({ "type": "tool_use", "id": "t1", "name": "Task", "input": task });
    let main = vec![
        line("user", "m1", json!("please fix it")),
        line("assistant", "m2", json!([call])),
        answer,
        line("assistant", "m4", json!([{ "type": "text", "text": "done" }])),
    ];
    let mut side = vec![
        line("user", "a1", json!("look")),
        line("assistant", "a2", json!([{ "type": "text", "text": "SIDE TEXT" }])),
    ];
    for line in &mut side {
        (line["isSidechain"], line["agentId"]) = (json!(true), json!("ad74e41b"));
    }
    let stream = Stream::Sub("agent-ad74e41b".into());
    let members = [("s1.jsonl", Stream::Main, main), ("agent-ad74e41b.jsonl", stream, side)];
    let session = session("claude-code", &members);
    let html = page(&session);
    let at = |word: &str| html.rfind(word).unwrap_or_else(|| panic!("{word}: {html}"));
    assert!(at("Look at prices</span>") < at("<p>SIDE TEXT"), "{html}");
    assert!(at("<p>SIDE TEXT") < at("<p>done"), "{html}");
    let heads = Regex::new("(?s)<(?:h\\d|summary)\\b[^>]*>.*?</(?:h\\d|summary)>").unwrap();
    assert!(heads.find_iter(&html).all(|head| !head.as_str().contains("ad74e41b")), "{html}");
    let markdown = text(&session);
    let within = "<details><summary>what the sub-agent did</summary>";
    let (from, side) = (markdown.find(within), markdown.find("\n  SIDE TEXT"));
    assert!(from.unwrap() < side.unwrap(), "{markdown}");
    let depths = Transcript::of(&session, Detail::Whole).map(|item| item.depth);
    assert_eq!(depths.collect::<Vec<_>>(), [0, 0, 1, 1, 0]);
}

#[test]
fn what_the_agent_put_around_a_prompt_is_beside_it() {
    let around =
        "<ide_opened_file>The user opened /w/a.rs in the IDE.</ide_opened_file>\nfix **it**";
    let session = claude(vec![line("user", "m1", json!(around))]);
    let (html, markdown) = (page(&session), text(&session));
    assert!(html.contains("<title>fix it</title>") && html.contains("The user opened"), "{html}");
    assert!(html.contains("<a href=\"#turn-1\">1</a> fix it</h2>"), "{html}");
    assert!(markdown.starts_with("# fix it\n") && markdown.contains("ide_opened_file"));
    let picture = claude(vec![line("user", "m1", json!([pictured(PNG)]))]);
    assert!(page(&picture).contains("<a href=\"#turn-1\">1</a> \u{25a3} picture</h2>"));
}

/// The lines of diffs, against those that the bytes of all samples and real sessions ask for: each
/// inserted line of an edit is a line of its new text.
#[test]
fn lines_of_diffs_are_those_of_the_call() {
    let mut edits = 0;
    for session in pages::samples_with("") {
        for item in Transcript::of(&session, Detail::Brief).with_changes() {
            let Body::Call(call) = &item.body else { continue };
            for file in &call.files {
                let all = file.lines.iter();
                let signs = all.filter(|line| matches!(line.sign, '+' | '-')).count();
                assert_eq!(signs, file.inserted + file.deleted);
                assert_eq!(signs == 0, counts(std::slice::from_ref(file)).is_none());
            }
            edits += usize::from(!call.files.is_empty());
        }
    }
    assert!(edits > 20, "{edits}");
}

#[test]
fn a_call_shows_how_long_it_took_by_the_times_of_its_records() {
    let mut lines = vec![
        line("user", "m1", json!("paint")),
        line(
            "assistant",
            "m2",
            json!([{ "type": "tool_use", "id": "t1", "name": "Bash",
            "input": { "command": "make doors" } }]),
        ),
        line("user", "m3", json!([result(json!("painted"), false)])),
    ];
    lines[1]["timestamp"] = json!("2026-03-01T10:00:05.000Z");
    lines[2]["timestamp"] = json!("2026-03-01T10:00:42.000Z");
    let page = page(&claude(lines));
    let call = page.split("<summary>").find(|part| part.contains("make doors")).unwrap();
    assert!(call.split("</summary>").next().unwrap().contains("37 s"), "{call}");
}

#[test]
fn bare_addresses_are_links_in_pages_and_whole_in_markdown() {
    let asked = "see https://shop.example/find?colour=red&size=2 (and `https://code.example/`)";
    let session = claude(vec![line("user", "m1", json!(asked))]);
    let page = page(&session);
    assert!(page.contains("href=\"https://shop.example/find?colour=red&amp;size=2\""), "{page}");
    assert!(!page.contains("href=\"https://code.example"), "code stays code");
    let text = text(&session);
    assert!(text.contains("see https://shop.example/find?colour=red&size=2 "), "{text}");
    let marked = text_of("a &amp;copy; b &amp;#38; c & d &x e");
    assert!(marked.contains("a &amp;copy; b &amp;#38; c & d &x e"), "{marked}");
}

fn text_of(prompt: &str) -> String {
    text(&claude(vec![line("user", "m1", json!(prompt))]))
}

/// A record of Codex of a kind.
fn record(kind: &str, payload: Value) -> Value {
    json!({ "timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload })
}

/// A session of Codex with a script, and what the agent records while it runs.
fn script(code: &str, meanwhile: Vec<Value>) -> Session {
    let said = json!([{ "type": "input_text", "text": "Count the hens" }]);
    let meta = json!({ "id": "019f690c-8f7b-7631-86d1-935c66dbf4f4", "cwd": "/w",
        "originator": "codex_cli", "cli_version": "0.144.2" });
    let item = |payload: Value| record("response_item", payload);
    let mut lines = vec![
        record("session_meta", meta),
        item(json!({ "type": "message", "role": "user", "content": said })),
        item(json!({ "type": "custom_tool_call", "status": "completed", "call_id": "c1",
            "name": "exec", "input": code })),
    ];
    lines.extend(meanwhile);
    lines.push(item(json!({ "type": "custom_tool_call_output", "call_id": "c1", "output": "12" })));
    session("codex", &[("rollout.jsonl", Stream::Main, lines)])
}

/// A patch that a script applies has a record of its end and none of its call.
#[test]
fn a_patch_within_a_script_changes_a_file() {
    let patched = |success: bool| {
        let diff = "@@ -1,2 +1,3 @@\n hens\n-ten\n+twelve\n+ducks\n";
        let changes = json!({ "/w/barn.md": { "type": "update", "unified_diff": diff } });
        let end = record(
            "event_msg",
            json!({ "type": "patch_apply_end", "call_id": "exec-1", "success": success,
                "stdout": "Success. Updated the following files:\nM /w/barn.md\n", "stderr": "",
                "changes": changes }),
        );
        script("await tools.apply_patch(patch)", vec![end])
    };
    let made = patched(true);
    let (drawn, marked) = (page(&made), text(&made));
    for sum in ["1 call: edited 1", "1 file +2 \u{2212}1"] {
        assert!(drawn.contains(sum) && marked.contains(sum), "{sum}: {drawn}\n{marked}");
    }
    assert!(drawn.contains("Files changed (1)") && marked.contains("Files changed (1)"));
    assert!(drawn.contains("twelve") && marked.contains("+twelve"), "{drawn}\n{marked}");
    assert!(marked.contains("**result** `barn.md` +2 \u{2212}1"), "{marked}");
    // A server draws some turns of a session, and they have it too.
    let mut turns = Vec::new();
    let sums = TurnSum::all(&made, None, &|_| None);
    sections(&made, &sums, (0, u64::MAX), &mut turns).unwrap();
    assert!(String::from_utf8(turns).unwrap().contains("twelve"));
    assert!(!page(&patched(false)).contains("1 file +2"), "a patch that failed is counted");
}

/// The tool of a server has its own name. A script is named by its first command, and counted once.
#[test]
fn calls_have_short_names() {
    let page_of = |name: &str, input: Value| page(&called(name, input, result(json!("ok"), false)));
    let tool = page_of("mcp__disk__write_file", json!({ "path": "a.md" }));
    let name = "<b class=\"name\">write_file</b> <span class=\"server\">disk</span>";
    assert!(tool.contains(name), "{tool}");
    for plain in ["mcp__disk", "mcp____x", "mcp_a__b"] {
        let tool = page_of(plain, json!({ "path": "a.md" }));
        assert!(tool.contains(&format!("<b class=\"name\">{plain}</b>")), "{plain}");
    }
    for (code, target, did) in [
        (
            "const r = await tools.exec_command({cmd:\"ls hens\\nwc\"});text(r.output)",
            "ls hens",
            "ran 1",
        ),
        (
            "await Promise.all([tools.exec_command({ cmd: 'ls' }), \
             tools.exec_command({ cmd: 'pwd' })])",
            "ls \u{b7} 1 more",
            "ran 1",
        ),
        ("await tools.apply_patch(patch)", "apply_patch", "edited 1"),
        ("await tools.write_stdin({ session_id: 1 })", "write_stdin", "other 1"),
        ("text(1 + 2)", "text(1 + 2)", "other 1"),
    ] {
        let page = page(&script(code, Vec::new()));
        let name = format!("<b class=\"name\">exec</b> <span class=\"target\">{target}</span>");
        assert!(page.contains(&name), "{target}: {page}");
        assert!(page.contains(&format!("1 call: {did}<")), "{did}: {page}");
    }
}

/// A path within the session's folder is shown relative to it, with the separators of any system.
#[test]
fn targets_are_relative_to_the_folder() {
    for (folder, path) in
        [("/w/shop", "/w/shop/src/a.rs"), ("C:\\w\\shop", "C:\\w\\shop\\src\\a.rs")]
    {
        let line = |kind: &str, content: Value| {
            format!(
                "{}\n",
                json!({ "type": kind, "uuid": kind, "sessionId": "s1", "cwd": folder,
                "timestamp": "2026-03-01T10:00:00.000Z",
                "message": { "role": kind, "content": content } })
            )
        };
        let call = json!([{ "type": "tool_use", "id": "t1", "name": "Read",
            "input": { "file_path": path } }]);
        let page =
            page(&pages::read(line("user", json!("Count the hens")) + &line("assistant", call)));
        let target = &path[folder.len() + 1..];
        assert!(page.contains(&format!("<span class=\"target\">{target}</span>")), "{page}");
    }
}
