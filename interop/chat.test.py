"""`chat` targets against servers built on the types of the official packages `openai` and `anthropic`, and our own mock LLM."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import FOLDER, Agent, Server, main

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "What the sky does.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}

TAPE = {"tool": "get_weather", "args": {"city": "Paris"}, "ok": True, "result": {"sky": "sunny"}}


def suite(api, url, said):
    """A suite of one case with a tool that is answered from a cassette."""
    connector = {"api": api, "url": url, "model": "test-model", "key": "sk-of-the-test", "settings": {"max_tokens": 50}}
    chat = {
        "connector": connector,
        "prompts": ["Be brief.", {"role": "user", "content": "It is $SYS.DATE."}],
        "options": {"tools": [TOOL], "tool_choice": "auto", "user": "someone", "stop": ["END"]},
    }
    if api == "openai":
        # Anthropic's package no longer has this option; agentci passes unknown options on unchanged.
        chat["options"]["temperature"] = 0
    case = {
        "id": "weather",
        "turns": [{"user": said}],
        "world": {"tools": {"cassette": "tape.jsonl"}},
        "checks": [{"contains": "sunny"}, {"tool_called": {"name": "get_weather", "args": {"city": "Paris"}}}],
    }
    return {"suite": "chat", "target": {"chat": chat}, "cases": [case]}


def run(described):
    """Runs a suite; returns its exit code, output and events."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        # JSON is valid YAML.
        (home / "agentci.yaml").write_text(json.dumps(described))
        (home / "tape.jsonl").write_text(json.dumps(TAPE) + "\n")
        command = [os.environ["AGENTCI"], "run", "--output-dir", "runs"]
        ran = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=60)
        events = [json.loads(line) for path in home.glob("runs/*/*/run.jsonl") for line in path.read_text().splitlines()]
    return ran.returncode, ran.stdout + ran.stderr, events


def talked(api, url):
    code, printed, events = run(suite(api, url, "What is the weather like?"))
    assert code == 0, printed
    assert "sk-of-the-test" not in json.dumps(events)
    [output] = [event["output"] for event in events if event["type"] == "final_output"]
    usage = [(event["tokens_in"], event["tokens_out"]) for event in events if event["type"] == "usage"]
    return output, usage


def test_openai_accepts_our_requests(server):
    output, usage = talked("openai", server.url + "/v1/chat/completions")
    assert output == "It is sunny ☀."
    assert usage == [(9, 4), (9, 4)]
    first, second = server.journal()
    assert first["stream"] and second["messages"][-1]["role"] == "tool"


def test_anthropic_accepts_our_requests(server):
    output, usage = talked("anthropic", server.url + "/v1/messages")
    assert output == "It is sunny ☀."
    assert usage == [(9, 4), (9, 4)]
    first, second = server.journal()
    assert first["system"] == "Be brief." and first["metadata"] == {"user_id": "someone"}
    assert second["messages"][-1]["content"][0]["type"] == "tool_result"


def test_reports_request_the_sdk_would_not_send(server):
    described = suite("openai", server.url + "/v1/chat/completions", "What is the weather like?")
    described["target"]["chat"]["options"]["tool_choice"] = 7
    code, printed, _ = run(described)
    assert code == 1 and "status 400: not what the SDK sends" in printed, printed


def test_scripted_model_server_accepts_our_requests(_server):
    with Server() as mock:
        for api, url in [("openai", mock.openai + "/chat/completions"), ("anthropic", mock.anthropic + "/v1/messages")]:
            described = suite(api, url, "hello")
            described["cases"][0]["checks"] = [{"contains": "Hello, my friend!"}]
            code, printed, _ = run(described)
            assert code == 0, printed
        assert [request["provider"] for request in mock.journal()] == ["openai", "anthropic"]


main(globals(), lambda: Agent(sys.executable, str(FOLDER / "chat" / "server.py")))
