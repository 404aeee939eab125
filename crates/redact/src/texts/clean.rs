//! Clean texts: long texts in which nothing was found, by their digests. Sessions repeat each
//! other: the instructions of their agents, files that were read again, outputs that are written
//! twice.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use sha2::{Digest as _, Sha256};

use super::marks::Treatment;
use crate::unwrap::plan::{Plans, Step};

/// The shortest text that is known by a digest.
pub(crate) const LONG: usize = 64;
/// The largest number of texts that are kept.
const MOST: usize = 1 << 18;

/// Half of the SHA-256 digest of a text and of what decides what is found in it.
pub(crate) type Known = [u8; 16];

/// The digest of a text that has this name and treatment.
pub(crate) fn known(name: &[u8], text: &[u8], treatment: Treatment) -> Known {
    digest(b't', name, [text].into_iter(), treatment)
}

/// The digest of the texts of a stream, with their lengths.
pub(crate) fn known_pieces<'p>(
    lengths: &[u8],
    pieces: impl Iterator<Item = &'p [u8]>,
    treatment: Treatment,
) -> Known {
    digest(b's', lengths, pieces, treatment)
}

fn digest<'p>(
    form: u8,
    head: &[u8],
    texts: impl Iterator<Item = &'p [u8]>,
    treatment: Treatment,
) -> Known {
    let mut digest = Sha256::new();
    digest.update([form, treatment as u8]);
    digest.update((head.len() as u64).to_le_bytes());
    digest.update(head);
    texts.for_each(|text| digest.update(text));
    let mut known = [0; 16];
    known.copy_from_slice(&digest.finalize()[..16]);
    known
}

/// The clean texts of all sessions that one redactor has looked through.
#[derive(Debug, Default)]
pub(crate) struct CleanTexts {
    /// Those of the files, and whether something is wrapped in each.
    texts: Mutex<HashMap<Known, bool>>,
    /// Those with a wrapping undone.
    views: Mutex<HashSet<Known>>,
}

impl CleanTexts {
    /// Whether something is wrapped in a text, if it is a clean one.
    pub(crate) fn get(&self, known: &Known) -> Option<bool> {
        self.texts.lock().ok()?.get(known).copied()
    }

    pub(crate) fn keep(&self, known: Known, has_wrapped: bool) {
        if let Ok(mut all) = self.texts.lock()
            && all.len() < MOST
        {
            all.insert(known, has_wrapped);
        }
    }

    /// Whether a view is a clean one.
    pub(crate) fn has_view(&self, known: &Known) -> bool {
        self.views.lock().is_ok_and(|views| views.contains(known))
    }

    pub(crate) fn keep_view(&self, known: Known) {
        if let Ok(mut views) = self.views.lock()
            && views.len() < MOST
        {
            views.insert(known);
        }
    }
}

/// Knowledge of a walk over the leaves of a bundle from earlier ones.
#[derive(Default)]
pub(crate) struct Trail<'t> {
    /// The texts that are not looked at again, and those of them in which no known value was.
    clean: Option<(&'t CleanTexts, Option<&'t HashSet<Known>>)>,
    /// Adds the texts in which this walk found nothing.
    pub(crate) nothing: Option<HashSet<Known>>,
    /// For each string a bit, in the order of the walk: nothing is wrapped in it.
    plain: Vec<u64>,
    /// The wrappings that the first walk undid in the others.
    plans: Plans,
    is_again: bool,
    count: usize,
    /// The length of the bundle that the budget is at least for.
    pub(crate) length: u64,
}

impl<'t> Trail<'t> {
    /// The first walk, which goes by the clean texts, or by those of them that are also unswept.
    pub(crate) fn of(clean: &'t CleanTexts, unswept: Option<&'t HashSet<Known>>) -> Self {
        Self { clean: Some((clean, unswept)), ..Self::default() }
    }

    /// The next walk over the same leaves.
    pub(crate) fn again(&mut self, keeps: bool) {
        (self.clean, self.is_again, self.count) = (None, true, 0);
        self.nothing = keeps.then(HashSet::new);
    }

    /// The number of the next string.
    pub(crate) fn next(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    /// Whether an earlier walk saw that nothing is wrapped in a string.
    pub(crate) fn is_plain(&self, number: usize) -> bool {
        self.is_again
            && self.plain.get(number / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }

    /// Keeps that nothing is wrapped in a string.
    fn keep_plain(&mut self, number: usize) {
        if self.is_again {
            return;
        }
        if self.plain.len() <= number / 64 {
            self.plain.resize(number / 64 + 1, 0);
        }
        self.plain[number / 64] |= 1 << (number % 64);
    }

    /// Whether a string needs no look, by its digest.
    pub(crate) fn is_known(&mut self, known: &Known, number: usize) -> bool {
        let has_wrapped = self.get(known);
        if has_wrapped == Some(false) {
            self.keep_plain(number);
        }
        has_wrapped.is_some()
    }

    /// The wrappings of a string that an earlier walk undid.
    pub(crate) fn plan(&self, number: usize) -> Option<&[Step]> {
        self.plans.get(number).filter(|_| self.is_again)
    }

    /// Keeps the wrappings of a string, if it was looked at, and its digest if it has nothing.
    pub(crate) fn keep_steps(
        &mut self,
        steps: Option<Vec<Step>>,
        number: usize,
        known: Option<Known>,
    ) {
        let Some(steps) = steps else { return };
        let has_wrapped = !steps.is_empty();
        match has_wrapped {
            true if !self.is_again => self.plans.keep(number, steps),
            true => {}
            false => self.keep_plain(number),
        }
        if let Some(known) = known {
            self.keep(known, has_wrapped);
        }
    }

    /// The clean texts, of use for views too where no known value is looked for.
    pub(crate) fn views(&self) -> Option<&'t CleanTexts> {
        self.clean.and_then(|(clean, unswept)| unswept.is_none().then_some(clean))
    }

    /// Whether digests of texts are of use.
    pub(crate) const fn has_digests(&self) -> bool {
        self.clean.is_some() || self.nothing.is_some()
    }

    /// Whether a text needs no look, and whether something is wrapped in it.
    pub(crate) fn get(&self, known: &Known) -> Option<bool> {
        let (clean, unswept) = self.clean?;
        let is_one = unswept.is_none_or(|unswept| unswept.contains(known));
        clean.get(known).filter(|_| is_one)
    }

    /// Keeps that nothing was found in a text.
    pub(crate) fn keep(&mut self, known: Known, has_wrapped: bool) {
        if let Some((clean, None)) = self.clean {
            clean.keep(known, has_wrapped);
        }
        if let Some(nothing) = self.nothing.as_mut().filter(|nothing| nothing.len() < MOST) {
            nothing.insert(known);
        }
    }
}
