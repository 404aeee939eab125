//! Books of a conversion to another agent: the fate of each field of the source, and the origin of
//! each leaf of the target. A writer can emit a value only through `Books`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use meaning::account::{Account, Cause, Fate, TakenValue};
use session::{EventRef, Scan, Session, Slot, Span, value};

use super::closed::{ClosedBooks, LeafOrigin, TargetBytes, TargetFile, TargetLeaf};
use super::inverse::{Hint, Inverse, Mapping, TextPart, Texts, inverse};
use crate::digest::digest_bytes;
use crate::documents::shared::clean;
use crate::documents::shared::out::Out;

/// A value for the target. Writing it decides the fate of the fields that it was made of.
#[derive(Clone, Debug)]
#[must_use = "a value that is not put is dropped"]
pub(crate) struct Value<'s> {
    json: Cow<'s, [u8]>,
    of: Vec<TakenValue<'s>>,
    how: How,
    hint: Option<Hint>,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Conversion,
    Map(Cause),
    Make(Cause),
}

impl<'s> Value<'s> {
    /// A text that no field has.
    pub(crate) fn made(text: &str, cause: Cause) -> Self {
        Self::made_json(quoted(text), cause)
    }

    /// A JSON value that no field has.
    pub(crate) fn made_json(json: Vec<u8>, cause: Cause) -> Self {
        Self { json: Cow::Owned(json), of: Vec::new(), how: How::Make(cause), hint: None }
    }

    /// A JSON value of the target's form.
    pub(crate) fn frame(json: &'static [u8]) -> Self {
        let how = How::Make(Cause::Frame);
        Self { json: Cow::Borrowed(json), of: Vec::new(), how, hint: None }
    }

    /// A text that is made of these values.
    pub(crate) fn mapped(text: &str, of: Vec<TakenValue<'s>>, cause: Cause) -> Self {
        Self::mapped_json(quoted(text), of, cause)
    }

    /// A JSON value that is made of these values.
    pub(crate) fn mapped_json(json: Vec<u8>, of: Vec<TakenValue<'s>>, cause: Cause) -> Self {
        Self { json: Cow::Owned(json), of, how: How::Map(cause), hint: None }
    }

    /// A value as it is.
    pub(crate) fn carried(of: TakenValue<'s>) -> Self {
        Self { json: Cow::Borrowed(of.peek()), of: vec![of], how: How::Conversion, hint: None }
    }

    /// The same value, with the knowledge of how it was made.
    pub(crate) fn hinted(mut self, hint: Hint) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Cleans a value that some agents' parsers refuse, with the whole line around it: of equal
    /// keys the one that counts stays, a lone surrogate becomes U+FFFD, and the line separators of
    /// Unicode are escaped.
    fn clean(&mut self, scan: &mut Scan) {
        if let Some(json) = clean::without_separators(&self.json) {
            self.json = Cow::Owned(json);
        }
        if matches!(self.how, How::Make(_)) || !clean::is_unfit(&self.json, scan) {
            return;
        }
        let mut out = Out::default();
        clean::write_fit(&self.json, &mut out, scan);
        self.json = Cow::Owned(out.text);
        self.how = How::Map(Cause::Cleaned);
    }

    /// The text, if it is a string.
    pub(crate) fn text(&self) -> Option<Cow<'_, str>> {
        value::text(&self.json)
    }

    /// The JSON value.
    pub(crate) fn json(&self) -> &[u8] {
        &self.json
    }

    /// Several texts as one, each on lines of its own.
    pub(crate) fn join(mut self, more: Self) -> Self {
        let text = [self.text().unwrap_or_default(), more.text().unwrap_or_default()].join("\n");
        self.json = Cow::Owned(quoted(&text));
        self.of.extend(more.of);
        self.how = How::Map(Cause::Joined);
        self.hint = self.hint.or(more.hint);
        self
    }

    /// The same values as another JSON value.
    pub(crate) fn written_as(mut self, json: &'static [u8]) -> Self {
        self.json = Cow::Borrowed(json);
        if matches!(self.how, How::Conversion) {
            self.how = How::Map(Cause::Form);
        }
        self
    }

    /// The same values as another text.
    pub(crate) fn as_text(&self, text: &str) -> Self {
        self.as_json(quoted(text))
    }

    /// The same values as another JSON value.
    pub(crate) fn as_json(&self, json: Vec<u8>) -> Self {
        let how = match self.how {
            How::Conversion => How::Map(Cause::Form),
            how => how,
        };
        Self { json: Cow::Owned(json), of: self.of.clone(), how, hint: self.hint.clone() }
    }
}

