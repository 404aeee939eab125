//! The commands, and their kinds: those that can be cancelled, and those that ask the index.

use clap::Subcommand;

use crate::{
    archive_command, attribution, blame, check, completions, convert, demo, doctor, export,
    fidelity, key, list, log, man, mcp, migrate, query, receipt, redact, resume, rows, scan,
    search, serve, show, sign, stats, sync, usage, validate, verify,
};

/// The commands: those of every day first, then in the groups of the help.
#[derive(Subcommand)]
pub(super) enum Command {
    List(list::Args),
    Search(search::Args),
    Show(show::Args),
    Resume(resume::Args),
    Export(export::Args),
    Usage(usage::Args),
    Serve(serve::Args),
    Stats(stats::Args),
    Blame(blame::Args),
    Attribution(attribution::Args),
    Query(query::Args),
    Rows(rows::Args),
    Mcp(mcp::Args),
    Convert(convert::Args),
    Migrate(migrate::Args),
    Fidelity(fidelity::Args),
    Scan(scan::Args),
    Redact(redact::Args),
    Check(check::Args),
    Receipt(receipt::Args),
    Key(key::Args),
    Sign(sign::Args),
    Verify(verify::Args),
    Log(log::Args),
    Validate(validate::Args),
    Sync(sync::Args),
    Archive(archive_command::Args),
    Doctor(doctor::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Whether it runs as a job that Ctrl-C cancels. Others end at once, or answer signals
    /// themselves.
    pub(super) const fn is_job(&self) -> bool {
        match self {
            Self::Check(_)
            | Self::Convert(_)
            | Self::Resume(_)
            | Self::Fidelity(_)
            | Self::Scan(_)
            | Self::Redact(_)
            | Self::Export(_)
            | Self::Usage(_)
            | Self::Stats(_)
            | Self::Blame(_)
            | Self::Query(_)
            | Self::Rows(_)
            | Self::Search(_) => true,
            Self::Sync(args) => !args.watches(),
            _ => false,
        }
    }

    /// Whether it answers from the index where that knows a file as it is.
    pub(super) const fn reads_index(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Search(_)
                | Self::Show(_)
                | Self::Usage(_)
                | Self::Blame(_)
                | Self::Query(_)
        )
    }
}
