//! Tables of the lines about API requests, and of answers that another program took apart. Tables
//! only.

use session::{Map, map};

/// A request to the API (2.1.3x). Each request records the number of kept messages of the previous
/// one, and the appended messages. The shape (instructions and tools) and the messages are stored
/// once each, by their digests. Its `version` is the shape's, not a program's.
pub(super) static REQUEST_LINE: Map = map! {
    "type" => is(Type),
    "sessionId" => is(Session),
    "agentId" => is(Agent),
    "timestamp" => is(Time),
    "id" => is(Id),
    kept [
        "version", "querySource", "params", "base", "keep", "tail", "cacheControl", "requestDigest",
        "shapeHash", "shape", "hash", "message", "echoWireToolInputs", "thread",
    ],
};

/// `tools-used` (2.1.3x): the names of the tools so far.
pub(super) static TOOLS_LINE: Map = map! {
    "type" => is(Type),
    "uuid" => is(Id),
    "sessionId" => is(Session),
    "tools" => kept,
};

/// A line whose message is an object of letters. It is kept whole, since none of them is a name.
pub(super) static SPREAD_LINE: Map = map! {
    "type" => is(Type),
    "uuid" => is(Id),
    "parentUuid" => is(Parent),
    "sessionId" => is(Session),
    "timestamp" => is(Time),
    "cwd" => is(WorkingDir),
    "gitBranch" => is(Branch),
    "version" => is(Version),
    kept ["userType", "entrypoint"],
    "isSidechain" => is(Sidechain),
    "requestId" => is(Request),
    "message" => kept,
};
