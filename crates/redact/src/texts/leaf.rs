//! Leaf: a text of a bundle, with its place and name.

use std::cell::OnceCell;
use std::sync::Arc;

use session::Span;

use super::marks::Treatment;
use super::path::{PathStep, Way};
use crate::unwrap::view::View;

/// A text of a bundle.
#[derive(Debug)]
pub(crate) struct Leaf<'l> {
    pub(crate) member: u32,
    /// The record, by its line.
    pub(crate) line: u32,
    pub(crate) path: &'l Way,
    /// The name of the value, as written; empty for elements of an array and bytes without JSON.
    pub(crate) name: &'l [u8],
    pub(crate) treatment: Treatment,
    /// The whole string, with its quotes.
    pub(crate) value: Span,
    pub(crate) form: Form,
    pub(crate) shared: OnceCell<Arc<[PathStep]>>,
}

/// Form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A string, or bytes that are not JSON.
    Text,
    /// The name of a member.
    Key,
    /// A number, or a list of numbers: what replaces a part of it is a string for all of it.
    Number,
    /// A picture in Base64: by chance, it contains whatever a rule looks for.
    Picture,
}

impl Leaf<'_> {
    /// The way to it, one for all its findings.
    pub(crate) fn shared_path(&self) -> Arc<[PathStep]> {
        let beneath = self.path.is_longer().then_some(PathStep::Beneath);
        let path = || self.path.steps().iter().copied().chain(beneath).collect();
        Arc::clone(self.shared.get_or_init(path))
    }

    pub(crate) fn is_number(&self) -> bool {
        self.form == Form::Number
    }
}

/// The contents of a view of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Has {
    Nothing,
    /// A name of somebody, which is now known: the text is not given again for it.
    Name,
    /// A value.
    Value,
}

/// The receiver of texts: each leaf, with a view of it. A text without a value is not given again.
pub(crate) type Look<'l> = dyn FnMut(&Leaf<'_>, &View<'_>) -> Has + 'l;

/// The place of a record.
#[derive(Clone, Copy)]
pub(crate) struct Where {
    pub(crate) member: u32,
    pub(crate) line: u32,
}
