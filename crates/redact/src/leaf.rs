//! Leaf: a text of a bundle, with its place and name.

use std::cell::OnceCell;
use std::sync::Arc;

use session::Span;

use super::marks::Treatment;
use super::view::View;
use super::way::{PathStep, Way};

/// A text of a bundle.
#[derive(Debug)]
pub(super) struct Leaf<'l> {
    pub(super) member: u32,
    /// The record, by its line.
    pub(super) line: u32,
    pub(super) path: &'l Way,
    /// The name of the value, as written; empty for elements of an array and bytes without JSON.
    pub(super) name: &'l [u8],
    pub(super) treatment: Treatment,
    /// The whole string, with its quotes.
    pub(super) value: Span,
    pub(super) form: Form,
    pub(super) shared: OnceCell<Arc<[PathStep]>>,
}

/// Form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
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
    pub(super) fn shared_path(&self) -> Arc<[PathStep]> {
        let beneath = self.path.is_longer().then_some(PathStep::Beneath);
        let path = || self.path.steps().iter().copied().chain(beneath).collect();
        Arc::clone(self.shared.get_or_init(path))
    }

    pub(super) fn is_number(&self) -> bool {
        self.form == Form::Number
    }
}

/// The contents of a view of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Has {
    Nothing,
    /// A name of somebody, which is now known: the text is not given again for it.
    Name,
    /// A value.
    Value,
}

/// The receiver of texts: each leaf, with a view of it. A text without a value is not given again.
pub(super) type Look<'l> = dyn FnMut(&Leaf<'_>, &View<'_>) -> Has + 'l;

/// The place of a record.
#[derive(Clone, Copy)]
pub(super) struct Where {
    pub(super) member: u32,
    pub(super) line: u32,
}
