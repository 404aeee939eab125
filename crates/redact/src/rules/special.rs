//! Rules that apply no pattern around their keywords: those that look at each long word, and those
//! that read rows.

use std::ops::Range;

use super::behind::Words;
use super::{Hit, Rule, RuleIx, Rules, RulesError, Seen, rows, secret_data};

impl Rules {
    /// Adds the values of the rules that look at each long word with a digit.
    pub(super) fn find_words(
        &self,
        text: &[u8],
        is_new: &dyn Fn(&Range<usize>) -> bool,
        found: &mut Vec<Hit>,
    ) -> Result<(), RulesError> {
        let Some(least) = self.least_word else { return Ok(()) };
        for word in Words::of(text, least).iter().filter(|word| word.len() <= LONGEST_WORD) {
            if !is_new(word) {
                continue;
            }
            for &number in &self.of_words {
                let rule = self.rule(number);
                if word.len() >= rule.source.word {
                    self.within(number, rule.compiled()?, text, word, found)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the values of the rules that read rows, by the names that keywords are in.
    pub(super) fn find_rows(
        &self,
        text: &[u8],
        keywords: &[Seen],
        is_new: &dyn Fn(&Range<usize>) -> bool,
        found: &mut Vec<Hit>,
    ) -> Result<(), RulesError> {
        let mut values = Vec::new();
        for seen in keywords {
            for &number in &self.of[seen.keyword as usize] {
                let rule = self.rule(number);
                let (before, after) = rule.source.window;
                let near = seen.start.saturating_sub(before)..(seen.end + after).min(text.len());
                if !rule.source.is_rows || !is_new(&near) {
                    continue;
                }
                let compiled = rule.compiled()?;
                let keyword = seen.start..seen.end;
                match rule.source.is_data {
                    true => secret_data::values(text, &keyword, &mut values),
                    false => rows::values(text, &keyword, &mut values),
                }
                for range in values.drain(..) {
                    if self.is_value(rule, compiled, text, &range, &text[range.clone()])? {
                        found.push(Hit { rule: number, start: range.start, end: range.end });
                    }
                }
            }
        }
        Ok(())
    }
}

/// The longest word that is looked at by itself: a longer one is a run of encoded bytes.
const LONGEST_WORD: usize = 512;

/// The rules that look at each long word, and the least length of one.
pub(super) fn words(rules: &[Rule]) -> (Vec<RuleIx>, Option<usize>) {
    let of = (0u32..).zip(rules).filter(|(_, rule)| rule.source.word > 0);
    let of: Vec<RuleIx> = of.map(|(number, _)| number).collect();
    let least = of.iter().map(|&number| rules[number as usize].source.word).min();
    (of, least)
}
