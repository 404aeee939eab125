//! `verbatim man`: the manual pages.

use std::path::PathBuf;

use clap_mangen::Man;
use session::Sorting as _;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::notes;
use crate::options::Global;
use crate::terminal::Plain;

/// Print a manual page, or write all of them into a folder
///
/// `man` finds them in `~/.local/share/man/man1`. A package of verbatim has them already.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The command whose page it is: `show`, `archive restore`; without one, the page of verbatim
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write the page of every command into this folder instead
    #[arg(short = 'o', long, value_name = "FOLDER", conflicts_with = "command")]
    output: Option<PathBuf>,
}

/// Prints the page of a command of `root`, or writes all pages.
pub(crate) fn run(
    args: &Args,
    root: clap::Command,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if global.json {
        return Err(Failure::Usage(
            "`man` has no `--json`: its output is for `man`".into(),
            "leave `--json` out".into(),
        ));
    }
    let pages = pages(root)?;
    let Some(folder) = &args.output else {
        let name = [&["verbatim".to_owned()], &*args.command].concat().join("-");
        let Some((_, page)) = pages.into_iter().find(|(of, _)| *of == name) else {
            let what = format!("there is no command `{}`", args.command.join(" "));
            return Err(Failure::Usage(what, "`verbatim help` lists the commands".into()));
        };
        env.out.write_all(&page)?;
        return Ok(Exit::Good);
    };
    let mut saved = Vec::new();
    for (name, page) in pages {
        saved.push(store::save(&folder.join(format!("{name}.1")), &page, true)?);
    }
    let pages = counted(saved.len() as u64, "manual page", "manual pages");
    notes::say(Plain::line(&format!("wrote {pages} into {}", folder.display())), env)?;
    notes::made(&saved, env)?;
    Ok(Exit::Good)
}

/// The page of each command, by its name: `verbatim-archive-restore`.
fn pages(mut root: clap::Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    root.build();
    let mut pages = Vec::new();
    let mut left = vec![&root];
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands().filter(|below| below.get_name() != "help"));
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let mut page = Vec::new();
        // A page has no date: equal programs print equal pages.
        let man = Man::new(command.clone()).title(name).date("").source("verbatim");
        man.render(&mut page)?;
        pages.push((name.to_owned(), page));
    }
    pages.in_order();
    Ok(pages)
}
