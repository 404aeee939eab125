"""Counts the acts of turns anew, from the raw bytes that their receipts name.

It shares no code and no table with the program that made the receipts. Standard input has a line of
JSON for each session: the agent, the paths of its files, and the receipts of its turns. Standard
output has one JSON document: the number of turns and of numbers that were compared, what differs,
and by agent and field how many are `unavailable`, and how many turns were not counted anew.
"""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile

COUNTS = [
    "tool_calls", "tool_results", "tokens", "commands_executed", "files_changed", "network_used",
    "server_tools_called", "approvals_asked", "approvals_allowed", "approvals_denied",
    "sandbox_denied", "escalations_wished", "calls_refused", "calls_failed",
]
BOUNDARY = {
    "approval_required_count": "approvals_asked", "approval_allowed_count": "approvals_allowed",
    "approval_denied_count": "approvals_denied", "command_execution_count": "commands_executed",
    "file_change_count": "files_changed", "sandbox_denied_count": "sandbox_denied",
}
REFUSED = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "Permission for this action was denied",
    "Permission for this action has been denied",
)


def said(content):
    """The text of a result's content."""
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


class Turn:
    """What one turn did: calls by their ids, each with its kind and what became of it."""

    def __init__(self):
        self.calls, self.inner, self.ends, self.results = {}, {}, {}, {}
        self.tokens = None
        self.denials = 0

    def call(self, ident, kind, inner=False, **more):
        where = self.inner if inner else self.calls
        where.setdefault(ident, {"kind": kind, "fate": "open", **more})

    def numbers(self):
        """The numbers that the raw records give; those that they leave open are not there."""
        calls = {**self.inner, **self.calls}
        for ident, fate in self.results.items():
            if ident in calls:
                calls[ident]["fate"] = fate
        for ident, (kind, fate) in self.ends.items():
            if ident in calls:
                calls[ident]["kind"] = kind
                if calls[ident]["fate"] in ("open", "untold"):
                    calls[ident]["fate"] = fate
            else:
                calls[ident] = {"kind": kind, "fate": fate}
        acts = list(calls.values())

        def of(kind, fates):
            return sum(1 for act in acts if act["kind"] == kind and act["fate"] in fates)

        ran = ("done", "failed", "untold")
        return {
            "tool_calls": len(self.calls),
            "commands_executed": of("command", ran),
            "files_changed": of("change", ("done",)),
            "network_used": of("network", ran),
            "server_tools_called": of("server", ran),
            "calls_refused": sum(1 for act in acts if act["fate"] == "refused"),
            "approvals_denied": max(
                self.denials, sum(1 for act in acts if act["fate"] == "refused")),
            "calls_failed": sum(1 for act in acts if act["fate"] in ("failed", "not run")),
            "escalations_wished": sum(1 for act in acts if act.get("escalates")),
        }


# Claude Code: blocks of messages.
CLAUDE = {
    "Bash": "command", "Write": "change", "Edit": "change", "Update": "change",
    "MultiEdit": "change", "NotebookEdit": "change", "WebFetch": "network", "WebSearch": "network",
    "web_search": "network", "web_fetch": "network",
}


def claude_fate(block, line):
    text = said(block.get("content"))
    first = text.split("\n")[0]
    if block.get("is_error") is not True:
        return "done"
    bare = text[7:] if text.startswith("Error: ") else text
    refused = (
        line.get("toolDenialKind") or line.get("toolUseResult") == "User rejected tool use"
        or bare.startswith(REFUSED)
        or (first.startswith("Permission to use ") and " denied" in first)
        or (first.startswith("Claude requested permissions to ") and "haven't granted it yet" in first)
    )
    if refused:
        return "refused"
    return "not run" if text.startswith("<tool_use_error>") else "failed"


def claude_blocks(message):
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def claude(lines):
    turn, later = Turn(), []
    for line in lines:
        if not isinstance(line, dict):
            continue
        data = line.get("data")
        turn.denials += line.get("type") in ("permission-denial", "auto-mode-denial")
        if line.get("type") == "progress" and isinstance(data, dict):
            message = data.get("message")
            if isinstance(message, dict):
                later.append(message.get("message"))
            continue
        for block in claude_blocks(line.get("message")):
            claude_block(turn, block, line, False)
    for message in later:
        for block in claude_blocks(message):
            claude_block(turn, block, {}, True)
    return turn


def claude_block(turn, block, line, inner):
    kind = str(block.get("type"))
    if kind.endswith("tool_use"):
        name = str(block.get("name"))
        act = CLAUDE.get(name, "server" if name.startswith("mcp__") else None)
        asks = isinstance(block.get("input"), dict) and name == "Bash" and not inner \
            and block["input"].get("dangerouslyDisableSandbox") is True
        ident = block.get("id") or "unnamed %d" % len(turn.calls)
        turn.call(ident, act, inner, escalates=asks)
    elif kind.endswith("tool_result"):
        turn.results.setdefault(block.get("tool_use_id"), claude_fate(block, line))


