//! Findings: values that must not be shared, and where each is.

use std::ops::Range;
use std::sync::Arc;

use session::{Bundle, Span};

use super::decode::Wrapping;
use super::leaf::Leaf;
use super::rules::Class;
use super::view::View;
use super::way::PathStep;

/// A value that must not be shared.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretFinding {
    /// The member of the bundle.
    pub member: u32,
    /// The line of the member on which its record begins, from 1.
    pub line: u32,
    /// The way to the value in its record.
    pub path: Arc<[PathStep]>,
    /// The wrappings around it, the outermost first.
    pub wrappings: Vec<Wrapping>,
    /// Its class.
    pub class: Class,
    /// The name of the rule that found it.
    pub rule: Arc<str>,
    /// The bytes of the member that have it: one span, or several of a stream.
    pub(super) spans: Vec<Span>,
    /// Whether a value that a provider signed has it: then all of it goes.
    pub(super) sealed: bool,
    /// Whether the spans are a JSON value that is no string, which a string replaces.
    pub(super) quoted: bool,
    /// The replacement, where it is no placeholder: `user1` for the name of a user.
    pub(super) alias: Option<Arc<str>>,
    /// Whether the value is looked for elsewhere.
    pub(super) is_value: bool,
    /// The bytes of the text that it is in, where it can go with the text.
    pub(super) within: Option<Span>,
    /// The value, decoded. It is never printed.
    pub(super) value: Vec<u8>,
}

impl std::fmt::Debug for SecretFinding {
    /// Everything but the value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut finding = f.debug_struct("SecretFinding");
        finding.field("member", &self.member).field("line", &self.line);
        finding.field("class", &self.class).field("rule", &self.rule);
        finding.field("wrappings", &self.wrappings).finish_non_exhaustive()
    }
}

impl SecretFinding {
    /// A range of a view of a leaf. `None` if it is in no bytes of the file.
    pub(super) fn at(
        leaf: &Leaf<'_>,
        view: &View<'_>,
        range: Range<usize>,
        class: Class,
        rule: impl Into<Arc<str>>,
    ) -> Option<Self> {
        let value = view.text.get(range.clone())?.to_vec();
        let span = |place: Range<usize>| Span::new(place.start as u32, place.end as u32);
        let mut spans: Vec<Span> = view.places(range).into_iter().map(span).collect();
        if leaf.is_number() && !spans.is_empty() {
            spans = vec![leaf.value];
        }
        (!spans.is_empty()).then(|| Self {
            member: leaf.member,
            line: leaf.line,
            path: leaf.shared_path(),
            wrappings: view.chain(),
            class,
            rule: rule.into(),
            spans,
            sealed: false,
            quoted: leaf.is_number(),
            is_value: true,
            alias: None,
            within: view.within_file(leaf.value),
            value,
        })
    }

    /// A whole string of JSON.
    pub(super) fn whole(leaf: &Leaf<'_>, value: &[u8], class: Class, rule: &str) -> Self {
        Self {
            member: leaf.member,
            line: leaf.line,
            path: leaf.shared_path(),
            wrappings: Vec::new(),
            class,
            rule: rule.into(),
            spans: vec![Span::new(leaf.value.start + 1, leaf.value.end - 1)],
            sealed: false,
            quoted: false,
            is_value: false,
            alias: None,
            within: None,
            value: value.to_vec(),
        }
    }

    /// Takes the whole text that the value is in; of bytes that are no JSON, its line.
    pub(super) fn widen(&mut self, bundle: &Bundle) {
        let Some(within) = self.within.filter(|_| !self.sealed && !self.quoted) else { return };
        let (start, end) = (within.start as usize, within.end as usize);
        let bytes = bundle.bytes(self.member);
        for span in &mut self.spans {
            let (from, to) = (span.start as usize, span.end as usize);
            let (Some(before), Some(behind)) = (bytes.get(start..from), bytes.get(to..end)) else {
                continue;
            };
            let from = memchr::memrchr(b'\n', before).map_or(start, |line| start + line + 1);
            let to = memchr::memchr(b'\n', behind).map_or(end, |line| to + line);
            *span = Span::new(from as u32, to as u32);
        }
    }

    /// Whether it is in an encoding that is replaced as a whole.
    pub(super) fn is_coded(&self) -> bool {
        self.wrappings.iter().any(|way| way.is_whole())
    }

    /// The first byte of the value in its member, and the byte behind it; of a stream's, those of
    /// its first piece.
    #[must_use]
    pub fn bytes(&self) -> (u32, u32) {
        self.spans.first().map_or((0, 0), |span| (span.start, span.end))
    }

    /// The first byte of the value in its member.
    #[must_use]
    pub fn start(&self) -> u32 {
        self.bytes().0
    }
}
