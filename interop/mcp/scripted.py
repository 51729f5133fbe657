"""The scripted MCP server against the official Python package: over stdio, Streamable HTTP and SSE.

    AGENTCI=target/debug/agentci scripted.py

The last line is `N passed, M failed`.
"""

import asyncio
import json
import os
import subprocess
import sys
import traceback
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

SCRIPT = str(Path(__file__).parent / "conformance.mcp.yaml")
AGENTCI = os.path.abspath(os.environ["AGENTCI"])


@asynccontextmanager
async def served():
    """Starts a server over HTTP and yields its addresses."""
    server = subprocess.Popen([AGENTCI, "serve", "mcp", SCRIPT], stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(server.stdout.readline())
    finally:
        server.terminate()
        assert server.wait(timeout=10) == 0


@asynccontextmanager
async def over_stdio():
    parameters = StdioServerParameters(command=AGENTCI, args=["serve", "mcp", SCRIPT, "--stdio"])
    async with stdio_client(parameters) as streams:
        yield streams


@asynccontextmanager
async def over_http():
    async with served() as addresses, streamable_http_client(addresses["url"]) as streams:
        yield streams[:2]


@asynccontextmanager
async def over_sse():
    async with served() as addresses, sse_client(addresses["sse_url"]) as streams:
        yield streams


class Client:
    """Answers the requests of the server, and collects its notifications."""

    def __init__(self):
        self.logged = []
        self.progress = []

    async def sample(self, _, params):
        content = types.TextContent(type="text", text=f"sampled {params.messages[0].content.text}")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def elicit(self, _, params):
        return types.ElicitResult(action="accept", content={"name": "Ann", "color": "red", "username": "ann", "email": "a@b.c"})

    async def log(self, params):
        self.logged.append((params.level, params.data))

    async def advance(self, progress, total, _):
        self.progress.append((progress, total))


async def uses_everything(transport):
    client = Client()
    async with transport() as streams:
        callbacks = {"sampling_callback": client.sample, "elicitation_callback": client.elicit, "logging_callback": client.log}
        async with ClientSession(*streams, **callbacks) as session:
            greeted = await session.initialize()
            assert greeted.server_info.name == "conformance", greeted

            async def call(name, **arguments):
                answer = await asyncio.wait_for(session.call_tool(name, arguments, progress_callback=client.advance), 30)
                return answer.content[0].text, answer.is_error

            assert "test_simple_text" in [tool.name for tool in (await session.list_tools()).tools]
            assert await call("test_simple_text") == ("This is a simple text response for testing.", False)
            assert await call("test_error_handling") == ("This tool intentionally returns an error for testing", True)
            text, wrong = await call("test_sampling")
            assert wrong and text.startswith("Input validation error"), text
            assert await call("test_sampling", prompt="hi") == ("LLM response: sampled hi", False)
            assert await call("test_input_required_result_multi_round") == ("Ann likes red", False)
            assert await call("test_tool_with_logging") == ("Tool execution completed", False)
            assert [data for _, data in client.logged] == ["Tool execution started", "Tool processing data", "Tool execution completed"]
            await call("test_tool_with_progress")
            assert client.progress[-3:] == [(0, 100), (50, 100), (100, 100)], client.progress
            assert await call("test_reconnection") == ("Reconnection test completed", False)
            # Several calls at once.
            both = await asyncio.gather(call("test_tool_with_logging"), call("test_simple_text"))
            assert [text for text, _ in both] == ["Tool execution completed", "This is a simple text response for testing."]
            read = await session.read_resource("test://template/5/data")
            assert json.loads(read.contents[0].text)["id"] == "5"
            prompt = await session.get_prompt("test_prompt_with_arguments", {"arg1": "x", "arg2": "y"})
            assert prompt.messages[0].content.text == "Prompt with arguments: arg1='x', arg2='y'"


def main():
    passed = failed = 0
    for transport in (over_stdio, over_http, over_sse):
        try:
            asyncio.run(asyncio.wait_for(uses_everything(transport), 120))
            print(f"ok {transport.__name__}")
            passed += 1
        except BaseException:  # noqa: BLE001 - groups of exceptions, too
            traceback.print_exc()
            print(f"FAILED {transport.__name__}")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
