//! Scan: what must not be shared of the sessions of a bundle.

use std::ops::Range;

use session::secret::Secret;
use session::{Session, Span};

use super::assigned;
use super::failure::Failure;
use super::finding::SecretFinding;
use super::leaves::{self, Leaf};
use super::marks::{Marks, Treatment};
use super::names::Names;
use super::placeholder;
use super::profile::RedactionOptions;
use super::rules::{Class, Hit, Rules, RulesError};
use super::sweep::{self, Known, Seen, Sweep};
use super::view::View;

/// Result of a scan.
pub(super) struct Scanned {
    /// The findings, in the order of the bytes.
    pub(super) findings: Vec<SecretFinding>,
    /// The values and names that were found, to look for them elsewhere.
    pub(super) sweep: Sweep,
}

/// The findings of the sessions of one bundle. `secrets` are the values that the format's tables
/// name.
pub(super) fn bundle(
    sessions: &[&Session],
    secrets: &[Secret],
    rules: &Rules,
    options: &RedactionOptions,
) -> Result<Scanned, Failure> {
    if !Names::are_ready() {
        return Err(Failure::Patterns);
    }
    let marks = Marks::of(sessions);
    let mut first = First::of(rules, options, &marks);
    for user in &options.users {
        first.names.user(user.as_bytes());
    }
    for host in &options.hosts {
        first.names.host(host.as_bytes());
    }
    leaves::each(sessions, &marks, &mut |leaf, view| first.look(leaf, view));
    let First { names, mut found, failed, .. } = first;
    if let Some(error) = failed {
        return Err(error.into());
    }
    found.extend(marked(sessions, secrets));
    let sweep = Sweep::of(known(&found, names, options)).map_err(|_| Failure::TooMany)?;
    if !sweep.is_empty() {
        let mut seen = Vec::new();
        leaves::each(sessions, &marks, &mut |leaf, view| {
            sweep.find(view.text, &mut seen);
            found.extend(seen.drain(..).filter_map(|seen| again(leaf, view, &seen)));
        });
    }
    found.retain(|finding| options.takes(finding.class));
    Ok(Scanned { findings: distinct(found), sweep })
}

/// The first place of a known value in the sessions of a bundle: its member and line.
pub(super) fn left(sessions: &[&Session], sweep: &Sweep) -> Option<(u32, u32)> {
    let (mut seen, mut left) = (Vec::new(), None);
    if sweep.is_empty() {
        return None;
    }
    leaves::each(sessions, &Marks::of(sessions), &mut |leaf, view| {
        sweep.find(view.text, &mut seen);
        for seen in seen.drain(..) {
            let is_replaced = placeholder::is_replaced(view.text, seen.range.start, seen.range.end);
            left = left.or((!is_replaced).then_some((leaf.member, leaf.line)));
        }
    });
    left
}

/// The names of a bundle's members without the values that were found.
pub(super) fn member_name(name: &str, sweep: &Sweep, options: &RedactionOptions) -> String {
    let (mut seen, mut out, mut at) = (Vec::new(), String::new(), 0);
    sweep.find(name.as_bytes(), &mut seen);
    seen.sort_by_key(|seen| (seen.range.start, std::cmp::Reverse(seen.range.end)));
    for Seen { known, range, .. } in seen {
        if range.start < at {
            continue;
        }
        out.push_str(name.get(at..range.start).unwrap_or_default());
        // A file's name has no colons and brackets on all systems.
        let tag = || format!("redacted-{}", options.key.tag(known.class, &known.value));
        out.push_str(&known.alias.clone().unwrap_or_else(tag));
        at = range.end;
    }
    out + name.get(at..).unwrap_or_default()
}

/// The first pass: what rules find, and the names that texts show.
struct First<'f> {
    rules: &'f Rules,
    options: &'f RedactionOptions,
    marks: &'f Marks,
    names: Names,
    hits: Vec<Hit>,
    found: Vec<SecretFinding>,
    failed: Option<RulesError>,
}

