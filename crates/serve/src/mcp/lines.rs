//! The transport of a client at two streams: a message a line.

use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use super::messages::{Received, bytes};

/// Greatest length of a line in bytes.
const LONGEST: usize = 256 * 1024;

/// Greatest number of answers that wait until the client reads them.
const WAITING: usize = 16;

/// The time in which a client reads the last answers.
const LAST: Duration = Duration::from_secs(10);

/// The transport. Answers are written by a task of their own, whole, in the order in which they
/// were given.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    /// The line so far. Waiting for more of it may be given up and taken up again.
    line: Vec<u8>,
    /// Whether the line is too long, so that its rest is left out.
    too_long: bool,
    /// An answer to what was no message, until there is room for it.
    refusal: Option<Vec<u8>>,
    answers: Option<Sender<Vec<u8>>>,
    writer: Option<JoinHandle<Result<()>>>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The transport of two streams. Must be called within a runtime.
    pub(super) fn new(input: R, output: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (answers, receiver) = channel(WAITING);
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            too_long: false,
            refusal: None,
            answers: Some(answers),
            writer: Some(tokio::spawn(write(output, receiver))),
        }
    }

    /// The next line. `None` at the end of the input: what follows the last line break is cut off
    /// and no message.
    async fn next(&mut self) -> Option<Received> {
        loop {
            let some = self.input.fill_buf().await.ok()?;
            if some.is_empty() {
                return None;
            }
            let end = some.iter().position(|byte| *byte == b'\n');
            let taken = &some[..end.unwrap_or(some.len())];
            self.too_long |= self.line.len() + taken.len() > LONGEST;
            if !self.too_long {
                self.line.extend_from_slice(taken);
            }
            let used = taken.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_none() {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.too_long) {
                return Some(Received::too_long(LONGEST));
            }
            let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
            if !line.is_empty() {
                return Some(Received::of(line));
            }
        }
    }
}

/// Writes answers until there are no more.
async fn write(mut output: impl AsyncWrite + Unpin, mut answers: Receiver<Vec<u8>>) -> Result<()> {
    while let Some(mut answer) = answers.recv().await {
        answer.push(b'\n');
        output.write_all(&answer).await?;
        output.flush().await?;
    }
    Ok(())
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        let answers = self.answers.clone();
        async move {
            let closed = || Error::new(ErrorKind::NotConnected, "the client is gone");
            let answers = answers.ok_or_else(closed)?;
            answers.send(bytes(&item)?).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.refusal.is_some() {
                let room = self.answers.as_ref()?.reserve().await.ok()?;
                if let Some(answer) = self.refusal.take() {
                    room.send(answer);
                }
            }
            match self.next().await? {
                Received::Message(message) => return Some(*message),
                Received::Ignored => {}
                Received::Refused(answer) => self.refusal = bytes(&answer).ok(),
            }
        }
    }

    async fn close(&mut self) -> Result<()> {
        self.answers = None;
        match self.writer.take() {
            // A client that reads nothing can't keep this process.
            Some(writer) => match tokio::time::timeout(LAST, writer).await {
                Ok(written) => written.map_err(Error::other)?,
                Err(_) => Err(Error::new(ErrorKind::TimedOut, "the client reads no answers")),
            },
            None => Ok(()),
        }
    }
}
