//! Structural templates: most lines of a session have the same names and punctuation as an earlier
//! one. If a cached template matches a text byte for byte between its values, the tokens are filled
//! in without the grammar.

use std::ops::Range;

use crate::json::blocks::{self, Classify, Work};
use crate::json::grammar::{Token, is_scalar_at, skip_space};
use crate::json::index::{LEAST, offset};

/// Templates of the texts that one reader has read.
#[derive(Default)]
pub(crate) struct Templates {
    templates: Vec<Template>,
    /// By the number of entries in the index; filled when the first template is kept.
    classes: Vec<Class>,
    /// Number of templates ever kept.
    kept: u32,
    /// Whether templates are switched off.
    off: bool,
}

/// Identity of a template: a cache beside the reader may have data of the same template only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TemplateId {
    /// Its number among the reader's templates. A later template may take it over.
    pub number: u16,
    /// Its serial number among all templates ever kept.
    serial: u32,
}

/// Lines with the same number of entries in the index, modulo the number of classes.
#[derive(Clone, Default)]
struct Class {
    /// 1 + the number of a template, or 0; the one that matched or was kept last comes first.
    ways: [u16; WAYS],
    /// Numbers of entries and tokens of the last line that no template matched.
    missed: [usize; 2],
}

const CLASSES: usize = 128;
const WAYS: usize = 4;

/// Largest number of entries of a line with a template. Longer ones are seldom similar.
const MOST: usize = LEAST;

/// Largest number of parts of a template. Real names are short.
const MOST_PARTS: usize = MOST;

/// The structure of a text that is an object or an array: all of it except its strings, numbers and
/// words.
#[derive(Default)]
pub(crate) struct Template {
    /// Number of entries in the index.
    count: usize,
    /// The parts before, between and after the values.
    parts: Vec<Part>,
    tokens: Vec<Four>,
    /// For each token, the next one outside it.
    after: Vec<u32>,
    /// The tokens that are numbers, `true`, `false` or `null`.
    scalars: Vec<u16>,
    /// Its serial number among all templates ever kept.
    serial: u32,
}

/// Largest length of a part, in bytes, which are compared at once.
const PART: usize = 32;

/// Bytes that are equal in each text of a template.
#[derive(Clone, Copy)]
struct Part {
    /// Their end in the text.
    end: Place,
    /// Their number, the last of `wanted`: 1 to [`PART`].
    length: u8,
    wanted: [u8; PART],
}

/// A position in a text: a distance in bytes from an entry of its index.
#[derive(Clone, Copy)]
struct Place {
    entry: u16,
    behind: i16,
}

/// Four tokens, each position as an entry of the index and a distance.
#[derive(Clone, Copy)]
struct Four {
    entries: [u16; 16],
    behind: [i8; 16],
}

impl Templates {
    /// Keeps no templates.
    pub(crate) fn off() -> Self {
        Self { off: true, ..Self::default() }
    }

    /// Writes the tokens of `text` if it matches one of the templates, and returns the template's
    /// identity. Then the text is JSON, and these are the grammar's tokens. The first `count`
    /// entries of `index` are those of the text.
    pub(crate) fn fill(
        &mut self,
        text: &[u8],
        index: &[u32],
        count: usize,
        tokens: &mut [Token],
    ) -> Option<TemplateId> {
        let class = self.classes.get_mut(count % CLASSES)?;
        let text = whole(text, index.get(..count)?)?;
        let index = index.first_chunk()?;
        for way in 0..WAYS {
            let number = usize::from(class.ways[way]).wrapping_sub(1);
            let Some(template) = self.templates.get(number) else { break };
            if template.count == count && blocks::run(Fits { template, text, index, tokens }) {
                class.ways[..=way].rotate_right(1);
                return Some(TemplateId { number: number as u16, serial: template.serial });
            }
        }
        None
    }

    /// For each token of a matching template, the next one outside it.
    #[inline(always)]
    pub(crate) fn after(&self, id: TemplateId) -> &[u32] {
        &self.templates[usize::from(id.number)].after
    }

    /// Keeps the template of a parsed text, if the previous unmatched text had the same numbers of
    /// entries and tokens: a single occurrence is not worth it.
    pub(crate) fn keep(&mut self, text: &[u8], index: &[u32], tokens: &[Token], after: &[u32]) {
        let size = [index.len(), after.len()];
        if self.off || !(2..=MOST).contains(&size[0]) || size[1] > MOST {
            return;
        }
        if self.classes.is_empty() {
            self.classes.resize(CLASSES, Class::default());
        }
        let class = &mut self.classes[size[0] % CLASSES];
        if std::mem::replace(&mut class.missed, size) == size
            && let Some(mut template) = Template::of(text, index, tokens, after)
        {
            self.kept = self.kept.wrapping_add(1);
            template.serial = self.kept;
            class.ways.rotate_right(1);
            let number = &mut class.ways[0];
            match usize::from(*number).checked_sub(1) {
                Some(oldest) => self.templates[oldest] = template,
                None => {
                    self.templates.push(template);
                    *number = self.templates.len() as u16;
                }
            }
        }
    }
}

