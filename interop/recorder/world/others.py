"""Google's Gemini, Cohere, Ollama, and Converse of Amazon Bedrock."""

import json

from .reply import Reply, amazon_event, data, event, of_json, stream
from .said import Question, answer, token

# -- Gemini


def gemini(body, key, streamed):
    parts = [(content.get("role"), part) for content in body["contents"] for part in content["parts"]]
    declared = [tool for tools in body.get("tools") or [] for tool in tools.get("functionDeclarations", [])]
    results = [part["functionResponse"]["response"] for _, part in parts if "functionResponse" in part]
    question = Question(
        text=next(part["text"] for role, part in reversed(parts) if "text" in part and role != "model"),
        tools=[tool["name"] for tool in declared],
        results=[json.dumps(result, sort_keys=True) for result in results],
        key=key,
    )
    said = answer(question)
    name = token("")

    def chunk(part, last):
        candidate = {"content": {"parts": [part], "role": "model"}, "index": 0}
        if last:
            candidate["finishReason"] = "STOP"
        usage = {"promptTokenCount": 5, "candidatesTokenCount": 5, "totalTokenCount": 10}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini", "responseId": name}

    call = {"functionCall": {"name": said.tool, "args": said.arguments}}
    if not streamed:
        return of_json(chunk(call if said.tool else {"text": said.text}, True))
    pieces = [call] if said.tool else [{"text": piece} for piece in said.pieces]
    return stream([data(chunk(piece, piece is pieces[-1]), "\r\n\r\n") for piece in pieces])


# -- Cohere


def cohere(body, key):
    said = answer(Question(text=body["messages"][-1]["content"], key=key))
    name = token("")
    if not body.get("stream"):
        message = {"role": "assistant", "content": [{"type": "text", "text": said.text}]}
        usage = {"tokens": {"input_tokens": 5, "output_tokens": 5}}
        return of_json({"id": name, "finish_reason": "COMPLETE", "message": message, "usage": usage})

    def delta(kind, message):
        return event({"type": kind, "index": 0, "delta": {"message": message}})

    begun = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    return stream(
        [
            event({"type": "message-start", "id": name, "delta": {"message": begun}}),
            delta("content-start", {"content": {"type": "text", "text": ""}}),
            *(delta("content-delta", {"content": {"text": piece}}) for piece in said.pieces),
            event({"type": "content-end", "index": 0}),
            event({"type": "message-end", "id": name, "delta": {"finish_reason": "COMPLETE"}}),
        ]
    )


# -- Ollama


def ollama(body, key):
    said = answer(Question(text=body["messages"][-1]["content"], key=key))

    def line(text, done):
        message = {"role": "assistant", "content": text}
        made = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": done}
        return json.dumps(made).encode() + b"\n"

    if not body.get("stream", True):
        return Reply(line(said.text, True), headers={"content-type": "application/json"})
    return stream([*(line(piece, False) for piece in said.pieces), line("", True)], "application/x-ndjson")


# -- Bedrock


def converse(body, key, streamed):
    said = answer(Question(text=body["messages"][-1]["content"][0]["text"], key=key))
    usage = {"usage": {"inputTokens": 5, "outputTokens": 5, "totalTokens": 10}, "metrics": {"latencyMs": 5}}
    if not streamed:
        message = {"role": "assistant", "content": [{"text": said.text}]}
        return of_json({"output": {"message": message}, "stopReason": "end_turn", **usage})
    deltas = [{"contentBlockIndex": 0, "delta": {"text": piece}} for piece in said.pieces]
    frames = [
        amazon_event("messageStart", {"role": "assistant"}),
        *(amazon_event("contentBlockDelta", delta) for delta in deltas),
        amazon_event("contentBlockStop", {"contentBlockIndex": 0}),
        amazon_event("messageStop", {"stopReason": "end_turn"}),
        amazon_event("metadata", usage),
    ]
    return stream(frames, "application/vnd.amazon.eventstream")
