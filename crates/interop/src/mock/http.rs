//! The subset of HTTP/1.1 that the agents need: one request per connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Largest accepted body, in bytes: more than any agent sends.
const LARGEST: usize = 64 << 20;

/// A complete request.
pub(crate) struct Incoming {
    /// The method, in capitals.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The body.
    pub body: Vec<u8>,
}

/// Reads a request. Returns `None` if the connection ends or the request is malformed.
pub(crate) fn read(stream: &TcpStream) -> Option<Incoming> {
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut chunked) = (0, false);
    loop {
        let head = line(&mut reader)?;
        let Some((name, value)) = head.split_once(':') else { break };
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().ok()?,
            ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
            ("expect", _) => (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?,
            _ => {}
        }
    }
    let body = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    Some(Incoming { method, path, body })
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.take(1 << 16).read_line(&mut line).ok()?;
    line.ends_with('\n').then(|| line.trim_end().to_owned())
}

fn exactly(reader: &mut impl Read, length: usize) -> Option<Vec<u8>> {
    let mut body = vec![0; (length <= LARGEST).then_some(length)?];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(reader)?;
        let size = usize::from_str_radix(size.split(';').next()?, 16).ok()?;
        if size.saturating_add(body.len()) > LARGEST {
            return None;
        }
        body.extend(exactly(reader, size)?);
        line(reader)?;
        if size == 0 {
            return Some(body);
        }
    }
}

/// Begins a response that ends when the connection closes.
pub(crate) fn begin(stream: &mut TcpStream, status: u16, kind: &str) -> std::io::Result<()> {
    let reason = if status == 200 { "OK" } else { "Refused" };
    write!(
        stream,
        "HTTP/1.1 {status} {reason}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n"
    )?;
    stream.flush()
}