impl<'f> First<'f> {
    fn of(rules: &'f Rules, options: &'f RedactionOptions, marks: &'f Marks) -> Self {
        let (hits, found, names) = (Vec::new(), Vec::new(), Names::default());
        Self { rules, options, marks, names, hits, found, failed: None }
    }

    fn look(&mut self, leaf: &Leaf<'_>, view: &View<'_>) {
        if view.is_deep() {
            self.add(leaf, view, 0..view.text.len(), Class::Generic, "wrapped-too-often");
            return;
        }
        if self.options.drops() && view.is_string() {
            self.found.extend(dropped(leaf, view.value(), self.marks, self.options));
        }
        let mut hits = std::mem::take(&mut self.hits);
        let found = self.rules.find(view.text, &mut hits);
        self.failed = self.failed.take().or(found.err());
        for hit in hits.drain(..) {
            let rule = self.rules.rule(hit.rule);
            if rule.is_generic
                && leaf.treatment >= Treatment::Protected
                && leaf.treatment != Treatment::Credentials
            {
                continue;
            }
            // By chance, sealed bytes contain what a credential begins with.
            if leaf.treatment == Treatment::Sealed && !is_apart(view.text, hit.start, hit.end) {
                continue;
            }
            let (class, name) = (rule.class, rule.id.clone());
            self.add(leaf, view, hit.start..hit.end, class, &name);
        }
        self.hits = hits;
        if leaf.treatment == Treatment::Credentials && !view.is_pair() {
            for range in assigned::values(view.text) {
                self.add(leaf, view, range, Class::Password, "credentials-file");
            }
        }
        if self.options.has_names() {
            self.names.learn(view.text);
        }
    }

    fn add(
        &mut self,
        leaf: &Leaf<'_>,
        view: &View<'_>,
        range: Range<usize>,
        class: Class,
        rule: &str,
    ) {
        if placeholder::is_replaced(view.text, range.start, range.end) {
            return;
        }
        let finding = SecretFinding::at(leaf, view, range, class, rule);
        self.found.extend(finding.map(|finding| whole(leaf, finding)));
    }
}

/// The finding of a text that goes whatever it says: an image, or the output of a tool.
fn dropped(
    leaf: &Leaf<'_>,
    value: &[u8],
    marks: &Marks,
    options: &RedactionOptions,
) -> Option<SecretFinding> {
    if placeholder::is_replaced(value, 0, value.len()) {
        return None;
    }
    if options.takes(Class::Image) && is_image(value) {
        return Some(SecretFinding::whole(leaf, value, Class::Image, "image"));
    }
    let is_output =
        options.takes(Class::Output) && marks.is_output(leaf.member, leaf.value, leaf.name);
    is_output.then(|| SecretFinding::whole(leaf, value, Class::Output, "tool-output"))
}

/// Whether a text is an image in Base64, by its signature, or an address with one.
fn is_image(value: &[u8]) -> bool {
    let signatures = [&b"iVBORw0KGgo"[..], b"/9j/", b"R0lGOD", b"UklGR", b"data:image/"];
    value.len() >= 64 && signatures.iter().any(|signature| value.starts_with(signature))
}

/// Whether no digits of Base64 are beside a range of a text.
fn is_apart(text: &[u8], start: usize, end: usize) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    let before = start.checked_sub(1).and_then(|before| text.get(before));
    !before.is_some_and(is_digit) && !text.get(end).is_some_and(is_digit)
}

/// A finding in a value that a provider sealed covers all of the value.
fn whole(leaf: &Leaf<'_>, mut finding: SecretFinding) -> SecretFinding {
    if leaf.treatment == Treatment::Sealed {
        (finding.spans, finding.sealed) = (vec![leaf.value], true);
    }
    finding
}

