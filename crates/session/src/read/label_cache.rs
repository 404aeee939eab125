//! Label cache: the labels of a template's values, kept once and reused for each text that matches
//! the template. A value that decides its own case is probed again each time.

use crate::json::index::offset;
use crate::json::node::Doc;
use crate::json::span::Span;
use crate::json::template::TemplateId;
use crate::label::event::{Field, Hold};
use crate::label::slot::Slot;
use crate::label::table::{Case, Choose};

/// Labels of one value. Names and structure are the template's. Values within that may be separate
/// events are probed again.
pub(crate) struct Labelled {
    /// The value's token.
    value: u32,
    case: &'static Case,
    fields: Vec<Label>,
    pub asked: Vec<Asked>,
}

/// A field without its positions.
#[derive(Clone, Copy)]
struct Label {
    token: u16,
    slot: Slot,
    depth: u8,
    hold: Hold,
    known: bool,
    keyed: bool,
}

/// A value that was probed for being a separate event, and the answer.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub value: u32,
    pub choose: Choose,
    pub case: Option<&'static Case>,
}

/// Values with more probes than this are not cached.
const MOST_ASKED: usize = 64;

/// Largest number of cached values per template. The first ones stay: a line with more such values
/// would otherwise evict each before its next use.
const MOST_VALUES: usize = 6;

/// Label caches of a reader's templates, by the number of the template.
#[derive(Default)]
pub(crate) struct LabelCaches(Vec<LabelCache>);

/// Label cache of one template.
#[derive(Default)]
struct LabelCache {
    of: Option<TemplateId>,
    values: Vec<Labelled>,
}

impl LabelCaches {
    /// The labels of a value with this case, in a text with this template.
    #[inline(always)]
    pub(crate) fn find(
        &self,
        template: TemplateId,
        doc: &Doc<'_>,
        value: u32,
        case: &'static Case,
    ) -> Option<&Labelled> {
        let cache = self.0.get(usize::from(template.number))?;
        let mut values = cache.values.iter().filter(|_| cache.of == Some(template));
        values.find(|known| {
            let same = known.value == value && std::ptr::eq(known.case, case);
            same && known.asked.iter().all(|asked| asked.holds(doc))
        })
    }

    /// Keeps the labels of a value, if there is room.
    pub(crate) fn keep(
        &mut self,
        template: TemplateId,
        doc: &Doc<'_>,
        value: (u32, &'static Case),
        fields: &[Field],
        asked: &[Asked],
    ) {
        let number = usize::from(template.number);
        if self.0.len() <= number {
            self.0.resize_with(number + 1, LabelCache::default);
        }
        let cache = &mut self.0[number];
        if cache.of != Some(template) {
            cache.of = Some(template);
            cache.values.clear();
        }
        let (value, case) = value;
        if asked.len() <= MOST_ASKED
            && cache.values.len() < MOST_VALUES
            && let Some(fields) = labels(doc, value, fields)
        {
            cache.values.push(Labelled { value, case, fields, asked: asked.to_vec() });
        }
    }
}

impl Labelled {
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
            // Both positions are 0 without a key, as in `Span::NONE`.
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

/// Fields, in the order of their values, as labels.
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
