//! A socket that may not rest for ever: one that takes nothing of its answer is closed.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// The longest rest.
const REST: Duration = Duration::from_secs(30);

/// A socket whose writes end in time.
pub(crate) struct Socket {
    stream: TcpStream,
    rest: Pin<Box<Sleep>>,
    waits: bool,
}

impl Socket {
    /// A socket.
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, rest: Box::pin(sleep(REST)), waits: false }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(context, bytes) {
            self.waits = false;
            return Poll::Ready(written);
        }
        if !std::mem::replace(&mut self.waits, true) {
            self.rest.as_mut().reset(Instant::now() + REST);
        }
        ready!(self.rest.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