# Codex: items of the model's history, and events of the screen.
CODEX = {
    "shell": "command", "container.exec": "command", "shell_command": "command",
    "exec_command": "command", "unified_exec": "command", "local_shell": "command",
    "local_shell_call": "command", "apply_patch": "change", "web_search": "network",
}
CODEX_ENDS = {
    "exec_command_end": "command", "CommandExecution": "command", "patch_apply_end": "change",
    "FileChange": "change", "mcp_tool_call_end": "server", "McpToolCall": "server",
    "web_search_end": "network", "WebSearch": "network",
}


def codex_fate(output):
    """What became of a call, by the line with the exit code that the agent writes."""
    text = said(output) if not isinstance(output, dict) else said(output.get("content"))
    first = text.split("\n")[0].rstrip()
    if first in ("exec command rejected by user", "patch rejected by user") \
            or first.endswith('Rejected("rejected by user")'):
        return "refused"
    if text.startswith(("failed to parse function arguments", "exec_command failed", "unsupported call")):
        return "not run"
    code = None
    if text.startswith("{"):
        try:
            code = json.loads(text)["metadata"]["exit_code"]
        except (ValueError, KeyError, TypeError):
            return "untold"
    else:
        for line in text.split("\n")[:6]:
            for start in ("Exit code: ", "Process exited with code "):
                rest = line[len(start):].strip()
                if line.startswith(start) and rest.lstrip("-").isdigit() and code is None:
                    code = int(rest)
    return "untold" if code is None else "done" if code == 0 else "failed"


def codex_end(payload):
    status, code = payload.get("status"), payload.get("exit_code")
    if status == "declined":
        return "refused"
    if payload.get("success") is False or status == "failed" or code not in (None, 0):
        return "failed"
    done = payload.get("success") is True or status == "completed" or code == 0
    return "done" if done else "untold"


def codex(lines):
    turn, unnamed = Turn(), 0
    for line in lines:
        payload = line.get("payload") if isinstance(line.get("payload"), dict) else line
        kind, ident = payload.get("type"), payload.get("call_id")
        for call in payload.get("tool_calls") or []:
            name = (call.get("function") or {}).get("name")
            turn.call(call.get("id"), CODEX.get(name))
        if payload.get("role") == "tool" and payload.get("tool_call_id"):
            turn.results.setdefault(payload["tool_call_id"], codex_fate(payload.get("content")))
        if kind in ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call"):
            name = payload.get("name") or "local_shell_call"
            given = payload.get("arguments", payload.get("input"))
            try:
                given = json.loads(given) if isinstance(given, str) else given
            except ValueError:
                given = {}
            given = given if isinstance(given, dict) else {}
            asks = CODEX.get(name) == "command" and (
                given.get("sandbox_permissions") in ("require_escalated", "with_additional_permissions")
                or given.get("with_escalated_permissions") is True)
            act = CODEX.get(name, "server" if str(name).startswith("mcp__") else None)
            turn.call(ident, act, escalates=asks, script=name == "exec")
        elif kind == "web_search_call":
            ident = payload.get("id") or "unnamed search %d" % unnamed
            unnamed += 1
            turn.call(ident, "network")
            if payload.get("status") == "completed":
                turn.results[ident] = "done"
        elif kind in ("function_call_output", "custom_tool_call_output"):
            turn.results.setdefault(ident, codex_fate(payload.get("output")))
        elif kind == "item_completed" and isinstance(payload.get("item"), dict):
            item = payload["item"]
            if item.get("type") in CODEX_ENDS:
                turn.ends.setdefault(item.get("id"), (CODEX_ENDS[item["type"]], codex_end(item)))
        elif kind in CODEX_ENDS and not str(payload.get("source")).startswith("user"):
            turn.ends.setdefault(ident, (CODEX_ENDS[kind], codex_end(payload)))
    return turn


# Gemini CLI: calls with their results in messages.
GEMINI = {
    "run_shell_command": "command", "write_file": "change", "replace": "change", "edit": "change",
    "web_fetch": "network", "google_web_search": "network",
}
GEMINI_FATES = {"success": "done", "error": "failed", "cancelled": "refused"}


def gemini_output(call):
    """The output of a call, as its result has it."""
    for part in call.get("result") or []:
        answer = part.get("functionResponse", {}).get("response", {}) if isinstance(part, dict) else {}
        if isinstance(answer.get("output"), str):
            return answer["output"]
    return ""


