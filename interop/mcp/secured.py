"""An MCP server over HTTP, protocol version 2025-06-18, that requires a token. It uses the standard library only.

`/token` issues tokens to the client `ci` with the secret `s3cret-of-the-client`. The first line of output is its address.
"""

import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "token-of-the-server-17"
CLIENT = base64.b64encode(b"ci:s3cret-of-the-client").decode()


class Secured(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        if self.path == "/token":
            known = self.headers.get("authorization") == f"Basic {CLIENT}" or "s3cret-of-the-client" in body
            good = {"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600}
            return self.answer(200, good) if known else self.answer(401, {"error": "invalid_client"})
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            return self.answer(401, {"error": "who are you?"})
        message = json.loads(body)
        if "id" not in message:
            return self.answer(202, None)
        results = {
            "initialize": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "secured", "version": "1"},
            },
            "tools/list": {"tools": [{"name": "whoami", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "you are ci"}]},
        }
        said = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] in results:
            return self.answer(200, said | {"result": results[message["method"]]})
        return self.answer(200, said | {"error": {"code": -32601, "message": "no such method"}})

    def answer(self, status, document):
        data = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        if document is not None:
            self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Secured)
print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)
server.serve_forever()
