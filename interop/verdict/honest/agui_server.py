"""An AG-UI server built on the official package. It prints its address as JSON and serves until it is stopped.

Asked for light, it calls a tool and sends no text; any other question it answers. At `/own` the tool is server-side, at `/client`
client-side.
"""

import asyncio
import json
import socket
from uuid import uuid4

import uvicorn
from ag_ui.core import (
    RunAgentInput,
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
from ag_ui.encoder import EventEncoder
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route


def switch_light(own):
    call = str(uuid4())
    yield ToolCallStartEvent(tool_call_id=call, tool_call_name="set_light", parent_message_id=str(uuid4()))
    yield ToolCallArgsEvent(tool_call_id=call, delta='{"room": "kitchen", "on": true}')
    yield ToolCallEndEvent(tool_call_id=call)
    if own:
        yield ToolCallResultEvent(message_id=str(uuid4()), tool_call_id=call, content='{"on": true}', role="tool")


def say(text):
    message = str(uuid4())
    yield TextMessageStartEvent(message_id=message, role="assistant")
    yield TextMessageContentEvent(message_id=message, delta=text)
    yield TextMessageEndEvent(message_id=message)


def steps(given, own):
    yield RunStartedEvent(thread_id=given.thread_id, run_id=given.run_id)
    last = given.messages[-1]
    if last.role == "user" and "light" in last.content:
        yield from switch_light(own)
    elif last.role == "user":
        yield from say("The light in the kitchen is on.")
    yield RunFinishedEvent(thread_id=given.thread_id, run_id=given.run_id)


async def serve_run(request):
    given = RunAgentInput.model_validate_json(await request.body())
    encoder = EventEncoder(accept=request.headers.get("accept"))
    events = (encoder.encode(event) for event in steps(given, request.url.path == "/own"))
    return StreamingResponse(events, media_type=encoder.get_content_type())


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(json.dumps({"url": "http://127.0.0.1:%d" % listener.getsockname()[1]}), flush=True)
    app = Starlette(routes=[Route(path, serve_run, methods=["POST"]) for path in ("/own", "/client")])
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


main()
