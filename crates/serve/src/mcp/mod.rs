//! The sessions as tools of the Model Context Protocol: what an agent may ask.
//!
//! Nothing here writes. Texts of a session come from a `Clean` one alone, which redaction makes,
//! now or when the index was filled.
//! They are data and never instructions, so each is between two lines with a word that nobody
//! can guess, in a block of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use catalog::{Catalog, Formats, Machine, MaybeIndex};
use operations::attest::KnownKey;
use redact::Redactor;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, JsonRpcMessage, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{
    RequestContext, RoleServer, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly,
};
use rmcp::transport::OneshotTransport;
use rmcp::{Peer, ServiceExt as _};
use session::UtcTime;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OnceCell, Semaphore};

mod answers;
mod arguments;
mod frame;
mod history;
mod lines;
pub(crate) mod messages;
mod sessions;
mod tools;

use lines::Lines;
pub use tools::TOOL_NAMES;

/// The folders that sessions of a folder's project name.
pub type Projects = Box<dyn Fn(&Path) -> Vec<String> + Send + Sync>;

/// A redactor that is made when it is first needed, since that takes longer than most answers.
/// Without one, no text leaves.
pub type LazyRedactor = LazyLock<Option<Redactor>, Box<dyn FnOnce() -> Option<Redactor> + Send>>;

/// The reason names files of the user, so an agent does not get it.
const NO_REDACTOR: &str = "no redactor could be made, so no text is shown: the key of the tags or \
    the rules can't be read, and `verbatim redact` says why";

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
    /// The folders of a folder's repository, as sessions name them. Without any, sessions of all
    /// projects are meant.
    pub projects: Projects,
    /// The time since which a session that was written counts as one that is being written.
    pub since: Box<dyn Fn() -> UtcTime + Send + Sync>,
    /// The redactor of every text that was not redacted before.
    pub redactor: LazyRedactor,
    /// The name of its rules and choices, by which the index knows what was found before.
    pub rules: String,
    /// Opens the index as it is when a client asks.
    pub index: Box<dyn Fn() -> MaybeIndex + Send + Sync>,
    /// The keys whose signatures are known.
    pub keys: Vec<KnownKey>,
    /// The time.
    pub now: fn() -> UtcTime,
    /// Makes the fence of a response: letters and digits that nobody can guess.
    pub fence: Box<dyn Fn() -> String + Send + Sync>,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The sessions as one call asks about them.
struct Question<'q> {
    asked: &'q Asked,
    /// The folder of the client's project.
    folder: PathBuf,
    /// The folders that sessions of the client's projects have. None: all sessions are meant.
    projects: Vec<String>,
    /// The time since which a session that was written is one that is being written.
    since: UtcTime,
    /// The machine, with the index as it is now.
    catalog: Catalog<'static>,
}

impl std::ops::Deref for Question<'_> {
    type Target = Asked;

    fn deref(&self) -> &Asked {
        self.asked
    }
}

impl<'q> Question<'q> {
    /// A question of a client that works in these folders, or does not tell where.
    fn new(asked: &'q Asked, roots: &[PathBuf]) -> Self {
        let folder = roots.first().unwrap_or(&asked.folder).clone();
        let folders = if roots.is_empty() { std::slice::from_ref(&asked.folder) } else { roots };
        // Folders that are named have what the user wants to be found.
        let projects = match asked.within.is_empty() {
            true => folders.iter().flat_map(|folder| (asked.projects)(folder)).collect(),
            false => Vec::new(),
        };
        let machine = Machine { index: (asked.index)(), ..asked.machine.clone() };
        let catalog = Catalog { formats: asked.formats, machine };
        Self { asked, folder, projects, since: (asked.since)(), catalog }
    }

    /// The redactor.
    ///
    /// # Errors
    /// Without one, no text is shown.
    fn redactor(&self) -> Result<&Redactor, String> {
        self.asked.redactor.as_ref().ok_or_else(|| NO_REDACTOR.to_owned())
    }

    /// A path of the project's folder. `None` if it leads out of it.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let folder = self.folder.canonicalize().ok()?;
        let file = folder.join(Path::new(path)).canonicalize().ok()?;
        file.starts_with(&folder).then_some(file)
    }
}

