//! Cases, and their published files.

use ciborium::Value;
use serde_json::json;
use verbatim_evidence::value::Encoding;

/// A document and its required verdict.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) rule: &'static str,
    pub(crate) encoding: Encoding,
    pub(crate) document: Vec<u8>,
    /// By the draft's literal text.
    pub(crate) draft: bool,
    /// By our schema.
    pub(crate) ours: bool,
    pub(crate) why: String,
}

impl Case {
    pub(crate) fn line(&self) -> String {
        let mut line = json!({"id": self.id, "rule": self.rule});
        match self.encoding {
            // As a text, because a JSON value would lose spelling and repeated keys.
            Encoding::Json => {
                line["json"] = std::str::from_utf8(&self.document).expect("UTF-8").into();
            }
            Encoding::Cbor => line["cbor"] = hex(&self.document).into(),
        }
        line["draft"] = self.draft.into();
        line["default"] = self.ours.into();
        line["why"] = self.why.as_str().into();
        line.to_string() + "\n"
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(text, 16).expect("hexadecimal")
    };
    digits.chunks(2).map(byte).collect()
}

pub(crate) fn cbor(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    ciborium::into_writer(value, &mut out).expect("CBOR");
    out
}

/// The value as JSON, if JSON can represent it.
pub(crate) fn json(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => i128::from(*value).to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        Value::Array(array) => {
            let items: Option<Vec<_>> = array.iter().map(json).collect();
            format!("[{}]", items?.join(","))
        }
        Value::Map(map) => {
            let member = |(key, value): &(Value, Value)| match key {
                Value::Text(_) => Some(format!("{}:{}", json(key)?, json(value)?)),
                _ => None,
            };
            let members: Option<Vec<_>> = map.iter().map(member).collect();
            format!("{{{}}}", members?.join(","))
        }
        _ => return None,
    })
}

/// The value at a path of keys and `0`s, inserted if it is missing.
pub(crate) fn at<'v>(value: &'v mut Value, path: &[&str]) -> &'v mut Value {
    let Some((key, rest)) = path.split_first() else { return value };
    let inner = match value {
        Value::Array(array) => &mut array[0],
        Value::Map(map) => {
            let key = Value::Text((*key).into());
            let found = map.iter().position(|(k, _)| *k == key);
            let found = found.unwrap_or_else(|| {
                map.push((key, Value::Null));
                map.len() - 1
            });
            &mut map[found].1
        }
        _ => unreachable!("{key} of a scalar"),
    };
    at(inner, rest)
}
