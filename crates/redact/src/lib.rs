//! Redaction: sensitive values are found, replaced by placeholders, and looked for again.
//!
//! A [`Redactor`] scans the sessions of a bundle through views that undo every wrapping (JSON in
//! JSON, Base64, colours, streams, ...), with rules as data ([`rules`]). Each finding has the bytes
//! of the file that contain it. The edits change these bytes and no others. The edited bundle is
//! read again by its format, and scanned again: only then is it [`Clean`]. The places of its edits
//! can be kept ([`KeptFindings`]): where they make the same bytes again, these are clean too, and
//! nothing else can make such a value. Whatever fails, nothing comes out.
//!
//! # The way of a value
//!
//! Each step has its folder; the head of each folder says which file does what.
//!
//! 1. `texts/`: where text is in a bundle. Of JSON these are the strings, names and values; of
//!    other bytes the record; the strings of a stream joined.
//! 2. `unwrap/`: the forms around a text are undone (escapes, colours, line prefixes, joined
//!    strings, Base64 with containers, hexadecimal digits, percent encoding), one file for each,
//!    within one budget of bytes, so that the cost is linear. A text that exceeds the budget, the
//!    depth limit or the length limit is a finding as a whole. A view knows for each of its bytes
//!    from which bytes of the file it came. Decoders run in a fixed order; an earlier one runs
//!    again only on text that a later one produced (`is_behind`).
//! 3. `rules/`: values are found in plain text. One search looks for the keywords of all rules, and
//!    a rule's pattern is applied only around its keywords. Rules with `rows` read the layout
//!    around a name. The rules are data, in `rules/` beside `src/`: `providers.rules` is converted
//!    from a public set, `agents.rules` is our own, `vendors.rules` has newer forms with their
//!    sources. To add a rule, add it there.
//! 4. `calls/`: if a command asks for the value of a name that denotes a secret, its output is that
//!    value.
//! 5. `find/`: the findings of a session. Each found value is then looked for everywhere again, in
//!    every encoding. A random value is replaced everywhere; another one only as a whole word
//!    outside what the format names; letters only nowhere else.
//! 6. `edit/`: edits of the findings, with placeholders and keyed tags, and the report.
//! 7. `verify/`: every byte beside the edits is equal, every record has its shape, a new scan finds
//!    nothing, and a judge that shares no code with the scan finds none of the values. All other
//!    folders may change without it.
//!
//! The key of the tags and the names of the machine's user are arguments.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

use std::sync::Arc;

mod calls;
mod edit;
mod failure;
mod find;
mod gate;
mod kept;
mod profile;
pub mod rules;
mod texts;
mod unwrap;
mod verify;

pub use edit::draft::{MovedPlaces, RedactionDraft};
use edit::edits::{self, Edits};
pub use edit::placeholder::{Tag, TagKey, without_tags};
use edit::report;
pub use edit::report::{RedactionReport, ReportEntry, ReportText};
pub use edit::values;
pub use failure::Failure;
pub use find::finding::SecretFinding;
pub use find::glance::Glance;
use find::scan::{self, Memory};
use find::second_pass;
use find::sweep::Sweep;
pub use gate::{Clean, Outgoing, Unredacted, UnredactedFlag};
pub use kept::KeptFindings;
use meaning::secret::Secret;
pub use profile::{Profile, RedactionOptions};
use rules::Rules;
use session::edit::EditPlace;
use session::{Bundle, Session, Stream};
use texts::clean::CleanTexts;
use texts::leaves;
pub use texts::path::PathStep;
pub use texts::plain;
use texts::pointer;
pub use unwrap::wrapping::Wrapping;
pub use verify::equality::Fault;
use verify::{equality, judge};

/// A redactor: rules, and the choices of the user.
#[derive(Debug)]
pub struct Redactor {
    rules: Arc<Rules>,
    options: RedactionOptions,
    clean: CleanTexts,
}

impl Redactor {
    /// A redactor with those of these rules that the options ask for.
    #[must_use]
    pub fn new(rules: Rules, options: RedactionOptions) -> Self {
        let rules = Arc::new(rules.only(|class| options.takes(class)));
        Self { rules, options, clean: CleanTexts::default() }
    }

    /// The same with another key of tags.
    #[must_use]
    pub fn with_key(&self, key: TagKey) -> Self {
        let options = RedactionOptions { key, ..self.options.clone() };
        Self { rules: Arc::clone(&self.rules), options, clean: CleanTexts::default() }
    }

    /// The choices of the user.
    #[must_use]
    pub const fn options(&self) -> &RedactionOptions {
        &self.options
    }

    /// The version of the rules.
    #[must_use]
    pub fn rules_version(&self) -> &str {
        self.rules.version()
    }

    /// The name of these rules and choices, whatever the key of the tags: findings that were made
    /// under another name are not those of this redactor.
    #[must_use]
    pub fn findings_name(&self) -> String {
        self.options.findings_name(self.rules_version())
    }

