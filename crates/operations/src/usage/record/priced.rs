//! Prices of the usages of a source.

use super::{OfSource, USUAL};
use crate::usage::price::Price;

impl OfSource {
    /// Sets the index of each model's list price.
    pub(in crate::usage) fn price_each_model(&mut self, price: impl FnMut(&String) -> Option<u32>) {
        self.prices = self.models.iter().map(price).collect();
    }

    /// Prices each usage, now that its model is.
    pub(in crate::usage) fn price_each_usage(&mut self, prices: &[(String, Price)]) {
        for record in &mut self.records {
            let price = self.prices.get(record.model as usize).copied().flatten();
            let price = price.and_then(|at| prices.get(at as usize));
            let terms = self.terms.get(record.terms as usize).unwrap_or(&USUAL);
            record.listed = price.and_then(|(_, price)| price.cost(&record.tokens(), terms));
        }
    }

    /// The index of the list price of a model.
    pub(in crate::usage) fn price_of(&self, model: &str) -> Option<u32> {
        let at = self.models.iter().position(|known| known == model)?;
        self.prices.get(at).copied().flatten()
    }
}
