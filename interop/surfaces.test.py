"""Official clients of Azure OpenAI, Gemini and Ollama against the scripted model."""

import asyncio
import json
import os
import subprocess
import sys

import anthropic
import httpx
import ollama
import openai
from google import genai
from google.genai import errors, types
from harness import Server, main, raises
from openai import AsyncAzureOpenAI, AzureOpenAI

HELLO = 'Hello, my friend! Äöü 🎈 "quoted"'
VERSION = "2024-10-21"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
WEATHER = {"city": "Paris", "days": 2}


def said(text):
    return [{"role": "user", "content": text}]


def troubles(server):
    return [trouble["kind"] for entry in server.journal() for trouble in entry["troubles"]]


# -- Azure OpenAI


def azure(server, kind=AzureOpenAI, **options):
    options = {"azure_endpoint": server.azure, "api_key": "azure-key", "api_version": VERSION, "max_retries": 0, **options}
    return kind(**options)


def test_azure_chat_uses_deployment_name(server):
    answer = azure(server).chat.completions.create(model="our-gpt", messages=said("hello"))
    assert answer.choices[0].message.content == HELLO and answer.model == "our-gpt"
    other = azure(server, azure_deployment="prod").chat.completions.create(model="gpt-4o", messages=said("hello"))
    assert other.model == "prod"
    paths = [entry["path"] for entry in server.journal()]
    assert paths == [f"/openai/deployments/{name}/chat/completions" for name in ("our-gpt", "prod")], paths
    assert {entry["provider"] for entry in server.journal()} == {"azure"} and troubles(server) == []


def test_azure_streams_tool_calls(server):
    async def talk():
        async with azure(server, AsyncAzureOpenAI) as api:
            messages = said("what is the weather?")
            async with api.chat.completions.stream(model="our-gpt", messages=messages, tools=TOOLS) as stream:
                first = (await stream.get_final_completion()).choices[0].message
            call = first.tool_calls[0]
            assert json.loads(call.function.arguments) == WEATHER
            messages.append(first.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "rain"})
            second = await api.chat.completions.create(model="our-gpt", messages=messages, tools=TOOLS)
            return second.choices[0].message.content

    assert asyncio.run(talk()) == "It rains in Paris."
    assert server.journal()[1]["tool_results"][0]["content"] == "rain"


def test_azure_supports_responses_embeddings_and_models(server):
    api = azure(server)
    assert api.responses.create(model="our-gpt", input="hello").output_text == HELLO
    assert len(api.embeddings.create(model="our-embedding", input=["a", "b"]).data) == 2
    assert [model.id for model in api.models.list()] == ["gpt-test"]
    v1 = openai.OpenAI(base_url=f"{server.azure}/openai/v1/", api_key="azure-key")
    assert v1.chat.completions.create(model="our-gpt", messages=said("hello")).choices[0].message.content == HELLO
    assert troubles(server) == []


def test_azure_reports_errors_and_checks_api_key(_):
    with Server("locked.yaml") as server:
        raises(openai.AuthenticationError, lambda: azure(server).chat.completions.create(model="m", messages=said("x")))
        api = azure(server, api_key="sk-right")
        assert api.chat.completions.create(model="m", messages=said("x")).choices[0].message.content == "Welcome."
    with Server() as server:
        raises(openai.RateLimitError, lambda: azure(server).chat.completions.create(model="m", messages=said("rate limit")))


# -- Gemini


def gemini(server, **options):
    api = genai.Client(api_key="gemini-key", http_options=types.HttpOptions(base_url=server.gemini, **options))
    # A client is closed when it is garbage-collected, even if one of its attributes is still in use.
    clients.append(api)
    return api


clients = []


def test_gemini_generates_and_streams_content(server):
    for version in (None, "v1beta", "v1"):
        api = gemini(server, api_version=version)
        answer = api.models.generate_content(model="gemini-2.5-flash", contents="hello")
        assert answer.text == HELLO and answer.candidates[0].finish_reason == types.FinishReason.STOP
        usage = answer.usage_metadata
        assert usage.total_token_count == usage.prompt_token_count + usage.candidates_token_count
        assert answer.model_version == "gemini-2.5-flash"
        chunks = list(api.models.generate_content_stream(model="gemini-2.5-flash", contents="hello"))
        assert "".join(chunk.text for chunk in chunks) == HELLO and len(chunks) > 3
        assert [bool(chunk.candidates[0].finish_reason) for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    short = gemini(server).models.generate_content(model="g", contents="short")
    assert short.candidates[0].finish_reason == types.FinishReason.MAX_TOKENS
    assert (short.usage_metadata.prompt_token_count, short.usage_metadata.candidates_token_count) == (12, 30)
    assert troubles(server) == []


def test_gemini_streams_json_array_without_sse(server):
    body = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}
    url = f"{server.gemini}/v1beta/models/g:streamGenerateContent"
    chunks = httpx.post(url, params={"key": "gemini-key"}, json=body).json()
    assert "".join(chunk["candidates"][0]["content"]["parts"][0]["text"] for chunk in chunks) == HELLO
    assert "gemini-key" not in json.dumps(server.journal())


