//! The sessions of this machine in a browser, and as a local HTTP interface.
//!
//! Asynchronous code lives in this crate and nowhere else: it accepts connections and waits. What a
//! request asks for is computed by the same operations as the commands, on threads that may block.
//! Nothing is written to disk, but by the action that places a session.
//!
//! `http/` is the transport. It lets a request in or not (`guard.rs`), in an order that never
//! changes: the host, the method, the token, the origin. `routes.rs` is the table of paths. `v1/`
//! has the documents for programs: those of the commands' `--json`. `pages/` has the same for
//! people, made of the components of the exported page (`views/export`); they need no script.

#![forbid(unsafe_code)]

mod actions;
mod app;
mod entries;
mod http;
mod kept;
mod listeners;
mod live;
pub mod mcp;
mod once;
mod pages;
mod reading;
mod remembered;
mod routes;
mod seen;
mod tools;
mod v1;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::watch;

use app::App;
pub use app::{Ability, Hands, Served};
use http::access::{Access, Clients, make_token};

/// The time that threads have to end when the server ends.
const LAST: Duration = Duration::from_millis(500);
/// The time after which a server looks again for what nobody used for a while.
const LOOK: Duration = Duration::from_secs(60);

/// Listens on the loopback until the process gets a signal to end. `ready` gets the address that
/// lets one browser in, once and for ten minutes.
///
/// # Errors
///
/// The port is taken, the system refuses to listen, or the file of the token can't be used.
pub fn run(served: Served, ready: &mut dyn FnMut(&str)) -> std::io::Result<()> {
    serve(served, &mut |_, entry| ready(entry), ended)
}

/// The same, until `end` says so. `ready` gets the address of the socket too.
///
/// # Errors
///
/// Those of [`run`].
pub fn serve<E: Future<Output = ()>>(
    served: Served,
    ready: &mut dyn FnMut(SocketAddr, &str),
    end: impl FnOnce() -> E,
) -> std::io::Result<()> {
    if let Some(token) = &served.token {
        make_token(token)?;
    }
    let stores = served.formats.iter().filter_map(|format| format.data().turns.store);
    let clients = Clients {
        headers: stores.clone().flat_map(|store| store.tokens.headers).copied().collect(),
        cookies: stores.map(|store| store.tokens.cookie).collect(),
    };
    let (access, entry) = Access::new(served.token.clone(), clients)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, served.port)).await?;
        let address = listener.local_addr()?;
        let app = Arc::new(App::new(served, access, address.port()));
        let (stop, stopped) = watch::channel(false);
        let accepting = tokio::spawn(http::listen::accept(listener, routes::router(&app), stopped));
        tokio::spawn(forgetting(app));
        ready(address, &format!("http://{address}{}{}", http::guard::ENTER, entry.text()));
        end().await;
        let _ = stop.send(true);
        let _ = accepting.await;
        Ok(())
    });
    runtime.shutdown_timeout(LAST);
    done
}

/// Forgets now and then what was read for requests that do not come any more.
async fn forgetting(app: Arc<App>) {
    loop {
        tokio::time::sleep(LOOK).await;
        app.kept.forget_idle(Instant::now());
    }
}

/// Waits for a signal to end.
async fn ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
