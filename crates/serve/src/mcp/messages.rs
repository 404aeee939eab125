//! Messages of a client, and the answer to bytes that are not a message.
//!
//! JSON-RPC 2.0, section 5.1, has the codes. A client that sent other bytes would wait for
//! ever without an answer.

use rmcp::model::{ErrorCode, ErrorData, JsonRpcError, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;

/// A line or a body of a client.
pub(crate) enum Received {
    /// A message.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// It gets no answer: an unknown notification, or an answer that nobody waits for.
    Ignored,
    /// It is no message, and this is the answer.
    Refused(Box<TxJsonRpcMessage<RoleServer>>),
}

impl Received {
    /// The kind of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        if let Ok(message) = serde_json::from_slice(bytes) {
            return Self::Message(Box::new(message));
        }
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
            return refused(ErrorCode::PARSE_ERROR, "this is no JSON", None);
        };
        let has = |name: &str| value.get(name).is_some();
        // An answer to an answer could go back and forth without end.
        if has("result") || has("error") || (has("method") && !has("id")) {
            return Self::Ignored;
        }
        let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
        refused(ErrorCode::INVALID_REQUEST, "this is no request of JSON-RPC 2.0", id)
    }

    /// Bytes that are longer than a message may be.
    pub(crate) fn too_long(most: usize) -> Self {
        let what = format!("a message has at most {most} bytes");
        refused(ErrorCode::INVALID_REQUEST, &what, None)
    }
}

fn refused(code: ErrorCode, what: &str, id: Option<RequestId>) -> Received {
    let error = ErrorData::new(code, what.to_owned(), None);
    Received::Refused(Box::new(TxJsonRpcMessage::<RoleServer>::Error(JsonRpcError::new(id, error))))
}

/// The bytes of an answer.
pub(crate) fn bytes(answer: &TxJsonRpcMessage<RoleServer>) -> std::io::Result<Vec<u8>> {
    serde_json::to_vec(answer).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<i64> {
        let Received::Refused(answer) = Received::of(text.as_bytes()) else { return None };
        let answer: Value = serde_json::from_slice(&bytes(&answer).expect("JSON")).expect("JSON");
        answer["error"]["code"].as_i64()
    }

    #[test]
    fn what_is_no_message_gets_an_error_and_an_answer_gets_none() {
        let cases = [
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", None),
            ("hello", Some(-32700)),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,", Some(-32700)),
            ("[]", Some(-32600)),
            ("{\"id\":7}", Some(-32600)),
            ("{\"method\":\"notifications/what\",\"params\":7}", None),
            ("{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"this is no JSON\"}}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(code(text), expected, "{text}");
        }
    }
}
