"""Helpers that create the events of a run: text, tool calls, pauses, start and end."""

import itertools
import json
from dataclasses import dataclass, field

from ag_ui.core import (
    PROTOCOL_VERSION,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

_numbers = itertools.count(1)


def fresh(kind):
    """Returns an id that is unique on this server."""
    return f"{kind}-{next(_numbers)}"


@dataclass
class Pause:
    """A pause of this many seconds, in which nothing is sent."""

    seconds: float


@dataclass
class Run:
    """One request: the client's input, and the stored state of its thread."""

    input: RunAgentInput
    query: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    thread: dict = field(default_factory=dict)

    def turn(self):
        """Returns the number of the turn, from the history in the request."""
        return sum(message.role == "user" for message in self.input.messages)

    def started(self):
        return RunStartedEvent(
            thread_id=self.input.thread_id, run_id=self.input.run_id, protocol_version=PROTOCOL_VERSION
        )

    def finished(self, **more):
        return RunFinishedEvent(thread_id=self.input.thread_id, run_id=self.input.run_id, **more)


def text(*deltas):
    """An assistant message, one event per delta."""
    message = fresh("message")
    return [
        TextMessageStartEvent(message_id=message, role="assistant"),
        *[TextMessageContentEvent(message_id=message, delta=delta) for delta in deltas],
        TextMessageEndEvent(message_id=message),
    ]


def asked(call, name, arguments):
    """A tool call without its result; its arguments are sent in two pieces."""
    sent = arguments if isinstance(arguments, str) else json.dumps(arguments)
    middle = len(sent) // 2
    return [
        ToolCallStartEvent(tool_call_id=call, tool_call_name=name),
        ToolCallArgsEvent(tool_call_id=call, delta=sent[:middle]),
        ToolCallArgsEvent(tool_call_id=call, delta=sent[middle:]),
        ToolCallEndEvent(tool_call_id=call),
    ]


def answered(call, result):
    """The result of a call; a value that is neither a string nor a list of parts is sent as JSON."""
    content = result if isinstance(result, (str, list)) else json.dumps(result, ensure_ascii=False)
    return [ToolCallResultEvent(message_id=fresh("result"), tool_call_id=call, content=content, role="tool")]


def called(name, arguments, result):
    """A tool call with its result."""
    call = fresh("call")
    return asked(call, name, arguments) + answered(call, result)


def refused(message):
    """The error that ends a run which the server cannot continue."""
    return RunErrorEvent(message=message, code="refused")
