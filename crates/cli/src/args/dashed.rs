//! Arguments that begin with `-` and are no options.

use std::ffi::OsString;

/// Moves arguments that begin with `-` but are not options behind a `--`, where nothing is an
/// option. An id that is made from a path begins so (`-home-ana-tide-`).
pub(super) fn dashed(args: Vec<OsString>, root: &clap::Command) -> Vec<OsString> {
    let named = |arg: &OsString| root.find_subcommand(arg.to_str()?);
    let Some(command) = args.iter().skip(1).find_map(named) else { return args };
    let options = || command.get_arguments().chain(root.get_arguments());
    let takes = |option: &clap::Arg| option.get_action().takes_values() && !option.is_positional();
    let (mut before, mut ids, mut behind) = (Vec::new(), Vec::new(), Vec::new());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            behind.extend(args);
            break;
        }
        let text = arg.to_string_lossy();
        let named = |option: &clap::Arg| {
            option.get_long().is_some_and(|long| text == format!("--{long}"))
                || option.get_short().is_some_and(|short| text == format!("-{short}"))
        };
        // The value of an option is the next argument.
        let with_value = options().any(|option| takes(option) && named(option));
        let short = |name: char| name == 'h' || options().any(|it| it.get_short() == Some(name));
        let rest = text.strip_prefix('-').filter(|rest| rest.len() > 1 && !rest.starts_with('-'));
        let is_id = rest.is_some_and(|rest| {
            let value =
                options().find(|it| it.get_short() == rest.chars().next()).is_some_and(takes);
            // `-oFILE` is an option with its value. If such an argument also ends with `-`, it is
            // an id that is made from a path.
            if value { rest.ends_with('-') } else { !rest.chars().all(short) }
        });
        match is_id {
            true => ids.push(arg),
            false => before.push(arg),
        }
        if with_value {
            before.extend(args.next());
        }
    }
    if !ids.is_empty() || !behind.is_empty() {
        before.push("--".into());
    }
    [before, ids, behind].concat()
}