def gemini(lines):
    turn = Turn()
    # A message is written again as it grows: the last one counts, and of two files the fuller one.
    last = {}
    for at, line in enumerate(lines):
        before = last.get(line.get("id") or at)
        if before is None or len(line.get("toolCalls") or []) >= len(before.get("toolCalls") or []):
            last[line.get("id") or at] = line
    for line in last.values():
        for at, call in enumerate(line.get("toolCalls") or []):
            name = str(call.get("name"))
            ident = call.get("id") or "unnamed %d" % at
            turn.call(ident, GEMINI.get(name, "server" if name.startswith("mcp_") else None))
            if call.get("status") in GEMINI_FATES:
                turn.results[ident] = GEMINI_FATES[call["status"]]
            # A command that ended with an error is a success of its tool.
            code = re.search(r"(?m)^Exit Code: (-?[0-9]+)", gemini_output(call))
            if code and code[1] != "0" and turn.results.get(ident) == "done":
                turn.results[ident] = "failed"
        tokens = line.get("tokens")
        if isinstance(tokens, dict) and isinstance(tokens.get("total"), int):
            turn.tokens = (turn.tokens or 0) + tokens["total"]
    return turn


# OpenCode: parts of messages, each a call with its result.
OPENCODE = {
    "bash": "command", "shell": "command", "write": "change", "edit": "change",
    "multiedit": "change", "apply_patch": "change", "patch": "change", "webfetch": "network",
    "fetch": "network", "websearch": "network", "codesearch": "network",
}


def archived(turn, parts):
    """The calls and results in the parts of a message of the archived product."""
    for part in parts:
        data = part.get("data") if isinstance(part.get("data"), dict) else {}
        if part.get("type") == "tool_call":
            turn.call(data.get("id"), OPENCODE.get(data.get("name")))
        elif part.get("type") == "tool_result":
            text = data.get("content")
            fate = "done" if not data.get("is_error") else "failed"
            if fate == "failed":
                fate = {"Permission denied": "refused",
                        "Tool execution canceled by user": "not run"}.get(text, fate)
            turn.results[data.get("tool_call_id")] = fate


def opencode(lines):
    turn = Turn()
    for line in lines:
        if isinstance(line.get("archived"), list):
            archived(turn, [part for part in line["archived"] if isinstance(part, dict)])
            continue
        for part in line.get("parts") or [line]:
            if not isinstance(part, dict) or part.get("type") != "tool":
                continue
            state = part.get("state") if isinstance(part.get("state"), dict) else {}
            turn.call(part.get("callID"), OPENCODE.get(part.get("tool")))
            error = str(state.get("error"))
            bare = error[7:] if error.startswith("Error: ") else error
            refused = bare.startswith((
                "The user rejected permission to use this specific tool call",
                "The user has specified a rule which prevents you from using this"))
            code = (state.get("metadata") or {}).get("exit")
            fates = {
                "completed": "failed" if isinstance(code, int) and code else "done",
                "error": "refused" if refused else "failed",
            }
            if state.get("status") in fates:
                turn.results[part.get("callID")] = fates[state["status"]]
    return turn


# Cursor: blocks of transcripts, messages of the command line's store, bubbles of the desktop's.
CURSOR = {
    "Shell": "command", "run_terminal_cmd": "command", "run_terminal_command": "command",
    "run_terminal_command_v2": "command", "Write": "change", "write": "change",
    "StrReplace": "change", "search_replace": "change", "Edit": "change", "MultiEdit": "change",
    "edit_file": "change", "edit_file_v2": "change", "ApplyPatch": "change",
    "apply_patch": "change", "EditNotebook": "change", "edit_notebook": "change",
    "Delete": "change", "delete_file": "change", "WebFetch": "network", "web_fetch": "network",
    "fetch": "network", "WebSearch": "network", "web_search": "network",
}
CURSOR_FATES = {
    "completed": "done", "success": "done", "error": "failed", "failed": "failed",
    "failure": "failed", "timeout": "failed", "cancelled": "failed", "aborted": "failed",
    "rejected": "refused", "permissionDenied": "refused",
}


def cursor_kind(name):
    name = str(name)
    return CURSOR.get(name, "server" if name.startswith(("user-", "mcp_", "mcp-")) else None)


def cursor(lines):
    turn = Turn()
    for line in lines:
        row = line.get("row") if isinstance(line.get("row"), dict) else {}
        value = row.get("value", row.get("data", line))
        value = value if isinstance(value, dict) else {}
        for bubble in [value, *(value.get("conversation") or [])]:
            tool = bubble.get("toolFormerData") if isinstance(bubble, dict) else None
            if isinstance(tool, dict) and tool.get("name"):
                ident = tool.get("toolCallId") or "unnamed %d" % len(turn.calls)
                turn.call(ident, cursor_kind(tool["name"]))
                if tool.get("status") in CURSOR_FATES:
                    turn.results[ident] = CURSOR_FATES[tool["status"]]
        message = value.get("message") if isinstance(value.get("message"), dict) else value
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            kind, ident = block.get("type"), block.get("toolCallId") or block.get("id")
            if kind in ("tool_use", "tool-call"):
                name = block.get("name", block.get("toolName"))
                turn.call(ident or "unnamed %d" % len(turn.calls), cursor_kind(name))
            elif kind in ("tool-result", "tool_result"):
                failed = block.get("isError", block.get("is_error"))
                ident = ident or block.get("tool_use_id")
                turn.results[ident] = {True: "failed", False: "done"}.get(failed, "untold")
    return turn