def test_gemini_async_client(server):
    async def talk():
        api = gemini(server).aio
        answer = await api.models.generate_content(model="g", contents="hello")
        stream = await api.models.generate_content_stream(model="g", contents="hello")
        return answer.text, "".join([chunk.text async for chunk in stream])

    assert asyncio.run(talk()) == (HELLO, HELLO)


def get_weather(city: str, days: int) -> str:
    """The weather of a city."""
    ran.append((city, days))
    return "rain"


ran = []


def test_gemini_automatic_function_calling(server):
    config = types.GenerateContentConfig(tools=[get_weather], system_instruction="Be brief.")
    for ask in ("send_message", "send_message_stream"):
        ran.clear()
        chat = gemini(server).chats.create(model="gemini-2.5-flash", config=config)
        answer = getattr(chat, ask)("what is the weather?")
        chunks = [answer] if ask == "send_message" else list(answer)
        assert "".join(part.text or "" for chunk in chunks for part in chunk.candidates[0].content.parts) == "It rains in Paris."
        assert ran == [("Paris", 2)], ran
    entries = server.journal()
    assert [entry["stream"] for entry in entries] == [False, False, True, True]
    for asked, answered in (entries[:2], entries[2:]):
        result = {"id": asked["tool_calls"][0]["id"], "content": '{"result":"rain"}', "failed": False}
        assert answered["tool_results"] == [result]
    assert troubles(server) == []


def test_gemini_manual_function_calling(server):
    api = gemini(server)
    for schema in ({"parameters_json_schema": SCHEMA}, {"parameters": types.Schema.model_validate(SCHEMA)}):
        declared = types.FunctionDeclaration(name="get_weather", **schema)
        config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
        contents = [types.UserContent("the weather?")]
        first = api.models.generate_content(model="g", contents=contents, config=config)
        call = first.function_calls[0]
        assert call.args == WEATHER
        contents.append(first.candidates[0].content)
        # Without an id, as in older versions of the API.
        contents.append(types.UserContent([types.Part.from_function_response(name=call.name, response={"output": "rain"})]))
        assert api.models.generate_content(model="g", contents=contents, config=config).text == "It rains in Paris."
        contents[-1] = types.UserContent("never mind")
        refused = raises(errors.ClientError, lambda: api.models.generate_content(model="g", contents=contents, config=config))
        assert "number of function response parts" in refused.message and refused.code == 400
    assert troubles(server) == ["provider_would_refuse"] * 2


def test_gemini_reports_unoffered_tools_and_unmet_formats(server):
    api = gemini(server)
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=list[str])
    api.models.generate_content(model="g", contents="hello", config=config)
    api.models.generate_content(model="g", contents="the weather?")
    none = types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode="NONE"))
    off = types.AutomaticFunctionCallingConfig(disable=True)
    config = types.GenerateContentConfig(tools=[get_weather], tool_config=none, automatic_function_calling=off)
    api.models.generate_content(model="g", contents="the weather?", config=config)
    assert troubles(server) == ["format_not_met", "tool_not_offered", "tool_not_offered"]


def test_gemini_endpoints_that_need_no_script(server):
    api = gemini(server)
    assert api.models.count_tokens(model="g", contents="hello").total_tokens > 0
    vectors = api.models.embed_content(model="gemini-embedding-001", contents=["a", "b", "a"]).embeddings
    assert [len(vector.values) for vector in vectors] == [3072] * 3 and vectors[0] == vectors[2] != vectors[1]
    small = types.EmbedContentConfig(output_dimensionality=8)
    assert len(api.models.embed_content(model="gemini-embedding-001", contents="a", config=small).embeddings[0].values) == 8
    assert [model.name for model in api.models.list()] == ["models/gpt-test"]
    assert api.models.get(model="gpt-test").display_name == "gpt-test"
    assert troubles(server) == []


