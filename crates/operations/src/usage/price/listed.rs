//! Entries of models, which are read on demand, and list prices of single answers.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use meaning::usage::Count;

use super::{Money, Price, Prices};

/// The entry of a model: its prices, or the text of them, which is read on demand.
#[derive(Debug)]
pub(super) enum Offered {
    Read(Box<Price>),
    Written(&'static str),
}

impl Offered {
    pub(super) fn price(&self, model: &str) -> Option<Price> {
        match self {
            Self::Read(price) => Some((**price).clone()),
            Self::Written(text) => Price::of(model, &serde_json::from_str(text).ok()?).ok()?,
        }
    }
}

/// List prices of answers, by the table that verbatim brings along. The table is read for the first
/// price, and a model is looked up once.
#[derive(Debug, Default)]
pub struct ListPrices {
    table: OnceCell<Option<Prices>>,
    models: RefCell<HashMap<String, Option<Price>>>,
}

impl ListPrices {
    /// The list price of an answer; `None` if the table has no such price.
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
