//! The guard lets requests in. The order is always the same: the host, the method, the token, the
//! origin; a request that fails one of them learns nothing of the later ones.

use axum::http::{HeaderMap, Method, Uri};

use super::access::{Access, Caller};
use super::ask::{decoded, header};
use super::reply::Fault;

/// The greatest length of an address.
const ADDRESS: usize = 8 << 10;
/// The greatest length of the body of an action, and of a message of an agent.
const BODY: usize = 4 << 10;
const MESSAGE: usize = 1 << 20;
/// The header in which a browser repeats the word of its visit.
pub(crate) const WORD: &str = "x-verbatim-word";
/// The paths that act, and that only take `POST`.
pub(crate) const ACTIONS: [&str; 2] = ["/v1/resume", "/v1/export"];
/// The path of the tools for agents. It takes `POST` too, and only of programs: what a page of
/// another site can make a browser send has the cookie, and never the token.
pub(crate) const TOOLS: &str = "/mcp";
/// The path of which the next part is the secret of the printed address.
pub(crate) const ENTER: &str = "/enter/";
/// The only path with an answer for everybody.
pub(crate) const HEALTH: &str = "/health";
/// The name of the cookie: browsers share cookies between all ports of a host.
pub(crate) fn cookie_name(port: u16) -> String {
    format!("verbatim_{port}")
}

/// The parts of a request that the guard looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'r> {
    pub(crate) method: &'r Method,
    pub(crate) uri: &'r Uri,
    pub(crate) headers: &'r HeaderMap,
}

/// A request that is let in.
#[derive(Debug)]
pub(crate) enum Passed {
    /// Everybody may ask this.
    Health,
    /// It has the secret of the printed address.
    Enter(String),
    /// It asks for sessions.
    Caller(Caller),
}

/// Lets a request in, or not.
pub(crate) fn pass(seen: Seen<'_>, port: u16, access: &Access) -> Result<Passed, Fault> {
    let host = host(seen, port)?;
    method(seen)?;
    if seen.uri.path() == HEALTH {
        return origin(seen, host).map(|()| Passed::Health);
    }
    if let Some(secret) = seen.uri.path().strip_prefix(ENTER) {
        return Ok(Passed::Enter(secret.to_owned()));
    }
    let caller = caller(seen, port, access)?;
    origin(seen, host)?;
    if let Caller::Browser(word) = &caller {
        visit(seen, word)?;
    }
    size(seen)?;
    Ok(Passed::Caller(caller))
}

/// The host must be this server by its own names, so that no foreign name leads here.
fn host<'r>(seen: Seen<'r>, port: u16) -> Result<&'r str, Fault> {
    let foreign = || Fault::new(403, "this server answers for 127.0.0.1 and localhost alone");
    let is_ours = |host: &str| {
        let (name, of) = host.rsplit_once(':').unwrap_or((host, "80"));
        (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")) && of == port.to_string()
    };
    let host = header(seen.headers, "host").filter(|host| is_ours(host)).ok_or_else(foreign)?;
    match seen.uri.authority() {
        Some(named) if named.as_str() != host => Err(foreign()),
        _ => Ok(host),
    }
}

/// Whether a path takes `POST` alone.
fn takes_post(path: &str) -> bool {
    path == TOOLS || ACTIONS.contains(&path)
}

/// The greatest length of the body of a request for this path.
pub(crate) fn longest(path: &str) -> usize {
    match path {
        TOOLS => MESSAGE,
        path if takes_post(path) => BODY,
        _ => 0,
    }
}

/// Actions take `POST`, everything else `GET` and `HEAD`.
fn method(seen: Seen<'_>) -> Result<(), Fault> {
    let acts = takes_post(seen.uri.path());
    let fits = match *seen.method {
        Method::GET | Method::HEAD => !acts,
        Method::POST => acts,
        _ => false,
    };
    let why = if acts { "this takes POST" } else { "this takes GET and HEAD" };
    if fits { Ok(()) } else { Err(Fault::new(405, why)) }
}

