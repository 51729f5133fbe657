"""A host built on the official Python package. It uses the server `shop` of the `.mcp.json` next to it, and prints the results."""

import asyncio
import json
import os
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


@asynccontextmanager
async def connected(server):
    if "command" in server:
        parameters = StdioServerParameters(command=server["command"], args=server["args"])
        async with stdio_client(parameters) as streams:
            yield streams
    elif server["type"] == "sse":
        async with sse_client(server["url"]) as streams:
            yield streams
    else:
        async with streamable_http_client(server["url"]) as streams:
            yield streams[:2]


async def elicit(_, params):
    return types.ElicitResult(action="accept", content={"name": os.environ.get("GUEST", "Ann"), "seats": 2})


async def main():
    heard = []

    async def log(params):
        heard.append(params.data)

    async def advance(progress, total, _):
        heard.append(f"{progress:g} of {total:g}")

    with open(".mcp.json", encoding="utf-8") as settings:
        server = json.load(settings)["mcpServers"]["shop"]
    async with connected(server) as streams:
        async with ClientSession(*streams, elicitation_callback=elicit, logging_callback=log) as session:
            print((await session.initialize()).server_info.name)
            print(sorted(tool.name for tool in (await session.list_tools()).tools))

            async def call(name, **arguments):
                answer = await asyncio.wait_for(session.call_tool(name, arguments, progress_callback=advance), 30)
                return answer.content[0].text

            print(await call("add", a=int(os.environ.get("A", "2")), b=3))
            print(await call("divide", a=1, b=0))
            print(await call("count", to=3), heard)
            print(await call("reserve", day="Monday"))
            print(await asyncio.gather(call("add", a=1, b=1), call("wait", seconds=0.2), call("add", a=4, b=4)))
            print((await session.read_resource("note://today")).contents[0].text)
            print((await session.get_prompt("review", {"text": "it"})).messages[0].content.text)


asyncio.run(asyncio.wait_for(main(), 60))
