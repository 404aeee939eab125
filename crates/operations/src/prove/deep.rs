//! Round trip, the claim of a deep check. Each session is written as a record. The record alone
//! must give back the events (kinds, standings, slots, structure) and every stored byte.

use std::collections::HashMap;
use std::sync::Arc;

use formats::{Content, Format, Options, vac};
use session::{Bundle, Member, Session, Span, Stream};

/// A failed claim: the member, the bytes, and the failure in words.
pub(super) type Failed = (u32, Span, String);

/// The failed claims of a deep check.
pub fn round_trip(format: &dyn Format, bundle: &Bundle, sessions: &[Session]) -> Vec<Failed> {
    let mut failed = own_format(format, bundle, sessions);
    // A session that is a record already has no other record to go through.
    let others = sessions.iter().filter(|session| session.format != vac::NAME);
    failed.extend(others.filter_map(|s| Some((0, Span::NONE, through_record(s).err()?))));
    failed
}

/// Checks that the format's own writer returns the stored bytes. It is checked once for the bundle,
/// because the first session writes all of it.
fn own_format(format: &dyn Format, bundle: &Bundle, sessions: &[Session]) -> Vec<Failed> {
    let Some(session) = sessions.first() else { return Vec::new() };
    let written = match format.write(session) {
        Ok(written) => written.files,
        Err(error) => return vec![(0, Span::NONE, format!("writing: {error}"))],
    };
    differing(&bundle.members, &written)
}

/// The members that were not written, or that were written with other bytes.
fn differing(members: &[Member], written: &[(String, Content)]) -> Vec<Failed> {
    let mut by_name: HashMap<&str, &Content> = HashMap::with_capacity(written.len());
    for (name, content) in written {
        by_name.entry(name).or_insert(content);
    }
    let differs = |(number, member): (u32, &Member)| {
        let stored = member.stored_bytes();
        let Some(bytes) = by_name.get(&*member.name) else {
            let all = Span::new(0, stored.len() as u32);
            return Some((number, all, "not written back".to_owned()));
        };
        if ***bytes == *stored {
            return None;
        }
        let same = stored.iter().zip(&***bytes).take_while(|(a, b)| a == b).count();
        let span = Span::new(same as u32, same as u32 + 1);
        Some((number, span, "written back with other bytes".to_owned()))
    };
    (0u32..).zip(members).filter_map(differs).collect()
}

/// Writes the record of a session, restores it, and reads it. The error names the difference.
fn through_record(session: &Session) -> Result<(), String> {
    let uid = session.uid();
    let options = Options { embed: true, secrets: true, ..Options::default() };
    let record = vac::record(session, &options);
    let restored = vac::restore(&record)
        .map_err(|error| format!("the record of {uid} can't be restored: {error}"))?;
    let stored = session.bundle.members.iter().map(Member::stored_bytes);
    if !stored.eq(restored.bundle.members.iter().map(Member::bytes)) {
        return Err(format!("the record of {uid} restores other bytes"));
    }
    let reader = formats::by_name(vac::NAME).ok_or("no format reads a record")?;
    let Some(member) = Member::new("record.json", Stream::Main, record) else {
        return Err(format!("the record of {uid} is too long to be read"));
    };
    let read = reader.read(Arc::new(Bundle::of(member)));
    let [read] = &*read else { return Err(format!("the record of {uid} is not one session")) };
    match vac::differences(session, read).first() {
        None => Ok(()),
        Some(first) => Err(format!("the record of {uid} is read back with a difference: {first}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looking up each name in the whole list would take minutes.
    #[test]
    fn very_many_written_files_are_compared_in_linear_time() {
        samples::assert_linear(12_500, compared);
    }

    fn compared(files: usize) {
        let name = |at: usize| format!("subagents/agent-{at:06}.jsonl");
        let text = |at: usize| at.to_string().into_bytes();
        let member = |at| Member::new(name(at), Stream::Main, text(at));
        let members: Vec<Member> = (0..files).filter_map(member).collect();
        // The last member is not written, and one member is written with other bytes.
        let bytes = |at| if at == 10_001 { b"10002".to_vec() } else { text(at) };
        let written: Vec<(String, Content)> =
            (0..files - 1).rev().map(|at| (name(at), bytes(at).into())).collect();
        let failed = differing(&members, &written);
        let expected = [
            (10_001, Span::new(4, 5), "written back with other bytes".to_owned()),
            (files as u32 - 1, Span::new(0, 5), "not written back".to_owned()),
        ];
        assert_eq!(failed, expected);
    }
}
