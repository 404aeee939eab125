//! Scan: the sensitive values of the sessions of a bundle.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use meaning::secret::Secret;
use session::{Bundle, Session, Span};

use super::finding::SecretFinding;
use super::marked::Marked;
use super::names::{KnownName, Names};
use super::places::{areas, distinct, settle};
use super::sweep::{self, Sweep};
use super::{assigned, second_pass};
use crate::calls;
use crate::edit::placeholder;
use crate::failure::Failure;
use crate::profile::RedactionOptions;
use crate::rules::Seen as SeenKeyword;
use crate::rules::{Class, Hit, Rules, RulesError};
use crate::texts::clean::CleanTexts;
use crate::texts::clean::Known as KnownText;
use crate::texts::clean::Trail;
use crate::texts::kinds::is_picture;
use crate::texts::leaf::{Form, Has, Leaf};
use crate::texts::marks::{Marks, Treatment};
use crate::texts::pointer::pointer;
use crate::texts::{format_words, leaves};
use crate::unwrap::view::View;
use crate::unwrap::wrapping::Wrapping;

/// Result of a scan.
pub(crate) struct Scanned {
    /// The findings, in the order of the bytes.
    pub(crate) findings: Vec<SecretFinding>,
    /// The values and names that were found, to look for them elsewhere.
    pub(crate) sweep: Sweep,
    /// The first place of a value that was sought: its member and line.
    pub(crate) left: Option<(u32, u32)>,
    /// The long texts in which the sweep found nothing, if they were asked for.
    pub(crate) unswept: HashSet<KnownText>,
}

/// Knowledge of a scan from earlier ones.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'m> {
    pub(crate) clean: &'m CleanTexts,
    /// Values that may not be there, and the texts in which they are not.
    pub(crate) sought: Option<(&'m Sweep, &'m HashSet<KnownText>)>,
    /// Whether the texts are kept in which the sweep finds nothing.
    pub(crate) keeps: bool,
    /// The length of the bundle before its edits: what the scan before them could decode is decoded
    /// in the edited bundle too, although that may be shorter.
    pub(crate) length: u64,
}

/// The findings of the sessions of one bundle. `secrets` are the values that the format's tables
/// name; those that are sought may not be there.
pub(crate) fn bundle(
    sessions: &[&Session],
    secrets: &[Secret],
    rules: &Rules,
    options: &RedactionOptions,
    memory: Memory<'_>,
) -> Result<Scanned, Failure> {
    if !Names::are_ready() {
        return Err(Failure::Patterns);
    }
    let marks = Marks::of(sessions);
    let empty = Bundle { members: Vec::new() };
    let bundle = sessions.first().map_or(&empty, |first| &first.bundle);
    let mut first = First::of(rules, options, &marks, bundle, secrets);
    for user in &options.users {
        first.names.user(user.as_bytes());
    }
    for host in &options.hosts {
        first.names.host(host.as_bytes());
    }
    // The tables of the format name places, and the outputs of tools are places too.
    let marked = areas(secrets);
    let special = |member, span: Span| {
        let near = marked.partition_point(|(of, area)| (*of, area.end) <= (member, span.start));
        let next = marked.get(near);
        options.drops() || next.is_some_and(|(of, area)| *of == member && area.start < span.end)
    };
    let (mut left, mut seen) = (None, Vec::new());
    let Memory { clean, sought, keeps, length } = memory;
    let (sought, unswept) = sought.unzip();
    let mut trail = Trail::of(clean, unswept);
    trail.length = length;
    leaves::each(sessions, &marks, &special, &mut trail, &mut |leaf, view| {
        let has = first.look(leaf, view);
        let is_left =
            sought.is_some_and(|sweep| second_pass::is_left(leaf, view, sweep, &mut seen));
        left = left.or(is_left.then_some((leaf.member, leaf.line)));
        if is_left { Has::Value } else { has }
    });
    settle(&mut first.found, first.before);
    let First { names, mut found, failed, .. } = first;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let mut names = names.known();
    names.extend(KnownName::in_files(rules, bundle)?);
    let sweep = Sweep::of(second_pass::known((bundle, &found), &names, options));
    trail.again(keeps);
    if !sweep.is_empty() {
        second_pass::all((bundle, sessions), &marks, &sweep, &mut trail, &mut found);
    }
    found.retain(|finding| options.takes(finding.class));
    let unswept = trail.nothing.unwrap_or_default();
    Ok(Scanned { findings: distinct(found), sweep, left, unswept })
}