fn quoted(text: &str) -> Vec<u8> {
    let mut json = Vec::with_capacity(text.len() + 2);
    value::quote(text, &mut json);
    json
}

/// A file that is being written.
struct Page {
    name: String,
    out: Out<'static>,
    leaves: Vec<TargetLeaf>,
    /// The innermost key, which names the leaves.
    key: &'static str,
}

/// The books of one conversion, while it is written. Values go to the last file that was begun.
pub(crate) struct Books<'s> {
    account: Account<'s>,
    pages: Vec<Page>,
    scan: Scan,
    /// The fields that were mapped so far.
    mapped: BTreeMap<usize, Mapped<'s>>,
}

/// A mapped field.
struct Mapped<'s> {
    taken: TakenValue<'s>,
    cause: Cause,
    /// Whether one value of the target gives it back.
    whole: bool,
    /// The parts of it that values of the target have.
    parts: Vec<TextPart>,
}

impl Mapped<'_> {
    fn fate(&self) -> Fate {
        let texts = || Texts::of(self.taken.peek());
        if self.whole || !self.parts.is_empty() && texts().is_covered(&self.parts) {
            return Fate::Mapped(self.cause);
        }
        Fate::InPart(match self.cause {
            _ if !self.parts.is_empty() => Cause::InPart,
            Cause::Form | Cause::Joined if texts().is_damaged() => Cause::Cleaned,
            Cause::Form | Cause::Joined => Cause::Altered,
            cause => cause,
        })
    }
}

impl<'s> Books<'s> {
    pub(crate) fn of(account: Account<'s>) -> Self {
        Self { account, pages: Vec::new(), scan: Scan::new(), mapped: BTreeMap::new() }
    }

