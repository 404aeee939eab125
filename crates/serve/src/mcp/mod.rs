//! The sessions as tools of the Model Context Protocol: what an agent may ask.
//!
//! Nothing here writes. Texts of a session come from a `Clean` one alone, which redaction makes.
//! They are data and never instructions, so each is between two lines with a word that nobody
//! can guess, in a block of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::{Catalog, Formats, Machine};
use operations::attest::KnownKey;
use redact::Redactor;
use rmcp::ServerHandler;
use rmcp::ServiceExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::async_rw::AsyncRwTransport;
use session::UtcTime;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

mod answers;
mod arguments;
mod frame;
mod history;
mod sessions;
mod tools;

pub use tools::TOOL_NAMES;

/// The sessions that an agent may ask about, and all else that the answers need.
pub struct Asked {
    /// The formats.
    pub formats: Formats<'static>,
    /// The machine.
    pub machine: Machine,
    /// The folders to look in, instead of the agents' own ones.
    pub within: Vec<PathBuf>,
    /// The folder of the project: files outside of it are not named to an agent.
    pub folder: PathBuf,
    /// The folders of the project's repository, as sessions name them.
    pub projects: Vec<String>,
    /// The time at which the server was started.
    pub started: UtcTime,
    /// The redactor of every text.
    pub redactor: Redactor,
    /// The keys whose signatures are known.
    pub keys: Vec<KnownKey>,
    /// Makes the fence of a response: letters and digits that nobody can guess.
    pub fence: Box<dyn Fn() -> String + Send + Sync>,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Asked {
    fn catalog(&self) -> Catalog<'static> {
        Catalog { formats: self.formats, machine: self.machine.clone() }
    }

    /// A path of the project's folder. `None` if it leads out of it.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let folder = self.folder.canonicalize().ok()?;
        let file = folder.join(Path::new(path)).canonicalize().ok()?;
        file.starts_with(&folder).then_some(file)
    }
}

/// Greatest length of a message of a client in bytes.
const MESSAGE: usize = 256 * 1024;

/// Greatest number of requests that wait for an answer.
const WAITING: usize = 64;

/// The server of one client.
struct Server {
    asked: Arc<Asked>,
    /// One request is answered at a time: each may read many sessions.
    turn: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// Answers a client until it closes the input.
///
/// # Errors
/// The client speaks another protocol, or the streams can't be used.
pub async fn serve_client(
    asked: Asked,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> std::io::Result<()> {
    let (turn, waiting) = (Arc::new(Semaphore::new(1)), Arc::default());
    let server = Server { asked: Arc::new(asked), turn, waiting };
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MESSAGE);
    let running = server.serve(transport).await.map_err(std::io::Error::other)?;
    running.waiting().await.map(drop).map_err(std::io::Error::other)
}

/// Answers the client at this process's standard input and output until the input ends.
///
/// # Errors
/// As of [`serve_client`].
pub fn serve_stdio(asked: Asked) -> std::io::Result<()> {
    let (input, output) = streams()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (input, output) = (tokio::fs::File::from_std(input), tokio::fs::File::from_std(output));
    let served = runtime.block_on(serve_client(asked, input, output));
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    served
}

/// Standard input and output as files of their own: whoever called this may hold the locks of the
/// others.
#[cfg(unix)]
fn streams() -> std::io::Result<(File, File)> {
    use std::os::fd::AsFd as _;
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

#[cfg(windows)]
fn streams() -> std::io::Result<(File, File)> {
    use std::os::windows::io::AsHandle as _;
    let input = std::io::stdin().as_handle().try_clone_to_owned()?;
    let output = std::io::stdout().as_handle().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let own = Implementation::new("verbatim", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(own)
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let wrong = |what: String| ErrorData::invalid_params(what, None);
        let tool = tools::named(&request.name)
            .ok_or_else(|| wrong(format!("there is no such tool: {}", TOOL_NAMES.join(", "))))?;
        let arguments = request.arguments.unwrap_or_default();
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(ErrorData::internal_error("too many requests are waiting", None));
        }
        let asked = Arc::clone(&self.asked);
        let permit = Arc::clone(&self.turn).acquire_owned().await;
        let answered = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            answers::answer(&asked, tool, &arguments)
        });
        let answered = answered.await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        let blocks = |blocks: Vec<String>| blocks.into_iter().map(ContentBlock::text).collect();
        match answered {
            Ok(Ok(response)) => Ok(CallToolResult::success(blocks(response)).into()),
            Ok(Err(why)) => Ok(CallToolResult::error(blocks(vec![frame::fact(&why)])).into()),
            Err(_) => Err(ErrorData::internal_error("the request could not be answered", None)),
        }
    }
}
