"""The official `openai` package against the scripted model."""

import json
import time

import openai
from harness import Server, main, raises
from openai import OpenAI

TOOLS = [
    {
        "type": "function",
        "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }
]


def client(server, **options):
    return OpenAI(base_url=server.openai, api_key="sk-any", **{"max_retries": 0, "timeout": 10, **options})


def said(text):
    return [{"role": "user", "content": text}]


def chat(server, text, **options):
    return client(server, **options).chat.completions.create(model="gpt-4o", messages=said(text))


def test_chat_completion(server):
    answer = chat(server, "hello")
    assert answer.choices[0].message.content == 'Hello, my friend! Äöü 🎈 "quoted"'
    assert answer.choices[0].finish_reason == "stop" and answer.model == "gpt-4o"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer._request_id.startswith("req_")
    short = chat(server, "short")
    assert short.choices[0].finish_reason == "length"
    assert (short.usage.prompt_tokens, short.usage.completion_tokens) == (12, 30)


def test_returns_requested_number_of_choices(server):
    answer = client(server).chat.completions.create(model="gpt-4o", messages=said("hello"), n=3)
    assert [choice.index for choice in answer.choices] == [0, 1, 2]


def test_streamed_chat_completion(server):
    stream = client(server).chat.completions.create(
        model="gpt-4o", messages=said("hello"), stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == 'Hello, my friend! Äöü 🎈 "quoted"'
    assert chunks[-1].usage.completion_tokens > 0 and chunks[-1].choices == []
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_streaming_respects_configured_delay(server):
    start = time.monotonic()
    moments = []
    for chunk in client(server).chat.completions.create(model="gpt-4o", messages=said("slow"), stream=True):
        if chunk.choices and chunk.choices[0].delta.content:
            moments.append(time.monotonic() - start)
    assert len(moments) == 6 and moments[-1] >= 0.29, moments
    assert moments[-1] - moments[0] >= 0.2, moments


def test_tool_call_round_trip(server):
    api = client(server)
    messages = said("what is the weather?")
    first = api.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS)
    call = first.choices[0].message.tool_calls[0]
    assert first.choices[0].finish_reason == "tool_calls"
    assert call.function.name == "get_weather" and json.loads(call.function.arguments) == {"city": "Paris", "days": 2}
    messages.append(first.choices[0].message)
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "rain"})
    second = api.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS)
    assert second.choices[0].message.content == "It rains in Paris."
    journal = server.journal()
    assert journal[0]["tool_calls"][0]["name"] == "get_weather"
    assert journal[1]["tool_results"] == [{"id": call.id, "content": "rain", "failed": False}]


def test_streamed_tool_calls(server):
    with client(server).chat.completions.stream(model="gpt-4o", messages=said("two tools")) as stream:
        for _ in stream:
            pass
        message = stream.get_final_completion().choices[0].message
    assert message.content == "Let me see."
    assert [(call.function.name, call.function.arguments) for call in message.tool_calls] == [
        ("get_weather", '{"city":"Paris"}'),
        ("get_time", '{"zone":"Europe/Paris"}'),
    ]


def test_responses_api(server):
    api = client(server)
    answer = api.responses.create(model="gpt-4o", input="hello")
    assert answer.output_text == 'Hello, my friend! Äöü 🎈 "quoted"' and answer.status == "completed"
    first = api.responses.create(model="gpt-4o", input="the weather?")
    call = first.output[0]
    assert call.type == "function_call" and json.loads(call.arguments)["city"] == "Paris"
    second = api.responses.create(
        model="gpt-4o",
        previous_response_id=first.id,
        input=[{"type": "function_call_output", "call_id": call.call_id, "output": "rain"}],
    )
    assert second.output_text == "It rains in Paris."
    assert api.responses.create(model="gpt-4o", input="short").incomplete_details.reason == "max_output_tokens"


def test_streamed_responses_api(server):
    with client(server).responses.stream(model="gpt-4o", input="two tools") as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"
    assert "response.output_text.delta" in kinds and "response.function_call_arguments.done" in kinds
    assert final.output_text == "Let me see."
    assert [item.name for item in final.output if item.type == "function_call"] == ["get_weather", "get_time"]


def test_embeddings(server):
    api = client(server)
    packed = api.embeddings.create(model="text-embedding-3-small", input=["a", "b", "a"])
    assert [len(item.embedding) for item in packed.data] == [1536] * 3
    assert packed.data[0].embedding == packed.data[2].embedding != packed.data[1].embedding
    plain = api.embeddings.create(model="text-embedding-3-small", input="a", encoding_format="float", dimensions=8)
    assert len(plain.data[0].embedding) == 8
    assert abs(sum(number * number for number in plain.data[0].embedding) - 1) < 1e-3


def test_lists_and_retrieves_models(server):
    assert [model.id for model in client(server).models.list()] == ["gpt-test"]
    assert client(server).models.retrieve("gpt-test").owned_by == "agentci"
    raises(openai.NotFoundError, lambda: client(server).models.retrieve("none"))


def test_errors_raise_matching_sdk_exceptions(server):
    for text, kind, status in [
        ("rate limit", openai.RateLimitError, 429),
        ("server error", openai.InternalServerError, 500),
        ("bad request", openai.BadRequestError, 400),
        ("not found", openai.NotFoundError, 404),
        ("forbidden", openai.PermissionDeniedError, 403),
    ]:
        error = raises(kind, lambda text=text: chat(server, text))
        assert error.status_code == status and error.request_id.startswith("req_")
    unmatched = raises(openai.BadRequestError, lambda: chat(server, "nothing of the kind"))
    assert "no rule of the script matches" in unmatched.message and unmatched.code == "no_rule_fits"
    raises(openai.APIConnectionError, lambda: chat(server, "break off"))
    raises(openai.APITimeoutError, lambda: chat(server, "silence", timeout=0.3))


def test_requires_configured_api_key(_):
    with Server("locked.yaml") as server:
        error = raises(openai.AuthenticationError, lambda: chat(server, "x"))
        assert error.code == "invalid_api_key"
        api = OpenAI(base_url=server.openai, api_key="sk-right")
        assert api.chat.completions.create(model="m", messages=said("x")).choices[0].message.content == "Welcome."


def test_client_retries_after_rate_limit(server):
    start = time.monotonic()
    answer = chat(server, "retry me", max_retries=2)
    assert answer.choices[0].message.content == "Here you are."
    assert 0.3 <= time.monotonic() - start < 5
    assert [entry["status"] for entry in server.journal()] == [429, 200]


main(globals())
