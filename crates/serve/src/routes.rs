//! The routes: a table of paths and answers, and the way of a request through the guard to one of
//! them. Answers may block, so each runs on a thread of its own kind; a panic in one is an error
//! of that request alone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts as _, RawPathParams, Request};
use axum::http::{Method, Response};
use axum::routing::any;
use tokio::sync::Semaphore;

use crate::app::{Answer, App};
use crate::http::ask::{Ask, pairs};
use crate::http::guard::{self, Passed, Seen};
use crate::http::listen::Peer;
use crate::http::reply::{Fault, JSON, Reply, Waiting};
use crate::{actions, live, pages, tools, v1};

/// The paths of the interface for programs.
pub(crate) const INTERFACE: &[(&str, Answer)] = &[
    ("/v1/openapi.json", v1::openapi),
    ("/v1/sessions", v1::sessions::all),
    ("/v1/sessions/{uid}", v1::sessions::one),
    ("/v1/sessions/{uid}/events", v1::sessions::events),
    ("/v1/sessions/{uid}/turns", v1::turns::all),
    ("/v1/sessions/{uid}/turns/{n}", v1::turns::one),
    ("/v1/sessions/{uid}/turns/{n}/receipt", v1::receipts::of_session),
    ("/v1/sessions/{uid}/files", v1::files::of_session),
    ("/v1/sessions/{uid}/members", v1::members::all),
    ("/v1/sessions/{uid}/members/{n}", v1::members::one),
    ("/v1/sessions/{uid}/verdicts", v1::verdicts::of_session),
    ("/v1/search", v1::search::search),
    ("/v1/usage", v1::usage::usage),
    ("/v1/files", v1::files::all),
    ("/v1/threads/{thread_id}/turns/{turn_id}/receipt", v1::receipts::of_thread),
    ("/v1/live", live::events),
    (guard::ACTIONS[0], actions::resume),
    (guard::ACTIONS[1], actions::export),
];

/// The paths whose requests wait for each other, so that nobody else waits for them, and how many
/// of these are answered at once: the messages of an agent, which may ask much, and files, which
/// some take slowly.
const APART: [(&str, usize); 2] = [(guard::TOOLS, 1), ("/v1/sessions/{uid}/members/{n}", 2)];

/// The time in which a body must have come.
const COMING: Duration = Duration::from_secs(10);

/// The router of a server.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mcp: (&str, Answer) = (guard::TOOLS, tools::post);
    router_of(app, INTERFACE.iter().chain(pages::PAGES).chain([&mcp]))
}

/// The router of some routes.
fn router_of<'r>(
    app: &Arc<App>,
    routes: impl Iterator<Item = &'r (&'static str, Answer)>,
) -> Router {
    // One more than the cores: reading waits for the disk too.
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let work = Arc::new(Semaphore::new(cores + 1));
    let mut router = Router::new();
    for (path, answer) in routes {
        let own = APART.iter().find(|(apart, _)| apart == path);
        let own = own.map(|(_, most)| Arc::new(Semaphore::new(*most)));
        let (app, work, answer) = (app.clone(), own.unwrap_or_else(|| work.clone()), *answer);
        let handler = move |request: Request| handle(app.clone(), work.clone(), answer, request);
        router = router.route(path, any(handler));
    }
    let app = app.clone();
    router.fallback(move |request: Request| handle(app.clone(), work.clone(), unknown, request))
}

fn unknown(_: &Arc<App>, _: &Ask) -> Result<Reply, Fault> {
    Err(Fault::unknown("page"))
}

/// Answers one request.
async fn handle(
    app: Arc<App>,
    work: Arc<Semaphore>,
    answer: Answer,
    request: Request,
) -> Response<Body> {
    let whole = *request.method() != Method::HEAD;
    let path = request.uri().path().to_owned();
    let reply = match respond(&app, work, answer, request).await {
        Ok(reply) => reply,
        Err(fault) => refused(&path, &fault),
    };
    reply.response(whole)
}

