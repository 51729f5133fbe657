"""Starts the world; see the package docstring."""

import argparse
import json
import socket
import sys
import tempfile
import threading
import time
from base64 import b64encode
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from .certificates import Authority
from .routes import Routes


class World(ThreadingHTTPServer):
    """Serves all hosts."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder, log, options):
        super().__init__(("127.0.0.1", 0), Connection)
        self.authority = Authority(folder)
        self.routes = Routes(options.model)
        self.gap = options.gap
        self.log = open(log, "a", buffering=1)
        self.lock = threading.Lock()

    def note(self, entry):
        with self.lock:
            self.log.write(json.dumps({"at": time.time(), **entry}) + "\n")

    def handle_error(self, *_):
        """Ignores errors: clients may disconnect at any time."""


class Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    disable_nagle_algorithm = True
    # The host of the tunnel; without a tunnel, each request names its host.
    host = None

    def do_CONNECT(self):
        self.host = self.path.rpartition(":")[0].strip("[]")
        self.send_response(200, "Connection established")
        self.end_headers()
        self.wfile.flush()
        # Some clients use a tunnel for plain HTTP as well. A TLS connection starts with this byte.
        if self.connection.recv(1, socket.MSG_PEEK) == b"\x16":
            self.connection = self.server.authority.context(self.host).wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", buffering=0)
        self.close_connection = False

    def answer(self):
        body = self.body()
        split = urlsplit(self.path)
        host = self.host or split.hostname or self.headers.get("host", "")
        path = split.path + (f"?{split.query}" if split.query else "")
        headers = {name.lower(): text for name, text in self.headers.items()}
        text = body.decode("utf-8", "replace")
        self.server.note({"method": self.command, "host": host, "path": path, "headers": headers, "body": text})
        if headers.get("upgrade", "").lower() == "websocket":
            self.speak_in_frames(headers["sec-websocket-key"])
            return
        reply = self.server.routes.reply(self.command, host, path, headers, body)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.frames is None:
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
        else:
            self.send_frames(reply.frames)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def speak_in_frames(self, key):
        """Answers as a WebSocket with one message, then closes it."""
        mark = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("upgrade", "websocket")
        self.send_header("connection", "Upgrade")
        self.send_header("sec-websocket-accept", b64encode(sha1((key + mark).encode()).digest()).decode())
        self.end_headers()
        text = b"Answer of a WebSocket"
        self.wfile.write(bytes([0x81, len(text)]) + text + bytes([0x88, 0]))
        self.close_connection = True

    def send_frames(self, frames):
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, frame in enumerate(frames):
            if number:
                time.sleep(self.server.gap)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        """Prints nothing: requests are written to the log."""


def main():
    parser = argparse.ArgumentParser(prog="world", description="Model providers and tools behind one proxy.")
    parser.add_argument("--gap", type=float, default=0.0, help="seconds between the frames of a stream [default: 0]")
    parser.add_argument("--log", help="the file for the log of requests [default: in a temporary folder]")
    parser.add_argument("--model", help="the address of a scripted model, which then answers for the providers that it supports")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="world-") as folder:
        log = Path(options.log or Path(folder) / "requests.jsonl").absolute()
        world = World(folder, log, options)
        proxy = f"http://127.0.0.1:{world.server_address[1]}"
        print(json.dumps({"proxy": proxy, "certificates": str(world.authority.file), "log": str(log)}), flush=True)
        # Runs until the parent process ends.
        threading.Thread(target=world.serve_forever, daemon=True).start()
        sys.stdin.read()


main()
