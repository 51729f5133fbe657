"""AG-UI servers built on the official package `ag-ui-protocol`, each on its own path of one free port.

    python3 server.py

It prints its address as JSON, `{"url": ..., "reset_url": ...}`, and serves until it is stopped. `GET /journal` returns the received
requests. The package's own models read requests and write events; only what they cannot express is written by hand.
"""

import asyncio
import json
import socket
import struct

import uvicorn
from ag_ui.core import RunAgentInput
from ag_ui.encoder import EventEncoder
from checkout import checkout
from copilotkit import copilotkit
from events import Pause, Run
from exchanges import EXCHANGES
from pydantic import ValidationError
from scenarios import PLAIN
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route
from streams import STREAMS, encoded, sample

SCENARIOS = {scenario.__name__: scenario for scenario in [checkout, *PLAIN, *EXCHANGES]}
THREADS = {}
JOURNAL = []


async def written(scenario, run):
    """Yields the bytes of a run, event by event, and adds an end if the run has none."""
    encoder = EventEncoder(accept=run.headers.get("accept"))
    last = run.started()
    yield encoder.encode(last)
    for step in scenario(run):
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            continue
        for event in step if isinstance(step, list) else [step]:
            last = event
            yield encoder.encode(event)
    if last.type not in ("RUN_FINISHED", "RUN_ERROR"):
        yield encoder.encode(run.finished())


async def serve_run(request):
    name = request.path_params["name"]
    body = await request.body()
    JOURNAL.append({"path": request.url.path, "body": body.decode()})
    answer = ANSWERS.get(name)
    if answer is not None:
        return answer(request)
    if name == "copilotkit":
        return copilotkit(body)
    try:
        given = RunAgentInput.model_validate_json(body)
    except ValidationError as error:
        return JSONResponse({"detail": json.loads(error.json(include_url=False))}, status_code=422)
    thread = THREADS.setdefault((name, given.thread_id), {})
    run = Run(given, dict(request.query_params), dict(request.headers), thread)
    if name in STREAMS:
        stream = STREAMS[name](run)
    elif name in SCENARIOS:
        stream = written(SCENARIOS[name], run)
    else:
        return JSONResponse({"error": f"no agent at /{name}"}, status_code=404)
    return StreamingResponse(stream, media_type=EventEncoder().get_content_type())


ANSWERS = {
    "http500": lambda _: PlainTextResponse("the database is on fire", status_code=500),
    "http401": lambda _: JSONResponse({"error": "no valid token"}, status_code=401),
    "http404": lambda _: JSONResponse({"error": "no such agent"}, status_code=404),
    "notsse": lambda _: JSONResponse({"answer": "Hello."}),
    "html": lambda _: PlainTextResponse("<h1>Welcome</h1>", media_type="text/html"),
}


async def journal(_):
    return JSONResponse(JOURNAL)


async def reset(reader, writer):
    """Answers any request with the start of a run, and then resets the connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    run = Run(RunAgentInput.model_validate_json(await reader.readexactly(length)))
    body = encoded(sample(run)[:-1])
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    writer.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")
    await writer.drain()
    await asyncio.sleep(0.1)
    # With a linger time of zero, closing sends a reset.
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


async def main():
    app = Starlette(routes=[Route("/journal", journal), Route("/{name}", serve_run, methods=["POST"])])
    resetting = await asyncio.start_server(reset, "127.0.0.1", 0)
    listener = socket.create_server(("127.0.0.1", 0))
    addresses = {
        "url": "http://127.0.0.1:%d" % listener.getsockname()[1],
        "reset_url": "http://127.0.0.1:%d/reset" % resetting.sockets[0].getsockname()[1],
    }
    print(json.dumps(addresses), flush=True)
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(main())