    /// The field of an event with this slot.
    pub(crate) fn take(&mut self, event: EventRef<'s>, slot: Slot) -> Option<TakenValue<'s>> {
        let at = event.fields().iter().position(|field| field.slot == slot)?;
        self.account.draft(event.index).take(at)
    }

    /// The field with this number of an event.
    pub(crate) fn take_at(&mut self, event: EventRef<'s>, at: usize) -> Option<TakenValue<'s>> {
        self.account.draft(event.index).take(at)
    }

    /// Begins a file.
    pub(crate) fn file(&mut self, name: String) {
        self.pages.push(Page { name, out: Out::default(), leaves: Vec::new(), key: "" });
    }

    /// Makes the last file the first one.
    pub(crate) fn lead(&mut self) {
        if let Some(page) = self.pages.pop() {
            self.pages.insert(0, page);
        }
    }

    fn page(&mut self) -> Option<&mut Page> {
        self.pages.last_mut()
    }

    fn out(&mut self, write: impl FnOnce(&mut Out<'static>)) {
        if let Some(page) = self.page() {
            write(&mut page.out);
        }
    }

    /// An object: a record, an element, or the member after [`Books::key`].
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.out(Out::open);
        fill(self);
        self.out(Out::close);
    }

    /// A member that is an object.
    pub(crate) fn object_at(&mut self, key: &'static str, fill: impl FnOnce(&mut Self)) {
        self.key(key);
        self.object(fill);
    }

    /// A member that is an array with at least one element.
    pub(crate) fn array_at(&mut self, key: &'static str, fill: impl FnOnce(&mut Self)) {
        self.key(key);
        self.out(Out::open_array);
        fill(self);
        self.out(Out::close_array);
    }

    /// Begins an object, which [`Books::end`] ends.
    pub(crate) fn begin(&mut self) {
        self.out(Out::open);
    }

    /// Begins a member that is an object, which [`Books::end`] ends. Returns its place in the file.
    pub(crate) fn begin_at(&mut self, key: &'static str) -> usize {
        self.key(key);
        let place = self.pages.last().map_or(0, |page| page.out.text.len());
        self.begin();
        place
    }

    /// Ends the object that began at this place. Returns the SHA-256 digest of its bytes.
    pub(crate) fn end_digested(&mut self, place: usize) -> [u8; 32] {
        self.end();
        let bytes = self.pages.last().and_then(|page| page.out.text.get(place..));
        digest_bytes(bytes.unwrap_or_default())
    }

    /// Ends an object.
    pub(crate) fn end(&mut self) {
        self.out(Out::close);
    }

    /// Begins a member that is an array, which [`Books::end_array`] ends.
    pub(crate) fn begin_array(&mut self, key: &'static str) {
        self.key(key);
        self.out(Out::open_array);
    }

    /// Ends an array.
    pub(crate) fn end_array(&mut self) {
        self.out(Out::close_array);
    }

    /// Ends a line.
    pub(crate) fn end_line(&mut self) {
        self.out(|out| out.text.push(b'\n'));
    }

    /// The key of the next value.
    fn key(&mut self, key: &'static str) {
        if let Some(page) = self.page() {
            page.key = key;
            page.out.key(key);
        }
    }

    /// A record on a line of its own.
    pub(crate) fn line(&mut self, fill: impl FnOnce(&mut Self)) {
        self.object(fill);
        self.end_line();
    }

    /// A member.
    pub(crate) fn put(&mut self, key: &'static str, value: Value<'s>) {
        self.key(key);
        self.element(value);
    }

    /// A member, if there is a value for it.
    pub(crate) fn put_some(&mut self, key: &'static str, value: Option<Value<'s>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// A member of the target's form.
    pub(crate) fn frame(&mut self, key: &'static str, json: &'static [u8]) {
        self.put(key, Value::frame(json));
    }

    /// An element of an array, or the value after a key.
    pub(crate) fn element(&mut self, mut value: Value<'s>) {
        value.clean(&mut self.scan);
        let origin = match (value.how, value.of.first()) {
            (How::Conversion, Some(taken)) => {
                let field = taken.field();
                self.account.settle(field, Fate::Carried);
                LeafOrigin::Carried(field)
            }
            (How::Map(cause), Some(_)) => self.map(&value, cause),
            (How::Make(cause) | How::Map(cause), _) => LeafOrigin::Made(cause),
            (How::Conversion, None) => LeafOrigin::Made(Cause::Form),
        };
        let Some(page) = self.pages.last_mut() else { return };
        if let LeafOrigin::Made(cause) = origin {
            self.account.make(page.key, cause, ());
        }
        let before = page.out.text.len();
        page.out.raw(&value.json);
        let end = page.out.text.len();
        // The comma before the value is no part of it.
        let comma = page.out.text.get(before) == Some(&b',');
        let span = span(before + usize::from(comma), end);
        page.leaves.push(TargetLeaf { name: page.key, span, origin });
    }

    /// The origin of a mapped value, which has its fields whole, or parts of them.
    fn map(&mut self, value: &Value<'s>, cause: Cause) -> LeafOrigin {
        let leaf = Texts::of(&value.json);
        let is_cleaned = matches!(cause, Cause::Cleaned);
        let back = |of: &TakenValue<'s>| match is_cleaned {
            true => Inverse::None,
            false => inverse(of, (&value.json, &leaf), value.hint.as_ref()),
        };
        let mut all: Vec<(TakenValue<'s>, Inverse)> =
            value.of.iter().map(|of| (of.clone(), back(of))).collect();
        // Of several fields, one that nothing leads back to is not in the value at all.
        let is_lost = |of: &TakenValue<'s>, back: &Inverse| {
            let told = of.slot() == Slot::Time || Texts::of(of.peek()).is_damaged();
            *back == Inverse::None && !told
        };
        if !is_cleaned && all.iter().any(|(of, back)| !is_lost(of, back)) {
            all.retain(|(of, back)| !is_lost(of, back));
        }
        let mut whole = true;
        let mut mappings = Vec::new();
        for (taken, inverse) in all {
            let field = taken.field();
            let mapped = self.mapped.entry(field);
            let mapped = mapped.or_insert(Mapped { taken, cause, whole: false, parts: Vec::new() });
            match &inverse {
                Inverse::Parts(parts) | Inverse::Tagged(_, parts) => mapped.parts.extend(parts),
                Inverse::None => whole = false,
                _ => mapped.whole = true,
            }
            mappings.push(Mapping { field, inverse });
        }
        match whole {
            true => LeafOrigin::Mapped(mappings, cause),
            false => LeafOrigin::InPart(mappings, cause),
        }
    }

    /// Closes the books of a session: fields that nobody put are dropped. Returns the files' bytes
    /// too.
    pub(crate) fn close(mut self, session: &Session) -> (TargetBytes, ClosedBooks) {
        for (field, mapped) in self.mapped {
            // A value that the target has in several places has its best fate.
            if self.account.fate(field) != Some(Fate::Carried) {
                self.account.settle(field, mapped.fate());
            }
        }
        let (mut written, mut files) = (Vec::new(), Vec::new());
        let ledger = self.account.close();
        for Page { name, out, leaves, .. } in self.pages {
            written.push((name.clone(), out.text));
            files.push(TargetFile { name, leaves });
        }
        (written, ClosedBooks { files, ledger, unread: session.unread_records() })
    }
}

/// The bytes of a file, which is shorter than 4 GiB.
fn span(start: usize, end: usize) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(place(start), place(end))
}
