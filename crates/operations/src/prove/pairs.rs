//! Calls that the reader took out of the conversation while their results are in it: a look at the
//! standings alone, which asks neither the reader for its reasons nor the pairing of calls. A call
//! and its result are one act, so no result is there without its call.

use std::collections::HashMap;

use session::{EventRef, Kind, Session, Slot, Standing, Stream};

/// The results in the conversation whose calls are all taken out of it, in words.
pub(super) fn faults(session: &Session) -> Vec<String> {
    let is_out =
        |event: &EventRef<'_>| matches!(event.standing(), Standing::Superseded | Standing::Echo);
    // Whether any call stays, by the bytes of its value, and by its id in its stream.
    let mut values: HashMap<(u32, u32), bool> = HashMap::new();
    let mut ids: HashMap<(&Stream, &[u8]), bool> = HashMap::new();
    for call in session.events().filter(|event| event.kind == Kind::ToolCall) {
        let stays = !is_out(&call);
        *values.entry((call.origin.record, call.span.start)).or_default() |= stays;
        if let Some(id) = call.raw(Slot::Call) {
            *ids.entry((call.stream(), id)).or_default() |= stays;
        }
    }
    let is_alone = |result: &EventRef<'_>| {
        let by_id = || ids.get(&(result.stream(), result.raw(Slot::Call)?));
        let stays = values.get(&(result.origin.record, result.span.start)).or_else(by_id);
        stays.is_some_and(|stays| !stays)
    };
    let results = session.events().filter(|event| event.kind == Kind::ToolResult);
    let alone = results.filter(|result| result.standing().is_conversation()).filter(is_alone);
    let told = alone.map(|result| {
        let origin = result.origin;
        let file = session.bundle.members.get(origin.member as usize);
        let name = file.map_or("", |member| member.name.as_str());
        format!(
            "{name}, line {}: a result is in the conversation, and its call is not",
            origin.line
        )
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use session::{Bundle, Mark, Member};

    use super::*;

    #[test]
    fn a_result_without_its_call_is_found() {
        let part = |n: u8| {
            format!(
                concat!(
                    r#"{{"id":"p{0}","sessionID":"ses_1","messageID":"m","type":"tool","#,
                    r#""callID":"c{0}","tool":"read","state":{{"status":"completed","#,
                    r#""input":{{"filePath":"/shop/{0}"}},"output":"leaf {0}","#,
                    r#""time":{{"start":{0},"end":{0}}}}}}}"#
                ),
                n
            )
        };
        let text = format!(
            concat!(
                r#"{{"info":{{"id":"ses_1","directory":"/shop","title":"T","version":"1"}},"#,
                r#""messages":[{{"info":{{"id":"m","sessionID":"ses_1","role":"assistant","#,
                r#""time":{{"created":5}}}},"parts":[{},{}]}}]}}"#
            ),
            part(1),
            part(2)
        );
        let member = Member::new("e.json", Stream::Main, text.into_bytes());
        let bundle = Arc::new(Bundle { members: member.into_iter().collect() });
        let mut read = formats::by_name("opencode").expect("a format").read(bundle);
        let session = &mut read[0];
        assert_eq!(faults(session), Vec::<String>::new());
        let call = session.events().find(|event| event.kind == Kind::ToolCall);
        let call = call.expect("a call").index;
        for standing in [Standing::Superseded, Standing::Echo] {
            session.mark(call, Mark::Standing(standing));
            assert_eq!(faults(session).len(), 1, "{standing:?}");
        }
        session.mark(call, Mark::Standing(Standing::Rewound));
        assert_eq!(faults(session), Vec::<String>::new());
    }
}
