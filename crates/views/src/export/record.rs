//! The mark of a record beside its items: its place in the session's files and the digest of its
//! bytes; with `--bytes`, the bytes themselves.

use maud::html as make;
use session::EventRef;
use sha2::{Digest as _, Sha256};

use super::named::anchor;
use super::safe::Words;
use super::sheet::Bodies;
use crate::human;

/// The largest number of bytes of a record that a page has.
const NATIVE: usize = 4096;

impl Bodies {
    /// The mark of an item, which is a link to it. The first item of a record names the record.
    pub(super) fn mark(&mut self, event: EventRef<'_>) {
        let records = &event.session().records;
        let record = records.get(event.origin.record as usize);
        let is_first = self.record.replace(event.origin.record) != Some(event.origin.record);
        let html = make! {
            a class="rec" href={ "#" (anchor(event)) } {
                "#"
                @if let Some(record) = record.filter(|_| is_first) {
                    @let bytes = event.session().record_bytes(record);
                    span {
                        "line " (record.line)
                        @if record.member > 0 {
                            " of "
                            @if let Some(member) =
                                event.session().bundle.members.get(record.member as usize)
                            { (Words(&member.name)) }
                        }
                        " \u{b7} sha256 " (digest(bytes))
                    }
                }
            }
            @if let Some(record) = record.filter(|_| is_first && self.bytes) {
                @let bytes = event.session().record_bytes(record);
                details class="native" {
                    summary { "bytes" }
                    pre {
                        (Words(&String::from_utf8_lossy(&bytes[..bytes.len().min(NATIVE)])))
                        @if bytes.len() > NATIVE {
                            "\n\u{2026} and " (human::size((bytes.len() - NATIVE) as u64)) " more"
                        }
                    }
                }
            }
        };
        let height = if self.bytes && is_first { 24.0 } else { 0.0 };
        self.put(html, height);
    }
}

/// The digest of a record, as `sha256sum` writes it.
fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
