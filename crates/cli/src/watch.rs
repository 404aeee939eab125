//! Credentials in what `show` and `convert` print: their number, so that nobody shares it unaware.
//!
//! A glance goes by the beginnings of providers' credentials, and costs little beside printing;
//! `scan` goes by all rules, through every wrapping.

use std::io::{self, Write};
use std::path::Path;

use redact::Glance;
use session::Session;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::counted;
use crate::terminal::Plain;

/// An output that is looked through.
pub(crate) struct Watch<'w> {
    /// The output.
    pub(crate) out: &'w mut dyn Write,
    /// Sees each byte.
    pub(crate) glance: &'w mut Glance,
}

impl Write for Watch<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        self.glance.look(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Tells the credentials in the files of a session that was written.
pub(crate) fn session(
    session: &Session,
    name: &Path,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let mut glance = Glance::default();
    session.bundle.members.iter().for_each(|member| glance.look(member.bytes()));
    tell(glance.end(), name, env)
}

/// Tells a number of credentials, and the command that tells where they are.
pub(crate) fn tell(
    credentials: usize,
    name: &Path,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    if credentials == 0 {
        return Ok(());
    }
    let scan = match name == Path::new("-") {
        true => "`verbatim scan`".to_owned(),
        false => format!("`verbatim scan {}`", name.display()),
    };
    let some = counted(credentials as u64, "credential", "credentials");
    let text = format!("{some} in it, not left out: {scan} tells where");
    Ok(writeln!(env.err, "note: {}", Plain::line(&text))?)
}
