//! `verbatim sync --timer`: what makes the system run `sync` every hour.

use std::collections::BTreeMap;
use std::path::PathBuf;

use catalog::System;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::keeping;
use crate::terminal::Plain;

/// Prints it, with what to do with it.
pub(super) fn print(env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let program = std::env::current_exe()?;
    let program = printed(&program, "this program")?;
    let mut words = vec![program, "sync".to_owned()];
    if let Some(folder) = env.machine.variable(keeping::VARIABLE) {
        let folder = std::path::absolute(PathBuf::from(folder))?;
        words.extend(["--archive".to_owned(), printed(&folder, "the archive")?]);
    }
    let text = match env.machine.system {
        System::Linux => systemd(&words, &variables(env)),
        System::Mac => launchd(&words, &variables(env)),
        System::Windows => windows(&words),
    };
    for line in text.lines() {
        writeln!(env.out, "{}", Plain::line(line))?;
    }
    Ok(Exit::Good)
}

/// A path as text, which a file for the system needs.
fn printed(path: &std::path::Path, what: &str) -> Result<String, Failure> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control));
    text.map(str::to_owned).ok_or_else(|| {
        let hint = "move it to a path of plain letters".to_owned();
        Failure::Refused(format!("{what} has a path that no such file can name"), hint)
    })
}

/// The variables that name the agents' folders here: the system's timers do not have those of a
/// shell.
fn variables(env: &Environment<'_>) -> BTreeMap<&'static str, String> {
    let places = env.formats.iter().flat_map(|format| env.machine.places(*format));
    let names = places.filter_map(|place| place.variable);
    let own = ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"];
    let value = |name| {
        let value = env.machine.variable(name)?.to_str()?;
        (!value.chars().any(char::is_control)).then(|| (name, value.to_owned()))
    };
    names.chain(own).filter_map(value).collect()
}

fn systemd(words: &[String], variables: &BTreeMap<&str, String>) -> String {
    // `%` and `$` mean something to systemd, also within quotes.
    let plain = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    let quoted = |text: &str| match text.contains([' ', '"', '\'', '\\', ';', '$']) {
        true => format!("\"{}\"", plain(text).replace('$', "$$")),
        false => plain(text),
    };
    let command: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let set =
        |(name, value): (&&str, &String)| format!("Environment=\"{name}={}\"\n", plain(value));
    let variables: String = variables.iter().map(set).collect();
    format!(
        "# Save these as verbatim-sync.service and verbatim-sync.timer in\n\
         # ~/.config/systemd/user, and start the timer:\n\
         #   systemctl --user daemon-reload\n\
         #   systemctl --user enable --now verbatim-sync.timer\n\
         # `journalctl --user -u verbatim-sync` shows what it printed.\n\
         \n\
         # verbatim-sync.service\n\
         [Unit]\n\
         Description=Keep new sessions of coding agents\n\
         \n\
         [Service]\n\
         Type=oneshot\n\
         {variables}ExecStart={}\n\
         Nice=10\n\
         IOSchedulingClass=idle\n\
         \n\
         # verbatim-sync.timer\n\
         [Unit]\n\
         Description=Keep new sessions of coding agents every hour\n\
         \n\
         [Timer]\n\
         OnCalendar=hourly\n\
         RandomizedDelaySec=5min\n\
         Persistent=true\n\
         \n\
         [Install]\n\
         WantedBy=timers.target\n",
        command.join(" ")
    )
}

fn launchd(words: &[String], variables: &BTreeMap<&str, String>) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let word = |word: &String| format!("    <string>{}</string>\n", escaped(word));
    let command: String = words.iter().map(word).collect();
    let set = |(name, value): (&&str, &String)| {
        format!("    <key>{name}</key>\n    <string>{}</string>\n", escaped(value))
    };
    let variables: String = variables.iter().map(set).collect();
    let variables = match variables.is_empty() {
        true => variables,
        false => format!("  <key>EnvironmentVariables</key>\n  <dict>\n{variables}  </dict>\n"),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- Save this as ~/Library/LaunchAgents/verbatim.sync.plist, and load it:\n     \
         launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/verbatim.sync.plist -->\n\
         <plist version=\"1.0\">\n\
         <dict>\n  \
           <key>Label</key>\n  <string>verbatim.sync</string>\n  \
           <key>ProgramArguments</key>\n  <array>\n{command}  </array>\n{variables}  \
           <key>StartInterval</key>\n  <integer>3600</integer>\n  \
           <key>RunAtLoad</key>\n  <true/>\n  \
           <key>ProcessType</key>\n  <string>Background</string>\n\
         </dict>\n\
         </plist>\n"
    )
}

fn windows(words: &[String]) -> String {
    let command: Vec<String> = words.iter().map(|word| format!("\\\"{word}\\\"")).collect();
    format!(
        "REM Run this once; `schtasks /Delete /TN verbatim-sync` takes it back.\n\
         schtasks /Create /SC HOURLY /TN verbatim-sync /TR \"{}\"\n",
        command.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_for_each_system() {
        let words = ["/opt/a b/100%/ver$batim".to_owned(), "sync".to_owned()];
        let variables = BTreeMap::from([("QUILL_HOME", "/srv/\"a\" & b".to_owned())]);
        let text = systemd(&words, &variables);
        assert!(text.contains("ExecStart=\"/opt/a b/100%%/ver$$batim\" sync\n"), "{text}");
        assert!(text.contains("Environment=\"QUILL_HOME=/srv/\\\"a\\\" & b\"\n"), "{text}");
        let text = launchd(&words, &variables);
        assert!(text.contains("<string>/srv/\"a\" &amp; b</string>"), "{text}");
        let mut depth = 0_i32;
        for tag in text.split('<').skip(1).filter(|tag| !tag.starts_with(['?', '!'])) {
            depth += match tag.split('>').next().unwrap() {
                close if close.starts_with('/') => -1,
                alone if alone.ends_with('/') => 0,
                _ => 1,
            };
            assert!(depth >= 0, "{text}");
        }
        assert_eq!(depth, 0, "{text}");
        assert!(windows(&words).contains("/TR \"\\\"/opt/a b/100%/ver$batim\\\""));
    }
}
