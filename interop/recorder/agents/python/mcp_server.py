"""An MCP server with one tool, whose answer is different each time."""

import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        version = request["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "weather", "version": "1"}}
    else:
        result = {"content": [{"type": "text", "text": f"{random.random()} degrees"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
