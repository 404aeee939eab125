//! Tables of parts: one table per part type, or two if a part is call and result.

use session::{Map, map};

use super::map::TOKENS;

/// A part without a table of its own: agent, subtask, step-start, snapshot, compaction,
/// retry, and unknown types.
pub(super) static PART: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "messageID" => is(Message),
    "type" => is(Type),
    "time" => view(Native, &PART_TIME),
    // source-url
    kept ["url", "source"],
    // agent, subtask
    kept ["name", "agent", "prompt", "description", "model", "command"],
    // step-start, snapshot
    "snapshot" => kept,
    // compaction
    kept ["auto", "overflow"],
    "tail_start_id" => is(Target),
    // retry
    kept ["attempt", "error"],
    // source-url, of 2025's first builds
    kept ["sourceId", "title", "providerMetadata"],
};

static PART_TIME: Map = map! {
    "start" => is(Time),
    "created" => is(Time),
    kept ["end", "compacted"],
};

/// A file of a message: its address, or its bytes in one.
pub(super) static FILE: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "messageID" => is(Message),
    "type" => is(Type),
    kept ["metadata", "mime", "mediaType", "filename"],
    "url" => is(Media),
    "source" => kept,
    "synthetic" => is(Meta),
};

/// Text of a message.
pub(super) static TEXT: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "messageID" => is(Message),
    "type" => is(Type),
    "text" => is(Content),
    "synthetic" => is(Meta),
    "ignored" => kept,
    "time" => view(Native, &PART_TIME),
    "metadata" => kept,
};

/// Reasoning.
pub(super) static REASONING: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "messageID" => is(Message),
    "type" => is(Type),
    "text" => is(Content),
    "time" => view(Native, &PART_TIME),
    "metadata" => view(Native, &PROVIDERS),
    "providerMetadata" => view(Native, &PROVIDERS),
};

/// Opaque data of providers, to be sent back with the next request, by provider.
pub(super) static PROVIDERS: Map = map! {
    "anthropic" => view(Native, &SEALED),
    "openai" => view(Native, &SEALED),
    "azure" => view(Native, &SEALED),
    "bedrock" => view(Native, &SEALED),
    "google" => view(Native, &SEALED),
    "vertex" => view(Native, &SEALED),
    "copilot" => view(Native, &SEALED),
    "openrouter" => view(Native, &SEALED),
};

static SEALED: Map = map! {
    "signature" => is(Encrypted),
    "redactedData" => is(Encrypted),
    "reasoningEncryptedContent" => is(Encrypted),
    "thoughtSignature" => is(Encrypted),
    "itemId" => kept,
};

/// A tool part as a call. The tool's metadata of its run belongs to call and result, unless the
/// provider has metadata of the call.
macro_rules! call {
    ($state:expr) => {
        map! {
            "id" => is(Id),
            "sessionID" => is(Session),
            "messageID" => is(Message),
            "type" => is(Type),
            "callID" => is(Call),
            "tool" => is(Name),
            "metadata" => is(Detail),
            "time" => kept,
            "state" => within(Native, $state),
        }
    };
}

macro_rules! call_state {
    ($metadata:ident $(($slot:ident))?) => {
        map! {
            "status" => kept,
            "input" => is(Input),
            kept ["raw", "output", "error", "title"],
            "metadata" => $metadata $(($slot))?,
            "time" => within(Native, &CALL_TIME),
            "attachments" => kept,
        }
    };
}

pub(super) static CALL: Map = call!(&CALL_STATE);
pub(super) static TOLD_CALL: Map = call!(&TOLD_CALL_STATE);
static CALL_STATE: Map = call_state!(is(Detail));
static TOLD_CALL_STATE: Map = call_state!(kept);

/// A tool part within its message, as in the builds of the summer of 2025: its id is the call's.
pub(super) static FIRST_CALL: Map = map! {
    "id" => is(Call),
    "type" => is(Type),
    "tool" => is(Name),
    "state" => within(Native, &CALL_STATE),
};

/// The same as a result.
pub(super) static FIRST_RESULT: Map = map! {
    "id" => is(Call),
    "tool" => is(Name),
    "state" => within(Native, &RESULT_STATE),
};

/// A call in a message of the chat shape.
pub(super) static CHAT_CALL: Map = map! {
    "id" => is(Call),
    "name" => is(Name),
    "arguments" => is(Input),
};

static CALL_TIME: Map = map! { "start" => is(Time), "end" => kept, "compacted" => kept };

/// The same part as a result.
pub(super) static RESULT: Map = map! {
    "sessionID" => is(Session),
    "messageID" => is(Message),
    "callID" => is(Call),
    "tool" => is(Name),
    "state" => within(Native, &RESULT_STATE),
};

static RESULT_STATE: Map = map! {
    "status" => is(Status),
    "output" => is(Output),
    "error" => is(Output),
    "metadata" => is(Detail),
    "time" => within(Native, &RESULT_TIME),
    "attachments" => is(Media),
};

static RESULT_TIME: Map = map! { "end" => is(Time) };

/// A tool part of 2025's first builds, as a call.
pub(super) static INVOCATION: Map = map! {
    "type" => is(Type),
    "toolInvocation" => within(Native, &INVOKED),
};

static INVOKED: Map = map! {
    kept ["state", "step"],
    "toolCallId" => is(Call),
    "toolName" => is(Name),
    "args" => is(Input),
    "result" => kept,
};

/// The same as a result.
pub(super) static INVOCATION_RESULT: Map = map! {
    "toolInvocation" => within(Native, &ANSWERED),
};

static ANSWERED: Map = map! {
    "state" => is(Status),
    "toolCallId" => is(Call),
    "toolName" => is(Name),
    "result" => is(Output),
};

/// End of one call of the model.
pub(super) static STEP_FINISH: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "messageID" => is(Message),
    "type" => is(Type),
    "reason" => is(Finish),
    "snapshot" => kept,
    "cost" => is(Cost),
    "tokens" => view(Usage, &TOKENS),
    "time" => view(Native, &PART_TIME),
};

/// The files that changed.
pub(super) static PATCH: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "messageID" => is(Message),
    "type" => is(Type),
    kept ["hash", "files"],
    "time" => view(Native, &PART_TIME),
};
