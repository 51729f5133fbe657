"""OpenAI's APIs: Chat Completions, which Mistral has as well, and Responses."""

import itertools
import json
import time

from .reply import data, event, of_json, stream
from .said import Question, answer, token


def text_of(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


# -- Chat Completions


def chat(body, key):
    messages = body["messages"]
    question = Question(
        text=next(text_of(message["content"]) for message in reversed(messages) if message["role"] == "user"),
        tools=[tool["function"]["name"] for tool in body.get("tools") or []],
        results=[text_of(message["content"]) for message in messages if message["role"] == "tool"],
        key=key,
    )
    said = answer(question)
    base = {"id": token("chatcmpl-"), "created": int(time.time()), "model": body["model"]}
    if body.get("stream"):
        return stream(chat_frames(base, said, body.get("stream_options") or {}))
    message = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.tool:
        message["tool_calls"] = [chat_call(said)]
    choice = {"index": 0, "message": message, "finish_reason": finish_reason(said), "logprobs": None}
    return of_json({**base, "object": "chat.completion", "choices": [choice], "usage": CHAT_USAGE})


CHAT_USAGE = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}


def chat_call(said):
    # Mistral accepts only ids of nine letters and digits.
    function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
    return {"id": token("")[:9], "type": "function", "function": function}


def finish_reason(said):
    return "tool_calls" if said.tool else "stop"


def chat_frames(base, said, options):
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return data({**base, "object": "chat.completion.chunk", "choices": [choice]})

    frames = [chunk({"role": "assistant", "content": ""})]
    if said.tool:
        call = chat_call(said)
        first, rest = call["function"]["arguments"][:4], call["function"]["arguments"][4:]
        start = {**call, "index": 0, "function": {"name": said.tool, "arguments": first}}
        frames.append(chunk({"tool_calls": [start]}))
        frames.append(chunk({"tool_calls": [{"index": 0, "function": {"arguments": rest}}]}))
    else:
        frames += [chunk({"content": piece}) for piece in said.pieces]
    frames.append(chunk({}, finish_reason(said)))
    if options.get("include_usage"):
        frames.append(data({**base, "object": "chat.completion.chunk", "choices": [], "usage": CHAT_USAGE}))
    return [*frames, b"data: [DONE]\n\n"]


# -- Responses


def responses(body, key):
    asked = body["input"]
    items = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    question = Question(
        text=next(text_of(item["content"]) for item in reversed(items) if item.get("role") == "user"),
        tools=[tool["name"] for tool in body.get("tools") or [] if tool["type"] == "function"],
        results=[text_of(item["output"]) for item in items if item.get("type") == "function_call_output"],
        key=key,
    )
    said = answer(question)
    item = response_item(said)
    response = {
        "id": token("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": body["model"],
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools") or [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1,
        "top_p": 1,
        "usage": {
            "input_tokens": 5,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 10,
        },
    }
    return stream(response_frames(response, item, said)) if body.get("stream") else of_json(response)


def response_item(said):
    if said.tool:
        call = {"call_id": token("call_"), "name": said.tool, "arguments": json.dumps(said.arguments)}
        return {"id": token("fc_"), "type": "function_call", "status": "completed", **call}
    part = {"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}
    return {"id": token("msg_"), "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def response_frames(response, item, said):
    numbers = itertools.count()

    def frame(kind, **fields):
        return event({"type": f"response.{kind}", "sequence_number": next(numbers), **fields})

    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    of_item = {"output_index": 0, "item_id": item["id"]}
    frames = [frame("created", response=begun), frame("in_progress", response=begun)]
    if said.tool:
        started = {**item, "status": "in_progress", "arguments": ""}
        frames.append(frame("output_item.added", output_index=0, item=started))
        for part in (item["arguments"][:4], item["arguments"][4:]):
            frames.append(frame("function_call_arguments.delta", delta=part, **of_item))
        frames.append(frame("function_call_arguments.done", arguments=item["arguments"], name=said.tool, **of_item))
    else:
        part = item["content"][0]
        of_part = {**of_item, "content_index": 0}
        frames.append(frame("output_item.added", output_index=0, item={**item, "status": "in_progress", "content": []}))
        frames.append(frame("content_part.added", part={**part, "text": ""}, **of_part))
        frames += [frame("output_text.delta", delta=piece, logprobs=[], **of_part) for piece in said.pieces]
        frames.append(frame("output_text.done", text=said.text, logprobs=[], **of_part))
        frames.append(frame("content_part.done", part=part, **of_part))
    frames.append(frame("output_item.done", output_index=0, item=item))
    return [*frames, frame("completed", response=response)]
