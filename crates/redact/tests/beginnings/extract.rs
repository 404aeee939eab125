//! The literal beginnings of a rule's pattern.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind};

/// The least length of a beginning, and of a credential.
const LEAST: (usize, usize) = (3, 20);
/// The largest number of beginnings of one rule.
const MOST: usize = 60;

/// The first group of a pattern, or all of it.
fn value(pattern: &Hir) -> &Hir {
    fn group(pattern: &Hir) -> Option<&Hir> {
        match pattern.kind() {
            HirKind::Capture(capture) => Some(&capture.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().find_map(group),
            HirKind::Repetition(repeated) => group(&repeated.sub),
            _ => None,
        }
    }
    group(pattern).unwrap_or(pattern)
}

/// The parts of an alternation, each with its own least length.
fn ways(pattern: &Hir) -> Vec<&Hir> {
    match pattern.kind() {
        HirKind::Alternation(parts) => parts.iter().collect(),
        _ => vec![pattern],
    }
}

/// The beginnings of what a pattern finds, each with the least length of a whole one; none if they
/// are not in the pattern.
pub(crate) fn beginnings(pattern: &str) -> Vec<(String, usize)> {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern);
    let mut found = Vec::new();
    let Ok(parsed) = parsed else { return found };
    for way in ways(value(&parsed)) {
        let length = way.properties().minimum_len().unwrap_or_default();
        let mut extractor = Extractor::new();
        extractor.limit_total(4096).limit_literal_len(16);
        let all = extractor.extract(way);
        let Some(literals) = all.literals() else { continue };
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let texts: Option<Vec<String>> = literals.iter().map(|one| text(one.as_bytes())).collect();
        let Some(mut texts) = texts else { continue };
        // Of a word in any case, those that people write.
        let all = texts.clone();
        let alike =
            |text: &str| all.iter().filter(|other| other.eq_ignore_ascii_case(text)).count();
        let is_usual = |text: &str| text == text.to_lowercase() || text == text.to_uppercase();
        texts.retain(|text| alike(text) < 3 || is_usual(text));
        // Zeros in Base64 begin no credential that differs from others.
        texts.retain(|text| text.bytes().any(|byte| !byte.eq_ignore_ascii_case(&b'a')));
        // Addresses and short words of letters begin other texts too.
        let is_good = |text: &String| {
            let is_word = text.bytes().all(|byte| byte.is_ascii_alphabetic());
            let is_token = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
            is_token && text.len() >= LEAST.0 + usize::from(is_word)
        };
        if length >= LEAST.1 && texts.len() <= MOST && texts.iter().all(is_good) {
            found.extend(texts.into_iter().map(|text| (text, length)));
        }
    }
    found
}
