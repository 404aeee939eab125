//! `verbatim export PRESENTATION -o PAGE.html`: a page that carries the presentation and checks it.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use operations::attest::{
    Keys, KnownKey, PageOfPresentation, VerifyResult, VerifyTask, is_presentation,
    verify_presentation,
};
use operations::write_presented;
use redact::Redactor;
use session::UtcTime;

use crate::convert::target::Target;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::Plain;
use crate::{key, notes};

/// The end of every presentation.
const END: &[u8] = b"]}}}\n";

/// The text of a file that is a presentation; `None` for any other.
pub(super) fn read(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path).ok().filter(|_| path.is_file())?;
    // Only a file with the end of a presentation is read as a whole.
    let mut end = [0; END.len()];
    file.seek(SeekFrom::End(-(END.len() as i64))).ok()?;
    file.read_exact(&mut end).ok().filter(|()| end == END)?;
    let bytes = catalog::stored(path).ok().filter(|bytes| is_presentation(bytes))?;
    String::from_utf8(bytes).ok()
}

/// A request for a page.
pub(super) struct Request<'r> {
    /// The presentation.
    pub(super) path: &'r Path,
    /// The place of the page.
    pub(super) output: &'r str,
    /// Whether an existing file is replaced.
    pub(super) force: bool,
    /// The redactor that must find nothing; `None` if the user shows everything.
    pub(super) redactor: Option<&'r Redactor>,
}

/// Writes the page of a presentation.
pub(super) fn run(
    request: &Request<'_>,
    text: String,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let file = request.path.display().to_string();
    let mut keys = key::known(&Keys::of(&env.machine)?, env)?;
    let now = env.now;
    fn task(keys: &[KnownKey], now: UtcTime) -> VerifyTask<'_> {
        VerifyTask { signature: None, keys, as_draft: false, now }
    }
    let report = verify_presentation(&file, text.as_bytes(), task(&keys, now), &env.catalog());
    if report.is_some_and(|report| report.result == VerifyResult::Unknown) {
        keys.extend(key::held(env)?);
    }
    let given = (&*file, text);
    let made = PageOfPresentation::of(given, request.redactor, task(&keys, now), &env.catalog())?;
    let saved = {
        let catalog = env.catalog();
        let owner = |path: &Path| catalog.owner(path);
        let state = env.machine.state();
        let mut target = match request.output {
            "-" => Target::stream(env),
            path => Target::disk(path.as_ref(), request.force, &owner, state),
        };
        let done = write_presented(&catalog, &made, &mut target);
        let saved = target.end()?.files;
        done?;
        saved
    };
    notes::wrote(&saved, env)?;
    let print = made.fingerprint();
    let text = format!(
        "note: its reader checks it against the fingerprint of the signer's key, which the page \
         can't vouch for: tell it in another way: {print}"
    );
    writeln!(env.err, "{}", Plain::line(&text))?;
    Ok(Exit::Good)
}