/// The first pass: what rules find, and the names that texts show.
struct First<'f> {
    rules: &'f Rules,
    options: &'f RedactionOptions,
    marks: &'f Marks,
    bundle: &'f Bundle,
    names: Names,
    hits: Vec<Hit>,
    /// The value that was last seen with its name, with the keywords in it.
    paired: Option<(u32, Span, usize)>,
    within: Vec<SeenKeyword>,
    found: Vec<SecretFinding>,
    /// The text that was last looked at, and the number of findings before it.
    text: (u32, Span),
    before: usize,
    failed: Option<RulesError>,
    marked: Marked<'f>,
}

impl<'f> First<'f> {
    fn of(
        rules: &'f Rules,
        options: &'f RedactionOptions,
        marks: &'f Marks,
        bundle: &'f Bundle,
        secrets: &'f [Secret],
    ) -> Self {
        Self {
            rules,
            options,
            marks,
            bundle,
            names: Names::default(),
            hits: Vec::new(),
            paired: None,
            within: Vec::new(),
            found: Vec::new(),
            text: (u32::MAX, Span::NONE),
            before: 0,
            failed: None,
            marked: Marked::of(secrets),
        }
    }

    /// Looks for values and names, and tells what the view has.
    fn look(&mut self, leaf: &Leaf<'_>, view: &View<'_>) -> Has {
        // Most values are seen in several views of their text.
        if self.text != (leaf.member, leaf.value) {
            settle(&mut self.found, self.before);
            (self.text, self.before) = ((leaf.member, leaf.value), self.found.len());
        }
        // Counted here: the findings of the text before may just have become fewer.
        let found = self.found.len();
        let has_name = self.look_into(leaf, view);
        match self.found.len() > found {
            true => Has::Value,
            false if has_name => Has::Name,
            false => Has::Nothing,
        }
    }

    /// Adds the values of a view, and tells whether it has names.
    fn look_into(&mut self, leaf: &Leaf<'_>, view: &View<'_>) -> bool {
        if view.is_deep() {
            self.add(leaf, view, 0..view.text.len(), Class::Generic, "not-looked-into");
            return false;
        }
        let is_leaf = view.is_leaf() || leaf.is_number();
        if is_leaf && leaf.form != Form::Key {
            self.found.extend(self.marked.at(leaf, view));
        }
        if self.options.drops() && view.is_leaf() && leaf.form != Form::Key {
            self.found.extend(self.dropped(leaf, view.text));
            self.found.extend(self.chosen(leaf, view));
        }
        // Of a picture, only the texts in it count.
        if leaf.form == Form::Picture && view.is_string() {
            return false;
        }
        let is_short = leaf.form == Form::Key && view.text.len() < SHORT;
        if !is_short {
            self.rules(leaf, view);
        }
        if leaf.treatment == Treatment::Credentials && !view.is_pair() {
            let is_wrapped = view.is_in(Wrapping::Wrapped);
            for range in assigned::values(view.text) {
                // Two lines that were joined are no value.
                if is_wrapped && memchr::memchr(b'=', &view.text[range.clone()]).is_some() {
                    continue;
                }
                self.add(leaf, view, range, Class::Password, "credentials-file");
            }
        }
        if leaf.treatment == Treatment::Named && !view.is_pair() {
            self.named(leaf, view);
        }
        self.options.has_names() && self.names.learn(view.text)
    }

    /// The values in the output of a call that names them.
    fn named(&mut self, leaf: &Leaf<'_>, view: &View<'_>) {
        let Some(printed) = self.marks.printed(leaf.member, leaf.value) else { return };
        if !self.marks.is_output(leaf.member, leaf.value, leaf.name) {
            return;
        }
        for range in calls::values(view.text, printed) {
            let before = self.found.len();
            let is_value = sweep::is_worth_elsewhere(&view.text[range.clone()]);
            self.add(leaf, view, range, Class::Password, "named-by-call");
            if let Some(finding) = self.found.get_mut(before) {
                finding.is_value &= is_value;
            }
        }
    }