# Sage: lines of a conversation; a call is a record, or a list in a message.
SAGE = {"run_shell": "command", "write_file": "change", "edit_file": "change"}


def sage(lines):
    turn = Turn()
    for line in lines:
        for call in line.get("tool_calls") or line.get("tool-calls") or []:
            given = call.get("function") if isinstance(call.get("function"), dict) else call
            ident = call.get("id") or "unnamed %d" % len(turn.calls)
            turn.call(ident, SAGE.get(given.get("name")))
            if "result" in call or "success" in call:
                fates = {True: "done", False: "failed"}
                turn.results[ident] = fates.get(call.get("success"), "untold")
        if line.get("tool"):
            ident = "unnamed %d" % len(turn.calls)
            turn.call(ident, SAGE.get(line["tool"]))
            if line.get("success") in (True, False):
                turn.results[ident] = "done" if line["success"] else "failed"
    return turn


# CodeWhale: blocks of messages, as its journal or its saved session has them.
CODEWHALE = {
    "bash": "command", "exec_shell": "command", "shell": "command", "write": "change",
    "write_file": "change", "edit": "change", "edit_file": "change", "web_search": "network",
}


def codewhale(lines):
    turn = Turn()
    for line in lines:
        content = line.get("content")
        content = content if isinstance(content, list) else [line]
        for block in content:
            kind = str(block.get("type")) if isinstance(block, dict) else ""
            if kind.endswith("tool_use"):
                name = str(block.get("name"))
                turn.call(block.get("id"), CODEWHALE.get(
                    name, "server" if name.startswith("mcp_") else None))
            elif kind.endswith("tool_result"):
                failed = block.get("is_error")
                turn.results[block.get("tool_use_id")] = "failed" if failed is True else "done"
    return turn


# Copilot: events, each with its data; before them the messages of a document.
COPILOT = {
    "bash": "command", "powershell": "command", "shell": "command", "local_shell": "command",
    "run_in_terminal": "command", "create": "change",
    "edit": "change", "str_replace": "change", "str_replace_editor": "change",
    "apply_patch": "change", "create_file": "change", "replace_string_in_file": "change",
    "web_fetch": "network", "web_search": "network",
}


def copilot_kind(name, arguments):
    if name == "str_replace_editor" and "file_text" not in arguments and "new_str" not in arguments:
        return None
    return COPILOT.get(name, "server" if str(name).startswith("github-mcp-server-") else None)


def copilot_fate(text, success, code, exit_code):
    """What became of a call: a command tells its exit code apart, or in the last line."""
    if success is False:
        return "refused" if code in ("denied", "rejected") else "failed"
    told = re.search(r"(?:<exited|completed) with exit code (-?\d+)>\s*$", text or "")
    if exit_code is None and told:
        exit_code = int(told.group(1))
    if exit_code is not None:
        return "failed" if exit_code else "done"
    return "done" if success is True else "untold"


class Runs:
    """The calls of each id: ids repeat, so that a call is known by its id and its place."""

    def __init__(self, turn):
        self.turn, self.keys, self.early = turn, {}, []

    def ended(self, ident):
        """Whether no call of an id waits for a result."""
        return all(key in self.turn.results for key in self.keys.get(ident, []))

    def call(self, ident, kind):
        keys = self.keys.setdefault(ident, [])
        keys.append((ident, len(keys)))
        self.turn.call(keys[-1], kind)

    def result(self, ident, fate):
        """Gives a result to the oldest call that waits for one; the key of the call."""
        keys = self.keys.get(ident, [])
        waiting = [key for key in keys if key not in self.turn.results]
        if waiting:
            self.turn.results[waiting[0]] = fate
            return waiting[0]
        if not keys:
            # The record of the call may be written behind it.
            self.early.append((ident, fate))
        return None

    def over(self):
        for ident, fate in self.early:
            waiting = [key for key in self.keys.get(ident, []) if key not in self.turn.results]
            if waiting:
                self.turn.results[waiting[0]] = fate


def copilot(lines):
    turn = Turn()
    runs = Runs(turn)
    for line in lines:
        kind, data = line.get("type"), line.get("data")
        data = data if isinstance(data, dict) else {}
        asked = [(one.get("toolCallId"), one.get("name"), one.get("arguments"))
                 for one in data.get("toolRequests") or [] if isinstance(one, dict)]
        for one in line.get("tool_calls") or []:
            asked.append((one["id"], one["function"]["name"], one["function"]["arguments"]))
        for ident, name, arguments in asked:
            # What asks again for a call that has ended asks for another one.
            if runs.ended(ident):
                runs.call(ident, copilot_kind(name, str(arguments)))
        if kind == "tool.execution_start" and data.get("toolCallId") not in runs.keys:
            act = copilot_kind(data.get("toolName"), str(data.get("arguments")))
            runs.call(data.get("toolCallId"), act)
        elif kind == "tool.execution_complete":
            result, error = data.get("result") or {}, data.get("error")
            error = error if isinstance(error, dict) else {}
            result = result if isinstance(result, dict) else {"content": result}
            code = (data.get("shellExecution") or {}).get("exitCode")
            runs.result(data.get("toolCallId"), copilot_fate(
                result.get("content"), data.get("success"), error.get("code"), code))
        elif line.get("role") == "tool":
            runs.result(line.get("tool_call_id"), copilot_fate(
                line.get("content"), None, None, None))
        elif kind == "permission.completed":
            allowed = str((data.get("result") or {}).get("kind")).startswith("approved")
            turn.denials += not allowed
    runs.over()
    return turn


