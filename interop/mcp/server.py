"""A server built on the official `mcp` package: `server.py stdio`, `server.py http` or `server.py sse`.

Over HTTP it listens on a free port and prints its address, one line on standard output.
"""

import asyncio
import os
import socket
import sys
from typing import Annotated

import uvicorn
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from pydantic import BaseModel, Field

server = MCPServer("interop", version="1.0.0", instructions="For tests.", log_level="WARNING")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def divide(a: float, b: float) -> float:
    """Divides two numbers."""
    return a / b


class Guest(BaseModel):
    name: str
    seats: int = 1


def ask_for_guest() -> Elicit[Guest]:
    return Elicit("Who is it for?", Guest)


@server.tool()
def reserve(guest: Annotated[Guest, Resolve(ask_for_guest)], day: str) -> str:
    """Reserves a table; asks who it is for."""
    return f"{guest.seats} for {guest.name} on {day}"


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Counts, and says how far it has come."""
    for number in range(1, to + 1):
        await ctx.report_progress(number, to)
        await ctx.warning(f"at {number}")
    return f"counted to {to}"


@server.tool(structured_output=False)
def big(megabytes: int) -> str:
    """Gives back a long text."""
    return "x" * (megabytes << 20)


@server.tool()
async def wait(seconds: float) -> str:
    """Takes its time."""
    await asyncio.sleep(seconds)
    return f"waited {seconds}"


@server.tool()
def leave(code: int) -> str:
    """Ends the server in the middle of the call."""
    print("leaving on purpose", file=sys.stderr, flush=True)
    os._exit(code)


@server.tool()
def place(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})], ctx: Context) -> str:
    """Says which region it was told, in the call and in its headers."""
    headers = ctx.headers or {}
    return f"{region} and {headers.get('mcp-param-region')}"


@server.resource("note://today")
def today() -> str:
    """A note."""
    return "Buy bread."


@server.prompt()
def review(text: str) -> str:
    """Asks for a review."""
    return f"Please review: {text}"


def serve(app, path):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


match sys.argv[1]:
    case "stdio":
        server.run("stdio")
    case "http":
        serve(server.streamable_http_app(), "/mcp")
    case "http-json":
        serve(server.streamable_http_app(json_response=True), "/mcp")
    case "sse":
        serve(server.sse_app(), "/sse")
