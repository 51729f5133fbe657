"""An MCP server over standard input and output. Each start adds a line to the file `started`."""

import json
import os
import sys

with open("started", "a") as log:
    log.write("started\n")


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(said):
    return {"content": [{"type": "text", "text": said}]}


def called(request):
    tool, order = request["params"]["name"], request["params"]["arguments"]["order"]
    if tool == "get_order":
        with open("orders.json") as orders:
            return text(json.load(orders)[order])
    if tool == "slow":
        token = request["params"]["_meta"]["progressToken"]
        for done in (1, 2):
            say({"method": "notifications/progress", "params": {"progressToken": token, "progress": done}})
        return text("slow but done")
    if tool == "refund":
        say({"id": "q-1", "method": "elicitation/create", "params": {"message": "Really?", "requestedSchema": {}}})
        return text("the user said " + json.loads(sys.stdin.readline())["result"]["action"])
    if tool == "crash":
        sys.exit(3)
    if tool == "remote":
        import time, urllib.request
        with urllib.request.urlopen(open("base").read() + "/x") as answer:
            # The recorder looks up whose connection it is, which takes time on a busy machine.
            time.sleep(0.5)
            return text("status %d" % answer.status)
    if tool == "nested":
        import subprocess
        command = ["python3", "host.py", "get_order=A-17", "--", "python3", "server.py"]
        return text(subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout)
    if tool == "key":
        return text("my key is " + os.environ["SHOP_TOKEN"])


for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        info = {"name": "shop", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        say({"id": message["id"], "result": result})
    elif message["method"] == "notifications/initialized":
        say({"method": "notifications/message", "params": {"level": "info", "data": "ready"}})
    elif message["method"] == "tools/list":
        names = ["get_order", "slow", "refund", "crash", "key", "remote", "nested"]
        say({"id": message["id"], "result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}})
    elif message["method"] == "tools/call":
        say({"id": message["id"], "result": called(message)})
