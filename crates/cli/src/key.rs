//! `verbatim key`: keys that sign, and keys that are trusted.

use std::path::PathBuf;

use ::sign::KeyType;
use operations::attest::{Keys, KnownKey, OwnKey};
use serde::Serialize;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::json;
use crate::notes::say;
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// Make keys that sign, and choose those that you trust
///
/// A key is a file that only you can read (PKCS#8 PEM, in `verbatim/keys` of your settings, as
/// ~/.config), or stays in your ssh agent, where `sign --key SHA256:…` uses it. The keys that you
/// trust are lines of the file `verbatim/trust` there.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a key, and print its public half for those who verify
    New {
        /// Its name
        name: String,
        /// A key of P-256 instead of Ed25519
        #[arg(long)]
        p256: bool,
        /// The URI that you sign as (default: a name made from the key)
        #[arg(long, value_name = "URI")]
        issuer: Option<String>,
    },
    /// List your keys, those in your ssh agent, and those that you trust
    List,
    /// Print a public key (PEM)
    Show {
        /// Its name, or its fingerprint
        name: String,
    },
    /// Trust the public key in a file (PEM, or a line of ssh)
    Trust {
        /// The file
        file: PathBuf,
        /// The name to know it by
        #[arg(long, value_name = "NAME")]
        name: String,
        /// The URI that its owner signs as (default: the name made from the key)
        #[arg(long, value_name = "URI")]
        issuer: Option<String>,
    },
    /// End the trust in a key
    Distrust {
        /// Its name, or its fingerprint
        name: String,
    },
}

/// A key, as it is printed.
#[derive(Serialize)]
struct Row {
    name: String,
    standing: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    fingerprint: String,
    issuer: String,
    public_key: String,
}

/// Several keys.
#[derive(Serialize)]
struct Rows {
    schema: &'static str,
    keys: Vec<Row>,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let keys = Keys::of(&env.machine)?;
    let shown = match &args.action {
        Action::New { name, p256, issuer } => {
            let key_type = if *p256 { KeyType::P256 } else { KeyType::Ed25519 };
            let OwnKey { path, known } = made(&keys, name, key_type, issuer.as_deref())?;
            let text = format!("wrote {}: keep it to yourself", path.display());
            say(Plain::line(&text), env)?;
            vec![known]
        }
        Action::Show { name } => {
            let mut known = known(&keys, env)?;
            known.extend(held(env)?);
            let Some(known) = known.into_iter().find(|known| known.is_called(name)) else {
                let what = format!("there is no key `{name}`");
                return Err(Failure::Refused(what, "`verbatim key list` lists them".into()));
            };
            vec![known]
        }
        Action::List => {
            let mut known = known(&keys, env)?;
            known.extend(held(env)?);
            known
        }
        Action::Trust { file, name, issuer } => {
            vec![keys.trust(name, Keys::public(file)?, issuer.as_deref())?]
        }
        Action::Distrust { name } => vec![keys.distrust(name)?],
    };
    if global.json {
        let keys = shown.iter().map(row).collect();
        json::write(env.out, &Rows { schema: "verbatim-keys-1", keys })?;
        return Ok(Exit::Good);
    }
    match &args.action {
        Action::New { .. } | Action::Show { .. } => {
            shown.iter().try_for_each(|known| write!(env.out, "{}", known.key.pem()))?;
        }
        _ => table(&shown, color, env)?,
    }
    match &args.action {
        Action::List if shown.is_empty() => {
            writeln!(env.err, "there is no key; make one: `verbatim key new NAME`")?;
        }
        Action::Trust { .. } => {
            let file = keys.trust_file().display().to_string();
            writeln!(env.err, "it is trusted now: {}", Plain::line(&file))?;
        }
        Action::Distrust { .. } => writeln!(env.err, "it is no longer trusted")?,
        _ => {}
    }
    Ok(Exit::Good)
}

/// The keys that signatures are verified with. A file that is no key to use is a note: the others
/// are there.
pub(crate) fn known(keys: &Keys, env: &mut Environment<'_>) -> Result<Vec<KnownKey>, Failure> {
    let (known, skipped) = keys.known()?;
    for damaged in skipped {
        let (what, hint) = Failure::from(damaged.error).words();
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        let text = format!("note: the key `{}` is not used: {what}{hint}", damaged.name);
        say(Plain::line(&text), env)?;
    }
    Ok(known)
}

/// The keys in the ssh agent. One that does not answer is a note: the other keys are there.
pub(crate) fn held(env: &mut Environment<'_>) -> Result<Vec<KnownKey>, Failure> {
    match Keys::held(&env.machine) {
        Ok(held) => Ok(held),
        Err(error) => {
            let text = format!("note: the ssh agent does not answer: {error}");
            say(Plain::line(&text), env)?;
            Ok(Vec::new())
        }
    }
}

/// Makes a key of the system's random bytes.
fn made(
    keys: &Keys,
    name: &str,
    key_type: KeyType,
    issuer: Option<&str>,
) -> Result<OwnKey, Failure> {
    Ok(keys.make(name, key_type, issuer, &random()?)?)
}

/// 32 random bytes of the system.
pub(crate) fn random() -> Result<[u8; 32], Failure> {
    let mut random = [0; 32];
    let failed = |error: getrandom::Error| Failure::Stream(std::io::Error::other(error));
    getrandom::fill(&mut random).map_err(failed)?;
    Ok(random)
}

fn row(known: &KnownKey) -> Row {
    Row {
        name: known.name.clone(),
        standing: known.standing.word(),
        kind: known.key.key_type().name(),
        fingerprint: known.key.fingerprint(),
        issuer: known.issuer.clone(),
        public_key: known.key.pem(),
    }
}

fn table(known: &[KnownKey], color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let row = |known: &KnownKey| {
        vec![
            Line::new().say(Style::Normal, known.standing.word()),
            Line::new().put(Style::Name, Plain::line(&known.name)),
            Line::new().say(Style::Normal, known.key.key_type().name()),
            Line::new().tell(Style::Normal, &known.key.fingerprint()),
            Line::new().put(Style::Faint, Plain::line(&known.issuer)),
        ]
    };
    let rows: Vec<Vec<Line>> = known.iter().map(row).collect();
    Ok(Screen::new(env.out, color, env.width).table(&rows, &[])?)
}
