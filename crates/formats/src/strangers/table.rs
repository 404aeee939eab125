//! The folders of agents that are not read, what a session is in each of them, and the source that
//! says so. Tables only. Sessions are counted by names alone.

use crate::place::Base::{self, Application, Data, Home, State};

/// A folder in which an agent that is not read keeps sessions.
#[derive(Clone, Copy, Debug)]
pub struct SessionFolder {
    /// The agent's name.
    pub agent: &'static str,
    /// The base of the folder.
    pub base: Base,
    /// The folder below the base, `/` between parts.
    pub folder: &'static str,
    /// The folders below it that have the sessions: a part `*` is any folder. Empty for the folder
    /// itself.
    pub below: &'static str,
    /// The unit that is a session there.
    pub session: Unit,
    /// The source of these facts.
    pub source: &'static str,
}

/// The unit that is a session in a folder.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// A file whose name ends so.
    Files(&'static [&'static str]),
    /// A folder.
    Folders,
    /// A row of the database with this name. Names don't say how many there are.
    Database(&'static str),
}

use Unit::{Database, Files, Folders};

/// The agents whose files an archive keeps until they are read.
pub const ARCHIVED: &[&str] = &["Antigravity"];

/// Names of files beside sessions that are none.
pub const REGISTERS: &[&str] = &["sessions.json", "index.json"];

const JSON: Unit = Files(&[".json"]);
const LINES: Unit = Files(&[".jsonl"]);
const EITHER: Unit = Files(&[".json", ".jsonl"]);
/// Protocol buffers, and databases of one session each.
const BLOBS: Unit = Files(&[".pb", ".db"]);

/// A reader of many agents, with a table of their folders.
const AGENTSVIEW: &str = "github.com/kenn-io/agentsview, internal/parser/types.go (001b4027)";
const ANTIGRAVITY: &str = "github.com/kenn-io/agentsview, internal/parser/antigravity.go";
const AUGGIE: &str = "the package of Auggie 0.36.0, augment.mjs";
const CODEBUDDY: &str = "github.com/kenn-io/agentsview, internal/parser/codebuddy.go";
const CODEBUFF: &str = "github.com/kenn-io/agentsview, internal/parser/codebuff.go";
const CONTINUE: &str = "github.com/continuedev/continue, core/util/paths.ts";
const CRUSH: &str = "github.com/charmbracelet/crush, internal/config";
const DROID: &str = "github.com/factory-ai/factory-plugins, the skill session-navigation";
const EDITOR: &str = "github.com/microsoft/vscode, chatSessionStore.ts";
const FORGE: &str = "github.com/kenn-io/agentsview, internal/parser/forge.go";
const GOOSE: &str = "the documentation of goose, Logging System";
const KIRO: &str = "github.com/kenn-io/agentsview, internal/parser/kiro.go";
const ROVO: &str = "the documentation of Rovo Dev CLI, sessions.persistenceDir";
const WARP: &str = "github.com/warpdotdev/Warp, its folder of state";
const WINDSURF: &str = "github.com/getagentseal/codeburn and others: files of Cascade, encrypted";

/// The folder of the kernel within the desktop program's.
const KIMI_WORK: &str = "kimi-desktop/daimon-share/daimon/runtime/kimi-code/home/sessions";

