//! Places of findings, and of what the tables of a format name.

use std::collections::HashSet;

use meaning::secret::Secret;
use session::Span;

use super::finding::SecretFinding;
use super::rules::Class;

/// The parts of the files that the tables of the format name, none within another.
pub(super) fn areas(secrets: &[Secret]) -> Vec<(u32, Span)> {
    let mut areas: Vec<(u32, Span)> = Vec::new();
    for Secret { member, span, .. } in secrets {
        match areas.last_mut() {
            Some((of, area)) if of == member && area.end >= span.start => {
                area.end = area.end.max(span.end);
            }
            _ => areas.push((*member, *span)),
        }
    }
    areas
}

/// The places of findings.
pub(super) fn places(found: &[SecretFinding]) -> HashSet<(u32, Span)> {
    let places = |finding: &SecretFinding| {
        let member = finding.member;
        finding.spans.iter().map(move |&span| (member, span)).collect::<Vec<_>>()
    };
    found.iter().flat_map(places).collect()
}

/// Findings without those that say the same of the same bytes.
pub(super) fn distinct(mut found: Vec<SecretFinding>) -> Vec<SecretFinding> {
    let place = |finding: &SecretFinding| (finding.member, finding.spans.clone(), finding.class);
    // A rule says more than the sweep, and fewer wrappings say more than many.
    let rank = |finding: &SecretFinding| (&*finding.rule == "known-value", finding.wrappings.len());
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
