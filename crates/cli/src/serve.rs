//! `verbatim serve`: the sessions of this machine in a browser.

use std::path::PathBuf;

use serve::Served;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;

/// Look at your sessions in a browser, on this machine alone
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The port to listen on (default: a free one)
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Look in this folder instead of the agents' own folders
    #[arg(short = 'C', long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args, _: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let served = Served {
        formats: formats::ALL,
        machine: env.catalog().machine,
        within: args.within.clone(),
        port: args.port,
    };
    serve::run(&served, &mut |address| {
        let _ = writeln!(env.err, "http://{address}/");
    })?;
    Ok(Exit::Good)
}
