//! A record in JSON as the parts that can be shown or withheld by themselves, as they are in it:
//! its members outside the entries, which are its frame, the entries, and their large fields.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Fields of an entry that can be withheld by themselves, whatever their length.
const CONTENT: [&str; 6] = ["content", "input", "output", "encrypted", "children", "data"];

/// The length from which any other field can be withheld by itself.
const LARGE: usize = 64;

/// The parts of a record.
#[derive(Debug)]
pub(crate) struct RecordParts<'r> {
    /// The members outside the entries, by their path, as they are in the record.
    pub(crate) frame: Vec<(String, &'r str)>,
    /// The entries.
    pub(crate) entries: Vec<&'r str>,
}

/// An entry without the values of some fields, which are between its texts.
#[derive(Debug)]
pub(crate) struct CutEntry<'r> {
    /// The texts around the values: one more than there are values.
    pub(crate) texts: Vec<&'r [u8]>,
    /// The names and values of the fields.
    pub(crate) fields: Vec<(String, &'r str)>,
}

/// The members of an object, each name once.
pub(crate) struct Members<'r>(pub(crate) Vec<(String, &'r RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut members, mut known) = (Vec::new(), BTreeSet::new());
                while let Some(name) = map.next_key::<String>()? {
                    if !known.insert(name.clone()) {
                        return Err(A::Error::custom(format!("the name {name:?} is there twice")));
                    }
                    members.push((name, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        reader.deserialize_map(Reader)
    }
}

/// The members of an object.
pub(crate) fn members(json: &str) -> Result<Vec<(String, &str)>, String> {
    let Members(members) = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok(members.into_iter().map(|(name, value)| (name, value.get())).collect())
}

/// A name as a part of a JSON pointer (RFC 6901).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl<'r> RecordParts<'r> {
    /// The parts of a record.
    ///
    /// # Errors
    /// It is no record in JSON, or a name is there twice.
    pub(crate) fn read(record: &'r str) -> Result<Self, String> {
        let (mut frame, mut entries) = (Vec::new(), None);
        for (name, value) in members(record)? {
            if name != "session" {
                frame.push((format!("/{}", escaped(&name)), value));
                continue;
            }
            for (name, value) in members(value)? {
                if name != "entries" {
                    frame.push((format!("/session/{}", escaped(&name)), value));
                    continue;
                }
                let read: Result<Vec<&RawValue>, _> = serde_json::from_str(value);
                let read = read.map_err(|error| error.to_string())?;
                entries = Some(read.into_iter().map(RawValue::get).collect());
            }
        }
        let entries = entries.ok_or("it has no entries")?;
        Ok(Self { frame, entries })
    }

    /// The value of a member of the frame.
    pub(crate) fn member(&self, path: &str) -> Option<&'r str> {
        self.frame.iter().find(|(other, _)| other == path).map(|(_, value)| *value)
    }
}

impl<'r> CutEntry<'r> {
    /// An entry without its large fields.
    ///
    /// # Errors
    /// It is no object, or a name is there twice.
    pub(crate) fn of(entry: &'r str) -> Result<Self, String> {
        let is_large = |name: &str, value: &str| {
            let is_text = value.starts_with(['"', '[', '{']);
            is_text && (value.len() >= LARGE || CONTENT.contains(&name))
        };
        let fields = members(entry)?.into_iter();
        Ok(Self::around(entry, fields.filter(|(name, value)| is_large(name, value)).collect()))
    }

    /// An entry without the fields of these names, in their order.
    ///
    /// # Errors
    /// It has no such fields in this order.
    pub(crate) fn without<'n>(
        entry: &'r str,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<Self, String> {
        let mut all = members(entry)?.into_iter();
        let mut fields = Vec::new();
        for name in names {
            let field = all.find(|(other, _)| other == name);
            fields.push(field.ok_or_else(|| format!("it has no field {name:?} there"))?);
        }
        Ok(Self::around(entry, fields))
    }

    fn around(entry: &'r str, fields: Vec<(String, &'r str)>) -> Self {
        let (mut texts, mut at) = (Vec::new(), 0);
        let bytes = entry.as_bytes();
        for (_, value) in &fields {
            // The value is a part of the entry's text.
            let start = value.as_ptr() as usize - entry.as_ptr() as usize;
            texts.push(bytes.get(at..start).unwrap_or_default());
            at = start + value.len();
        }
        texts.push(bytes.get(at..).unwrap_or_default());
        Self { texts, fields }
    }

    /// The entry with other values for its fields.
    pub(crate) fn filled<'v>(&self, values: impl Iterator<Item = &'v str>) -> String {
        let (mut text, mut values) = (Vec::new(), values);
        for part in &self.texts {
            text.extend_from_slice(part);
            text.extend_from_slice(values.next().unwrap_or_default().as_bytes());
        }
        String::from_utf8(text).unwrap_or_default()
    }
}

/// The value in the place of a withheld one, of the type that the schema wants there.
pub(crate) fn placeholder(name: &str, value: &str) -> &'static str {
    const WITHHELD: &str = "\"[WITHHELD]\"";
    match (name, value.as_bytes().first()) {
        ("content" | "input" | "output", _) => WITHHELD,
        (_, Some(b'[')) => "[]",
        (_, Some(b'{')) => "{}",
        _ => WITHHELD,
    }
}

/// Whether a value may be in the place of a withheld one.
pub(crate) fn is_placeholder(name: &str, value: &str) -> bool {
    ["[]", "{}", "\"\""].iter().any(|kind| placeholder(name, kind) == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_its_parts() {
        let session = r#"{"session-id":"s","a/b":1,"entries":[{"x":1}, 2]}"#;
        let text = format!(r#"{{"version":"1","session":{session},"z":[ ]}}"#);
        let parts = RecordParts::read(&text).unwrap();
        let paths: Vec<&str> = parts.frame.iter().map(|(path, _)| &**path).collect();
        assert_eq!(paths, ["/version", "/session/session-id", "/session/a~1b", "/z"]);
        assert_eq!(parts.entries, ["{\"x\":1}", "2"]);
        assert_eq!(parts.member("/z"), Some("[ ]"));
        for wrong in [r#"{"session":{}}"#, r#"{"a":1,"a":2,"session":{"entries":[]}}"#, "[]", ""] {
            assert!(RecordParts::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_entry_is_cut_at_its_large_fields() {
        let long = "w".repeat(70);
        let entry = format!(r#"{{ "type":"user","content" : "hi","n":1,"more":"{long}"}}"#);
        let cut = CutEntry::of(&entry).unwrap();
        let names: Vec<&str> = cut.fields.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["content", "more"]);
        assert_eq!(cut.filled(cut.fields.iter().map(|(_, value)| *value)), entry);
        let without = CutEntry::without(&entry, ["more"].into_iter()).unwrap();
        assert_eq!(without.fields.len(), 1);
        assert!(CutEntry::without(&entry, ["more", "content"].into_iter()).is_err());
    }
}
