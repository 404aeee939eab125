//! `verbatim mcp`: what an agent may ask about the sessions of this machine.

use std::path::PathBuf;
use std::sync::LazyLock;

use operations::attest::{Keys, KnownKey};
use redact::Profile;
use redact::rules::Rules;
use serve::mcp::{Asked, serve_stdio};
use session::UtcTime;

use crate::environment::{self, Environment};
use crate::exit::{Exit, Failure};
use crate::indexing;
use crate::key;
use crate::options::Global;
use crate::redaction::{self, ProfileName, RedactionArgs};
use crate::scope::Here;

/// Let an agent ask about your sessions, with the Model Context Protocol
///
/// Answers at standard input and output until the agent closes them. The tools only read:
/// `search_sessions`, `list_sessions`, `get_session`, `find_file_history`, `get_usage`,
/// `get_receipt`, `verify`. Texts of sessions are redacted, and are marked as data that others
/// wrote. Every item has an address that an answer can cite. Sessions of other projects than this
/// folder's, and those that are being written, are left out unless the agent asks for them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the entry for the settings of this agent, and end
    #[arg(long, value_name = "AGENT")]
    config: Option<String>,
    /// Print a skill that teaches an agent the commands, and end
    #[arg(long, conflicts_with = "config")]
    skill: bool,
    /// The values that are taken out of texts
    #[arg(long, value_enum, default_value = "share")]
    profile: ProfileName,
    /// Look in this folder instead of the agents' own folders
    #[arg(short = 'C', long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
}

pub(crate) fn run(
    args: &Args,
    no_index: bool,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if let Some(agent) = &args.config {
        return config(agent, env);
    }
    if args.skill {
        env.out.write_all(SKILL.as_bytes())?;
        return Ok(Exit::Good);
    }
    if global.json {
        let what = "`mcp` has no `--json`: it speaks the Model Context Protocol";
        return Err(Failure::Usage(what.into(), "an agent starts it".into()));
    }
    let keys = key::known(&Keys::of(&env.machine)?, env)?;
    let started = env.now;
    let since = move || started;
    let of = (args.within.clone(), Profile::from(args.profile), no_index);
    serve_stdio(asked(env, of, keys, since)?)?;
    Ok(Exit::Good)
}

/// The skill, in the form that agents share.
const SKILL: &str = include_str!("../skill.md");

/// All that the tools need, for a client in the current folder: the folders to look in, the
/// profile, and whether no index is read.
pub(crate) fn asked(
    env: &Environment<'_>,
    (within, profile, no_index): (Vec<PathBuf>, Profile, bool),
    keys: Vec<KnownKey>,
    since: impl Fn() -> UtcTime + Send + Sync + 'static,
) -> std::io::Result<Asked> {
    let machine = env.catalog().machine;
    let (for_projects, for_redactor) = (machine.clone(), machine.clone());
    let index = indexing::opener(env);
    Ok(Asked {
        formats: formats::ALL,
        machine,
        within,
        folder: std::env::current_dir()?,
        projects: Box::new(move |folder| {
            Here::at(folder, &for_projects).map(|here| here.projects()).unwrap_or_default()
        }),
        since: Box::new(since),
        redactor: LazyLock::new(Box::new(move || {
            let made = |env: &Environment<'_>| RedactionArgs::default().redactor(profile, env);
            environment::with_machine(&for_redactor, made).ok()
        })),
        rules: redaction::without_tags(profile, env).findings_name(&Rules::shipped_version()),
        index: Box::new(move || if no_index { None } else { index() }),
        keys,
        now: environment::now,
        fence: Box::new(fence),
    })
}

/// A word that nobody can guess.
fn fence() -> String {
    let mut random = [0; 16];
    match getrandom::fill(&mut random) {
        Ok(()) => random.iter().map(|byte| format!("{byte:02x}")).collect(),
        // Without randomness no text may leave: this ends the request with an error.
        Err(error) => panic!("the system has no randomness: {error}"),
    }
}

/// Prints the entry for the settings of an agent.
fn config(agent: &str, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let all = || env.formats.iter().map(|format| format.data());
    let takes = || all().filter(|data| data.mcp.is_some()).map(|data| data.name);
    let entry = all().find(|data| data.name == agent).and_then(|data| data.mcp);
    let Some(entry) = entry else {
        let hint =
            format!("the agents that take one are: {}", takes().collect::<Vec<_>>().join(", "));
        return Err(Failure::Usage(format!("`{agent}` is no agent with such an entry"), hint));
    };
    writeln!(env.err, "for {}:", entry.file)?;
    writeln!(env.out, "{}", entry.text)?;
    Ok(Exit::Good)
}
