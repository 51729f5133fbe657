"""Servers for OpenAI's Chat Completions and Anthropic's Messages, built on the types of the official packages.

    python3 server.py

It prints its address as JSON, `{"url": ...}`, and serves until it is stopped. A request that does not validate against the
package's own type is rejected with the error; the events of an answer are created with the package's own models.
`GET /journal` returns the received requests.
"""

import json
import socket

import uvicorn
from anthropic import types as anthropic
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

OPENAI = TypeAdapter(CompletionCreateParamsStreaming)
ANTHROPIC = TypeAdapter(MessageCreateParamsStreaming)
JOURNAL = []


def all_of(value):
    """Reads all values, since pydantic validates lists lazily."""
    if isinstance(value, dict):
        return {key: all_of(part) for key, part in value.items()}
    if value is None or isinstance(value, str | int | float):
        return value
    return [all_of(part) for part in value]


def read(adapter, body):
    given = json.loads(body)
    read = all_of(adapter.validate_python(given))
    unknown = set(given) - set(read)
    if unknown:
        raise ValueError(f"unknown: {sorted(unknown)}")
    return given


def wants_tool(request):
    text = json.dumps(request["messages"])
    return "weather" in text and "sunny" not in text


def openai_events(request):
    def chunk(delta, finish=None, **more):
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        made = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": request["model"], "choices": choices}
        return ChatCompletionChunk.model_validate({**made, **more})

    yield chunk({"role": "assistant", "content": ""})
    if wants_tool(request):
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"ci'}}
        yield chunk({"tool_calls": [call]})
        yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": 'ty": "Paris"}'}}]})
        yield chunk({}, "tool_calls")
    else:
        for word in ["It", " is", " sunny", " ☀."]:
            yield chunk({"content": word})
        yield chunk({}, "stop")
    yield chunk({}, usage={"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}, choices=[])


def anthropic_events(request):
    usage = {"input_tokens": 9, "output_tokens": 1}
    head = {"id": "m1", "type": "message", "role": "assistant", "content": [], "model": request["model"]}
    message = anthropic.Message.model_validate({**head, "stop_reason": None, "stop_sequence": None, "usage": usage})
    yield anthropic.RawMessageStartEvent(type="message_start", message=message)
    if wants_tool(request):
        block = anthropic.ToolUseBlock(type="tool_use", id="toolu_1", name="get_weather", input={})
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in ['{"ci', 'ty": "Paris"}']]
        stop = "tool_use"
    else:
        block = anthropic.TextBlock(type="text", text="", citations=None)
        deltas = [{"type": "text_delta", "text": word} for word in ["It", " is", " sunny", " ☀."]]
        stop = "end_turn"
    yield anthropic.RawContentBlockStartEvent(type="content_block_start", index=0, content_block=block)
    for delta in deltas:
        event = {"type": "content_block_delta", "index": 0, "delta": delta}
        yield anthropic.RawContentBlockDeltaEvent.model_validate(event)
    yield anthropic.RawContentBlockStopEvent(type="content_block_stop", index=0)
    end = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 4}}
    yield anthropic.RawMessageDeltaEvent.model_validate(end)
    yield anthropic.RawMessageStopEvent(type="message_stop")


async def serve(request, adapter, events, last):
    body = await request.body()
    JOURNAL.append({"path": request.url.path, "headers": dict(request.headers), "body": body.decode()})
    try:
        given = read(adapter, body)
    except (ValidationError, ValueError) as error:
        return JSONResponse({"error": {"message": f"not what the SDK sends: {error}", "type": "invalid"}}, status_code=400)

    def stream():
        for event in events(given):
            yield f"event: {getattr(event, 'type', 'message')}\ndata: {event.model_dump_json(exclude_unset=True)}\n\n"
        yield last

    return StreamingResponse(stream(), media_type="text/event-stream")


async def openai_chat(request):
    return await serve(request, OPENAI, openai_events, "data: [DONE]\n\n")


async def anthropic_messages(request):
    return await serve(request, ANTHROPIC, anthropic_events, "")


async def journal(_request):
    return JSONResponse(JOURNAL)


def main():
    routes = [
        Route("/v1/chat/completions", openai_chat, methods=["POST"]),
        Route("/v1/messages", anthropic_messages, methods=["POST"]),
        Route("/journal", journal),
    ]
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"}), flush=True)
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="warning"))
    server.run(sockets=[listener])


main()
