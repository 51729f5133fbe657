"""The official `anthropic` package against the scripted model."""

import time

import anthropic
from anthropic import Anthropic
from harness import Server, main, raises

TOOLS = [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]


def client(server, **options):
    return Anthropic(base_url=server.anthropic, **{"api_key": "sk-any", "max_retries": 0, "timeout": 10, **options})


def said(text):
    return [{"role": "user", "content": text}]


def ask(server, text, **options):
    return client(server, **options).messages.create(model="claude-test", max_tokens=100, messages=said(text))


def test_message(server):
    answer = ask(server, "hello")
    assert answer.content[0].text == 'Hello, my friend! Äöü 🎈 "quoted"'
    assert (answer.stop_reason, answer.model, answer.role) == ("end_turn", "claude-test", "assistant")
    assert answer.usage.input_tokens > 0 and answer._request_id.startswith("req_")
    short = ask(server, "short")
    assert (short.stop_reason, short.usage.input_tokens, short.usage.output_tokens) == ("max_tokens", 12, 30)


def test_streamed_message(server):
    with client(server).messages.stream(model="claude-test", max_tokens=100, messages=said("hello")) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == 'Hello, my friend! Äöü 🎈 "quoted"' == final.content[0].text
    assert final.stop_reason == "end_turn" and final.usage.output_tokens > 1


def test_raw_stream_events(server):
    stream = client(server).messages.create(model="c", max_tokens=100, messages=said("hello"), stream=True)
    kinds = list(dict.fromkeys(event.type for event in stream))
    assert kinds == [
        "message_start",
        "content_block_start",
        *(["ping"] if "ping" in kinds else []),
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ], kinds


def test_tool_call_round_trip(server):
    api = client(server)
    messages = said("what is the weather?")
    first = api.messages.create(model="c", max_tokens=100, messages=messages, tools=TOOLS)
    call = first.content[0]
    assert first.stop_reason == "tool_use" and call.input == {"city": "Paris", "days": 2}
    messages.append({"role": "assistant", "content": first.content})
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "no idea", "is_error": True}
    messages.append({"role": "user", "content": [result]})
    second = api.messages.create(model="c", max_tokens=100, messages=messages, tools=TOOLS)
    assert second.content[0].text == "It rains in Paris."
    assert server.journal()[1]["tool_results"] == [{"id": call.id, "content": "no idea", "failed": True}]


def test_streamed_tool_calls(server):
    with client(server).messages.stream(model="c", max_tokens=100, messages=said("two tools"), tools=TOOLS) as stream:
        final = stream.get_final_message()
    assert final.content[0].text == "Let me see."
    assert [block.input for block in final.content[1:]] == [{"city": "Paris"}, {"zone": "Europe/Paris"}]


def test_counts_tokens_and_lists_models(server):
    assert client(server).messages.count_tokens(model="c", messages=said("hello")).input_tokens > 0
    assert [model.id for model in client(server).models.list()] == ["gpt-test"]


def test_errors_raise_matching_sdk_exceptions(server):
    for text, kind, status in [
        ("rate limit", anthropic.RateLimitError, 429),
        ("server error", anthropic.InternalServerError, 500),
        ("bad request", anthropic.BadRequestError, 400),
        ("not found", anthropic.NotFoundError, 404),
        ("forbidden", anthropic.PermissionDeniedError, 403),
    ]:
        error = raises(kind, lambda text=text: ask(server, text))
        assert error.status_code == status and error.body["request_id"].startswith("req_")
    unmatched = raises(anthropic.BadRequestError, lambda: ask(server, "nothing of the kind"))
    assert "no rule of the script matches" in unmatched.message
    raises(anthropic.APIConnectionError, lambda: ask(server, "break off"))
    raises(anthropic.APITimeoutError, lambda: ask(server, "silence", timeout=0.3))


def test_requires_configured_api_key(_):
    with Server("locked.yaml") as server:
        raises(anthropic.AuthenticationError, lambda: ask(server, "x"))
        assert ask(server, "x", api_key="sk-right").content[0].text == "Welcome."


def test_client_retries_after_rate_limit_and_overload(server):
    start = time.monotonic()
    assert ask(server, "retry me", max_retries=2).content[0].text == "Here you are."
    assert 0.3 <= time.monotonic() - start < 5
    assert ask(server, "overload me", max_retries=2).content[0].text == "Back again."
    assert [entry["status"] for entry in server.journal()] == [429, 200, 529, 200]


main(globals())
