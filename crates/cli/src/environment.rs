//! Environment of a command: streams, terminal, clock and machine. Tests pass their own.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use catalog::Catalog;
use catalog::{Formats, Machine, PlacedFolders};
use operations::placing::Desk;
use session::UtcTime;

/// The version, and the commit that the program is built from, as far as the build knew it.
pub(crate) const VERSION: &str = env!("VERBATIM_VERSION");

/// Environment of a command.
pub struct Environment<'w> {
    /// The registered formats.
    pub formats: Formats<'w>,
    /// The machine.
    pub machine: Machine,
    /// The time.
    pub now: UtcTime,
    /// Standard input.
    pub input: &'w mut dyn Read,
    /// Standard output.
    pub out: &'w mut dyn Write,
    /// Standard error.
    pub err: &'w mut (dyn Write + Send),
    /// The width in columns if `out` is a terminal.
    pub width: Option<usize>,
    /// True if `out` draws links (OSC 8).
    pub links: bool,
    /// True if `err` is a terminal.
    pub err_terminal: bool,
}

impl std::fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}

impl<'w> Environment<'w> {
    /// The catalog of this machine.
    #[must_use]
    pub fn catalog(&self) -> Catalog<'w> {
        let wrote = Some(store::outputs::is_noted as fn(&Path, &Path) -> bool);
        let placed = Some(placed_folders as PlacedFolders);
        let machine = Machine { wrote, placed, ..self.machine.clone() };
        Catalog { formats: self.formats, machine }
    }
}

/// This machine: its name, and the id that verbatim gave it, which stays when the name changes. A
/// machine whose id can't be kept has none.
pub(crate) fn machine(env: &Environment<'_>) -> archive::MachineName {
    let id = env.machine.state().and_then(|state| machine_id(&state).ok());
    archive::MachineName::new(machine_name(), id)
}

/// The file of the machine's id in the folder for what verbatim has to remember.
const MACHINE: &str = "machine";

/// Length of an id in bytes.
const ID: usize = 16;

/// Reads the id, or makes one.
fn machine_id(state: &Path) -> std::io::Result<String> {
    let path = state.join(MACHINE);
    let read = || -> std::io::Result<String> {
        let id = String::from_utf8_lossy(&catalog::bounded(&path, 4096)?).trim().to_owned();
        let is_id = id.len() == 2 * ID && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then_some(id).ok_or_else(|| std::io::Error::other("it is no id"))
    };
    match read() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        read => return read,
    }
    let mut random = [0; ID];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut file = store::unnamed::Unnamed::create(state)?;
    writeln!(file, "{id}")?;
    file.finish(MACHINE)?;
    // Another run may have been faster: its id counts.
    read()
}

/// The folders in which verbatim placed sessions. None if the journal can't be read: a list does
/// not need it.
fn placed_folders(machine: &Machine, formats: Formats<'_>) -> BTreeMap<PathBuf, String> {
    let catalog = Catalog { formats, machine: machine.clone() };
    let desk = Desk::new(&catalog, None);
    desk.and_then(|mut desk| desk.placed_folders()).unwrap_or_default()
}

/// The name of this machine, as the system knows it.
fn machine_name() -> String {
    let file = |path: &str| std::fs::read_to_string(path).ok();
    let variable = || std::env::var("COMPUTERNAME").ok();
    let asked = || {
        let output = std::process::Command::new("hostname").output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    let name = file("/proc/sys/kernel/hostname").or_else(variable).or_else(asked);
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "unknown".into())
}

/// The day of a time, in UTC: `2026-08-01`.
pub(crate) fn day(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let text = UtcTime(i64::try_from(since.as_micros()).ok()?).millis();
    text.get(..10).map(str::to_owned)
}

/// The current time.
pub(crate) fn now() -> UtcTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UtcTime(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Does something in an environment that has this machine, and neither input nor output.
pub(crate) fn with_machine<T>(machine: &Machine, work: impl FnOnce(&Environment<'_>) -> T) -> T {
    let (mut input, mut out, mut err) = (std::io::empty(), std::io::sink(), std::io::sink());
    work(&Environment {
        formats: formats::ALL,
        machine: machine.clone(),
        now: now(),
        input: &mut input,
        out: &mut out,
        err: &mut err,
        width: None,
        links: false,
        err_terminal: false,
    })
}
