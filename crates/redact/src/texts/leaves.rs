//! Leaves: the texts of a bundle. Of JSON these are the strings, names and values; of other bytes,
//! the records as they are. Streams are joined.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use session::{Bundle, Elements, Members, Node, Scan, Session, Shape, Span};

use super::clean::{self, Known, LONG, Trail};
use super::kinds::{self, SHORT, StreamOf, is_picture, is_word, paired, question, stream_of};
use super::known::{LongValue, Looked, NameOf};
use super::leaf::{Form, Has, Leaf, Look, Where};
use super::marks::{Marks, Treatment};
use super::path::{PathStep, Way};
use super::{format_words, siblings};
use crate::unwrap::plan::Step;
use crate::unwrap::view::{self, View};
use crate::unwrap::walk::{Budget, Unwrapping};

mod joined;

/// No name of a member has this value: the names themselves are kept by it.
const NAME: &[u8] = b"\"";
/// The longest value that is also seen with its name.
const PAIR: usize = 2048;

/// Gives each text of the sessions' bundle to `look`, in every view; again if it is `special`, by
/// its member and place.
pub(crate) fn each(
    sessions: &[&Session],
    marks: &Marks,
    special: &dyn Fn(u32, Span) -> bool,
    trail: &mut Trail<'_>,
    look: &mut Look<'_>,
) {
    let length = sessions.first().map_or(0, |first| length(&first.bundle));
    let budget = &Budget::of(length.max(trail.length));
    let mut looked = Looked::default();
    for session in sessions {
        let (streams, blocks) = (BTreeMap::new(), BTreeMap::new());
        let (path, before, looked) = (Way::default(), Vec::new(), &mut looked);
        let trail = &mut *trail;
        let mut walk =
            Walk { session, marks, budget, special, looked, trail, streams, blocks, path, before };
        let mut scan = Scan::counting(session.counts);
        for record in &session.records {
            let bytes = session.record_bytes(record);
            let at = Where { member: record.member, line: record.line };
            match scan.read(bytes, record.span.start) {
                Ok(doc) => walk.document(at, doc.root(), look),
                Err(_) => walk.other(at, record.span, bytes, look),
            }
        }
        walk.streams(look);
    }
}

/// The number of bytes of a bundle.
pub(crate) fn length(bundle: &Bundle) -> u64 {
    bundle.members.iter().map(|member| member.length() as u64).sum()
}

struct Walk<'w, 't> {
    session: &'w Session,
    marks: &'w Marks,
    budget: &'w Budget,
    special: &'w dyn Fn(u32, Span) -> bool,
    looked: &'w mut Looked,
    trail: &'w mut Trail<'t>,
    /// By member, number of the names and the values that tell a stream from another.
    streams: BTreeMap<(u32, u32, Vec<u8>), StreamOf>,
    /// The texts of one record with the same names in its lists.
    blocks: BTreeMap<u32, StreamOf>,
    path: Way,
    /// The end of the last text that somebody said: it may ask for what comes next.
    before: Vec<u8>,
}

/// A container that is being walked.
enum Frame<'a> {
    Object(Members<'a>),
    Array(Elements<'a>, u32, &'a [u8]),
}

impl Walk<'_, '_> {
    fn document(&mut self, at: Where, root: Node<'_>, look: &mut Look<'_>) {
        self.path.clear();
        let stream = stream_of(&self.session.bundle, at.member, root);
        let mut frames = Vec::new();
        self.value(at, root, b"", stream.as_deref(), &mut frames, look);
        while let Some(frame) = frames.last_mut() {
            let next = match frame {
                Frame::Object(members) => members.next().map(|member| {
                    (PathStep::Key(member.key), member.name, member.value, Some(member.key))
                }),
                Frame::Array(elements, index, name) => elements.next().map(|element| {
                    *index += 1;
                    (PathStep::Index(*index - 1), *name, element, None)
                }),
            };
            let Some((step, name, value, key)) = next else {
                frames.pop();
                self.path.pop();
                continue;
            };
            self.path.push(step);
            if let Some(key) = key {
                self.name(at, name, key, look);
            }
            let depth = frames.len();
            self.value(at, value, kinds::end(name), stream.as_deref(), &mut frames, look);
            if frames.len() == depth {
                self.path.pop();
            }
        }
        for stream in std::mem::take(&mut self.blocks).into_values() {
            if self.cuts_a_word(at.member, &stream.pieces) {
                self.joined(at.member, &stream, look);
            }
        }
    }