def test_gemini_errors_have_matching_codes(server):
    ask = lambda text: gemini(server).models.generate_content(model="g", contents=text)  # noqa: E731
    for text, kind, code, status in [
        ("rate limit", errors.ClientError, 429, "RESOURCE_EXHAUSTED"),
        ("server error", errors.ServerError, 500, "INTERNAL"),
        ("not found", errors.ClientError, 404, "NOT_FOUND"),
        ("nothing of the kind", errors.ClientError, 400, "INVALID_ARGUMENT"),
    ]:
        error = raises(kind, lambda text=text: ask(text))
        assert (error.code, error.status) == (code, status)
    with Server("locked.yaml") as locked:
        error = raises(errors.ClientError, lambda: gemini(locked).models.generate_content(model="g", contents="x"))
        assert "API key not valid" in error.message


# -- Ollama


def test_ollama_chats_and_generates(server):
    api = ollama.Client(host=server.ollama)
    answer = api.chat(model="llama3.2", messages=said("hello"))
    assert answer.message.content == HELLO and answer.model == "llama3.2" and answer.done_reason == "stop"
    parts = list(api.chat(model="llama3.2", messages=said("hello"), stream=True))
    assert "".join(part.message.content for part in parts) == HELLO and len(parts) > 3
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True] and parts[-1].eval_count > 0
    assert api.generate(model="llama3.2", prompt="hello").response == HELLO
    assert "".join(part.response for part in api.generate(model="llama3.2", prompt="hello", stream=True)) == HELLO
    assert api.generate(model="llama3.2", prompt="").done_reason == "load"
    assert api.chat(model="llama3.2", messages=said("short")).done_reason == "length"
    assert troubles(server) == []


def test_ollama_calls_tools(server):
    async def talk(stream):
        api = ollama.AsyncClient(host=server.ollama)
        messages = said("what is the weather?")
        if stream:
            parts = [part async for part in await api.chat(model="m", messages=messages, tools=[get_weather], stream=True)]
            first = next(part.message for part in parts if part.message.tool_calls)
        else:
            first = (await api.chat(model="m", messages=messages, tools=[get_weather])).message
        function = first.tool_calls[0].function
        assert (function.name, function.arguments) == ("get_weather", WEATHER)
        messages += [first, {"role": "tool", "tool_name": "get_weather", "content": "rain"}]
        return (await api.chat(model="m", messages=messages, tools=[get_weather])).message.content

    for stream in (False, True):
        assert asyncio.run(talk(stream)) == "It rains in Paris."
    assert [entry["tool_results"][0]["content"] for entry in server.journal()[1::2]] == ["rain", "rain"]
    assert troubles(server) == []


def test_ollama_reports_unoffered_tools_and_unmet_formats(server):
    api = ollama.Client(host=server.ollama)
    api.chat(model="m", messages=said("hello"), format={"type": "object"})
    api.chat(model="m", messages=said("hello"), format="json")
    api.chat(model="m", messages=said("the weather?"))
    # The client itself requires a model.
    nameless = httpx.post(f"{server.ollama}/api/chat", json={"messages": said("hello")})
    assert (nameless.status_code, nameless.json()) == (400, {"error": "model is required"})
    assert troubles(server) == ["format_not_met", "format_not_met", "tool_not_offered", "provider_would_refuse"]


def test_ollama_endpoints_that_need_no_script(server):
    api = ollama.Client(host=server.ollama)
    assert [model.model for model in api.list().models] == ["gpt-test"] and api.ps().models == []
    assert api.show("gpt-test").capabilities == ["completion", "tools"]
    vectors = api.embed(model="e", input=["a", "b", "a"]).embeddings
    assert len(vectors[0]) == 768 and vectors[0] == vectors[2] != vectors[1]
    assert api.pull("llama3.2").status == "success"
    assert troubles(server) == []
    error = raises(ollama.ResponseError, lambda: api.chat(model="m", messages=said("rate limit")))
    assert (error.status_code, error.error) == (429, "slow down")


# -- One address


def test_anthropic_messages_work_under_any_base_url(server):
    for base in (server.anthropic, server.openai):
        api = anthropic.Anthropic(base_url=base, api_key="key", max_retries=0)
        answer = api.messages.create(model="claude", max_tokens=9, messages=said("hello"))
        assert answer.content[0].text == HELLO
    assert [entry["path"] for entry in server.journal()] == ["/v1/messages", "/v1/v1/messages"]


def test_openai_client_refuses_openai_and_azure_keys_together(_):
    """The reason why a run does not set an Azure key if none is set: the module-level client would stop working."""
    code = "import openai\nopenai.chat.completions.create(model='m', messages=[])"
    keys = {"OPENAI_API_KEY": "a", "AZURE_OPENAI_API_KEY": "b", "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", code], env=keys, capture_output=True, text=True, timeout=60, check=False)
    assert "Ambiguous use of module client" in done.stderr, done.stderr


main(globals())
