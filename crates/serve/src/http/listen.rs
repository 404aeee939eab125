//! Connections: they are bounded in number and in time. If there is no room for another, the oldest
//! one that is not in the midst of a request makes it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};

use super::slow::Socket;

/// The greatest number of connections.
const MOST: usize = 128;
/// The time in which a request must have come.
const HEADER: Duration = Duration::from_secs(10);
/// The greatest length of the line of a request with all of its headers.
const HEADERS: usize = 16 << 10;
/// The time that answers have to end when the server ends.
const LAST: Duration = Duration::from_secs(2);

/// The address of the other side of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// A connection, as the others see it.
struct Held {
    /// Whether it is in the midst of a request.
    busy: AtomicBool,
    /// Tells it to make room.
    leave: Notify,
}

/// All connections, the oldest first.
#[derive(Clone, Default)]
struct Room(Arc<Mutex<Vec<Arc<Held>>>>);

impl Room {
    /// A place for another connection, if there is one.
    fn enter(&self) -> Option<Arc<Held>> {
        let mut all = self.0.lock().ok()?;
        if all.len() >= MOST {
            let at = all.iter().position(|held| !held.busy.load(Ordering::Relaxed))?;
            all.remove(at).leave.notify_one();
        }
        let held = Arc::new(Held { busy: AtomicBool::new(false), leave: Notify::new() });
        all.push(held.clone());
        Some(held)
    }

    fn leave(&self, held: &Arc<Held>) {
        if let Ok(mut all) = self.0.lock() {
            all.retain(|other| !Arc::ptr_eq(other, held));
        }
    }
}

/// Accepts connections until `end` says so.
pub(crate) async fn accept(listener: TcpListener, router: Router, end: watch::Receiver<bool>) {
    let room = Room::default();
    let mut ended = end.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ended.wait_for(|ended| *ended) => break,
        };
        let Ok((stream, peer)) = accepted else {
            // There are no more file descriptors: some will be free soon.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        // A connection without a place is closed at once.
        let Some(held) = room.enter() else { continue };
        let (room, router, end) = (room.clone(), router.clone(), end.clone());
        tokio::spawn(async move {
            serve(stream, Peer(peer), &held, router, end).await;
            room.leave(&held);
        });
    }
    drop(listener);
    let rest = async {
        while room.0.lock().is_ok_and(|all| !all.is_empty()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let _ = tokio::time::timeout(LAST, rest).await;
}

/// Answers the requests of one connection.
async fn serve(
    stream: TcpStream,
    peer: Peer,
    held: &Arc<Held>,
    router: Router,
    mut end: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let of = held.clone();
    let service = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        of.busy.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(peer);
        let (of, service) = (of.clone(), service.clone());
        async move {
            let answer = hyper::service::Service::call(&service, request.map(Body::new)).await;
            // Its body may still be on its way: it is a request that makes room first.
            of.busy.store(false, Ordering::Relaxed);
            answer
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER)
        .max_buf_size(HEADERS)
        .serve_connection(TokioIo::new(Socket::new(stream)), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = held.leave.notified() => return,
        _ = end.wait_for(|ended| *ended) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(LAST, connection).await;
}
