"""What a run is made of, in few words: text, calls of tools, pauses, and how it begins and ends."""

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
    """An id that no other message or call of this server has."""
    return f"{kind}-{next(_numbers)}"


@dataclass
class Pause:
    """Nothing is sent for so many seconds."""

    seconds: float


@dataclass
class Run:
    """One request: what the client sent, and what is remembered of its thread."""

    input: RunAgentInput
    query: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    thread: dict = field(default_factory=dict)

    def turn(self):
        """Which turn of the conversation this is, by the history that came along."""
        return sum(message.role == "user" for message in self.input.messages)

    def started(self):
        return RunStartedEvent(
            thread_id=self.input.thread_id, run_id=self.input.run_id, protocol_version=PROTOCOL_VERSION
        )

    def finished(self, **more):
        return RunFinishedEvent(thread_id=self.input.thread_id, run_id=self.input.run_id, **more)


def text(*deltas):
    """A message of the assistant, in as many pieces as are given."""
    message = fresh("message")
    return [
        TextMessageStartEvent(message_id=message, role="assistant"),
        *[TextMessageContentEvent(message_id=message, delta=delta) for delta in deltas],
        TextMessageEndEvent(message_id=message),
    ]


def asked(call, name, arguments):
    """A call up to its end; its arguments come in two pieces."""
    sent = arguments if isinstance(arguments, str) else json.dumps(arguments)
    middle = len(sent) // 2
    return [
        ToolCallStartEvent(tool_call_id=call, tool_call_name=name),
        ToolCallArgsEvent(tool_call_id=call, delta=sent[:middle]),
        ToolCallArgsEvent(tool_call_id=call, delta=sent[middle:]),
        ToolCallEndEvent(tool_call_id=call),
    ]


def answered(call, result):
    """The result of a call; whatever is neither text nor a list of parts goes as JSON."""
    content = result if isinstance(result, (str, list)) else json.dumps(result, ensure_ascii=False)
    return [ToolCallResultEvent(message_id=fresh("result"), tool_call_id=call, content=content, role="tool")]


def called(name, arguments, result):
    """A call with its result."""
    call = fresh("call")
    return asked(call, name, arguments) + answered(call, result)


def refused(message):
    """The end of a run that the server can not go on with."""
    return RunErrorEvent(message=message, code="refused")