const fn kept(
    agent: &'static str,
    (base, folder): (Base, &'static str),
    below: &'static str,
    (session, source): (Unit, &'static str),
) -> SessionFolder {
    SessionFolder { agent, base, folder, below, session, source }
}

/// Every folder, in the order in which they are looked into.
pub fn all() -> impl Iterator<Item = &'static SessionFolder> {
    KEPT.iter()
}

/// A row a folder.
#[rustfmt::skip]
const KEPT: &[SessionFolder] = &[
    kept("iFlow CLI", (Home, ".iflow/projects"), "*", (LINES, AGENTSVIEW)),
    kept("Kilo Code", (Data, "kilo"), "", (Database("kilo.db"), AGENTSVIEW)),
    kept("Antigravity", (Home, ".gemini/antigravity/conversations"), "", (BLOBS, ANTIGRAVITY)),
    kept("Antigravity", (Home, ".gemini/antigravity/brain"), "", (Folders, ANTIGRAVITY)),
    kept("Antigravity", (Home, ".gemini/antigravity-ide/conversations"), "", (BLOBS, ANTIGRAVITY)),
    kept("Antigravity", (Home, ".gemini/antigravity-ide/brain"), "", (Folders, ANTIGRAVITY)),
    kept("Antigravity", (Home, ".gemini/antigravity-cli/conversations"), "", (BLOBS, ANTIGRAVITY)),
    kept("Antigravity", (Home, ".gemini/antigravity-cli/brain"), "", (Folders, ANTIGRAVITY)),
    kept("Amazon Q", (Data, "amazon-q"), "", (Database("data.sqlite3"), KIRO)),
    kept("Amp", (Data, "amp/threads"), "", (JSON, AGENTSVIEW)),
    kept("Auggie", (Home, ".augment/sessions"), "", (JSON, AUGGIE)),
    kept("Codebuff", (Home, ".config/manicode/projects"), "*/chats", (Folders, CODEBUFF)),
    kept("CodeBuddy", (Home, ".codebuddy/projects"), "*", (LINES, CODEBUDDY)),
    kept("Command Code", (Home, ".commandcode/projects"), "*", (LINES, AGENTSVIEW)),
    kept("Continue", (Home, ".continue/sessions"), "", (JSON, CONTINUE)),
    kept("Cortex Code", (Home, ".snowflake/cortex/conversations"), "", (JSON, AGENTSVIEW)),
    kept("Crush", (Data, "crush"), "", (Database("crush.db"), CRUSH)),
    kept("Droid", (Home, ".factory/sessions"), "*", (LINES, DROID)),
    kept("Forge", (Home, ".forge"), "", (Database(".forge.db"), FORGE)),
    kept("Goose", (Data, "goose/sessions"), "", (LINES, GOOSE)),
    kept("Goose", (Data, "goose/sessions"), "", (Database("sessions.db"), GOOSE)),
    kept("gptme", (Data, "gptme/logs"), "", (Folders, AGENTSVIEW)),
    kept("Grok", (Home, ".grok/sessions"), "*", (Folders, AGENTSVIEW)),
    kept("Hermes Agent", (Home, ".hermes/sessions"), "", (EITHER, AGENTSVIEW)),
    kept("IcodeMate", (Data, "icodemate/storage/session_diff"), "", (JSON, AGENTSVIEW)),
    kept("Kimi", (Home, ".kimi/sessions"), "*", (Folders, AGENTSVIEW)),
    kept("Kimi", (Home, ".kimi-code/sessions"), "*", (Folders, AGENTSVIEW)),
    kept("Kimi Work", (Application, KIMI_WORK), "*", (Folders, AGENTSVIEW)),
    kept("Kiro", (Home, ".kiro/sessions/cli"), "", (LINES, AGENTSVIEW)),
    kept("Kiro", (Data, "kiro-cli"), "", (Database("data.sqlite3"), KIRO)),
    kept(
        "Kiro IDE", (Application, "Kiro/User/globalStorage/kiro.kiroagent/workspace-sessions"), "*",
        (JSON, KIRO),
    ),
    kept("MiMoCode", (Data, "mimocode/storage/session_diff"), "", (JSON, AGENTSVIEW)),
    kept("Mistral Vibe", (Home, ".vibe/logs/session"), "", (Folders, AGENTSVIEW)),
    kept("Mistral Vibe", (Home, ".vibe/logs/session"), "", (JSON, AGENTSVIEW)),
    kept("Omnigent", (Home, ".omnigent"), "", (Database("chat.db"), AGENTSVIEW)),
    kept("OpenHands", (Home, ".openhands/conversations"), "", (Folders, AGENTSVIEW)),
    kept("Posit Assistant", (Home, ".posit/assistant/workspaces"), "*", (Folders, AGENTSVIEW)),
    kept(
        "Positron", (Application, "Positron/User/workspaceStorage"), "*/chatSessions",
        (EITHER, AGENTSVIEW),
    ),
    kept("QClaw", (Home, ".qclaw/agents"), "*/sessions", (LINES, AGENTSVIEW)),
    kept("Qoder", (Home, ".qoder/projects"), "*", (LINES, AGENTSVIEW)),
    kept("Qoder", (Home, ".qoderwork/projects"), "*", (LINES, AGENTSVIEW)),
    kept("Reasonix", (Home, ".reasonix/sessions"), "", (LINES, AGENTSVIEW)),
    kept("Rovo Dev", (Home, ".rovodev/sessions"), "", (Folders, ROVO)),
    kept("Shelley", (Home, ".config/shelley"), "", (Database("shelley.db"), AGENTSVIEW)),
    kept("TraeX", (Home, ".trae/cli/sessions"), "*/*/*", (LINES, AGENTSVIEW)),
    kept(
        "VS Code chat", (Application, "Code/User/workspaceStorage"), "*/chatSessions",
        (EITHER, EDITOR),
    ),
    kept(
        "VS Code chat", (Application, "Code - Insiders/User/workspaceStorage"), "*/chatSessions",
        (EITHER, EDITOR),
    ),
    kept(
        "VS Code chat", (Application, "VSCodium/User/workspaceStorage"), "*/chatSessions",
        (EITHER, EDITOR),
    ),
    kept(
        "VS Code chat", (Home, ".vscode-server/data/User/workspaceStorage"), "*/chatSessions",
        (EITHER, EDITOR),
    ),
    kept("Warp", (State, "warp-terminal"), "", (Database("warp.sqlite"), WARP)),
    kept("Windsurf", (Home, ".codeium/windsurf/cascade"), "", (BLOBS, WINDSURF)),
    kept("WorkBuddy", (Home, ".workbuddy/projects"), "*", (LINES, AGENTSVIEW)),
    kept("ZCode", (Home, ".zcode/cli/db"), "", (Database("db.sqlite"), AGENTSVIEW)),
    kept("Zed", (Data, "zed/threads"), "", (Database("threads.db"), AGENTSVIEW)),
    kept("Zencoder", (Home, ".zencoder/sessions"), "", (LINES, AGENTSVIEW)),
];
