"""Answers questions about orders with the tools of an MCP server, whose URL is in `AGENTCI_MCP_ORDERS_URL`.

It implements the protocol itself, so that nothing has to be installed. An agent with an SDK passes the same URL to its MCP client.
"""

import json
import os
import re
import sys
import urllib.request

URL = os.environ.get("AGENTCI_MCP_ORDERS_URL", "http://127.0.0.1:8000/mcp")
session = {}


def ask(number, method, params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", **session}
    with urllib.request.urlopen(urllib.request.Request(URL, json.dumps(message).encode(), headers)) as answer:
        session["mcp-session-id"] = answer.headers.get("mcp-session-id") or session["mcp-session-id"]
        return json.load(answer)["result"]


ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "shop", "version": "1"}})
order = re.search(r"[A-Z]-\d+", sys.stdin.read())
if not order:
    print("Which order do you mean?")
else:
    result = ask(2, "tools/call", {"name": "find_order", "arguments": {"id": order[0]}})
    if result.get("isError"):
        print(f"I could not find out: {result['content'][0]['text']}.")
    else:
        print(f"The total of order {order[0]} is {result['structuredContent']['total']} euros.")
