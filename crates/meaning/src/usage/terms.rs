//! Terms of service that change the price of an answer.

use std::fmt;

/// The terms on which a provider served an answer, as far as its price depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Terms {
    /// The tier in the provider's word: `fast`, `priority`, `flex`, `batch`. `None` is the usual
    /// one.
    pub tier: Option<String>,
    /// The region in which the model had to run, if the request named one.
    pub region: Option<String>,
    /// The number of web searches that the provider made for the answer.
    pub searches: u32,
}

/// Words for the usual tier.
const USUAL: [&str; 5] = ["", "standard", "default", "auto", "normal"];

/// Words for any region.
const ANYWHERE: [&str; 4] = ["", "global", "not_available", "default"];

impl Terms {
    /// Terms in the words of an agent's record.
    #[must_use]
    pub fn of(tier: Option<&str>, region: Option<&str>, searches: u32) -> Self {
        let told = |word: Option<&str>, usual: &[&str]| {
            let word = word?.trim();
            let is_usual = usual.iter().any(|usual| usual.eq_ignore_ascii_case(word));
            (!is_usual).then(|| word.to_ascii_lowercase())
        };
        Self { tier: told(tier, &USUAL), region: told(region, &ANYWHERE), searches }
    }

    /// Whether the list price holds as it is.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The terms of an answer that states its own, in the tier and region that hold for its stream.
    #[must_use]
    pub(crate) fn within(self, stream: &Self) -> Self {
        Self {
            tier: self.tier.or_else(|| stream.tier.clone()),
            region: self.region.or_else(|| stream.region.clone()),
            searches: self.searches,
        }
    }
}

/// For people: `fast, us, 2 web searches`.
impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let searches = match self.searches {
            0 => None,
            1 => Some("1 web search".to_owned()),
            many => Some(format!("{many} web searches")),
        };
        let region = self.region.as_ref().map(|region| format!("region {region}"));
        let told: Vec<String> =
            [self.tier.clone(), region, searches].into_iter().flatten().collect();
        f.write_str(&told.join(", "))
    }
}
