//! Books of a conversion to another agent: the fate of each field of the source, and the origin of
//! each leaf of the target. They have the only doors through which a writer can put a value.

use std::borrow::Cow;

use session::account::{Account, Cause, Fate, TakenValue};
use session::{EventRef, Scan, Slot, Span, value};

use super::closed::{ClosedBooks, LeafOrigin, TargetBytes, TargetFile, TargetLeaf};
use crate::digest::digest_bytes;
use crate::document::clean;
use crate::document::out::Out;

/// A value for the target. Writing it decides the fate of the fields that it was made of.
#[derive(Clone, Debug)]
#[must_use = "a value that is not put is dropped"]
pub(crate) struct Value<'s> {
    json: Cow<'s, [u8]>,
    of: Vec<TakenValue<'s>>,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Carry,
    Map(Cause),
    /// The target has only a part of the fields.
    Part,
    Make(Cause),
}

impl<'s> Value<'s> {
    /// A text that no field has.
    pub(crate) fn made(text: &str, cause: Cause) -> Self {
        Self { json: Cow::Owned(quoted(text)), of: Vec::new(), how: How::Make(cause) }
    }

    /// A JSON value that no field has.
    pub(crate) fn made_json(json: Vec<u8>, cause: Cause) -> Self {
        Self { json: Cow::Owned(json), of: Vec::new(), how: How::Make(cause) }
    }

    /// A JSON value of the target's form.
    pub(crate) fn frame(json: &'static [u8]) -> Self {
        Self { json: Cow::Borrowed(json), of: Vec::new(), how: How::Make(Cause::Frame) }
    }

    /// A text that is made of these values.
    pub(crate) fn mapped(text: &str, of: Vec<TakenValue<'s>>, cause: Cause) -> Self {
        Self::mapped_json(quoted(text), of, cause)
    }

    /// A JSON value that is made of these values.
    pub(crate) fn mapped_json(json: Vec<u8>, of: Vec<TakenValue<'s>>, cause: Cause) -> Self {
        Self { json: Cow::Owned(json), of, how: How::Map(cause) }
    }

    /// A value as it is.
    pub(crate) fn carried(of: TakenValue<'s>) -> Self {
        Self { json: Cow::Borrowed(of.peek()), of: vec![of], how: How::Carry }
    }

    /// The same value, if it has only a part of its fields.
    pub(crate) fn in_part(mut self) -> Self {
        self.how = How::Part;
        self
    }

    /// Cleans a value that some agents' parsers refuse, with the whole line around it: of equal
    /// keys the one that counts stays, a lone surrogate becomes U+FFFD, and the line separators of
    /// Unicode are escaped.
    fn clean(&mut self, scan: &mut Scan) {
        if let Some(json) = clean::without_separators(&self.json) {
            self.json = Cow::Owned(json);
            if matches!(self.how, How::Carry) {
                self.how = How::Map(Cause::Form);
            }
        }
        if matches!(self.how, How::Make(_)) || !clean::is_unfit(&self.json, scan) {
            return;
        }
        let mut out = Out::default();
        clean::write_fit(&self.json, &mut out, scan);
        self.json = Cow::Owned(out.text);
        if matches!(self.how, How::Carry) {
            self.how = How::Map(Cause::Form);
        }
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
        if !matches!(self.how, How::Part) {
            self.how =
                if matches!(more.how, How::Part) { How::Part } else { How::Map(Cause::Joined) };
        }
        self
    }

    /// The same values as another JSON value.
    pub(crate) fn written_as(mut self, json: &'static [u8]) -> Self {
        self.json = Cow::Borrowed(json);
        if matches!(self.how, How::Carry) {
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
            How::Carry => How::Map(Cause::Form),
            how => how,
        };
        Self { json: Cow::Owned(json), of: self.of.clone(), how }
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
}

impl<'s> Books<'s> {
    pub(crate) fn of(account: Account<'s>) -> Self {
        Self { account, pages: Vec::new(), scan: Scan::new() }
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
        let fields: Vec<usize> = value.of.iter().map(TakenValue::field).collect();
        for taken in value.of {
            // A value that the target has in several places has its best fate.
            let known = self.account.fate(taken.field());
            let mut draft = self.account.draft(0);
            match (value.how, known) {
                (How::Make(_), _) | (How::Map(_) | How::Part, Some(Fate::Carried)) => continue,
                (How::Part, Some(Fate::Mapped(_))) => continue,
                (How::Carry, _) => draft.put(taken),
                (How::Map(cause), _) => draft.map(taken, cause),
                (How::Part, _) => draft.part(taken),
            };
        }
        let origin = match (value.how, fields.first()) {
            (How::Carry, Some(field)) => LeafOrigin::Carried(*field),
            (How::Map(cause), Some(_)) => LeafOrigin::Mapped(fields, cause),
            (How::Part, Some(_)) => LeafOrigin::Mapped(fields, Cause::InPart),
            (How::Make(cause) | How::Map(cause), _) => LeafOrigin::Made(cause),
            (How::Carry | How::Part, None) => LeafOrigin::Made(Cause::Form),
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

    /// Closes the books: fields that nobody put are dropped. Returns the files' bytes too.
    pub(crate) fn close(self) -> (TargetBytes, ClosedBooks) {
        let (mut written, mut files) = (Vec::new(), Vec::new());
        for Page { name, out, leaves, .. } in self.pages {
            written.push((name.clone(), out.text));
            files.push(TargetFile { name, leaves });
        }
        (written, ClosedBooks { files, ledger: self.account.close() })
    }
}

/// The bytes of a file, which is shorter than 4 GiB.
fn span(start: usize, end: usize) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(place(start), place(end))
}