    fn leaf<'l>(
        &'l self,
        at: Where,
        name: &'l [u8],
        value: Span,
        form: Form,
        treatment: Treatment,
    ) -> Leaf<'l> {
        let (Where { member, line }, path, shared) = (at, &self.path, OnceCell::new());
        Leaf { member, line, path, name, treatment, value, form, shared }
    }

    /// A value: a text is looked at, a container is entered.
    fn value<'a>(
        &mut self,
        at: Where,
        node: Node<'a>,
        name: &'a [u8],
        stream: Option<&[u8]>,
        frames: &mut Vec<Frame<'a>>,
        look: &mut Look<'_>,
    ) {
        match node.shape() {
            Shape::Object => {
                self.beside(at, node, name, look);
                frames.push(Frame::Object(node.members()));
            }
            Shape::Array => {
                self.numbers(at, node, name, look);
                frames.push(Frame::Array(node.elements(), 0, name));
            }
            Shape::String => self.string(at, node, name, stream, look),
            Shape::Number => self.number(at, node, name, look),
            Shape::Bool | Shape::Null => {}
        }
    }

    fn string(
        &mut self,
        at: Where,
        node: Node<'_>,
        name: &[u8],
        stream: Option<&[u8]>,
        look: &mut Look<'_>,
    ) {
        let (Some(raw), value) = (node.text(), node.span()) else { return };
        if raw.is_empty() {
            return;
        }
        let number = self.trail.next();
        let treatment = self.marks.treatment(at.member, value, name);
        let member = at.member;
        let NameOf { is_plain, is_piece, .. } = self.looked.name(name);
        // What is found in the output of a call depends on the call.
        let is_special = (self.special)(member, value) || treatment == Treatment::Named;
        let mut is_known = !is_special && self.looked.is_clean(name, raw, treatment);
        let digest = self.digest(if is_plain { b"" } else { name }, raw, treatment);
        let digest = digest.filter(|_| !is_special && !is_known);
        is_known |= digest.is_some_and(|digest| self.trail.is_known(&digest, number));
        if is_known && !is_piece && stream.is_none_or(|stream| !stream.is_empty()) {
            return;
        }
        let text = view::unescaped(raw);
        let form = if is_picture(&text) { Form::Picture } else { Form::Text };
        let leaf = self.leaf(at, name, value, form, treatment);
        let string = View::string(raw, &text, value.start as usize + 1);
        let mut has = if is_special { Has::Value } else { Has::Nothing };
        if !is_known && !name.is_empty() && text.len() <= PAIR && !is_plain {
            let (pair, begin) = paired(name, &text, b"\"");
            has = has.max(look(&leaf, &View::pair(&pair, &string, begin)));
        }
        let bundle = &*self.session.bundle;
        let long = LongValue { bundle, member, span: value, treatment };
        let is_repeated = is_known || (!is_special && self.looked.is_clean_again(long));
        let mut has_own = if is_special { Has::Value } else { Has::Nothing };
        let mut steps = None;
        if !is_repeated {
            let (has, new) = self.views(&string, treatment, number, &mut |view| look(&leaf, view));
            (has_own, steps) = (has_own.max(has), Some(new));
        }
        if treatment == Treatment::Open && is_piece {
            self.asked(&leaf, &string, look);
            self.before = question(&text);
        }
        if !is_known && has_own != Has::Value {
            self.looked.keep_long(long);
            if has != Has::Value {
                self.looked.keep(name, raw, treatment);
            }
        }
        let digest = digest.filter(|_| has.max(has_own) == Has::Nothing);
        self.trail.keep_steps(steps, number, digest);
        let stream = stream.filter(|stream| stream.is_empty() || is_piece);
        self.piece(at, (value, treatment), stream, is_piece);
    }

    /// A value whose name is in another member of its object: it is seen with that name.
    fn beside(&mut self, at: Where, object: Node<'_>, name: &[u8], look: &mut Look<'_>) {
        for (key, value) in siblings::of(object, name) {
            let Some(raw) = value.text() else { continue };
            self.path.push(PathStep::Key(key));
            let treatment = self.marks.treatment(at.member, value.span(), b"value");
            let leaf = self.leaf(at, b"value", value.span(), Form::Text, treatment);
            let text = view::unescaped(raw);
            let string = View::string(raw, &text, value.span().start as usize + 1);
            let (pair, begin) = paired(siblings::NAME, &text, b"\"");
            look(&leaf, &View::pair(&pair, &string, begin));
            self.path.pop();
        }
    }

    /// Gives each view of a string to `look`, and tells what they have, and the wrappings that were
    /// found to be undone.
    fn views(
        &self,
        string: &View<'_>,
        treatment: Treatment,
        number: usize,
        look: &mut dyn FnMut(&View<'_>) -> Has,
    ) -> (Has, Vec<Step>) {
        if self.trail.is_plain(number) {
            return (look(string), Vec::new());
        }
        let unwrapping = self.unwrapping(treatment);
        if let Some(plan) = self.trail.plan(number) {
            return (unwrapping.again(string, plan, look), Vec::new());
        }
        let has = unwrapping.all(string, look);
        (has, unwrapping.steps())
    }

    fn unwrapping(&self, treatment: Treatment) -> Unwrapping<'_> {
        Unwrapping::of(self.budget, self.trail.views(), treatment)
    }

    /// A word with the end of the text before, which may have asked for it.
    fn asked(&self, leaf: &Leaf<'_>, string: &View<'_>, look: &mut Look<'_>) {
        if is_word(string.text) && !self.before.is_empty() {
            let asked = [&self.before[..], b": ", string.text].concat();
            look(leaf, &View::pair(&asked, string, self.before.len() + 2));
        }
    }

    /// Keeps a text that may be a piece of a stream, or goes on in the next text of the record.
    fn piece(
        &mut self,
        at: Where,
        (value, treatment): (Span, Treatment),
        stream: Option<&[u8]>,
        is_piece: bool,
    ) {
        let is_open = treatment == Treatment::Open;
        if let Some(stream) = stream {
            let names = if stream.is_empty() { 0 } else { self.names(at.member) };
            let stream = self.streams.entry((at.member, names, stream.to_vec())).or_default();
            // The lines of a text have others between them.
            stream.add((at.line, if names == 0 { 4 } else { 1 }), value, is_open);
        } else if is_piece && self.path.has_list() {
            let names = self.names(at.member);
            self.blocks.entry(names).or_default().add((at.line, 0), value, is_open);
        }
    }

    /// The digest of a long text, where it is of use.
    fn digest(&self, name: &[u8], raw: &[u8], treatment: Treatment) -> Option<Known> {
        // No escape is longer than six bytes for one: a longer text is not seen with its name.
        let name = if raw.len() > 6 * PAIR { b"" } else { name };
        let is_of_use = raw.len() > LONG && self.trail.has_digests();
        is_of_use.then(|| clean::known(name, raw, treatment))
    }

    /// A number, with its name.
    fn number(&mut self, at: Where, node: Node<'_>, name: &[u8], look: &mut Look<'_>) {
        let raw = node.raw();
        if name.is_empty() || raw.len() < 3 {
            return;
        }
        if raw.len() < SHORT && !self.looked.name(name).is_secret {
            return;
        }
        let treatment = self.marks.treatment(at.member, node.span(), name);
        let leaf = self.leaf(at, name, node.span(), Form::Number, treatment);
        let number = View::file(raw, node.span().start as usize);
        let (pair, begin) = paired(name, raw, b"");
        look(&leaf, &View::pair(&pair, &number, begin));
    }

    /// A list of numbers, which can be bytes.
    fn numbers(&self, at: Where, node: Node<'_>, name: &[u8], look: &mut Look<'_>) {
        let raw = node.raw();
        let is_number = |node: Node<'_>| node.shape() == Shape::Number;
        // A list of anything else has leaves of its own.
        if raw.len() < 24 || !node.elements().all(is_number) {
            return;
        }
        let leaf = self.leaf(at, name, node.span(), Form::Number, Treatment::Open);
        let view = View::file(raw, node.span().start as usize);
        let unwrapping = Unwrapping::of(self.budget, None, Treatment::Open);
        unwrapping.within(&view, &mut |view| look(&leaf, view));
    }

    /// A name of a member, which can be data too.
    fn name(&mut self, at: Where, name: &[u8], key: Span, look: &mut Look<'_>) {
        let is_special = (self.special)(at.member, key);
        if !is_special && self.looked.is_clean(NAME, name, Treatment::Open) {
            return;
        }
        let treatment = match format_words::is_word_of_formats(name) {
            true => Treatment::Protected,
            false => Treatment::Open,
        };
        let text = view::unescaped(name);
        let view = View::string(name, &text, key.start as usize + 1);
        let leaf = self.leaf(at, b"", key, Form::Key, treatment);
        let has = self.unwrapping(treatment).all(&view, &mut |view| look(&leaf, view));
        if has != Has::Value && !is_special {
            self.looked.keep(NAME, name, Treatment::Open);
        }
    }

    /// Bytes that are not JSON.
    fn other(&mut self, at: Where, span: Span, bytes: &[u8], look: &mut Look<'_>) {
        let number = self.trail.next();
        let leaf = self.leaf(at, b"", span, Form::Text, Treatment::Open);
        let view = View::file(bytes, span.start as usize);
        let look = &mut |view: &View<'_>| look(&leaf, view);
        let (_, steps) = self.views(&view, Treatment::Open, number, look);
        self.trail.keep_steps(Some(steps), number, None);
    }

    /// The number of the names on the way to a value of a member.
    fn names(&mut self, member: u32) -> u32 {
        let bundle = &self.session.bundle;
        self.path.number(|key| bundle.slice(member, key))
    }
}
