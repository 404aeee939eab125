//! `verbatim serve`: the sessions of this machine in a browser, and for programs.

use std::path::{Path, PathBuf};

use catalog::Machine;
use operations::attest::{Keys, KnownKey};
use redact::{Profile, Redactor};
use serve::mcp::Asked;
use serve::{Hands, Served};
use session::UtcTime;

use crate::environment::{self, Environment, with_machine};
use crate::exit::{Exit, Failure};
use crate::indexing;
use crate::notes::say;
use crate::options::Global;
use crate::redaction::RedactionArgs;
use crate::resume;
use crate::terminal::Plain;
use crate::zone::Zone;

/// Look at your sessions in a browser; programs ask the same server
///
/// The server listens on 127.0.0.1 alone. It prints an address that lets one browser in, once and
/// for ten minutes. Programs send the token of a file that only you can read, as `Authorization:
/// Bearer`; `/v1/openapi.json` describes what they can ask. Nothing is indexed or copied first, and
/// nothing is written but by the action that continues a session elsewhere. Ctrl-C ends it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Open the address in the browser
    #[arg(long)]
    open: bool,
    /// The port to listen on (default: a free one)
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    port: u16,
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
    if global.json {
        return Err(Failure::Usage(
            "`serve` has no `--json`: its answers under `/v1` are JSON".into(),
            "`list`, `show` and the other commands have it".into(),
        ));
    }
    if let Some(missing) = args.within.iter().find(|path| crate::what::is_missing(path)) {
        return Err(Failure::NoFile(missing.display().to_string()));
    }
    let within: Vec<PathBuf> = args.within.iter().map(|path| catalog::absolute(path)).collect();
    let hands = hands(env, within.clone(), no_index);
    let state = env.machine.state();
    let token = state.as_ref().map(|state| state.join("serve.token"));
    let served = Served {
        formats: formats::ALL,
        machine: env.catalog().machine,
        within,
        port: args.port,
        token: token.clone(),
        hands,
    };
    let mut printed = Ok(());
    let ran = serve::run(served, &mut |address| {
        printed = tell(address, token.as_deref(), env);
        if args.open {
            open(address, state.as_deref(), env);
        }
    });
    printed?;
    ran.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => Failure::Refused(
            format!("another program listens on port {}", args.port),
            "name another one: `--port NUMBER`; without it, a free one is chosen".into(),
        ),
        _ => Failure::Refused(format!("the server can't start: {error}"), HINT.into()),
    })?;
    Ok(Exit::Good)
}

/// The next step if the server can't start.
const HINT: &str = "the file of the token must be yours alone: remove it, and a new one is made";

/// Prints the address, and the place of the token.
fn tell(address: &str, token: Option<&Path>, env: &mut Environment<'_>) -> Result<(), Failure> {
    // The address is for people and programs that read the output.
    writeln!(env.out, "{address}")?;
    env.out.flush()?;
    say(Plain::ours("This address lets one browser in, once and for ten minutes."), env)?;
    if let Some(token) = token {
        let what = format!("Programs use the token in {}", token.display());
        say(Plain::line(&what), env)?;
    }
    say(Plain::ours("Ctrl-C ends the server."), env)?;
    Ok(())
}

/// Opens the address in the browser, by a page that leads to it: the arguments of a program can be
/// seen by everybody on the machine.
fn open(address: &str, state: Option<&Path>, env: &mut Environment<'_>) {
    let Some(state) = state else { return };
    let path = state.join("serve.html");
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" \
         content=\"0;url={address}\"><title>verbatim</title>\n"
    );
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = store::save(&path, page.as_bytes(), true).map_err(|error| error.to_string());
    let started = started.and_then(|_| {
        let mut command = std::process::Command::new(program);
        command.arg(&path).stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command.spawn().map_err(|error| format!("{program}: {error}"))
    });
    if let Err(why) = started {
        let _ = say(Plain::line(&format!("note: the browser was not opened: {why}")), env);
    }
}

/// The abilities that depend on the environment.
fn hands(env: &Environment<'_>, within: Vec<PathBuf>, no_index: bool) -> Hands {
    let zone = Zone::of(env, false);
    let (for_redactor, for_keys, for_asked) =
        (env.machine.clone(), env.machine.clone(), env.machine.clone());
    let index = indexing::opener(env);
    Hands {
        offset: Box::new(move |time| zone.offset(time)),
        line: resume::line,
        redactor: Box::new(move || redactor(&for_redactor)),
        keys: Box::new(move || keys(&for_keys)),
        index: Box::new(move || if no_index { None } else { index() }),
        asked: Box::new(move || asked(&for_asked, within.clone(), no_index)),
    }
}

/// The time for which a session counts as one that is being written, behind its last change.
const RUNNING: i64 = 5 * 60 * 1_000_000;

/// All that the answers to agents over HTTP need.
fn asked(machine: &Machine, within: Vec<PathBuf>, no_index: bool) -> Result<Asked, String> {
    let keys = keys(machine)?;
    let since = || UtcTime(environment::now().0 - RUNNING);
    let of = (within, Profile::Share, no_index);
    with_machine(machine, |env| crate::mcp::asked(env, of, keys, since))
        .map_err(|error| error.to_string())
}

/// The redactor of `export`, with a fresh key of its tags.
fn redactor(machine: &Machine) -> Result<Redactor, String> {
    with_machine(machine, |env| RedactionArgs::default().redactor(Profile::Share, env))
        .map_err(|failure| failure.words().0)
}

/// The keys that are known, without those that are damaged.
fn keys(machine: &Machine) -> Result<Vec<KnownKey>, String> {
    let known = Keys::of(machine).and_then(|keys| keys.known());
    known.map(|(known, _)| known).map_err(|error| error.to_string())
}
