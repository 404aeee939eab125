//! Findings: values that must not be shared, and where each is. A file can have millions of them:
//! rare facts are kept beside a finding.

use std::ops::Range;
use std::sync::Arc;

use session::{Bundle, Span};

use crate::edit::placeholder;
use crate::rules::Class;
use crate::texts::leaf::Leaf;
use crate::texts::path::PathStep;
use crate::unwrap::view::View;
use crate::unwrap::wrapping::Wrapping;

/// A value that must not be shared.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretFinding {
    /// The member of the bundle.
    pub member: u32,
    /// The line of the member on which its record begins, from 1.
    pub line: u32,
    /// The way to the value in its record.
    pub path: Arc<[PathStep]>,
    /// The name of the rule that found it.
    pub rule: Arc<str>,
    /// The bytes of the member that have it, or the first of several pieces.
    pub(crate) span: Span,
    /// The bytes of the text that it is in, where it can go with the text; else [`Span::NONE`].
    within: Span,
    /// The facts that only some findings have.
    more: Option<Box<More>>,
    /// Its class.
    pub class: Class,
    /// Whether a value that a provider signed has it: then all of it goes.
    pub(crate) sealed: bool,
    /// Whether the bytes are a JSON value that is no string, which a string replaces.
    pub(crate) quoted: bool,
    /// Whether the value is looked for elsewhere.
    pub(crate) is_value: bool,
}

/// Facts that only some findings have.
#[derive(Clone, Default, PartialEq, Eq)]
struct More {
    /// The wrappings around the value, the outermost first.
    wrappings: Vec<Wrapping>,
    /// The pieces behind the first one, of a value in a stream.
    rest: Vec<Span>,
    /// The replacement, where it is no placeholder: `user1` for the name of a user.
    alias: Option<Arc<str>>,
    /// The value, decoded, where it is not the bytes themselves. It is never printed.
    value: Option<Box<[u8]>>,
}

impl std::fmt::Debug for SecretFinding {
    /// Everything but the value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut finding = f.debug_struct("SecretFinding");
        finding.field("member", &self.member).field("line", &self.line);
        finding.field("class", &self.class).field("rule", &self.rule);
        finding.field("wrappings", &self.wrappings()).finish_non_exhaustive()
    }
}

impl SecretFinding {
    /// A range of a view of a leaf. `None` if it is in no bytes of the file, or in those of
    /// placeholders alone: where a part of a text begins, a view may have the rest of one.
    pub(crate) fn at(
        bundle: &Bundle,
        (leaf, view): (&Leaf<'_>, &View<'_>),
        range: Range<usize>,
        class: Class,
        rule: impl Into<Arc<str>>,
    ) -> Option<Self> {
        let value = view.text.get(range.clone())?;
        let mut places = view.places(range).into_iter();
        let span = |place: Range<usize>| Span::new(place.start as u32, place.end as u32);
        let first = places.next().map(span)?;
        let rest: Vec<Span> = places.map(span).collect();
        let bytes = bundle.bytes(leaf.member);
        let is_put = |of: &Span| placeholder::is_part(bytes, of.start as usize, of.end as usize);
        if is_put(&first) && rest.iter().all(is_put) {
            return None;
        }
        let within = view.within_file(leaf.value).unwrap_or(Span::NONE);
        let mut finding = Self { within, ..Self::whole(leaf, class, rule) };
        (finding.span, finding.is_value, finding.quoted) = (first, true, leaf.is_number());
        let wrappings = view.chain();
        let is_alike = || bundle.slice(leaf.member, first) == value;
        let is_plain = wrappings.is_empty() && rest.is_empty() && is_alike();
        match leaf.is_number() {
            true => finding.span = leaf.value,
            false if is_plain => return Some(finding),
            false => {}
        }
        let rest = if leaf.is_number() { Vec::new() } else { rest };
        finding.more = Some(Box::new(More { wrappings, rest, ..More::default() }));
        finding.set_value(value);
        Some(finding)
    }

    /// A whole string of JSON, which is looked for nowhere else.
    pub(crate) fn whole(leaf: &Leaf<'_>, class: Class, rule: impl Into<Arc<str>>) -> Self {
        Self {
            member: leaf.member,
            line: leaf.line,
            path: leaf.shared_path(),
            class,
            rule: rule.into(),
            span: Span::new(leaf.value.start + 1, leaf.value.end - 1),
            within: Span::NONE,
            more: None,
            sealed: false,
            quoted: false,
            is_value: false,
        }
    }

