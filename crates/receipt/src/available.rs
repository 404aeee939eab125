//! A value, or the word that the source does not tell it.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The word for a value that the source does not tell.
const UNAVAILABLE: &str = "unavailable";

/// A value, or `"unavailable"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Available<T> {
    /// The source tells it.
    Value(T),
    /// The source does not tell it.
    No,
}

impl<T: Serialize> Serialize for Available<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::No => serializer.serialize_str(UNAVAILABLE),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Available<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(word) if word == UNAVAILABLE => Ok(Self::No),
            other => serde_json::from_value(other).map(Self::Value).map_err(D::Error::custom),
        }
    }
}
