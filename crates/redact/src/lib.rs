//! Redaction: sensitive values are found, replaced by placeholders, and looked for again.
//!
//! A [`Redactor`] scans the sessions of a bundle through views that undo every wrapping (JSON in
//! JSON, Base64, colours, streams, ...), with rules as data ([`rules`]). Each finding has the bytes
//! of the file that contain it. The edits change these bytes and no others. The edited bundle is
//! read again by its format, and scanned again: only then is it [`Clean`], and nothing else can
//! make such a value. Whatever fails, nothing comes out.
//!
//! # The way of a value
//!
//! 1. *Texts.* `leaves.rs` gives each text of a bundle: of JSON the strings, names and values; of
//!    other bytes the record; the strings of a stream joined.
//! 2. *Wrappings.* `unwrap.rs` undoes the forms around a text (escapes, colours, line prefixes,
//!    joined strings, Base64 with containers, hexadecimal digits, dumps, patches, percent encoding)
//!    within one budget of bytes, so that the cost is linear. A text that exceeds the budget, the
//!    depth limit or the length limit is a finding as a whole. A view (`view.rs`) knows for each of
//!    its bytes from which bytes of the file it came. Decoders run in a fixed order; an earlier one
//!    runs again only on text that a later one produced (`is_behind`). `plan.rs` keeps the
//!    wrappings of the first walk for the second.
//! 3. *Rules.* `rules/` finds values in plain text: one search for the keywords of all rules, and a
//!    rule's pattern only around its keywords. Rules with `rows` read the layout around a name.
//!    `providers.rules` is converted from a public set, `agents.rules` is our own, `vendors.rules`
//!    has newer forms with their sources. `never.rs` lists values that are not secrets.
//! 4. *Named values.* `named/` looks through calls and commands: if a command asks for the value of
//!    a name that denotes a secret, its output is that value. `siblings.rs` does the same for
//!    members of JSON.
//! 5. *Marks.* `marks.rs` says what the tables of the format know: ids and encrypted values are
//!    protected from rules that go by a name. `marked.rs` takes the values that the tables name as
//!    secret.
//! 6. *Everywhere.* `sweep.rs` looks for each found value everywhere again, in every encoding. A
//!    random value is replaced everywhere; another one only as a whole word outside what the format
//!    names; letters only nowhere else.
//! 7. *Edits.* `edits.rs` makes edits of the findings, and placeholders with keyed tags.
//! 8. *Verification.* `verify.rs` checks that every byte beside the edits is equal, that every
//!    record has its shape, and that a new scan finds nothing. `judge/`, which shares no code with
//!    the scan, looks for the values once more.
//!
//! `known.rs` and `clean.rs` remember texts without findings, since agents write the same names and
//! outputs again and again. `glance.rs` counts credentials by their beginnings alone, for `show`
//! and `convert`. The key of the tags and the names of the machine's user are arguments.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod armour;
mod assigned;
mod clean;
mod colours;
mod counted;
mod decode;
mod deflated;
mod draft;
mod dumps;
mod edges;
mod edits;
mod failure;
mod files;
mod finding;
mod gaps;
mod gate;
mod glance;
mod hexdump;
mod index;
mod joints;
mod judge;
mod known;
mod leaf;
mod leaves;
mod lines;
mod marked;
mod marks;
mod named;
mod names;
mod packed;
mod placeholder;
mod places;
pub mod plain;
mod plan;
mod pointer;
mod prefixes;
mod profile;
mod quotes;
mod report;
pub mod rules;
mod runs;
mod scan;
mod siblings;
mod spelled;
mod sweep;
mod swept;
mod texts;
mod undone;
mod unwrap;
pub mod values;
mod verify;
mod view;
mod way;
mod words;

use clean::CleanTexts;
pub use decode::Wrapping;
pub use draft::{MovedPlaces, RedactionDraft};
use edits::Edits;
pub use failure::Failure;
pub use finding::SecretFinding;
pub use gate::{Clean, Outgoing, Unredacted, UnredactedFlag};
pub use glance::Glance;
use meaning::secret::Secret;
pub use placeholder::{Tag, TagKey};
pub use profile::{Profile, RedactionOptions};
pub use report::{RedactionReport, ReportEntry, ReportText};
use rules::Rules;
use scan::Memory;
use session::edit::EditPlace;
use session::{Bundle, Session};
use sweep::Sweep;
pub use verify::Fault;
pub use way::PathStep;

/// A redactor: rules, and the choices of the user.
#[derive(Debug)]
pub struct Redactor {
    rules: Rules,
    options: RedactionOptions,
    clean: CleanTexts,
}

impl Redactor {
    /// A redactor with those of these rules that the options ask for.
    #[must_use]
    pub fn new(rules: Rules, options: RedactionOptions) -> Self {
        let rules = rules.only(|class| options.takes(class));
        Self { rules, options, clean: CleanTexts::default() }
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

    const fn memory(&self) -> Memory<'_> {
        Memory { clean: &self.clean, sought: None, keeps: false }
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
        verify::structure(before, after)?;
        let RedactionDraft { before: bundle, findings, .. } = draft;
        let edits = Edits { before: bundle, findings, key: &self.options.key };
        verify::bytes(edits, &draft.bundle)?;
        let sought = Some((&draft.sweep, &draft.unswept)).filter(|(sweep, _)| !sweep.is_empty());
        let memory = Memory { sought, ..self.memory() };
        let scanned = scan::bundle(after, secrets, &self.rules, &self.options, memory)?;
        if let Some(finding) = scanned.findings.first() {
            let path = pointer::pointer(&draft.bundle, &[], finding.member, &finding.path);
            return Err(verify::left(&draft.bundle, finding.member, finding.line, path).into());
        }
        let left = scanned.left.or_else(|| {
            let bundle = &after.first()?.bundle;
            judge::left(bundle, draft.sweep.made_by_chance())
        });
        match left {
            Some((member, line)) => {
                Err(verify::left(&draft.bundle, member, line, String::new()).into())
            }
            None => Ok(()),
        }
    }

    /// A short text beside the files, such as a folder's path, without the values that a draft
    /// found.
    #[must_use]
    pub fn clean(&self, draft: &RedactionDraft, text: &str) -> String {
        swept::member_name(text, &draft.sweep, &self.options)
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
        let name = |name: &str| swept::member_name(name, sweep, &self.options);
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
