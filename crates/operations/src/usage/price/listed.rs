//! List prices of single answers.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use meaning::usage::Count;

use super::{Money, Price, Prices};

/// List prices of answers, by the table that verbatim brings along. The table is read when a price
/// is asked for, and a model is looked up once.
#[derive(Debug, Default)]
pub struct ListPrices {
    table: OnceCell<Option<Prices>>,
    models: RefCell<HashMap<String, Option<Price>>>,
}

impl ListPrices {
    /// The list price of an answer; `None` if there is none for its model, its terms or its tokens.
    #[must_use]
    pub fn of(&self, count: &Count) -> Option<Money> {
        let model = count.model.as_deref()?;
        let mut models = self.models.borrow_mut();
        if !models.contains_key(model) {
            let table = self.table.get_or_init(|| Prices::shipped().ok());
            let price = table.as_ref().and_then(|table| table.find(model)).map(|(_, price)| price);
            models.insert(model.to_owned(), price);
        }
        models.get(model)?.as_ref()?.cost(&count.tokens, &count.terms)
    }
}
