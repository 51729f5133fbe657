"""An agent that calls tools of MCP servers: each input line is `SERVER TOOL ARGUMENTS`. It prints the results.

Started as `agent.py PORT`, it is a server that takes such lines as the text of a question.
"""

import http.client
import http.server
import json
import os
import sys
import urllib.request


class Server:
    def __init__(self, url):
        self.url, self.session, self.asked = url, {}, 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})

    def ask(self, method, params):
        self.asked += 1
        message = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}
        request = urllib.request.Request(self.url, json.dumps(message).encode(), {"content-type": "application/json", **self.session})
        with urllib.request.urlopen(request) as answer:
            if session := answer.headers.get("mcp-session-id"):
                self.session = {"mcp-session-id": session}
            return json.loads(answer.read())


def found(name, addresses):
    """The address of a server from its variable; asserts that the config file has the same address."""
    url = addresses.get(name) or os.environ[f"AGENTCI_MCP_{name.upper().replace('-', '_')}_URL"]
    if not addresses:
        with open(os.environ["AGENTCI_MCP_CONFIG"]) as file:
            assert json.load(file)["mcpServers"][name] == {"type": "http", "url": url}
    return url


def obey(text, addresses):
    servers, said = {}, []
    for line in text.splitlines():
        name, tool, arguments = line.split(" ", 2)
        try:
            if name not in servers:
                servers[name] = Server(found(name, addresses))
            params = {"name": tool, "arguments": json.loads(arguments)}
            answer = servers[name].ask("tools/call", params)
            said.append(answer["error"]["message"] if "error" in answer else answer["result"]["content"][0]["text"])
        except (OSError, ValueError, http.client.HTTPException) as error:
            said.append(f"broken: {error!r}")
    return "\n".join(said)


class Asked(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        addresses = {"orders": self.headers["x-orders"]} if self.headers["x-orders"] else {}
        said = f"{obey(body['text'], addresses)}\nserved by {os.getpid()}"
        text = json.dumps({"answer": said}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if len(sys.argv) > 1:
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Asked).serve_forever()
    print(obey(sys.stdin.read().strip(), {}) or "nothing")
