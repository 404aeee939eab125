//! The sums of a session below its transcript, with the changes of each file.

use std::io;

use session::Session;
use views::export::session_in_words;
use views::transcript::{TurnSum, counts_of};

use crate::human::counted;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// The greatest number of files that a terminal shows.
const FILES: usize = 20;

/// Prints the sums of a session.
pub(super) fn print(
    session: &Session,
    turns: &[TurnSum],
    all: bool,
    screen: &mut Screen<'_>,
) -> io::Result<()> {
    let sum = TurnSum::sum(turns);
    let words = session_in_words(session, &sum);
    if turns.len() < 2 && sum.files.is_empty() || words.is_empty() {
        return Ok(());
    }
    screen.gap()?;
    screen.text(Style::Faint, &format!("in all: {words}"))?;
    let most = if all || screen.width.is_none() { usize::MAX } else { FILES };
    for (path, file) in sum.files.iter().take(most) {
        let lines = counts_of(file.inserted, file.deleted).unwrap_or_default();
        let line = Line::new().tell(Style::Faint, &format!("  {lines:>12}  "));
        screen.line(&line.put(Style::Normal, Plain::line(path)))?;
    }
    if let Some(more @ 1..) = sum.files.len().checked_sub(most) {
        let more = counted(more as u64, "more file", "more files");
        screen
            .line(&Line::new().tell(Style::Faint, &format!("  and {more} (`--all` shows them)")))?;
    }
    Ok(())
}
