"""Anthropic's Messages."""

import json

from .reply import event, of_json, stream
from .said import Question, answer, token


def messages(body, key):
    parts = [part for message in body["messages"] for part in parts_of(message)]
    question = Question(
        text=next(part["text"] for part in reversed(parts) if part["type"] == "text" and part["role"] == "user"),
        tools=[tool["name"] for tool in body.get("tools") or []],
        results=[result_of(part) for part in parts if part["type"] == "tool_result"],
        key=key,
    )
    said = answer(question)
    block = {"type": "text", "text": said.text}
    if said.tool:
        block = {"type": "tool_use", "id": token("toolu_"), "name": said.tool, "input": said.arguments}
    message = {
        "id": token("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [block],
        "stop_reason": "tool_use" if said.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 5},
    }
    return stream(frames(message, block, said)) if body.get("stream") else of_json(message, request_id=token("req_"))


def parts_of(message):
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [{**part, "role": message["role"]} for part in parts]


def result_of(part):
    content = part.get("content") or ""
    return content if isinstance(content, str) else "".join(piece.get("text", "") for piece in content)


def frames(message, block, said):
    begun = {**message, "content": [], "stop_reason": None}
    empty = {**block, "input": {}} if said.tool else {**block, "text": ""}
    deltas = [{"type": "text_delta", "text": piece} for piece in said.pieces]
    if said.tool:
        arguments = json.dumps(said.arguments)
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in (arguments[:4], arguments[4:])]
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [
        event({"type": "message_start", "message": begun}),
        event({"type": "content_block_start", "index": 0, "content_block": empty}),
        *(event({"type": "content_block_delta", "index": 0, "delta": delta}) for delta in deltas),
        event({"type": "content_block_stop", "index": 0}),
        event({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}}),
        event({"type": "message_stop"}),
    ]