    /// The finding of a text at a path that the user named.
    fn chosen(&self, leaf: &Leaf<'_>, view: &View<'_>) -> Option<SecretFinding> {
        let drop = &self.options.drop;
        if drop.is_empty() || !view.is_string() || placeholder::is_whole(view.text) {
            return None;
        }
        let path = pointer(self.bundle, &[], leaf.member, leaf.path.steps());
        let is_beneath = |of: &String| {
            // As the path of a very deep value is printed.
            let of = of.strip_suffix("/\u{2026}").unwrap_or(of);
            path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_chosen = drop.iter().any(is_beneath);
        let text = (leaf, view.text);
        is_chosen.then(|| SecretFinding::text(self.bundle, text, Class::Output, "chosen"))
    }

    /// The keywords of a view. A value that was seen with its name has those that were seen there,
    /// and a text that was made of another those that are in both.
    fn keywords(&mut self, leaf: &Leaf<'_>, view: &View<'_>) -> Vec<SeenKeyword> {
        let paired = self.paired.take();
        if view.is_leaf() && paired == Some((leaf.member, leaf.value, view.text.len())) {
            return std::mem::take(&mut self.within);
        }
        let mut found = Vec::new();
        let before = view.before().and_then(|(before, range)| Some((before.keywords()?, range)));
        match before {
            Some((before, range)) => {
                self.rules.keywords_again(view.text, view.changes(), before, range, &mut found);
            }
            None => self.rules.keywords(view.text, &mut found),
        }
        // What an earlier round wrote is no sign of a value beside it.
        if !found.is_empty() {
            let own = placeholder::ranges(view.text);
            found.retain(|seen| !seen.begins_in(&own));
        }
        if let Some((start, length)) = view.value_in_pair() {
            let within = |seen: &SeenKeyword| seen.within(start, start + length);
            self.within.clear();
            self.within.extend(found.iter().filter_map(within));
            self.paired = Some((leaf.member, leaf.value, length));
        }
        found
    }

    /// The finding of a text that goes whatever it says: an image, or the output of a tool.
    fn dropped(&self, leaf: &Leaf<'_>, value: &[u8]) -> Option<SecretFinding> {
        if placeholder::is_replaced(value, 0, value.len()) {
            return None;
        }
        let (options, text) = (self.options, (leaf, value));
        if options.takes(Class::Image) && is_picture(value) {
            return Some(SecretFinding::text(self.bundle, text, Class::Image, "image"));
        }
        let is_output =
            options.drops_outputs() && self.marks.is_output(leaf.member, leaf.value, leaf.name);
        is_output.then(|| SecretFinding::text(self.bundle, text, Class::Output, "tool-output"))
    }

    fn rules(&mut self, leaf: &Leaf<'_>, view: &View<'_>) {
        let keywords = self.keywords(leaf, view);
        let mut hits = std::mem::take(&mut self.hits);
        let is_new = |range: &Range<usize>| view.changes().within(range);
        let found = self.rules.find_around(view.text, &keywords, &is_new, &mut hits);
        self.failed = self.failed.take().or(found.err());
        view.keep_keywords(keywords);
        for hit in hits.drain(..) {
            let rule = self.rules.rule(hit.rule);
            let is_kept = matches!(leaf.treatment, Treatment::Protected | Treatment::Sealed);
            // What is named an id is one, however it was made, and digests have equal signs.
            let is_other = rule.is_of_words()
                && (leaf.name.to_ascii_lowercase().ends_with(b"id")
                    || view.is_in(Wrapping::Quoted));
            if (rule.is_generic && is_kept) || is_other {
                continue;
            }
            // By chance, sealed bytes contain what a credential begins with.
            if leaf.treatment == Treatment::Sealed
                && !format_words::is_apart(view.text, hit.start, hit.end)
            {
                continue;
            }
            let (class, name) = (rule.class, Arc::clone(&rule.id));
            let end = if rule.is_token() { end_of_token(view.text, hit.end) } else { hit.end };
            self.add(leaf, view, hit.start..end, class, name);
        }
        self.hits = hits;
    }

    fn add(
        &mut self,
        leaf: &Leaf<'_>,
        view: &View<'_>,
        range: Range<usize>,
        class: Class,
        rule: impl Into<Arc<str>>,
    ) {
        if placeholder::is_replaced(view.text, range.start, range.end) {
            return;
        }
        let value = view.text.get(range.clone()).unwrap_or_default();
        let finding = SecretFinding::at(self.bundle, (leaf, view), range, class, rule);
        self.found.extend(finding.map(|mut finding| {
            finding.is_value = !view.is_deep();
            second_pass::whole(leaf, finding, value)
        }));
    }
}

/// The end of the token that a position is in: a part of one says much of it.
fn end_of_token(text: &[u8], at: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !at.checked_sub(1).and_then(|last| text.get(last)).is_some_and(is_part) {
        return at;
    }
    let rest = text[at..].iter().take(4096).take_while(|byte| is_part(byte)).count();
    let padding = text[at + rest..].iter().take(2).take_while(|&&byte| byte == b'=').count();
    at + rest + if rest > 0 { padding } else { 0 }
}

/// The least length of a name of a member in which a rule can find something.
const SHORT: usize = 8;
