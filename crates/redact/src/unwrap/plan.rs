//! Plan: the wrappings that a walk undid in a text, so that the next walk over the same text undoes
//! them without looking for them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

use super::wrapping::Wrapping;

/// The most steps of all texts of a session that are kept, of 12 bytes each.
const MOST: usize = 1 << 20;

/// A wrapping that was undone in a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The number of wrappings around the view.
    pub(crate) level: u8,
    pub(crate) what: Found,
    start: u32,
    end: u32,
}

/// A find in a range of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A wrapping.
    Wrapped(Wrapping),
    /// The same; nobody looked into what is within.
    Closed(Wrapping),
    /// Something that is not looked into.
    Deep,
}

impl Step {
    /// The range of the view.
    pub(crate) const fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The steps of one text while it is looked at, in their order.
#[derive(Default)]
pub(crate) struct Steps {
    steps: RefCell<Vec<Step>>,
    level: Cell<u8>,
}

impl Steps {
    /// Adds a step from the present view.
    pub(crate) fn add(&self, what: Found, range: &Range<usize>) {
        let (start, end) = (range.start as u32, range.end as u32);
        self.steps.borrow_mut().push(Step { level: self.level.get(), what, start, end });
    }

    /// Adds a step to a view, which is the present one meanwhile.
    pub(crate) fn within<T>(
        &self,
        wrapping: Wrapping,
        range: &Range<usize>,
        look: impl FnOnce() -> T,
    ) -> T {
        self.add(Found::Wrapped(wrapping), range);
        self.level.set(self.level.get() + 1);
        let seen = look();
        self.level.set(self.level.get() - 1);
        seen
    }

    /// Nobody looks into what the last step found.
    pub(crate) fn close(&self) {
        if let Some(step) = self.steps.borrow_mut().last_mut()
            && let Found::Wrapped(wrapping) = step.what
        {
            step.what = Found::Closed(wrapping);
        }
    }

    /// The steps.
    pub(crate) fn end(self) -> Vec<Step> {
        self.steps.into_inner()
    }
}

/// The plans of texts, by the numbers of these.
#[derive(Default)]
pub(crate) struct Plans {
    plans: HashMap<u32, Box<[Step]>>,
    count: usize,
}

impl Plans {
    /// Keeps the steps of a text, unless there are too many.
    pub(crate) fn keep(&mut self, number: usize, steps: Vec<Step>) {
        let Ok(number) = u32::try_from(number) else { return };
        if self.count + steps.len() <= MOST {
            self.count += steps.len();
            self.plans.insert(number, steps.into());
        }
    }

    /// The steps of a text.
    pub(crate) fn get(&self, number: usize) -> Option<&[Step]> {
        self.plans.get(&u32::try_from(number).ok()?).map(|steps| &**steps)
    }
}