/// The folder of an address `file:///…` on this machine. The root of all files is no project.
fn folder_of(address: &str) -> Option<PathBuf> {
    let path = address.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = PathBuf::from(crate::http::ask::decoded(path));
    (path.is_absolute() && path.parent().is_some() && path.is_dir()).then_some(path)
}

/// Greatest number of requests that wait for an answer.
const WAITING: usize = 64;

/// The tools: all that answers a client.
#[derive(Clone)]
pub(crate) struct Tools {
    asked: Arc<Asked>,
    /// One request is answered at a time: each may read many sessions.
    turn: Arc<Semaphore>,
    /// The places of those who wait. Each is given back however a request ends.
    places: Arc<Semaphore>,
}

impl Tools {
    pub(crate) fn new(asked: Asked) -> Self {
        let [turn, places] = [1, WAITING].map(|count| Arc::new(Semaphore::new(count)));
        Self { asked: Arc::new(asked), turn, places }
    }

    /// The answer to one message of a client that nothing else is known of; `None` if the message
    /// is not a request.
    pub(crate) async fn answer(
        self,
        message: RxJsonRpcMessage<RoleServer>,
    ) -> Option<TxJsonRpcMessage<RoleServer>> {
        if !matches!(message, JsonRpcMessage::Request(_)) {
            return None;
        }
        let (transport, mut answers) = OneshotTransport::<RoleServer>::new(message);
        let running = serve_directly(Server::of(self), transport, None);
        let mut answer = answers.recv().await;
        // Whatever the server says by itself has no way to the client here.
        while let Some(JsonRpcMessage::Notification(_)) = answer {
            answer = answers.recv().await;
        }
        drop(running);
        answer
    }
}

/// The server of one client.
struct Server {
    tools: Tools,
    /// The folders of the client's projects, once it was asked for them.
    roots: OnceCell<Vec<PathBuf>>,
}

impl Server {
    fn of(tools: Tools) -> Self {
        Self { tools, roots: OnceCell::new() }
    }

    /// The folders that the client works in, if it tells.
    #[expect(deprecated, reason = "clients of today tell their folders this way")]
    async fn roots(&self, client: &Peer<RoleServer>) -> Vec<PathBuf> {
        let tells = client.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !tells {
            return Vec::new();
        }
        // A client that does not answer now gets the question again with the next call.
        let ask = || async {
            let told = tokio::time::timeout(TELLING, client.list_roots()).await.map_err(drop)?;
            let roots = told.map_err(drop)?.roots;
            let folders = roots.iter().take(ROOTS).filter_map(|root| folder_of(&root.uri));
            Ok::<Vec<PathBuf>, ()>(folders.collect())
        };
        self.roots.get_or_try_init(ask).await.cloned().unwrap_or_default()
    }
}

/// The time in which a client tells its folders, and their greatest number.
const TELLING: Duration = Duration::from_secs(2);
const ROOTS: usize = 16;

/// Answers a client until it closes the input.
///
/// # Errors
/// The client speaks another protocol, or the streams can't be used.
pub async fn serve_client(
    asked: Asked,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> std::io::Result<()> {
    let server = Server::of(Tools::new(asked));
    let transport = Lines::new(input, output);
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
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let wrong = |what: String| ErrorData::invalid_params(what, None);
        let tool = tools::named(&request.name)
            .ok_or_else(|| wrong(format!("there is no such tool: {}", TOOL_NAMES.join(", "))))?;
        let arguments = request.arguments.unwrap_or_default();
        let Tools { asked, turn, places } = self.tools.clone();
        let Ok(_place) = places.try_acquire_owned() else {
            return Err(ErrorData::internal_error("too many requests are waiting", None));
        };
        let roots = self.roots(&context.peer).await;
        let permit = turn.acquire_owned().await;
        let answered = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let question = Question::new(&asked, &roots);
            answers::answer(&question, tool, &arguments)
        });
        let answered = answered.await;
        let blocks = |blocks: Vec<String>| blocks.into_iter().map(ContentBlock::text).collect();
        match answered {
            Ok(Ok(response)) => Ok(CallToolResult::success(blocks(response)).into()),
            Ok(Err(why)) => Ok(CallToolResult::error(blocks(vec![frame::fact(&why)])).into()),
            Err(_) => Err(ErrorData::internal_error("the request could not be answered", None)),
        }
    }
}
