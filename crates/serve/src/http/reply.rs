//! Answers: their bodies, and the headers that every one of them has.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use catalog::Job;
use hyper::body::Frame;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::Receiver;

/// The types of bodies.
pub(crate) const JSON: &str = "application/json";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const BYTES: &str = "application/octet-stream";

/// The policy of a page, which may load its own style, script and pictures, and
/// nothing from elsewhere.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src \
                                 'self' data:; connect-src 'self'; form-action 'self'; base-uri \
                                 'none'; frame-ancestors 'none'";

/// The headers of every answer.
const ALWAYS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("vary", "Origin"),
];

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Content {
    /// Bytes that are whole.
    Whole(Vec<u8>),
    /// Pieces that are made while they are sent.
    Pieces(Receiver<Bytes>),
}

/// Somebody who waits for what a job makes. If this is dropped, the job is cancelled.
#[derive(Debug)]
pub(crate) struct Waiting(pub(crate) Job);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The status.
    pub(crate) status: u16,
    /// The type of its body.
    pub(crate) kind: &'static str,
    /// Its body.
    pub(crate) content: Content,
    /// Its digest or its version, if it may be asked for again.
    pub(crate) tag: Option<String>,
    /// Further headers. A value that is no header's value is left out.
    pub(crate) more: Vec<(&'static str, String)>,
    /// The one who waits for its pieces.
    pub(crate) waiting: Option<Waiting>,
}

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The status.
    pub(crate) status: u16,
    /// The reason, and the next step.
    pub(crate) message: String,
}

impl Fault {
    /// A fault with a message.
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// Nothing has this name.
    pub(crate) fn unknown(what: &str) -> Self {
        Self::new(404, format!("there is no such {what}"))
    }

    /// Its answer as JSON: `{"error":{"message":…,"status":…}}`.
    pub(crate) fn json(&self) -> Reply {
        let error = serde_json::json!({ "message": self.message, "status": self.status });
        let body = serde_json::json!({ "error": error });
        let mut reply = Reply::of(JSON, body.to_string().into_bytes());
        reply.status = self.status;
        reply
    }
}

impl Reply {
    /// An answer without a version.
    pub(crate) const fn of(kind: &'static str, bytes: Vec<u8>) -> Self {
        let content = Content::Whole(bytes);
        Self { status: 200, kind, content, tag: None, more: Vec::new(), waiting: None }
    }

    /// An answer whose version is the digest of its bytes.
    pub(crate) fn tagged(kind: &'static str, bytes: Vec<u8>) -> Self {
        let digest = Sha256::digest(&bytes);
        let tag = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { tag: Some(tag), ..Self::of(kind, bytes) }
    }

    /// A document as JSON.
    pub(crate) fn json(document: &impl Serialize) -> Result<Self, Fault> {
        let text = serde_json::to_vec(document);
        let text =
            text.map_err(|error| Fault::new(500, format!("it can't be written: {error}")))?;
        Ok(Self::tagged(JSON, text))
    }

    /// A way to another page of this server.
    pub(crate) fn to(place: &str) -> Self {
        let mut reply = Self::of("text/plain; charset=utf-8", Vec::new());
        reply.status = 303;
        reply.more.push(("location", place.to_owned()));
        reply
    }

    /// The answer to a request that names the versions that it has (`If-None-Match`).
    pub(crate) fn unless_known(mut self, known: Option<&str>) -> Self {
        let Some(tag) = self.tag.clone().filter(|_| self.status == 200) else { return self };
        let tags = known.into_iter().flat_map(|known| known.split(','));
        let mut tags = tags.map(|one| one.trim().trim_start_matches("W/").trim_matches('"'));
        if tags.any(|one| one == tag || one == "*") {
            self.status = 304;
            self.content = Content::Whole(Vec::new());
        }
        self
    }

    /// The answer in the form of the protocol. Without `whole`, the body is left out, as `HEAD`
    /// asks for.
    pub(crate) fn response(self, whole: bool) -> Response<Body> {
        let length = match &self.content {
            Content::Whole(bytes) if self.status != 304 => Some(bytes.len()),
            _ => None,
        };
        let body = match self.content {
            _ if !whole => Body::empty(),
            Content::Whole(bytes) => Body::from(bytes),
            Content::Pieces(pieces) => Body::new(Pieces(pieces, self.waiting)),
        };
        let mut response = Response::new(body);
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        for (name, value) in ALWAYS {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        if let Some(length) = length.filter(|_| !whole) {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        }
        let tag = self.tag.map(|tag| ("etag", format!("\"{tag}\"")));
        for (name, value) in self.more.into_iter().chain(tag) {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        response
    }
}

/// A body that comes in pieces.
struct Pieces(Receiver<Bytes>, #[expect(dead_code, reason = "its end is a sign")] Option<Waiting>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}