def copilot_end(line):
    data = line.get("data") if isinstance(line.get("data"), dict) else {}
    if line.get("agentId") or data.get("parentToolCallId"):
        return None
    if line.get("type") == "assistant.message":
        return None if data.get("toolRequests") else "completed"
    return {"abort": "interrupted", "session.error": "failed",
            "session.task_complete": "completed"}.get(line.get("type"))


# The family of Pi: blocks of messages, and messages with a result each.
PI = {
    "bash": "command", "exec": "command", "write": "change", "edit": "change",
    "web_fetch": "network", "web_search": "network",
}
PI_REFUSED = "Tool execution was blocked"
# OpenClaw writes `isError: false` and the failure in `details`.
PI_FAILED = ("error", "failed", "timeout", "forbidden")
PI_NOT_RUN = ("Skipped due to queued user message", "Validation failed for tool", "Tool not found")


def pi_kind(name):
    return PI.get(name, "server" if str(name).startswith("mcp__") else None)


def pi_fate(message):
    """What became of a call, by the mark of its result, or by the details of its tool."""
    text = said(message.get("content"))
    details = message.get("details") if isinstance(message.get("details"), dict) else {}
    if message.get("isError") is True and text.startswith(PI_REFUSED):
        return "refused"
    if text.startswith(PI_NOT_RUN):
        return "not run"
    if message.get("isError") is True or details.get("status") in PI_FAILED:
        return "failed"
    # A tool without a status tells its fault alone.
    if isinstance(details.get("error"), str) and details["error"]:
        return "failed"
    if details.get("exitCode") not in (None, 0):
        return "failed"
    return "done" if message.get("isError") is False else "untold"


def pi(lines):
    turn = Turn()
    runs = Runs(turn)
    for line in lines:
        message = line.get("message") if isinstance(line.get("message"), dict) else {}
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        if message.get("role") == "assistant":
            for block in blocks:
                if isinstance(block, dict) and block.get("type") == "toolCall":
                    runs.call(block.get("id"), pi_kind(block.get("name")))
        elif message.get("role") == "toolResult":
            runs.result(message.get("toolCallId"), pi_fate(message))
            # A script has the calls that it made in its result.
            for one in (message.get("nestedCalls") or {}).get("calls") or []:
                turn.call(one["id"], pi_kind(one["name"]), inner=True)
                fates = {"ok": "done", "error": "failed"}
                turn.inner[one["id"]]["fate"] = fates.get(one.get("status"), "open")
    runs.over()
    return turn


def pi_end(line):
    message = line.get("message") if isinstance(line.get("message"), dict) else {}
    return {"stop": "completed", "error": "failed", "length": "failed",
            "aborted": "interrupted"}.get(message.get("stopReason"))


# Qwen Code: parts of messages, and a record for each result.
QWEN = {
    "run_shell_command": "command", "write_file": "change", "replace": "change", "edit": "change",
    "web_fetch": "network", "web_search": "network",
}


def qwen_fate(line, answer):
    told = line.get("toolCallResult") if isinstance(line.get("toolCallResult"), dict) else {}
    response = answer.get("response") if isinstance(answer.get("response"), dict) else {}
    if told.get("status") == "cancelled":
        return "refused"
    code = re.search(r"(?m)^Exit Code: (-?[0-9]+)", str(response.get("output")))
    if "error" in response or code and code[1] != "0":
        return "failed"
    return "done" if told.get("status") == "success" else "untold"


def qwen(lines):
    if any(line.get("messages") or line.get("type") == "qwen" for line in lines):
        return gemini(lines)
    turn = Turn()
    runs = Runs(turn)
    for line in lines:
        message = line.get("message") if isinstance(line.get("message"), dict) else {}
        for part in message.get("parts") or []:
            call, answer = part.get("functionCall"), part.get("functionResponse")
            if call:
                name = str(call.get("name"))
                runs.call(call.get("id"), QWEN.get(name, "server" if name.startswith("mcp__") else None))
            elif answer:
                runs.result(answer.get("id"), qwen_fate(line, answer))
    runs.over()
    return turn


