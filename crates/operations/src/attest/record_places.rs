//! The parts of a record by their places in it: whoever has read the record for something else
//! keeps them, so that it is not read again for its parts. They need little memory.

use session::{Doc, Scan, Span};

use crate::attest::record_parts::{CutEntry, RecordParts, large, read, text};

/// The places of the parts of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordPlaces {
    /// The paths and values of the members outside the entries.
    frame: Vec<(String, Span)>,
    /// The entries, each with the number of large fields up to its end.
    entries: Vec<(Span, usize)>,
    /// The names and values of the large fields of all entries.
    fields: Vec<(Span, Span)>,
}

impl RecordPlaces {
    /// The places in a record.
    ///
    /// # Errors
    /// It is no record in JSON, an entry is no object, or has a name twice.
    pub(crate) fn read(record: &str) -> Result<Self, String> {
        let mut scan = Scan::without_templates();
        Self::of(record, &read(&mut scan, record)?)
    }

    /// The same of a record that was read.
    ///
    /// # Errors
    /// As of [`Self::read`].
    pub(crate) fn of(record: &str, doc: &Doc<'_>) -> Result<Self, String> {
        let (mut entries, mut fields) = (Vec::new(), Vec::new());
        let parts = RecordParts::each(record, doc, &mut |number, entry| {
            let own = large(record, entry).map_err(|why| format!("entry {number}: {why}"))?;
            fields.extend(own);
            entries.push((entry.span(), fields.len()));
            Ok(())
        })?;
        let place = |value: &str| {
            let start = session::offset(value.as_ptr() as usize - record.as_ptr() as usize);
            Span::new(start, start + session::offset(value.len()))
        };
        let frame = parts.frame.into_iter().map(|(path, value)| (path, place(value))).collect();
        Ok(Self { frame, entries, fields })
    }

    /// The parts of the record.
    pub(crate) fn parts<'r>(&self, record: &'r str) -> RecordParts<'r> {
        let frame = self.frame.iter().map(|(path, span)| (path.clone(), text(record, *span)));
        let entries = self.entries.iter().map(|(span, _)| text(record, *span));
        RecordParts { frame: frame.collect(), entries: entries.collect() }
    }

    /// The entries without their large fields.
    pub(crate) fn cut<'r>(
        &self,
        record: &'r str,
    ) -> impl Iterator<Item = Result<CutEntry<'r>, String>> {
        let mut first = 0;
        self.entries.iter().map(move |(span, end)| {
            let own = self.fields.get(first..*end).unwrap_or_default();
            first = *end;
            CutEntry::at(record, text(record, *span), own)
        })
    }

    /// One entry without its large fields, by its number from 0.
    pub(crate) fn entry<'r>(&self, record: &'r str, number: u64) -> Option<CutEntry<'r>> {
        let at = usize::try_from(number).ok()?;
        let (span, end) = self.entries.get(at)?;
        let first =
            at.checked_sub(1).and_then(|at| self.entries.get(at)).map_or(0, |(_, end)| *end);
        CutEntry::at(record, text(record, *span), self.fields.get(first..*end)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_record_are_found_by_their_places() {
        let long = "w".repeat(70);
        let one = format!(r#"{{ "type":"user","c\u006fntent" : "hi","n":1,"more":"{long}"}}"#);
        let session = format!(r#"{{"session-id":"s","entries":[{one}, {{}}],"a/b":[1]}}"#);
        let record = format!(r#"{{"version":"1", "session":{session},"z":{{ }}}}"#);
        let places = RecordPlaces::read(&record).unwrap();
        let parts = RecordParts::read(&record).unwrap();
        let found = places.parts(&record);
        assert_eq!((&found.frame, &found.entries), (&parts.frame, &parts.entries));
        assert_eq!(found.member("/session/a~1b"), Some("[1]"));
        let cuts: Result<Vec<_>, _> = places.cut(&record).collect();
        for (entry, cut) in parts.entries.iter().zip(cuts.unwrap()) {
            let alone = CutEntry::of(entry).unwrap();
            assert_eq!((&cut.texts, &cut.fields), (&alone.texts, &alone.fields), "{entry}");
        }
        assert_eq!(places.entry(&record, 0).unwrap().fields.len(), 2);
        assert_eq!(places.entry(&record, 1).unwrap().texts, [b"{}"]);
        assert!(places.entry(&record, 2).is_none());
        for wrong in ["{}", r#"{"session":{"entries":[1]}}"#, r#"{"session":{"entries":[{}]}"#] {
            assert!(RecordPlaces::read(wrong).is_err(), "{wrong}");
        }
        let twice = r#"{"session":{"entries":[{"a":1,"\u0061":2}]}}"#;
        assert!(RecordPlaces::read(twice).is_err());
    }
}
