"""Reads the session that was written for an agent, and gives the items that this agent sends of it
with its next request. It knows the files of Gemini CLI, OpenCode, Codex and Claude Code, each from
its published form, and uses no code of the program that wrote them.

Each item is a dictionary with `kind` (text, call, result, image, thinking) and `side` (user, model).
A text has `text`. A call has `tool`, `id` and `values` (the texts and numbers of its arguments). A
result has `id` (of its call) and `text`. An image has `digest`, and `id` if it belongs to a result.
"""
import base64
import hashlib
import json


def records(text):
    """The JSON values of a file with a value on each line."""
    for line in text.split("\n"):
        if line.strip():
            yield json.loads(line)


def leaves(value):
    """The texts and numbers of a value, in order. JSON within a text is not opened."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)]
    if value is None:
        return []
    return [value if isinstance(value, str) else json.dumps(value)]


def says(side, text):
    return {"kind": "text", "side": side, "text": text}


def thinks(text):
    return {"kind": "thinking", "side": "model", "text": text}


def calls(tool, call, arguments):
    return {"kind": "call", "side": "model", "tool": tool, "id": call, "values": leaves(arguments)}


def answers(call, text):
    return {"kind": "result", "side": "user", "id": call, "text": text}


def shows(side, data, call=None):
    """A picture, given in Base64 or as a `data:` address."""
    data = data.split(",", 1)[-1] if data.startswith("data:") else data
    digest = hashlib.sha256(base64.b64decode("".join(data.split()) + "==")).hexdigest()
    return {"kind": "image", "side": side, "digest": digest, "id": call}


# Gemini CLI: a journal. A line with a known id replaces that message in its place.

def gemini_messages(text):
    messages = {}
    for record in records(text):
        if "$rewindTo" in record:
            ids = list(messages)
            known = record["$rewindTo"] in messages
            for gone in ids[ids.index(record["$rewindTo"]):] if known else ids:
                del messages[gone]
        elif "$set" in record:
            if "messages" in record["$set"]:
                messages = {one["id"]: one for one in record["$set"]["messages"]}
        elif isinstance(record.get("id"), str):
            messages[record["id"]] = record
    return list(messages.values())


def gemini_parts(content):
    parts = content if isinstance(content, list) else [content]
    return [{"text": part} if isinstance(part, str) else part for part in parts if part]


def gemini_result(call, result):
    found = []
    for part in gemini_parts(result):
        response = part.get("functionResponse")
        if response is not None:
            told = response.get("response")
            if isinstance(told, dict) and len(told) == 1:
                told = next(iter(told.values()))
            words = told if isinstance(told, str) else json.dumps(told)
            found.append(answers(response.get("id", call), words))
            found += gemini_result(call, response.get("parts"))
        elif "inlineData" in part:
            found.append(shows("user", part["inlineData"]["data"], call))
        elif "text" in part:
            found.append(answers(call, part["text"]))
    return found


IGNORED_BY_GEMINI = ("/", "?", "<session_context>", "<hook_context>")


def is_ignored_by_gemini(parts):
    """`isIgnoredUserContent`: a message that begins so was meant for its own screen, or is told
    anew. A picture at the beginning is a text in brackets there."""
    words = "".join(part.get("text") or "[a picture]" for part in parts).strip()
    return not words or words.startswith(IGNORED_BY_GEMINI)


def gemini(text):
    """`convertSessionToClientHistory`: messages of the agent itself are not sent."""
    found, answered = [], set()
    for message in gemini_messages(text):
        parts = gemini_parts(message.get("content"))
        if message["type"] == "user" and not is_ignored_by_gemini(parts):
            # A result that the call itself has is sent once more.
            results = [part for part in parts if "functionResponse" in part]
            found += [item for part in results
                      if part["functionResponse"].get("id") not in answered
                      for item in gemini_result(None, part)]
            found += gemini_said("user", [part for part in parts if part not in results])
        elif message["type"] == "gemini":
            whole = any("functionCall" in part or part.get("thought") for part in parts)
            if not whole:
                found += [thinks(f"{one.get('subject')} {one.get('description')}")
                          for one in message.get("thoughts") or []]
            found += gemini_said("model", parts)
            for call in message.get("toolCalls") or []:
                if not whole:
                    found.append(calls(call["name"], call["id"], call.get("args")))
                found += gemini_result(call["id"], call.get("result"))
                answered.add(call["id"])
    return found


def gemini_said(side, parts):
    found = []
    for part in parts:
        if "functionCall" in part:
            call = part["functionCall"]
            found.append(calls(call["name"], call.get("id"), call.get("args")))
        elif "inlineData" in part:
            found.append(shows(side, part["inlineData"]["data"]))
        elif part.get("thought"):
            found.append(thinks(part.get("text") or ""))
        elif part.get("text"):
            found.append(says(side, part["text"]))
    return found


# OpenCode: the export, a document with messages, each with its parts.

def opencode(text):
    document = json.loads(text)
    messages = opencode_since_summary(document["messages"])
    hidden = document["info"].get("revert") or {}
    found = []
    for message in messages:
        info, parts = message["info"], message["parts"]
        if info["id"] == hidden.get("messageID") and not hidden.get("partID"):
            break
        if info["role"] == "user":
            found += [item for part in parts for item in opencode_asked(part)]
        elif opencode_counts(info, parts):
            found += [item for part in parts for item in opencode_answered(part)]
    return found


def opencode_since_summary(messages):
    """A finished summary takes the place of all that stands before its request."""
    start = 0
    places = {message["info"]["id"]: at for at, message in enumerate(messages)}
    for message in messages:
        info = message["info"]
        if info["role"] == "assistant" and info.get("summary") is True and info.get("finish"):
            start = places.get(info.get("parentID"), start)
    return messages[start:]


def opencode_counts(info, parts):
    """An answer with an error is left out, but for one that the person stopped."""
    error = info.get("error")
    if not error:
        return True
    said = any(part["type"] not in ("step-start", "reasoning") for part in parts)
    return error.get("name") == "MessageAbortedError" and said


def opencode_asked(part):
    kind = part["type"]
    if kind == "text" and not part.get("ignored") and part["text"]:
        return [says("user", part["text"])]
    # The words of a text file and of a folder stand in texts beside it.
    if kind == "file" and part["mime"] not in ("text/plain", "application/x-directory"):
        return [shows("user", part["url"])]
    return []


def opencode_answered(part):
    kind = part["type"]
    if kind == "text" and part["text"]:
        return [says("model", part["text"])]
    if kind == "reasoning":
        return [thinks(part["text"])]
    if kind == "file":
        return [shows("model", part["url"])]
    if kind != "tool":
        return []
    state, call = part["state"], part["callID"]
    found = [calls(part["tool"], call, state.get("input"))]
    if state["status"] == "completed":
        cleared = (state.get("time") or {}).get("compacted")
        output = "[Old tool result content cleared]" if cleared else state["output"]
        found.append(answers(call, output))
        files = [] if cleared else state.get("attachments") or []
        found += [shows("user", file["url"], call) for file in files]
    elif state["status"] == "error":
        found.append(answers(call, state["error"]))
    else:
        found.append(answers(call, "[Tool execution was interrupted]"))
    return found


# Codex: a line for each item of the request.

def codex(text):
    found = []
    for record in records(text):
        payload = record.get("payload") or {}
        if record["type"] == "response_item":
            found += codex_item(payload)
        elif record["type"] == "compacted":
            kept = payload.get("replacement_history")
            if kept is None:
                kept = [{"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": payload.get("message") or ""}]}]
            found = [item for one in kept for item in codex_item(one)]
    return found


def codex_item(item):
    kind = item["type"]
    if kind in ("message", "agent_message"):
        side = "model" if item.get("role") == "assistant" else "user"
        return [codex_part(part, side) for part in item["content"]]
    if kind == "reasoning":
        told = (item.get("summary") or []) + (item.get("content") or [])
        return [thinks("\n".join(part.get("text") or "" for part in told))]
    if kind.endswith("_output"):
        output = item.get("output", item.get("tools"))
        if isinstance(output, list):
            return [codex_output(part, item["call_id"]) for part in output]
        return [answers(item["call_id"], output if isinstance(output, str) else json.dumps(output))]
    if kind.endswith("_call"):
        given = item.get("arguments", item.get("input", item.get("action")))
        if kind == "function_call":
            given = json.loads(given)
        return [calls(item.get("name", kind), item.get("call_id", item.get("id")), given)]
    return []


def codex_part(part, side):
    if "image_url" in part:
        return shows(side, part["image_url"])
    return says(side, part.get("text") or "")


def codex_output(part, call):
    if "image_url" in part:
        return shows("user", part["image_url"], call)
    return answers(call, part.get("text") or "")


# Claude Code: a tree. The newest message without a successor is the end of the conversation.

def claude(text):
    lines = [one for one in records(text) if one.get("uuid") and not one.get("isSidechain")]
    known = {line["uuid"]: line for line in lines}
    said = [line for line in lines if line["type"] in ("user", "assistant")]
    chain, at = [], said[-1] if said else None
    behind = {line["parentUuid"]: line for line in lines if line["type"] == "attachment"}
    while at is not None and at["uuid"] in behind:
        at = behind[at["uuid"]]
    while at is not None:
        chain.append(at)
        at = known.get(at.get("parentUuid"))
    found = []
    for line in reversed(chain):
        if line["type"] in ("user", "assistant"):
            side = "model" if line["type"] == "assistant" else "user"
            found += claude_content(line["message"]["content"], side)
        elif line["type"] == "system" and line.get("subtype") == "local_command":
            found.append(says("user", line["content"]))
        elif line["type"] == "attachment":
            found += [says("user", leaf) for leaf in leaves(line["attachment"])]
    return found


def claude_content(content, side):
    found = []
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        kind = block["type"]
        if kind == "text":
            found.append(says(side, block["text"]))
        elif kind == "thinking":
            found.append(thinks(block["thinking"]))
        elif kind in ("image", "document"):
            found.append(shows(side, block["source"]["data"]))
        elif kind == "tool_use":
            found.append(calls(block["name"], block["id"], block["input"]))
        elif kind == "tool_result":
            found += claude_result(block)
    return found


def claude_result(block):
    content, call = block.get("content"), block["tool_use_id"]
    if not isinstance(content, list):
        return [answers(call, content or "")]
    found = []
    for part in content:
        if part["type"] == "image":
            found.append(shows("user", part["source"]["data"], call))
        else:
            found.append(answers(call, part.get("text") or json.dumps(part)))
    return found or [answers(call, "")]


READERS = {"gemini": gemini, "opencode": opencode, "codex": codex, "claude-code": claude}