def qwen_end(line):
    if line.get("isSidechain") is True:
        return None
    parts = (line.get("message") or {}).get("parts") or []
    if line.get("type") == "assistant":
        said = any(part.get("text", "").strip() and not part.get("thought") for part in parts)
        asks = any("functionCall" in part for part in parts)
        return "completed" if said and not asks else None
    states = {"completed": "completed", "cancelled": "interrupted", "error": "failed"}
    if line.get("subtype") == "turn_result":
        return states.get((line.get("systemPayload") or {}).get("state"))
    return None


# Cline and what was made from it: blocks of messages, elements in their texts, or items of the
# screen where there are no messages.
CLINE = {
    "execute_command": "command", "run_commands": "command", "command": "command",
    "write_to_file": "change", "replace_in_file": "change", "apply_diff": "change",
    "editor": "change", "apply_patch": "change", "search_and_replace": "change",
    "insert_content": "change", "newFileCreated": "change", "editedExistingFile": "change",
    "appliedDiff": "change", "fileDeleted": "change", "web_fetch": "network",
    "web_search": "network", "fetch_web_content": "network", "webFetch": "network",
    "use_mcp_tool": "server", "use_mcp_server": "server", "access_mcp_resource": "server",
}
CLINE_WRITTEN = re.compile(
    r"<(read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|edit_file"
    r"|execute_command|search_files|list_files|list_code_definition_names|codebase_search"
    r"|attempt_completion|ask_followup_question|plan_mode_respond|use_mcp_tool|access_mcp_resource"
    r"|browser_action|web_fetch|web_search|update_todo_list|switch_mode|new_task)>\s*<")


def cline_fate(text, failed):
    text = re.sub(r"^\[[^\n]*\] Result:\s*", "", text)
    if text.startswith("The user denied this operation"):
        return "refused"
    code = re.search(r"Exit code: (-?[0-9]+)", text)
    if failed or text.startswith(("The tool execution failed", "Error ")) or code and code[1] != "0":
        return "failed"
    return "done"


def cline_blocks(message):
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [block for block in blocks or [] if isinstance(block, dict)]


def cline_written(message):
    """The call that an answer has as text."""
    blocks = cline_blocks(message)
    if any(block.get("type") in ("tool_use", "tool-call") for block in blocks):
        return None
    found = CLINE_WRITTEN.search("\n".join(block.get("text") or "" for block in blocks))
    return found and found[1]


def cline_result(block):
    """The id of the call that a result is of, and what became of that."""
    output = block.get("output") if isinstance(block.get("output"), dict) else {}
    content = output.get("value") if output else block.get("content")
    parts = content if isinstance(content, list) else []
    try:
        own = json.loads(content) if isinstance(content, str) else {}
    except ValueError:
        own = {}
    told = parts + [own]
    failed = any(isinstance(one, dict) and one.get("success") is False for one in told)
    ident = block.get("tool_use_id") or block.get("toolCallId")
    return ident, cline_fate(said(content), failed or block.get("is_error") is True)


def cline(lines):
    turn = Turn()
    runs = Runs(turn)
    messages = [line for line in lines if "role" in line]
    waiting = []

    def ask(name, waits=True):
        call = "as text %d" % len(turn.calls)
        runs.call(call, CLINE.get(name))
        if waits:
            waiting.append(call)

    def answer(text):
        # A result is of the call before it; those before that one never got theirs.
        runs.result(waiting.pop(), cline_fate(text, False))
        waiting.clear()

    for line in messages:
        blocks = cline_blocks(line)
        texts = [block.get("text") or "" for block in blocks if block.get("type") == "text"]
        if line["role"] == "assistant" and cline_written(line):
            ask(cline_written(line))
        elif waiting and texts and re.match(r"\[[a-z_]+[^\n]*\] Result:", texts[0]):
            answer("\n".join(texts))
        for block in blocks:
            if block.get("type") in ("tool_use", "tool-call"):
                name = str(block.get("name") or block.get("toolName"))
                kind = "server" if name.startswith("mcp__") else CLINE.get(name)
                runs.call(block.get("id") or block.get("toolCallId"), kind)
            elif block.get("type") in ("tool_result", "tool-result"):
                runs.result(*cline_result(block))
    for line in [] if messages else lines:
        what = line.get("say") or line.get("ask")
        if what == "tool":
            ask(json.loads(line.get("text") or "{}").get("tool"), waits=False)
        elif what in ("command", "use_mcp_server", "browser_action", "browser_action_launch"):
            ask(what, waits=what in ("command", "use_mcp_server"))
        elif what in ("command_output", "mcp_server_response") and line.get("text") and waiting:
            answer(line["text"])
    runs.over()
    return turn


def cline_end(line):
    ends = ("attempt_completion", "plan_mode_respond", "submit_and_exit")
    if line.get("role") == "assistant":
        names = [block.get("name") or block.get("toolName") for block in cline_blocks(line)]
        if cline_written(line) in ends or any(name in ends for name in names):
            return "completed"
        model = line.get("modelInfo") if isinstance(line.get("modelInfo"), dict) else {}
        answers = any((block.get("text") or "").strip() for block in cline_blocks(line))
        return "completed" if "id" in model and answers and not any(names) else None
    if line.get("say") == "api_req_started":
        why = json.loads(line.get("text") or "{}").get("cancelReason")
        return {"user_cancelled": "interrupted", "streaming_failed": "failed"}.get(why)
    return "completed" if line.get("say") == "completion_result" else None