    const fn memory(&self) -> Memory<'_> {
        Memory { clean: &self.clean, sought: None, keeps: false, length: 0 }
    }

    /// The values that must not be shared of the sessions of one bundle, in the order of its
    /// bytes. `secrets` are those that the tables of their format name.
    ///
    /// # Errors
    /// A [`Failure`]; then nothing is known of the sessions.
    pub fn scan(
        &self,
        sessions: &[&Session],
        secrets: &[Secret],
    ) -> Result<Vec<SecretFinding>, Failure> {
        Ok(scan::bundle(sessions, secrets, &self.rules, &self.options, self.memory())?.findings)
    }

    /// The bundle of the sessions with placeholders for its findings. It is to be read again, and
    /// to be verified.
    ///
    /// # Errors
    /// A [`Failure`].
    pub fn draft(
        &self,
        sessions: &[&Session],
        secrets: &[Secret],
    ) -> Result<RedactionDraft, Failure> {
        self.drafted(sessions, secrets, false)
    }

    /// The same, in which each text goes as a whole that a value is in: for what shows values again
    /// and again.
    ///
    /// # Errors
    /// A [`Failure`].
    pub fn wide_draft(
        &self,
        sessions: &[&Session],
        secrets: &[Secret],
    ) -> Result<RedactionDraft, Failure> {
        self.drafted(sessions, secrets, true)
    }

    fn drafted(
        &self,
        sessions: &[&Session],
        secrets: &[Secret],
        is_wide: bool,
    ) -> Result<RedactionDraft, Failure> {
        let memory = Memory { keeps: true, ..self.memory() };
        let scan::Scanned { mut findings, sweep, unswept, .. } =
            scan::bundle(sessions, secrets, &self.rules, &self.options, memory)?;
        let before = sessions.first().map(|first| Bundle::clone(&first.bundle));
        let before = before.unwrap_or(Bundle { members: Vec::new() });
        if is_wide {
            findings.iter_mut().for_each(|finding| finding.widen(&before));
        }
        let edits = Edits { before: &before, findings: &findings, key: &self.options.key };
        let places = edits.places();
        let mut bundle = edits.apply(&places).map_err(Failure::of)?;
        let names = self.names(&bundle, &sweep);
        for (member, name) in bundle.members.iter_mut().zip(names) {
            member.name = name;
            if let Stream::Sub(stem) = &mut member.stream {
                *stem = second_pass::member_name(stem, &sweep, &self.options);
            }
        }
        Ok(RedactionDraft { findings, bundle, places, before, sweep, unswept })
    }

    /// The sessions of a draft's bundle as redacted, if they are: every byte beside the edits is
    /// equal, each record has the shape that it had, and nothing is found in them.
    ///
    /// # Errors
    /// [`Failure::Verify`], or another failure of the scan, with the sessions.
    pub fn verified(
        &self,
        draft: &RedactionDraft,
        before: &[&Session],
        after: Vec<Session>,
        secrets: &[Secret],
    ) -> Result<Clean<Vec<Session>>, (Failure, Vec<Session>)> {
        let sessions: Vec<&Session> = after.iter().collect();
        match self.verify(draft, before, &sessions, secrets) {
            Ok(()) => Ok(Clean(after)),
            Err(failure) => Err((failure, after)),
        }
    }

    fn verify(
        &self,
        draft: &RedactionDraft,
        before: &[&Session],
        after: &[&Session],
        secrets: &[Secret],
    ) -> Result<(), Failure> {
        equality::structure(before, after)?;
        let RedactionDraft { before: bundle, findings, .. } = draft;
        let edits = Edits { before: bundle, findings, key: &self.options.key };
        equality::bytes(edits, &draft.bundle)?;
        let sought = Some((&draft.sweep, &draft.unswept)).filter(|(sweep, _)| !sweep.is_empty());
        let memory = Memory { sought, length: leaves::length(bundle), ..self.memory() };
        let scanned = scan::bundle(after, secrets, &self.rules, &self.options, memory)?;
        if let Some(finding) = scanned.findings.first() {
            let path = pointer::pointer(&draft.bundle, &[], finding.member, &finding.path);
            return Err(equality::left(&draft.bundle, finding.member, finding.line, path).into());
        }
        let left = scanned.left.or_else(|| {
            let bundle = &after.first()?.bundle;
            judge::left(bundle, draft.sweep.made_by_chance())
        });
        match left {
            Some((member, line)) => {
                Err(equality::left(&draft.bundle, member, line, String::new()).into())
            }
            None => Ok(()),
        }
    }

    /// A short text beside the files, such as a folder's path, without the values that a draft
    /// found.
    #[must_use]
    pub fn clean(&self, draft: &RedactionDraft, text: &str) -> String {
        second_pass::member_name(text, &draft.sweep, &self.options)
    }

    /// The report of what a redaction would replace.
    ///
    /// # Errors
    /// A [`Failure`]; then nothing is known of the sessions.
    pub fn scan_report(
        &self,
        sessions: &[&Session],
        secrets: &[Secret],
    ) -> Result<RedactionReport, Failure> {
        let scan::Scanned { findings, sweep, .. } =
            scan::bundle(sessions, secrets, &self.rules, &self.options, self.memory())?;
        let empty = Bundle { members: Vec::new() };
        let bundle = sessions.first().map_or(&empty, |first| &first.bundle);
        let names = self.names(bundle, &sweep);
        drop(sweep);
        let places = edits::places(&findings);
        Ok(self.reported(findings, &places, &names, bundle))
    }

    /// The report of a draft: each finding by its place, and never a value; and the way back from
    /// places in the edited bundle to those in the bundle before.
    #[must_use]
    pub fn report(&self, draft: RedactionDraft) -> (RedactionReport, MovedPlaces) {
        let RedactionDraft { findings, places, bundle, before, .. } = draft;
        let names: Vec<String> = bundle.members.iter().map(|member| member.name.clone()).collect();
        let report = self.reported(findings, &places, &names, &before);
        (report, MovedPlaces(places))
    }

    /// The names of a bundle's members without the values that were found.
    fn names(&self, bundle: &Bundle, sweep: &Sweep) -> Vec<String> {
        let name = |name: &str| second_pass::member_name(name, sweep, &self.options);
        bundle.members.iter().map(|member| name(&member.name)).collect()
    }

    fn reported(
        &self,
        findings: Vec<SecretFinding>,
        places: &[EditPlace],
        names: &[String],
        bundle: &Bundle,
    ) -> RedactionReport {
        report::of(findings, places, names, bundle, (&self.options, self.rules_version()))
    }
}
