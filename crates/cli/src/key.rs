//! `verbatim key`: keys that sign, and keys that are trusted.

use std::path::PathBuf;

use ::sign::{KeyType, PublicKey};
use attest::{Error, KnownKey, OwnKey, Standing};
use serde::Serialize;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::json;
use crate::options::Global;
use crate::terminal::Plain;

/// Make the keys that sign, and list those that you trust
///
/// A key is a file that only you can read (PKCS#8 PEM, below ~/.config/verbatim/keys), or a key
/// in your ssh agent, which `sign --key SHA256:…` uses without seeing it. The keys that you trust
/// are lines of ~/.config/verbatim/trust.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a key; its public half is printed, for those who verify
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
    /// List your keys and those that you trust
    List,
    /// Print the public key of this name (PEM)
    Show {
        /// Its name
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
    kind: &'static str,
    fingerprint: String,
    ssh_fingerprint: String,
    issuer: String,
    public_key: String,
}

/// Several keys.
#[derive(Serialize)]
struct Rows {
    schema: &'static str,
    keys: Vec<Row>,
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let keys = attest::Keys::of(&env.machine)?;
    let known = match &args.action {
        Action::New { name, p256, issuer } => {
            let key_type = if *p256 { KeyType::P256 } else { KeyType::Ed25519 };
            let random = random()?;
            let OwnKey { path, known } = keys.make(name, key_type, issuer.as_deref(), &random)?;
            let path = path.display().to_string();
            writeln!(env.err, "wrote {}; keep it, nobody else may read it", Plain::line(&path))?;
            vec![known]
        }
        Action::Show { name } => {
            let is = |known: &KnownKey| known.name == *name || known.key.fingerprint() == *name;
            let Some(known) = keys.known()?.into_iter().find(is) else {
                let what = format!("there is no key `{name}`");
                return Err(Failure::Refused(what, "`verbatim key list` lists them".into()));
            };
            vec![known]
        }
        Action::List => keys.known()?,
        Action::Trust { file, name, issuer } => {
            vec![keys.trust(name, public(file)?, issuer.as_deref())?]
        }
        Action::Distrust { name } => vec![keys.distrust(name)?],
    };
    if global.json {
        let keys = known.iter().map(row).collect();
        json::write(env.out, &Rows { schema: "verbatim-keys-1", keys })?;
        return Ok(Exit::Good);
    }
    for known in &known {
        match &args.action {
            Action::New { .. } | Action::Show { .. } => write!(env.out, "{}", known.key.pem())?,
            _ => {
                let row = row(known);
                let line = format!(
                    "{:<8} {:<8} {}  {}  {}",
                    row.standing, row.kind, row.fingerprint, row.name, row.issuer
                );
                writeln!(env.out, "{}", Plain::line(&line))?;
            }
        }
    }
    match &args.action {
        Action::List if known.is_empty() => {
            writeln!(env.err, "there is no key; make one: `verbatim key new NAME`")?;
        }
        Action::Distrust { .. } => writeln!(env.err, "it is no longer trusted")?,
        _ => {}
    }
    Ok(Exit::Good)
}

fn row(known: &KnownKey) -> Row {
    Row {
        name: known.name.clone(),
        standing: match known.standing {
            Standing::Own => "own",
            Standing::Trusted => "trusted",
            Standing::Given => "given",
        },
        kind: known.key.key_type().name(),
        fingerprint: known.key.fingerprint(),
        ssh_fingerprint: known.key.ssh_fingerprint(),
        issuer: known.issuer.clone(),
        public_key: known.key.pem(),
    }
}

/// The public key in a file.
pub(crate) fn public(file: &std::path::Path) -> Result<PublicKey, Failure> {
    let bytes = catalog::whole(file).map_err(|error| Failure::File(file.into(), error))?;
    PublicKey::read(&bytes).map_err(|fault| {
        let what = format!("{}: {fault}", file.display());
        Failure::Refused(what, "`verbatim key show NAME` prints one".into())
    })
}

/// Random bytes of the system.
pub(crate) fn random() -> Result<[u8; 32], Failure> {
    let mut random = [0; 32];
    let failed = |error: getrandom::Error| Failure::Stream(std::io::Error::other(error));
    getrandom::fill(&mut random).map_err(failed)?;
    Ok(random)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Io { path, source } => Self::File(path, source),
            Error::Store(error) => error.into(),
            Error::Refused { what, hint } => Self::Refused(what, hint),
        }
    }
}