AGENTS = {
    "cline": cline, "roo-code": cline, "kilo-code": cline,
    "qwen": qwen, "pi": pi, "openclaw": pi, "oh-my-pi": pi, "claude-code": claude, "codex": codex, "gemini": gemini, "opencode": opencode,
    "cursor": cursor, "sage": sage, "codewhale": codewhale, "copilot": copilot,
}


class Sources:
    """The bytes of a session's files, by the digests of their beginnings."""

    def __init__(self, paths):
        self.files, self.name = [], os.path.basename(paths[0])
        for path in paths:
            with open(path, "rb") as file:
                self.files.append(file.read())

    def of(self, source):
        for content in self.files:
            whole = content[:source["bytes"]]
            if hashlib.sha256(whole).hexdigest() == source["sha256"]:
                return content
        return None


def parsed(part):
    """The JSON objects in some bytes, one behind the other; what is none is passed over by lines."""
    text, decoder, at, values = part.decode("utf-8", "replace"), json.JSONDecoder(), 0, []
    while at < len(text):
        if text[at] in " \t\r\n,":
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
            continue
        if isinstance(value, dict):
            values.append(value)
    return values


def records(receipt, sources):
    """The JSON values in the bytes of a turn; `None` if a file or a byte of it is another one."""
    values = []
    contents = [sources.of(source) for source in receipt["evidence"]["sources"]]
    for entry in receipt["evidence"]["ranges"]:
        content = contents[entry["source"]]
        if content is None:
            return None, contents
        part = content[entry["start"]:entry["end"]]
        if hashlib.sha256(part).hexdigest() != entry["sha256"]:
            return None, contents
        values += parsed(part)
    return values, contents


def claude_end(line):
    """The words in which a line says that the turn ended, and how; `None` if it does not."""
    message = line.get("message") if isinstance(line.get("message"), dict) else {}
    if line.get("type") == "user" and line.get("interruptedMessageId"):
        return "interrupted"
    if line.get("type") == "assistant" and line.get("isApiErrorMessage") is True:
        return "failed"
    return {
        "end_turn": "completed", "stop_sequence": "completed", "max_tokens": "failed",
        "refusal": "failed", "model_context_window_exceeded": "failed",
    }.get(message.get("stop_reason"))


def codex_turn_end(line):
    payload = line.get("payload") if isinstance(line.get("payload"), dict) else {}
    return {
        "task_complete": "completed", "turn_complete": "completed", "turn_aborted": "interrupted",
        "error": "failed",
    }.get(payload.get("type")) if line.get("type") == "event_msg" else None


def closes(line):
    """Whether the agent writes a line only when a turn is over."""
    payload = line.get("payload") if isinstance(line.get("payload"), dict) else {}
    return line.get("subtype") in ("turn_duration", "stop_hook_summary") \
        or payload.get("phase") == "final_answer" and payload.get("role") == "assistant"


ENDS = {
    "claude-code": claude_end, "codex": codex_turn_end, "copilot": copilot_end, "pi": pi_end,
    "openclaw": pi_end, "oh-my-pi": pi_end, "qwen": qwen_end,
    "cline": cline_end, "roo-code": cline_end, "kilo-code": cline_end,
}


def leave(tally, agent, turns):
    """Notes turns whose numbers are not counted anew, so that it is seen how many they are."""
    tally["left"][agent] = tally["left"].get(agent, 0) + turns


def check_end(agent, receipt, values, name, wrong, tally):
    """Compares how a turn ended with its records: each end needs one that says so."""
    values = [value for value in values if isinstance(value, dict)]
    told = [end for end in map(ENDS[agent], values) if end]
    status = receipt["turn"]["status"]
    closing = status == "completed" and not told and any(closes(value) for value in values)
    if status != (told[-1] if told else "unavailable") and not closing:
        wrong.append("%s: it is %s, raw %s" % (name, status, told))
    tally["ends"] += status != "unavailable"
    tally["closed"] += closing


