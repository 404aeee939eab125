//! Exports of a session for people: one HTML page, or Markdown. Text of a session is data in them:
//! it makes no element, attribute, address or control sequence.

mod bare;
mod body;
mod called;
mod changed;
mod coloured;
mod head;
mod heading;
mod html;
mod languages;
mod markdown;
mod named;
mod note;
mod parsed;
mod parts;
mod presented;
mod record;
mod rewritten;
mod run;
mod safe;
mod sheet;
mod style;
mod summed;
mod typeset;
mod writer;

pub use heading::named;
pub use html::{html, sections, title};
pub use markdown::markdown;
pub use note::ExportNote;
pub use presented::{CarriedPresentation, PRESENTED_FORM, PresentedPage};
pub use safe::PageText;
pub use style::STYLE;
pub use summed::{facts, session_in_words, turn_in_words};