impl Template {
    /// The template of a parsed text.
    fn of(text: &[u8], index: &[u32], tokens: &[Token], after: &[u32]) -> Option<Self> {
        let text = whole(text, index)?;
        let mut template = Self {
            count: index.len(),
            parts: Vec::with_capacity(after.len() + 1),
            tokens: vec![Four { entries: [0; 16], behind: [0; 16] }; after.len().div_ceil(4)],
            after: after.to_vec(),
            ..Self::default()
        };
        let mut find = Finder { index, at: 0 };
        // The beginning of a part, and its first entry: their distance is the same in each text.
        let (mut from, mut entry) = (0, 0);
        for (number, &[key, key_end, start, end]) in tokens.iter().take(after.len()).enumerate() {
            let keyed = key_end != 0;
            let key = if keyed { find.before(key)? } else { Place::START };
            let key_end = if keyed { find.before(key_end)? } else { Place::START };
            let opening = find.behind(start)?;
            let first = *text.get(start as usize)?;
            let container = matches!(first, b'{' | b'[');
            let closing = if container {
                Place::new(index, index.binary_search(&(end - 1)).ok()?, end)?
            } else {
                find.before(end)?
            };
            let places = [key, key_end, opening, closing];
            template.tokens.get_mut(number / 4)?.set(number % 4, places)?;
            if !container {
                // The quotes of a string belong to the part: they are always there.
                let quote = u32::from(first == b'"');
                template.part(text, index, entry, from..start + quote)?;
                (from, entry) = (end - quote, closing.entry.into());
                if quote == 0 {
                    template.scalars.push(number as u16);
                }
            }
        }
        template.part(text, index, entry, from..offset(text.len()))?;
        Some(template)
    }

    /// Adds the bytes of a part, whose first entry in the index is `entry`.
    fn part(&mut self, text: &[u8], index: &[u32], entry: usize, part: Range<u32>) -> Option<()> {
        for from in part.clone().step_by(PART) {
            let end = part.end.min(from + PART as u32);
            let bytes = text.get(from as usize..end as usize)?;
            let mut wanted = [0; PART];
            wanted.get_mut(PART - bytes.len()..)?.copy_from_slice(bytes);
            let length = bytes.len() as u8;
            self.parts.push(Part { end: Place::new(index, entry, end)?, length, wanted });
        }
        (self.parts.len() <= MOST_PARTS).then_some(())
    }
}

/// Compares a template with a text, and writes the tokens if it matches.
struct Fits<'a> {
    template: &'a Template,
    text: &'a [u8],
    index: &'a [u32; MOST],
    tokens: &'a mut [Token],
}

impl Work for Fits<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<C: Classify>(self) -> bool {
        let Self { template, text, index, tokens } = self;
        // In groups of four: tokens after the last one are undefined.
        let (tokens, _) = tokens.as_chunks_mut::<4>();
        let Some(tokens) = tokens.get_mut(..template.tokens.len()) else { return false };
        if !template.parts.iter().all(|part| part.fits::<C>(text, index)) {
            return false;
        }
        for (tokens, four) in tokens.iter_mut().zip(&template.tokens) {
            if let Some(places) = tokens.as_flattened_mut().first_chunk_mut() {
                C::pick(index, &four.entries, &four.behind, places);
            }
        }
        let tokens = tokens.as_flattened();
        template.scalars.iter().all(|&scalar| {
            let token = tokens.get(usize::from(scalar));
            token.is_some_and(|&[.., start, end]| is_scalar_at(text, start as usize, end as usize))
        })
    }
}

impl Part {
    #[inline(always)]
    fn fits<C: Classify>(&self, text: &[u8], index: &[u32; MOST]) -> bool {
        let end = self.end.of(index) as usize;
        match text.get(end.wrapping_sub(PART)..end).and_then(<[u8]>::first_chunk) {
            Some(found) => C::end_alike(found, &self.wanted, self.length),
            None => self.is_near_start(text, end),
        }
    }

    /// Compares the end of a part with fewer bytes before it.
    #[cold]
    fn is_near_start(&self, text: &[u8], end: usize) -> bool {
        let length = usize::from(self.length);
        let found = text.get(end.wrapping_sub(length)..end);
        found == self.wanted.get(PART - length..)
    }
}

/// Finder of index entries, in their order.
struct Finder<'a> {
    index: &'a [u32],
    at: usize,
}

impl Finder<'_> {
    /// A position at an entry or before it.
    fn before(&mut self, at: u32) -> Option<Place> {
        let behind = self.index.get(self.at..)?.iter().position(|&entry| entry >= at)?;
        self.at += behind;
        Place::new(self.index, self.at, at)
    }

    /// A position at an entry or after it.
    fn behind(&mut self, at: u32) -> Option<Place> {
        match self.before(at)? {
            exact @ Place { behind: 0, .. } => Some(exact),
            _ => Place::new(self.index, self.at.checked_sub(1)?, at),
        }
    }
}

impl Place {
    const START: Self = Self { entry: 0, behind: 0 };

    fn new(index: &[u32], entry: usize, at: u32) -> Option<Self> {
        let behind = i64::from(at) - i64::from(*index.get(entry)?);
        Some(Self { entry: entry as u16, behind: i16::try_from(behind).ok()? })
    }

    #[inline(always)]
    fn of(self, index: &[u32; MOST]) -> u32 {
        index[usize::from(self.entry) % MOST].wrapping_add_signed(self.behind.into())
    }
}

impl Four {
    fn set(&mut self, token: usize, places: [Place; 4]) -> Option<()> {
        for (at, place) in (4 * token..).zip(places) {
            *self.entries.get_mut(at)? = place.entry;
            *self.behind.get_mut(at)? = i8::try_from(place.behind).ok()?;
        }
        Some(())
    }
}

/// A text without trailing white space, if its first entry is its first byte and its last entry its
/// last.
#[inline(always)]
fn whole<'a>(text: &'a [u8], index: &[u32]) -> Option<&'a [u8]> {
    let (Some(0), Some(&last)) = (index.first(), index.last()) else { return None };
    let end = last as usize + 1;
    let whole = text.get(..end)?;
    (end == text.len() || skip_space(text, end) == text.len()).then_some(whole)
}

#[cfg(test)]
mod tests;