def check(agent, receipt, sources, wrong, tally):
    """Compares one receipt with its raw records."""
    account, name = receipt["account"], "turn %d" % receipt["evidence"]["turn_number"]
    boundary = receipt["side_effect_boundary"]
    for field, count in BOUNDARY.items():
        if boundary[field] != account[count]["count"]:
            wrong.append("%s: %s is not what the account has" % (name, field))
    tally["turns"] += 1
    for field in COUNTS:
        if account[field]["count"] == "unavailable":
            own = tally["unavailable"].setdefault(agent, {})
            own[field] = own.get(field, 0) + 1
    tally["by_agent"][agent] = tally["by_agent"].get(agent, 0) + 1
    if receipt["turn"]["status"] == "unavailable":
        own = tally["unavailable"].setdefault(agent, {})
        own["status"] = own.get("status", 0) + 1
    if any(source["form"] != "plain" for source in receipt["evidence"]["sources"]):
        tally["not plain"] += 1
        # What is made of rows is compared by the sums of its session.
        if any(source["form"] != "dump" for source in receipt["evidence"]["sources"]):
            leave(tally, agent, 1)
        return
    values, contents = records(receipt, sources)
    if values is None:
        wrong.append("%s: a source or a range has another digest" % name)
        return
    for field in COUNTS:
        counted = account[field]
        if counted["count"] == 0 and field != "tokens":
            zero = json.dumps(counted["zero_by"]).encode()
            if not any(zero in content for content in sources.files):
                wrong.append("%s: %s is 0 by %s, which no source has" % (name, field, zero))
        for place in counted["records"]:
            try:
                json.loads(contents[place["source"]][place["start"]:place["end"]])
            except ValueError:
                wrong.append("%s: a record of %s is no JSON value" % (name, field))
    if agent in ENDS:
        check_end(agent, receipt, values, name, wrong, tally)
    if agent not in AGENTS:
        leave(tally, agent, 1)
        return
    turn = AGENTS[agent](values)
    tally["read"][agent] = tally["read"].get(agent, 0) + 1
    if not turn.calls and account["tool_calls"]["count"] not in (0, "unavailable"):
        # Records of a generation that is not read here.
        leave(tally, agent, 1)
        return
    for field, number in turn.numbers().items():
        if account[field]["count"] != "unavailable":
            tally["numbers"] += 1
            count = account[field]["count"]
            if count != number:
                wrong.append("%s: %s is %s, raw %d" % (name, field, count, number))
    if turn.tokens is not None and account["tokens"]["count"] != turn.tokens:
        wrong.append("%s: tokens are %s, raw %d" % (name, account["tokens"]["count"], turn.tokens))


ROWS = [
    ("SELECT value FROM cursorDiskKV WHERE key LIKE 'bubbleId:' || ? || ':%'", True),
    ("SELECT value FROM cursorDiskKV WHERE key = 'composerData:' || ?", True),
    ("SELECT data FROM blobs", False),
    ("SELECT data FROM part WHERE session_id = ?", True),
    # The archived product of OpenCode keeps the parts of a message in one column.
    ("SELECT '{\"archived\":' || parts || '}' FROM messages WHERE session_id = ?", True),
]


def rows(path, session):
    """The JSON objects in the rows of a database that are a session's; `None` if it is none."""
    with open(path, "rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            return None
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("", "-wal"):
            if os.path.exists(path + ending):
                shutil.copy(path + ending, os.path.join(folder, "copy" + ending))
        database = sqlite3.connect(os.path.join(folder, "copy"))
        for query, named in ROWS:
            try:
                values = database.execute(query, (session,) if named else ()).fetchall()
            except sqlite3.Error:
                continue
            for (value,) in values:
                text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
                found += parsed(text.encode()) if text and text.startswith("{") else []
        database.close()
    return found


def check_rows(session, wrong, tally):
    """Compares the sums of all turns of a session in a database with its rows."""
    receipts, agent = session["receipts"], session["agent"]
    if agent not in AGENTS or session["rewound"]:
        leave(tally, agent, len(receipts))
        return
    if not receipts:
        return
    ident = receipts[0]["thread"]["id"].split(":", 1)[-1]
    found = [rows(path, ident) for path in session["files"]]
    if None in found:
        leave(tally, agent, len(receipts))
        return
    turn = AGENTS[agent]([{"row": {"value": one}, **one} for all_of in found for one in all_of])
    if not turn.calls and any(it["account"]["tool_calls"]["count"] for it in receipts):
        # Tables of a generation that is not read here.
        leave(tally, agent, len(receipts))
        return
    tally["rows"] += 1
    for field, number in turn.numbers().items():
        counts = [receipt["account"][field]["count"] for receipt in receipts]
        if "unavailable" not in counts:
            tally["numbers"] += 1
            if sum(counts) != number:
                wrong.append("rows: %s are %d, raw %d" % (field, sum(counts), number))


def main():
    tally = {"turns": 0, "numbers": 0, "not plain": 0, "left": {}, "wrong": [], "unavailable": {}, "by_agent": {}, "read": {}, "rows": 0,
             "ends": 0, "closed": 0}
    for line in sys.stdin:
        session = json.loads(line)
        wrong = []
        sources = Sources(session["files"])
        forms = {one["form"] for receipt in session["receipts"]
                 for one in receipt["evidence"]["sources"]}
        if forms == {"dump"}:
            check_rows(session, wrong, tally)
        for receipt in session["receipts"]:
            check(session["agent"], receipt, sources, wrong, tally)
        tally["wrong"] += ["%s: %s" % (os.path.basename(session["files"][0]), one) for one in wrong]
    json.dump(tally, sys.stdout, indent=1, sort_keys=True)


main()
