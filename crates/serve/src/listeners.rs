//! Those who listen for growth: each gets what is sent, until it has gone.

use std::sync::Mutex;

use axum::body::Bytes;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

/// The greatest number of listeners. The one who came first makes room.
const MOST: usize = 16;

/// Those who listen.
#[derive(Debug, Default)]
pub(crate) struct Listeners(Mutex<Vec<Sender<Bytes>>>);

impl Listeners {
    /// Adds one. Returns whether it is the first.
    pub(crate) fn add(&self, listener: Sender<Bytes>) -> Option<bool> {
        let mut listeners = self.0.lock().ok()?;
        if listeners.len() >= MOST {
            listeners.remove(0);
        }
        listeners.push(listener);
        Some(listeners.len() == 1)
    }

    /// Sends a text to all. False if nobody listens any more.
    pub(crate) fn send(&self, text: &str) -> bool {
        let Ok(mut listeners) = self.0.lock() else { return false };
        listeners.retain(|listener| {
            let sent = listener.try_send(Bytes::copy_from_slice(text.as_bytes()));
            !matches!(sent, Err(TrySendError::Closed(_)))
        });
        !listeners.is_empty()
    }
}