/// The values that the tables of the formats name.
fn marked<'m>(
    sessions: &'m [&Session],
    secrets: &'m [Secret],
) -> impl Iterator<Item = SecretFinding> + 'm {
    secrets.iter().filter_map(move |secret| {
        let session = sessions.first()?;
        let raw = session.bundle.slice(secret.member, secret.span);
        let is_string = raw.len() > 1 && raw.starts_with(b"\"") && raw.ends_with(b"\"");
        let span = match is_string {
            true => Span::new(secret.span.start + 1, secret.span.end - 1),
            false => secret.span,
        };
        let inner = session.bundle.slice(secret.member, span);
        let value = super::view::unescaped(inner).into_owned();
        // Somebody else has redacted it, as `<REDACTED>`.
        let foreign = value == b"<REDACTED>" || value == b"[REDACTED]";
        let replaced = placeholder::is_replaced(&value, 0, value.len()) || foreign;
        (!span.is_empty() && !replaced).then(|| SecretFinding {
            member: secret.member,
            line: line(sessions, secret.member, span),
            path: Vec::new(),
            wrappings: Vec::new(),
            class: Class::Marked,
            rule: secret.path.rsplit('/').next().unwrap_or_default().to_owned(),
            spans: vec![span],
            sealed: false,
            quoted: !is_string
                && matches!(raw, [b'{' | b'[' | b'0'..=b'9' | b'-', ..])
                && secret.is_whole(),
            alias: None,
            value,
        })
    })
}

/// The line of the record that has a span.
fn line(sessions: &[&Session], member: u32, span: Span) -> u32 {
    let mut records = sessions.iter().flat_map(|session| &session.records);
    let record = records.find(|record| record.member == member && record.span.holds(span));
    record.map_or(0, |record| record.line)
}

/// The values to look for everywhere: those that were found, and the names.
fn known(found: &[SecretFinding], names: Names, options: &RedactionOptions) -> Vec<Known> {
    let values = found.iter().filter(|finding| {
        let whole = matches!(finding.class, Class::Output | Class::Image);
        options.takes(finding.class) && !finding.quoted && !whole && sweep::is_worth(&finding.value)
    });
    let values = values.map(|finding| {
        let (class, value) = (finding.class, finding.value.clone());
        Known { class, value, alias: None, is_word: false }
    });
    let names = names.known().into_iter().filter(|known| options.takes(known.class));
    values.chain(names).collect()
}

/// A known value that was seen again.
fn again(leaf: &Leaf<'_>, view: &View<'_>, seen: &Seen<'_>) -> Option<SecretFinding> {
    let range = seen.range.clone();
    if placeholder::is_replaced(view.text, range.start, range.end) {
        return None;
    }
    let mut finding = SecretFinding::at(leaf, view, range, seen.known.class, "known-value")?;
    let coded = seen.encoded || finding.is_coded();
    finding.alias = seen.known.alias.clone().filter(|_| !coded);
    finding.value.clone_from(&seen.known.value);
    Some(whole(leaf, finding))
}

/// Findings without those that say the same of the same bytes.
fn distinct(mut found: Vec<SecretFinding>) -> Vec<SecretFinding> {
    let place = |finding: &SecretFinding| (finding.member, finding.spans.clone(), finding.class);
    // A rule says more than the sweep, and fewer wrappings say more than many.
    let rank = |finding: &SecretFinding| (finding.rule == "known-value", finding.wrappings.len());
    found.sort_by(|a, b| {
        place(a)
            .cmp(&place(b))
            .then_with(|| rank(a).cmp(&rank(b)))
            .then_with(|| a.rule.cmp(&b.rule))
    });
    found.dedup_by(|later, first| place(later) == place(first));
    // `user:password@host` ends like an address of mail.
    let logins: Vec<(u32, Span)> = found
        .iter()
        .filter(|finding| finding.class == Class::UrlCredential)
        .flat_map(|finding| finding.spans.iter().map(|span| (finding.member, *span)))
        .collect();
    found.retain(|finding| {
        let login = |&(member, login): &(u32, Span)| {
            let span = finding.spans[0];
            member == finding.member && login.start < span.end && span.start < login.end
        };
        finding.class != Class::Email || !logins.iter().any(login)
    });
    found
}
