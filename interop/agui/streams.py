"""The same events with every variation of an HTTP body: line ends, truncation, silence, small chunks."""

import asyncio
import json

from ag_ui.encoder import EventEncoder
from events import called, fresh, text

SAID = "Grüße aus Zürich, 🎈 und 日本語."


def sample(run):
    """A complete run with a call and a text."""
    return [
        run.started(),
        *called("look_up", {"city": "Zürich"}, {"found": "Zürich ✓"}),
        *text(SAID[:9], SAID[9:]),
        run.finished(),
    ]


def encoded(events):
    return "".join(EventEncoder().encode(event) for event in events).encode()


async def crlf(run):
    yield encoded(sample(run)).replace(b"\n", b"\r\n")


async def cr(run):
    yield encoded(sample(run)).replace(b"\n", b"\r")


async def split(run):
    """Three bytes at a time, which splits multi-byte characters and line ends."""
    body = encoded(sample(run)).replace(b"\n", b"\r\n")
    for start in range(0, len(body), 3):
        yield body[start : start + 3]
        await asyncio.sleep(0)


async def dressed(run):
    """Other features of the format: a byte order mark, comments, other fields, no space, data over several lines."""
    yield b"\xef\xbb\xbf: hello\n\nretry: 100\n\n"
    for event in sample(run):
        lines = json.dumps(json.loads(event.model_dump_json(by_alias=True)), indent=1).splitlines()
        yield f"event: message\nid: {fresh('id')}\n".encode()
        yield "".join(f"data:{line}\n" for line in lines).encode()
        yield b": still here\n\n"


async def unclosed(run):
    """The last event is not followed by an empty line."""
    yield encoded(sample(run)).rstrip(b"\n")


async def truncated(run):
    """The body ends properly, but the run does not."""
    yield encoded(sample(run)[:-1])


async def silent(_):
    return
    yield b""


async def hangs(run):
    yield encoded(sample(run)[:-1])
    await asyncio.sleep(600)


async def cut(run):
    """The body ends in the middle of an event, without the final chunk."""
    yield encoded(sample(run))[:-40]
    raise ConnectionAbortedError("cut on purpose")


async def bad_json(run):
    yield encoded(sample(run)[:3])
    yield b'data: {"type": "TEXT_MESSAGE_CONTENT", "messageId": \n\n'
    yield encoded([run.finished()])


async def bad_field(run):
    """A known field has a value of the wrong type."""
    yield encoded(sample(run)[:3])
    yield b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"message-0","delta":17}\n\n'
    yield encoded([run.finished()])


async def unknown(run):
    """An event type that exists in no version."""
    first, *rest = sample(run)
    yield encoded([first])
    yield b'data: {"type":"WEATHER_CHANGED","sky":"blue"}\n\n'
    yield encoded(rest)


async def thinking(run):
    """Thinking events from before 1.0, which the package no longer has."""
    first, *rest = sample(run)
    yield encoded([first])
    for event in [
        {"type": "THINKING_START", "title": "planning"},
        {"type": "THINKING_TEXT_MESSAGE_START"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "a secret thought"},
        {"type": "THINKING_TEXT_MESSAGE_END"},
        {"type": "THINKING_END"},
    ]:
        yield f"data: {json.dumps(event)}\n\n".encode()
    yield encoded(rest)


STREAMS = {
    "crlf": crlf,
    "cr": cr,
    "split": split,
    "dressed": dressed,
    "unclosed": unclosed,
    "truncated": truncated,
    "silent": silent,
    "hangs": hangs,
    "cut": cut,
    "badjson": bad_json,
    "badfield": bad_field,
    "unknown": unknown,
    "thinking": thinking,
}