    /// The same, with what the string says.
    pub(crate) fn text(
        bundle: &Bundle,
        (leaf, text): (&Leaf<'_>, &[u8]),
        class: Class,
        rule: &str,
    ) -> Self {
        let mut finding = Self::whole(leaf, class, rule);
        if finding.value(bundle) != text {
            finding.set_value(text);
        }
        finding
    }

    /// The value, where it is not the bytes themselves.
    pub(crate) fn set_value(&mut self, value: &[u8]) {
        self.more.get_or_insert_default().value = Some(value.into());
    }

    /// The replacement, where it is no placeholder.
    pub(crate) fn set_alias(&mut self, alias: Arc<str>) {
        self.more.get_or_insert_default().alias = Some(alias);
    }

    /// Covers all of a value that a provider sealed.
    pub(crate) fn seal(&mut self, span: Span, value: &[u8]) {
        if let Some(more) = &mut self.more {
            more.rest = Vec::new();
        }
        self.set_value(value);
        (self.span, self.sealed) = (span, true);
    }

    /// The value, decoded, where it is not the bytes themselves.
    pub(crate) fn own(&self) -> Option<&[u8]> {
        self.more.as_ref()?.value.as_deref()
    }

    /// The value, decoded, of a finding in this bundle.
    pub(crate) fn value<'b>(&'b self, bundle: &'b Bundle) -> &'b [u8] {
        self.own().unwrap_or_else(|| bundle.slice(self.member, self.span))
    }

    /// The wrappings around it, the outermost first.
    #[must_use]
    pub fn wrappings(&self) -> &[Wrapping] {
        self.more.as_ref().map_or(&[], |more| &more.wrappings)
    }

    /// The replacement, where it is no placeholder.
    pub(crate) fn alias(&self) -> Option<&str> {
        self.more.as_ref()?.alias.as_deref()
    }

    /// The bytes that have it: one span, or several of a stream.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let rest = self.more.iter().flat_map(|more| &more.rest);
        std::iter::once(self.span).chain(rest.copied())
    }

    /// Takes the whole text that the value is in; of bytes that are no JSON, its line; of a stream,
    /// each string that has some of it.
    pub(crate) fn widen(&mut self, bundle: &Bundle) {
        let is_stream = self.wrappings().first() == Some(&Wrapping::Stream);
        if (self.within == Span::NONE && !is_stream) || self.sealed || self.quoted {
            return;
        }
        let value = self.value(bundle).to_vec();
        let (start, end) = (self.within.start as usize, self.within.end as usize);
        let bytes = bundle.bytes(self.member);
        let wide = |span: Span| {
            if is_stream {
                return string_around(bytes, span);
            }
            let (from, to) = (span.start as usize, span.end as usize);
            let (Some(before), Some(behind)) = (bytes.get(start..from), bytes.get(to..end)) else {
                return span;
            };
            let from = memchr::memrchr(b'\n', before).map_or(start, |line| start + line + 1);
            let to = memchr::memchr(b'\n', behind).map_or(end, |line| to + line);
            Span::new(from as u32, to as u32)
        };
        self.set_value(&value);
        self.span = wide(self.span);
        if let Some(more) = &mut self.more {
            more.rest.iter_mut().for_each(|span| *span = wide(*span));
        }
    }

    /// Whether it is in an encoding that is replaced as a whole.
    pub(crate) fn is_coded(&self) -> bool {
        self.wrappings().iter().any(|way| way.is_whole())
    }

    /// The first byte of the value in its member, and the byte behind it; of a stream's, those of
    /// its first piece.
    #[must_use]
    pub const fn bytes(&self) -> (u32, u32) {
        (self.span.start, self.span.end)
    }

    /// The first byte of the value in its member.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.span.start
    }
}

/// The bytes between the quotes of the string of JSON that a span is in.
fn string_around(bytes: &[u8], span: Span) -> Span {
    let (from, to) = (span.start as usize, span.end as usize);
    let is_quote = |at: &usize| {
        let before = bytes[..*at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        before % 2 == 0
    };
    let head = bytes.get(..from).unwrap_or_default();
    let tail = bytes.get(to..).unwrap_or_default();
    let before = memchr::memrchr_iter(b'"', head).find(is_quote);
    let behind = memchr::memchr_iter(b'"', tail).map(|at| to + at).find(is_quote);
    match (before, behind) {
        (Some(before), Some(behind)) => Span::new(before as u32 + 1, behind as u32),
        _ => span,
    }
}
