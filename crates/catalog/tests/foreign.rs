//! Foreign files are not taken for sessions: files of other programs in agents' folders, similar
//! agents, and every format's samples offered to every other format.

use std::path::{Path, PathBuf};

use formats::{Candidate, Claim, Tail};
use verbatim_catalog::{Found, Root, SkipReason, scan};

const ID: &str = "4c1f6a70-9d2e-4b51-8a3c-6e0f2b7d9a14";

/// Files that belong to no session, in agents' folders and elsewhere.
fn leftovers() -> Vec<(String, String)> {
    let chat = "\
        {\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},\
        {\"role\":\"user\",\"content\":\"Hi\"},\
        {\"role\":\"assistant\",\"content\":\"Hello.\"}]";
    let tuning = format!("{chat}}}\n{chat},\"metadata\":{{\"split\":\"train\"}}}}\n");
    let list = r#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]"#;
    let own = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let mut all = vec![
        own("data/train.jsonl", &tuning),
        own("data/one.json", &format!("{chat},\"metadata\":{{\"id\":\"c1\"}}}}")),
        own("data/prompted.json", &format!("{chat},\"system_prompt\":\"Be brief.\"}}")),
        own("data/session.json", &format!("{chat},\"session_id\":\"s-1\"}}")),
        own("data/queue.json", &format!("{chat},\"draft\":null}}")),
        own("data/chat.json", list),
        own(
            "data/request.json",
            &format!("{chat},\"name\":\"a\",\"model\":\"m\",\"provider\":\"p\"}}"),
        ),
        own(
            "data/log.jsonl",
            "{\"event\":\"started\",\"level\":\"info\",\"timestamp\":\
             \"2026-01-01T00:00:00Z\",\"port\":8080}\n",
        ),
        own("data/order.json", r#"{"session":{"user":"ana"},"items":[{"sku":"A1","count":2}]}"#),
        own("data/basket.json", r#"{"items":[{"sku":"A1","count":2}],"session":{"id":"b7"}}"#),
        own(
            "data/thread.json",
            r#"{"schema_version":2,"id":"t-1","workspace":"shop","model":"x"}"#,
        ),
        own("data/gate.jsonl", "{\"phase\":\"decided\",\"approval_id\":\"a1\"}\n"),
        own("data/export.json", r#"{"format_version":1,"entries":[{"title":"x"}]}"#),
        own(
            "data/conversations.json",
            "\
                [{\"title\":\"VAT\",\"create_time\":1790000000.1,\"mapping\":{\"a\
                \":{\"id\":\"a\",\"message\":null,\"parent\":null,\"children\":[]}\
                }}]",
        ),
        own(
            "data/spans.jsonl",
            "\
                {\"traceId\":\"ab\",\"spanId\":\"cd\",\"name\":\"chat\",\"attribut\
                es\":{\"gen_ai.system\":\"x\"}}\n",
        ),
        own(
            "data/package.json",
            r#"{"name":"shop","version":"1.0.0","type":"module","files":["dist"]}"#,
        ),
    ];
    all.extend(in_agents_folders());
    all.extend(like_ours().into_iter().map(|(_, path, text)| (path, text)));
    all
}

/// Files of other programs in agents' folders, and agents' files there that are not sessions.
fn in_agents_folders() -> Vec<(String, String)> {
    let own = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    vec![
        own(".claude/settings.json", r#"{"permissions":{"allow":["Bash(ls)"]},"model":"opus"}"#),
        own(
            ".claude/projects/viewer-index.json",
            r#"{"version":1,"sessions":{"a":{"title":"x","messages":3}}}"#,
        ),
        own(".claude/projects/-home-ana-shop/export.html", "<html><body>a session</body></html>"),
        own(".claude/statsig/evaluations.json", r#"{"data":"{}","receivedAt":1790000000123}"#),
        own(".codex/config.toml", "model = \"x\"\n"),
        own(".codex/log/tui.log", "2026-01-01T00:00:00Z INFO started\n"),
        own(".codex/mcp.json", r#"{"mcpServers":{"files":{"command":"npx","args":["-y"]}}}"#),
        own(".gemini/settings.json", r#"{"mcpServers":{"files":{"command":"npx"}},"theme":"x"}"#),
        own(".gemini/extensions/x/gemini-extension.json", r#"{"name":"x","version":"1.0.0"}"#),
        own(".cursor/mcp.json", r#"{"mcpServers":{"files":{"url":"http://localhost:1"}}}"#),
        own(".cursor/extensions/extensions.json", r#"[{"identifier":{"id":"a.b"},"version":"1"}]"#),
        own(".local/share/opencode/log/dev.log", "INFO 2026-01-01 service=server started\n"),
        own(".local/share/opencode/bin/node_modules/x/package.json", r#"{"name":"x"}"#),
        own(
            ".config/opencode/opencode.json",
            r#"{"$schema":"x","mcp":{"files":{"type":"local","command":["npx"]}}}"#,
        ),
        own(".codewhale/config.json", r#"{"model":"x","workspace":"/home/ana"}"#),
        own(".sage/settings.json", r#"{"model":"x","provider":"y"}"#),
    ]
}

/// Sessions of similar agents: the agent, the path, and the content.
fn like_ours() -> Vec<(&'static str, String, String)> {
    let iflow = chain(&format!(
        "\
            \"sessionId\":\"session-{ID}\",\"type\":\"user\",\"isSidechain\":f\
            alse,\"message\":{{\"role\":\"user\",\"content\":\"hi\"}}"
    ));
    let mut all = vec![
        of("iFlow CLI", format!(".iflow/projects/-home-ana/session-{ID}.jsonl"), &iflow),
        of("iFlow CLI", format!("copied/session-{ID}.jsonl"), &iflow),
    ];
    all.extend(in_editors());
    all
}

const TIME: &str = "2026-03-01T10:00:00.000Z";

/// A line of a chain.
fn chain(more: &str) -> String {
    format!(
        "{{\"uuid\":\"a1\",\"parentUuid\":null,\"timestamp\":\"{TIME}\",\
         \"cwd\":\"/home/ana\",\"version\":\"0.9.1\",{more}}}\n"
    )
}

/// An agent that was made from another one is known by its home, and elsewhere by its lines.
#[test]
fn an_agent_that_was_made_from_another_is_known_in_its_folder_and_elsewhere() {
    let qwen = [
        chain(&format!(
            "\
            \"sessionId\":\"{ID}\",\"type\":\"user\",\"message\":{{\"role\":\"\
            user\",\"parts\":[{{\"text\":\"hi\"}}]}}"
        )),
        chain(&format!(
            "\
            \"sessionId\":\"{ID}\",\"type\":\"assistant\",\"message\":{{\"role\
            \":\"model\",\"parts\":[{{\"text\":\"Hello.\"}}]}}"
        )),
    ]
    .concat();
    let noted = chain(&format!(
        "\
            \"sessionId\":\"{ID}\",\"type\":\"system\",\"subtype\":\"ui_teleme\
            try\",\"systemPayload\":{{}}"
    )) + &qwen;
    let legacy = format!(
        "\
            {{\"sessionId\":\"{ID}\",\"projectHash\":\"0f\",\"startTime\":\"\
            {TIME}\",\"lastUpdated\":\"{TIME}\",\"messages\":[{{\"id\":\"1\",\
            \"timestamp\":\"{TIME}\",\"type\":\"user\",\"content\":\"hi\"}}]}}"
    );
    let begin = format!("{{\"sessionId\":\"{ID}\",\"startTime\":\"{TIME}\"");
    let document = format!(
        "{begin},\"projectHash\":\"0f\",\"lastUpdated\":\"{TIME}\",\"messages\":[\
         {{\"id\":\"1\",\"type\":\"user\",\"content\":\"hi\"}},\
         {{\"id\":\"2\",\"type\":\"qwen\",\"content\":\"Hello.\"}}]}}"
    );
    for (path, text) in [
        (format!(".qwen/projects/-home-ana/chats/{ID}.jsonl"), &qwen),
        (format!("copied/{ID}.jsonl"), &qwen),
        (format!("copied/noted/{ID}.jsonl"), &noted),
        (format!("copied/projects/-home-ana/{ID}.jsonl"), &noted),
        (".qwen/tmp/0f/chats/session-2026-03-01-4c1f6a70.json".to_owned(), &legacy),
        ("copied/session-2026-03-01T10-00-4c1f6a70.json".to_owned(), &document),
        ("copied/chats/session-2026-03-01-4c1f6a70.json".to_owned(), &document),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), &path, text);
        let sources = found(folder.path()).sources;
        let formats: Vec<&str> = sources.iter().map(|source| source.format.name()).collect();
        assert_eq!(formats, ["qwen"], "{path}");
    }
}

/// The agents that were made from one have its files, and homes of their own.
#[test]
fn a_task_is_of_the_agent_in_whose_folder_it_is() {
    let shown = r#"[{"ts":1790000000123,"type":"say","say":"text","text":"hi"}]"#;
    let said = r#"[{"role":"user","content":[{"type":"text","text":"<task>hi</task>"}]}]"#;
    let kept = "\
        {\"version\":1,\"updated_at\":\"2026-03-01T10:00:00Z\",\"session_i\
        d\":\"s1\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\
        \"system_prompt\":\"x\"}";
    let tasks = ".config/Code/User/globalStorage";
    let (sent, screen) = ("tasks/1/api_conversation_history.json", "tasks/1/ui_messages.json");
    for (agent, path, text) in [
        ("cline", format!("{tasks}/saoudrizwan.claude-dev/{sent}"), said),
        ("cline", "copied/api_conversation_history.json".to_owned(), said),
        ("cline", "copied/task-ui.json".to_owned(), shown),
        ("cline", ".cline/data/sessions/s1/s1.messages.json".to_owned(), kept),
        ("cline", "copied/s1.messages.json".to_owned(), kept),
        ("roo-code", format!("{tasks}/rooveterinaryinc.roo-cline/{sent}"), said),
        ("roo-code", format!("{tasks}/rooveterinaryinc.roo-cline/{screen}"), shown),
        ("kilo-code", format!("{tasks}/kilocode.kilo-code/{screen}"), shown),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), &path, text);
        let sources = found(folder.path()).sources;
        let formats: Vec<&str> = sources.iter().map(|source| source.format.name()).collect();
        assert_eq!(formats, [agent], "{path}");
    }
}

/// A document of an agent that begins like another's is its own, wherever it was copied to.
#[test]
fn a_document_of_chat_messages_is_of_the_agent_that_writes_them() {
    let begin = format!("{{\"sessionId\":\"{ID}\",\"startTime\":\"2026-03-01T10:00:00Z\"");
    let long = "a".repeat(100_000);
    for said in ["hi", &long] {
        let text = format!(
            "{begin},\"chatMessages\":[{{\"role\":\"user\",\"content\":\"{said}\"}}],\
             \"timeline\":[]}}"
        );
        for path in [format!("session_{ID}_1790000000123.json"), "chats/session-1.json".to_owned()]
        {
            let folder = tempfile::tempdir().expect("a folder");
            put(folder.path(), &path, &text);
            let sources = found(folder.path()).sources;
            let formats: Vec<&str> = sources.iter().map(|source| source.format.name()).collect();
            assert_eq!(formats, ["copilot"], "{path}");
        }
    }
}

fn of(agent: &'static str, path: String, text: &str) -> (&'static str, String, String) {
    (agent, path, text.to_owned())
}

/// Sessions of similar agents that run in an editor.
fn in_editors() -> Vec<(&'static str, String, String)> {
    vec![of(
        "Kilo Code",
        ".local/share/kilo/storage/session/p/ses_1.json".to_owned(),
        r#"{"id":"ses_1","projectID":"p"}"#,
    )]
}

fn put(folder: &Path, path: &str, text: &str) -> PathBuf {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, text).expect("a file");
    path
}

fn found(path: &Path) -> Found {
    scan(formats::ALL, &[Root::named(path)])
}

#[test]
fn what_other_programs_leave_is_no_session() {
    for (name, text) in leftovers() {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), &name, &text);
        let found = found(folder.path());
        let claimed = found.sources.first().map(|source| source.format.name());
        assert_eq!(claimed, None, "{name}");
        assert_eq!(found.skipped.len(), 1, "{name}");
        assert!(!found.skipped[0].why.is_failure(), "{name}: {}", found.skipped[0].why);
    }
}

#[test]
fn agents_that_are_alike_are_named_in_their_folder_and_elsewhere() {
    for (agent, name, text) in like_ours() {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), &name, &text);
        let found = found(folder.path());
        let Some(SkipReason::Foreign(told)) = found.skipped.first().map(|skipped| &skipped.why)
        else {
            panic!("{name}: {:?}", found.skipped);
        };
        assert!(told.starts_with(agent), "{name}: {told}");
    }
}

/// The sample files of a format.
fn samples_of(format: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut todo = vec![samples::format(format).join("samples")];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            todo.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|ending| ending != "txt" && ending != "sql") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Agents with the same files: only the folder says whose one is, and a copy is of the first.
const SAME_FILES: [&str; 3] = ["cline", "roo-code", "kilo-code"];

/// No format claims another format's samples, in whatever order the formats are probed. A document
/// that verbatim wrote contains the names of all agents, and no agent's format claims it.
#[test]
fn samples_are_nobody_elses() {
    for format in formats::ALL {
        for path in samples_of(format.name()) {
            let bytes = std::fs::read(&path).expect("a file");
            let shown = path.to_string_lossy().replace('\\', "/");
            // The path among the samples, and the path of a copy in another folder.
            let copied = format!("/srv/backup/{}", shown.rsplit('/').next().unwrap_or_default());
            for path in [&shown, &copied] {
                let candidate = Candidate::of(path, &bytes);
                for other in formats::ALL.iter().filter(|other| other.name() != format.name()) {
                    let is_kin =
                        [format.name(), other.name()].iter().all(|it| SAME_FILES.contains(it));
                    if is_kin && *path == copied {
                        continue;
                    }
                    let claim = other.claim(&candidate);
                    let taken = matches!(claim, Claim::Part { .. });
                    assert!(!taken, "{path}: {} takes it: {claim:?}", other.name());
                }
            }
        }
    }
}

/// An agent may keep its sessions in another agent's folder. Each file is read by the format of its
/// writer.
#[test]
fn two_agents_in_one_folder_are_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = ".claude/projects/-home-ana-shop";
    let said = r#"{"role":"user","content":"hi","timestamp":"2026-01-28T09:00:00+0100"}"#;
    put(folder.path(), &format!("{project}/conversation.jsonl"), &format!("{said}\n"));
    let line = format!(
        "\
            {{\"type\":\"user\",\"uuid\":\"a\",\"parentUuid\":null,\"sessionId\
            \":\"{ID}\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{{\
            \"role\":\"user\",\"content\":\"hi\"}}}}"
    );
    put(folder.path(), &format!("{project}/{ID}.jsonl"), &format!("{line}\n"));
    let mut whose: Vec<&str> =
        found(folder.path()).sources.iter().map(|source| source.format.name()).collect();
    whose.sort_unstable();
    assert_eq!(whose, ["claude-code", "sage"]);
}

/// No agent's format claims the beginning of a document, wherever it is truncated.
#[test]
fn a_document_that_is_cut_is_no_agents() {
    let name = "n".repeat(70_000);
    let record = format!(
        "\
            {{\"version\":\"1\",\"id\":\"x\",\"session\":{{\"agent-meta\":{{\"\
            model-id\":\"x\"}},\"verbatim\":{{\"sessionID\":\"ses_1\",\"messag\
            eID\":\"msg_1\",\"id\":\"ses_1\",\"type\":\"text\",\"{name}\":1}}\
            }}}}"
    );
    for length in (1..600).chain([record.len().min(65_536)]) {
        let head = &record.as_bytes()[..length];
        let length = record.len() as u64;
        let candidate = Candidate { path: "/srv/a.json", head, tail: Tail::Is(b""), length };
        for format in formats::ALL.iter().filter(|format| format.name() != "vac") {
            let claim = format.claim(&candidate);
            let taken = matches!(claim, Claim::Part { .. });
            assert!(!taken, "{} takes {} bytes of it", format.name(), head.len());
        }
    }
}

/// The content decides how a file is read. A document with the name of a log in an agent's folder
/// is still a document.
#[test]
fn a_document_under_the_name_of_a_log_is_read_as_a_document() {
    let sample = "crates/formats/src/agents/gemini/samples/flat/.gemini/tmp/shop/chats/\
        session-2026-03-02T10-11-b7e1c0de.json";
    let text = std::fs::read(samples::workspace().join(sample)).expect("a sample");
    for folder in [".claude/projects/-srv-shop", ".cursor/projects/shop", ".codex/sessions"] {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join(folder).join(format!("{ID}.jsonl"));
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, &text).expect("a file");
        let found = scan(formats::ALL, &[Root::named(home.path())]);
        let names: Vec<&str> = found.sources.iter().map(|source| source.format.name()).collect();
        assert_eq!(names, ["gemini"], "{folder}");
    }
}
