//! The sessions of this machine in a browser, and as a local HTTP interface.
//!
//! Asynchronous code lives in this crate and nowhere else: it accepts connections and waits. What a
//! request asks for is computed by the same operations as the commands, on threads that may block.

#![forbid(unsafe_code)]

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use catalog::{Formats, Machine};

pub mod mcp;

/// The sessions that a server shows, and the port that it listens on.
#[derive(Debug)]
pub struct Served {
    /// The formats that it knows.
    pub formats: Formats<'static>,
    /// The machine whose sessions it shows.
    pub machine: Machine,
    /// The folders that it looks in, instead of the agents' own ones.
    pub within: Vec<PathBuf>,
    /// The port; 0 lets the system choose a free one.
    pub port: u16,
}

/// Listens on the loopback until the process gets a signal to end. `ready` gets the address once.
///
/// # Errors
///
/// The port is taken, or the system refuses to listen.
pub fn run(served: &Served, ready: &mut dyn FnMut(SocketAddr)) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, served.port)).await?;
        ready(listener.local_addr()?);
        let _ = tokio::signal::ctrl_c().await;
        Ok(())
    })
}
