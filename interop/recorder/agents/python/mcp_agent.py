"""An agent without an SDK whose tool is an MCP server: a program that it starts by path and talks to through pipes."""

import asyncio
import http.client
import json
import os
import subprocess
import sys

from shared import QUESTION, run

SERVER = [sys.executable, os.path.abspath("mcp_server.py")]
REQUESTS = [
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "get_weather", "arguments": {"city": "Paris"}}},
]


def line(request):
    return json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n"


def by_subprocess():
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        for request in REQUESTS:
            server.stdin.write(line(request))
            server.stdin.flush()
            answer = json.loads(server.stdout.readline()) if "id" in request else None
        server.stdin.close()
    return answer["result"]["content"][0]["text"]


async def by_asyncio():
    server = await asyncio.create_subprocess_exec(*SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for request in REQUESTS:
        server.stdin.write(line(request))
        await server.stdin.drain()
        answer = json.loads(await server.stdout.readline()) if "id" in request else None
    server.stdin.close()
    await server.wait()
    return answer["result"]["content"][0]["text"]


def ask(content):
    connection = http.client.HTTPSConnection("api.openai.com", timeout=30)
    headers = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "content-type": "application/json"}
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": content}]}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    return json.load(connection.getresponse())["choices"][0]["message"]["content"]


async def main():
    for weather in (by_subprocess(), await by_asyncio()):
        print(weather, ask(f"{QUESTION} It is {weather}."))


run(main)
