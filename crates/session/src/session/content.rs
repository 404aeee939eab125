//! Content of an event: its text, and what is in it besides.

use std::borrow::Cow;

use crate::json::reader::Scan;
use crate::json::value;
use crate::label::event::{Field, Hold};
use crate::label::slot::{Kind, Slot};
use crate::session::EventRef;
use crate::sorting::Sorting as _;

impl<'s> EventRef<'s> {
    /// The plain text of the content: a string, or the text blocks of an array, joined by line
    /// feeds. A block that is an event of another kind, such as a thought, is left out. Of an
    /// answer that may be cut, a word that two blocks share is one (see [`value::share_a_word`]).
    #[must_use]
    pub fn said(self) -> Cow<'s, str> {
        let Some(field) = self.field(Slot::Content) else { return Cow::Borrowed("") };
        let others = self.others(field);
        let (raw, is_answer) = (self.value(field), self.is_cut_answer());
        value::said_beside(raw, &mut Scan::without_templates(), is_answer, |part| {
            others.binary_search(&part.start).is_ok()
        })
    }

    /// Whether it is an answer whose text may be cut within a word, from one block to the next.
    #[must_use]
    pub fn is_cut_answer(self) -> bool {
        self.kind == Kind::Assistant && self.session().has_cut_answers
    }

    /// Whether the content has a block that is not text (a picture, a file), and no event of
    /// another kind.
    #[must_use]
    pub fn holds_more(self) -> bool {
        let Some(field) = self.field(Slot::Content) else { return false };
        let others = self.others(field);
        value::holds_more(self.value(field), |part| others.binary_search(&part.start).is_ok())
    }

    /// The places in the content of the events of another kind, in order.
    fn others(self, field: Field) -> Vec<u32> {
        let others = self.children().filter(|child| child.kind != self.kind);
        let within = |child: EventRef<'_>| child.span.start.checked_sub(field.value.start);
        let mut others: Vec<u32> = match field.hold {
            Hold::Open => others.filter_map(within).collect(),
            _ => Vec::new(),
        };
        others.in_order();
        others
    }
}