/// The methods of a path, for the header `Allow`.
pub(crate) fn allowed(path: &str) -> &'static str {
    if takes_post(path) { "POST" } else { "GET, HEAD" }
}

/// The one who asks: by the token in a header, or by a cookie. Nothing in the address counts.
fn caller(seen: Seen<'_>, port: u16, access: &Access) -> Result<Caller, Fault> {
    let bearer = header(seen.headers, "authorization").and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let cookie = |name: &str| {
        let cookies = header(seen.headers, "cookie").into_iter().flat_map(|all| all.split(';'));
        let mut named = cookies.filter_map(|one| one.trim().split_once('='));
        named.find(|(known, _)| *known == name).map(|(_, value)| value)
    };
    let mut tokens: Vec<&str> = bearer.into_iter().collect();
    if is_of_threads(seen.uri.path()) {
        let clients = &access.clients;
        tokens.extend(clients.headers.iter().filter_map(|name| header(seen.headers, name)));
        tokens.extend(clients.cookies.iter().filter_map(|name| cookie(name)));
    }
    let program = tokens.into_iter().find_map(|token| access.program(token));
    let browser = || {
        let cookie = cookie(&cookie_name(port)).filter(|_| seen.uri.path() != TOOLS)?;
        access.browser(cookie)
    };
    program.or_else(browser).ok_or_else(|| Fault::new(401, TOKEN))
}

const TOKEN: &str = "runtime API bearer token required: open the address that `verbatim serve` \
                     printed, or send the token of its file as `Authorization: Bearer`";

/// Whether a path is of the route of receipts that another program's clients know too.
fn is_of_threads(path: &str) -> bool {
    path.strip_prefix("/v1/threads/").is_some_and(|rest| decoded(rest).ends_with("/receipt"))
}

/// A request that a page makes comes from a page of this server.
fn origin(seen: Seen<'_>, host: &str) -> Result<(), Fault> {
    let foreign = || Err(Fault::new(403, "a foreign page may not ask this server"));
    let given = seen.headers.contains_key("origin");
    match header(seen.headers, "origin") {
        Some(origin) if origin == format!("http://{host}") => Ok(()),
        None if !given => Ok(()),
        _ => foreign(),
    }
}

/// A request of a browser comes from a page of this server, or from its user. Another port of this
/// host is the same site, so that the cookie alone does not say it.
fn visit(seen: Seen<'_>, word: &super::access::Secret) -> Result<(), Fault> {
    let site = seen.headers.get("sec-fetch-site").map(|site| site.as_bytes().to_vec());
    if !matches!(site.as_deref(), None | Some(b"same-origin" | b"none")) {
        return Err(Fault::new(403, "a foreign page may not ask this server"));
    }
    if *seen.method != Method::POST {
        return Ok(());
    }
    let needs = |what: &str| Err(Fault::new(403, format!("an action needs {what}")));
    match header(seen.headers, WORD) {
        Some(given) if word.is(given) && seen.headers.contains_key("origin") => Ok(()),
        Some(given) if word.is(given) => needs("the header `Origin`, as a browser sends it"),
        Some(_) => needs(&format!("the word of its page in the header `{WORD}`: reload the page")),
        None => needs(&format!("the header `{WORD}` with the word of its page")),
    }
}

/// The sizes of a request are bounded.
fn size(seen: Seen<'_>) -> Result<(), Fault> {
    let address = seen.uri.path_and_query().map_or(0, |address| address.as_str().len());
    if address > ADDRESS {
        return Err(Fault::new(414, "the address is too long"));
    }
    let length = match header(seen.headers, "content-length") {
        Some(length) => length.parse().unwrap_or(usize::MAX),
        None => 0,
    };
    let acts = *seen.method == Method::POST;
    let most = longest(seen.uri.path());
    let open_ended = seen.headers.contains_key("transfer-encoding") && !acts;
    match length > most || open_ended {
        true => Err(Fault::new(413, "the body is too long")),
        false => Ok(()),
    }
}