/// The answer to a request that fails: JSON for programs, a page for people.
fn refused(path: &str, fault: &Fault) -> Reply {
    let for_programs = path.starts_with("/v1/") || [guard::HEALTH, guard::TOOLS].contains(&path);
    let mut reply = match for_programs {
        true => fault.json(),
        false => pages::fault(fault),
    };
    match fault.status {
        401 => reply.more.push(("www-authenticate", "Bearer realm=\"verbatim\"".to_owned())),
        405 => reply.more.push(("allow", guard::allowed(path).to_owned())),
        _ => {}
    }
    reply
}

async fn respond(
    app: &Arc<App>,
    work: Arc<Semaphore>,
    answer: Answer,
    request: Request,
) -> Result<Reply, Fault> {
    let (mut parts, body) = request.into_parts();
    let seen = Seen { method: &parts.method, uri: &parts.uri, headers: &parts.headers };
    let caller = match guard::pass(seen, app.port, &app.access)? {
        Passed::Health => return Ok(Reply::of(JSON, b"{\"status\":\"ok\"}".to_vec())),
        Passed::Enter(secret) => {
            let near = parts.extensions.get::<Peer>().is_some_and(|peer| peer.0.ip().is_loopback());
            // To look at an address, as `HEAD` does, does not use it.
            let uses = near && parts.method == Method::GET;
            let site = ask_site(&parts.headers);
            return enter(app, if uses { &secret } else { "" }, site);
        }
        Passed::Caller(caller) => Arc::new(caller),
    };
    let named = RawPathParams::from_request_parts(&mut parts, &()).await;
    // `RawPathParams` refuses what is no UTF-8 when it is decoded.
    let named = named.map_err(|_| Fault::unknown("page"))?;
    let named: BTreeMap<String, String> =
        named.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let most = guard::longest(parts.uri.path());
    let coming = tokio::time::timeout(COMING, to_bytes(body, most)).await;
    let body = coming.map_err(|_| Fault::new(408, "the body did not come"))?;
    let body = body.map_err(|_| Fault::new(413, "the body is too long"))?;
    let permit = work.acquire_owned().await.map_err(|_| Fault::new(503, "the server ends"))?;
    // If the client leaves, this function ends where it is, and the job is cancelled.
    let waiting = Waiting(app.served.machine.job.apart());
    let ask = Ask {
        job: waiting.0.clone(),
        parts: named,
        path: parts.uri.path().to_owned(),
        query: pairs(parts.uri.query().unwrap_or_default()),
        headers: parts.headers,
        body: body.to_vec(),
        caller,
        _permit: Arc::new(permit),
    };
    let (app, known) = (app.clone(), ask.header("if-none-match").map(str::to_owned));
    let done = tokio::task::spawn_blocking(move || answer(&app, &ask));
    let reply = done.await.map_err(|_| Fault::new(500, "the server made a mistake here"))?;
    let reply = reply?.unless_known(known.as_deref());
    Ok(Reply { waiting: Some(waiting), ..reply })
}

/// Lets a browser in that has the printed address, and takes its secret out of the address.
///
/// A browser that was led here by another page would not send the new cookie behind a redirect. It
/// gets a page of this server that leads on.
fn enter(app: &App, secret: &str, foreign: bool) -> Result<Reply, Fault> {
    let used = "this address worked once, or its time is over: start `verbatim serve` again";
    let cookie = app.access.enter(secret).ok_or_else(|| Fault::new(401, used))?;
    let mut reply = if foreign { pages::onward() } else { Reply::to("/") };
    let name = guard::cookie_name(app.port);
    let cookie = cookie.text();
    let value = format!("{name}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200");
    reply.more.push(("set-cookie", value));
    Ok(reply)
}

/// Whether a browser says that another page led here.
fn ask_site(headers: &axum::http::HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    !matches!(site, None | Some(b"none" | b"same-origin"))
}

