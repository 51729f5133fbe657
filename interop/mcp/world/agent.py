"""An agent built on the official package: it looks up an order with the tool of an MCP server.

    agent.py variable|config|sse HOW

`HOW` is `right`, or the name of a way to be wrong.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client


def reached(by):
    if by == "sse":
        return sse_client(os.environ["ORDERS_SSE"])
    if by == "config":
        with open(os.environ["AGENTCI_MCP_CONFIG"]) as file:
            server = json.load(file)["mcpServers"]["orders"]
        assert server["type"] == "http", server
        return streamable_http_client(server["url"])
    return streamable_http_client(os.environ["AGENTCI_MCP_ORDERS_URL"])


async def answer(by, how):
    async with reached(by) as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert tools == ["find_order", "lose_order"], tools
        if how == "skips":
            return "60"
        tool = "lose_order" if how == "wrong-tool" else "missing_order" if how == "missing-tool" else "find_order"
        order = "A-18" if how == "other-arguments" else "A-17"
        result = await session.call_tool(tool, {"id": order})
        if result.is_error:
            return result.content[0].text
        return str((result.structured_content or {}).get("total", "60"))


print(asyncio.run(asyncio.wait_for(answer(*sys.argv[1:]), 60)))
