//! What labelling a value of an outline comes to: noted down once, and done again for each value
//! like it.

use std::cell::OnceCell;

use crate::json::index::offset;
use crate::json::node::Doc;
use crate::label::event::{Field, Hold, Slot};
use crate::label::table::{Case, Choose};
use crate::session::bundle::Span;

/// The labels of one value. Names and structure are the outline's; values within that were asked
/// whether they are events of their own are asked again.
pub(crate) struct Plan {
    /// The value's token.
    value: u32,
    case: &'static Case,
    fields: Vec<Label>,
    pub asked: Vec<Asked>,
}

/// A field without its places.
#[derive(Clone, Copy)]
struct Label {
    token: u16,
    slot: Slot,
    depth: u8,
    hold: Hold,
    known: bool,
    keyed: bool,
}

/// A value that was asked whether it is an event of its own, and what it answered.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub value: u32,
    pub choose: Choose,
    pub case: Option<&'static Case>,
}

/// What asks more often is not worth a plan.
const MOST_ASKED: usize = 64;

/// The plans of an outline.
#[derive(Default)]
pub(crate) struct Plans([OnceCell<Plan>; 6]);

impl Plans {
    /// The plan for a value that is this case, if there is one.
    #[inline(always)]
    pub(crate) fn find(&self, doc: &Doc<'_>, value: u32, case: &'static Case) -> Option<&Plan> {
        self.0.iter().map_while(OnceCell::get).find(|plan| {
            let same = plan.value == value && std::ptr::eq(plan.case, case);
            same && plan.asked.iter().all(|asked| asked.holds(doc))
        })
    }

    /// Notes down what was done, while there is room.
    pub(crate) fn note(
        &self,
        doc: &Doc<'_>,
        value: u32,
        case: &'static Case,
        fields: &[Field],
        asked: &[Asked],
    ) {
        if asked.len() <= MOST_ASKED
            && let Some(free) = self.0.iter().find(|plan| plan.get().is_none())
            && let Some(fields) = labels(doc, value, fields)
        {
            let _ = free.set(Plan { value, case, fields, asked: asked.to_vec() });
        }
    }
}

impl Plan {
    /// The fields of the value in this document.
    #[inline(always)]
    pub(crate) fn fields<'p>(
        &'p self,
        doc: &'p Doc<'_>,
    ) -> impl ExactSizeIterator<Item = Field> + 'p {
        self.fields.iter().map(|label| label.of(doc))
    }
}

impl Label {
    #[inline(always)]
    fn of(&self, doc: &Doc<'_>) -> Field {
        let token = doc.tokens.get(usize::from(self.token)).copied();
        let [key, key_end, start, end] = token.unwrap_or_default();
        let base = if self.keyed { doc.base } else { 0 };
        Field {
            // Both places are 0 where there is no key, as in `Span::NONE`.
            key: Span::new(base + key, base + key_end),
            value: Span::new(doc.base + start, doc.base + end),
            slot: self.slot,
            depth: self.depth,
            hold: self.hold,
            known: self.known,
        }
    }
}

impl Asked {
    #[inline(always)]
    fn holds(&self, doc: &Doc<'_>) -> bool {
        match ((self.choose)(doc.node(self.value)), self.case) {
            (Some(now), Some(then)) => std::ptr::eq(now, then),
            (None, None) => true,
            _ => false,
        }
    }
}

/// Fields, which stand in the order of their values, as labels.
fn labels(doc: &Doc<'_>, value: u32, fields: &[Field]) -> Option<Vec<Label>> {
    let mut token = value;
    let mut labels = Vec::with_capacity(fields.len());
    for field in fields {
        token = (token..offset(doc.after.len()))
            .find(|&token| doc.node(token).span() == field.value)?;
        let Field { key, slot, depth, hold, known, .. } = *field;
        let (token, keyed) = (u16::try_from(token).ok()?, key != Span::NONE);
        labels.push(Label { token, slot, depth, hold, known, keyed });
    }
    Some(labels)
}