#[cfg(test)]
mod tests {
    use axum::http::header::AUTHORIZATION;
    use axum::http::header::HOST;
    use hyper::service::Service as _;
    use hyper_util::service::TowerToHyperService;

    use super::*;
    use crate::app::{Hands, Served};
    use crate::http::access::{Access, Clients, make_token};

    fn breaks(_: &Arc<App>, _: &Ask) -> Result<Reply, Fault> {
        panic!("a mistake in one answer");
    }

    /// A server of some routes, and a request to a path of it.
    fn server(
        routes: &[(&'static str, Answer)],
    ) -> (tempfile::TempDir, TowerToHyperService<Router>, impl Fn(&str) -> Request) {
        let folder = tempfile::tempdir().expect("a folder");
        let token = folder.path().join("token");
        make_token(&token).expect("a token");
        let bearer = format!("Bearer {}", std::fs::read_to_string(&token).expect("it").trim());
        let served = Served {
            formats: formats::ALL,
            machine: catalog::Machine::default(),
            within: Vec::new(),
            port: 7,
            token: Some(token.clone()),
            hands: Hands {
                offset: Box::new(|_| 0),
                line: |_| None,
                redactor: Box::new(|| Err(String::new())),
                keys: Box::new(|| Ok(Vec::new())),
                index: Box::new(|| None),
                asked: Box::new(|| Err(String::new())),
            },
        };
        let (access, _) = Access::new(Some(token), Clients::default()).expect("random");
        let app = Arc::new(App::new(served, access, 7));
        let router = TowerToHyperService::new(router_of(&app, routes.iter()));
        let request = move |path: &str| {
            let request = Request::builder().uri(path).header(HOST, "127.0.0.1:7");
            let request = request.header(AUTHORIZATION, &bearer);
            request.body(Body::empty()).expect("a request")
        };
        (folder, router, request)
    }

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(test);
    }

    #[test]
    fn a_panic_in_one_request_does_not_end_the_others() {
        let (_folder, router, request) = server(&[("/breaks", breaks), ("/works", v1::openapi)]);
        run(async {
            for _ in 0..8 {
                for (path, status) in [("/breaks", 500), ("/works", 200)] {
                    let answer = router.call(request(path)).await.expect("an answer");
                    assert_eq!(answer.status(), status, "{path}");
                }
            }
        });
    }

    /// Works for a minute, or until its job is cancelled, as a search in many sessions does.
    fn work(ask: &Ask) {
        let begun = std::time::Instant::now();
        while !ask.job.is_cancelled() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn works_long(_: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
        work(ask);
        Err(Fault::unknown("session"))
    }

    /// Answers at once, and makes its pieces until its job is cancelled.
    fn works_behind(_: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
        let (sender, pieces) = tokio::sync::mpsc::channel(1);
        let ask = ask.clone();
        std::thread::spawn(move || {
            work(&ask);
            drop((ask, sender));
        });
        let mut reply = Reply::of(JSON, Vec::new());
        reply.content = crate::http::reply::Content::Pieces(pieces);
        Ok(reply)
    }

    #[test]
    fn work_that_nobody_waits_for_ends() {
        let (_folder, router, request) =
            server(&[("/long", works_long), ("/behind", works_behind), ("/works", v1::openapi)]);
        let (soon, late) = (Duration::from_millis(20), Duration::from_secs(20));
        run(async {
            // More clients than there are permits ask and leave.
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) + 3 {
                let long = tokio::time::timeout(soon, router.call(request("/long"))).await;
                assert!(long.is_err(), "it works as long as somebody waits");
                let behind = tokio::time::timeout(late, router.call(request("/behind"))).await;
                let behind = behind.expect("a permit").expect("an answer");
                assert_eq!(behind.status(), 200);
                drop(behind);
            }
            let answer = tokio::time::timeout(late, router.call(request("/works"))).await;
            assert_eq!(answer.expect("a permit").expect("an answer").status(), 200);
        });
    }
}
