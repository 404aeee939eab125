//! A record in JSON as the parts that can be shown or withheld by themselves, as they are in it:
//! its members outside the entries, which are its frame, the entries, and their large fields.

use std::borrow::Cow;
use std::collections::BTreeSet;

use session::{Doc, JsonMember, Node, Scan, Shape, Span};

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
pub(crate) fn members(json: &str) -> Result<Vec<(String, &str)>, String> {
    let mut scan = Scan::without_templates();
    let doc = read(&mut scan, json)?;
    let members = named(json, doc.root())?.into_iter();
    Ok(members.map(|it| (it.name.into_owned(), text(json, it.value.span()))).collect())
}

/// Reads a text as one JSON value: it is looked through once, and its parts are found in it.
pub(crate) fn read<'s>(scan: &'s mut Scan, json: &'s str) -> Result<Doc<'s>, String> {
    if json.len() >= u32::MAX as usize {
        return Err("it is longer than 4 GiB".into());
    }
    scan.read(json.as_bytes(), 0)
        .map_err(|fault| format!("byte {}: {}", fault.at, fault.why.words()))
}

/// A member of an object.
struct Named<'r, 's> {
    name: Cow<'r, str>,
    /// The name as it is written.
    key: Span,
    value: Node<'s>,
}

/// The number of names up to which they are compared with each other: most objects have fewer.
const FEW: usize = 16;

/// The names and values of an object, each name once.
fn named<'r, 's>(json: &'r str, object: Node<'s>) -> Result<Vec<Named<'r, 's>>, String> {
    if object.shape() != Shape::Object {
        return Err("it is no object".into());
    }
    let mut members: Vec<Named<'_, '_>> = Vec::new();
    let mut known = BTreeSet::new();
    for JsonMember { key, value, .. } in object.members() {
        let name = name(text(json, key))?;
        let is_known = match members.len() {
            ..FEW => members.iter().any(|other| other.name == name),
            FEW => {
                known.extend(members.iter().map(|other| other.name.clone()));
                !known.insert(name.clone())
            }
            _ => !known.insert(name.clone()),
        };
        if is_known {
            return Err(format!("the name {name:?} is there twice"));
        }
        members.push(Named { name, key, value });
    }
    Ok(members)
}

/// A name, of how it is written.
pub(crate) fn name(quoted: &str) -> Result<Cow<'_, str>, String> {
    match memchr::memchr(b'\\', quoted.as_bytes()) {
        None => Ok(Cow::Borrowed(quoted.trim_matches('"'))),
        // An escape can be half of a pair, which no name is.
        Some(_) => serde_json::from_str(quoted).map_err(|error| error.to_string()),
    }
}

/// The places of the fields of an entry that can be withheld by themselves: of the name as it is
/// written, and of the value.
///
/// # Errors
/// The entry is no object, or has a name twice.
pub(crate) fn large(json: &str, entry: Node<'_>) -> Result<Vec<(Span, Span)>, String> {
    let fields = named(json, entry)?.into_iter().filter_map(|Named { name, key, value }| {
        let span = value.span();
        let value = text(json, span);
        let is_text = value.starts_with(['"', '[', '{']);
        let is_large = is_text && (value.len() >= LARGE || CONTENT.contains(&&*name));
        is_large.then_some((key, span))
    });
    Ok(fields.collect())
}

/// A part of a text.
pub(crate) fn text(json: &str, span: Span) -> &str {
    json.get(span.start as usize..span.end as usize).unwrap_or_default()
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
        let mut scan = Scan::without_templates();
        let doc = read(&mut scan, record)?;
        Self::each(record, &doc, &mut |_, _| Ok(()))
    }

    /// The same of a record that was read, while `each` looks at the number and the node of each
    /// entry.
    ///
    /// # Errors
    /// As of [`Self::read`], and those of `each`.
    pub(crate) fn each(
        record: &'r str,
        doc: &Doc<'_>,
        each: &mut dyn FnMut(usize, Node<'_>) -> Result<(), String>,
    ) -> Result<Self, String> {
        let (mut frame, mut entries) = (Vec::new(), None);
        for Named { name, value, .. } in named(record, doc.root())? {
            if name != "session" {
                frame.push((format!("/{}", escaped(&name)), text(record, value.span())));
                continue;
            }
            for Named { name, value, .. } in named(record, value)? {
                if name != "entries" {
                    let path = format!("/session/{}", escaped(&name));
                    frame.push((path, text(record, value.span())));
                } else if value.shape() == Shape::Array {
                    let mut all = Vec::new();
                    for node in value.elements() {
                        all.push(text(record, node.span()));
                        each(all.len(), node)?;
                    }
                    entries = Some(all);
                }
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
    #[cfg(test)]
    pub(crate) fn of(entry: &'r str) -> Result<Self, String> {
        let mut scan = Scan::without_templates();
        let doc = read(&mut scan, entry)?;
        Self::at(entry, entry, &large(entry, doc.root())?)
    }

    /// An entry that is a part of a text, without the fields at these places of the text.
    ///
    /// # Errors
    /// A name can't be read.
    pub(crate) fn at(
        json: &'r str,
        entry: &'r str,
        fields: &[(Span, Span)],
    ) -> Result<Self, String> {
        let field =
            |(key, value): &_| Ok((name(text(json, *key))?.into_owned(), text(json, *value)));
        let fields: Result<Vec<(String, &str)>, String> = fields.iter().map(field).collect();
        Ok(Self::around(entry, fields?))
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
