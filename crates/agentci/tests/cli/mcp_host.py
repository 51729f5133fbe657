"""A host of an MCP server over pipes, without any agentci code. Arguments: the calls, then `--` and the server command.

A call is `TOOL` or `TOOL=ORDER`. Each message of the server is printed on one line.
"""

import json
import os
import subprocess
import sys

at = sys.argv.index("--")
calls, command = sys.argv[1:at], sys.argv[at + 1:]
# The variables that the official SDKs pass to a server, and those that a team adds in its settings.
wanted = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
if os.environ.get("WHOLE_ENVIRONMENT"):
    wanted.update(os.environ)
wanted.update((name[4:], value) for name, value in os.environ.items() if name.startswith("FOR_"))
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=wanted, text=True)


def say(message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def heard(number):
    """Prints messages of the server until the answer to this request arrives, and returns the answer."""
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == number and "method" not in message:
            return message
        print("server:", message["method"], json.dumps(message.get("params")))
        if message["method"] == "elicitation/create":
            say({"id": message["id"], "result": {"action": os.environ.get("ANSWER", "accept")}})
    print("the server is gone")
    sys.exit(int(os.environ.get("GONE", "0")))


def ask(number, method, params):
    say({"id": number, "method": method, "params": params})
    return heard(number)


first = int(os.environ.get("FIRST_ID", "0"))
client = {"name": "host", "version": os.environ.get("CLIENT_VERSION", "1")}
ask(first, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
say({"method": "notifications/initialized"})
print([tool["name"] for tool in ask(first + 1, "tools/list", {})["result"]["tools"]])
for number, call in enumerate(calls, first + 2):
    tool, _, order = call.partition("=")
    params = {"name": tool, "arguments": {"order": order}, "_meta": {"progressToken": number}}
    answer = ask(number, "tools/call", params)
    if "RETRY" in os.environ and answer.get("result", {}).get("isError"):
        answer = ask(number + 100, "tools/call", params)
    print(tool, answer.get("error", {}).get("message") or answer["result"]["content"][0]["text"])
server.stdin.close()
print("exit code", server.wait(timeout=20))
